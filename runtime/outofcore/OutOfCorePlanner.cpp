//===- OutOfCorePlanner.cpp - Plan an out-of-core launch ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ChunkCandidates.h finds the best way to divide the launch; here it is decided
// on how many devices, what they have copies of, and what stays in place.
//
// Chunks of several devices may read the same memory again and again from one
// of them. Then each device has a replica of it (ReplicaPlanner.h), unless the
// room for it costs more on the bus than the links took. The largest replica is
// given up first.
//
// Where devices do not reach each other's memory, frames that several of them
// touch go from one to the next over the host (FrameSchedule.h). What they all
// read gets replicas where that loads less, memory that is not paged must have
// them, and one device may be the fastest.
//
// A buffer of which a single block needs more than there is stays in place,
// the largest first, until the rest fits.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/OutOfCorePlanner.h"
#include "runtime/outofcore/ChunkCandidates.h"
#include "runtime/outofcore/ReplicaPlanner.h"
#include <algorithm>
#include <optional>

namespace gridspan {
namespace {

class OutOfCorePlanner {
public:
  OutOfCorePlanner(OutOfCoreInput &In, const SystemInfo &System,
                   Schedule Schedule)
      : In(In), System(System), Sched(Schedule), Apart(!System.allReachAll()),
        WhyOneDevice(whyOneDevice(In, System, Schedule)),
        Devices(WhyOneDevice == LaunchReason::None ? System.numDevices() : 1),
        Cuts(In, System) {}

  OutOfCorePlan run();

private:
  void leaveInPlace(unsigned Allocation, LaunchReason Why, OutOfCorePlan &Plan);
  void leaveNotMovable(OutOfCorePlan &Plan);
  bool leaveOneInPlace(OutOfCorePlan &Plan);
  std::optional<OutOfCorePlan>
  bestWith(const std::vector<OutOfCoreReplica> &Replicas, unsigned On);
  unsigned largest(const std::vector<OutOfCoreReplica> &Replicas) const;
  void addReplicas(OutOfCorePlan &Found);
  std::optional<OutOfCorePlan> bestApart();

