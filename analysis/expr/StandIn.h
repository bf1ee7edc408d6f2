//===- StandIn.h - Values that no operation gives ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Unknown nodes with a number are stand-ins. Whoever evaluates single lanes
// (WarpEval.h) can follow them; to everyone else they are unknown values, which
// is sound. Only advice makes them: summaries and what is made from them have
// none.
//
//   - A carried value is that of a loop's phi which is no induction variable:
//     Start in the first iteration, and in each other one what Next was in the
//     one before. Next has the carried value itself among its operands. Where
//     that cannot be followed, but lanes of a warp share it, it is open.
//   - An open value is not known. Lanes of a warp share it, always or where
//     they have it from one place, or it is a bit that each lane has for
//     itself. What holds for all that it may be holds whatever it is.
//   - The number of the lane, which threads' indices do not give without the
//     shape of the block.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_EXPR_STANDIN_H
#define GRIDSPAN_ANALYSIS_EXPR_STANDIN_H

#include "analysis/expr/ExprNode.h"

namespace gridspan {

struct StandIn {
  enum StandInKind {
    Failed,       ///< what was begun as a carried value and is none
    Carried,      ///< Loop, Start, Next
    SharedByWarp, ///< open, the same in all lanes
    SharedIfSame, ///< open, and the same in all lanes where Start is
    OfLane,       ///< an open bit
    LaneNumber,   ///< the number of the lane in its warp
  } Kind = Failed;
  int64_t Loop = 0; ///< of Iter nodes
  ExprId Start = NoExpr, Next = NoExpr;
  bool IsShared = false; ///< of a carried value: all lanes have the same one
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_EXPR_STANDIN_H
