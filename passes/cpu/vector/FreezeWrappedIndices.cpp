//===- FreezeWrappedIndices.cpp - Indices that wrap in vectors ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Such an index is a recurrence of fewer bits than an int, which is extended: a
// value that is masked, or converted to a narrow type. Indices of 32 bits that
// wrap have gone through memory of all that many elements, and are left alone.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/vector/FreezeWrappedIndices.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace gridspan;

/// Returns true if I is a recurrence of L that wraps at fewer than 32 bits, and
/// whose values are not consecutive.
static bool mayWrap(Instruction &I, const Loop &L, ScalarEvolution &SE) {
  if (!I.getType()->isIntegerTy() ||
      !(isa<ZExtInst, SExtInst>(I) || I.getOpcode() == Instruction::And))
    return false;
  const SCEV *Value = SE.getSCEV(&I);
  if (!isa<SCEVZeroExtendExpr, SCEVSignExtendExpr>(Value))
    return false;
  const SCEV *Narrow = cast<SCEVCastExpr>(Value)->getOperand();
  const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(Narrow);
  if (!Recurrence || Recurrence->getLoop() != &L ||
      SE.getTypeSizeInBits(Narrow->getType()) >= 32)
    return false;
  const auto *Step = dyn_cast<SCEVConstant>(Recurrence->getStepRecurrence(SE));
  return !Step || !(Step->getAPInt().isOne() || Step->getAPInt().isAllOnes());
}

PreservedAnalyses FreezeWrappedIndicesPass::run(Function &F,
                                                FunctionAnalysisManager &AM) {
  if (Triple(F.getParent()->getTargetTriple()).isNVPTX())
    return PreservedAnalyses::all();
  auto &SE = AM.getResult<ScalarEvolutionAnalysis>(F);
  SmallVector<Instruction *> Found;
  for (const Loop *L : AM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    if (!L->isInnermost())
      continue;
    for (BasicBlock *BB : L->blocks())
      for (Instruction &I : *BB)
        if (mayWrap(I, *L, SE))
          Found.push_back(&I);
  }
  for (Instruction *I : Found) {
    auto *Frozen = new FreezeInst(I, I->getName(), std::next(I->getIterator()));
    I->replaceUsesWithIf(Frozen,
                         [&](const Use &U) { return U.getUser() != Frozen; });
  }
  if (Found.empty())
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}
