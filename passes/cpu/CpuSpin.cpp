//===- CpuSpin.cpp - Loops that wait for another thread -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop may wait if the condition of one of its exits depends on a volatile or
// atomic access in it: nothing else lets it see what another thread stores. An
// exchange whose expected value comes from an earlier turn, and whose success
// leaves the loop, is the exception: it fails only when another thread has made
// progress, so it never has to wait (the usual loop around atomicCAS that
// implements another atomic operation).
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

namespace {

/// Walks from a condition to what it is computed from within a loop.
class Dependences {
public:
  explicit Dependences(const Loop &L) : L(L) {}

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
      addStores(*I, Work);
    }
    return false;
  }

private:
  /// Returns the values that the loop stores into the stack slot that I loads
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
  SmallPtrSet<Instruction *, 16> Seen;
};

} // namespace

/// True if the exchange expects the value that an earlier turn found, and
/// leaves the loop if it finds that.
static bool retriesWithNewValue(AtomicCmpXchgInst &Exchange, const Loop &L,
                                const CycleInfo &Cycles) {
  const Cycle *C = Cycles.getCycle(Exchange.getParent());
  return C && C->getHeader() == L.getHeader() &&
         Dependences(L).any(Exchange.getCompareOperand(),
                            [](Instruction &) { return true; }) &&
         leavesOnSuccess(Exchange, *C);
}

static bool mayWait(const Loop &L, const CycleInfo &Cycles) {
  SmallVector<BasicBlock *> Exiting;
  L.getExitingBlocks(Exiting);
  Dependences Conditions(L);
  return any_of(Exiting, [&](BasicBlock *BB) {
    Instruction *Terminator = BB->getTerminator();
    Value *Condition = nullptr;
    if (auto *Branch = dyn_cast<BranchInst>(Terminator))
      Condition = Branch->isConditional() ? Branch->getCondition() : nullptr;
    else if (auto *Switch = dyn_cast<SwitchInst>(Terminator))
      Condition = Switch->getCondition();
    return Condition && Conditions.any(Condition, [&](Instruction &I) {
      auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I);
      return !Exchange || !retriesWithNewValue(*Exchange, L, Cycles);
    });
  });
}

bool gridspan::yieldInSpinLoops(Function &F) {
  assert(F.arg_size() >= NumCpuParams && "no thread parameters");
  DominatorTree Tree(F);
  LoopInfo Loops(Tree);
  CycleInfo Cycles;
  Cycles.compute(F);
  bool Found = false;
  for (Loop *L : Loops.getLoopsInPreorder()) {
    if (!mayWait(*L, Cycles))
      continue;
    CpuContext C(F);
    C.B.SetInsertPoint(L->getHeader(), L->getHeader()->getFirstInsertionPt());
    C.B.SetCurrentDebugLocation(DebugLoc());
    C.callWithBlock("yield", C.B.getVoidTy(), {});
    Found = true;
  }
  return Found;
}
