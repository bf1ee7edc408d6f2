//===- ManagedAddresses.h - __managed__ variables on the host ---*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code that uses a __managed__ variable uses the memory that the runtime
// has for it (ManagedVariables.h), and not clang's shadow of it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_HOST_MANAGEDADDRESSES_H
#define GRIDSPAN_PASSES_HOST_MANAGEDADDRESSES_H

#include "analysis/summary/KernelSummary.h"

namespace llvm {
class GlobalVariable;
class Module;
} // namespace llvm

namespace gridspan {

class AbiConstants;

/// Registers the variables of M that Managed describes, and replaces their
/// addresses. Precondition: the CUDA API is not redirected yet.
void redirectManagedVariables(llvm::Module &M, AbiConstants &Abi,
                              llvm::ArrayRef<ManagedSummary> Managed);

/// A managed variable of a unit of relocatable device code.
struct UnitManaged {
  llvm::GlobalVariable *Shadow;
  std::string DeviceName;
};

/// Replaces the addresses of a unit's variables. The device link registers
/// them, and defines the descriptors that the unit asks with.
void redirectManagedOfUnit(llvm::Module &M,
                           llvm::ArrayRef<UnitManaged> Managed);

/// Reports an error if host code uses a variable that is declared __managed__
/// and was not replaced.
void checkManagedVariables(llvm::Module &M);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_HOST_MANAGEDADDRESSES_H
