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
#include "llvm/IR/CFG.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include <set>
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

/// Returns the place of an atomic operation, or null.
static const Value *placeOfAtomic(const Instruction &I) {
  if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
    return RMW->getPointerOperand();
  if (const auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I))
    return Swap->getPointerOperand();
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  return Intrinsic && Intrinsic->getCalledFunction()->getName().starts_with(
                          "llvm.nvvm.atomic.")
             ? Intrinsic->getArgOperand(0)
             : nullptr;
}

/// Returns what an atomic operation expects if it is a compare-and-swap, or
/// null.
static const Value *expectedBy(const Instruction &I) {
  if (const auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I))
    return Swap->getCompareOperand();
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  return Intrinsic && Intrinsic->getCalledFunction()->getName().starts_with(
                          "llvm.nvvm.atomic.cas")
             ? Intrinsic->getArgOperand(1)
             : nullptr;
}

/// Returns the assembly that I is, or null.
static const InlineAsm *assemblyOf(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  return Call ? dyn_cast<InlineAsm>(Call->getCalledOperand()) : nullptr;
}

/// Returns true if I reads what another block may have written since, on
/// purpose: an atomic or volatile read.
static bool isSynchronizingRead(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return (Load->isVolatile() || Load->isAtomic()) &&
           mayOthersWrite(Load->getPointerOperand());
  if (const Value *Place = placeOfAtomic(I))
    return mayOthersWrite(Place);
  const InlineAsm *Asm = assemblyOf(I);
  if (!Asm)
    return false;
  // One that is said to change memory stays where it is, and in each turn.
  const AssemblyEffects Effects = assemblyEffects(Asm->getAsmString());
  return Effects.Atomics || Effects.OrderedLoads ||
         (Effects.Loads && (Asm->hasSideEffects() || I.mayWriteToMemory()));
}

