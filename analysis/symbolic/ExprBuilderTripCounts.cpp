//===- ExprBuilderTripCounts.cpp - Trip counts of loops -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts how often a loop goes round, and bounds the values of its phis.
//
// Counts. A loop that is left only at its latch, by comparing { start, +, step
// } with something invariant, is counted here: ScalarEvolution would not where
// it cannot rule out wrapping (a barrier in the loop is enough). A step whose
// sign is not known before the launch is compared with zero at the launch. All
// other loops are left to ScalarEvolution.
//
// Bounds. With a start that differs from thread to thread, start and count are
// correlated, and their sum says too little of `for (j = i; j < n; j += s)`. A
// condition on which the back edge depends holds for the phi in all iterations
// if it holds on entry too.
//
//===----------------------------------------------------------------------===//

#include "analysis/symbolic/ExprBuilder.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include <array>

using namespace llvm;

namespace gridspan {

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

namespace {
/// The back edge is taken while Start + k * Step, or the value after that
/// (IsNext), compares with Limit; all integers of one type.
struct LatchTest {
  const SCEVAddRecExpr *Counter; ///< of the phi
  const PHINode *Phi;
  bool IsNext;
  CmpInst::Predicate Pred;
  const Value *Limit;
};
} // namespace

static std::optional<LatchTest> latchTestOf(const Loop *L,
                                            ScalarEvolution &SE) {
  const BasicBlock *Latch = L->getLoopLatch();
  if (!Latch || L->getExitingBlock() != Latch || !L->getLoopPredecessor())
    return std::nullopt;
  const auto *Branch = dyn_cast<BranchInst>(Latch->getTerminator());
  const auto *Compare = Branch && Branch->isConditional()
                            ? dyn_cast<ICmpInst>(Branch->getCondition())
                            : nullptr;
  if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy())
    return std::nullopt;
  bool StaysIfTrue = L->contains(Branch->getSuccessor(0));
  CmpInst::Predicate Pred =
      StaysIfTrue ? Compare->getPredicate() : Compare->getInversePredicate();
  if (!CmpInst::isRelational(Pred))
    return std::nullopt;
  const Value *Subject = Compare->getOperand(0),
              *Limit = Compare->getOperand(1);
  if (!SE.isLoopInvariant(SE.getSCEV(const_cast<Value *>(Limit)), L)) {
    std::swap(Subject, Limit);
    Pred = CmpInst::getSwappedPredicate(Pred);
    if (!SE.isLoopInvariant(SE.getSCEV(const_cast<Value *>(Limit)), L))
      return std::nullopt;
  }
  for (const PHINode &P : L->getHeader()->phis()) {
    const Value *Next = P.getIncomingValueForBlock(Latch);
    if (Subject != &P && Subject != Next)
      continue;
    const auto *S =
        dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<PHINode *>(&P)));
    if (S && S->getLoop() == L && S->isAffine())
      return LatchTest{S, &P, Subject == Next, Pred, Limit};
  }
  return std::nullopt;
}

/// Returns true if the counter keeps moving towards the limit until it is met.
static bool cannotWrap(const LatchTest &T) {
  bool Signed = CmpInst::isSigned(T.Pred);
  if (Signed ? T.Counter->hasNoSignedWrap() : T.Counter->hasNoUnsignedWrap())
    return true;
  const Value *Next =
      T.Phi->getIncomingValueForBlock(T.Counter->getLoop()->getLoopLatch());
  const auto *Op = dyn_cast<OverflowingBinaryOperator>(Next);
  // Poison in the latch's branch is undefined behaviour.
  return Op && T.IsNext && Op->getOpcode() == Instruction::Add &&
         (Signed ? Op->hasNoSignedWrap() : Op->hasNoUnsignedWrap());
}

/// High - Low, where it is known that the one is not below the other. Evaluated
/// apart from each other they may seem to be, and the difference to wrap; in
/// more bits that shows and can be truncated.
ExprId ExprBuilder::distance(ExprId Low, ExprId High, bool Signed) {
  unsigned Width = Graph[Low].Width;
  ExprId Narrow = Graph.binary(ExprKind::Sub, High, Low);
  if (Width > 32 || Graph.isUniform(Narrow))
    return Narrow;
  ExprKind Extend = Signed ? ExprKind::SExt : ExprKind::ZExt;
  ExprId Wide = Graph.binary(ExprKind::Sub, Graph.cast(Extend, High, 64),
                             Graph.cast(Extend, Low, 64));
  Wide = Graph.binary(ExprKind::SMax, Wide, Graph.constant(64, 0));
  return Graph.cast(ExprKind::Trunc, Wide, Width);
}

