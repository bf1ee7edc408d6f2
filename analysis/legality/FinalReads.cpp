//===- FinalReads.cpp - Reads that no block can change --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slots that are written once: all that a kernel does to an array, or to one
// field of its structs, is to swap one number, the same in all threads, for
// others. So a slot that has another number keeps it. A swap whose success
// leaves the cycle fails, in a turn that is followed by another one, because of
// a number that stays. What other blocks do later takes free slots away, and
// gives none back; whether the host or another kernel does is no matter of how
// blocks are divided.
//
// Elements that are read once: the address goes on by one with the counter that
// ends the cycle, and each turn comes to that exit.
//
// Arrays that are only read: the program says that nobody else writes to the
// memory of a restrict argument, and the kernel does not.
//
// A cycle that comes to the same place of slots or of an array again and again
// is left out, although it does not wait for a block: it may wait for the host.
//
//===----------------------------------------------------------------------===//

#include "analysis/legality/FinalReads.h"
#include "analysis/legality/Counters.h"
#include "analysis/legality/KernelObjects.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/nvptx/Retries.h"
#include "analysis/nvptx/WaitReads.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gridspan {

/// Returns true if V may be another one in each turn of C.
static bool changesWithTurns(const Value *V, const Cycle &C) {
  SmallVector<const Value *, 8> Work = {V};
  SmallPtrSet<const Value *, 8> Seen;
  while (!Work.empty()) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !C.contains(I->getParent()) || !Seen.insert(I).second)
      continue;
    const auto *Phi = dyn_cast<PHINode>(I);
    if (Phi && Phi->getParent() == C.getHeader() &&
        any_of(Phi->blocks(), [&](const BasicBlock *From) {
          return C.contains(From) && Phi->getIncomingValueForBlock(From) != Phi;
        }))
      return true;
    append_range(Work, I->operands());
  }
  return false;
}

/// Returns true if Wanted holds for all instructions of the kernel, and of what
/// it calls, that may write to the object.
static bool allWrites(const Function &Kernel, const Value *Object,
                      function_ref<bool(const Instruction &)> Wanted) {
  return !reachesAny(Kernel, [&](const Instruction &I) {
    return mayWriteObject(I, Object) && !Wanted(I);
  });
}

static bool isOfOnceWrittenSlot(const Instruction &I, const Cycle &C,
                                const CycleInfo &Cycles) {
  const Value *Free = expectedBy(I);
  const Function &F = *I.getFunction();
  // A variable's first number is the same in all threads as well.
  if (!Free || !isKernel(F) || !isa<Constant, Argument>(Free) ||
      isa<UndefValue>(Free))
    return false;
  const Value *Place = placeOfAtomic(I);
  const Value *Object = knownObject(Place);
  return Object && changesWithTurns(Place, C) &&
         leavesOnSuccess(I, C, Cycles) &&
         allWrites(F, Object, [&](const Instruction &Other) {
           return (expectedBy(Other) == Free &&
                   knownObject(placeOfAtomic(Other)) == Object) ||
                  areFieldsApart(I, Other);
         });
}

/// Returns the index of the element of an array outside of C that Pointer leads
/// to, without extensions; null if it is none.
static const Value *indexIn(const Value *Pointer, const Cycle &C) {
  const auto *Element = dyn_cast<GetElementPtrInst>(Pointer);
  if (!Element || Element->getNumIndices() != 1 ||
      Element->getModule()
          ->getDataLayout()
          .getTypeAllocSize(Element->getSourceElementType())
          .isZero())
    return nullptr;
  const auto *Array = dyn_cast<Instruction>(Element->getPointerOperand());
  if (Array && C.contains(Array->getParent()))
    return nullptr;
  const Value *Index = Element->getOperand(1);
  while (isa<ZExtInst, SExtInst, FreezeInst>(Index))
    Index = cast<Instruction>(Index)->getOperand(0);
  return Index;
}

/// Returns true if each turn of C changes the counter by one.
static bool goesOnByOne(const PHINode &Counter, const Cycle &C) {
  return all_of(Counter.blocks(), [&](const BasicBlock *From) {
    const auto *Next =
        dyn_cast<BinaryOperator>(Counter.getIncomingValueForBlock(From));
    const auto *By =
        Next ? dyn_cast<ConstantInt>(Next->getOperand(1)) : nullptr;
    return !C.contains(From) || (By && Next->getOpcode() == Instruction::Add &&
                                 Next->getOperand(0) == &Counter &&
                                 (By->isOne() || By->isMinusOne()));
  });
}

static bool isReadOnce(const Instruction &I, const Value *Place, const Cycle &C,
                       const CycleInfo &Cycles) {
  const auto *Counter = dyn_cast_or_null<PHINode>(indexIn(Place, C));
  if (!Counter || Cycles.getCycle(I.getParent()) != &C ||
      Counter->getParent() != C.getHeader() || !goesOnByOne(*Counter, C))
    return false;
  SmallVector<BasicBlock *, 4> Exiting;
  C.getExitingBlocks(Exiting);
  return any_of(Exiting, [&](BasicBlock *Block) {
    return counterOfExit(*Block, C) == Counter && !mayPassBy(C, Block);
  });
}

static bool isOfReadArray(const Instruction &I, const Value *Place,
                          const Cycle &C) {
  const auto *Array = dyn_cast<Argument>(getUnderlyingObject(Place));
  const Function &F = *I.getFunction();
  return Array && isKernel(F) && Array->hasNoAliasAttr() &&
         changesWithTurns(Place, C) &&
         allWrites(F, Array, [](const Instruction &) { return false; });
}

bool isFinalRead(const Instruction &I, const Cycle &C,
                 const CycleInfo &Cycles) {
  if (isOfOnceWrittenSlot(I, C, Cycles))
    return true;
  const Value *Place = placeOfLoad(I);
  return Place &&
         (isReadOnce(I, Place, C, Cycles) || isOfReadArray(I, Place, C));
}

} // namespace gridspan
