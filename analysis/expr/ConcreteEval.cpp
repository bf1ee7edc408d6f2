//===- ConcreteEval.cpp - An expression in one thread ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes nodes in the order of the graph, operands first. A new block, thread
// or iteration only makes the nodes stale that may depend on it.
//
//===----------------------------------------------------------------------===//

#include "analysis/expr/ConcreteEval.h"
#include "analysis/expr/ScalarSemantics.h"
#include <algorithm>

using namespace llvm;

namespace gridspan {

ConcreteEval::ConcreteEval(const ExprGraph &Graph, ArrayRef<ExprId> Roots,
                           const LaunchValues &Launch)
    : Graph(Graph), Launch(Launch) {
  DenseMap<ExprId, Level> LevelOf;
  for (ExprId Id : Graph.below(Roots)) {
    const ExprNode &Node = Graph[Id];
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
    computeFrom(Level(Stale));
  Stale = OnThread + 1;
  return Values.lookup(Id);
}

void ConcreteEval::computeFrom(Level First) {
  // A level may use values of any lower one, never of a higher one.
  for (unsigned L = First, E = Nodes.size(); L != E; ++L)
    for (ExprId Id : Nodes[L]) {
      ConcreteValue V = compute(Graph[Id]);
      Values[Id] = V;
    }
}

ConcreteValue ConcreteEval::compute(const ExprNode &Node) const {
  struct Position {
    const ConcreteEval &E;
    ConcreteValue operand(const ExprNode &N, unsigned I) const {
      return E.Values.lookup(N.Ops[I]);
    }
    uint32_t thread(int64_t Axis) const { return E.ThreadIndex[Axis]; }
    uint32_t block(int64_t Axis) const { return E.BlockIndex[Axis]; }
    ConcreteValue standIn(const ExprNode &) const { return {}; }
    std::optional<uint64_t> iteration(int64_t Loop) const {
      auto K = E.Iterations.find(Loop);
      if (K == E.Iterations.end())
        return std::nullopt;
      return K->second;
    }
  };
  Position At{*this};
  return ScalarSemantics<Position>(Graph, Launch, Node, At).compute();
}

} // namespace gridspan
