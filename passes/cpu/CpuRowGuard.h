//===- CpuRowGuard.h - The guard of a kernel's threads ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most kernels begin with `if (i >= n) return;`, where i is threadIdx.x and
// something that is the same for a row of threads. In a loop over threadIdx.x
// the guard is in the way of vectorization; it belongs into the loop's bounds.
// This finds the guard, takes it out of the kernel, and computes the bounds.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPUROWGUARD_H
#define GRIDSPAN_PASSES_CPU_CPUROWGUARD_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include <optional>

namespace gridspan {

/// The guard of a kernel. A thread that runs satisfies all terms and
/// conditions.
class RowGuard {
public:
  /// Finds the guard of a kernel with thread parameters; it must have at least
  /// one term. Changes nothing.
  static std::optional<RowGuard> find(llvm::Function &Thread);

  /// The threads in Lo <= threadIdx.x < Hi that run: Count of them from First
  /// on. Those from Next on need bounds of their own.
  struct Bounds {
    llvm::Value *First, *Count, *Next;
    llvm::SmallVector<llvm::Value *> Indices; ///< of the terms, for First
  };
  /// Emits the bounds. Arguments are the values of the kernel's parameters for
  /// the thread Lo, which is below Hi.
  Bounds emitBounds(llvm::ArrayRef<llvm::Value *> Arguments, llvm::Value *Lo,
                    llvm::Value *Hi, llvm::IRBuilder<> &B);

  /// Takes the guard out of the kernel, which gets further parameters: the
  /// thread's distance from Bounds::First, and Bounds::Indices. Returns the new
  /// kernel; the old one is erased. To be called last.
  llvm::Function *removeFrom(llvm::Function &Thread);

private:
  /// The comparison "Index Predicate Limit", where Index grows by 1 with
  /// threadIdx.x and Limit does not change.
  struct Term {
    llvm::CmpInst::Predicate Predicate;
    llvm::Value *Index, *Limit;
  };
  /// A value that must be Expected, and does not depend on threadIdx.x.
  struct Condition {
    llvm::Value *V;
    bool Expected;
  };

  bool addCondition(llvm::Value *V, bool Expected, const llvm::Argument *TidX);
  bool addGuardOf(llvm::BasicBlock &BB, const llvm::Argument *TidX);

  llvm::SmallVector<Term> Terms;
  llvm::SmallVector<Condition> Conditions;
  /// Blocks whose terminator is part of the guard, and where threads go on.
  llvm::SmallVector<std::pair<llvm::BasicBlock *, llvm::BasicBlock *>> Guards;
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPUROWGUARD_H
