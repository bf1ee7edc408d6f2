//===- CpuSpin.cpp - Loops that wait for another thread -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop may wait if the condition of one of its exits depends on a volatile or
// atomic access in it: nothing else lets it see what another thread stores. An
// exchange that only tries again (Retries) is the exception: it fails only when
// another thread has made progress, so it never has to wait (the usual loop
// around atomicCAS that implements another atomic operation).
// So may one that comes to its exits only by a branch that depends on such an
// access, or counts what such a branch leads to. An exit that every turn comes
// to, and that depends on nothing of that kind, ends the loop by itself.
// A loop that reads a clock waits for time to pass, which threads do together.
// At -O0 variables are in memory; a load from a stack slot is followed to the
// stores into it.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuSpin.h"
#include "analysis/nvptx/Retries.h"
#include "passes/cpu/CpuContext.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;
using namespace gridspan;

/// True if I gives something else in a later turn, whatever this thread does.
static bool changesByItself(const Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isVolatile() || Load->isAtomic();
  if (auto *Call = dyn_cast<CallInst>(&I)) {
    const Function *Callee = Call->getCalledFunction();
    return Callee && (Callee->getIntrinsicID() == Intrinsic::readcyclecounter ||
                      Callee->getName() == "__gridspan_cpu_nanoseconds");
  }
  return isa<AtomicRMWInst, AtomicCmpXchgInst>(I);
}

/// Returns the condition at the end of BB, or null.
static Value *conditionOf(BasicBlock &BB) {
  Instruction *Terminator = BB.getTerminator();
  if (auto *Branch = dyn_cast<BranchInst>(Terminator))
    return Branch->isConditional() ? Branch->getCondition() : nullptr;
  auto *Switch = dyn_cast<SwitchInst>(Terminator);
  return Switch ? Switch->getCondition() : nullptr;
}

namespace {

/// Walks from a condition to what it is computed from within a loop.
class Dependences {
public:
  Dependences(const Loop &L, const DominatorTree &Tree) : L(L), Tree(Tree) {}

  /// True if V depends on something that changes by itself and that Accept
  /// holds for.
  template <typename Fn> bool any(Value *V, Fn Accept) {
    Seen.clear();
    SmallVector<Value *> Work = {V};
    while (!Work.empty()) {
      auto *I = dyn_cast<Instruction>(Work.pop_back_val());
      if (!I || !L.contains(I) || !Seen.insert(I).second)
        continue;
      if (changesByItself(*I) && Accept(*I))
        return true;
      Work.append(I->op_begin(), I->op_end());
      if (auto *Phi = dyn_cast<PHINode>(I))
        addBranches(*Phi->getParent(), Work);
      addStores(*I, Work);
    }
    return false;
  }

private:
  /// Adds the conditions of the branches behind which ways meet in BB.
  void addBranches(BasicBlock &BB, SmallVectorImpl<Value *> &Work) {
    if (&BB == L.getHeader())
      return;
    const BasicBlock *Top = Tree.getNode(&BB)->getIDom()->getBlock();
    SmallVector<BasicBlock *, 8> Ways = {&BB};
    SmallPtrSet<BasicBlock *, 8> Reached;
    while (!Ways.empty())
      for (BasicBlock *From : predecessors(Ways.pop_back_val())) {
        if (!L.contains(From) || !Reached.insert(From).second)
          continue;
        if (Value *Condition = conditionOf(*From))
          Work.push_back(Condition);
        if (From != Top)
          Ways.push_back(From);
      }
  }

  /// Adds the values that the loop stores into the stack slot that I loads
  /// from.
  void addStores(Instruction &I, SmallVectorImpl<Value *> &Work) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !isa<AllocaInst>(Load->getPointerOperand()))
      return;
    for (User *U : Load->getPointerOperand()->users())
      if (auto *Store = dyn_cast<StoreInst>(U); Store && L.contains(Store))
        Work.push_back(Store->getValueOperand());
  }

  const Loop &L;
  const DominatorTree &Tree;
  SmallPtrSet<Instruction *, 16> Seen;
};

} // namespace

/// True if the exchange only tries again in the loop.
static bool retries(AtomicCmpXchgInst &Exchange, const Loop &L,
                    const CycleInfo &Cycles) {
  const Cycle *C = Cycles.getCycle(Exchange.getParent());
  return C && C->getHeader() == L.getHeader() && isRetry(Exchange, *C, Cycles);
}

static bool mayWait(const Loop &L, const CycleInfo &Cycles,
                    const DominatorTree &Tree) {
  Dependences Conditions(L, Tree);
  auto DependsOnOthers = [&](BasicBlock *BB) {
    Value *Condition = conditionOf(*BB);
    return Condition && Conditions.any(Condition, [&](Instruction &I) {
      auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I);
      return !Exchange || !retries(*Exchange, L, Cycles);
    });
  };
  SmallVector<BasicBlock *> Exiting, Latches;
  L.getExitingBlocks(Exiting);
  L.getLoopLatches(Latches);
  if (any_of(Exiting, DependsOnOthers))
    return true;
  if (any_of(Exiting, [&](BasicBlock *Exit) {
        return all_of(Latches, [&](BasicBlock *Latch) {
          return Tree.dominates(Exit, Latch);
        });
      }))
    return false;
  return any_of(L.blocks(), DependsOnOthers);
}

bool gridspan::yieldInSpinLoops(Function &F) {
  assert(F.arg_size() >= NumCpuParams && "no thread parameters");
  DominatorTree Tree(F);
  LoopInfo Loops(Tree);
  CycleInfo Cycles;
  Cycles.compute(F);
  bool Found = false;
  for (Loop *L : Loops.getLoopsInPreorder()) {
    if (!mayWait(*L, Cycles, Tree))
      continue;
    CpuContext C(F);
    C.B.SetInsertPoint(L->getHeader(), L->getHeader()->getFirstInsertionPt());
    C.B.SetCurrentDebugLocation(DebugLoc());
    C.callWithBlock("yield", C.B.getVoidTy(), {});
    Found = true;
  }
  return Found;
}
