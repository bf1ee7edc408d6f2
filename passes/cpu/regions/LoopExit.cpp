//===- LoopExit.cpp - What follows loops that may have no turn ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The new exit asks the guard's condition again, so that threads go where they
// went. What the old one uses gets there by way of phis; where threads come
// from the guard, these have what the loop begins with, if that is known there,
// or 0: nothing uses it, and an undefined value would be taken for that of
// other threads (Uniformity.h).
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/regions/LoopExit.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace gridspan;

/// Returns what V, which the last turn computes, is before the first one.
static Value *beforeFirstTurn(const Loop &L, const Value *V,
                              const BasicBlock &Guard,
                              const DominatorTree &Tree) {
  for (PHINode &Phi : L.getHeader()->phis())
    if (Phi.getIncomingValueForBlock(L.getLoopLatch()) == V)
      if (Value *First = Phi.getIncomingValueForBlock(L.getLoopPreheader());
          Tree.dominates(First, Guard.getTerminator()))
        return First;
  return Constant::getNullValue(V->getType());
}

bool gridspan::joinExitWithGuard(const Loop &L, const DominatorTree &Tree) {
  BasicBlock *Preheader = L.getLoopPreheader(), *Latch = L.getLoopLatch();
  BasicBlock *Old = L.getExitBlock();
  BasicBlock *Guard = Preheader ? Preheader->getSinglePredecessor() : nullptr;
  if (!Guard || !Latch || !Old || L.getExitingBlock() != Latch ||
      Old->getSinglePredecessor() != Latch)
    return false;
  auto *Ask = dyn_cast<BranchInst>(Guard->getTerminator());
  if (!Ask || !Ask->isConditional())
    return false;
  const unsigned Past = Ask->getSuccessor(0) == Preheader ? 1 : 0;
  BasicBlock *Rest = Ask->getSuccessor(Past);
  if (Rest == Preheader || Old->getSingleSuccessor() != Rest)
    return false;

  FoldSingleEntryPHINodes(Old);
  BasicBlock *New =
      BasicBlock::Create(Old->getContext(), "joined", Old->getParent(), Old);
  IRBuilder<> B(New);
  const auto IsBefore = [&](const Use &U) {
    auto *User = cast<Instruction>(U.getUser());
    return User->getParent() != Old &&
           !(isa<PHINode>(User) &&
             cast<PHINode>(User)->getIncomingBlock(U) == Old);
  };
  SmallVector<BasicBlock *> Defining(L.block_begin(), L.block_end());
  Defining.push_back(Preheader);
  for (BasicBlock *BB : Defining)
    for (Instruction &I : *BB) {
      if (all_of(I.uses(), IsBefore))
        continue;
      PHINode *Joined = B.CreatePHI(I.getType(), 2);
      I.replaceUsesWithIf(Joined, [&](Use &U) { return !IsBefore(U); });
      Joined->addIncoming(&I, Latch);
      Joined->addIncoming(beforeFirstTurn(L, &I, *Guard, Tree), Guard);
    }
  B.CreateCondBr(Ask->getCondition(), Past == 0 ? Rest : Old,
                 Past == 0 ? Old : Rest);
  Latch->getTerminator()->replaceSuccessorWith(Old, New);
  Ask->setSuccessor(Past, New);
  Rest->replacePhiUsesWith(Guard, New);
  return true;
}
