//===- ExprBuilderLoops.cpp - Index expressions of phis and loops ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phi of a loop header that ScalarEvolution knows as { start, +, step } is an
// Iter node. The start comes from our own walk, the step and the backedge-taken
// count from ScalarEvolution. When the start differs from thread to thread,
// start and count are correlated and their sum says too little, so the exit
// conditions are added (ExprBuilderTripCounts.cpp).
//
// Other phis are the union of their incoming values, each under the facts of
// its edge. A fact of the phi's users on a value defined before the phi holds
// for the incoming value too, as long as the edge is no back edge. The value
// has not been computed again in between (Guards.h).
//
//===----------------------------------------------------------------------===//

#include "analysis/symbolic/ExprBuilder.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gridspan {

static constexpr unsigned MaxIncoming = 8;

unsigned ExprBuilder::numberOf(const Loop *L) {
  return LoopNumbers.try_emplace(L, LoopNumbers.size()).first->second;
}

/// Returns what a loop leaves behind of V outside of it, in the loop L or in
/// none, where that does not depend on the iteration; else NoExpr.
ExprId ExprBuilder::leftBehind(const Value *V, const Loop *L,
                               ContextId Context) {
  const SCEV *S = SE.getSCEV(const_cast<Value *>(V));
  const SCEV *Final = SE.getSCEVAtScope(S, L);
  if (Final == S || isa<SCEVCouldNotCompute>(Final) ||
      SE.containsAddRecurrence(Final))
    return NoExpr;
  return scevAt(Final, Context);
}

ExprId ExprBuilder::phiAt(const PHINode &P, ContextId Context) {
  const Loop *L = LI.getLoopFor(P.getParent());
  if (L && L->getHeader() == P.getParent())
    return inductionAt(P, L, Context);
  if (P.getNumIncomingValues() == 1) {
    const Value *V = P.getIncomingValue(0);
    if (ExprId Final = leftBehind(V, L, Context); Final != NoExpr)
      return Final;
    return valueAt(V, Facts.join(Context, Facts.ofEdge(P.getIncomingBlock(0u),
                                                       P.getParent())));
  }
  return mergeAt(P, Context);
}

const Value *decidingCondition(const PHINode &P, const DominatorTree &DT,
                               bool &First) {
  const DomTreeNode *Node = DT.getNode(P.getParent());
  if (P.getNumIncomingValues() != 2 || !Node || !Node->getIDom())
    return nullptr;
  const BasicBlock *Head = Node->getIDom()->getBlock();
  const auto *Branch = dyn_cast<BranchInst>(Head->getTerminator());
  if (!Branch || !Branch->isConditional() ||
      Branch->getSuccessor(0) == Branch->getSuccessor(1))
    return nullptr;
  auto Leads = [&](unsigned Successor, unsigned Incoming) {
    const BasicBlock *From = P.getIncomingBlock(Incoming);
    const BasicBlock *To = Branch->getSuccessor(Successor);
    if (From == Head)
      return To == P.getParent();
    return DT.dominates(BasicBlockEdge(Head, To), From);
  };
  First = Leads(0, 0) && Leads(1, 1);
  if (First || (Leads(0, 1) && Leads(1, 0)))
    return Branch->getCondition();
  return nullptr;
}

ExprId ExprBuilder::mergeAt(const PHINode &P, ContextId Context) {
  unsigned Width = P.getType()->getScalarSizeInBits();
  if (P.getNumIncomingValues() > MaxIncoming)
    return Graph.unknown(Width, "a phi of too many values");
  // Without the facts of the edges first: where that is one value for all, it
  // is the better answer.
  ExprId Common = valueAt(P.getIncomingValue(0), Context);
  for (unsigned I = 1; I != P.getNumIncomingValues() && Common != NoExpr; ++I)
    if (valueAt(P.getIncomingValue(I), Context) != Common)
      Common = NoExpr;
  if (Common != NoExpr && Graph.isFunctional(Common))
    return Common;

  SmallVector<ExprId, MaxIncoming> Incoming;
  for (unsigned I = 0, E = P.getNumIncomingValues(); I != E; ++I) {
    ContextId Edge = Facts.ofEdge(P.getIncomingBlock(I), P.getParent());
    ContextId There = Facts.join(Context, Edge);
    // One value, not all of the iterations: only evaluators of lanes need that.
    ExprId Final = FollowsCarried
                       ? leftBehind(P.getIncomingValue(I),
                                    LI.getLoopFor(P.getParent()), There)
                       : NoExpr;
    Incoming.push_back(Final != NoExpr ? Final
                                       : valueAt(P.getIncomingValue(I), There));
  }
  bool First = false;
  if (const Value *Condition = decidingCondition(P, DT, First)) {
    ExprId C = valueAt(Condition, Context);
    return Graph.select(C, Incoming[First ? 0 : 1], Incoming[First ? 1 : 0]);
  }
  ExprId All = Incoming[0];
  for (ExprId E : drop_begin(Incoming))
    All = IsOpenShared ? openChoice(P, All, E) : Graph.merge(All, E);
  return All;
}

