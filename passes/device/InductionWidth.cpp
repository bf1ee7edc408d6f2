//===- InductionWidth.cpp - One width for an induction variable -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two steps for each phi of a loop's header. The step of the recurrence is made
// outside of the loop.
//
// 1. A phi of extended values becomes the extension of a narrow phi:
//
//      wide = phi [ext start], [ext next]      next = trunc wide + step
//    becomes
//      narrow = phi [start], [next]            next = narrow + step
//      wide   = ext narrow
//
//    or, where there is a phi of start and next already, its extension. It is
//    sound because wide is the extension of narrow in each iteration: of the
//    start, and then of the next value, whose truncation is that value again.
//    That needs no flag of the sum, which may wrap as before.
//
// 2. A narrow phi whose next value is compared at the latch in its sign
//    extension is counted in that width:
//
//      wide = phi [sext start], [wide + sext step]      narrow = trunc wide
//
//    if the sum is nsw. Where it overflows, the branch of that iteration is on
//    a poison value, which is undefined behaviour. Without overflow, the sum of
//    the extensions is the extension of the sum, and does not overflow either.
//
// LLVM makes the form of 1 itself: LoopRotate copies the extension out of the
// header, so that there is a phi of the extended values beside that of the
// narrow ones, and IndVarSimplify replaces the narrow phi by a truncation of
// the other.
//
//===----------------------------------------------------------------------===//

#include "passes/device/InductionWidth.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/TargetParser/Triple.h"

#define DEBUG_TYPE "gridspan-induction-width"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace gridspan;

STATISTIC(NumNarrowed, "Induction variables narrowed");
STATISTIC(NumWidened, "Induction variables widened");

//===--- 1. Phis of extended values ---------------------------------------===//

/// Returns the value of type Ty that V is the extension of, or null.
static Value *beforeExtension(Value *V, Instruction::CastOps Extension,
                              Type *Ty) {
  if (auto *Cast = dyn_cast<CastInst>(V))
    return Cast->getOpcode() == Extension && Cast->getSrcTy() == Ty
               ? Cast->getOperand(0)
               : nullptr;
  auto *C = dyn_cast<ConstantInt>(V);
  if (!C)
    return nullptr;
  const unsigned Width = Ty->getIntegerBitWidth();
  const bool Fits = Extension == Instruction::SExt
                        ? C->getValue().isSignedIntN(Width)
                        : C->getValue().isIntN(Width);
  return Fits ? ConstantInt::get(Ty, C->getValue().trunc(Width)) : nullptr;
}

/// Returns a phi of L's header that is Start, and then Next, or null.
static PHINode *findPhi(const Loop &L, const Value *Start, const Value *Next) {
  for (PHINode &P : L.getHeader()->phis())
    if (P.getIncomingValueForBlock(L.getLoopPredecessor()) == Start &&
        P.getIncomingValueForBlock(L.getLoopLatch()) == Next)
      return &P;
  return nullptr;
}

/// Returns true if P was a phi of extended values of L's header. Erases it.
static bool narrow(PHINode &Wide, const Loop &L) {
  BasicBlock *Latch = L.getLoopLatch();
  auto *Extended = dyn_cast<CastInst>(Wide.getIncomingValueForBlock(Latch));
  if (!Extended || !isa<SExtInst, ZExtInst>(Extended))
    return false;
  const Instruction::CastOps Extension = Extended->getOpcode();
  auto *Next = dyn_cast<BinaryOperator>(Extended->getOperand(0));
  if (!Next || Next->getOpcode() != Instruction::Add || !L.contains(Next))
    return false;
  Type *Ty = Next->getType();
  BasicBlock *Entry = L.getLoopPredecessor();
  Value *Start =
      beforeExtension(Wide.getIncomingValueForBlock(Entry), Extension, Ty);
  if (!Start)
    return false;
  PHINode *Narrow = findPhi(L, Start, Next);
  const auto StepsFrom = [&](unsigned I) {
    const Value *From = Next->getOperand(I);
    return L.isLoopInvariant(Next->getOperand(1 - I)) &&
           (From == Narrow || match(From, m_Trunc(m_Specific(&Wide))));
  };
  if (!StepsFrom(0) && !StepsFrom(1))
    return false;
  IRBuilder<> B(&Wide);
  if (!Narrow) {
    Narrow = B.CreatePHI(Ty, 2, Wide.getName() + ".narrow");
    Narrow->addIncoming(Start, Entry);
    Narrow->addIncoming(Next, Latch);
  }
  for (User *U : make_early_inc_range(Wide.users()))
    if (auto *Cast = dyn_cast<TruncInst>(U); Cast && Cast->getType() == Ty) {
      Cast->replaceAllUsesWith(Narrow);
      Cast->eraseFromParent();
    }
  B.SetInsertPoint(L.getHeader(), L.getHeader()->getFirstInsertionPt());
  Value *Again = B.CreateCast(Extension, Narrow, Wide.getType());
  Again->takeName(&Wide);
  Wide.replaceAllUsesWith(Again);
  Wide.eraseFromParent();
  ++NumNarrowed;
  return true;
}

//===--- 2. Phis that are compared in their extension ---------------------===//

