//===- ExprSymbols.cpp - The symbols of an expression ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks over the nodes below an expression (ExprGraph::below). Choices need
// care: a value that only one side of a choice uses does not decide the result
// of the other side.
//
//===----------------------------------------------------------------------===//

#include "analysis/expr/ExprSymbols.h"

using namespace llvm;

namespace gridspan {

bool dependsOn(const ExprGraph &Graph, ExprId Id, ArrayRef<ExprId> Parts) {
  DenseMap<ExprId, bool> Depends;
  auto Of = [&](ExprId Op) { return Op != NoExpr && Depends.lookup(Op); };
  for (ExprId Node : Graph.below(Id)) {
    const ExprNode &N = Graph[Node];
    bool &Result = Depends[Node];
    if (is_contained(Parts, Node))
      Result = true;
    else if (N.Kind == ExprKind::Merge)
      Result = Of(N.Ops[0]) && Of(N.Ops[1]);
    else if (N.Kind == ExprKind::Select && !Graph.isNothing(N.Ops[2]))
      Result = Of(N.Ops[0]) || (Of(N.Ops[1]) && Of(N.Ops[2]));
    else
      Result = any_of(N.Ops, Of);
  }
  return Of(Id);
}

Symbols symbolsOf(const ExprGraph &Graph, ExprId Id) {
  Symbols S;
  for (ExprId Node : Graph.below(Id)) {
    const ExprNode &N = Graph[Node];
    switch (N.Kind) {
    case ExprKind::ThreadIdx:
    case ExprKind::BlockIdx:
      S.Indices.insert({unsigned(N.Kind), N.A});
      break;
    case ExprKind::Iter:
      S.Indices.insert({unsigned(N.Kind), N.B});
      break;
    case ExprKind::Bounded:
    case ExprKind::Unknown:
    case ExprKind::Load:
    case ExprKind::Merge:
      S.Other = true;
      break;
    default:
      break;
    }
  }
  return S;
}

bool isUnbounded(const ExprGraph &Graph, ExprId Id) {
  constexpr unsigned MaxSmallWidth = 16;
  // The operands whose lack of a bound is one of the node.
  auto Unbounding = [&](const ExprNode &N) -> ArrayRef<ExprId> {
    ArrayRef<ExprId> Ops = N.Ops;
    switch (N.Kind) {
    case ExprKind::ZExt:
    case ExprKind::SExt:
      return Graph[N.Ops[0]].Width > MaxSmallWidth ? Ops.take_front()
                                                   : ArrayRef<ExprId>();
    case ExprKind::Add:
    case ExprKind::Sub:
    case ExprKind::Mul:
    case ExprKind::Merge:
      return Ops;
    case ExprKind::Select:
      return Ops.drop_front();
    case ExprKind::Iter:
    case ExprKind::Shl:
    case ExprKind::Load:
      return Ops.take_front();
    default:
      return {};
    }
  };
  auto IsUnknown = [](const ExprNode &N) {
    return N.Kind == ExprKind::Unknown;
  };
  return Graph.findBelow(Id, IsUnknown, Unbounding) != NoExpr;
}

} // namespace gridspan
