//===- ExprNode.h - One node of an expression -------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kinds of nodes (ExprKinds.def), and what the fields of each mean. Plain
// data; Expr.h has the graph that owns them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_EXPR_EXPRNODE_H
#define GRIDSPAN_ANALYSIS_EXPR_EXPRNODE_H

#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <tuple>

namespace gridspan {

enum class ExprKind : uint8_t {
#define GRIDSPAN_EXPR(Kind, Text, NumOperands) Kind,
#include "analysis/expr/ExprKinds.def"
};

/// Returns "add", "tid", ...
llvm::StringRef exprKindName(ExprKind Kind);
unsigned exprNumOperands(ExprKind Kind);

/// Index of a node in its graph. Operands have smaller indices than users.
using ExprId = uint32_t;
constexpr ExprId NoExpr = ~ExprId(0);

/// Iter flags: the recurrence does not wrap as a signed / unsigned value.
/// IterToLimit is for the operand of an Assume that is the loop's only
/// condition. From each start it goes on to the last value that satisfies it.
/// So Ops[2], where starts differ, is a bound and no restriction.
enum IterFlags : uint32_t { IterNSW = 1, IterNUW = 2, IterToLimit = 4 };

/// A node. Kind decides which of A, B and the operands mean something:
///
///   Const      A = value, sign-extended from Width
///   Param      A = parameter index, B = byte offset in it; Width bits loaded
///   ThreadIdx, BlockIdx, BlockDim, GridDim    A = axis 0..2; Width is 32
///   TileOrigin, TileCount   of the box of blocks: the first, and how many;
///              A = axis 0..2; Width is 32
///   Bounded    any value in [A, B], signed
///   Unknown    A = index into ExprGraph::reasons(); B = 0, or the number of a
///              stand-in, counted from 1 (StandIn.h)
///   Load       an integer in memory, Ops[0] bytes (64 bits wide) behind the
///              pointer that is field B (a byte offset) of parameter A; any
///              value where the launch does not know what is there
///   ICmp       A = llvm::CmpInst::Predicate; Width is 1
///   Select     Ops = condition, value if true, value if false
///   Assume     the values X of Ops[0] for which X pred Y holds for some value
///              Y of Ops[1]; A = llvm::CmpInst::Predicate
///   Merge      the union of Ops[0] and Ops[1] (a phi that is no induction)
///   Iter       { Ops[0] + k * Ops[1] : 0 <= k <= Ops[2] }: start, step and,
///              as an unsigned value that may have another width, the
///              backedge-taken count, or NoExpr when there is no bound;
///              A = IterFlags, B = id of the loop, unique in the kernel
struct ExprNode {
  ExprKind Kind;
  uint8_t Width; ///< 1 to 64 bits
  int64_t A = 0;
  int64_t B = 0;
  std::array<ExprId, 3> Ops = {NoExpr, NoExpr, NoExpr};

  auto key() const { return std::tie(Kind, Width, A, B, Ops); }
  bool operator<(const ExprNode &O) const { return key() < O.key(); }
  bool operator==(const ExprNode &O) const { return key() == O.key(); }
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_EXPR_EXPRNODE_H
