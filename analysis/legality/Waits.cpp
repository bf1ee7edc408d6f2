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
// any in a cycle with a fence or a pause, or that has nothing else by which it
// could end. A compare-and-swap that only tries again (Retries) is no wait in
// the cycle that its success leaves. What it has found is, for a cycle around
// that, a read like any other. Nor does a cycle wait that takes from a counter
// until it is beyond a bound (Counters), or by a read that finds nothing else
// later (FinalReads).
//
// Dependence is followed through values, through the branches that decide
// between the values of a phi, through memory that the cycle writes (Places)
// and the branches that decide on the store, and through functions that it
// calls.
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
#include "analysis/nvptx/Places.h"
#include "analysis/nvptx/Retries.h"
#include "analysis/nvptx/WaitReads.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include <set>

using namespace llvm;

namespace gridspan {

//===--- Reads on purpose -------------------------------------------------===//

/// Returns true if what I reads may be used: as its result, by a copy, or
/// because F reads the place of an atomic operation.
static bool isUsed(const Instruction &I, const Function &F) {
  if (!I.use_empty() || !placeOfAtomic(I))
    return !I.use_empty() || writesWhatItReads(I);
  Places Memory;
  return any_of(instructions(F), [&](const Instruction &Other) {
    return isa<LoadInst>(Other) && Memory.mayWriteTo(I, readBy(Other));
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
      if (isSynchronizingRead(I) && isUsed(I, *Reached) &&
          !isRetryWithin(I, Cycles))
        return &I;
    }
  }
  return nullptr;
}

/// Returns true if I changes memory of other blocks by what it finds there.
static bool isAtomicOfOthers(const Instruction &I) {
  return isSynchronizingRead(I) && writesWhatItReads(I);
}

/// Returns true if F, or what it calls, may read memory that its caller may
/// have written.
static bool mayReadOfCaller(const Function &F) {
  return reachesAny(F, [](const Instruction &I) {
    const Value *From = readBy(I);
    return From ? !isConstantMemory(From) &&
                      !isa<AllocaInst>(getUnderlyingObject(From))
                : mayReadAnywhere(I);
  });
}

//===--- The search -------------------------------------------------------===//

namespace {

/// Looks for a read on which it depends whether a cycle is left.
class WaitSearch {
public:
  WaitSearch(const Cycle &C, const CycleInfo &Cycles, Places &Memory);
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
  void addBefore(SmallVector<const BasicBlock *, 8> Blocks,
                 const BasicBlock *Around,
                 SmallPtrSetImpl<const BasicBlock *> &Before) const;
  void pushBranches(const BasicBlock *Block);
  void pushInnerExits(const BasicBlock *Block);
  void pushChoices(const PHINode &Phi);
  bool storesPlainly(const Value *Place) const;
  bool passesOn(const Instruction &I, const Instruction &Reader) const;
  bool mayMeetOnPurpose(const Value *To, const Value *From);
  const Instruction *pushWrites(const Instruction &Reader, Course Way);
  void pushFollowed(const Instruction &I, Course Way);
  bool retriesEachTurn() const;
  bool tellsOfRetry(const Instruction &I);
  bool mayGoOnBy(const Instruction &I) const;

