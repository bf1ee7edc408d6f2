//===- Waits.cpp - Cycles that wait for another block ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cycle of the control flow, a loop or one with several entries, waits if a
// condition that leaves it depends on a read, made inside the cycle on purpose,
// of memory that is not provably the block's own: a volatile or atomic one, or
// any in a cycle with a fence or a pause. A compare-and-swap that expects what
// it has found itself, or what was read there, is no wait: it fails only
// because another thread has succeeded. With another expected value it is a
// lock.
//
// Dependence is followed through values, through the branches that decide
// between the values of a phi, through what the cycle stores to shared and
// private memory and the branches that decide on the store, and through
// functions that it calls. A pointer may be into shared memory if one of the
// objects that it may lead to is, or a parameter of a function that is no
// kernel.
//
//===----------------------------------------------------------------------===//

#include "analysis/legality/Waits.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "analysis/nvptx/InlineAssembly.h"
#include "analysis/nvptx/Kernels.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include <utility>

using namespace llvm;

namespace gridspan {

//===--- Reads on purpose -------------------------------------------------===//

/// Returns true if another block may write where Pointer leads.
static bool mayOthersWrite(const Value *Pointer) {
  return !isPrivateMemory(Pointer) && !isConstantMemory(Pointer);
}

/// Returns true if Pointer may lead to memory that only the block, or the
/// thread, has.
static bool mayBePrivate(const Value *Pointer) {
  if (isPrivateMemory(Pointer))
    return true;
  if (Pointer->getType()->getPointerAddressSpace() != GenericSpace)
    return false;
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects);
  return any_of(Objects, [](const Value *Object) {
    const auto *Parameter = dyn_cast<Argument>(Object);
    return isPrivateMemory(Object) ||
           (Parameter && !isKernel(*Parameter->getParent()));
  });
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
    return Effects.Atomics || Effects.OrderedLoads ||
           (Effects.Loads && Asm->hasSideEffects());
  }
  const Function *Callee = Call->getCalledFunction();
  if (!Callee || !Callee->getName().starts_with("llvm.nvvm.atomic."))
    return false;
  if (Callee->getName().starts_with("llvm.nvvm.atomic.cas"))
    Expected = Call->getArgOperand(1);
  return mayOthersWrite(Call->getArgOperand(0));
}

/// Returns true if what the compare-and-swap expects comes from itself, or from
/// a read of the same place that IsInside.
static bool isRetry(const Instruction &Swap, const Value *Expected,
                    function_ref<bool(const Instruction *)> IsInside) {
  const auto *Call = dyn_cast<CallBase>(&Swap);
  const Value *Pointer =
      Call ? Call->getArgOperand(0)
           : cast<AtomicCmpXchgInst>(Swap).getPointerOperand();
  SmallVector<const Value *, 8> Work = {Expected};
  SmallPtrSet<const Value *, 8> Seen;
  while (!Work.empty()) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !IsInside(I) || !Seen.insert(I).second)
      continue;
    const auto *Load = dyn_cast<LoadInst>(I);
    if (I == &Swap || (Load && Load->getPointerOperand()->stripPointerCasts() ==
                                   Pointer->stripPointerCasts()))
      return true;
    append_range(Work, I->operands());
  }
  return false;
}

/// Returns true if something may come of a synchronizing read in F, or in what
/// it calls: its result is used, and it is no swap that only tries again.
static bool hasSynchronizingRead(const Function &F) {
  for (const Function *Reached : reachableFunctions(F))
    for (const Instruction &I : instructions(Reached)) {
      const Value *Expected = nullptr;
      if (!isSynchronizingRead(I, Expected) || I.use_empty())
        continue;
      if (!Expected ||
          !isRetry(I, Expected, [](const Instruction *) { return true; }))
        return true;
    }
  return false;
}

//===--- Memory of the block ----------------------------------------------===//

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

/// Returns where I reads memory that only the block, or the thread, may have;
/// or null.
static const Value *readWithinBlock(const Instruction &I) {
  const Value *Pointer = nullptr;
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    Pointer = Load->getPointerOperand();
  if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
    Pointer = RMW->getPointerOperand();
  if (const auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I))
    Pointer = Swap->getPointerOperand();
  if (const auto *Copy = dyn_cast<MemTransferInst>(&I))
    Pointer = Copy->getSource();
  return Pointer && mayBePrivate(Pointer) ? Pointer : nullptr;
}

/// Returns where I writes, or null if that is not known to be one place.
static const Value *writtenBy(const Instruction &I) {
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return Store->getPointerOperand();
  if (const auto *Memory = dyn_cast<MemIntrinsic>(&I))
    return Memory->getDest();
  if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
    return RMW->getPointerOperand();
  if (const auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I))
    return Swap->getPointerOperand();
  return nullptr;
}

