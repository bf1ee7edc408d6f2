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
// any in a cycle with a fence or a pause. A compare-and-swap that only tries
// again (Retries) is no wait in the cycle that its success leaves. What it has
// found is, for a cycle around that, a read like any other. Nor does a cycle
// wait that takes from a counter until it is beyond a bound (Counters), or by a
// read that finds nothing else later (FinalReads).
//
// Dependence is followed through values, through the branches that decide
// between the values of a phi, through what the cycle stores to shared and
// private memory and the branches that decide on the store, and through
// functions that it calls. A pointer may be into shared memory if one of the
// objects that it may lead to is, or a parameter of a function that is no
// kernel.
//
// A function that may call itself is not looked at as closely: any such read in
// it, or in what it calls, may decide whether it goes on.
//
//===----------------------------------------------------------------------===//

#include "analysis/legality/Waits.h"
#include "analysis/legality/Counters.h"
#include "analysis/legality/FinalReads.h"
#include "analysis/legality/KernelObjects.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/nvptx/Retries.h"
#include "analysis/nvptx/WaitReads.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include <set>
#include <tuple>

using namespace llvm;

namespace gridspan {

//===--- Reads on purpose -------------------------------------------------===//

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

/// Returns a read in F on purpose, or any if All, or in what it calls, of which
/// something may come: its result is used, and by more than a retry. Null if
/// there is none.
static const Instruction *findSynchronizingRead(const Function &F, bool All) {
  for (const Function *Reached : reachableFunctions(F)) {
    CycleInfo Cycles;
    Cycles.compute(const_cast<Function &>(*Reached));
    for (const Instruction &I : instructions(Reached)) {
      if (All && mayReadOfOthers(I))
        return &I;
      if (isSynchronizingRead(I) && !I.use_empty() && !isRetryWithin(I, Cycles))
        return &I;
    }
  }
  return nullptr;
}

//===--- Memory of the block ----------------------------------------------===//

/// Returns true if threads of the same block may find at Pointer what a
/// function that has returned has stored there.
static bool isSharedWithCaller(const Value *Pointer) {
  return Pointer->getType()->getPointerAddressSpace() != GlobalSpace &&
         !isa<AllocaInst>(getUnderlyingObject(Pointer));
}

/// Returns true if I is assembly that may write, or is said to.
static bool mayWriteInAssembly(const Instruction &I) {
  return isWritingAssembly(I) || (assemblyOf(I) && I.mayWriteToMemory());
}

/// Returns true if F, or what it calls, may change shared memory, or private
/// memory of its caller.
static bool mayStoreWithinBlock(const Function &F) {
  for (const Function *Reached : reachableFunctions(F))
    for (const Instruction &I : instructions(Reached)) {
      const Value *To = writtenBy(I);
      if ((To && isSharedWithCaller(To)) || mayWriteInAssembly(I))
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
  if (const Value *To = writtenBy(I)) {
    if (!MayBePrivate)
      return getUnderlyingObject(To) == getUnderlyingObject(From);
    if (mayBePrivate(To))
      return !areApart(To, From);
    // Assembly may be given an address of shared memory as a number.
    if (!assemblyOf(I) || knownObject(To))
      return false;
  }
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || !MayBePrivate || !mayReach(*Call, From))
    return false;
  const Function *Callee = calledBody(I);
  return mayWriteInAssembly(I) || (Callee && mayStoreWithinBlock(*Callee));
}

//===--- The search -------------------------------------------------------===//

namespace {

/// Looks for a read on which it depends whether a cycle is left.
class WaitSearch {
public:
  WaitSearch(const Cycle &C, const CycleInfo &Cycles);
  const Instruction *run();

private:
  bool contains(const Instruction *I) const {
    return C.contains(I->getParent());
  }
  bool isWaitedFor(const Instruction &I) const;
  void push(const Value *V, Course Way = Course::Any) {
    Work.push_back({V, Way});
  }
  void pushOperands(const Instruction &I, const Value *Followed = nullptr,
                    Course Way = Course::Any) {
    for (const Value *Operand : I.operands())
      push(Operand, Operand == Followed ? Way : Course::Any);
  }
  void pushExits();
  void pushBranches(const BasicBlock *Block);
  const Instruction *pushWrites(const Value *From, Course Way);
  void pushFollowed(const Instruction &I, Course Way);
  bool retriesEachTurn() const;
  bool tellsOfRetry(const Instruction &I);