ExprId ExprBuilder::countByLatch(const Loop *L, ContextId Context) {
  std::optional<LatchTest> T = latchTestOf(L, SE);
  if (!T)
    return NoExpr;
  // Mirror what runs downward: the count is the distance over the step.
  bool Up = T->Pred == CmpInst::ICMP_SLT || T->Pred == CmpInst::ICMP_SLE ||
            T->Pred == CmpInst::ICMP_ULT || T->Pred == CmpInst::ICMP_ULE;
  bool Signed = CmpInst::isSigned(T->Pred);
  bool Strict = CmpInst::isStrictPredicate(T->Pred);
  const SCEV *StepS = T->Counter->getStepRecurrence(SE);
  // Unsigned counters that go down add a negative number, which wraps.
  if (!Up && !Signed)
    return NoExpr;
  if (Up ? SE.isKnownNonPositive(StepS) : SE.isKnownNonNegative(StepS))
    return NoExpr;
  ExprId Start = valueAt(
      T->Phi->getIncomingValueForBlock(L->getLoopPredecessor()), Context);
  ExprId Limit = valueAt(T->Limit, Context);
  ExprId Step = scevAt(StepS, Context);
  if (!Graph.unknownReason(Limit).empty() || !Graph.isUniform(Step))
    return NoExpr;
  unsigned Width = Graph[Start].Width;
  ExprId One = Graph.constant(Width, 1), Zero = Graph.constant(Width, 0);
  ExprId Size = Up ? Step : Graph.binary(ExprKind::Sub, Zero, Step);
  // One of them is the same for all threads, or their difference may wrap.
  bool Apart = !Graph.isUniform(Start) && !Graph.isUniform(Limit);
  auto Distance = [&](ExprId Far) {
    ExprId Low = Up ? Start : Far, High = Up ? Far : Start;
    return Apart ? distance(Low, High, Signed)
                 : Graph.binary(ExprKind::Sub, High, Low);
  };
  auto Farther = [&](ExprId A, ExprId B) {
    ExprKind Kind = !Up      ? ExprKind::SMin
                    : Signed ? ExprKind::SMax
                             : ExprKind::UMax;
    return Graph.binary(Kind, A, B);
  };
  // Last value that stays: Limit, or one before it; it is not before Start.
  ExprKind Back = Up ? ExprKind::Sub : ExprKind::Add;
  ExprId Span;
  if (T->IsNext) {
    // The largest k with Start + k * Step still inside, at least 0.
    ExprId Last =
        Strict ? Graph.binary(Back,
                              Farther(Limit, Graph.binary(Up ? ExprKind::Add
                                                             : ExprKind::Sub,
                                                          Start, One)),
                              One)
               : Farther(Limit, Start);
    Span = Distance(Last);
  } else {
    // One more: the test is of the value before the step.
    ExprId End = Farther(Limit, Start);
    Span = Distance(End);
    Span = Graph.binary(ExprKind::Add, Span,
                        Strict ? Graph.binary(ExprKind::Sub, Size, One) : Size);
    // Where that overflows the counter would have as well.
  }
  ExprId Count = Graph.binary(ExprKind::UDiv, Span, Size);
  // What has to hold at the launch for that to be so.
  ExprId Valid = Graph.constant(1, 1);
  auto Require = [&](CmpInst::Predicate Pred, ExprId A, ExprId B) {
    Valid = Graph.binary(ExprKind::And, Valid, Graph.icmp(Pred, A, B));
  };
  if (!(Up ? SE.isKnownPositive(StepS) : SE.isKnownNegative(StepS)))
    Require(CmpInst::ICMP_SGT, Size, Zero);
  if (!cannotWrap(*T)) {
    // The last value that stays is a step away from wrapping at least, and if
    // the first is tested only after a step, so is that.
    APInt Extreme = !Signed ? APInt::getMaxValue(Width)
                    : Up    ? APInt::getSignedMaxValue(Width)
                            : APInt::getSignedMinValue(Width);
    ExprId End = Graph.constant(Width, Extreme.getSExtValue());
    ExprId StepBefore = Graph.binary(ExprKind::Sub, End, Step);
    CmpInst::Predicate Before = !Signed ? CmpInst::ICMP_ULE
                                : Up    ? CmpInst::ICMP_SLE
                                        : CmpInst::ICMP_SGE;
    Require(Before, Limit,
            Strict ? Graph.binary(Up ? ExprKind::Add : ExprKind::Sub,
                                  StepBefore, One)
                   : StepBefore);
    if (T->IsNext)
      Require(Before, Start, StepBefore);
  }
  return Graph.select(Valid, Count, Graph.constant(Width, -1));
}

