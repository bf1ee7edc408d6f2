//===- ReplicaPlanner.cpp - Copies instead of remote reads ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frames are followed through the plan, memory that is not paged has its homes.
// A device copies an allocation when its chunks would read about as much over
// links as the copy takes: then the copy pays even if no thread reads a byte
// twice, and what every chunk reads comes to that with the first one. What only
// neighbours share, as the edges of a stencil, does not.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/ReplicaPlanner.h"
#include "runtime/plan/MayAccess.h"
#include <algorithm>
#include <numeric>
#include <set>

namespace gridspan {

/// A copy is wanted when this share of its bytes would be read over links: with
/// two devices that share an allocation's pages, each has half of them.
static constexpr double RemoteShare = 0.5;

double ReplicaTraffic::remote() const {
  double Sum = 0;
  for (const std::vector<double> &Of : Remote)
    Sum = std::accumulate(Of.begin(), Of.end(), Sum);
  return Sum;
}

namespace {

class TrafficCount {
public:
  TrafficCount(const OutOfCoreInput &In, const OutOfCorePlan &Plan)
      : In(In), Plan(Plan), Ranges(In.Launch.Kernel->NumAccesses) {
    for (const PagedView &V : In.Paged) {
      Where.emplace_back();
      for (const PagedView::Frame &F : V.Frames)
        Where.back().push_back(F.Where);
    }
  }

  ReplicaTraffic run();

private:
  void addFrames(const OutOfCoreStep &Step, ReplicaTraffic &Out) const;
  void addOthers(const OutOfCoreStep &Step, ReplicaTraffic &Out);
  bool isReplaced(unsigned Allocation, int Device) const {
    return std::find(Plan.Replicas.begin(), Plan.Replicas.end(),
                     OutOfCoreReplica{Allocation, Device}) !=
           Plan.Replicas.end();
  }
  bool hasFrames(unsigned Allocation) const {
    return !In.Paged[Allocation].Frames.empty() &&
           !In.Paged[Allocation].StaysOnHost;
  }

