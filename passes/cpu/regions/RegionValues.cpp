//===- RegionValues.cpp - Values that live across barriers ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value lives across a barrier if its use is reached from behind the barrier
// without passing its definition. Values such as indices are functions of
// parameters and of uniform values; computing them again keeps addresses affine
// in threadIdx, which loading them would not. That is sound: the operands that
// such a value was computed from dominate it, so none of them is computed again
// on a way from it to its use that does not pass it. Other values become
// variables.
//
// Uniform values are found after that, since a value that is the same for all
// threads in a loop need not be for those that leave the loop at different
// times, which depends on where its uses are.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/regions/RegionValues.h"
#include "passes/cpu/regions/Uniformity.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace gridspan;

//===--- Uses behind barriers -------------------------------------------===//

namespace {

/// Answers what lives across a barrier.
class CrossingUses {
public:
  explicit CrossingUses(ArrayRef<BasicBlock *> Entries) : Entries(Entries) {}

  bool crosses(const Instruction &Def, const Use &U) {
    const auto *User = cast<Instruction>(U.getUser());
    const BasicBlock *At = User->getParent();
    if (auto *Phi = dyn_cast<PHINode>(User))
      At = Phi->getIncomingBlock(U);
    return At != Def.getParent() && behind(Def.getParent()).contains(At);
  }
  bool crosses(const Instruction &Def) {
    return any_of(Def.uses(), [&](const Use &U) { return crosses(Def, U); });
  }
  using BlockSet = SmallPtrSet<const BasicBlock *, 16>;
  /// Returns true if a barrier may lie between two executions of Blocks, and no
  /// block of Fresh between it and the later one, nor is the later one in it.
  bool separates(const BlockSet &Blocks, const BlockSet &Fresh);

private:
  static void addReached(SmallVector<const BasicBlock *> Work, BlockSet &Out,
                         const BlockSet &Without) {
    while (!Work.empty()) {
      const BasicBlock *BB = Work.pop_back_val();
      if (!Without.contains(BB) && Out.insert(BB).second)
        Work.append(succ_begin(BB), succ_end(BB));
    }
  }
  /// Returns what is reached from behind a barrier without passing Def.
  const BlockSet &behind(const BasicBlock *Def) {
    auto [It, IsNew] = Behind.try_emplace(Def);
    if (IsNew)
      addReached({Entries.begin(), Entries.end()}, It->second, {Def});
    return It->second;
  }

  const ArrayRef<BasicBlock *> Entries;
  DenseMap<const BasicBlock *, BlockSet> Behind;
};

} // namespace

bool CrossingUses::separates(const BlockSet &Blocks, const BlockSet &Fresh) {
  SmallVector<const BasicBlock *> Left;
  for (const BasicBlock *BB : Blocks)
    Left.append(succ_begin(BB), succ_end(BB));
  BlockSet AfterBlocks;
  addReached(std::move(Left), AfterBlocks, {});
  SmallVector<const BasicBlock *> Passed;
  for (const BasicBlock *Entry : Entries)
    if (AfterBlocks.contains(Entry))
      Passed.push_back(Entry);
  BlockSet After;
  addReached(std::move(Passed), After, Fresh);
  return any_of(Blocks,
                [&](const BasicBlock *BB) { return After.contains(BB); });
}

//===--- Computing again ------------------------------------------------===//

namespace {

class Recomputation {
public:
  Recomputation(Function &F, CrossingUses &Uses) : Uniform(F), Uses(Uses) {}

  /// Computes Def again for its uses behind barriers, if it is cheap.
  void apply(Instruction &Def) {
    unsigned Budget = MostInstructions;
    if (!isPure(Def) || !isCheap(&Def, Budget))
      return;
    SmallVector<Use *> Crossing;
    for (Use &U : Def.uses())
      if (Uses.crosses(Def, U))
        Crossing.push_back(&U);
    DenseMap<BasicBlock *, Value *> Copies;
    for (Use *U : Crossing) {
      auto *User = cast<Instruction>(U->getUser());
      auto *Phi = dyn_cast<PHINode>(User);
      BasicBlock *At = Phi ? Phi->getIncomingBlock(*U) : User->getParent();
      Value *&Copy = Copies[At];
      if (!Copy) {
        IRBuilder<> B(At, At->getFirstInsertionPt());
        DenseMap<Instruction *, Value *> Done;
        Copy = emit(&Def, Done, B);
      }
      U->set(Copy);
    }
  }

private:
  static constexpr unsigned MostInstructions = 24;

