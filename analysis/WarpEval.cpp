//===- WarpEval.cpp - Expressions in all lanes of a warp -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules for what is unknown or inactive are those of ConcreteEval.cpp.
//
//===----------------------------------------------------------------------===//

#include "WarpEval.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"

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
  uint64_t UL = unsignedValue(Width, L), UR = unsignedValue(Width, R);
  switch (static_cast<CmpInst::Predicate>(Pred)) {
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

WarpEval::WarpEval(const ExprPool &Pool, const LaunchValues &Launch)
    : Pool(Pool), Launch(Launch), Nodes(Pool.size()) {
  for (ExprId Id = 0; Id != Pool.size(); ++Id) {
    const ExprNode &N = Pool[Id];
    Node &Out = Nodes[Id];
    if (N.Kind == ExprKind::ThreadIdx) {
      Out.Depends |= uint64_t(1) << OnWarp;
      Out.IsUniform = false;
    } else if (N.Kind == ExprKind::BlockIdx) {
      Out.Depends |= uint64_t(1) << OnBlock;
    } else if (N.Kind == ExprKind::Iter) {
      Out.Depends |= uint64_t(1) << bitOf(N.B);
    }
    for (ExprId Op : N.Ops)
      if (Op != NoExpr) {
        Out.Depends |= Nodes[Op].Depends;
        Out.IsUniform &= Nodes[Op].IsUniform;
      }
  }
}

/// Loops beyond what a word holds share the last bit, with the iteration that
/// was set last: no kernel nests them so deeply.
unsigned WarpEval::bitOf(int64_t Loop) {
  auto [It, IsNew] = LoopBits.try_emplace(
      Loop, std::min<unsigned>(LoopBits.size() + FirstLoop, 63));
  return It->second;
}

void WarpEval::setBlock(const std::array<uint32_t, 3> &Index) {
  Block = Index;
  Changed[OnBlock] = ++Clock;
}

void WarpEval::setWarp(unsigned Number) {
  const auto &B = Launch.Block;
  uint64_t Count = uint64_t(B[0]) * B[1] * B[2];
  LaneMask = 0;
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane) {
    uint64_t T = uint64_t(Number) * WarpSize + Lane;
    if (T >= Count)
      break;
    LaneMask |= 1u << Lane;
    Threads[Lane] = {uint32_t(T % B[0]), uint32_t(T / B[0] % B[1]),
                     uint32_t(T / B[0] / B[1])};
  }
  Changed[OnWarp] = ++Clock;
}

void WarpEval::setIteration(int64_t Loop, uint64_t K) {
  unsigned Bit = bitOf(Loop);
  HasIteration[Bit] = true;
  Iteration[Bit] = K;
  Changed[Bit] = ++Clock;
}

void WarpEval::require(ExprId Id) {
  Node &N = Nodes[Id];
  if (N.Computed) {
    bool IsValid = true;
    for (uint64_t Bits = N.Depends; Bits; Bits &= Bits - 1)
      IsValid &= Changed[countr_zero(Bits)] <= N.Computed;
    if (IsValid)
      return;
  }
  for (ExprId Op : Pool[Id].Ops)
    if (Op != NoExpr)
      require(Op);
  for (unsigned Lane = 0; Lane != (N.IsUniform ? 1 : WarpSize); ++Lane)
    N.Lanes[Lane] = compute(Pool[Id], Lane);
  N.Computed = Clock;
}

ConcreteValue WarpEval::value(ExprId Id, unsigned Lane) {
  require(Id);
  const Node &N = Nodes[Id];
  return N.Lanes[N.IsUniform ? 0 : Lane];
}

uint32_t WarpEval::lanesWhere(ExprId Condition, bool &Open) {
  require(Condition);
  const Node &N = Nodes[Condition];
  uint32_t Out = 0;
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane) {
    if (!(LaneMask >> Lane & 1))
      break;
    const ConcreteValue &V = N.Lanes[N.IsUniform ? 0 : Lane];
    if (V.State == ConcreteValue::Inactive || (V.isKnown() && V.Value == 0))
      continue;
    Open |= !V.isKnown();
    Out |= 1u << Lane;
  }
  return Out;
}

