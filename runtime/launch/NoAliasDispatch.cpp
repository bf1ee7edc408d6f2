//===- NoAliasDispatch.cpp - Clones for distinct arguments ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/NoAliasDispatch.h"
#include "runtime/launch/LaunchLimits.h"
#include "runtime/plan/ArgumentOverlap.h"
#include "runtime/report/Report.h"

namespace gridspan {

/// Of so many decisions by arguments for a kernel there have to be twice as
/// many launches, or its clone is given up.
static constexpr uint64_t TriedDecisions = 64;

bool NoAliasDispatch::wants(const GridspanKernel &Kernel) const {
  if (!Kernel.NoAliasStub)
    return false;
  for (const std::atomic<const GridspanKernel *> &Place : GivenUp) {
    const GridspanKernel *K = Place.load(std::memory_order_relaxed);
    if (K == &Kernel)
      return false;
    if (!K)
      break;
  }
  return true;
}

void NoAliasDispatch::giveUp(const GridspanKernel &Kernel) {
  for (std::atomic<const GridspanKernel *> &Place : GivenUp) {
    const GridspanKernel *None = nullptr;
    if (Place.compare_exchange_strong(None, &Kernel) || None == &Kernel)
      return;
  }
}

void NoAliasDispatch::decide(LaunchTarget Target, const LaunchShape &Shape,
                             const PlanInput &In, Decision &D) {
  if (!wants(*Target.Kernel)) {
    if (Target.Kernel->NoAliasStub)
      D.Counters->WhyMayAlias = "arguments-change-each-time";
    return;
  }
  DistinctArguments Distinct = areArgumentsDistinct(In);
  Target.NoAlias = true;
  for (bool Tiled : {false, true}) {
    Target.Tiled = Tiled;
    if (Tiled && !Target.Kernel->TiledNoAliasStub)
      continue;
    if (!takesBlocks(B, Target, Shape))
      Distinct.WhyNot = "clone-needs-more-registers";
  }
  if (Distinct.DependsOnArguments) {
    D.ForAllWithin = {};
    if (++D.Counters->DecidedByArguments % TriedDecisions == 0) {
      const uint64_t Now = D.Counters->Launches.load();
      if (Now - D.Counters->LaunchesTried.exchange(Now) < 2 * TriedDecisions)
        giveUp(*Target.Kernel);
    }
  }
  D.NoAlias = Distinct.WhyNot.empty();
  if (!D.NoAlias)
    D.Counters->WhyMayAlias = Distinct.WhyNot.data();
}

} // namespace gridspan
