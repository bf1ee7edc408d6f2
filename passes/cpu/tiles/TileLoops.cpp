//===- TileLoops.cpp - Loops that a tile of threads takes -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This is the "horizontal inner-loop parallelization" of pocl (Jaaskelainen et
// al., "pocl: A Performance-Portable OpenCL Implementation", IJPP 43, 2015):
// barriers of the compiler's own in loops of kernels that have none.
//
// It keeps results. CUDA gives threads between two barriers no order, so any
// order that keeps each thread's own is one that the program must work with.
// What tells programs about the order is left alone all the same: results of
// atomics, volatile accesses, loops that wait, and calls such as printf's.
//
// A loop is taken if all threads take the same turns, once they get there; if
// all get there or none; and if a turn is likely to become vectors: no access
// far from that of the neighbouring thread, and nothing that the vectorizer
// cannot handle. One whose own turns can be a vector is better left alone.
//
// There is a barrier on each side of a branch that leads to such a loop, or
// goes on with it. The branch is a region by itself then, which is run once and
// not by each thread, so that loops over threads have no other branches than
// those of a turn. Values that the ways bring to where they meet are put into
// variables before that.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/tiles/TileLoops.h"
#include "analysis/gridstride/StrideEffects.h"
#include "passes/common/CpuNames.h"
#include "passes/cpu/regions/CpuRegions.h"
#include "passes/cpu/regions/Distances.h"
#include "passes/cpu/regions/Uniformity.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace gridspan;

StringRef gridspan::refusalName(TileRefusal R) {
  switch (R) {
#define GRIDSPAN_TILE_REFUSAL(Kind, Name, Text)                                \
  case TileRefusal::Kind:                                                      \
    return Name;
#include "passes/cpu/tiles/TileLoops.def"
  }
  llvm_unreachable("covered");
}

StringRef gridspan::refusalText(TileRefusal R) {
  switch (R) {
#define GRIDSPAN_TILE_REFUSAL(Kind, Name, Text)                                \
  case TileRefusal::Kind:                                                      \
    return Text;
#include "passes/cpu/tiles/TileLoops.def"
  }
  llvm_unreachable("covered");
}

//===--- The whole kernel -----------------------------------------------===//

static bool isVolatile(const Instruction &I) {
  if (const auto *Call = dyn_cast<MemIntrinsic>(&I))
    return Call->isVolatile();
  return I.isVolatile();
}

/// Returns true if memory shows in which order threads have done it, or its
/// result when.
static bool showsOrder(const Instruction &I) {
  if (isVolatile(I))
    return true;
  if (const auto *Call = dyn_cast<IntrinsicInst>(&I))
    return Call->getIntrinsicID() == Intrinsic::readcyclecounter ||
           Call->getIntrinsicID() == Intrinsic::readsteadycounter;
  return I.isAtomic() && !commutativeOperation(I);
}

static std::optional<TileRefusal> whyNotTogether(const Instruction &I) {
  if (isa<AllocaInst>(I))
    return TileRefusal::PrivateMemory;
  if (showsOrder(I))
    return TileRefusal::ObservedOrder;
  if (isa<CallBase>(I) && !isa<IntrinsicInst>(I) && I.mayHaveSideEffects())
    return TileRefusal::Call;
  return std::nullopt;
}

//===--- Loops ----------------------------------------------------------===//

static bool isVectorizable(const Instruction &I) {
  if (I.isAtomic())
    return false;
  if (const auto *Call = dyn_cast<IntrinsicInst>(&I))
    return isTriviallyVectorizable(Call->getIntrinsicID()) ||
           Call->isAssumeLikeIntrinsic();
  return !isa<CallBase, SwitchInst>(I) &&
         (I.getType()->isVoidTy() ||
          VectorType::isValidElementType(I.getType()));
}

/// Returns why vectors of threads are not expected to be faster.
static std::optional<TileRefusal> whyNoVectors(const Loop &L,
                                               const Argument &Tid) {
  constexpr unsigned MostInstructions = 400, MostValues = 24;
  const DataLayout &DL = Tid.getParent()->getParent()->getDataLayout();
  Distances OfThreads(DL, L, false, Tid), OfTurns(DL, L, true, Tid);
  size_t Size = 0;
  bool IsVectorOfTurns = true;
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB) {
      ++Size;
      if (!isVectorizable(I))
        return TileRefusal::NotVectorizable;
      const Value *Address = getLoadStorePointerOperand(&I);
      if (!Address)
        continue;
      const auto Bytes = static_cast<int64_t>(
          DL.getTypeStoreSize(getLoadStoreType(const_cast<Instruction *>(&I))));
      // Of a structure, one member after the other.
      constexpr int64_t MostMembers = 4;
      const Distance Next = OfThreads.of(Address);
      if (!Next.isKnown() || Next.isAtLeast(MostMembers * Bytes + 1) ||
          (Next.isZero() && isa<StoreInst>(I)))
        return TileRefusal::FarApart;
      const Distance Turn = OfTurns.of(Address);
      IsVectorOfTurns &= Turn.isZero() || Turn == Distance(Bytes);
    }
  // Sums of floating point are computed in their order.
  for (const PHINode &Phi : L.getHeader()->phis())
    IsVectorOfTurns &= !Phi.getType()->isFloatingPointTy();
  if (IsVectorOfTurns)
    return TileRefusal::VectorOfTurns;
  if (Size > MostInstructions ||
      std::distance(L.getHeader()->phis().begin(),
                    L.getHeader()->phis().end()) > MostValues)
    return TileRefusal::TooLarge;
  return std::nullopt;
}

