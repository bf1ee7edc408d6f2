//===- Counters.cpp - Exits that a counter gets to ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Why a queue is no wait: its exit is taken when what an addition has found is
// large enough, the addition is of a positive number, and the cycle takes
// nothing of it back. Another block that sets the counter back, and rests then,
// only makes for more turns. An exit that is taken when what is found is small,
// an addition of zero or of an unknown number, or one that is undone, may wait,
// and so may one whose bound is read on purpose. That the counter goes beyond
// its bound before it overflows is what the program relies on as well.
//
//===----------------------------------------------------------------------===//

#include "analysis/legality/Counters.h"
#include "analysis/legality/KernelObjects.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/nvptx/WaitReads.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;

namespace gridspan {

static bool isOutside(const Value *V, const Cycle &C) {
  const auto *I = dyn_cast<Instruction>(V);
  return !I || !C.contains(I->getParent());
}

//===--- Exits ------------------------------------------------------------===//

/// Returns the comparison at the end of Exiting, if it alone decides whether C
/// is left. Sets Predicate to that by which it is.
static const ICmpInst *exitComparison(const BasicBlock &Exiting, const Cycle &C,
                                      CmpInst::Predicate &Predicate) {
  const auto *Branch = dyn_cast<BranchInst>(Exiting.getTerminator());
  if (!Branch || !Branch->isConditional() ||
      C.contains(Branch->getSuccessor(0)) ==
          C.contains(Branch->getSuccessor(1)))
    return nullptr;
  const auto *Compare = dyn_cast<ICmpInst>(Branch->getCondition());
  if (Compare)
    Predicate = C.contains(Branch->getSuccessor(1))
                    ? Compare->getPredicate()
                    : Compare->getInversePredicate();
  return Compare;
}

std::optional<BoundedExit> boundedExit(const BasicBlock &Exiting,
                                       const Cycle &C) {
  CmpInst::Predicate Predicate;
  const ICmpInst *Compare = exitComparison(Exiting, C, Predicate);
  if (!Compare || !CmpInst::isRelational(Predicate))
    return std::nullopt;
  const Value *L = Compare->getOperand(0), *R = Compare->getOperand(1);
  if (ICmpInst::isGT(Predicate) || ICmpInst::isGE(Predicate))
    std::swap(L, R);
  return {{R, L, CmpInst::isSigned(Predicate),
           CmpInst::isStrictPredicate(Predicate)}};
}

/// Returns the phi that V is, or is computed from, or null.
static const PHINode *counterOf(const Value *V) {
  const auto *Next = dyn_cast<BinaryOperator>(V);
  return dyn_cast<PHINode>(Next ? Next->getOperand(0) : V);
}

/// Returns the number that the counter of C that V is, or is computed from,
/// goes on by in each turn; 0 if V is none.
static int64_t stepOf(const Value *V, const Cycle &C) {
  const auto *Next = dyn_cast<BinaryOperator>(V);
  const PHINode *Phi = counterOf(V);
  if (!Phi || Phi->getParent() != C.getHeader())
    return 0;
  int64_t Step = 0;
  for (const BasicBlock *From : Phi->blocks()) {
    if (!C.contains(From))
      continue;
    const auto *Add =
        dyn_cast<BinaryOperator>(Phi->getIncomingValueForBlock(From));
    const auto *By =
        Add && Add->getOpcode() == Instruction::Add && Add->getOperand(0) == Phi
            ? dyn_cast<ConstantInt>(Add->getOperand(1))
            : nullptr;
    if (!By || By->getBitWidth() > 64 || (Next && Next != Add) ||
        (Step && Step != By->getSExtValue()))
      return 0;
    Step = By->getSExtValue();
  }
  return Step;
}

/// Returns true if the counter that V is, or is computed from, cannot wrap by
/// its steps before the exit by Predicate is taken: a step of one meets the
/// bound itself, or the program rules the wrap out.
static bool comesToBound(const Value *V, CmpInst::Predicate Predicate,
                         const Cycle &C) {
  const int64_t Step = stepOf(V, C);
  if (ICmpInst::isNonStrictPredicate(Predicate) && (Step == 1 || Step == -1))
    return true;
  const PHINode *Counter = counterOf(V);
  return all_of(Counter->blocks(), [&](const BasicBlock *From) {
    if (!C.contains(From))
      return true;
    const auto *Next = cast<OverflowingBinaryOperator>(
        Counter->getIncomingValueForBlock(From));
    return CmpInst::isSigned(Predicate) ? Next->hasNoSignedWrap()
                                        : Next->hasNoUnsignedWrap();
  });
}

/// More turns than any program makes.
static constexpr unsigned LogOfManyTurns = 40;

/// Returns false if V, a counter of C or computed from one, has so far to go to
/// Bound that the exit there might as well not be.
static bool comesInTime(const Value *V, const Value *Bound, const Cycle &C) {
  const auto *To = dyn_cast<ConstantInt>(Bound);
  const unsigned Bits = Bound->getType()->getScalarSizeInBits();
  if (!To || Bits <= LogOfManyTurns)
    return true;
  const PHINode *Counter = counterOf(V);
  const APInt Step(Bits, stepOf(V, C), /*isSigned=*/true);
  const APInt Many = APInt::getOneBitSet(Bits, LogOfManyTurns);
  return all_of(Counter->blocks(), [&](const BasicBlock *Entering) {
    if (C.contains(Entering))
      return true;
    const auto *From =
        dyn_cast<ConstantInt>(Counter->getIncomingValueForBlock(Entering));
    if (!From)
      return To->getValue().abs().ule(Many);
    const APInt Way = Step.isNegative() ? From->getValue() - To->getValue()
                                        : To->getValue() - From->getValue();
    return Way.udiv(Step.abs()).ule(Many);
  });
}

const PHINode *counterOfExit(const BasicBlock &Exiting, const Cycle &C) {
  CmpInst::Predicate Predicate;
  const ICmpInst *Compare = exitComparison(Exiting, C, Predicate);
  const Value *Counted = nullptr, *Bound = nullptr;
  if (const std::optional<BoundedExit> Exit = boundedExit(Exiting, C)) {
    const bool IsUp = stepOf(Exit->Up, C) > 0 && isOutside(Exit->Down, C);
    if (!IsUp && (stepOf(Exit->Down, C) >= 0 || !isOutside(Exit->Up, C)))
      return nullptr;
    Counted = IsUp ? Exit->Up : Exit->Down;
    Bound = IsUp ? Exit->Down : Exit->Up;
    if (!comesToBound(Counted, Predicate, C))
      return nullptr;
  } else if (Compare && Predicate == CmpInst::ICMP_EQ &&
             stepOf(Compare->getOperand(0), C) != 0 &&
             isOutside(Compare->getOperand(1), C)) {
    Counted = Compare->getOperand(0);
    Bound = Compare->getOperand(1);
  }
  return Counted && comesInTime(Counted, Bound, C) ? counterOf(Counted)
                                                   : nullptr;
}

bool mayPassBy(const Cycle &C, ArrayRef<BasicBlock *> Blocks) {
  SmallVector<const BasicBlock *, 8> Work = {C.getHeader()};
  SmallPtrSet<const BasicBlock *, 8> Reached;
  while (!Work.empty()) {
    const BasicBlock *From = Work.pop_back_val();
    if (is_contained(Blocks, From))
      continue;
    for (const BasicBlock *To : successors(From)) {
      if (To == C.getHeader())
        return true;
      if (C.contains(To) && Reached.insert(To).second)
        Work.push_back(To);
    }
  }
  return false;
}

//===--- Additions --------------------------------------------------------===//

/// Returns true if V is how many threads or blocks there are of something: it
/// is the same in all turns, and more than 0.
static bool isSize(const Value *V) {
  if (const auto *Call = dyn_cast<IntrinsicInst>(V))
    return readsLaunchSize(Call->getIntrinsicID()) ||
           Call->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_warpsize;
  // None has 31 bits.
  return isa<ZExtInst, SExtInst>(V) &&
         isSize(cast<Instruction>(V)->getOperand(0));
}

/// Returns the most that By, which is not 0 and in whose sign it is, adds.
static APInt greatestStep(const Value *By, const SimplifyQuery &Query) {
  if (isSize(By))
    return APInt::getLowBitsSet(128, 31);
  const KnownBits Known = computeKnownBits(By, /*Depth=*/0, Query);
  return Known.isNegative() ? Known.getSignedMinValue().sext(128).abs()
                            : Known.getMaxValue().zext(128);
}

/// Returns true if a counter of so many bits may step over all numbers for
/// which Exit is taken, if its bound is a constant, or comes there only after
/// more turns than any program makes.
static bool mayStepOver(const BoundedExit &Exit, Course Way, unsigned Bits,
                        const APInt &Step) {
  const bool IsUp = Way == Course::Up;
  const auto *Constant = dyn_cast<ConstantInt>(IsUp ? Exit.Down : Exit.Up);
  if (!Constant)
    return false;
  Bits = std::min(Bits, Constant->getBitWidth());
  if (Bits > 64)
    return true;
  const APInt Bound = Exit.IsSigned ? Constant->getValue().sext(128)
                                    : Constant->getValue().zext(128);
  const APInt Least = Exit.IsSigned ? APInt::getSignedMinValue(Bits).sext(128)
                                    : APInt::getZero(128);
  const APInt Greatest = Exit.IsSigned
                             ? APInt::getSignedMaxValue(Bits).zext(128)
                             : APInt::getMaxValue(Bits).zext(128);
  const APInt Many = APInt::getOneBitSet(128, LogOfManyTurns);
  if (IsUp ? Bound.sgt(Many) : Bound.slt(-Many))
    return true;
  const APInt Taken = (IsUp ? Greatest - Bound : Bound - Least) +
                      APInt(128, Exit.IsStrict ? 0 : 1);
  return Taken.slt(Step);
}

bool isTaking(const Instruction &I, Course Way, const Cycle &C) {
  const std::optional<Addition> Add = additionBy(I);
  if (!Add || Way == Course::Any)
    return false;
  const SimplifyQuery Query(I.getModule()->getDataLayout());
  const bool IsUp = Add->IsSubtraction != (Way == Course::Up);
  if (!(IsUp && isSize(Add->By)) &&
      (!isOutside(Add->By, C) || !(IsUp ? isKnownPositive(Add->By, Query)
                                        : isKnownNegative(Add->By, Query))))
    return false;
  SmallVector<BasicBlock *, 4> Exiting;
  C.getExitingBlocks(Exiting);
  const APInt Step = greatestStep(Add->By, Query);
  if (any_of(Exiting, [&](const BasicBlock *Block) {
        const std::optional<BoundedExit> Exit = boundedExit(*Block, C);
        return Exit &&
               mayStepOver(*Exit, Way, Add->By->getType()->getIntegerBitWidth(),
                           Step);
      }))
    return false;
  const Value *Object = knownObject(Add->Place);
  return Object && none_of(C.blocks(), [&](const BasicBlock *Block) {
           return any_of(*Block, [&](const Instruction &Other) {
             return &Other != &I && mayWriteObject(Other, Object);
           });
         });
}

const Value *followedBy(const Instruction &I, const Cycle &C) {
  if (isa<FreezeInst, SExtInst, ZExtInst>(I))
    return I.getOperand(0);
  if (const auto *Call = dyn_cast<IntrinsicInst>(&I))
    return Call->getCalledFunction()->getName().starts_with(
               "llvm.nvvm.shfl.sync.")
               ? Call->getArgOperand(1)
               : nullptr;
  const Value *First = I.getNumOperands() == 2 ? I.getOperand(0) : nullptr;
  const auto *By = First ? dyn_cast<ConstantInt>(I.getOperand(1)) : nullptr;
  const auto *Or = dyn_cast<PossiblyDisjointInst>(&I);
  if (I.getOpcode() == Instruction::Add || (Or && Or->isDisjoint())) {
    if (isOutside(I.getOperand(1), C))
      return First;
    return isOutside(First, C) ? I.getOperand(1) : nullptr;
  }
  // With a wrap, what is added might be gone.
  const auto *Scaled = dyn_cast<OverflowingBinaryOperator>(&I);
  if (Scaled && !Scaled->hasNoSignedWrap() && !Scaled->hasNoUnsignedWrap())
    return nullptr;
  if (I.getOpcode() == Instruction::Shl ||
      (I.getOpcode() == Instruction::Mul && By &&
       By->getValue().isStrictlyPositive()))
    return By ? First : nullptr;
  return nullptr;
}

} // namespace gridspan