bool ExprBuilder::hasExactCount(const Loop *L) {
  if (SE.hasLoopInvariantBackedgeTakenCount(L))
    return true;
  std::optional<LatchTest> T = latchTestOf(L, SE);
  return T && countByLatch(L, NoContext) != NoExpr;
}

ExprId ExprBuilder::backedgeTakenAt(const Loop *L, ContextId Context) {
  if (ExprId Count = countByLatch(L, Context); Count != NoExpr)
    return Count;
  const SCEV *Count = SE.getBackedgeTakenCount(L);
  if (isa<SCEVCouldNotCompute>(Count))
    Count = SE.getSymbolicMaxBackedgeTakenCount(L);
  if (isa<SCEVCouldNotCompute>(Count))
    return NoExpr;
  ExprId E = scevAt(Count, Context);
  return Graph[E].Kind == ExprKind::Unknown ? NoExpr : E;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// A condition that holds whenever the loop goes round, about a phi or the
/// value it takes next.
struct ExprBuilder::StayCondition {
  bool IsNext;
  CmpInst::Predicate Pred;
  const Value *Other;
};

/// Returns the comparisons of P, or of what it takes next, with something
/// invariant, on which the back edge of L depends.
SmallVector<ExprBuilder::StayCondition, 4>
ExprBuilder::stayConditions(const PHINode &P, const Value *Next,
                            const Loop *L) {
  SmallVector<StayCondition, 4> Out;
  SmallVector<BasicBlock *, 4> Exiting;
  L->getExitingBlocks(Exiting);
  for (const BasicBlock *BB : Exiting) {
    const auto *Branch = dyn_cast<BranchInst>(BB->getTerminator());
    if (!Branch || !Branch->isConditional() ||
        !DT.dominates(BB, L->getLoopLatch()))
      continue;
    bool StaysIfTrue = L->contains(Branch->getSuccessor(0));
    for (ContextId Fact : Facts.chain(
             Facts.with(NoContext, Branch->getCondition(), StaysIfTrue))) {
      const Guard &G = Facts[Fact];
      auto Add = [&](const Value *Subject, CmpInst::Predicate Pred,
                     const Value *Other) {
        if ((Subject != &P && Subject != Next) ||
            !SE.isLoopInvariant(SE.getSCEV(const_cast<Value *>(Other)), L))
          return;
        Out.push_back({Subject == Next, Pred, Other});
      };
      Add(G.X, G.Pred, G.Y);
      Add(G.Y, CmpInst::getSwappedPredicate(G.Pred), G.X);
    }
  }
  return Out;
}

/// Returns true if C is all that ends the loop, and its count is computed from
/// it.
bool ExprBuilder::isEndedBy(const StayCondition &C, const PHINode &P,
                            const Loop *L, ContextId Context) {
  std::optional<LatchTest> T = latchTestOf(L, SE);
  return T && T->Phi == &P && T->IsNext == C.IsNext && T->Pred == C.Pred &&
         T->Limit == C.Other && countByLatch(L, Context) != NoExpr;
}

ExprId ExprBuilder::boundByExits(ExprId E, const PHINode &P, const Loop *L,
                                 ContextId Context) {
  const BasicBlock *Entry = L->getLoopPredecessor();
  const BasicBlock *Latch = L->getLoopLatch();
  if (!Entry || !Latch || !P.getType()->isIntegerTy())
    return E;
  const Value *Next = P.getIncomingValueForBlock(Latch);
  const SCEV *Start = SE.getSCEV(P.getIncomingValueForBlock(Entry));
  const auto *AddRec =
      dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<PHINode *>(&P)));
  const auto *StepC =
      AddRec && AddRec->getLoop() == L && AddRec->isAffine()
          ? dyn_cast<SCEVConstant>(AddRec->getStepRecurrence(SE))
          : nullptr;
  std::optional<int64_t> Step;
  if (StepC && StepC->getAPInt().getSignificantBits() <= 32)
    Step = StepC->getAPInt().getSExtValue();

  auto HoldsOnEntry = [&](CmpInst::Predicate Pred, const SCEV *First,
                          const Value *Other) {
    const SCEV *Second = SE.getSCEV(const_cast<Value *>(Other));
    if (SE.isLoopEntryGuardedByCond(L, Pred, First, Second))
      return true;
    // An order of numbers without a sign is that of unsigned ones.
    bool IsLess = Pred == CmpInst::ICMP_ULT || Pred == CmpInst::ICMP_ULE;
    return CmpInst::isUnsigned(Pred) &&
           SE.isKnownNonNegative(IsLess ? First : Second) &&
           SE.isLoopEntryGuardedByCond(L, CmpInst::getSignedPredicate(Pred),
                                       First, Second);
  };
  // What ends the loop bounds it, and nothing else does.
  auto AssumeBound = [&](const StayCondition &C, CmpInst::Predicate Pred,
                         ExprId Other) {
    if (const ExprNode Node = Graph[E];
        Node.Kind == ExprKind::Iter && isEndedBy(C, P, L, Context))
      E = Graph.iter(Node.Ops[0], Node.Ops[1], Node.Ops[2],
                     unsigned(Node.A) | IterToLimit, unsigned(Node.B));
    E = Graph.assume(E, Pred, Other);
  };
  for (const StayCondition &C : stayConditions(P, Next, L)) {
    ExprId Other = valueAt(C.Other, Context);
    if (Graph[Other].Kind == ExprKind::Unknown)
      continue;
    if (C.Pred == CmpInst::ICMP_NE || C.Pred == CmpInst::ICMP_EQ) {
      // With steps of one, what is never met is never passed.
      if (C.Pred == CmpInst::ICMP_EQ || !Step || (*Step != 1 && *Step != -1))
        continue;
      bool Up = *Step == 1;
      using Candidates = std::array<CmpInst::Predicate, 2>;
      Candidates Preds =
          C.IsNext ? (Up ? Candidates{CmpInst::ICMP_SLT, CmpInst::ICMP_ULT}
                         : Candidates{CmpInst::ICMP_SGT, CmpInst::ICMP_UGT})
                   : (Up ? Candidates{CmpInst::ICMP_SLE, CmpInst::ICMP_ULE}
                         : Candidates{CmpInst::ICMP_SGE, CmpInst::ICMP_UGE});
      for (CmpInst::Predicate Pred : Preds)
        if (HoldsOnEntry(Pred, Start, C.Other))
          E = Graph.assume(E, Pred, Other);
      continue;
    }
    if (C.IsNext) {
      if (HoldsOnEntry(C.Pred, Start, C.Other))
        AssumeBound(C, C.Pred, Other);
      continue;
    }
    // The value before the step satisfied it.
    if (!Step)
      continue;
    // With a step of one towards the limit, the next one is not beyond it.
    bool IsUp = C.Pred == CmpInst::ICMP_SLT || C.Pred == CmpInst::ICMP_ULT;
    if (CmpInst::isStrictPredicate(C.Pred) && *Step == (IsUp ? 1 : -1)) {
      CmpInst::Predicate Pred = CmpInst::getNonStrictPredicate(C.Pred);
      if (HoldsOnEntry(Pred, Start, C.Other)) {
        AssumeBound(C, Pred, Other);
        continue;
      }
    }
    const SCEV *Before = SE.getMinusSCEV(Start, AddRec->getStepRecurrence(SE));
    if (!HoldsOnEntry(C.Pred, Before, C.Other))
      continue;
    ExprId By = Graph.constant(Graph[E].Width, *Step);
    E = Graph.assume(Graph.binary(ExprKind::Sub, E, By), C.Pred, Other);
    E = Graph.binary(ExprKind::Add, E, By);
  }
  return E;
}

} // namespace gridspan
