//===- SharedMemory.h - Shared memory in NVPTX IR ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which pointers lead to shared memory, and which of its variables a kernel
// uses.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_NVPTX_SHAREDMEMORY_H
#define GRIDSPAN_ANALYSIS_NVPTX_SHAREDMEMORY_H

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Function;
class GlobalVariable;
class Module;
class Value;
} // namespace llvm

namespace gridspan {

/// NVPTX address space of shared memory.
constexpr unsigned SharedSpace = 3;

/// Whether the pointer, or the object that it is derived from in a few steps,
/// is in shared memory.
bool isShared(const llvm::Value *Pointer);

/// Variables of shared memory in the kernel's own code, in the module's order.
llvm::SmallVector<const llvm::GlobalVariable *, 4>
sharedVariablesOf(const llvm::Function &Kernel);

/// An `extern __shared__` array, as long as the launch says.
bool isDynamicShared(const llvm::GlobalVariable &Variable);

/// ptxas places shared variables, and joins accesses knowing where they are.
void alignSharedVariables(llvm::Module &M);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_NVPTX_SHAREDMEMORY_H
