//===- KernelDeclarer.h - New kernels beside others -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares kernels so that the NVPTX back end of LLVM 19 takes them for
// kernels, despite a cache of its that outlives functions, and fills them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_CLONES_KERNELDECLARER_H
#define GRIDSPAN_PASSES_DEVICE_CLONES_KERNELDECLARER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"
#include <vector>

namespace llvm {
class BasicBlock;
class Function;
class FunctionType;
} // namespace llvm

namespace gridspan {

/// Declares kernels with the launch properties (nvvm.annotations) of others.
class KernelDeclarer {
public:
  explicit KernelDeclarer(llvm::FunctionAnalysisManager &FAM) : FAM(FAM) {}
  KernelDeclarer(const KernelDeclarer &) = delete;
  KernelDeclarer &operator=(const KernelDeclarer &) = delete;
  ~KernelDeclarer();

  /// Returns a kernel of type Ty, with at least one parameter, that is like
  /// Kernel.
  llvm::Function &declare(llvm::Function &Kernel, llvm::FunctionType *Ty,
                          llvm::StringRef Name);

private:
  llvm::FunctionAnalysisManager &FAM;
  /// Declarations that are in the way of good addresses.
  std::vector<llvm::Function *> Rejected;
};

/// Fills New, which takes all that Old does and perhaps more, with its code and
/// the names of its parameters.
void copyCode(llvm::Function &Old, llvm::Function &New);

/// Moves variables of fixed size from From, an entry before, to the beginning
/// of the entry To, so that they stay in the stack frame.
void moveAllocas(llvm::BasicBlock &From, llvm::BasicBlock &To);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_CLONES_KERNELDECLARER_H
