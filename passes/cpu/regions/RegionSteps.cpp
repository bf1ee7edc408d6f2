//===- RegionSteps.cpp - Loops that threads take together -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks at innermost loops without side effects but stores. One is taken
// together if an access is at neighbouring addresses in neighbouring threads,
// and goes on by a cache line or more from turn to turn, other than in shared
// memory; and if no access is at
// addresses far apart in neighbouring threads. This is the interchange of loops
// of Allen and Kennedy ("Automatic Loop Interchange", 1984), by way of a
// barrier.
//
// In a loop in steps of a block, a turn goes as far as all threads together do.
// There, accesses may be at any known distance in neighbouring threads: memory
// is passed in its order then, and not once by each thread.
//
// A barrier that all threads pass never changes what a program without races
// computes. So distances between addresses need only be estimated.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/regions/RegionSteps.h"
#include "passes/common/CpuNames.h"
#include "passes/cpu/regions/CpuRegions.h"
#include "passes/cpu/regions/Distances.h"
#include "passes/cpu/regions/LoopExit.h"
#include "passes/cpu/regions/StridedLoop.h"
#include "passes/cpu/regions/Uniformity.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include <optional>

using namespace llvm;
using namespace gridspan;

//===--- Loops ----------------------------------------------------------===//

/// How threads should take a loop: one after the other, or together, if a turn
/// is a step of the block or in any case.
enum class Order { Apart, TogetherInSteps, Together };

/// Shared memory is in the processor's cache, in whichever order it is passed.
static bool isShared(const Value *Address) {
  constexpr unsigned SharedSpace = 3;
  while (Address->getType()->getPointerAddressSpace() != SharedSpace) {
    auto *From = dyn_cast<Operator>(Address);
    if (!From || !isa<GEPOperator, AddrSpaceCastOperator>(From))
      return false;
    Address = From->getOperand(0);
  }
  return true;
}

static Order orderOf(const Loop &L, const Argument &TidX) {
  constexpr int64_t CacheLine = 64;
  if (!L.isInnermost() || !L.getLoopLatch() || !L.getLoopPreheader())
    return Order::Apart;
  const DataLayout &DL = TidX.getParent()->getParent()->getDataLayout();
  Distances OfThreads(DL, L, false, TidX), OfTurns(DL, L, true, TidX);
  bool Found = false, AreNeighbours = true;
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB) {
      const Value *Address = getLoadStorePointerOperand(&I);
      if (!Address) {
        if (I.mayReadOrWriteMemory() && !I.isLifetimeStartOrEnd() &&
            !isa<AssumeInst>(I))
          return Order::Apart;
        continue;
      }
      if (I.isVolatile() || I.isAtomic())
        return Order::Apart;
      const int64_t Bytes = DL.getTypeStoreSize(getLoadStoreType(&I));
      const Distance Next = OfThreads.of(Address);
      if (Next.isZero())
        continue;
      const bool IsFar = OfTurns.of(Address).isAtLeast(CacheLine);
      Found |= IsFar && !isShared(Address);
      if (Next == Distance(Bytes))
        continue;
      if (!Next.isKnown() || !IsFar)
        return Order::Apart;
      AreNeighbours = false;
    }
  if (!Found)
    return Order::Apart;
  return AreNeighbours ? Order::Together : Order::TogetherInSteps;
}

/// Puts a barrier into loops that are taken together: into those in steps of a
/// block and, unless OnlyStrided, into others. Returns true if there are any.
static bool insertBarriers(Function &Kernel, bool OnlyStrided) {
  assert(Kernel.arg_size() >= NumCpuParams && "no thread parameters");
  Argument &TidX = *Kernel.getArg(1);
  DominatorTree Tree(Kernel);
  LoopInfo Loops(Tree);
  for (Loop *L : Loops.getLoopsInPreorder())
    if (L->isInnermost() && !L->getLoopPreheader())
      InsertPreheaderForLoop(L, &Tree, &Loops, nullptr,
                             /*PreserveLCSSA=*/false);
  bool HasNewExits = false;
  for (Loop *L : Loops.getLoopsInPreorder())
    if (orderOf(*L, TidX) != Order::Apart && joinExitWithGuard(*L, Tree)) {
      Tree.recalculate(Kernel);
      HasNewExits = true;
    }
  if (HasNewExits) {
    Loops.releaseMemory();
    Loops.analyze(Tree);
  }
  std::optional<Uniformity> Uniform;
  SmallVector<StridedLoop, 0> Strided;
  SmallVector<BasicBlock *> Latches;
  for (Loop *L : Loops.getLoopsInPreorder()) {
    const Order Wanted = orderOf(*L, TidX);
    if (Wanted == Order::Apart)
      continue;
    if (!Uniform)
      Uniform.emplace(Kernel);
    if (std::optional<StridedLoop> S = StridedLoop::find(*L, *Uniform, TidX))
      Strided.push_back(*S);
    else if (!OnlyStrided && Wanted == Order::Together)
      Latches.push_back(L->getLoopLatch());
  }
  for (StridedLoop &S : Strided)
    S.passTogether();
  for (BasicBlock *Latch : Latches) {
    IRBuilder<> B(Latch->getTerminator());
    emitBarrier(Kernel, B);
  }
  return !Strided.empty() || !Latches.empty();
}

bool gridspan::insertSteps(Function &Kernel) {
  return insertBarriers(Kernel, /*OnlyStrided=*/false);
}

bool gridspan::insertStridedSteps(Function &Kernel) {
  return insertBarriers(Kernel, /*OnlyStrided=*/true);
}
