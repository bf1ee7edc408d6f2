//===- CpuWaits.cpp - Waiting for other threads ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Going to another thread takes much longer than an instruction. Both bounds
// below are chosen, not fitted.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuWaits.h"
#include "passes/common/CpuNames.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace gridspan {

/// Smaller functions are compiled quickly in any case.
static constexpr size_t LargeSize = 1000;

/// A function that waits once in so many instructions mostly waits.
static constexpr size_t InstructionsForWait = 32;

static bool isWait(const Instruction &I) {
  constexpr StringLiteral Waiting[] = {
      "barrier",     "barrier_reduce", "barrier_arrive",      "warp_sync",
      "warp_vote",   "warp_shuffle",   "warp_match_any",      "warp_match_all",
      "warp_reduce", "warp_multiply",  "active_mask",         "yield",
      "exit",        "mbarrier_test",  "mbarrier_test_parity"};
  return is_contained(Waiting, runtimeCall(I));
}

bool waits(const Function &F) { return any_of(instructions(F), isWait); }

bool hasLoop(Function &F) {
  const DominatorTree DT(F);
  return !LoopInfo(DT).empty();
}

bool mostlyWaits(Function &F) {
  const size_t Size = F.getInstructionCount();
  const size_t Waits = count_if(instructions(F), isWait);
  if (Size < LargeSize || Waits * InstructionsForWait < Size)
    return false;
  // What a loop without a wait does may be most of the work.
  const DominatorTree DT(F);
  const LoopInfo Loops(DT);
  return all_of(Loops.getLoopsInPreorder(), [](const Loop *L) {
    return any_of(L->blocks(),
                  [](const BasicBlock *BB) { return any_of(*BB, isWait); });
  });
}

} // namespace gridspan
