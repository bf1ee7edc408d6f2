//===- Retries.cpp - Compare-and-swaps that only try again ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a swap expects is followed to reads of its own place, in the same turn
// or the one before. All of them find the same while others rest, so that the
// swap succeeds in that turn. What a turn carries on unread could be what a
// lock is free by; so it may only where the turn has not come to the swap.
// Nothing may be computed in between: a bit that is cleared would be a lock.
// Where sets are joined, the place is the element whose number is expected:
// each failure then goes one step along a chain, whose end holds its own
// number.
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
#include "analysis/nvptx/Places.h"
#include "analysis/nvptx/WaitReads.h"
#include "llvm/ADT/DenseMap.h"
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

namespace {

/// Looks for what a swap expects, in a turn that may be the second one or a
/// later one.
class Expected {
public:
  Expected(const Instruction &Swap, const Cycle &C, const CycleInfo &Cycles);
  bool isWhatWasFound();

private:
  /// Of the same turn, before the swap; or of the one before, behind it.
  enum When { Before, Behind };

  bool isPlace(const Value *Pointer) const;
  bool keepsPlace(const Instruction &I) const;
  bool mayWritePlace(const Instruction &I);
  bool isFound(const Instruction &I) const;
  bool push(const PHINode &Phi, When At);
  bool push(const Instruction &I, When At);

  const Instruction &Swap;
  const Cycle &C;
  const CycleInfo &Cycles;
  const Value *const Place;
  Places Memory;
  /// True if the place is the same in all turns.
  bool IsFixed;
  /// The array of which it is the element that the expected value is the number
  /// of; null if it is none.
  const Value *Followed = nullptr;
  /// The blocks that the rest of the turn may come to.
  SmallPtrSet<const BasicBlock *, 8> Rest;
  SmallVector<std::pair<const Value *, When>, 8> Work;
};

} // namespace

/// Returns what V is an integer's extension of, or V.
static const Value *withoutExtensions(const Value *V) {
  while (isa<ZExtInst, SExtInst, FreezeInst>(V))
    V = cast<Instruction>(V)->getOperand(0);
  return V;
}

/// Returns what V is the same bits of.
static const Value *withoutCasts(const Value *V) {
  for (const auto *Cast = dyn_cast<CastInst>(V);
       Cast && Cast->isNoopCast(Cast->getModule()->getDataLayout());
       Cast = dyn_cast<CastInst>(V))
    V = Cast->getOperand(0);
  return V;
}

Expected::Expected(const Instruction &Swap, const Cycle &C,
                   const CycleInfo &Cycles)
    : Swap(Swap), C(C), Cycles(Cycles),
      Place(placeOfAtomic(Swap)->stripPointerCasts()) {
  const auto *Address = dyn_cast<Instruction>(Place);
  IsFixed = !Address || !C.contains(Address->getParent());
  const auto *Element = dyn_cast<GetElementPtrInst>(Place);
  if (!IsFixed && Element && Element->getNumIndices() == 1 &&
      withoutExtensions(Element->getOperand(1)) ==
          withoutExtensions(expectedBy(Swap)))
    Followed = getUnderlyingObject(Element);
  SmallVector<const BasicBlock *, 8> Blocks = {Swap.getParent()};
  while (!Blocks.empty())
    for (const BasicBlock *To : successors(Blocks.pop_back_val()))
      if (C.contains(To) && To != C.getHeader() && Rest.insert(To).second)
        Blocks.push_back(To);
}

bool Expected::isPlace(const Value *Pointer) const {
  return Followed ? getUnderlyingObject(Pointer) == Followed
                  : Pointer->stripPointerCasts() == Place;
}

/// Returns true if I stores what the swap expects, and a turn comes from there
/// to the swap. If that is at the place, the swap succeeds.
bool Expected::keepsPlace(const Instruction &I) const {
  const auto *Store = dyn_cast<StoreInst>(&I);
  if (!Store || Store->getParent() != Swap.getParent() ||
      !Store->comesBefore(&Swap))
    return false;
  return withoutCasts(Store->getValueOperand()) ==
         withoutCasts(expectedBy(Swap));
}

/// Returns true if I may write to the place in a turn that is followed by
/// another one. Where sets are joined, chains are made shorter meanwhile, at
/// other elements.
bool Expected::mayWritePlace(const Instruction &I) {
  if (&I == &Swap || leavesOnSuccess(I, C, Cycles))
    return false;
  const Value *To = writtenBy(I);
  if (To && Followed && getUnderlyingObject(To) == Followed)
    return To->stripPointerCasts() == Place;
  return Memory.mayWriteTo(I, Place) && !keepsPlace(I);
}

bool Expected::isFound(const Instruction &I) const {
  if (const Value *From = placeOfLoad(I))
    return isPlace(From);
  return expectedBy(I) && isPlace(placeOfAtomic(I));
}