//===----------------------------------------------------------------------===//
// Loop headers
//===----------------------------------------------------------------------===//

/// Returns what is known of wrapping. The increment's own flags count as well.
/// Every value asked for is part of an address or of a condition of a branch,
/// so that a poison value would be undefined behaviour.
static unsigned flagsOf(const SCEVAddRecExpr &S, const PHINode *P) {
  unsigned Flags = (S.hasNoSignedWrap() ? IterNSW : 0) |
                   (S.hasNoUnsignedWrap() ? IterNUW : 0);
  const BasicBlock *Latch = S.getLoop()->getLoopLatch();
  const auto *Next = P && Latch ? dyn_cast<OverflowingBinaryOperator>(
                                      P->getIncomingValueForBlock(Latch))
                                : nullptr;
  if (Next && Next->getOpcode() == Instruction::Add &&
      (Next->getOperand(0) == P || Next->getOperand(1) == P))
    Flags |= (Next->hasNoSignedWrap() ? IterNSW : 0) |
             (Next->hasNoUnsignedWrap() ? IterNUW : 0);
  return Flags;
}

ExprId ExprBuilder::inductionAt(const PHINode &P, const Loop *L,
                                ContextId Context) {
  const auto *S =
      dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<PHINode *>(&P)));
  if (!S || S->getLoop() != L || !S->isAffine()) {
    ExprId E = FollowsCarried ? carriedAt(P, L) : NoExpr;
    return E != NoExpr ? E : recurrenceAt(P, L, Context);
  }
  const BasicBlock *Entry = L->getLoopPredecessor();
  ExprId Start = Entry ? valueAt(P.getIncomingValueForBlock(Entry), Context)
                       : scevAt(S->getStart(), Context);
  ExprId Step = scevAt(S->getStepRecurrence(SE), Context);
  ExprId E = Graph.iter(Start, Step, backedgeTakenAt(L, Context),
                        flagsOf(*S, &P), numberOf(L));
  if (Graph.isUniform(Start) && !SE.isKnownNegative(S->getStepRecurrence(SE)))
    return E;
  return boundByExits(E, P, L, Context);
}

/// Recurrences that only shrink or only grow.
ExprId ExprBuilder::recurrenceAt(const PHINode &P, const Loop *L,
                                 ContextId Context) {
  const BasicBlock *Entry = L->getLoopPredecessor();
  const BasicBlock *Latch = L->getLoopLatch();
  unsigned Width = P.getType()->getScalarSizeInBits();
  if (!Entry || !Latch)
    return Graph.unknown(Width, "a loop of several entries or latches");
  ExprId Start = valueAt(P.getIncomingValueForBlock(Entry), Context);
  const Value *Next = P.getIncomingValueForBlock(Latch);
  ExprId Any =
      Graph.unknown(Width, "a recurrence that is no induction variable");
  ConstantInt *By;
  bool Halves = match(Next, m_LShr(m_Specific(&P), m_ConstantInt(By))) ||
                match(Next, m_UDiv(m_Specific(&P), m_ConstantInt(By)));
  bool HalvesSigned = match(Next, m_AShr(m_Specific(&P), m_ConstantInt(By))) ||
                      (match(Next, m_SDiv(m_Specific(&P), m_ConstantInt(By))) &&
                       !By->isNegative());
  const auto *NextOp = dyn_cast<OverflowingBinaryOperator>(Next);
  bool Doubles = NextOp && NextOp->hasNoUnsignedWrap() &&
                 (match(Next, m_Shl(m_Specific(&P), m_ConstantInt(By))) ||
                  match(Next, m_Mul(m_Specific(&P), m_ConstantInt(By))));
  if (Halves)
    return boundByExits(Graph.assume(Any, CmpInst::ICMP_ULE, Start), P, L,
                        Context);
  if (HalvesSigned &&
      SE.isKnownNonNegative(SE.getSCEV(P.getIncomingValueForBlock(Entry)))) {
    ExprId E = Graph.assume(Any, CmpInst::ICMP_SGE, Graph.constant(Width, 0));
    return boundByExits(Graph.assume(E, CmpInst::ICMP_SLE, Start), P, L,
                        Context);
  }
  if (Doubles)
    return boundByExits(Graph.assume(Any, CmpInst::ICMP_UGE, Start), P, L,
                        Context);
  // The value of the last iteration, where that does not depend on P itself.
  ExprId Last = valueAt(Next, Facts.ofEdge(Latch, P.getParent()));
  if (Graph.unknownReason(Last).empty())
    return Graph.merge(Start, Last);
  return boundByExits(Any, P, L, Context);
}

