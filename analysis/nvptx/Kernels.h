//===- Kernels.h - The kernels of a device module ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the kernels of a device module and the functions that they reach, in a
// fixed order, so that what is made from it is in one too.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_NVPTX_KERNELS_H
#define GRIDSPAN_ANALYSIS_NVPTX_KERNELS_H

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace gridspan {

/// True if F is a kernel: by calling convention or by nvvm.annotations.
bool isKernel(const llvm::Function &F);

/// Returns the kernels that M defines, in module order.
llvm::SmallVector<llvm::Function *, 8> kernelsOf(llvm::Module &M);

/// Returns Kernel and all functions with a body that it reaches by direct
/// calls, in a fixed order, callers first.
llvm::SetVector<const llvm::Function *>
reachableFunctions(const llvm::Function &Kernel);

/// Returns true if the intrinsic of that number reads how many threads a block
/// has, or how many blocks there are, along an axis.
bool readsLaunchSize(unsigned ID);

/// Returns the architecture that F is compiled for ("sm_90"), or "" if it does
/// not say.
llvm::StringRef architectureOf(const llvm::Function &F);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_NVPTX_KERNELS_H
