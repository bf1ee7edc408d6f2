//===- ConcreteEval.h - An expression in one thread -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Range functions (Evaluate.h) give the set of values over a box of blocks.
// This gives the value in one thread of one block in one iteration of each
// loop: what a warp request needs.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_EXPR_CONCRETEEVAL_H
#define GRIDSPAN_ANALYSIS_EXPR_CONCRETEEVAL_H

#include "analysis/expr/Expr.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>

namespace gridspan {

/// The numbers of a launch.
struct LaunchValues {
  std::array<uint32_t, 3> Block = {1, 1, 1};
  std::array<uint32_t, 3> Grid = {1, 1, 1};
  uint64_t DynamicShared = 0; ///< bytes of shared memory that a block gets
  /// Scalar parameters by index and byte offset; others are unknown.
  std::map<std::pair<unsigned, unsigned>, int64_t> Params;
};

/// The value of an expression in a thread.
struct ConcreteValue {
  enum StateKind : uint8_t {
    Known,
    Unknown,  ///< no value can be given
    Inactive, ///< an Assume fails: the thread does not get here
  } State = Unknown;
  int64_t Value = 0; ///< if Known: sign-extended from the expression's width

  bool isKnown() const { return State == Known; }
  bool operator==(const ConcreteValue &O) const {
    return State == O.State && (State != Known || Value == O.Value);
  }
};

/// Evaluates some expressions of a graph together, over and over. The graph
/// must outlive it and not grow meanwhile. Of the three setters only what
/// depends on the changed position is computed again, at the next call of
/// value().
class ConcreteEval {
public:
  ConcreteEval(const ExprGraph &Graph, llvm::ArrayRef<ExprId> Roots,
               const LaunchValues &Launch);

  void setBlock(const std::array<uint32_t, 3> &Index);
  void setThread(const std::array<uint32_t, 3> &Index);
  /// The loop, as numbered in Iter nodes, is in its iteration K, from 0. A loop
  /// that was never set is in an unknown iteration.
  void setIteration(int64_t Loop, uint64_t K);
  uint64_t iteration(int64_t Loop) const { return Iterations.at(Loop); }

  /// Returns the value of one of the roots or of a node below them.
  ConcreteValue value(ExprId Id);

private:
  /// The most that the value of a node depends on.
  enum Level : uint8_t { OnLaunch, OnBlock, OnThread };

  void computeFrom(Level First);
  ConcreteValue compute(const ExprNode &Node) const;

  const ExprGraph &Graph;
  const LaunchValues &Launch;
  std::array<uint32_t, 3> BlockIndex = {0, 0, 0};
  std::array<uint32_t, 3> ThreadIndex = {0, 0, 0};
  std::map<int64_t, uint64_t> Iterations;
  std::array<std::vector<ExprId>, 3> Nodes; ///< by Level, operands first
  llvm::DenseMap<ExprId, ConcreteValue> Values;
  int Stale = OnLaunch; ///< the lowest level to compute again; 3: none
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_EXPR_CONCRETEEVAL_H
