//===- ExprSymbols.cpp - What an expression is made of --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/expr/ExprSymbols.h"

using namespace llvm;

namespace gridspan {

DenseSet<ExprId> nodesBelow(const ExprPool &Pool, ExprId Id) {
  DenseSet<ExprId> Seen;
  SmallVector<ExprId, 16> Work = {Id};
  while (!Work.empty()) {
    ExprId Next = Work.pop_back_val();
    if (Next != NoExpr && Seen.insert(Next).second)
      append_range(Work, Pool[Next].Ops);
  }
  return Seen;
}

bool dependsOn(const ExprPool &Pool, ExprId Id, ArrayRef<ExprId> Parts) {
  DenseSet<ExprId> Below = nodesBelow(Pool, Id);
  SmallVector<ExprId, 32> Order(Below.begin(), Below.end());
  sort(Order); // operands before users
  DenseMap<ExprId, bool> Depends;
  auto Of = [&](ExprId Op) { return Op != NoExpr && Depends.lookup(Op); };
  for (ExprId Node : Order) {
    const ExprNode &N = Pool[Node];
    bool &Result = Depends[Node];
    if (is_contained(Parts, Node))
      Result = true;
    else if (N.Kind == ExprKind::Merge)
      Result = Of(N.Ops[0]) && Of(N.Ops[1]);
    else if (N.Kind == ExprKind::Select && !Pool.isNothing(N.Ops[2]))
      Result = Of(N.Ops[0]) || (Of(N.Ops[1]) && Of(N.Ops[2]));
    else
      Result = any_of(N.Ops, Of);
  }
  return Of(Id);
}

Symbols symbolsOf(const ExprPool &Pool, ExprId Id) {
  Symbols S;
  for (ExprId Node : nodesBelow(Pool, Id)) {
    const ExprNode &N = Pool[Node];
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

bool isUnbounded(const ExprPool &Pool, ExprId Id) {
  constexpr unsigned MaxSmallWidth = 16;
  DenseSet<ExprId> Seen;
  SmallVector<ExprId, 16> Work = {Id};
  while (!Work.empty()) {
    ExprId Next = Work.pop_back_val();
    if (Next == NoExpr || !Seen.insert(Next).second)
      continue;
    const ExprNode &N = Pool[Next];
    switch (N.Kind) {
    case ExprKind::Unknown:
      return true;
    case ExprKind::ZExt:
    case ExprKind::SExt:
      if (Pool[N.Ops[0]].Width > MaxSmallWidth)
        Work.push_back(N.Ops[0]);
      break;
    case ExprKind::Add:
    case ExprKind::Sub:
    case ExprKind::Mul:
    case ExprKind::Merge:
      append_range(Work, N.Ops);
      break;
    case ExprKind::Select:
      Work.append({N.Ops[1], N.Ops[2]});
      break;
    case ExprKind::Iter:
    case ExprKind::Shl:
    case ExprKind::Load:
      Work.push_back(N.Ops[0]);
      break;
    default:
      break;
    }
  }
  return false;
}

} // namespace gridspan
