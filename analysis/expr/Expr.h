//===- Expr.h - Index expressions of a kernel -------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small DAG of integer operations over what is known when a kernel is
// launched: constants, scalar parameters, thread and block indices, loop
// counters. Nodes are hash-consed and named by their index, operands before
// users. So equal expressions are one node, a graph can be written to a file
// and read back, and every walk of it is a loop with a fixed order.
//
// An expression stands for the SET of values that an IR value takes over the
// threads of a box of blocks and the iterations of the loops around it. The
// functions of RangeOps.h evaluate it at a launch. "Unknown" is an answer: any
// value of its width.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_EXPR_EXPR_H
#define GRIDSPAN_ANALYSIS_EXPR_EXPR_H

#include "analysis/expr/ExprNode.h"
#include "analysis/expr/StandIn.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace gridspan {

/// Owner of nodes. The constructors fold constants and the identities that cost
/// nothing (x+0, x*1, zext of zext, ...); they never lose precision.
/// Not thread-safe. Ids stay valid for the graph's life.
class ExprGraph {
public:
  const ExprNode &operator[](ExprId Id) const { return Nodes[Id]; }
  size_t size() const { return Nodes.size(); }
  llvm::ArrayRef<ExprNode> nodes() const { return Nodes; }
  llvm::ArrayRef<std::string> reasons() const { return Reasons; }
  llvm::ArrayRef<StandIn> standIns() const { return StandIns; }

  ExprId constant(unsigned Width, int64_t Value);
  ExprId param(unsigned Width, unsigned Index, unsigned ByteOffset);
  /// ThreadIdx, BlockIdx, BlockDim, GridDim, TileOrigin or TileCount.
  ExprId special(ExprKind Kind, unsigned Axis);
  ExprId bounded(unsigned Width, int64_t Lo, int64_t Hi);
  ExprId unknown(unsigned Width, llvm::StringRef Reason);
  /// Returns a new stand-in, which is unknown for the Reason to those who do
  /// not follow it.
  ExprId standIn(unsigned Width, const StandIn &What, llvm::StringRef Reason);
  /// Returns the stand-in that the node is, or null.
  const StandIn *standInOf(ExprId Id) const;
  /// Makes a stand-in a carried value, or a failed one; whether lanes share it
  /// stays.
  void setCarried(ExprId Id, int64_t Loop, ExprId Start, ExprId Next);
  void setFailed(ExprId Id);
  /// Param and ByteOffset: the pointer, as of param().
  ExprId load(unsigned Width, unsigned Param, unsigned ByteOffset,
              ExprId Offset);
  ExprId binary(ExprKind Kind, ExprId LHS, ExprId RHS);
  /// ZExt, SExt, Trunc; also a no-op when the width already fits.
  ExprId cast(ExprKind Kind, ExprId Operand, unsigned Width);
  ExprId icmp(llvm::CmpInst::Predicate Pred, ExprId LHS, ExprId RHS);
  ExprId select(ExprId Cond, ExprId True, ExprId False);
  ExprId assume(ExprId X, llvm::CmpInst::Predicate Pred, ExprId Y);
  ExprId merge(ExprId LHS, ExprId RHS);
  ExprId iter(ExprId Start, ExprId Step, ExprId BackedgeTaken, unsigned Flags,
              unsigned Loop);
  /// Returns the opposite of a condition, which has width 1.
  ExprId negated(ExprId Cond);
  /// Returns the expression without any value.
  ExprId nothing(unsigned Width);
  /// Returns X where Cond may hold, else nothing().
  ExprId guarded(ExprId Cond, ExprId X);

  /// Adds a node as it is, without folding: for reading a stored graph.
  ExprId addRaw(const ExprNode &Node, llvm::StringRef Reason = {});

  /// Returns true if the value is one and the same in all threads of the
  /// launch.
  bool isUniform(ExprId Id) const;
  /// Returns true if the value is determined by thread and iteration: two IR
  /// values with this expression are equal, not just of equal range.
  bool isFunctional(ExprId Id) const;
  /// Returns true if the value is that of nothing().
  bool isNothing(ExprId Id) const;
  /// Returns the constant's value, or nothing.
  std::optional<int64_t> constantValue(ExprId Id) const;
  /// Gives the operands of a node that a walk follows.
  using OperandsFn =
      llvm::function_ref<llvm::ArrayRef<ExprId>(const ExprNode &)>;
  /// Follows every operand.
  static llvm::ArrayRef<ExprId> allOperands(const ExprNode &Node) {
    return Node.Ops;
  }
  /// Returns the nodes that Roots are computed from, themselves included, each
  /// once and ascending: operands before users. NoExpr among Roots is skipped.
  llvm::SmallVector<ExprId, 16> below(llvm::ArrayRef<ExprId> Roots,
                                      OperandsFn Follow = allOperands) const;
  /// Returns the first node at or below Id for which Is holds, users before
  /// operands and these from left to right; or NoExpr.
  ExprId findBelow(ExprId Id, llvm::function_ref<bool(const ExprNode &)> Is,
                   OperandsFn Follow = allOperands) const;
  /// True if a node at or below Id is of the Kind.
  bool containsKind(ExprId Id, ExprKind Kind) const;
  /// Returns the Load nodes at or below Id, ascending.
  llvm::SmallVector<ExprId, 4> loadsBelow(ExprId Id) const;
  /// Returns the first reason below Id for which its value is unknown, or "".
  /// Stand-ins count as known, unless they are failed ones.
  llvm::StringRef unknownReason(ExprId Id) const;

  /// Returns true if evaluators that follow stand-ins know the value, where
  /// they know the launch and what is open.
  bool isFollowed(ExprId Id) const;
  /// Returns the reason of the first carried value below Id, which evaluators
  /// follow only so far, or "".
  llvm::StringRef carriedReason(ExprId Id) const;

  /// Prints the expression as nested text: `add(mul(ctaid.x, ntid.x), tid.x)`,
  /// infix where that is shorter; stable across runs.
  void print(llvm::raw_ostream &OS, ExprId Id) const;

private:
  ExprId intern(const ExprNode &Node);
  ExprId foldDivision(ExprKind Kind, ExprId LHS, ExprId RHS);
  ExprId quotientIn(ExprId Product, bool Negated) const;
  ExprId walk(llvm::ArrayRef<ExprId> Roots,
              llvm::function_ref<bool(ExprId)> Stop, OperandsFn Follow) const;

  std::vector<ExprNode> Nodes;
  std::map<ExprNode, ExprId> Index;
  std::vector<std::string> Reasons;
  std::vector<StandIn> StandIns; ///< by number, from 1
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_EXPR_EXPR_H
