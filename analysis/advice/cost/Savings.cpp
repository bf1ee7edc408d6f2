//===- Savings.cpp - What a site without excess would save ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each bound of the launch is taken with what is left of it, and all of them
// are joined again: what one part of the GPU spares is no gain where another
// one is as busy, and nothing starts a launch sooner. L2 spares no more than
// the bytes that were fetched and that nobody used while they were in L1:
// sectors that other sites or later iterations use up have to come in any case.
// A warp waits for the passes of its requests one after the other, which is a
// small part of all that it waits for.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/cost/Savings.h"
#include "analysis/advice/cost/LoadWaits.h"
#include <cmath>

using namespace llvm;

namespace gridspan {

/// The bounds of a launch, joined as they are for its time.
static double joined(ArrayRef<double> Bounds, const MachineModel &Machine) {
  double Sum = 0;
  for (double Bound : Bounds.drop_front(unsigned(CostLimit::Blocks)))
    Sum += std::pow(Bound, Machine.FitSharpness);
  return std::pow(Sum, 1 / Machine.FitSharpness);
}

double savedSeconds(const MemorySite &Site, double Excess,
                    const KernelCost &Cost, const MachineModel &Machine) {
  auto Without = [](double Part, double Of) {
    return Of > 0 ? 1 - std::min(1.0, Part / Of) : 1;
  };
  std::array<double, NumCostLimits> Bounds = Cost.Bounds;
  auto Scale = [&](CostLimit Limit, double By) {
    Bounds[unsigned(Limit)] *= By;
  };
  double ByUnit = Without(Excess, Cost.SharedPasses);
  if (Site.Space == MemorySpace::Global) {
    double Missed = Site.Kind == SiteKind::Load && Cost.L1Sectors > 0
                        ? std::min(1.0, Cost.L2ReadSectors / Cost.L1Sectors)
                        : 1;
    double OfL2 = Excess * Missed;
    if (Site.Kind == SiteKind::Load)
      OfL2 = std::min(OfL2, Cost.L2ReadSectors - Cost.UsedSectors);
    double ByL2 = Without(OfL2, Cost.L2ReadSectors + Cost.L2WriteSectors);
    Scale(CostLimit::L2, ByL2);
    Scale(CostLimit::Memory, ByL2);
    ByUnit = Without(Excess, Cost.L1Sectors + Cost.L2WriteSectors);
    if (Site.Kind == SiteKind::Atomic)
      Scale(CostLimit::Atomics, Without(Excess, Cost.AtomicLanes));
  }
  Scale(CostLimit::LoadUnit, ByUnit);
  // A warp waits for one pass after the other, beside all else it waits for; in
  // a loop of exchanges for the tries of others.
  const double OfPass = Site.Space == MemorySpace::Shared ? 2 : 1;
  Scale(CostLimit::Latency,
        isExchangeLoop(Site)
            ? ByUnit
            : Without(Excess * OfPass, Cost.Warps * Cost.WarpCycles));
  return 1e-6 * (joined(Cost.Bounds, Machine) - joined(Bounds, Machine));
}

} // namespace gridspan
