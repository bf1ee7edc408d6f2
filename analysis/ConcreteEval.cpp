//===- ConcreteEval.cpp - An expression in one thread --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes are computed in the order of the pool, operands first, with arithmetic
// modulo 2^width as in constant folding. A node is known, unknown or inactive:
//
//   - an inactive operand makes its user inactive, except in the arm of a
//   select
//     that is not chosen: that thread would not have got there, so nothing is
//     claimed of it;
//   - an unknown operand makes its user unknown, except where the other operand
//     decides alone (0 * x, 0 & x, -1 | x);
//   - Merge is known where both sides are and agree: which way the control flow
//     went is not part of the expression;
//   - Iter is inactive in iterations beyond its backedge-taken count.
//
//===----------------------------------------------------------------------===//

#include "gridspan/Analysis/ConcreteEval.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace gridspan {

static ConcreteValue known(unsigned Width, int64_t Value) {
  return {ConcreteValue::Known,
          Width == 64 ? Value : SignExtend64(uint64_t(Value), Width)};
}

static const ConcreteValue UnknownValue = {ConcreteValue::Unknown, 0};
static const ConcreteValue InactiveValue = {ConcreteValue::Inactive, 0};

static uint64_t unsignedValue(unsigned Width, int64_t Value) {
  return uint64_t(Value) & maskTrailingOnes<uint64_t>(Width);
}

static bool holds(int64_t Pred, unsigned Width, int64_t L, int64_t R) {
  return ICmpInst::compare(APInt(Width, uint64_t(L), /*isSigned=*/true),
                           APInt(Width, uint64_t(R), /*isSigned=*/true),
                           static_cast<CmpInst::Predicate>(Pred));
}

ConcreteEval::ConcreteEval(const ExprPool &Pool, ArrayRef<ExprId> Roots,
                           const LaunchValues &Launch)
    : Pool(Pool), Launch(Launch) {
  DenseSet<ExprId> Seen;
  std::vector<ExprId> Order;
  SmallVector<ExprId, 16> Work(Roots);
  while (!Work.empty()) {
    ExprId Id = Work.pop_back_val();
    if (Id == NoExpr || !Seen.insert(Id).second)
      continue;
    Order.push_back(Id);
    Work.append(Pool[Id].Ops.begin(), Pool[Id].Ops.end());
  }
  std::sort(Order.begin(), Order.end());

  DenseMap<ExprId, Level> LevelOf;
  for (ExprId Id : Order) {
    const ExprNode &Node = Pool[Id];
    Level L = OnLaunch;
    if (Node.Kind == ExprKind::ThreadIdx)
      L = OnThread;
    else if (Node.Kind == ExprKind::BlockIdx || Node.Kind == ExprKind::Iter)
      L = OnBlock;
    for (ExprId Op : Node.Ops)
      if (Op != NoExpr)
        L = std::max(L, LevelOf[Op]);
    LevelOf[Id] = L;
    Nodes[L].push_back(Id);
  }
}

void ConcreteEval::setBlock(const std::array<uint32_t, 3> &Index) {
  BlockIndex = Index;
  Stale = std::min<int>(Stale, OnBlock);
}

void ConcreteEval::setThread(const std::array<uint32_t, 3> &Index) {
  ThreadIndex = Index;
  Stale = std::min<int>(Stale, OnThread);
}

void ConcreteEval::setIteration(int64_t Loop, uint64_t K) {
  Iterations[Loop] = K;
  Stale = std::min<int>(Stale, OnBlock);
}

ConcreteValue ConcreteEval::value(ExprId Id) {
  if (Stale <= OnThread)
    computeFrom(static_cast<Level>(Stale));
  Stale = OnThread + 1;
  return Values.lookup(Id);
}

void ConcreteEval::computeFrom(Level First) {
  // A level may use values of any lower one, never of a higher one.
  for (unsigned L = First; L <= OnThread; ++L)
    for (ExprId Id : Nodes[L]) {
      ConcreteValue V = compute(Pool[Id]);
      Values[Id] = V;
    }
}

