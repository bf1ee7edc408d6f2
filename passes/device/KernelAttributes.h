//===- KernelAttributes.h - nvcc's attributes of kernels --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang 19 ignores __maxnreg__ and __grid_constant__, which its back end knows:
// a kernel would work with the address of its own copy of a parameter, in which
// a tensor map is none. The compatibility header of gridspan++ annotates
// kernels and parameters with them instead.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_KERNELATTRIBUTES_H
#define GRIDSPAN_PASSES_DEVICE_KERNELATTRIBUTES_H

#include "llvm/IR/PassManager.h"

namespace gridspan {

/// Makes nvvm.annotations of these annotations in a device module. Kernels that
/// have some become new functions of the same name.
class KernelAttributesPass : public llvm::PassInfoMixin<KernelAttributesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_KERNELATTRIBUTES_H