/// Goes on with what comes into the phi. What a turn passes on that has not
/// come to the swap is no matter: it has not failed then.
bool Expected::push(const PHINode &Phi, When At) {
  if (Cycles.getCycle(Phi.getParent()) != &C)
    return false; // of an inner cycle, which may carry on what it likes
  const bool IsHeader = Phi.getParent() == C.getHeader();
  if (IsHeader && (At == Behind || (!IsFixed && !Followed)))
    return false; // it was found two turns ago, or at another place
  const bool IsBehind = IsHeader || Rest.contains(Phi.getParent());
  for (const BasicBlock *From : Phi.blocks()) {
    if (!C.contains(From) ||
        (IsBehind && From != Swap.getParent() && !Rest.contains(From)))
      continue;
    Work.push_back(
        {Phi.getIncomingValueForBlock(From), IsHeader ? Behind : At});
  }
  return true;
}

/// Goes on with the operands of I; returns false if it computes anything.
bool Expected::push(const Instruction &I, When At) {
  if (const auto *Phi = dyn_cast<PHINode>(&I))
    return push(*Phi, At);
  if (const auto *Select = dyn_cast<SelectInst>(&I)) {
    Work.push_back({Select->getTrueValue(), At});
    Work.push_back({Select->getFalseValue(), At});
    return true;
  }
  const auto *Extract = dyn_cast<ExtractValueInst>(&I);
  const auto *Cast = dyn_cast<CastInst>(&I);
  if ((Extract && Extract->getIndices().front() == 0) || isa<FreezeInst>(I) ||
      (Cast && Cast->isNoopCast(I.getModule()->getDataLayout()))) {
    Work.push_back({I.getOperand(0), At});
    return true;
  }
  if (!isa<MinMaxIntrinsic>(I))
    return false;
  Work.push_back({I.getOperand(0), At});
  Work.push_back({I.getOperand(1), At});
  return true;
}

/// Returns true if Swap expects, in each turn behind one in which it has
/// failed, what was found at the place since. In the first turn it may be
/// anything.
bool Expected::isWhatWasFound() {
  for (const BasicBlock *Block : C.blocks())
    if (any_of(*Block, [&](const Instruction &I) { return mayWritePlace(I); }))
      return false;
  Work.push_back({expectedBy(Swap), Before});
  SmallSet<std::pair<const Value *, When>, 16> Seen;
  bool HasFound = false;
  while (!Work.empty()) {
    const auto [V, At] = Work.pop_back_val();
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || !C.contains(I->getParent()))
      return false;
    if (!Seen.insert({V, At}).second)
      continue;
    if (isFound(*I))
      HasFound = true;
    else if (!push(*I, At))
      return false;
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
    if (const Instruction *Swap =
            swapThatFound(withoutCasts(Compare->getOperand(Side))))
      if (withoutCasts(expectedBy(*Swap)) ==
          withoutCasts(Compare->getOperand(1 - Side)))
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
  Constant *valueOf(const Value *V, unsigned Depth);
  Constant *computeValueOf(const Instruction *I, unsigned Depth);
  Constant *valueOfPhi(const PHINode &Phi, unsigned Depth);
  bool isTaken(const BasicBlock *From, const BasicBlock *To) const {
    return Taken.contains({From, To});
  }

  const Instruction &Swap;
  const Cycle &C;
  SmallSet<std::pair<const BasicBlock *, const BasicBlock *>, 8> Taken;
  /// By the edges that are taken so far.
  DenseMap<const Instruction *, Constant *> Values;
};

} // namespace

/// How far conditions are followed; beyond, they are not known.
static constexpr unsigned MaxDepth = 8;

Constant *Success::valueOfPhi(const PHINode &Phi, unsigned Depth) {
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
Constant *Success::valueOf(const Value *V, unsigned Depth) {
  if (const auto *Known = dyn_cast<Constant>(V))
    return const_cast<Constant *>(Known);
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth == MaxDepth || !C.contains(I->getParent()))
    return nullptr;
  if (const auto Known = Values.find(I); Known != Values.end())
    return Known->second;
  return Values[I] = computeValueOf(I, Depth);
}

Constant *Success::computeValueOf(const Instruction *I, unsigned Depth) {
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
        Values.clear();
        Reached.insert(To);
        Changed = true;
      }
    }
  }
  return true;
}

//===--- Retries ----------------------------------------------------------===//

bool leavesOnSuccess(const Instruction &Swap, const Cycle &C,
                     const CycleInfo &Cycles) {
  return expectedBy(Swap) && Cycles.getCycle(Swap.getParent()) == &C &&
         Success(Swap, C).leaves();
}

bool isRetry(const Instruction &Swap, const Cycle &C, const CycleInfo &Cycles) {
  return expectedBy(Swap) && Cycles.getCycle(Swap.getParent()) == &C &&
         Expected(Swap, C, Cycles).isWhatWasFound() &&
         Success(Swap, C).leaves();
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
