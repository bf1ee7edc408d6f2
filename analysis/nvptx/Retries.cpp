//===- Retries.cpp - Compare-and-swaps that only try again ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a swap expects is followed to reads of its own place, or to swaps that
// are so themselves, of the same array, as where sets are joined. Nothing may
// be computed in between: a bit that is cleared would be a lock.
//
// Whether success leaves the cycle is found by constant propagation from the
// swap on, over the edges that can be taken then. As the cycle is the innermost
// one, a phi that is reached is not reached before the swap in the same turn,
// so that its values are those of the edges taken.
//
// Source: Wegman, Zadeck, "Constant Propagation with Conditional Branches",
// TOPLAS 1991; Herlihy, Shavit, "On the Nature of Progress", OPODIS 2011.
//
//===----------------------------------------------------------------------===//

#include "analysis/nvptx/Retries.h"
#include "analysis/nvptx/WaitReads.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gridspan {

//===--- What is expected -------------------------------------------------===//

/// Returns true if I reads at Place, which Swap changes, or is a swap that has
/// to be looked at as well: of another place of the same array.
static bool isFound(const Instruction &I, const Value *Place) {
  if (const Value *From = placeOfLoad(I))
    return From->stripPointerCasts() == Place;
  return expectedBy(I) &&
         getUnderlyingObject(placeOfAtomic(I)) == getUnderlyingObject(Place);
}

/// Returns true if what Swap expects is, in each turn, what was read at the
/// same place, or what swaps have found for which that is true. In the first
/// turn it may be anything.
static bool expectsWhatWasFound(const Instruction &Swap, const Cycle &C) {
  const Value *Place = placeOfAtomic(Swap)->stripPointerCasts();
  SmallVector<const Value *, 8> Work = {expectedBy(Swap)};
  SmallPtrSet<const Value *, 8> Seen;
  bool HasFound = false;
  while (!Work.empty()) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !C.contains(I->getParent()))
      return false;
    if (!Seen.insert(I).second)
      continue;
    if (isFound(*I, Place)) {
      HasFound = true;
      if (expectedBy(*I) && placeOfAtomic(*I)->stripPointerCasts() != Place)
        Work.push_back(expectedBy(*I));
    } else if (const auto *Phi = dyn_cast<PHINode>(I)) {
      for (const BasicBlock *From : Phi->blocks())
        if (C.contains(From))
          Work.push_back(Phi->getIncomingValueForBlock(From));
    } else if (const auto *Select = dyn_cast<SelectInst>(I)) {
      Work.push_back(Select->getTrueValue());
      Work.push_back(Select->getFalseValue());
    } else if (isa<MinMaxIntrinsic>(I)) {
      Work.push_back(I->getOperand(0));
      Work.push_back(I->getOperand(1));
    } else if (isa<CastInst, FreezeInst, ExtractValueInst>(I)) {
      Work.push_back(I->getOperand(0));
    } else {
      return false;
    }
  }
  return HasFound;
}

//===--- What success leads to --------------------------------------------===//

/// Returns the swap that V is, or has found, or null.
static const Instruction *swapThatFound(const Value *V) {
  const auto *Extract = dyn_cast<ExtractValueInst>(V);
  if (Extract && Extract->getIndices().front() == 0)
    V = Extract->getAggregateOperand();
  const auto *I = dyn_cast<Instruction>(V);
  return I && expectedBy(*I) && bool(Extract) == isa<AtomicCmpXchgInst>(I)
             ? I
             : nullptr;
}

const Instruction *swapBehind(const Value *V) {
  if (const auto *Extract = dyn_cast<ExtractValueInst>(V))
    return Extract->getIndices().front() == 1
               ? dyn_cast<AtomicCmpXchgInst>(Extract->getAggregateOperand())
               : nullptr;
  const auto *Compare = dyn_cast<ICmpInst>(V);
  if (!Compare || !Compare->isEquality())
    return nullptr;
  for (const unsigned Side : {0, 1})
    if (const Instruction *Swap = swapThatFound(Compare->getOperand(Side)))
      if (expectedBy(*Swap) == Compare->getOperand(1 - Side))
        return Swap;
  return nullptr;
}

namespace {

/// The control flow behind a swap that has succeeded.
class Success {
public:
  Success(const Instruction &Swap, const Cycle &C) : Swap(Swap), C(C) {}
  bool leaves();

private:
  Constant *valueOf(const Value *V, unsigned Depth) const;
  Constant *valueOfPhi(const PHINode &Phi, unsigned Depth) const;
  bool isTaken(const BasicBlock *From, const BasicBlock *To) const {
    return Taken.contains({From, To});
  }

  const Instruction &Swap;
  const Cycle &C;
  SmallSet<std::pair<const BasicBlock *, const BasicBlock *>, 8> Taken;
};

} // namespace

/// How far conditions are followed; beyond, they are not known.
static constexpr unsigned MaxDepth = 8;

