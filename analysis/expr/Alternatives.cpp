//===- Alternatives.cpp - Offsets that are one of several -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The left neighbour with periodic boundaries is `i == 0 ? n - 1 : i - 1`. For
// a block with thread 0 it is one of two far ends of the array. The evaluation
// has one range for an access: all that lies between. Two accesses, each under
// its side of the condition, have two ranges; for all other blocks one of them
// is empty.
//
// The same boundary without a condition, `(i + n - 1) % n`, is taken for a
// choice: what is below n before the division, and the rest. Only sums that
// something the same for all threads is added to wrap around like that; a
// remainder of a linear index, `i % n`, does so in every row.
//
// A choice c ? a : b below an expression e(.) is the two expressions e(a where
// c) and e(b where not c); a merge of a and b likewise, without a condition.
//
//===----------------------------------------------------------------------===//

#include "analysis/expr/Alternatives.h"
#include "llvm/ADT/DenseMap.h"

using namespace llvm;

namespace gridspan {

static constexpr unsigned MaxAlternatives = 4;

/// Returns the operands whose values become values of the node: not what only
/// bounds or decides them.
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

/// Returns true if the node is (x + u) % n, with u and n the same for all
/// threads.
static bool wrapsAround(const ExprGraph &Graph, ExprId Id) {
  const ExprNode &Node = Graph[Id];
  if ((Node.Kind != ExprKind::URem && Node.Kind != ExprKind::SRem) ||
      !Graph.isUniform(Node.Ops[1]) || Graph.isUniform(Node.Ops[0]))
    return false;
  const ExprNode &Sum = Graph[Node.Ops[0]];
  return Sum.Kind == ExprKind::Add &&
         (Graph.isUniform(Sum.Ops[0]) || Graph.isUniform(Sum.Ops[1]));
}

static bool isChoiceOfThreads(const ExprGraph &Graph, ExprId Id) {
  const ExprNode &Node = Graph[Id];
  if (Node.Kind == ExprKind::Merge || wrapsAround(Graph, Id))
    return true;
  return Node.Kind == ExprKind::Select && !Graph.isNothing(Node.Ops[2]) &&
         !Graph.isUniform(Node.Ops[0]);
}

/// Id with New in the place of Old, where its values are used.
static ExprId replace(ExprGraph &Graph, ExprId Id, ExprId Old, ExprId New) {
  DenseMap<ExprId, ExprId> Replaced = {{Old, New}};
  for (ExprId Next : Graph.below(Id, valueOperands)) {
    if (Next == Old)
      continue;
    ExprNode Node = Graph[Next];
    bool Changed = false;
    for (ExprId &Op : Node.Ops) {
      auto Found = Op == NoExpr ? Replaced.end() : Replaced.find(Op);
      if (Found == Replaced.end() || Found->second == Op)
        continue;
      Op = Found->second;
      Changed = true;
    }
    if (Changed)
      Replaced[Next] = Graph.addRaw(Node);
  }
  auto Found = Replaced.find(Id);
  return Found == Replaced.end() ? Id : Found->second;
}

SmallVector<ExprId, 4> alternativesOf(ExprGraph &Graph, ExprId Id) {
  SmallVector<ExprId, 4> Out = {Id};
  for (size_t I = 0; I != Out.size();) {
    SmallVector<ExprId, 16> Order = Graph.below(Out[I], valueOperands);
    auto Choice = find_if(reverse(Order), [&](ExprId Node) {
      return isChoiceOfThreads(Graph, Node);
    });
    if (Choice == Order.rend()) {
      ++I;
      continue;
    }
    if (Out.size() == MaxAlternatives)
      return {Id};
    ExprId Old = *Choice;
    const ExprNode Node = Graph[Old];
    ExprId First = Node.Ops[0], Second = Node.Ops[1];
    if (wrapsAround(Graph, Old)) {
      bool Signed = Node.Kind == ExprKind::SRem;
      auto Where = [&](CmpInst::Predicate Pred) {
        return Graph.binary(Node.Kind,
                            Graph.assume(Node.Ops[0], Pred, Node.Ops[1]),
                            Node.Ops[1]);
      };
      First = Where(Signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT);
      Second = Where(Signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE);
    } else if (Node.Kind == ExprKind::Select) {
      First = Graph.guarded(Node.Ops[0], Node.Ops[1]);
      Second = Graph.guarded(Graph.negated(Node.Ops[0]), Node.Ops[2]);
    }
    ExprId Former = Out[I];
    Out[I] = replace(Graph, Former, Old, First);
    Out.push_back(replace(Graph, Former, Old, Second));
  }
  return Out;
}

} // namespace gridspan
