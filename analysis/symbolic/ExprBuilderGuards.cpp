//===- ExprBuilderGuards.cpp - Index expressions under guards -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts the facts of a context into expressions: a fact about a value, or about
// what invertible steps make of it, becomes an Assume around the value.
//
//===----------------------------------------------------------------------===//

#include "analysis/symbolic/ExprBuilder.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gridspan {

ArrayRef<ExprId> ExprBuilder::assumesOf(ContextId Fact) const {
  auto Found = AssumesOf.find(Fact);
  return Found == AssumesOf.end() ? ArrayRef<ExprId>() : Found->second;
}

ExprId ExprBuilder::applyFacts(const Value *V, ExprId E, ContextId Context) {
  if (!V->getType()->isIntegerTy() || Context == NoContext)
    return E;
  for (ContextId Fact : Facts.chain(Context)) {
    // A copy: building Other may add facts.
    for (const Restriction &R :
         SmallVector<Restriction, 2>(Facts[Fact].Restrictions)) {
      if (R.Target != V)
        continue;
      // A guard on what is the same in all threads is the access's, not the
      // value's: see Access.cpp.
      if (Graph.isUniform(E))
        return E;
      ExprId Other = valueAt(R.Other, Facts[Fact].Parent);
      // What a counter says of a value is said of the counter better.
      if (Graph.containsKind(Other, ExprKind::Iter) &&
          !Graph.containsKind(E, ExprKind::Iter))
        continue;
      E = applyRestriction(E, R, Other, Fact);
    }
  }
  return E;
}

ExprId ExprBuilder::applyRestriction(ExprId E, const Restriction &R,
                                     ExprId Other, ContextId Fact) {
  if (!Graph.unknownReason(Other).empty() &&
      Graph[Other].Kind != ExprKind::Assume)
    return E;
  // Forward to what the fact is about, and back.
  for (const Instruction *Step : R.Steps) {
    unsigned Width = widthOf(Step);
    if (isa<ZExtInst>(Step))
      E = Graph.cast(ExprKind::ZExt, E, Width);
    else if (isa<SExtInst>(Step))
      E = Graph.cast(ExprKind::SExt, E, Width);
    else if (Step->getOpcode() == Instruction::Sub)
      E = Graph.binary(ExprKind::Sub, valueAt(Step->getOperand(0), NoContext),
                       E);
    else if (!isa<FreezeInst>(Step))
      E = Graph.binary(ExprKind::Add, E,
                       valueAt(Step->getOperand(1), NoContext));
  }
  const ExprNode Node = Graph[E];
  if (!(Node.Kind == ExprKind::Assume && Node.A == R.Pred &&
        Node.Ops[1] == Other))
    E = Graph.assume(E, R.Pred, Other);
  AssumesOf[Fact].push_back(E);
  for (const Instruction *Step : reverse(R.Steps)) {
    if (isa<CastInst>(Step))
      E = Graph.cast(ExprKind::Trunc, E, widthOf(Step->getOperand(0)));
    else if (Step->getOpcode() == Instruction::Sub)
      E = Graph.binary(ExprKind::Sub, valueAt(Step->getOperand(0), NoContext),
                       E);
    else if (!isa<FreezeInst>(Step))
      E = Graph.binary(ExprKind::Sub, E,
                       valueAt(Step->getOperand(1), NoContext));
  }
  return E;
}

//===----------------------------------------------------------------------===//
// Guarded sums
//===----------------------------------------------------------------------===//

/// The terms of a sum, as it is written, and the sums within it.
static void collectTerms(const Value *V, SmallVectorImpl<const Value *> &Terms,
                         SmallPtrSetImpl<const Value *> &Sums,
                         unsigned Depth = 0) {
  const auto *I = dyn_cast<BinaryOperator>(V);
  if (I && I->getOpcode() == Instruction::Add && Depth < 4) {
    Sums.insert(I);
    collectTerms(I->getOperand(0), Terms, Sums, Depth + 1);
    collectTerms(I->getOperand(1), Terms, Sums, Depth + 1);
    return;
  }
  Terms.push_back(V);
}

/// Takes the terms of Part out of Terms, if it has them all.
static bool takeOut(SmallVectorImpl<const Value *> &Terms,
                    ArrayRef<const Value *> Part) {
  SmallVector<const Value *, 8> Rest(Terms.begin(), Terms.end());
  for (const Value *Term : Part) {
    auto It = find(Rest, Term);
    if (It == Rest.end())
      return false;
    Rest.erase(It);
  }
  Terms.assign(Rest.begin(), Rest.end());
  return true;
}

/// LLVM hoists row * K + x out of a loop over t that adds t. A guard may say of
/// x + t that it is less than K, and x + t is then no term of the sum any more.
/// Puts the terms of I together in guarded sums, largest first; NoExpr if I is
/// written like that already.
ExprId ExprBuilder::regroupSum(const BinaryOperator &I, ContextId Context) {
  if (Context == NoContext || I.getOpcode() != Instruction::Add)
    return NoExpr;
  SmallVector<const Value *, 8> Terms;
  SmallPtrSet<const Value *, 8> Sums;
  collectTerms(&I, Terms, Sums);
  if (Terms.size() < 3)
    return NoExpr;
  struct Group {
    const Value *Sum;
    SmallVector<const Value *, 8> Terms;
  };
  SmallVector<Group, 4> Groups;
  bool IsNew = false;
  SmallVector<ContextId, 16> Chain = Facts.chain(Context);
  for (ContextId Fact : reverse(Chain))
    for (const Restriction &R : Facts[Fact].Restrictions) {
      Group G{R.Target, {}};
      SmallPtrSet<const Value *, 8> Inner;
      collectTerms(R.Target, G.Terms, Inner);
      SmallVector<const Value *, 8> Rest(Terms);
      if (G.Terms.size() < 2 || G.Terms.size() >= Terms.size() ||
          R.Target->getType() != I.getType() || !takeOut(Rest, G.Terms) ||
          any_of(Groups, [&](const Group &O) { return O.Sum == G.Sum; }))
        continue;
      IsNew |= !Sums.contains(R.Target);
      Groups.push_back(std::move(G));
    }
  if (!IsNew)
    return NoExpr;
  ExprId Total = Graph.constant(widthOf(&I), 0);
  for (size_t Size = Terms.size(); Size-- > 2;)
    for (const Group &G : Groups)
      if (G.Terms.size() == Size && takeOut(Terms, G.Terms))
        Total = Graph.binary(ExprKind::Add, Total, valueAt(G.Sum, Context));
  for (const Value *Term : Terms)
    Total = Graph.binary(ExprKind::Add, Total, valueAt(Term, Context));
  return Total;
}

} // namespace gridspan