/// Returns true if I may write where From leads, which is memory that only the
/// block, or the thread, may have.
static bool mayWriteWithinBlock(const Instruction &I, const Value *From) {
  if (const Value *To = writtenBy(I))
    return mayBePrivate(To) && !areApart(To, From);
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || !mayReach(*Call, From))
    return false;
  if (isa<InlineAsm>(Call->getCalledOperand()))
    return Call->mayWriteToMemory();
  const Function *Callee = calledBody(I);
  return Callee && mayStoreWithinBlock(*Callee);
}

/// Returns true for fences of more than the block and for pauses.
static bool isFenceOrPause(const Instruction &I) {
  if (isa<FenceInst>(I))
    return true;
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return false;
  if (const auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand())) {
    const AssemblyEffects Effects = assemblyEffects(Asm->getAsmString());
    return Effects.Fences || Effects.Pauses;
  }
  const Function *Callee = Call->getCalledFunction();
  const StringRef Name = Callee ? Callee->getName() : "";
  return Name == "llvm.nvvm.membar.gl" || Name == "llvm.nvvm.membar.sys" ||
         Name == "llvm.nvvm.nanosleep";
}

//===--- The search -------------------------------------------------------===//

namespace {

/// Looks for a read on which it depends whether a cycle is left.
class WaitSearch {
public:
  explicit WaitSearch(const Cycle &C);
  const Instruction *run();

private:
  bool contains(const Instruction *I) const {
    return C.contains(I->getParent());
  }
  bool isWaitedFor(const Instruction &I) const;
  void pushOperands(const Instruction &I) { append_range(Work, I.operands()); }
  void pushBranches();
  const Instruction *pushWrites(const Value *From);

  const Cycle &C;
  /// Whoever reads memory in a cycle with a fence or a pause reads it anew each
  /// time.
  bool IsFenced = false;
  bool HasBranches = false; ///< pushBranches()
  SmallVector<const Value *, 16> Work;
  SmallPtrSet<const Value *, 16> Seen;
};

} // namespace

WaitSearch::WaitSearch(const Cycle &C) : C(C) {
  for (const BasicBlock *Block : C.blocks())
    IsFenced |= any_of(*Block, isFenceOrPause);
}

bool WaitSearch::isWaitedFor(const Instruction &I) const {
  const Value *Expected = nullptr;
  if (isSynchronizingRead(I, Expected))
    return !Expected || !isRetry(I, Expected, [&](const Instruction *Inside) {
      return contains(Inside);
    });
  const auto *Load = dyn_cast<LoadInst>(&I);
  return IsFenced && Load && mayOthersWrite(Load->getPointerOperand()) &&
         !Load->hasMetadata(LLVMContext::MD_invariant_load);
}

/// Goes on with what decides which blocks of the cycle are executed. Any branch
/// may: this errs on the side of refusing.
void WaitSearch::pushBranches() {
  if (std::exchange(HasBranches, true))
    return;
  for (const BasicBlock *Block : C.blocks())
    pushOperands(*Block->getTerminator());
}

/// Goes on with what the cycle writes where a read from From, within the block,
/// may be. Returns a call of a function that may write what it has read on
/// purpose, or null.
const Instruction *WaitSearch::pushWrites(const Value *From) {
  for (const BasicBlock *Block : C.blocks())
    for (const Instruction &I : *Block) {
      if (!mayWriteWithinBlock(I, From))
        continue;
      if (const Function *Callee = calledBody(I))
        if (hasSynchronizingRead(*Callee))
          return &I;
      if (isa<MemTransferInst>(I))
        Work.push_back(&I);
      pushOperands(I);
      pushBranches();
    }
  return nullptr;
}

/// What a thread has read may come to the others, or back to itself, through a
/// variable in shared or private memory that the cycle writes.
const Instruction *WaitSearch::run() {
  SmallVector<BasicBlock *, 4> Exiting;
  C.getExitingBlocks(Exiting);
  for (const BasicBlock *Block : Exiting)
    pushOperands(*Block->getTerminator());
  while (!Work.empty()) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !contains(I) || !Seen.insert(I).second)
      continue;
    if (isWaitedFor(*I))
      return I;
    if (const Value *From = readWithinBlock(*I))
      if (const Instruction *Call = pushWrites(From))
        return Call;
    if (const Function *Callee = calledBody(*I))
      if (hasSynchronizingRead(*Callee))
        return I;
    // What decides between the values of a phi decides the exit as well.
    const auto *Phi = dyn_cast<PHINode>(I);
    if (Phi && count_if(Phi->blocks(), [&](const BasicBlock *Block) {
                 return C.contains(Block);
               }) > 1)
      pushBranches();
    pushOperands(*I);
  }
  return nullptr;
}

const Instruction *findWait(const CycleInfo &Cycles) {
  for (const Cycle *Top : Cycles.toplevel_cycles())
    for (const Cycle *C : depth_first(Top))
      if (const Instruction *Wait = WaitSearch(*C).run())
        return Wait;
  return nullptr;
}

} // namespace gridspan
