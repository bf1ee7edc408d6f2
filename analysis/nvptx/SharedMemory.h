//===- SharedMemory.h - Shared memory in NVPTX IR ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The variables of shared memory that a kernel uses.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_NVPTX_SHAREDMEMORY_H
#define GRIDSPAN_ANALYSIS_NVPTX_SHAREDMEMORY_H

#include "analysis/nvptx/AddressSpaces.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Function;
class GlobalVariable;
class Module;
} // namespace llvm

namespace gridspan {

/// Returns the variables of shared memory in the kernel's own code, in the
/// module's order.
llvm::SmallVector<const llvm::GlobalVariable *, 4>
sharedVariablesOf(const llvm::Function &Kernel);

/// True for an `extern __shared__` array, which is as long as the launch says.
bool isDynamicShared(const llvm::GlobalVariable &Variable);

/// Gives shared variables the largest alignment of an access. ptxas chooses
/// their addresses too, and joins accesses by what it knows of them.
void alignSharedVariables(llvm::Module &M);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_NVPTX_SHAREDMEMORY_H