//===----------------------------------------------------------------------===//
// ScalarEvolution's expressions
//===----------------------------------------------------------------------===//

/// Returns a phi of the loop that has this recurrence: its bounds are the
/// recurrence's as well.
static const PHINode *phiOf(const SCEVAddRecExpr &S, ScalarEvolution &SE) {
  for (const PHINode &P : S.getLoop()->getHeader()->phis())
    if (P.getType() == S.getType() && SE.isSCEVable(P.getType()) &&
        SE.getSCEV(const_cast<PHINode *>(&P)) == &S)
      return &P;
  return nullptr;
}

ExprId ExprBuilder::addRecAt(const SCEVAddRecExpr &S, ContextId Context) {
  unsigned Width = SE.getTypeSizeInBits(S.getType());
  if (!S.isAffine())
    return Graph.unknown(Width, "a recurrence that is no induction variable");
  if (const PHINode *P = phiOf(S, SE))
    return valueAt(P, Context);
  ExprId Start = scevAt(S.getStart(), Context);
  ExprId Step = scevAt(S.getStepRecurrence(SE), Context);
  return Graph.iter(Start, Step, backedgeTakenAt(S.getLoop(), Context),
                    flagsOf(S, nullptr), numberOf(S.getLoop()));
}

/// Returns the value that a fact of Context is about and that has the SCEV S,
/// or null.
static const Value *restrictedValue(const SCEV *S, const Guards &Facts,
                                    ContextId Context, ScalarEvolution &SE) {
  for (ContextId C : Facts.chain(Context))
    for (const Restriction &R : Facts[C].Restrictions)
      if (R.Target->getType() == S->getType() &&
          SE.getSCEV(const_cast<Value *>(R.Target)) == S)
        return R.Target;
  return nullptr;
}

/// Regroups a sum that contains the terms of a restricted value, or their
/// negatives, into that value and the rest: ScalarEvolution takes sums apart.
ExprId ExprBuilder::regroupScev(const SCEVNAryExpr &S, ContextId Context) {
  for (ContextId C : Facts.chain(Context))
    for (const Restriction &R :
         SmallVector<Restriction, 2>(Facts[C].Restrictions)) {
      if (R.Target->getType() != S.getType())
        continue;
      const auto *Part =
          dyn_cast<SCEVAddExpr>(SE.getSCEV(const_cast<Value *>(R.Target)));
      if (!Part || Part->getNumOperands() >= S.getNumOperands())
        continue;
      auto IsRest = [&](const SCEV *Rest) {
        const auto *Sum = dyn_cast<SCEVAddExpr>(Rest);
        return (Sum ? Sum->getNumOperands() : 1) ==
               S.getNumOperands() - Part->getNumOperands();
      };
      const SCEV *Without = SE.getMinusSCEV(&S, Part);
      if (IsRest(Without)) {
        ExprId Value = valueAt(R.Target, Context);
        return Graph.binary(ExprKind::Add, scevAt(Without, Context), Value);
      }
      SmallVector<const SCEV *, 2> Both = {&S, Part};
      const SCEV *WithoutNegative = SE.getAddExpr(Both);
      if (IsRest(WithoutNegative)) {
        ExprId Value = valueAt(R.Target, Context);
        return Graph.binary(ExprKind::Sub, scevAt(WithoutNegative, Context),
                            Value);
      }
    }
  return NoExpr;
}

