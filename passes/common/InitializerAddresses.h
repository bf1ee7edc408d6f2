//===- InitializerAddresses.h - Addresses in initializers -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses that are no constants any more are taken out of an initializer, and
// stored when the program starts.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_COMMON_INITIALIZERADDRESSES_H
#define GRIDSPAN_PASSES_COMMON_INITIALIZERADDRESSES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>

namespace llvm {
class Constant;
class DataLayout;
class GlobalVariable;
} // namespace llvm

namespace gridspan {

/// Returns true for a variable whose address is meant.
using IsTakenFn = llvm::function_ref<bool(const llvm::GlobalVariable &)>;

/// Returns true if C contains the address of a variable that IsTaken accepts.
bool refersTo(const llvm::Constant &C, IsTakenFn IsTaken);

/// Returns C, which begins at Offset, with zeros for its scalars that contain
/// such addresses. Store receives each of these and its offset.
llvm::Constant *
withoutAddresses(llvm::Constant *C, uint64_t Offset, const llvm::DataLayout &DL,
                 IsTakenFn IsTaken,
                 llvm::function_ref<void(llvm::Constant *, uint64_t)> Store);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_COMMON_INITIALIZERADDRESSES_H
