//===- ChainPlanner.cpp - Plan a chain of out-of-core launches ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The chunks of each launch are made as if all of its frames had to come: they
// must not depend on what the launches before have left. A launch whose chunks
// would have to bring frames more than once, or to read the same from other
// devices again and again, gains nothing by company and more by the plans that
// one launch gets (OutOfCorePlanner.h).
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/ChainPlanner.h"
#include "runtime/outofcore/ChunkCandidates.h"
#include "runtime/outofcore/ReplicaPlanner.h"
#include <algorithm>

namespace gridspan {

/// To read so much from another device takes no time beside the bus.
static constexpr uint64_t FewBytes = 64 << 10;

/// Cost of a chunk beside its bytes: events, a launch.
static constexpr double StepSeconds = 2e-5;

/// The views of a launch's allocations before anything of them has come to a
/// device, with the frames marked that it overwrites.
static std::vector<PagedView> freshViews(const PlanInput &Launch,
                                         std::vector<PagedView> Views) {
  for (PagedView &V : Views)
    for (PagedView::Frame &F : V.Frames) {
      F.Where = Host;
      F.Dirty = false;
      F.Filled = true;
      F.Overwritten = false;
    }
  ChunkPartitioner Footprints(Launch, Views);
  for (unsigned A = 0; A < Launch.Allocations.size(); ++A)
    if (!Views[A].Frames.empty())
      Footprints.markOverwritten(A, Views[A]);
  return Views;
}

static unsigned devicesFor(const SystemInfo &System, Schedule Sched) {
  return Sched == Schedule::Single ? 1 : System.numDevices();
}

/// Returns true if the launch touches something that is paged. One that does
/// not is small, and runs on the first device.
static bool touchesPaged(const PlanInput &Launch,
                         const std::vector<PagedView> &Paged) {
  return std::any_of(Launch.Pointers.begin(), Launch.Pointers.end(),
                     [&](const PlacedPointer &P) {
                       return P.Allocation >= 0 &&
                              !Paged[P.Allocation].Frames.empty();
                     });
}

LaunchReason whyNotChained(const OutOfCoreInput &In, const SystemInfo &System,
                           Schedule Sched) {
  const PlanInput &Launch = In.Launch;
  if (const LaunchReason Why = whyUnsplit(In); Why != LaunchReason::None)
    return Why;
  if (atomicsInPlace(In))
    return LaunchReason::AtomicsOnHostPages;
  const unsigned Devices =
      touchesPaged(Launch, In.Paged) ? devicesFor(System, Sched) : 1;
  if (Devices > 1) {
    if (!System.allReachAll())
      return LaunchReason::NoPeerAccess;
    if (const LaunchReason Why = whyOneDevice(In, System, Sched);
        Why != LaunchReason::None)
      return Why;
  }
  for (unsigned A = 0; A < Launch.Allocations.size(); ++A) {
    if (outsideModes(Launch, A))
      return LaunchReason::PointerOutside;
    if (!In.Paged[A].Frames.empty() && pointerEscapes(In, A))
      return LaunchReason::PointerEscapes;
    if (mayLoseHostWrites(Launch, A, In.Paged[A]))
      return LaunchReason::HostMayWrite;
  }
  OutOfCoreInput Fresh = In;
  Fresh.Paged = freshViews(Launch, In.Paged);
  const std::optional<OutOfCorePlan> Sweep =
      ChunkCandidates(Fresh, System).sweep(Devices);
  if (!Sweep)
    return LaunchReason::ChunksLoadAgain;
  if (Devices > 1)
    for (const OutOfCoreReplica &R :
         wantedReplicas(Fresh, *Sweep, trafficOf(Fresh, *Sweep)))
      if (Launch.Allocations[R.Allocation].Bytes > FewBytes)
        return LaunchReason::ChunksWantCopies;
  return LaunchReason::None;
}

ChainPlanner::ChainPlanner(ChainInput Input, const SystemInfo &System,
                           Schedule Sched)
    : In(std::move(Input)), System(System), Devices(devicesFor(System, Sched)) {
  for (unsigned L = 0; L < In.Launches.size(); ++L) {
    OutOfCoreInput Fresh;
    Fresh.Launch = In.Launches[L];
    Fresh.Paged = freshViews(Fresh.Launch, In.Paged);
    Fresh.Budget = In.Budget;
    ChunkCandidates Cuts(Fresh, System);
    const std::optional<OutOfCorePlan> Sweep =
        Cuts.sweep(touchesPaged(Fresh.Launch, In.Paged) ? Devices : 1);
    Launches.emplace_back(Devices);
    Overwritten.emplace_back();
    for (const PagedView &V : Fresh.Paged) {
      Overwritten.back().emplace_back();
      for (const PagedView::Frame &F : V.Frames)
        Overwritten.back().back().push_back(F.Overwritten);
    }
    if (!Sweep)
      return;
    for (const OutOfCoreStep &From : Sweep->Steps) {
      ChainChunk C;
      C.Step.Launch = L;
      C.Step.Device = From.Device;
      C.Step.Lo = From.Lo;
      C.Step.Count = From.Count;
      C.Step.Uses = From.Uses;
      GridspanBox Box = Fresh.Launch.Box;
      std::copy_n(From.Lo.begin(), 3, Box.BlockLo);
      std::copy_n(From.Count.begin(), 3, Box.BlockCount);
      C.Bytes = Cuts.footprints().byteUses(Box);
      Launches.back()[From.Device].push_back(std::move(C));
    }
  }
  Order.emplace(Launches);
  std::vector<const PlanInput *> All;
  for (const PlanInput &L : In.Launches)
    All.push_back(&L);
  for (unsigned A = 0; A < In.Launches.front().Allocations.size(); ++A)
    Shared.push_back(hostSharing(All, A, In.Paged[A]));
}

static double seconds(const OutOfCorePlan &Plan, const SystemInfo &System,
                      unsigned Devices) {
  double HostToDevice = 0, DeviceToHost = 0;
  for (unsigned D = 0; D < Devices; ++D) {
    HostToDevice += System.Devices[D].HostToDevice;
    DeviceToHost += System.Devices[D].DeviceToHost;
  }
  return std::max(
             static_cast<double>(Plan.BytesIn) / std::max(1.0, HostToDevice),
             static_cast<double>(Plan.BytesOut) / std::max(1.0, DeviceToHost)) +
         StepSeconds * static_cast<double>(Plan.Steps.size());
}

OutOfCorePlan ChainPlanner::plan(const std::vector<uint64_t> &Budget) const {
  OutOfCorePlan Best;
  Best.Chunked = true;
  if (!Order)
    return Best;
  const auto Length = static_cast<unsigned>(Launches.size());
  for (unsigned Depth = Length;; Depth = (Depth + 1) / 2) {
    for (const bool Backward : {false, true}) {
      OutOfCorePlan Plan;
      Plan.Chunked = true;
      Plan.Depth = Depth;
      Plan.Steps = Order->walk({Depth, Backward});
      if (!scheduleFrames(In.Paged, Budget, Plan, /*Apart=*/false, Overwritten))
        continue;
      Plan.PredictedSeconds = seconds(Plan, System, Devices);
      if (Best.Steps.empty() || Plan.PredictedSeconds < Best.PredictedSeconds)
        Best = std::move(Plan);
    }
    if (Depth <= 1) {
      Best.Shared = Shared;
      Best.Least = leastTraffic(In.Paged, In.Budget, Best, false, Overwritten);
      return Best;
    }
  }
}

} // namespace gridspan
