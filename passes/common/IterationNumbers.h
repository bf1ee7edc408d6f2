//===- IterationNumbers.h - Tells iterations of loops apart -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the iterations of a function's loops, for code that is to know which
// lanes of a warp come by in the same ones.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_COMMON_ITERATIONNUMBERS_H
#define GRIDSPAN_PASSES_COMMON_ITERATIONNUMBERS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"

namespace gridspan {

/// Adds instructions to F; blocks must not change while it lives.
class IterationNumbers {
public:
  explicit IterationNumbers(llvm::Function &F)
      : B(F.getContext()), DT(F), LI(DT) {}

  /// Returns the number of the iterations of the loops around BB that it is in,
  /// 64 bits wide. With D loops around BB each one's count since it was entered
  /// takes 64 / D bits, outermost first. Counts beyond that run into those of
  /// the loop outside.
  llvm::Value *at(const llvm::BasicBlock *BB) { return of(LI.getLoopFor(BB)); }

private:
  llvm::Value *of(llvm::Loop *L);
  llvm::PHINode *countOf(llvm::Loop *L);

  llvm::IRBuilder<> B;
  llvm::DominatorTree DT;
  llvm::LoopInfo LI;
  llvm::DenseMap<llvm::Loop *, llvm::PHINode *> Counts;
  llvm::DenseMap<llvm::Loop *, llvm::Value *> Numbers;
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_COMMON_ITERATIONNUMBERS_H