ExprId ExprBuilder::scevSumAt(const SCEVNAryExpr &S, ContextId Context) {
  if (ExprId E = regroupScev(S, Context); E != NoExpr)
    return E;
  // Negative terms last: a - b, not a + -1 * b.
  ExprId Sum = Graph.constant(SE.getTypeSizeInBits(S.getType()), 0);
  for (bool Negative : {false, true})
    for (const SCEV *Term : S.operands()) {
      const auto *Product = dyn_cast<SCEVMulExpr>(Term);
      const auto *Factor =
          Product ? dyn_cast<SCEVConstant>(Product->getOperand(0)) : nullptr;
      if (Negative != (Factor && Factor->getAPInt().isAllOnes()))
        continue;
      Sum = Negative ? Graph.binary(ExprKind::Sub, Sum,
                                    scevAt(SE.getNegativeSCEV(Term), Context))
                     : Graph.binary(ExprKind::Add, Sum, scevAt(Term, Context));
    }
  return Sum;
}

ExprId ExprBuilder::scevAt(const SCEV *S, ContextId Context) {
  if (const auto *V = dyn_cast<SCEVUnknown>(S))
    return valueAt(V->getValue(), Context);
  unsigned Width = SE.getTypeSizeInBits(S->getType());
  if (Width > 64)
    return Graph.unknown(64, "an integer of more than 64 bits");
  if (const auto *C = dyn_cast<SCEVConstant>(S))
    return Graph.constant(Width, C->getAPInt().getSExtValue());
  if (auto Found = ScevMemo.find({Context, S}); Found != ScevMemo.end())
    return Found->second;
  if (const Value *V = restrictedValue(S, Facts, Context, SE))
    return ScevMemo[{Context, S}] = valueAt(V, Context);

  auto Fold = [&](ExprKind Kind) {
    const auto *N = cast<SCEVNAryExpr>(S);
    ExprId E = scevAt(N->getOperand(0), Context);
    for (const SCEV *Op : drop_begin(N->operands()))
      E = Graph.binary(Kind, E, scevAt(Op, Context));
    return E;
  };
  auto Cast = [&](ExprKind Kind) {
    return Graph.cast(
        Kind, scevAt(cast<SCEVCastExpr>(S)->getOperand(), Context), Width);
  };
  ExprId E;
  switch (S->getSCEVType()) {
  case scAddExpr:
    E = scevSumAt(*cast<SCEVNAryExpr>(S), Context);
    break;
  case scMulExpr:
    E = Fold(ExprKind::Mul);
    break;
  case scUDivExpr: {
    const auto *Division = cast<SCEVUDivExpr>(S);
    ExprId L = scevAt(Division->getLHS(), Context);
    E = Graph.binary(ExprKind::UDiv, L, scevAt(Division->getRHS(), Context));
    break;
  }
  case scUMaxExpr:
    E = Fold(ExprKind::UMax);
    break;
  case scSMaxExpr:
    E = Fold(ExprKind::SMax);
    break;
  case scUMinExpr:
  case scSequentialUMinExpr:
    E = Fold(ExprKind::UMin);
    break;
  case scSMinExpr:
    E = Fold(ExprKind::SMin);
    break;
  case scZeroExtend:
    E = Cast(ExprKind::ZExt);
    break;
  case scSignExtend:
    E = Cast(ExprKind::SExt);
    break;
  case scTruncate:
    E = Cast(ExprKind::Trunc);
    break;
  case scPtrToInt:
    E = Width == 64 ? scevAt(cast<SCEVCastExpr>(S)->getOperand(), Context)
                    : Graph.unknown(Width, "a pointer used as a number");
    break;
  case scAddRecExpr:
    E = addRecAt(*cast<SCEVAddRecExpr>(S), Context);
    break;
  default:
    E = Graph.unknown(Width, "the trip count of a loop");
    break;
  }
  ScevMemo[{Context, S}] = E;
  return E;
}

} // namespace gridspan
