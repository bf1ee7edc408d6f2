//===- TypicalWarps.h - Lanes of a typical block ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates addresses and conditions in the lanes of a warp where no launch is
// known. The block is the one behind the first along each axis. It has 256
// threads along the axes that the kernel uses. Parameters are 1024, and loops
// are in their first iteration.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_EXPR_TYPICALWARPS_H
#define GRIDSPAN_ANALYSIS_EXPR_TYPICALWARPS_H

#include "analysis/expr/WarpEval.h"
#include "llvm/ADT/SmallVector.h"

namespace gridspan {

class TypicalWarps {
public:
  static constexpr unsigned Warps = 8; ///< of a block

  /// The graph must outlive it; it may grow, which costs. Nothing is known of
  /// one that is too large.
  explicit TypicalWarps(const ExprGraph &Graph) : Graph(Graph) {}

  /// Returns the values in the lanes of the first warp that get there; nothing
  /// when it depends on something that is not known.
  std::optional<llvm::SmallVector<int64_t, WarpSize>> valuesOf(ExprId Id);

  /// Returns the number of the block's warps that have a lane in which A Pred B
  /// holds, or may hold.
  unsigned warpsWhere(ExprId A, llvm::CmpInst::Predicate Pred, ExprId B);
  /// Returns the most lanes of a warp in which it holds, or may hold.
  unsigned lanesWhere(ExprId A, llvm::CmpInst::Predicate Pred, ExprId B);

private:
  bool update();
  unsigned holdsIn(unsigned Warp, ExprId A, llvm::CmpInst::Predicate Pred,
                   ExprId B);

  const ExprGraph &Graph;
  LaunchValues Launch;
  std::optional<WarpEval> Eval;
  size_t Seen = 0; ///< nodes of the graph
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_EXPR_TYPICALWARPS_H
