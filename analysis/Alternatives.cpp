//===- Alternatives.cpp - An offset that is one of several ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The left neighbour with periodic boundaries, `i == 0 ? n - 1 : i - 1`, is one
// of two far ends of the array for a block with thread 0, and the evaluation
// has one range for an access: all that lies between. Two accesses, each under
// its side of the condition, have two ranges; for all other blocks one of them
// is empty.
//
// A choice c ? a : b below an expression e(.) is the two expressions e(a where
// c) and e(b where not c); a merge of a and b likewise, without a condition.
//
//===----------------------------------------------------------------------===//

#include "Alternatives.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <algorithm>

using namespace llvm;

namespace gridspan {

static constexpr unsigned MaxAlternatives = 4;

/// The operands whose values become values of the node: not what only bounds or
/// decides them.
static ArrayRef<ExprId> valueOperands(const ExprNode &Node) {
  ArrayRef<ExprId> Ops = Node.Ops;
  switch (Node.Kind) {
  case ExprKind::ICmp:
    return {};
  case ExprKind::Select:
    return Ops.drop_front();
  case ExprKind::Assume:
  case ExprKind::Iter:
    return Ops.take_front();
  default:
    return Ops;
  }
}

/// The nodes whose values become values of Id, operands first.
static SmallVector<ExprId, 32> nodesInOrder(const ExprPool &Pool, ExprId Id) {
  DenseSet<ExprId> Seen;
  SmallVector<ExprId, 32> Work = {Id}, Order;
  while (!Work.empty()) {
    ExprId Next = Work.pop_back_val();
    if (Next == NoExpr || !Seen.insert(Next).second)
      continue;
    Order.push_back(Next);
    append_range(Work, valueOperands(Pool[Next]));
  }
  llvm::sort(Order);
  return Order;
}

static bool isChoiceOfThreads(const ExprPool &Pool, ExprId Id) {
  const ExprNode &Node = Pool[Id];
  if (Node.Kind == ExprKind::Merge)
    return true;
  return Node.Kind == ExprKind::Select && !Pool.isNothing(Node.Ops[2]) &&
         !Pool.isUniform(Node.Ops[0]);
}

/// Id with New in the place of Old, where its values are used.
static ExprId replace(ExprPool &Pool, ExprId Id, ExprId Old, ExprId New) {
  DenseMap<ExprId, ExprId> Replaced = {{Old, New}};
  for (ExprId Next : nodesInOrder(Pool, Id)) {
    if (Next == Old)
      continue;
    ExprNode Node = Pool[Next];
    bool Changed = false;
    for (ExprId &Op : Node.Ops) {
      auto Found = Op == NoExpr ? Replaced.end() : Replaced.find(Op);
      if (Found == Replaced.end() || Found->second == Op)
        continue;
      Op = Found->second;
      Changed = true;
    }
    if (Changed)
      Replaced[Next] = Pool.addRaw(Node);
  }
  auto Found = Replaced.find(Id);
  return Found == Replaced.end() ? Id : Found->second;
}

SmallVector<ExprId, 4> alternativesOf(ExprPool &Pool, ExprId Id) {
  SmallVector<ExprId, 4> Out = {Id};
  for (size_t I = 0; I != Out.size();) {
    SmallVector<ExprId, 32> Order = nodesInOrder(Pool, Out[I]);
    auto Choice = find_if(reverse(Order), [&](ExprId Node) {
      return isChoiceOfThreads(Pool, Node);
    });
    if (Choice == Order.rend()) {
      ++I;
      continue;
    }
    if (Out.size() == MaxAlternatives)
      return {Id};
    ExprId Old = *Choice;
    const ExprNode Node = Pool[Old];
    ExprId First = Node.Ops[0], Second = Node.Ops[1];
    if (Node.Kind == ExprKind::Select) {
      First = Pool.guarded(Node.Ops[0], Node.Ops[1]);
      Second = Pool.guarded(Pool.negated(Node.Ops[0]), Node.Ops[2]);
    }
    ExprId Whole = Out[I];
    Out[I] = replace(Pool, Whole, Old, First);
    Out.push_back(replace(Pool, Whole, Old, Second));
  }
  return Out;
}

} // namespace gridspan