ConcreteValue WarpEval::computeBinary(const ExprNode &N, unsigned Lane) const {
  const ConcreteValue &L = operand(N, 0, Lane), &R = operand(N, 1, Lane);
  if (L.State == ConcreteValue::Inactive || R.State == ConcreteValue::Inactive)
    return InactiveValue;
  if (L.isKnown() && R.isKnown()) {
    uint64_t A = uint64_t(L.Value), B = uint64_t(R.Value);
    switch (N.Kind) {
    case ExprKind::ICmp:
      return known(1, holds(N.A, Pool[N.Ops[0]].Width, L.Value, R.Value));
    case ExprKind::Add:
      return known(N.Width, int64_t(A + B));
    case ExprKind::Sub:
      return known(N.Width, int64_t(A - B));
    case ExprKind::Mul:
      return known(N.Width, int64_t(A * B));
    default:
      break;
    }
    std::optional<int64_t> V = foldBinary(N.Kind, N.Width, L.Value, R.Value);
    return V ? known(N.Width, *V) : UnknownValue;
  }
  auto OneIs = [&](int64_t V) {
    return (L.isKnown() && L.Value == V) || (R.isKnown() && R.Value == V);
  };
  if ((N.Kind == ExprKind::Mul || N.Kind == ExprKind::And) && OneIs(0))
    return known(N.Width, 0);
  if (N.Kind == ExprKind::Or && OneIs(-1))
    return known(N.Width, -1);
  return UnknownValue;
}

ConcreteValue WarpEval::computeIter(const ExprNode &N, unsigned Lane) const {
  unsigned Bit = LoopBits.at(N.B);
  if (!HasIteration[Bit])
    return UnknownValue;
  uint64_t K = Iteration[Bit];
  if (N.Ops[2] != NoExpr) {
    const ConcreteValue &Last = operand(N, 2, Lane);
    if (Last.State == ConcreteValue::Inactive ||
        (Last.isKnown() && K > unsignedValue(Pool[N.Ops[2]].Width, Last.Value)))
      return InactiveValue;
  }
  const ConcreteValue &Start = operand(N, 0, Lane);
  const ConcreteValue &Step = operand(N, 1, Lane);
  if (Start.State == ConcreteValue::Inactive ||
      Step.State == ConcreteValue::Inactive)
    return InactiveValue;
  if (!Start.isKnown() || (!Step.isKnown() && K != 0))
    return UnknownValue;
  return known(N.Width,
               int64_t(uint64_t(Start.Value) + K * uint64_t(Step.Value)));
}

ConcreteValue WarpEval::compute(const ExprNode &N, unsigned Lane) const {
  switch (N.Kind) {
  case ExprKind::Const:
    return known(N.Width, N.A);
  case ExprKind::Param: {
    auto It = Launch.Params.find({unsigned(N.A), unsigned(N.B)});
    return It == Launch.Params.end() ? UnknownValue
                                     : known(N.Width, It->second);
  }
  case ExprKind::ThreadIdx:
    return known(32, Threads[Lane][N.A]);
  case ExprKind::BlockIdx:
    return known(32, Block[N.A]);
  case ExprKind::BlockDim:
    return known(32, Launch.Block[N.A]);
  case ExprKind::GridDim:
  case ExprKind::TileCount:
    return known(32, Launch.Grid[N.A]);
  case ExprKind::TileOrigin:
    return known(32, 0);
  case ExprKind::Bounded:
  case ExprKind::Unknown:
    return UnknownValue;
  case ExprKind::ZExt:
  case ExprKind::SExt:
  case ExprKind::Trunc: {
    const ConcreteValue &V = operand(N, 0, Lane);
    if (!V.isKnown())
      return V;
    return known(N.Width,
                 N.Kind == ExprKind::ZExt
                     ? int64_t(unsignedValue(Pool[N.Ops[0]].Width, V.Value))
                     : V.Value);
  }
  case ExprKind::Select: {
    const ConcreteValue &C = operand(N, 0, Lane);
    if (C.State == ConcreteValue::Inactive)
      return C;
    const ConcreteValue &T = operand(N, 1, Lane), &F = operand(N, 2, Lane);
    if (!C.isKnown())
      return T == F ? T : UnknownValue;
    return C.Value ? T : F;
  }
  case ExprKind::Assume: {
    const ConcreteValue &X = operand(N, 0, Lane), &Y = operand(N, 1, Lane);
    if (Y.State == ConcreteValue::Inactive)
      return Y;
    if (X.isKnown() && Y.isKnown() &&
        !holds(N.A, Pool[N.Ops[0]].Width, X.Value, Y.Value))
      return InactiveValue;
    return X;
  }
  case ExprKind::Merge: {
    const ConcreteValue &L = operand(N, 0, Lane), &R = operand(N, 1, Lane);
    if (L.State == ConcreteValue::Inactive)
      return R;
    if (R.State == ConcreteValue::Inactive || L == R)
      return L;
    return UnknownValue;
  }
  case ExprKind::Iter:
    return computeIter(N, Lane);
  default:
    return computeBinary(N, Lane);
  }
}

} // namespace gridspan
