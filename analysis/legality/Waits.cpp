//===- Waits.cpp - Cycles that wait for another block ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cycle of the control flow, a loop or one with several entries, waits if a
// condition that leaves it depends on a volatile or atomic read, made inside
// the cycle, of memory that is not provably the block's own. A compare-and-swap
// whose expected value changes with the cycle is no wait: it fails only because
// another thread has succeeded. With an expected value that does not change it
// is a lock.
//
// Dependence is followed through values, through the branches that decide
// between the values of a phi, through what the cycle stores to shared and
// private memory, and through functions that it calls.
//
//===----------------------------------------------------------------------===//

#include "analysis/legality/Waits.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "analysis/nvptx/InlineAssembly.h"
#include "analysis/nvptx/Kernels.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gridspan {

/// Returns true if another block may write where Pointer leads.
static bool mayOthersWrite(const Value *Pointer) {
  return !isPrivateMemory(Pointer) && !isConstantMemory(Pointer);
}

/// Returns true if I reads what another block may have written since, on
/// purpose: an atomic or volatile read. Expected receives a compare-and-swap's
/// operand.
static bool isSynchronizingRead(const Instruction &I, const Value *&Expected) {
  Expected = nullptr;
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return (Load->isVolatile() || Load->isAtomic()) &&
           mayOthersWrite(Load->getPointerOperand());
  if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
    return mayOthersWrite(RMW->getPointerOperand());
  if (const auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I)) {
    Expected = Swap->getCompareOperand();
    return mayOthersWrite(Swap->getPointerOperand());
  }
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return false;
  if (const auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand())) {
    AssemblyEffects Effects = assemblyEffects(Asm->getAsmString());
    return Effects.Atomics || (Effects.Loads && Asm->hasSideEffects());
  }
  const Function *Callee = Call->getCalledFunction();
  if (!Callee || !Callee->getName().starts_with("llvm.nvvm.atomic."))
    return false;
  if (Callee->getName().starts_with("llvm.nvvm.atomic.cas"))
    Expected = Call->getArgOperand(1);
  return mayOthersWrite(Call->getArgOperand(0));
}

/// Returns true if something may come of a synchronizing read in F, or in what
/// it calls: its result is used. A swap that expects what was read there tries
/// again and waits for nobody.
static bool hasSynchronizingRead(const Function &F) {
  for (const Function *Reached : reachableFunctions(F))
    for (const Instruction &I : instructions(Reached)) {
      const Value *Expected = nullptr;
      if (isSynchronizingRead(I, Expected) && !I.use_empty() &&
          !isa_and_nonnull<Instruction>(Expected))
        return true;
    }
  return false;
}

/// Returns true if threads of the same block may find at Pointer what a
/// function that has returned has stored there.
static bool isSharedWithCaller(const Value *Pointer) {
  return Pointer->getType()->getPointerAddressSpace() != GlobalSpace &&
         !isa<AllocaInst>(getUnderlyingObject(Pointer));
}

/// Returns true if F, or what it calls, may change shared memory, or private
/// memory of its caller.
static bool mayStoreWithinBlock(const Function &F) {
  for (const Function *Reached : reachableFunctions(F))
    for (const Instruction &I : instructions(Reached)) {
      if (const auto *Store = dyn_cast<StoreInst>(&I))
        if (isSharedWithCaller(Store->getPointerOperand()))
          return true;
      if (const auto *Memory = dyn_cast<MemIntrinsic>(&I))
        if (isSharedWithCaller(Memory->getDest()))
          return true;
      if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
        if (isSharedWithCaller(RMW->getPointerOperand()))
          return true;
      if (const auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I))
        if (isSharedWithCaller(Swap->getPointerOperand()))
          return true;
    }
  return false;
}

/// Returns true if the pointers lead to different variables.
static bool areApart(const Value *L, const Value *R) {
  L = getUnderlyingObject(L);
  R = getUnderlyingObject(R);
  return L != R && isa<GlobalVariable, AllocaInst>(L) &&
         isa<GlobalVariable, AllocaInst>(R);
}

