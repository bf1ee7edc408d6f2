//===- NoAliasDispatch.cpp - Clones for distinct arguments ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A decision that depends on the arguments is found again by the same arguments
// only. A kernel whose arguments change with each launch would be decided anew
// each time, which takes longer than the clone gains. So decisions are counted,
// and a kernel with too many for its launches is given up for good.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/NoAliasDispatch.h"
#include "runtime/launch/LaunchLimits.h"
#include "runtime/plan/ArgumentOverlap.h"
#include "runtime/report/Report.h"

namespace gridspan {

/// The number of decisions by arguments after which a kernel must have had
/// twice as many launches, or its clone is given up.
static constexpr uint64_t TriedDecisions = 64;

bool NoAliasDispatch::wants(const GridspanKernel &Kernel) const {
  if (!Kernel.NoAliasStub)
    return false;
  for (const std::atomic<const GridspanKernel *> &Entry : GivenUp) {
    const GridspanKernel *K = Entry.load(std::memory_order_relaxed);
    if (K == &Kernel)
      return false;
    if (!K)
      break;
  }
  return true;
}

void NoAliasDispatch::giveUp(const GridspanKernel &Kernel) {
  for (std::atomic<const GridspanKernel *> &Entry : GivenUp) {
    const GridspanKernel *None = nullptr;
    if (Entry.compare_exchange_strong(None, &Kernel) || None == &Kernel)
      return;
  }
}

bool NoAliasDispatch::decide(const LaunchRequest &R, const PlanInput &In,
                             Decision &D) {
  LaunchTarget Target = R.Target;
  if (!wants(*Target.Kernel)) {
    if (Target.Kernel->NoAliasStub)
      D.Counters->WhyMayAlias = LaunchReason::ArgumentsChangeEachTime;
    return false;
  }
  DistinctArguments Distinct = areArgumentsDistinct(In);
  Target.NoAlias = true;
  // To ask loads the code.
  if (Distinct.WhyNot == LaunchReason::None && !takesBlocks(B, Target, R.Shape))
    Distinct.WhyNot = LaunchReason::CloneNeedsMoreRegisters;
  if (Distinct.DependsOnArguments) {
    D.HoldsWithin = {};
    if (++D.Counters->DecidedByArguments % TriedDecisions == 0) {
      const uint64_t Now = D.Counters->Launches.load();
      if (Now - D.Counters->LaunchesTried.exchange(Now) < 2 * TriedDecisions)
        giveUp(*Target.Kernel);
    }
  }
  D.NoAlias = Distinct.WhyNot == LaunchReason::None;
  if (!D.NoAlias)
    D.Counters->WhyMayAlias = Distinct.WhyNot;
  return Distinct.DependsOnArguments;
}

bool NoAliasDispatch::mayRunInParts(const LaunchRequest &R, Decision &D) {
  LaunchTarget Target = R.Target;
  Target.Tiled = true;
  Target.NoAlias = D.NoAlias;
  if (takesBlocks(B, Target, R.Shape))
    return true;
  Target.NoAlias = false;
  if (!D.NoAlias || !takesBlocks(B, Target, R.Shape))
    return false;
  D.NoAlias = false;
  D.Counters->WhyMayAlias = LaunchReason::CloneNeedsMoreRegisters;
  return true;
}

} // namespace gridspan