  const Cycle &C;
  const CycleInfo &Cycles;
  /// Whoever reads memory in a cycle with a fence or a pause reads it anew each
  /// time.
  bool IsFenced = false;
  /// The blocks that pushBranches() was called for, or went through.
  SmallPtrSet<const BasicBlock *, 8> Decided;
  SmallVector<BasicBlock *, 4> Exiting;
  SmallVector<std::pair<const Value *, Course>, 16> Work;
  std::set<std::pair<const Value *, Course>> Seen;
  /// What pushWrites() was called for: a variable, whether the pointer may be
  /// private, and the course.
  std::set<std::tuple<const Value *, bool, Course>> Sources;
};

} // namespace

WaitSearch::WaitSearch(const Cycle &C, const CycleInfo &Cycles)
    : C(C), Cycles(Cycles) {
  for (const BasicBlock *Block : C.blocks())
    IsFenced |= any_of(*Block, isFenceOrPause);
  C.getExitingBlocks(Exiting);
}

bool WaitSearch::isWaitedFor(const Instruction &I) const {
  const auto *Copy = dyn_cast<MemTransferInst>(&I);
  const bool IsRead =
      isSynchronizingRead(I)
          ? !isRetry(I, C, Cycles)
          : (IsFenced || (Copy && Copy->isVolatile())) && mayReadOfOthers(I);
  return IsRead && !isFinalRead(I, C, Cycles);
}

/// Goes on with what decides whether a turn comes to Block: the branches from
/// which it may be reached before the header. What they decide for the next
/// turn is followed through values and memory.
void WaitSearch::pushBranches(const BasicBlock *Block) {
  SmallVector<const BasicBlock *, 8> Blocks = {Block};
  while (!Blocks.empty()) {
    const BasicBlock *To = Blocks.pop_back_val();
    if (!Decided.insert(To).second)
      continue;
    for (const BasicBlock *From : predecessors(To)) {
      if (!C.contains(From))
        continue;
      if (!boundedExit(*From, C)) // which pushExits() does, and always stays
        pushOperands(*From->getTerminator());
      if (From != C.getHeader())
        Blocks.push_back(From);
    }
  }
}

/// Goes on with the conditions of the exits. Where a turn may come to one exit
/// or another, unless a counted one ends the cycle, the branches matter too.
void WaitSearch::pushExits() {
  for (const BasicBlock *Block : Exiting)
    if (const std::optional<BoundedExit> Exit = boundedExit(*Block, C)) {
      push(Exit->Up, Course::Up);
      push(Exit->Down, Course::Down);
    } else {
      pushOperands(*Block->getTerminator());
    }
  const bool IsCounted = any_of(Exiting, [&](BasicBlock *Block) {
    return counterOfExit(*Block, C) && !mayPassBy(C, Block);
  });
  for (BasicBlock *Block : Exiting)
    if (!IsCounted && mayPassBy(C, Block))
      pushBranches(Block);
}

/// Goes on with what the cycle writes where a read from From may be. Returns a
/// call of a function that may write what it has read on purpose, or null.
const Instruction *WaitSearch::pushWrites(const Value *From, Course Way) {
  // Nothing below asks for more.
  if (!Sources.insert({getUnderlyingObject(From), mayBePrivate(From), Way})
           .second)
    return nullptr;
  for (const BasicBlock *Block : C.blocks())
    for (const Instruction &I : *Block) {
      if (!mayWriteTo(I, From))
        continue;
      if (const Function *Callee = calledBody(I))
        if (findSynchronizingRead(*Callee, IsFenced))
          return &I;
      if (isa<MemTransferInst>(I))
        push(&I, Way);
      const auto *Store = dyn_cast<StoreInst>(&I);
      pushOperands(I, Store ? Store->getValueOperand() : nullptr, Way);
      pushBranches(Block);
    }
  return nullptr;
}

/// Goes on with the operands of I, of which those that I follows are on the
/// same course.
void WaitSearch::pushFollowed(const Instruction &I, Course Way) {
  if (isa<PHINode>(I)) {
    for (const Value *Operand : I.operands())
      push(Operand, Way);
  } else if (const auto *Select = dyn_cast<SelectInst>(&I)) {
    push(Select->getCondition());
    push(Select->getTrueValue(), Way);
    push(Select->getFalseValue(), Way);
  } else {
    pushOperands(I, followedBy(I, C), Way);
  }
}

/// Returns true if each turn comes to a retry. Then only its failure leads to
/// another turn, whatever else is read.
bool WaitSearch::retriesEachTurn() const {
  SmallVector<BasicBlock *, 4> Retrying;
  for (BasicBlock *Block : C.blocks())
    if (any_of(*Block,
               [&](const Instruction &I) { return isRetry(I, C, Cycles); }))
      Retrying.push_back(Block);
  return !Retrying.empty() && !mayPassBy(C, Retrying);
}

/// Returns true if I tells only whether a retry has succeeded, in this cycle or
/// an inner one. In a turn that is followed by another one it has not, or the
/// inner cycle goes on until it has, or until another exit is taken, which the
/// branches tell.
bool WaitSearch::tellsOfRetry(const Instruction &I) {
  const Instruction *Swap = swapBehind(&I);
  const Cycle *Inner = Swap ? Cycles.getCycle(Swap->getParent()) : nullptr;
  if (!Inner || !isRetry(*Swap, *Inner, Cycles))
    return false;
  if (Inner != &C)
    for (const BasicBlock *Block : Inner->blocks())
      pushOperands(*Block->getTerminator());
  return true;
}

/// What a thread has read may come to the others, or back to itself, through a
/// variable in shared or private memory that the cycle writes.
const Instruction *WaitSearch::run() {
  if (retriesEachTurn())
    return nullptr;
  pushExits();
  while (!Work.empty()) {
    const auto [V, Way] = Work.pop_back_val();
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || !contains(I) || !Seen.insert({I, Way}).second)
      continue;
    if (isTaking(*I, Way, C) || tellsOfRetry(*I))
      continue;
    if (isWaitedFor(*I))
      return I;
    if (const Value *From = readBy(*I))
      if (const Instruction *Call = pushWrites(From, Way))
        return Call;
    if (const Function *Callee = calledBody(*I))
      if (findSynchronizingRead(*Callee, IsFenced))
        return I;
    // What decides between the values of a phi decides the exit as well.
    const auto *Phi = dyn_cast<PHINode>(I);
    if (Phi && count_if(Phi->blocks(), [&](const BasicBlock *Block) {
                 return C.contains(Block);
               }) > 1)
      pushBranches(Phi->getParent());
    pushFollowed(*I, Way);
  }
  return nullptr;
}

const Instruction *findWait(const CycleInfo &Cycles) {
  for (const Cycle *Top : Cycles.toplevel_cycles())
    for (const Cycle *C : depth_first(Top))
      if (const Instruction *Wait = WaitSearch(*C, Cycles).run())
        return Wait;
  return nullptr;
}

/// Returns true if F may call itself.
static bool isRecursive(const Function &F) {
  return any_of(instructions(F), [&](const Instruction &I) {
    const Function *Callee = calledBody(I);
    return Callee && reachableFunctions(*Callee).contains(&F);
  });
}

const Instruction *findRecursiveWait(const Function &F) {
  if (!isRecursive(F))
    return nullptr;
  return findSynchronizingRead(F, any_of(instructions(F), isFenceOrPause));
}

} // namespace gridspan