  const OutOfCoreInput &In;
  const OutOfCorePlan &Plan;
  std::vector<std::vector<Location>> Where; ///< by allocation and frame
  std::vector<GridspanRange> Ranges;        ///< scratch
};

} // namespace

void TrafficCount::addFrames(const OutOfCoreStep &Step,
                             ReplicaTraffic &Out) const {
  for (const FrameUse &U : Step.Uses)
    for (uint32_t F = U.Lo; F < U.Hi; ++F) {
      const auto Bytes =
          static_cast<double>(In.Paged[U.Allocation].Frames[F].Bytes);
      if (Where[U.Allocation][F] == Step.Device)
        Out.Local += Bytes;
      else
        Out.Remote[U.Allocation][Step.Device] += Bytes;
    }
}

/// Counts what is not paged, and what is read in place.
void TrafficCount::addOthers(const OutOfCoreStep &Step, ReplicaTraffic &Out) {
  const PlanInput &Launch = In.Launch;
  const GridspanKernel &Kernel = *Launch.Kernel;
  GridspanBox Box = Launch.Box;
  std::copy(Step.Lo.begin(), Step.Lo.end(), Box.BlockLo);
  std::copy(Step.Count.begin(), Step.Count.end(), Box.BlockCount);
  Kernel.Ranges(&Box, Ranges.data());
  for (unsigned A = 0; A < Launch.Allocations.size(); ++A) {
    const PlacedAllocation &Placed = Launch.Allocations[A];
    const bool Replaced = isReplaced(A, Step.Device);
    if (hasFrames(A) || (!Replaced && !Placed.Homes))
      continue;
    MayAccess Touched(Placed.Bytes);
    for (uint32_t I = 0; I < Kernel.NumAccesses; ++I)
      if (const int P = Kernel.Accesses[I].Pointer;
          P >= 0 && Launch.Pointers[P].Allocation == static_cast<int>(A))
        Touched.add(Ranges[I], Launch.Pointers[P].Offset);
    const double All = Touched.touched();
    const double Here =
        Replaced ? All : Touched.touchedAt(*Placed.Homes, Step.Device);
    Out.Local += Here;
    Out.Remote[A][Step.Device] += std::max(0.0, All - Here);
  }
}

ReplicaTraffic TrafficCount::run() {
  ReplicaTraffic Out;
  Out.Remote.assign(In.Paged.size(), std::vector<double>(In.Budget.size(), 0));
  for (const OutOfCoreStep &Step : Plan.Steps) {
    for (const FrameRef &R : Step.Evict)
      Where[R.Allocation][R.Frame] = Host;
    for (const FrameLoad &L : Step.Load)
      Where[L.Ref.Allocation][L.Ref.Frame] = Step.Device;
    addFrames(Step, Out);
    if (!Ranges.empty())
      addOthers(Step, Out);
  }
  return Out;
}

ReplicaTraffic trafficOf(const OutOfCoreInput &In, const OutOfCorePlan &Plan) {
  return TrafficCount(In, Plan).run();
}

//===--- Choosing -------------------------------------------------------===//

bool mayReplicate(const OutOfCoreInput &In, unsigned Allocation) {
  if (!In.Launch.MayReplicate)
    return false;
  const GridspanKernel &Kernel = *In.Launch.Kernel;
  bool Any = false;
  for (uint32_t I = 0; I < Kernel.NumPointers; ++I) {
    const GridspanPointer &P = Kernel.Pointers[I];
    if (In.Launch.Pointers[I].Allocation != static_cast<int>(Allocation))
      continue;
    // All pointers into it are moved, also one that is only passed on.
    if ((P.Modes & ~uint32_t(GridspanRead)) ||
        !(P.Flags & (GridspanReplicable | GridspanRedirectable)))
      return false;
    Any |= P.Modes != 0;
  }
  return Any && outsideModes(In.Launch, Allocation) == 0;
}

std::vector<OutOfCoreReplica> wantedReplicas(const OutOfCoreInput &In,
                                             const OutOfCorePlan &Plan,
                                             const ReplicaTraffic &Traffic) {
  std::set<int> Devices;
  for (const OutOfCoreStep &Step : Plan.Steps)
    Devices.insert(Step.Device);
  std::vector<OutOfCoreReplica> Out;
  if (Devices.size() < 2)
    return Out;
  for (unsigned A = 0; A < In.Launch.Allocations.size(); ++A) {
    const PlacedAllocation &Placed = In.Launch.Allocations[A];
    const bool Paged = !In.Paged[A].Frames.empty();
    if (In.Paged[A].StaysOnHost || (!Paged && !Placed.Homes) ||
        !mayReplicate(In, A))
      continue;
    auto Wants = [&](int Device) {
      return Traffic.Remote[A][Device] >=
             RemoteShare * static_cast<double>(Placed.Bytes);
    };
    // Frames of it stay away, so that the device that had them wants one too.
    const bool Any = std::any_of(Devices.begin(), Devices.end(), Wants);
    for (int Device : Devices)
      if (Paged ? Any : Wants(Device))
        Out.push_back({A, Device});
  }
  return Out;
}

/// True if the device reaches all pages of memory that is not paged.
static bool reachesAll(const PlacedAllocation &Placed, const SystemInfo &System,
                       unsigned Device) {
  for (unsigned Home = 0; Home < System.numDevices(); ++Home)
    if (Home != Device && !(System.PeerBandwidth[Device][Home] > 0) &&
        Placed.Homes->anyAt(static_cast<int>(Home)))
      return false;
  return true;
}

std::optional<std::vector<OutOfCoreReplica>>
neededReplicas(const OutOfCoreInput &In, const SystemInfo &System) {
  const GridspanKernel &Kernel = *In.Launch.Kernel;
  std::vector<OutOfCoreReplica> Out;
  for (unsigned A = 0; A < In.Launch.Allocations.size(); ++A) {
    const PlacedAllocation &Placed = In.Launch.Allocations[A];
    bool Touched = false;
    for (uint32_t I = 0; I < Kernel.NumPointers; ++I)
      Touched |= In.Launch.Pointers[I].Allocation == static_cast<int>(A) &&
                 Kernel.Pointers[I].Modes != 0;
    if (!Touched || !In.Paged[A].Frames.empty())
      continue;
    if (Placed.Unknown)
      return std::nullopt;
    if (!Placed.Homes)
      continue; // memory of the host
    for (unsigned D = 0; D < System.numDevices(); ++D) {
      if (reachesAll(Placed, System, D))
        continue;
      if (!mayReplicate(In, A))
        return std::nullopt;
      Out.push_back({A, static_cast<int>(D)});
    }
  }
  return Out;
}

std::vector<OutOfCoreReplica> sharedReplicas(const OutOfCoreInput &In,
                                             const OutOfCorePlan *Plan,
                                             unsigned Devices) {
  std::vector<OutOfCoreReplica> Out;
  for (unsigned A = 0; A < In.Launch.Allocations.size(); ++A) {
    if (In.Paged[A].Frames.empty() || In.Paged[A].StaysOnHost ||
        std::find(In.NotReplicated.begin(), In.NotReplicated.end(), A) !=
            In.NotReplicated.end() ||
        !mayReplicate(In, A))
      continue;
    double Loaded = 0;
    for (size_t I = 0; Plan && I < Plan->Steps.size(); ++I)
      for (const FrameLoad &L : Plan->Steps[I].Load)
        if (L.Ref.Allocation == A)
          Loaded += static_cast<double>(In.Paged[A].Frames[L.Ref.Frame].Bytes);
    if (Plan &&
        Loaded < (1 + RemoteShare) * static_cast<double>(In.Paged[A].bytes()))
      continue;
    for (unsigned D = 0; D < Devices; ++D)
      Out.push_back({A, static_cast<int>(D)});
  }
  return Out;
}

double linkSeconds(const OutOfCorePlan &Plan, const SystemInfo &System,
                   unsigned Devices) {
  double Link = System.PeerBandwidth[0][1];
  for (unsigned I = 0; I < Devices; ++I)
    for (unsigned J = 0; J < Devices; ++J)
      Link = I == J ? Link : std::min(Link, System.PeerBandwidth[I][J]);
  return static_cast<double>(Plan.RemoteBytes) / (Devices * Link);
}

std::vector<uint64_t>
replicaBytes(const OutOfCoreInput &In,
             const std::vector<OutOfCoreReplica> &Replicas,
             const SystemInfo &System) {
  std::vector<uint64_t> Out(In.Budget.size(), 0);
  const uint64_t Page = System.PageSize;
  for (const OutOfCoreReplica &R : Replicas)
    Out[R.Device] +=
        (In.Launch.Allocations[R.Allocation].Bytes + Page - 1) / Page * Page;
  return Out;
}

uint64_t bytesToFill(const OutOfCoreInput &In,
                     const std::vector<OutOfCoreReplica> &Replicas,
                     bool Apart) {
  uint64_t Sum = 0;
  std::set<unsigned> Seen;
  for (const OutOfCoreReplica &R : Replicas) {
    const PlacedAllocation &Placed = In.Launch.Allocations[R.Allocation];
    if (In.Paged[R.Allocation].Frames.empty() ||
        (!Seen.insert(R.Allocation).second && !Apart))
      continue;
    const std::vector<bool> &Has = Placed.HasReplica;
    const bool Present =
        Apart ? R.Device < static_cast<int>(Has.size()) && Has[R.Device]
              : std::find(Has.begin(), Has.end(), true) != Has.end();
    if (!Present)
      Sum += Placed.Bytes;
  }
  return Sum;
}

} // namespace gridspan