namespace {

class TileLoopFinder {
public:
  explicit TileLoopFinder(Function &Row) : Row(Row), Tid(*Row.getArg(1)) {}
  TileLoops run();

private:
  std::optional<TileRefusal> whyNot(const Loop &L);
  bool isReachedTogether(const BasicBlock &BB);
  void findBranches(ArrayRef<const Loop *> Taken);
  void insert(ArrayRef<const Loop *> Taken);

  Function &Row;
  const Argument &Tid;
  std::optional<Uniformity> Uniform;
  PostDominatorTree After;
  SetVector<BasicBlock *> Branches; ///< whose end is a region by itself
};

} // namespace

/// Returns true if no branch that threads may take differently decides whether
/// they get to BB.
bool TileLoopFinder::isReachedTogether(const BasicBlock &BB) {
  SetVector<const BasicBlock *> Work;
  Work.insert(&BB);
  for (unsigned I = 0; I != Work.size(); ++I)
    for (BasicBlock &From : Row) {
      if (succ_size(&From) < 2)
        continue;
      const auto Decides = [&](const BasicBlock *To) {
        return After.dominates(Work[I], To);
      };
      if (!any_of(successors(&From), Decides) ||
          all_of(successors(&From), Decides))
        continue;
      if (!Uniform->isUniformBranch(From))
        return false;
      Work.insert(&From);
    }
  return true;
}

std::optional<TileRefusal> TileLoopFinder::whyNot(const Loop &L) {
  if (!L.isInnermost())
    return TileRefusal::OuterLoop;
  BasicBlock *Latch = L.getLoopLatch();
  if (!Latch || !L.getLoopPreheader() || L.getExitingBlock() != Latch ||
      !L.getExitBlock())
    return TileRefusal::SeveralExits;
  if (!Uniform->isUniformBranch(*Latch))
    return TileRefusal::DivergentTurns;
  if (std::optional<TileRefusal> Why = whyNoVectors(L, Tid))
    return Why;
  if (!isReachedTogether(*L.getLoopPreheader()))
    return TileRefusal::DivergentEntry;
  return std::nullopt;
}

/// Finds the branches that all threads take together and that a loop may
/// follow, but those within a turn.
void TileLoopFinder::findBranches(ArrayRef<const Loop *> Taken) {
  SetVector<BasicBlock *> Before;
  for (const Loop *L : Taken)
    Before.insert(L->getHeader());
  for (unsigned I = 0; I != Before.size(); ++I)
    for (BasicBlock *From : predecessors(Before[I]))
      Before.insert(From);
  for (BasicBlock *BB : Before) {
    const bool IsInTurn = any_of(Taken, [&](const Loop *L) {
      return L->contains(BB) && L->getLoopLatch() != BB;
    });
    if (!IsInTurn && succ_size(BB) > 1 && Uniform->isUniformBranch(*BB))
      Branches.insert(BB);
  }
}

void TileLoopFinder::insert(ArrayRef<const Loop *> Taken) {
  findBranches(Taken);
  SetVector<BasicBlock *> Targets;
  for (BasicBlock *BB : Branches)
    Targets.insert(succ_begin(BB), succ_end(BB));
  SmallVector<PHINode *> Apart;
  for (BasicBlock *BB : Targets)
    for (PHINode &Phi : BB->phis())
      if (!Uniform->isUniform(&Phi))
        Apart.push_back(&Phi);
  for (const Loop *L : Taken) // how often to unroll was meant for one thread
    L->getLoopLatch()->getTerminator()->setMetadata(LLVMContext::MD_loop,
                                                    nullptr);
  for (PHINode *Phi : Apart)
    DemotePHIToStack(Phi);
  for (BasicBlock *BB : Branches) {
    IRBuilder<> B(BB->getTerminator());
    emitBarrier(Row, B);
  }
  for (BasicBlock *BB : Targets) {
    IRBuilder<> B(BB, BB->getFirstInsertionPt());
    emitBarrier(Row, B);
  }
}

TileLoops TileLoopFinder::run() {
  TileLoops Out;
  DominatorTree Tree(Row);
  LoopInfo Loops(Tree);
  if (Loops.empty())
    return Out;
  for (const Instruction &I : instructions(Row))
    if (!Out.Refusal)
      Out.Refusal = whyNotTogether(I);
  if (Out.Refusal)
    return Out;
  for (Loop *L : Loops.getLoopsInPreorder())
    if (L->isInnermost() && !L->getLoopPreheader())
      InsertPreheaderForLoop(L, &Tree, &Loops, nullptr,
                             /*PreserveLCSSA=*/false);
  Uniform.emplace(Row);
  After.recalculate(Row);
  SmallVector<const Loop *> Taken;
  for (const Loop *L : Loops.getLoopsInPreorder()) {
    Out.Loops.push_back(whyNot(*L));
    if (!Out.Loops.back())
      Taken.push_back(L);
  }
  Out.Found = !Taken.empty();
  if (Out.Found)
    insert(Taken);
  return Out;
}

TileLoops gridspan::insertTileBarriers(Function &Row) {
  assert(Row.arg_size() >= NumCpuParams && "no thread parameters");
  return TileLoopFinder(Row).run();
}