  OutOfCoreInput &In;
  const SystemInfo &System;
  const Schedule Sched;
  const bool Apart; ///< some device does not reach another one's memory
  LaunchReason WhyOneDevice;
  unsigned Devices; ///< that may run chunks
  ChunkCandidates Cuts;
};

} // namespace

//===--- Replicas -------------------------------------------------------===//

/// The best plan with these replicas on Devices devices, but for what fills
/// them.
std::optional<OutOfCorePlan>
OutOfCorePlanner::bestWith(const std::vector<OutOfCoreReplica> &Replicas,
                           unsigned On) {
  const std::vector<uint64_t> Bytes = replicaBytes(In, Replicas, System);
  for (size_t D = 0; D < Bytes.size(); ++D)
    if (Bytes[D] > In.Budget[D])
      return std::nullopt;
  const std::vector<PagedView> Views = In.Paged;
  const std::vector<uint64_t> Budget = In.Budget;
  for (size_t D = 0; D < Bytes.size(); ++D)
    In.Budget[D] -= Bytes[D];
  for (const OutOfCoreReplica &R : Replicas)
    In.Paged[R.Allocation].keepOnHost();
  Cuts.footprints().forget();
  std::optional<OutOfCorePlan> Found = Cuts.best(On);
  if (Found) {
    Found->Replicas = Replicas;
    Found->ReplicaBytes = Bytes;
    const ReplicaTraffic Traffic = trafficOf(In, *Found);
    Found->LocalBytes = static_cast<uint64_t>(Traffic.Local);
    Found->RemoteBytes = static_cast<uint64_t>(Traffic.remote());
  }
  In.Paged = Views;
  In.Budget = Budget;
  Cuts.footprints().forget();
  return Found;
}

/// The largest allocation that replicas are of.
unsigned
OutOfCorePlanner::largest(const std::vector<OutOfCoreReplica> &Replicas) const {
  return std::max_element(
             Replicas.begin(), Replicas.end(),
             [&](const OutOfCoreReplica &L, const OutOfCoreReplica &R) {
               return In.Launch.Allocations[L.Allocation].Bytes <
                      In.Launch.Allocations[R.Allocation].Bytes;
             })
      ->Allocation;
}

/// The time to fill them does not count: it is done once for many launches.
void OutOfCorePlanner::addReplicas(OutOfCorePlan &Found) {
  const ReplicaTraffic Traffic = trafficOf(In, Found);
  Found.LocalBytes = static_cast<uint64_t>(Traffic.Local);
  Found.RemoteBytes = static_cast<uint64_t>(Traffic.remote());
  std::vector<OutOfCoreReplica> Wanted = wantedReplicas(In, Found, Traffic);
  std::vector<InPlaceArgument> Linked;
  auto GiveUp = [&](unsigned A) {
    Linked.push_back({A, LaunchReason::NoRoomForCopies});
    std::erase_if(Wanted,
                  [=](const OutOfCoreReplica &R) { return R.Allocation == A; });
  };
  for (unsigned A : In.NotReplicated)
    if (std::any_of(Wanted.begin(), Wanted.end(),
                    [=](const auto &R) { return R.Allocation == A; }))
      GiveUp(A);
  while (!Wanted.empty()) {
    std::optional<OutOfCorePlan> With = bestWith(Wanted, Devices);
    if (With && With->RemoteBytes < Found.RemoteBytes &&
        With->PredictedSeconds + linkSeconds(*With, System, Devices) <
            Found.PredictedSeconds + linkSeconds(Found, System, Devices)) {
      With->BytesIn += bytesToFill(In, Wanted, false);
      Found = std::move(*With);
      break;
    }
    GiveUp(largest(Wanted));
  }
  Found.Linked = std::move(Linked);
}

/// The best plan where a device reaches nothing but its own memory: frames that
/// several touch go from one to the next over the host, unless each has a copy.
std::optional<OutOfCorePlan> OutOfCorePlanner::bestApart() {
  const std::vector<OutOfCoreReplica> Needed =
      neededReplicas(In, System).value_or(std::vector<OutOfCoreReplica>());
  const bool Refused =
      std::any_of(Needed.begin(), Needed.end(), [&](const OutOfCoreReplica &R) {
        return std::find(In.NotReplicated.begin(), In.NotReplicated.end(),
                         R.Allocation) != In.NotReplicated.end();
      });
  std::optional<OutOfCorePlan> Best;
  if (!Refused) {
    Best = bestWith(Needed, Devices);
    std::vector<OutOfCoreReplica> Shared =
        sharedReplicas(In, Best ? &*Best : nullptr, Devices);
    std::optional<OutOfCorePlan> With;
    while (!With && !Shared.empty()) {
      std::vector<OutOfCoreReplica> All = Needed;
      All.insert(All.end(), Shared.begin(), Shared.end());
      With = bestWith(All, Devices);
      if (With && (!Best || With->PredictedSeconds < Best->PredictedSeconds)) {
        With->BytesIn += bytesToFill(In, All, true);
        Best = With;
      }
      std::erase_if(Shared, [A = largest(Shared)](const OutOfCoreReplica &R) {
        return R.Allocation == A;
      });
    }
  }
  if (Best && splitsAll(Sched))
    return Best;
  std::optional<OutOfCorePlan> Alone = bestWith({}, 1);
  if (!Alone || (Best && Best->PredictedSeconds <= Alone->PredictedSeconds))
    return Best;
  WhyOneDevice = Refused || (!Best && !Needed.empty())
                     ? LaunchReason::NoPeerAccess
                     : LaunchReason::NoPeerSharing;
  return Alone;
}

//===--- In place -------------------------------------------------------===//

/// The allocation is touched at its own address, and has no frames any more.
void OutOfCorePlanner::leaveInPlace(unsigned Allocation, LaunchReason Why,
                                    OutOfCorePlan &Plan) {
  In.Paged[Allocation].keepOnHost();
  Cuts.footprints().forget();
  Plan.InPlace.push_back({Allocation, Why});
}

/// Leaves on the host what pointers lead to that cannot be moved, and what
/// could not be saved beside the host's writes.
void OutOfCorePlanner::leaveNotMovable(OutOfCorePlan &Plan) {
  for (unsigned A = 0; A < In.Launch.Allocations.size(); ++A) {
    if (In.Paged[A].Frames.empty() || In.Paged[A].StaysOnHost)
      continue;
    if (pointerEscapes(In, A))
      leaveInPlace(A, LaunchReason::PointerEscapes, Plan);
    else if (mayLoseHostWrites(In.Launch, A, In.Paged[A]))
      leaveInPlace(A, LaunchReason::HostMayWrite, Plan);
  }
}

/// Leaves on the host the argument of which a single block touches the most.
bool OutOfCorePlanner::leaveOneInPlace(OutOfCorePlan &Plan) {
  GridspanBox Block = In.Launch.Box;
  if (Plan.WhyUnsplit == LaunchReason::None)
    for (unsigned Axis = 0; Axis < 3; ++Axis) {
      Block.BlockLo[Axis] = Block.BlockCount[Axis] / 2;
      Block.BlockCount[Axis] = 1;
    }
  ChunkFootprint F = Cuts.footprints().footprint(Block);
  auto Largest = std::max_element(F.FrameBytes.begin(), F.FrameBytes.end());
  if (Largest == F.FrameBytes.end() || *Largest == 0) {
    F = Cuts.footprints().footprint(In.Launch.Box);
    Largest = std::max_element(F.FrameBytes.begin(), F.FrameBytes.end());
    if (Largest == F.FrameBytes.end() || *Largest == 0)
      return false;
  }
  const auto A = static_cast<unsigned>(Largest - F.FrameBytes.begin());
  leaveInPlace(A, whyOnHost(In, A, Plan.WhyUnsplit != LaunchReason::None),
               Plan);
  return true;
}

OutOfCorePlan OutOfCorePlanner::run() {
  for (unsigned A = 0; A < In.Launch.Allocations.size(); ++A)
    if (!In.Paged[A].Frames.empty())
      Cuts.footprints().markOverwritten(A, In.Paged[A]);
  OutOfCorePlan Plan;
  leaveNotMovable(Plan);
  Plan.WhyUnsplit = whyUnsplit(In);
  for (;;) {
    if (Devices > 1 && !System.AllReachHost && usesHostInPlace(In)) {
      Devices = 1;
      WhyOneDevice = LaunchReason::NoPeerHostMemory;
    }
    if (Plan.WhyUnsplit == LaunchReason::None && atomicsInPlace(In))
      Plan.WhyUnsplit = LaunchReason::AtomicsOnHostPages;
    std::optional<OutOfCorePlan> Found =
        Plan.WhyUnsplit != LaunchReason::None ? Cuts.unsplit()
        : Apart && Devices > 1                ? bestApart()
                                              : Cuts.best(Devices);
    if (Found && Found->Chunked && Devices > 1 && !Apart)
      addReplicas(*Found);
    if (Found) {
      Found->InPlace = std::move(Plan.InPlace);
      Found->WhyUnsplit = Plan.WhyUnsplit;
      if (Found->Chunked)
        Found->WhyOneDevice = WhyOneDevice;
      for (unsigned A = 0; A < In.Launch.Allocations.size(); ++A)
        Found->Shared.push_back(hostSharing({&In.Launch}, A, In.Paged[A]));
      if (Found->Packed.empty())
        Found->Least = leastTraffic(In.Paged, In.Budget, *Found, Apart);
      else // no two chunks have rows in common
        Found->Least = {{Found->BytesIn, Found->BytesOut}};
      return std::move(*Found);
    }
    if (!leaveOneInPlace(Plan)) {
      // Nothing is left to take out: what remains fits or there is none.
      Plan.Steps.clear();
      return Plan;
    }
  }
}

OutOfCorePlan planOutOfCore(OutOfCoreInput Input, const SystemInfo &System,
                            Schedule Schedule) {
  return OutOfCorePlanner(Input, System, Schedule).run();
}

} // namespace gridspan