Constant *Success::valueOfPhi(const PHINode &Phi, unsigned Depth) const {
  Constant *Value = nullptr;
  for (const BasicBlock *From : Phi.blocks()) {
    if (!isTaken(From, Phi.getParent()))
      continue;
    Constant *Here = valueOf(Phi.getIncomingValueForBlock(From), Depth + 1);
    if (!Here || (Value && Value != Here))
      return nullptr;
    Value = Here;
  }
  return Value;
}

/// Returns the value of V after success, or null if it is not known.
Constant *Success::valueOf(const Value *V, unsigned Depth) const {
  if (const auto *Known = dyn_cast<Constant>(V))
    return const_cast<Constant *>(Known);
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth == MaxDepth || !C.contains(I->getParent()))
    return nullptr;
  if (swapBehind(I) == &Swap) {
    const auto *Compare = dyn_cast<ICmpInst>(I);
    return ConstantInt::getBool(I->getContext(),
                                !Compare || Compare->getPredicate() ==
                                                CmpInst::ICMP_EQ);
  }
  if (const auto *Phi = dyn_cast<PHINode>(I))
    return valueOfPhi(*Phi, Depth);
  if (const auto *Select = dyn_cast<SelectInst>(I)) {
    Constant *Condition = valueOf(Select->getCondition(), Depth + 1);
    if (!Condition || !isa<ConstantInt>(Condition))
      return nullptr;
    return valueOf(Condition->isOneValue() ? Select->getTrueValue()
                                           : Select->getFalseValue(),
                   Depth + 1);
  }
  if (!isa<CastInst, CmpInst, BinaryOperator, FreezeInst>(I))
    return nullptr;
  SmallVector<Constant *, 2> Operands;
  for (const Value *Operand : I->operands()) {
    Constant *Known = valueOf(Operand, Depth + 1);
    // One operand decides x & 0, and x | -1.
    if (Known &&
        ((I->getOpcode() == Instruction::And && Known->isNullValue()) ||
         (I->getOpcode() == Instruction::Or && Known->isAllOnesValue())))
      return Known;
    Operands.push_back(Known);
  }
  if (is_contained(Operands, nullptr))
    return nullptr;
  const DataLayout &DL = I->getModule()->getDataLayout();
  if (const auto *Compare = dyn_cast<CmpInst>(I))
    return ConstantFoldCompareInstOperands(Compare->getPredicate(), Operands[0],
                                           Operands[1], DL);
  return ConstantFoldInstOperands(const_cast<Instruction *>(I), Operands, DL);
}

/// Edges are added until there are no more: a value may get unknown by an edge,
/// which opens others, and never known.
bool Success::leaves() {
  const BasicBlock *Begin = Swap.getParent();
  SmallPtrSet<const BasicBlock *, 8> Reached = {Begin};
  for (bool Changed = true; Changed;) {
    Changed = false;
    // The set may grow below.
    const SmallVector<const BasicBlock *, 8> Now(Reached.begin(),
                                                 Reached.end());
    for (const BasicBlock *From : Now) {
      const auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
      const auto *Condition = dyn_cast_or_null<ConstantInt>(
          Branch && Branch->isConditional() ? valueOf(Branch->getCondition(), 0)
                                            : nullptr);
      for (const BasicBlock *To : successors(From)) {
        if (Condition && To != Branch->getSuccessor(Condition->isZero()))
          continue;
        if (!C.contains(To) || isTaken(From, To))
          continue;
        if (To == C.getHeader() || To == Begin)
          return false;
        Taken.insert({From, To});
        Reached.insert(To);
        Changed = true;
      }
    }
  }
  return true;
}

//===--- Retries ----------------------------------------------------------===//

bool leavesOnSuccess(const Instruction &Swap, const Cycle &C) {
  return Success(Swap, C).leaves();
}

bool isRetry(const Instruction &Swap, const Cycle &C, const CycleInfo &Cycles) {
  return expectedBy(Swap) && Cycles.getCycle(Swap.getParent()) == &C &&
         expectsWhatWasFound(Swap, C) && leavesOnSuccess(Swap, C);
}

/// Where success is the only exit, nothing else tells what was found.
bool isRetryWithin(const Instruction &Swap, const CycleInfo &Cycles) {
  const Cycle *C = Cycles.getCycle(Swap.getParent());
  if (!C || !isRetry(Swap, *C, Cycles))
    return false;
  SmallVector<BasicBlock *, 4> Exiting;
  C->getExitingBlocks(Exiting);
  if (Exiting.size() != 1)
    return false;
  SmallVector<const Value *, 8> Work = {&Swap};
  SmallPtrSet<const Value *, 8> Seen;
  while (!Work.empty())
    for (const User *By : Work.pop_back_val()->users()) {
      const auto *I = cast<Instruction>(By);
      if (I == &Swap || !Seen.insert(I).second)
        continue;
      if (!C->contains(I->getParent()) || I->mayWriteToMemory())
        return false;
      Work.push_back(I);
    }
  return true;
}

} // namespace gridspan
