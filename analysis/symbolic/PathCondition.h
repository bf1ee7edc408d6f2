//===- PathCondition.h - Conditions for reaching a block --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exact condition, as a conjunction of expressions of one bit, under which
// a thread executes a block in given iterations of the loops around it. Where
// Guards.h keeps what certainly holds, this keeps everything that decides: a
// block with several entries is reached when one of them is.
//
// Loops that are left before the block decide nothing if they have one exiting
// block: who enters leaves there. In a loop around the block, iterations are
// given, so back edges are not followed; that an earlier iteration may have
// left the loop is the trip count's matter if it has one exiting block, and
// unknown otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_SYMBOLIC_PATHCONDITION_H
#define GRIDSPAN_ANALYSIS_SYMBOLIC_PATHCONDITION_H

#include "analysis/symbolic/ExprBuilder.h"

namespace llvm {
class PostDominatorTree;
} // namespace llvm

namespace gridspan {

struct KernelAnalyses;

class PathConditions {
public:
  PathConditions(const KernelAnalyses &A, ExprBuilder &Builder,
                 ExprGraph &Graph)
      : A(A), Builder(Builder), Graph(Graph) {}

  /// Returns conditions that all hold if and only if a thread gets to BB. Parts
  /// that cannot be expressed are unknown.
  llvm::SmallVector<ExprId, 4> of(const llvm::BasicBlock *BB);

private:
  ExprId conditionOf(const llvm::BasicBlock *BB);
  ExprId ofEdge(const llvm::BasicBlock *From, const llvm::BasicBlock *To);
  ExprId compute(const llvm::BasicBlock *BB);
  ExprId boolean(bool Value) { return Graph.constant(1, Value); }

  const KernelAnalyses &A;
  ExprBuilder &Builder;
  ExprGraph &Graph;
  llvm::DenseMap<const llvm::BasicBlock *, ExprId> Memo;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_SYMBOLIC_PATHCONDITION_H
