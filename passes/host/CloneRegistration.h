//===- CloneRegistration.h - Kernels that a module registers ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the kernels that clang registers with the CUDA runtime, and registers
// their clones beside them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_HOST_CLONEREGISTRATION_H
#define GRIDSPAN_PASSES_HOST_CLONEREGISTRATION_H

#include <string>
#include <vector>

namespace llvm {
class CallBase;
class Constant;
class Module;
class StringRef;
} // namespace llvm

namespace gridspan {

/// A kernel that clang registers with the CUDA runtime.
struct RegisteredKernel {
  std::string Name;     ///< mangled device name
  llvm::Constant *Stub; ///< what cudaLaunchKernel receives for it
  llvm::CallBase *Call; ///< of __cudaRegisterFunction
};

/// Returns the kernels that M registers, in order.
std::vector<RegisteredKernel> findRegisteredKernels(llvm::Module &M);

/// Registers the device function Clone next to Kernel. Returns its stub, an
/// address that stands for it.
llvm::Constant *registerClone(const RegisteredKernel &Kernel,
                              llvm::StringRef Clone);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_HOST_CLONEREGISTRATION_H