/// Returns the type in which the latch compares the sign extension of Next with
/// something invariant, or null.
static Type *comparedType(const Value *Next, const Loop &L) {
  auto *Branch = dyn_cast<BranchInst>(L.getLoopLatch()->getTerminator());
  auto *Test = Branch && Branch->isConditional()
                   ? dyn_cast<ICmpInst>(Branch->getCondition())
                   : nullptr;
  if (!Test)
    return nullptr;
  for (unsigned I : {0u, 1u})
    if (match(Test->getOperand(I), m_SExt(m_Specific(Next))) &&
        L.isLoopInvariant(Test->getOperand(1 - I)))
      return Test->getOperand(I)->getType();
  return nullptr;
}

/// Returns the sign extension of V at the end of BB: one that is there already,
/// if any, or what V is the truncation of.
static Value *extensionAt(Value *V, Type *Ty, BasicBlock &BB,
                          const DominatorTree &DT) {
  Instruction *End = BB.getTerminator();
  if (auto *Cast = dyn_cast<TruncInst>(V);
      Cast && Cast->hasNoSignedWrap() && Cast->getSrcTy() == Ty)
    return Cast->getOperand(0);
  if (!isa<Constant>(V))
    for (User *U : V->users())
      if (auto *Cast = dyn_cast<SExtInst>(U);
          Cast && Cast->getType() == Ty && DT.dominates(Cast, End))
        return Cast;
  return IRBuilder<>(End).CreateSExt(V, Ty);
}

/// Puts Wide in the place of Narrow, of which it is the sign extension.
static void replaceByWide(Instruction &Narrow, Instruction &Wide) {
  for (User *U : make_early_inc_range(Narrow.users()))
    if (auto *Cast = dyn_cast<SExtInst>(U);
        Cast && Cast->getType() == Wide.getType()) {
      Cast->replaceAllUsesWith(&Wide);
      Cast->eraseFromParent();
    }
  if (!Narrow.use_empty()) {
    BasicBlock &BB = *Narrow.getParent();
    IRBuilder<> B(&BB, isa<PHINode>(Narrow) ? BB.getFirstInsertionPt()
                                            : Narrow.getIterator());
    Narrow.replaceAllUsesWith(B.CreateTrunc(&Wide, Narrow.getType(), "",
                                            /*IsNUW=*/false, /*IsNSW=*/true));
  }
  Narrow.eraseFromParent();
}

/// Returns true if Narrow is compared in its extension, and now is that. Erases
/// it.
static bool widen(PHINode &Narrow, const Loop &L, const DominatorTree &DT) {
  BasicBlock *Entry = L.getLoopPredecessor();
  BasicBlock *Latch = L.getLoopLatch();
  auto *Next = dyn_cast<BinaryOperator>(Narrow.getIncomingValueForBlock(Latch));
  if (!Next || Next->getOpcode() != Instruction::Add ||
      !Next->hasNoSignedWrap())
    return false;
  const unsigned From = Next->getOperand(0) == &Narrow ? 0 : 1;
  Value *Step = Next->getOperand(1 - From);
  if (Next->getOperand(From) != &Narrow || !L.isLoopInvariant(Step))
    return false;
  Type *Ty = comparedType(Next, L);
  if (!Ty)
    return false;
  Value *Start =
      extensionAt(Narrow.getIncomingValueForBlock(Entry), Ty, *Entry, DT);
  Step = extensionAt(Step, Ty, *Entry, DT);
  IRBuilder<> B(&Narrow);
  PHINode *Wide = B.CreatePHI(Ty, 2, Narrow.getName() + ".wide");
  B.SetInsertPoint(Next);
  auto *WideNext =
      cast<Instruction>(B.CreateNSWAdd(Wide, Step, Next->getName() + ".wide"));
  Wide->addIncoming(Start, Entry);
  Wide->addIncoming(WideNext, Latch);
  Narrow.setIncomingValueForBlock(Latch, PoisonValue::get(Narrow.getType()));
  replaceByWide(*Next, *WideNext);
  replaceByWide(Narrow, *Wide);
  ++NumWidened;
  return true;
}

/// Returns true if phis of the header have one value from before the loop and
/// one from its end, and other values may be made where the former comes from.
static bool hasOneWayIn(const Loop &L) {
  const BasicBlock *Entry = L.getLoopPredecessor();
  return Entry && L.getLoopLatch() && pred_size(L.getHeader()) == 2 &&
         isa<BranchInst, SwitchInst>(Entry->getTerminator());
}

PreservedAnalyses InductionWidthPass::run(Function &F,
                                          FunctionAnalysisManager &AM) {
  if (!Triple(F.getParent()->getTargetTriple()).isNVPTX())
    return PreservedAnalyses::all();
  const auto &DT = AM.getResult<DominatorTreeAnalysis>(F);
  bool Changed = false;
  // Loops start with values of others, so that each phi is looked at when those
  // before it are as they stay.
  const auto Change = [&](const Loop &L, auto Apply) {
    for (PHINode &P : make_early_inc_range(L.getHeader()->phis()))
      if (P.getType()->isIntegerTy() && Apply(P, L))
        Changed = true;
  };
  for (const Loop *L : AM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    if (!hasOneWayIn(*L))
      continue;
    Change(*L, narrow);
    Change(*L, [&](PHINode &P, const Loop &In) { return widen(P, In, DT); });
  }
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses PA;
  PA.preserveSet<CFGAnalyses>();
  return PA;
}