/// Returns true if I is a compare-and-swap, and what it expects is, in each
/// turn, what it or another one has found, or what was read at the same place,
/// with nothing computed in between. In the first turn it may be anything.
static bool isRetry(const Instruction &Swap,
                    function_ref<bool(const Instruction *)> IsInside) {
  const Value *Expected = expectedBy(Swap);
  if (!Expected)
    return false;
  const Value *Place = placeOfAtomic(Swap)->stripPointerCasts();
  const auto IsFound = [&](const Instruction &I) {
    const auto *Load = dyn_cast<LoadInst>(&I);
    return (Load && Load->getPointerOperand()->stripPointerCasts() == Place) ||
           (expectedBy(I) && isSynchronizingRead(I));
  };
  SmallVector<const Value *, 8> Work = {Expected};
  SmallPtrSet<const Value *, 8> Seen;
  bool HasFound = false;
  while (!Work.empty()) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !IsInside(I))
      return false;
    if (!Seen.insert(I).second)
      continue;
    if (IsFound(*I)) {
      HasFound = true;
    } else if (const auto *Phi = dyn_cast<PHINode>(I)) {
      for (const BasicBlock *From : Phi->blocks())
        if (IsInside(From->getTerminator()))
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

/// Returns true if I reads memory that another block may write, on purpose or
/// not.
static bool mayReadOfOthers(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return mayOthersWrite(Load->getPointerOperand()) &&
           !Load->hasMetadata(LLVMContext::MD_invariant_load);
  if (const auto *Copy = dyn_cast<MemTransferInst>(&I))
    return mayOthersWrite(Copy->getSource());
  const InlineAsm *Asm = assemblyOf(I);
  return Asm && assemblyEffects(Asm->getAsmString()).Loads;
}

/// Returns true if something may come of a read in F on purpose, or of any if
/// All, or in what it calls: its result is used, and it is no swap that only
/// tries again.
static bool hasSynchronizingRead(const Function &F, bool All) {
  for (const Function *Reached : reachableFunctions(F))
    for (const Instruction &I : instructions(Reached)) {
      if (All && mayReadOfOthers(I))
        return true;
      if (isSynchronizingRead(I) && !I.use_empty() &&
          !isRetry(I, [](const Instruction *) { return true; }))
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

/// Returns where I writes, or null if that is not known to be one place.
static const Value *writtenBy(const Instruction &I) {
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return Store->getPointerOperand();
  if (const auto *Memory = dyn_cast<MemIntrinsic>(&I))
    return Memory->getDest();
  return placeOfAtomic(I);
}

/// Returns true if I is assembly that may write memory.
static bool isWritingAssembly(const Instruction &I) {
  return assemblyOf(I) && I.mayWriteToMemory();
}

/// Returns true if F, or what it calls, may change shared memory, or private
/// memory of its caller.
static bool mayStoreWithinBlock(const Function &F) {
  for (const Function *Reached : reachableFunctions(F))
    for (const Instruction &I : instructions(Reached)) {
      const Value *To = writtenBy(I);
      if ((To && isSharedWithCaller(To)) || isWritingAssembly(I))
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

/// Returns where I reads memory, or null.
static const Value *readBy(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return Load->getPointerOperand();
  if (const auto *Copy = dyn_cast<MemTransferInst>(&I))
    return Copy->getSource();
  return placeOfAtomic(I);
}

/// Returns true if I may write where From leads: to memory that only the block,
/// or the thread, may have, or to the same variable or parameter.
static bool mayWriteTo(const Instruction &I, const Value *From) {
  const bool MayBePrivate = mayBePrivate(From);
  if (const Value *To = writtenBy(I))
    return MayBePrivate ? mayBePrivate(To) && !areApart(To, From)
                        : getUnderlyingObject(To) == getUnderlyingObject(From);
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || !MayBePrivate || !mayReach(*Call, From))
    return false;
  const Function *Callee = calledBody(I);
  return isWritingAssembly(I) || (Callee && mayStoreWithinBlock(*Callee));
}

/// Returns true for fences of more than the block and for pauses, also in
/// functions that are called.
static bool isFenceOrPause(const Instruction &I) {
  if (isa<FenceInst>(I))
    return true;
  if (const Function *Callee = calledBody(I))
    return any_of(reachableFunctions(*Callee), [](const Function *Reached) {
      return any_of(instructions(Reached), [](const Instruction &Inside) {
        return !calledBody(Inside) && isFenceOrPause(Inside);
      });
    });
  if (const InlineAsm *Asm = assemblyOf(I)) {
    const AssemblyEffects Effects = assemblyEffects(Asm->getAsmString());
    return Effects.WideFences || Effects.Pauses;
  }
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  const StringRef Name =
      Intrinsic ? Intrinsic->getCalledFunction()->getName() : "";
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
  bool mayPassBy(ArrayRef<BasicBlock *> Exiting) const;

  const Cycle &C;
  /// Whoever reads memory in a cycle with a fence or a pause reads it anew each
  /// time.
  bool IsFenced = false;
  bool HasBranches = false; ///< pushBranches()
  SmallVector<const Value *, 16> Work;
  SmallPtrSet<const Value *, 16> Seen;
  /// The variables that pushWrites() was called for, by whether the pointer may
  /// be private.
  std::set<std::pair<const Value *, bool>> Sources;
};

} // namespace

WaitSearch::WaitSearch(const Cycle &C) : C(C) {
  for (const BasicBlock *Block : C.blocks())
    IsFenced |= any_of(*Block, isFenceOrPause);
}

bool WaitSearch::isWaitedFor(const Instruction &I) const {
  if (isSynchronizingRead(I))
    return !isRetry(
        I, [&](const Instruction *Inside) { return contains(Inside); });
  const auto *Copy = dyn_cast<MemTransferInst>(&I);
  return (IsFenced || (Copy && Copy->isVolatile())) && mayReadOfOthers(I);
}

/// Goes on with what decides which blocks of the cycle are executed. Any branch
/// may: this errs on the side of refusing.
void WaitSearch::pushBranches() {
  if (std::exchange(HasBranches, true))
    return;
  for (const BasicBlock *Block : C.blocks())
    pushOperands(*Block->getTerminator());
}

/// Goes on with what the cycle writes where a read from From may be. Returns a
/// call of a function that may write what it has read on purpose, or null.
const Instruction *WaitSearch::pushWrites(const Value *From) {
  // Nothing below asks for more.
  if (!Sources.insert({getUnderlyingObject(From), mayBePrivate(From)}).second)
    return nullptr;
  for (const BasicBlock *Block : C.blocks())
    for (const Instruction &I : *Block) {
      if (!mayWriteTo(I, From))
        continue;
      if (const Function *Callee = calledBody(I))
        if (hasSynchronizingRead(*Callee, IsFenced))
          return &I;
      if (isa<MemTransferInst>(I))
        Work.push_back(&I);
      pushOperands(I);
      pushBranches();
    }
  return nullptr;
}

/// Returns true if a turn of the cycle may come to none of the blocks.
bool WaitSearch::mayPassBy(ArrayRef<BasicBlock *> Exiting) const {
  SmallVector<const BasicBlock *, 8> Work = {C.getHeader()};
  SmallPtrSet<const BasicBlock *, 8> Reached;
  while (!Work.empty()) {
    const BasicBlock *From = Work.pop_back_val();
    if (is_contained(Exiting, From))
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

/// What a thread has read may come to the others, or back to itself, through a
/// variable in shared or private memory that the cycle writes.
const Instruction *WaitSearch::run() {
  SmallVector<BasicBlock *, 4> Exiting;
  C.getExitingBlocks(Exiting);
  for (const BasicBlock *Block : Exiting)
    pushOperands(*Block->getTerminator());
  if (mayPassBy(Exiting))
    pushBranches();
  while (!Work.empty()) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !contains(I) || !Seen.insert(I).second)
      continue;
    if (isWaitedFor(*I))
      return I;
    if (const Value *From = readBy(*I))
      if (const Instruction *Call = pushWrites(From))
        return Call;
    if (const Function *Callee = calledBody(*I))
      if (hasSynchronizingRead(*Callee, IsFenced))
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