  static bool isPure(const Instruction &I) {
    // A second freeze may choose another value.
    if (isa<PHINode, AllocaInst, FreezeInst>(I))
      return false;
    if (auto *Load = dyn_cast<LoadInst>(&I))
      return Load->hasMetadata(LLVMContext::MD_invariant_load) &&
             isa<Argument>(getUnderlyingObject(Load->getPointerOperand()));
    if (isa<CallBase>(I) && !isa<IntrinsicInst>(I))
      return false;
    return !I.mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(&I);
  }
  /// Returns true if V is known behind a barrier or soon computed from what is.
  bool isCheap(Value *V, unsigned &Budget) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || isa<AllocaInst>(I))
      return true;
    if (Budget == 0)
      return false;
    --Budget;
    if (isPure(*I) &&
        all_of(I->operands(), [&](Use &U) { return isCheap(U, Budget); }))
      return true;
    return Uniform.isUniform(I);
  }
  /// Precondition: isCheap(V).
  Value *emit(Value *V, DenseMap<Instruction *, Value *> &Done,
              IRBuilder<> &B) {
    auto *I = dyn_cast<Instruction>(V);
    unsigned Budget = MostInstructions;
    if (!I || !isPure(*I) ||
        !all_of(I->operands(), [&](Use &U) { return isCheap(U, Budget); }))
      return V;
    if (Value *Copy = Done.lookup(I))
      return Copy;
    Instruction *Copy = I->clone();
    for (Use &Operand : Copy->operands())
      Operand.set(emit(Operand.get(), Done, B));
    Copy->setDebugLoc(DebugLoc());
    B.Insert(Copy, I->getName());
    Done[I] = Copy;
    return Copy;
  }

  Uniformity Uniform;
  CrossingUses &Uses;
};

} // namespace

//===--- Variables ------------------------------------------------------===//

/// Returns true if a thread may find in the variable what it had before a
/// barrier, or may know its address from then. Where its lifetime starts, it
/// has nothing.
static bool livesAcross(AllocaInst &Variable, CrossingUses &Uses) {
  CrossingUses::BlockSet Blocks;
  DenseMap<const BasicBlock *, const Instruction *> FirstUser;
  SmallVector<Value *> Work = {&Variable};
  SmallPtrSet<Value *, 8> Seen;
  while (!Work.empty()) {
    Value *V = Work.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    for (User *U : V->users()) {
      auto *I = cast<Instruction>(U);
      Blocks.insert(I->getParent());
      const Instruction *&First = FirstUser[I->getParent()];
      if (!First || I->comesBefore(First))
        First = I;
      auto *Store = dyn_cast<StoreInst>(I);
      if (isa<GetElementPtrInst, BitCastInst, AddrSpaceCastInst, PHINode,
              SelectInst>(I)) {
        if (Uses.crosses(*I))
          return true;
        Work.push_back(I);
      } else if (!(isa<LoadInst, MemIntrinsic>(I) ||
                   I->isLifetimeStartOrEnd() ||
                   (Store && Store->getValueOperand() != V))) {
        return true; // it is not known who has its address
      }
    }
  }
  CrossingUses::BlockSet Fresh;
  for (auto [BB, First] : FirstUser) {
    auto *Call = dyn_cast<IntrinsicInst>(First);
    if (Call && Call->getIntrinsicID() == Intrinsic::lifetime_start &&
        Call->getArgOperand(1) == &Variable)
      Fresh.insert(BB);
  }
  return Uses.separates(Blocks, Fresh);
}

SmallVector<RegionVariable>
gridspan::spillValues(Function &F, ArrayRef<BasicBlock *> Entries) {
  CrossingUses Uses(Entries);
  auto FindCrossing = [&] {
    SmallVector<Instruction *> Out;
    for (Instruction &I : instructions(F))
      if (!isa<AllocaInst>(I) && Uses.crosses(I))
        Out.push_back(&I);
    return Out;
  };
  {
    Recomputation Again(F, Uses);
    for (Instruction *I : FindCrossing())
      Again.apply(*I);
  }
  SmallVector<RegionVariable> Out;
  for (Instruction &I : F.getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I); A && livesAcross(*A, Uses))
      Out.push_back({A, false, true});
  const SmallVector<Instruction *> Crossing = FindCrossing();
  SmallVector<bool> IsUniform;
  {
    Uniformity Uniform(F);
    for (Instruction *I : Crossing)
      IsUniform.push_back(Uniform.isUniformInAllUses(*I));
  }
  for (auto [I, Same] : zip(Crossing, IsUniform))
    Out.push_back({DemoteRegToStack(*I), Same, false});
  return Out;
}