ConcreteValue ConcreteEval::computeBinary(const ExprNode &Node) const {
  ConcreteValue L = Values.lookup(Node.Ops[0]);
  ConcreteValue R = Values.lookup(Node.Ops[1]);
  if (L.State == ConcreteValue::Inactive || R.State == ConcreteValue::Inactive)
    return InactiveValue;
  if (L.isKnown() && R.isKnown()) {
    if (Node.Kind == ExprKind::ICmp)
      return known(1, holds(Node.A, Pool[Node.Ops[0]].Width, L.Value, R.Value));
    std::optional<int64_t> V =
        foldBinary(Node.Kind, Node.Width, L.Value, R.Value);
    return V ? known(Node.Width, *V) : UnknownValue;
  }
  auto OneIs = [&](int64_t V) {
    return (L.isKnown() && L.Value == V) || (R.isKnown() && R.Value == V);
  };
  if ((Node.Kind == ExprKind::Mul || Node.Kind == ExprKind::And) && OneIs(0))
    return known(Node.Width, 0);
  if (Node.Kind == ExprKind::Or && OneIs(-1))
    return known(Node.Width, -1);
  return UnknownValue;
}

ConcreteValue ConcreteEval::computeIter(const ExprNode &Node) const {
  auto K = Iterations.find(Node.B);
  if (K == Iterations.end())
    return UnknownValue;
  if (Node.Ops[2] != NoExpr) {
    ConcreteValue Last = Values.lookup(Node.Ops[2]);
    if (Last.State == ConcreteValue::Inactive)
      return InactiveValue;
    if (Last.isKnown() &&
        K->second > unsignedValue(Pool[Node.Ops[2]].Width, Last.Value))
      return InactiveValue;
  }
  ConcreteValue Start = Values.lookup(Node.Ops[0]);
  ConcreteValue Step = Values.lookup(Node.Ops[1]);
  if (Start.State == ConcreteValue::Inactive ||
      Step.State == ConcreteValue::Inactive)
    return InactiveValue;
  if (!Start.isKnown() || (!Step.isKnown() && K->second != 0))
    return UnknownValue;
  return known(Node.Width, int64_t(uint64_t(Start.Value) +
                                   K->second * uint64_t(Step.Value)));
}

ConcreteValue ConcreteEval::compute(const ExprNode &Node) const {
  switch (Node.Kind) {
  case ExprKind::Const:
    return known(Node.Width, Node.A);
  case ExprKind::Param: {
    auto It = Launch.Params.find({unsigned(Node.A), unsigned(Node.B)});
    return It == Launch.Params.end() ? UnknownValue
                                     : known(Node.Width, It->second);
  }
  case ExprKind::ThreadIdx:
    return known(32, ThreadIndex[Node.A]);
  case ExprKind::BlockIdx:
    return known(32, BlockIndex[Node.A]);
  case ExprKind::BlockDim:
    return known(32, Launch.Block[Node.A]);
  case ExprKind::GridDim:
  case ExprKind::TileCount:
    return known(32, Launch.Grid[Node.A]);
  case ExprKind::TileOrigin:
    return known(32, 0);
  case ExprKind::Bounded:
  case ExprKind::Unknown:
    return UnknownValue;
  case ExprKind::ZExt:
  case ExprKind::SExt:
  case ExprKind::Trunc: {
    ConcreteValue V = Values.lookup(Node.Ops[0]);
    if (!V.isKnown())
      return V;
    if (Node.Kind == ExprKind::ZExt)
      return known(Node.Width,
                   int64_t(unsignedValue(Pool[Node.Ops[0]].Width, V.Value)));
    return known(Node.Width, V.Value);
  }
  case ExprKind::Select: {
    ConcreteValue C = Values.lookup(Node.Ops[0]);
    if (C.State == ConcreteValue::Inactive)
      return C;
    ConcreteValue T = Values.lookup(Node.Ops[1]);
    ConcreteValue F = Values.lookup(Node.Ops[2]);
    if (!C.isKnown())
      return T == F ? T : UnknownValue;
    return C.Value ? T : F;
  }
  case ExprKind::Assume: {
    ConcreteValue X = Values.lookup(Node.Ops[0]);
    ConcreteValue Y = Values.lookup(Node.Ops[1]);
    if (Y.State == ConcreteValue::Inactive)
      return Y;
    // If Y is unknown, some value may satisfy it.
    if (X.isKnown() && Y.isKnown() &&
        !holds(Node.A, Pool[Node.Ops[0]].Width, X.Value, Y.Value))
      return InactiveValue;
    return X;
  }
  case ExprKind::Merge: {
    ConcreteValue L = Values.lookup(Node.Ops[0]);
    ConcreteValue R = Values.lookup(Node.Ops[1]);
    // One side's path was not taken: the value came the other way.
    if (L.State == ConcreteValue::Inactive)
      return R;
    if (R.State == ConcreteValue::Inactive || L == R)
      return L;
    return UnknownValue;
  }
  case ExprKind::Iter:
    return computeIter(Node);
  default:
    return computeBinary(Node);
  }
}

} // namespace gridspan
