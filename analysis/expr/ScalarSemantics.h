//===- ScalarSemantics.h - Values of single nodes ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules that ConcreteEval and WarpEval share. Arithmetic is modulo 2^width,
// as in constant folding. A node is known, unknown or inactive:
//
//   - an inactive operand makes its user inactive, except in that arm of a
//     select which is not chosen: that thread would not have got there, so
//     nothing is claimed of it;
//   - an unknown operand makes its user unknown, except where the other operand
//     decides alone (0 * x, 0 & x, -1 | x);
//   - Merge is known where both sides are and agree: which way the control flow
//     went is not part of the expression;
//   - Iter is inactive in iterations beyond its backedge-taken count.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_EXPR_SCALARSEMANTICS_H
#define GRIDSPAN_ANALYSIS_EXPR_SCALARSEMANTICS_H

#include "analysis/expr/ConcreteEval.h"
#include "analysis/expr/ExprFolding.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

namespace gridspan {

/// Evaluates nodes at a Position, which has operand(Index) of the node,
/// thread(Axis), block(Axis), standIn(Node), and iteration(Loop), an optional.
template <typename Position> class ScalarSemantics {
public:
  ScalarSemantics(const ExprGraph &Graph, const LaunchValues &Launch,
                  const ExprNode &Node, const Position &At)
      : Graph(Graph), Launch(Launch), Node(Node), At(At) {}

  ConcreteValue compute() const;

private:
  static ConcreteValue known(unsigned Width, int64_t Value) {
    return {ConcreteValue::Known,
            Width == 64 ? Value : llvm::SignExtend64(uint64_t(Value), Width)};
  }
  static ConcreteValue unknown() { return {ConcreteValue::Unknown, 0}; }
  static ConcreteValue inactive() { return {ConcreteValue::Inactive, 0}; }
  static bool isInactive(const ConcreteValue &V) {
    return V.State == ConcreteValue::Inactive;
  }
  static uint64_t unsignedValue(unsigned Width, int64_t Value) {
    return uint64_t(Value) & llvm::maskTrailingOnes<uint64_t>(Width);
  }

  decltype(auto) operand(unsigned I) const { return At.operand(Node, I); }
  unsigned operandWidth(unsigned I) const { return Graph[Node.Ops[I]].Width; }
  bool holds(int64_t L, int64_t R) const;
  ConcreteValue computeBinary() const;
  ConcreteValue computeIter() const;

  const ExprGraph &Graph;
  const LaunchValues &Launch;
  const ExprNode &Node;
  const Position &At;
};

template <typename Position>
bool ScalarSemantics<Position>::holds(int64_t L, int64_t R) const {
  using llvm::CmpInst;
  unsigned Width = operandWidth(0);
  uint64_t UL = unsignedValue(Width, L), UR = unsignedValue(Width, R);
  switch (CmpInst::Predicate(Node.A)) {
  case CmpInst::ICMP_EQ:
    return L == R;
  case CmpInst::ICMP_NE:
    return L != R;
  case CmpInst::ICMP_UGT:
    return UL > UR;
  case CmpInst::ICMP_UGE:
    return UL >= UR;
  case CmpInst::ICMP_ULT:
    return UL < UR;
  case CmpInst::ICMP_ULE:
    return UL <= UR;
  case CmpInst::ICMP_SGT:
    return L > R;
  case CmpInst::ICMP_SGE:
    return L >= R;
  case CmpInst::ICMP_SLT:
    return L < R;
  default:
    return L <= R;
  }
}

template <typename Position>
ConcreteValue ScalarSemantics<Position>::computeBinary() const {
  const ConcreteValue &L = operand(0), &R = operand(1);
  if (isInactive(L) || isInactive(R))
    return inactive();
  if (L.isKnown() && R.isKnown()) {
    uint64_t A = uint64_t(L.Value), B = uint64_t(R.Value);
    switch (Node.Kind) {
    case ExprKind::ICmp:
      return known(1, holds(L.Value, R.Value));
    case ExprKind::Add:
      return known(Node.Width, int64_t(A + B));
    case ExprKind::Sub:
      return known(Node.Width, int64_t(A - B));
    case ExprKind::Mul:
      return known(Node.Width, int64_t(A * B));
    default:
      break;
    }
    std::optional<int64_t> V =
        foldBinary(Node.Kind, Node.Width, L.Value, R.Value);
    return V ? known(Node.Width, *V) : unknown();
  }
  auto OneIs = [&](int64_t V) {
    return (L.isKnown() && L.Value == V) || (R.isKnown() && R.Value == V);
  };
  if ((Node.Kind == ExprKind::Mul || Node.Kind == ExprKind::And) && OneIs(0))
    return known(Node.Width, 0);
  if (Node.Kind == ExprKind::Or && OneIs(-1))
    return known(Node.Width, -1);
  return unknown();
}

template <typename Position>
ConcreteValue ScalarSemantics<Position>::computeIter() const {
  std::optional<uint64_t> Iteration = At.iteration(Node.B);
  if (!Iteration)
    return unknown();
  uint64_t K = *Iteration;
  if (Node.Ops[2] != NoExpr) {
    const ConcreteValue &Last = operand(2);
    if (isInactive(Last) ||
        (Last.isKnown() && K > unsignedValue(operandWidth(2), Last.Value)))
      return inactive();
  }
  const ConcreteValue &Start = operand(0);
  const ConcreteValue &Step = operand(1);
  if (isInactive(Start) || isInactive(Step))
    return inactive();
  if (!Start.isKnown() || (!Step.isKnown() && K != 0))
    return unknown();
  return known(Node.Width,
               int64_t(uint64_t(Start.Value) + K * uint64_t(Step.Value)));
}

template <typename Position>
ConcreteValue ScalarSemantics<Position>::compute() const {
  switch (Node.Kind) {
  case ExprKind::Const:
    return known(Node.Width, Node.A);
  case ExprKind::Param: {
    auto It = Launch.Params.find({unsigned(Node.A), unsigned(Node.B)});
    return It == Launch.Params.end() ? unknown()
                                     : known(Node.Width, It->second);
  }
  case ExprKind::ThreadIdx:
    return known(32, At.thread(Node.A));
  case ExprKind::BlockIdx:
    return known(32, At.block(Node.A));
  case ExprKind::BlockDim:
    return known(32, Launch.Block[Node.A]);
  case ExprKind::GridDim:
  case ExprKind::TileCount:
    return known(32, Launch.Grid[Node.A]);
  case ExprKind::TileOrigin:
    return known(32, 0);
  case ExprKind::Unknown:
    return Node.B ? At.standIn(Node) : unknown();
  case ExprKind::Bounded:
  case ExprKind::Load:
    return unknown();
  case ExprKind::ZExt:
  case ExprKind::SExt:
  case ExprKind::Trunc: {
    const ConcreteValue &V = operand(0);
    if (!V.isKnown())
      return V;
    return known(Node.Width,
                 Node.Kind == ExprKind::ZExt
                     ? int64_t(unsignedValue(operandWidth(0), V.Value))
                     : V.Value);
  }
  case ExprKind::Select: {
    const ConcreteValue &C = operand(0);
    if (isInactive(C))
      return C;
    const ConcreteValue &T = operand(1), &F = operand(2);
    if (!C.isKnown())
      return T == F ? T : unknown();
    return C.Value ? T : F;
  }
  case ExprKind::Assume: {
    const ConcreteValue &X = operand(0), &Y = operand(1);
    if (isInactive(Y))
      return Y;
    // If Y is unknown, some value may satisfy it.
    if (X.isKnown() && Y.isKnown() && !holds(X.Value, Y.Value))
      return inactive();
    return X;
  }
  case ExprKind::Merge: {
    const ConcreteValue &L = operand(0), &R = operand(1);
    // One side's path was not taken: the value came the other way.
    if (isInactive(L))
      return R;
    if (isInactive(R) || L == R)
      return L;
    return unknown();
  }
  case ExprKind::Iter:
    return computeIter();
  default:
    return computeBinary();
  }
}

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_EXPR_SCALARSEMANTICS_H