/// Returns true if a function that Call calls may reach the memory at Pointer.
static bool mayReach(const CallBase &Call, const Value *Pointer) {
  const Value *Object = getUnderlyingObject(Pointer);
  return !isa<AllocaInst>(Object) ||
         PointerMayBeCaptured(Object, /*ReturnCaptures=*/false,
                              /*StoreCaptures=*/true) ||
         any_of(Call.args(), [&](const Value *Argument) {
           SmallVector<const Value *, 4> Objects;
           getUnderlyingObjects(Argument, Objects);
           return is_contained(Objects, Object);
         });
}

/// Returns the function with a body that I calls, or null.
static const Function *calledBody(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && !Callee->isDeclaration() ? Callee : nullptr;
}

/// Appends what Cycle stores, atomically or not, where only threads of the
/// block, or the thread, can read it, and where a read from From may be.
/// Returns a call of a function that may store what it has read on purpose, or
/// null.
static const Instruction *
appendStoredWithinBlock(const Cycle &C, const Value *From,
                        SmallVectorImpl<const Value *> &Out) {
  auto Add = [&](const Value *To, const Value *Stored) {
    if (isPrivateMemory(To) && !areApart(To, From))
      Out.push_back(Stored);
  };
  for (const BasicBlock *Block : C.blocks())
    for (const Instruction &I : *Block) {
      if (const auto *Store = dyn_cast<StoreInst>(&I))
        Add(Store->getPointerOperand(), Store->getValueOperand());
      if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
        Add(RMW->getPointerOperand(), RMW->getValOperand());
      if (const auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I))
        Add(Swap->getPointerOperand(), Swap->getNewValOperand());
      if (const Function *Callee = calledBody(I))
        if (mayReach(cast<CallBase>(I), From) &&
            hasSynchronizingRead(*Callee) && mayStoreWithinBlock(*Callee))
          return &I;
    }
  return nullptr;
}

/// Returns where I reads memory that only the block, or the thread, has; or
/// null.
static const Value *readWithinBlock(const Instruction &I) {
  const Value *Pointer = nullptr;
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    Pointer = Load->getPointerOperand();
  if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
    Pointer = RMW->getPointerOperand();
  if (const auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I))
    Pointer = Swap->getPointerOperand();
  return Pointer && isPrivateMemory(Pointer) ? Pointer : nullptr;
}

/// Returns the synchronizing read on which a condition that leaves C depends,
/// or null. What a thread has read may come to the others, or back to itself,
/// through a variable in shared or private memory that the cycle stores to.
static const Instruction *findWait(const Cycle &C) {
  const auto Contains = [&](const Instruction *I) {
    return C.contains(I->getParent());
  };
  SmallVector<BasicBlock *, 4> Exiting;
  C.getExitingBlocks(Exiting);
  SmallVector<const Value *, 16> Work;
  for (const BasicBlock *Block : Exiting)
    for (const Value *Op : Block->getTerminator()->operands())
      Work.push_back(Op);
  SmallPtrSet<const Value *, 16> Seen;
  while (!Work.empty()) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !Contains(I) || !Seen.insert(I).second)
      continue;
    const Value *Expected = nullptr;
    if (isSynchronizingRead(*I, Expected)) {
      const auto *Origin = dyn_cast_or_null<Instruction>(Expected);
      const bool IsRetry = Origin && Contains(Origin);
      if (!IsRetry)
        return I;
    }
    if (const Value *From = readWithinBlock(*I))
      if (const Instruction *Call = appendStoredWithinBlock(C, From, Work))
        return Call;
    if (const Function *Callee = calledBody(*I))
      if (hasSynchronizingRead(*Callee))
        return I;
    // What decides between the values of a phi decides the exit as well. Any
    // branch of the cycle may: this errs on the side of refusing.
    const auto *Phi = dyn_cast<PHINode>(I);
    if (Phi && count_if(Phi->blocks(), [&](const BasicBlock *Block) {
                 return C.contains(Block);
               }) > 1)
      for (const BasicBlock *Block : C.blocks())
        for (const Value *Op : Block->getTerminator()->operands())
          Work.push_back(Op);
    for (const Value *Op : I->operands())
      Work.push_back(Op);
  }
  return nullptr;
}

const Instruction *findWait(const CycleInfo &Cycles) {
  for (const Cycle *Top : Cycles.toplevel_cycles())
    for (const Cycle *C : depth_first(Top))
      if (const Instruction *Wait = findWait(*C))
        return Wait;
  return nullptr;
}

} // namespace gridspan
