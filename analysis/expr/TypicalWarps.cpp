//===- TypicalWarps.cpp - Lanes of a typical block ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// It is apart from advice/warpsim/WarpSampler, which needs the kernel's sites
// and a launch. The cost in summaries (WorkEstimate), which programs run by, is
// computed from single expressions while their graph still grows, and nothing
// of it may depend on advice. The evaluator of lanes (WarpEval) and the table
// of assumptions (LaunchDefaults.def) are the same.
//
//===----------------------------------------------------------------------===//

#include "analysis/expr/TypicalWarps.h"
#include "analysis/expr/LaunchDefaults.h"
#include "llvm/ADT/APInt.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gridspan {

/// The most nodes of a graph that is evaluated: kernels have hundreds.
static constexpr size_t MaxNodes = 20000;

bool TypicalWarps::update() {
  if (Graph.size() > MaxNodes)
    return false;
  if (Eval && Seen == Graph.size())
    return true;
  Seen = Graph.size();
  std::array<bool, 3> Used = {};
  for (const ExprNode &Node : Graph.nodes()) {
    if (Node.Kind == ExprKind::ThreadIdx || Node.Kind == ExprKind::BlockIdx)
      Used[Node.A] = true;
    if (Node.Kind == ExprKind::Param)
      Launch.Params[{unsigned(Node.A), unsigned(Node.B)}] = TypicalParameter;
  }
  Launch.Block = typicalBlock(Used, /*MaxThreads=*/0);
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    Launch.Grid[Axis] = Used[Axis] ? TypicalBlocks : 1;
  Eval.emplace(Graph, Launch);
  Eval->setBlock({Used[0], Used[1], Used[2]});
  for (const ExprNode &Node : Graph.nodes())
    if (Node.Kind == ExprKind::Iter)
      Eval->setIteration(Node.B, 0);
  return true;
}

std::optional<SmallVector<int64_t, WarpSize>>
TypicalWarps::valuesOf(ExprId Id) {
  if (!update())
    return std::nullopt;
  Eval->setWarp(0);
  SmallVector<int64_t, WarpSize> Out;
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane) {
    ConcreteValue V = Eval->value(Id, Lane);
    if (V.State == ConcreteValue::Unknown)
      return std::nullopt;
    if (V.isKnown())
      Out.push_back(V.Value);
  }
  return Out;
}

unsigned TypicalWarps::holdsIn(unsigned Warp, ExprId A, CmpInst::Predicate Pred,
                               ExprId B) {
  Eval->setWarp(Warp);
  unsigned Count = 0;
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane) {
    ConcreteValue L = Eval->value(A, Lane), R = Eval->value(B, Lane);
    bool Fails = L.State == ConcreteValue::Inactive ||
                 R.State == ConcreteValue::Inactive;
    if (L.isKnown() && R.isKnown())
      Fails = !ICmpInst::compare(
          APInt(Graph[A].Width, L.Value, /*isSigned=*/true),
          APInt(Graph[B].Width, R.Value, /*isSigned=*/true), Pred);
    Count += !Fails;
  }
  return Count;
}

unsigned TypicalWarps::warpsWhere(ExprId A, CmpInst::Predicate Pred, ExprId B) {
  if (!update())
    return Warps;
  unsigned Count = 0;
  for (unsigned Warp = 0; Warp != Warps; ++Warp)
    Count += holdsIn(Warp, A, Pred, B) != 0;
  return Count;
}

unsigned TypicalWarps::lanesWhere(ExprId A, CmpInst::Predicate Pred, ExprId B) {
  if (!update())
    return WarpSize;
  unsigned Most = 0;
  for (unsigned Warp = 0; Warp != Warps; ++Warp)
    Most = std::max(Most, holdsIn(Warp, A, Pred, B));
  return Most;
}

} // namespace gridspan
