//===- WarpEval.cpp - Expressions in all lanes of a warp ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node is computed when it is asked for and what it depends on has changed.
//
//===----------------------------------------------------------------------===//

#include "analysis/expr/WarpEval.h"
#include "analysis/expr/ScalarSemantics.h"

using namespace llvm;

namespace gridspan {

WarpEval::WarpEval(const ExprGraph &Graph, const LaunchValues &Launch)
    : Graph(Graph), Launch(Launch), Nodes(Graph.size()) {
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
  for (unsigned Lane = 0; Lane != (N.IsUniform ? 1 : WarpSize); ++Lane)
    N.Lanes[Lane] = compute(Graph[Id], Lane);
  N.Computed = Clock;
}

ConcreteValue WarpEval::value(ExprId Id, unsigned Lane) {
  prepare(Id);
  require(Id);
  const Node &N = Nodes[Id];
  return N.Lanes[N.IsUniform ? 0 : Lane];
}

uint32_t WarpEval::lanesWhere(ExprId Condition, bool &Open) {
  prepare(Condition);
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

ConcreteValue WarpEval::compute(const ExprNode &N, unsigned Lane) const {
  struct Position {
    const WarpEval &E;
    unsigned Lane;
    const ConcreteValue &operand(const ExprNode &N, unsigned I) const {
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
