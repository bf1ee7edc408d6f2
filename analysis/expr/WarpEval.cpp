//===- WarpEval.cpp - Expressions in all lanes of a warp ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node is computed when it is asked for and what it depends on has changed.
// The usual operations are computed for all lanes at once.
//
//===----------------------------------------------------------------------===//

#include "analysis/expr/WarpEval.h"
#include "analysis/expr/ScalarSemantics.h"
#include <functional>

using namespace llvm;

namespace gridspan {

void LaneValues::set(unsigned Lane, const ConcreteValue &V) {
  const uint32_t Bit = 1u << Lane;
  Known = V.isKnown() ? Known | Bit : Known & ~Bit;
  Inactive =
      V.State == ConcreteValue::Inactive ? Inactive | Bit : Inactive & ~Bit;
  Value[Lane] = V.Value;
}

void LaneValues::fill(const ConcreteValue &V) {
  Known = V.isKnown() ? ~0u : 0;
  Inactive = V.State == ConcreteValue::Inactive ? ~0u : 0;
  Value.fill(V.Value);
}

WarpEval::WarpEval(const ExprGraph &Graph, const LaunchValues &Launch,
                   LaunchMemo *Memo)
    : Graph(Graph), Launch(Launch), Memo(Memo), Nodes(Graph.size()),
      Lanes(std::make_unique_for_overwrite<LaneValues[]>(Graph.size())) {
  findDependences();
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
  Warp = Number;
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

bool WarpEval::isCurrent(uint64_t Depends, uint64_t Computed) const {
  for (uint64_t Bits = Depends; Bits; Bits &= Bits - 1)
    if (Changed[countr_zero(Bits)] > Computed)
      return false;
  return Computed != 0;
}

void WarpEval::require(ExprId Id) {
  assert(Id < Nodes.size() && "the graph has grown");
  Node &N = Nodes[Id];
  if (isCurrent(N.Depends, N.Computed))
    return;
  const StandIn *S = Graph.standInOf(Id);
  if (S && S->Kind == StandIn::SharedIfSame) {
    require(S->Start);
    fillWhereSame(Id, S->Start);
    N.Computed = Clock;
    return;
  }
  for (ExprId Op : Graph[Id].Ops)
    if (Op != NoExpr)
      require(Op);
  LaneValues &Out = Lanes[Id];
  if (N.IsUniform)
    Out.fill(compute(Graph[Id], 0));
  else if (!computeTogether(Graph[Id], Out))
    for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
      Out.set(Lane, compute(Graph[Id], Lane));
  N.Computed = Clock;
  ++NumComputed;
}

ConcreteValue WarpEval::value(ExprId Id, unsigned Lane) {
  prepare(Id);
  require(Id);
  return Lanes[Id].at(Nodes[Id].IsUniform ? 0 : Lane);
}

uint32_t WarpEval::lanesWhere(ExprId Condition, uint32_t &Open) {
  prepare(Condition);
  const Node &N = Nodes[Condition];
  uint64_t &MostNodes = ConditionNodes[Condition];
  std::optional<LaunchMemo::Position> P;
  if (Memo && MostNodes >= LeastWork && !isCurrent(N.Depends, N.Computed))
    P = positionOf(FirstCondition + Condition, N.Depends, N.Carried);
  if (P)
    if (const auto *Known = Memo->conditionAt(*P)) {
      Open = Known->Open & LaneMask;
      return Known->Holding & LaneMask;
    }
  const uint64_t Before = NumComputed;
  require(Condition);
  MostNodes = std::max(MostNodes, NumComputed - Before);
  const LaneValues &V = Lanes[Condition];
  uint32_t Zero = 0;
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
    Zero |= uint32_t(V.Value[Lane] == 0) << Lane;
  const uint32_t Holding = ~(V.Inactive | (V.Known & Zero));
  const LaunchMemo::ConditionLanes Found = {Holding, Holding & ~V.Known};
  if (P)
    Memo->keep(*P, Found);
  Open = Found.Open & LaneMask;
  return Found.Holding & LaneMask;
}

/// Sets the lanes' values by a function of their numbers, modulo 2^width.
template <typename Fn>
static void setValues(LaneValues &Out, unsigned Width, Fn ValueOf) {
  const unsigned Shift = 64 - Width;
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
    Out.Value[Lane] = int64_t(uint64_t(ValueOf(Lane)) << Shift) >> Shift;
}

/// Returns the lanes in which the values compare so. Values are extended by
/// their signs, which keeps the order of unsigned ones as well.
static uint32_t lanesThatHold(CmpInst::Predicate Pred, const LaneValues &L,
                              const LaneValues &R) {
  auto Where = [&](auto Holds) {
    uint32_t Out = 0;
    for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
      Out |= uint32_t(Holds(L.Value[Lane], R.Value[Lane])) << Lane;
    return Out;
  };
  auto WhereUnsigned = [&](auto Holds) {
    return Where([&](uint64_t A, uint64_t B) { return Holds(A, B); });
  };
  switch (Pred) {
  case CmpInst::ICMP_EQ:
    return Where(std::equal_to<>());
  case CmpInst::ICMP_NE:
    return Where(std::not_equal_to<>());
  case CmpInst::ICMP_UGT:
    return WhereUnsigned(std::greater<>());
  case CmpInst::ICMP_UGE:
    return WhereUnsigned(std::greater_equal<>());
  case CmpInst::ICMP_ULT:
    return WhereUnsigned(std::less<>());
  case CmpInst::ICMP_ULE:
    return WhereUnsigned(std::less_equal<>());
  case CmpInst::ICMP_SGT:
    return Where(std::greater<>());
  case CmpInst::ICMP_SGE:
    return Where(std::greater_equal<>());
  case CmpInst::ICMP_SLT:
    return Where(std::less<>());
  default:
    return Where(std::less_equal<>());
  }
}

/// Computes a node by the rules of ScalarSemantics, without a decision for each
/// lane. Returns false where the rules need one, and for rare operations.
bool WarpEval::computeTogether(const ExprNode &N, LaneValues &Out) const {
  std::array<LaneValues, 3> Spread;
  auto Operand = [&](unsigned I) -> const LaneValues & {
    const ExprId Op = N.Ops[I];
    if (!Nodes[Op].IsUniform)
      return Lanes[Op];
    Spread[I].fill(Lanes[Op].at(0));
    return Spread[I];
  };
  switch (N.Kind) {
  case ExprKind::Add:
  case ExprKind::Sub:
  case ExprKind::Mul:
  case ExprKind::And:
  case ExprKind::Or:
  case ExprKind::Xor: {
    const LaneValues &L = Operand(0), &R = Operand(1);
    Out.Inactive = L.Inactive | R.Inactive;
    Out.Known = L.Known & R.Known;
    // One side alone may decide.
    if (N.Kind != ExprKind::Add && N.Kind != ExprKind::Sub &&
        ~(Out.Known | Out.Inactive))
      return false;
    auto A = [&](unsigned I) { return uint64_t(L.Value[I]); };
    auto B = [&](unsigned I) { return uint64_t(R.Value[I]); };
    if (N.Kind == ExprKind::Add)
      setValues(Out, N.Width, [&](unsigned I) { return A(I) + B(I); });
    else if (N.Kind == ExprKind::Sub)
      setValues(Out, N.Width, [&](unsigned I) { return A(I) - B(I); });
    else if (N.Kind == ExprKind::Mul)
      setValues(Out, N.Width, [&](unsigned I) { return A(I) * B(I); });
    else if (N.Kind == ExprKind::And)
      setValues(Out, N.Width, [&](unsigned I) { return A(I) & B(I); });
    else if (N.Kind == ExprKind::Or)
      setValues(Out, N.Width, [&](unsigned I) { return A(I) | B(I); });
    else
      setValues(Out, N.Width, [&](unsigned I) { return A(I) ^ B(I); });
    return true;
  }
  case ExprKind::ICmp: {
    const LaneValues &L = Operand(0), &R = Operand(1);
    const uint32_t Holds = lanesThatHold(CmpInst::Predicate(N.A), L, R);
    Out.Inactive = L.Inactive | R.Inactive;
    Out.Known = L.Known & R.Known;
    for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
      Out.Value[Lane] = -int64_t(Holds >> Lane & 1);
    return true;
  }
  case ExprKind::Assume: {
    const LaneValues &X = Operand(0), &Y = Operand(1);
    const uint32_t Holds = lanesThatHold(CmpInst::Predicate(N.A), X, Y);
    const uint32_t Fails = Y.Inactive | (X.Known & Y.Known & ~Holds);
    Out.Inactive = X.Inactive | Fails;
    Out.Known = X.Known & ~Fails;
    Out.Value = X.Value;
    return true;
  }
  case ExprKind::Iter: {
    const unsigned Bit = LoopBits.at(N.B);
    if (!HasIteration[Bit])
      return false;
    const uint64_t K = Iteration[Bit];
    const LaneValues &Start = Operand(0), &Step = Operand(1);
    uint32_t Ended = 0;
    if (N.Ops[2] != NoExpr) {
      const LaneValues &Last = Operand(2);
      const uint64_t Ones = maskTrailingOnes<uint64_t>(Graph[N.Ops[2]].Width);
      for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
        Ended |= uint32_t(K > (uint64_t(Last.Value[Lane]) & Ones)) << Lane;
      Ended = (Ended & Last.Known) | Last.Inactive;
    }
    Out.Inactive = Ended | Start.Inactive | Step.Inactive;
    Out.Known = Start.Known & (K == 0 ? ~0u : Step.Known) & ~Out.Inactive;
    setValues(Out, N.Width, [&](unsigned I) {
      return uint64_t(Start.Value[I]) + K * uint64_t(Step.Value[I]);
    });
    return true;
  }
  case ExprKind::ZExt:
  case ExprKind::SExt:
  case ExprKind::Trunc: {
    const LaneValues &V = Operand(0);
    const uint64_t Ones =
        N.Kind == ExprKind::ZExt
            ? maskTrailingOnes<uint64_t>(Graph[N.Ops[0]].Width)
            : ~uint64_t(0);
    Out.Inactive = V.Inactive;
    Out.Known = V.Known;
    setValues(Out, N.Width,
              [&](unsigned I) { return uint64_t(V.Value[I]) & Ones; });
    return true;
  }
  case ExprKind::Select: {
    const LaneValues &C = Operand(0);
    if (~(C.Known | C.Inactive))
      return false;
    const LaneValues &T = Operand(1), &F = Operand(2);
    uint32_t Chosen = 0;
    for (unsigned Lane = 0; Lane != WarpSize; ++Lane) {
      Chosen |= uint32_t(C.Value[Lane] != 0) << Lane;
      Out.Value[Lane] = C.Value[Lane] ? T.Value[Lane] : F.Value[Lane];
    }
    Out.Known = C.Known & ((Chosen & T.Known) | (~Chosen & F.Known));
    Out.Inactive = C.Inactive | (Chosen & T.Inactive) | (~Chosen & F.Inactive);
    return true;
  }
  case ExprKind::Merge: {
    const LaneValues &L = Operand(0), &R = Operand(1);
    uint32_t Same = 0;
    for (unsigned Lane = 0; Lane != WarpSize; ++Lane) {
      Same |= uint32_t(L.Value[Lane] == R.Value[Lane]) << Lane;
      Out.Value[Lane] = L.Inactive >> Lane & 1 ? R.Value[Lane] : L.Value[Lane];
    }
    Out.Inactive = L.Inactive & R.Inactive;
    Out.Known = (L.Inactive & R.Known) | (R.Inactive & L.Known) |
                (L.Known & R.Known & Same);
    return true;
  }
  default:
    return false;
  }
}

ConcreteValue WarpEval::compute(const ExprNode &N, unsigned Lane) const {
  struct Position {
    const WarpEval &E;
    unsigned Lane;
    ConcreteValue operand(const ExprNode &N, unsigned I) const {
      return E.operand(N, I, Lane);
    }
    uint32_t thread(int64_t Axis) const { return E.Threads[Lane][Axis]; }
    uint32_t block(int64_t Axis) const { return E.Block[Axis]; }
    ConcreteValue standIn(const ExprNode &N) const {
      return E.openValue(N, Lane);
    }
    std::optional<uint64_t> iteration(int64_t Loop) const {
      unsigned Bit = E.LoopBits.at(Loop);
      if (!E.HasIteration[Bit])
        return std::nullopt;
      return E.Iteration[Bit];
    }
  };
  Position At{*this, Lane};
  return ScalarSemantics<Position>(Graph, Launch, N, At).compute();
}

} // namespace gridspan