  const Cycle &C;
  const CycleInfo &Cycles;
  Places &Memory;
  /// Whoever reads memory in a cycle with a fence or a pause reads it anew each
  /// time.
  bool IsFenced = false;
  /// True if what the cycle does may bring it to an exit.
  bool GoesOn = false;
  /// The blocks that pushBranches() was called for.
  SmallPtrSet<const BasicBlock *, 8> Decided;
  SmallVector<BasicBlock *, 4> Exiting;
  SmallVector<std::pair<const Value *, Course>, 16> Work;
  std::set<std::pair<const Value *, Course>> Seen;
};

} // namespace

WaitSearch::WaitSearch(const Cycle &C, const CycleInfo &Cycles, Places &Memory)
    : C(C), Cycles(Cycles), Memory(Memory) {
  for (const BasicBlock *Block : C.blocks())
    IsFenced |= any_of(*Block, isFenceOrPause);
  C.getExitingBlocks(Exiting);
}

bool WaitSearch::isWaitedFor(const Instruction &I) const {
  const bool IsRead = isSynchronizingRead(I) ? !isRetry(I, C, Cycles)
                                             : IsFenced && mayReadOfOthers(I);
  return IsRead && !isFinalRead(I, C, Cycles);
}

/// Adds the blocks from which a turn may come to one of Blocks, without Around,
/// and Blocks.
void WaitSearch::addBefore(SmallVector<const BasicBlock *, 8> Blocks,
                           const BasicBlock *Around,
                           SmallPtrSetImpl<const BasicBlock *> &Before) const {
  Before.insert(Blocks.begin(), Blocks.end());
  while (!Blocks.empty()) {
    const BasicBlock *To = Blocks.pop_back_val();
    if (To == C.getHeader())
      continue;
    for (const BasicBlock *From : predecessors(To))
      if (From != Around && C.contains(From) && Before.insert(From).second)
        Blocks.push_back(From);
  }
}

/// Goes on with what decides whether, and how often, a turn comes to Block: the
/// branches from which it may do so or go to the next turn. What they decide
/// for that is followed through values and memory.
void WaitSearch::pushBranches(const BasicBlock *Block) {
  if (Block == C.getHeader() || !Decided.insert(Block).second)
    return;
  SmallVector<const BasicBlock *, 8> Last;
  for (const BasicBlock *From : predecessors(C.getHeader()))
    if (From != Block && C.contains(From))
      Last.push_back(From);
  SmallPtrSet<const BasicBlock *, 16> Without, With;
  addBefore(Last, Block, Without);
  addBefore({Block}, nullptr, With);
  for (const BasicBlock *From : With)
    // An exit of that kind stays where it is, and pushExits() has seen it.
    if (From != Block && Without.contains(From) && !boundedExit(*From, C))
      pushOperands(*From->getTerminator());
  pushInnerExits(Block);
}

/// Goes on with what ends the turns of inner cycles that Block is in, and with
/// the retries there, whose failures may be counted.
void WaitSearch::pushInnerExits(const BasicBlock *Block) {
  for (const Cycle *Inner = Cycles.getCycle(Block); Inner && Inner != &C;
       Inner = Inner->getParentCycle()) {
    SmallVector<BasicBlock *, 4> Last;
    Inner->getExitingBlocks(Last);
    for (const BasicBlock *From : Last)
      pushOperands(*From->getTerminator());
    for (const BasicBlock *At : Inner->blocks())
      for (const Instruction &I : *At)
        if (isRetry(I, *Inner, Cycles))
          push(&I);
  }
}

/// Goes on with what decides between the values of the phi: the branches from
/// which a turn may come to it with one and with another, and those that end
/// the turns of inner cycles around it.
void WaitSearch::pushChoices(const PHINode &Phi) {
  DenseMap<const BasicBlock *, const Value *> Only;
  SmallPtrSet<const BasicBlock *, 8> Choices;
  for (const BasicBlock *Last : Phi.blocks()) {
    if (!C.contains(Last))
      continue;
    const Value *Chosen = Phi.getIncomingValueForBlock(Last);
    SmallPtrSet<const BasicBlock *, 16> Before;
    addBefore({Last}, Phi.getParent(), Before);
    for (const BasicBlock *From : Before)
      if (Only.try_emplace(From, Chosen).first->second != Chosen)
        Choices.insert(From);
  }
  for (const BasicBlock *From : Choices)
    if (!boundedExit(*From, C))
      pushOperands(*From->getTerminator());
  pushInnerExits(Phi.getParent());
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

/// Returns true if both pointers are the same, but for loads from the same
/// place.
static bool lookAlike(const Value *A, const Value *B, unsigned Depth = 0) {
  constexpr unsigned MaxDepth = 4;
  A = A->stripPointerCasts();
  B = B->stripPointerCasts();
  if (A == B)
    return true;
  const auto *L = dyn_cast<Operator>(A), *R = dyn_cast<Operator>(B);
  if (!L || !R || L->getOpcode() != R->getOpcode() ||
      L->getNumOperands() != R->getNumOperands() || Depth == MaxDepth ||
      !isa<LoadInst, GEPOperator>(L))
    return false;
  return equal(drop_begin(L->operands()), drop_begin(R->operands())) &&
         lookAlike(L->getOperand(0), R->getOperand(0), Depth + 1);
}

/// Returns true if the pointers may be derived from the same one, or from two
/// that are loaded from the same place.
static bool haveSameBase(const Value *A, const Value *B) {
  SmallVector<const Value *, 4> Left, Right;
  getUnderlyingObjects(A, Left, /*LI=*/nullptr, /*MaxLookup=*/0);
  getUnderlyingObjects(B, Right, /*LI=*/nullptr, /*MaxLookup=*/0);
  return any_of(Left, [&](const Value *L) {
    return any_of(Right, [&](const Value *R) { return lookAlike(L, R); });
  });
}

/// Returns true if the cycle stores to the object at Place as if that were its
/// own. If it is not, such a store races with what other blocks do there.
bool WaitSearch::storesPlainly(const Value *Place) const {
  return any_of(C.blocks(), [&](const BasicBlock *Block) {
    return any_of(*Block, [&](const Instruction &I) {
      const auto *Store = dyn_cast<StoreInst>(&I);
      return Store && Store->isSimple() &&
             haveSameBase(Store->getPointerOperand(), Place);
    });
  });
}

/// Returns true if what I has read may come to Reader, since I writes it, or
/// changes it by an atomic operation.
bool WaitSearch::passesOn(const Instruction &I,
                          const Instruction &Reader) const {
  if (!writesWhatItReads(I))
    return false;
  const Value *Place = placeOfAtomic(I), *From = readBy(Reader);
  return !Place || isPrivateMemory(Place) ||
         (From && haveSameBase(Place, From) && !storesPlainly(Place));
}

/// Returns false for pointers of unknown origin that, for all that is known,
/// lead to different arrays of global memory. What is stored there may be what
/// is read, but where to and whether it is stored tell nothing.
bool WaitSearch::mayMeetOnPurpose(const Value *To, const Value *From) {
  return haveSameBase(To, From) || Memory.mayBePrivate(To) ||
         Memory.mayBePrivate(From);
}

/// Goes on with what the cycle writes where Reader reads. Returns a call of a
/// function that may write what it has read on purpose, or null.
const Instruction *WaitSearch::pushWrites(const Instruction &Reader,
                                          Course Way) {
  const Value *From = readBy(Reader);
  for (const BasicBlock *Block : C.blocks())
    for (const Instruction &I : *Block) {
      if (!Memory.mayWriteTo(I, From) || areFieldsApart(Reader, I))
        continue;
      GoesOn = true;
      if (const Function *Callee = calledBody(I))
        if (findSynchronizingRead(*Callee, IsFenced) ||
            reachesAny(*Callee, isAtomicOfOthers))
          return &I;
      if (passesOn(I, Reader))
        push(&I, isa<MemTransferInst>(I) ? Way : Course::Any);
      const Value *To = writtenBy(I);
      const bool IsKnown = !To || !From || mayMeetOnPurpose(To, From);
      const auto *Store = dyn_cast<StoreInst>(&I);
      const Value *Stored = Store ? Store->getValueOperand() : nullptr;
      for (const Value *Operand : I.operands())
        if (IsKnown || Operand == Stored || !Operand->getType()->isPointerTy())
          push(Operand, Operand == Stored ? Way : Course::Any);
      if (IsKnown)
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

/// Returns true if I may give something else in another turn by what the block
/// does, or if time passes.
bool WaitSearch::mayGoOnBy(const Instruction &I) const {
  if (isa<PHINode>(I))
    return is_contained(C.getEntries(), I.getParent());
  if (isa<LoadInst>(I))
    return isSynchronizingRead(I) || isPrivateMemory(readBy(I));
  if (const auto *Call = dyn_cast<IntrinsicInst>(&I)) {
    // Threads tell each other what they have.
    constexpr StringRef Exchanges[] = {"shfl", "vote", "match", "redux",
                                       "barrier"};
    StringRef Name = Call->getCalledFunction()->getName();
    if (Name.consume_front("llvm.nvvm.") &&
        any_of(Exchanges,
               [&](StringRef Begin) { return Name.starts_with(Begin); }))
      return false;
  }
  return I.mayReadFromMemory() || I.mayHaveSideEffects();
}

/// What a thread has read may come to the others, or back to itself, through
/// memory that the cycle writes. Where nothing makes a turn differ from the one
/// before, only a read of others can end the cycle, whatever it is.
const Instruction *WaitSearch::run() {
  if (retriesEachTurn())
    return nullptr;
  pushExits();
  const Instruction *Read = nullptr;
  while (!Work.empty()) {
    const auto [V, Way] = Work.pop_back_val();
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || !contains(I) || !Seen.insert({I, Way}).second)
      continue;
    if (isTaking(*I, Way, C) || tellsOfRetry(*I)) {
      GoesOn = true;
      continue;
    }
    if (isWaitedFor(*I))
      return I;
    const Function *Callee = calledBody(*I);
    if (Callee && findSynchronizingRead(*Callee, IsFenced))
      return I;
    if (readBy(*I) || mayReadAnywhere(*I) ||
        (Callee && mayReadOfCaller(*Callee)))
      if (const Instruction *Call = pushWrites(*I, Way))
        return Call;
    if (const auto *Phi = dyn_cast<PHINode>(I))
      pushChoices(*Phi);
    pushFollowed(*I, Way);
    GoesOn |= mayGoOnBy(*I);
    if (mayReadOfOthers(*I))
      Read = I;
  }
  return GoesOn ? nullptr : Read;
}

const Instruction *findWait(const CycleInfo &Cycles) {
  Places Memory;
  for (const Cycle *Top : Cycles.toplevel_cycles())
    for (const Cycle *C : depth_first(Top))
      if (const Instruction *Wait = WaitSearch(*C, Cycles, Memory).run())
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
