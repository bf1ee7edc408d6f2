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
#include "runtime/outofcore/MemoryOperation.h"
#include "runtime/outofcore/ReplicaPlanner.h"
#include "runtime/outofcore/RingSizes.h"
#include "runtime/stream/OpaqueOperation.h"
#include <algorithm>
#include <limits>

namespace gridspan {

/// To read so much from another device takes no time beside the bus.
static constexpr uint64_t FewBytes = 64 << 10;

/// The parts of chunks where whole ones leave launches that follow each other
/// too far apart.
static constexpr unsigned FinerParts = 4;

/// The bytes of a plan that is not worth a search, by the least possible.
static constexpr double GoodEnough = 1.2;

/// Cost of a chunk beside its bytes: events, a launch.
static constexpr double StepSeconds = 2e-5;

/// To map a frame and to unmap another one, on the host.
static constexpr double MapSeconds = 3.5e-4;

/// The time to map, by that of the plan, that is not worth another one.
static constexpr double FewMaps = 0.05;

/// Orders that are tried with rings.
static constexpr unsigned MostRingTries = 3;

/// Once the launches fit, half of the depth moves up to twice the bytes: where
/// it takes so much longer than another depth, no smaller one is tried.
static constexpr double PastTheBest = 1.5;

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

static unsigned devicesFor(const SystemInfo &System, Schedule Sched,
                           bool OthersOpen) {
  return Sched == Schedule::Single || !OthersOpen ? 1 : System.numDevices();
}

bool isOfFirstDevice(std::span<const PlanInput> Launches) {
  bool AnyFirst = false, AnyOther = false;
  for (const PlanInput &L : Launches) {
    AnyFirst |= L.OnlyDevice == 0 && !OpaqueOperation::isOne(*L.Kernel);
    AnyOther |= L.OnlyDevice.value_or(0) != 0;
  }
  return AnyFirst && !AnyOther;
}

/// Returns true if the launch touches something that is paged.
static bool touchesPaged(const PlanInput &Launch,
                         const std::vector<PagedView> &Paged) {
  return std::any_of(Launch.Pointers.begin(), Launch.Pointers.end(),
                     [&](const PlacedPointer &P) {
                       return P.Allocation >= 0 &&
                              !Paged[P.Allocation].Frames.empty() &&
                              !Paged[P.Allocation].StaysOnHost;
                     });
}

/// Returns true if the launch is done before another device has begun.
static bool isSmall(const PlanInput &Launch, const SystemInfo &System) {
  const uint32_t *Count = Launch.Box.BlockCount;
  return MemoryOperation::isOne(*Launch.Kernel) ||
         uint64_t(Count[0]) * Count[1] * Count[2] <=
             System.Devices[0].Multiprocessors;
}

/// Returns true if launches on paged memory are on devices of their choice,
/// several of which are used.
static bool areApart(const ChainInput &In) {
  bool AnyOther = false;
  for (const PlanInput &L : In.Launches) {
    if (touchesPaged(L, In.Paged) && !L.OnlyDevice)
      return false;
    AnyOther |= L.OnlyDevice.value_or(0) != 0;
  }
  return AnyOther;
}

/// Returns the number of devices for the launch, out of All that may be used.
static unsigned devicesFor(const PlanInput &Launch,
                           const std::vector<PagedView> &Paged,
                           const SystemInfo &System, unsigned All) {
  if (Launch.OnlyDevice)
    return 1;
  return touchesPaged(Launch, Paged) || !isSmall(Launch, System) ? All : 1;
}

/// Returns the time that so much takes on the buses of so many devices.
static double busSeconds(const BusBytes &Bytes, const SystemInfo &System,
                         unsigned Devices) {
  double HostToDevice = 0, DeviceToHost = 0;
  for (unsigned D = 0; D < Devices; ++D) {
    HostToDevice += System.Devices[D].HostToDevice;
    DeviceToHost += System.Devices[D].DeviceToHost;
  }
  return std::max(static_cast<double>(Bytes.In) / std::max(1.0, HostToDevice),
                  static_cast<double>(Bytes.Out) / std::max(1.0, DeviceToHost));
}

/// Returns what copies move that go by themselves, by launch.
static std::vector<BusBytes> directBytes(const ChainInput &In) {
  std::vector<BusBytes> Out(In.Launches.size());
  for (size_t L = 0; L < Out.size(); ++L) {
    const PlanInput &Launch = In.Launches[L];
    if (!MemoryOperation::isOne(*Launch.Kernel))
      continue;
    for (const InPlaceArgument &I : In.InPlace)
      for (uint32_t P = 0; P < Launch.Kernel->NumPointers; ++P)
        if (I.Why == LaunchReason::CopiedDirectly &&
            Launch.Pointers[P].Allocation == static_cast<int>(I.Allocation))
          (Launch.Kernel->Pointers[P].Modes == GridspanRead ? Out[L].In
                                                            : Out[L].Out) +=
              MemoryOperation::bytes(Launch.Box.Args);
  }
  return Out;
}

static BusBytes sumOf(const std::vector<BusBytes> &All) {
  BusBytes Sum;
  for (const BusBytes &B : All) {
    Sum.In += B.In;
    Sum.Out += B.Out;
  }
  return Sum;
}

/// Returns true if devices would read from each other what each should have a
/// copy of, and that takes longer than to bring the launch's memory over the
/// bus: then it is better off by itself, where it gets the copies.
static bool wantsCopies(const OutOfCoreInput &In, const OutOfCorePlan &Sweep,
                        const SystemInfo &System, unsigned Devices) {
  const ReplicaTraffic Traffic = trafficOf(In, Sweep);
  OutOfCorePlan Reads;
  for (const OutOfCoreReplica &R : wantedReplicas(In, Sweep, Traffic))
    if (In.Launch.Allocations[R.Allocation].Bytes > FewBytes)
      Reads.RemoteBytes +=
          static_cast<uint64_t>(Traffic.Remote[R.Allocation][R.Device]);
  BusBytes All;
  for (const PlacedAllocation &A : In.Launch.Allocations)
    All.In += A.Bytes;
  return linkSeconds(Reads, System, Devices) > busSeconds(All, System, Devices);
}

/// Takes the argument of which a block touches the most out of the way, if a
/// block needs more than a device has: so does the launch by itself. False if
/// that is not so, or it may have a better way there, with packed rows.
static bool leaveLargestInPlace(OutOfCoreInput &In, unsigned Devices,
                                ChainMember &Out) {
  GridspanBox Block = In.Launch.Box;
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    Block.BlockLo[Axis] = Block.BlockCount[Axis] / 2;
    Block.BlockCount[Axis] = 1;
  }
  ChunkPartitioner Footprints(In.Launch, In.Paged);
  const ChunkFootprint &F = Footprints.footprint(Block);
  uint64_t Bytes = 0;
  unsigned Largest = 0;
  for (unsigned A = 0; A < In.Launch.Allocations.size(); ++A) {
    if (mayPack(In, A))
      return false;
    Bytes += F.FrameBytes[A];
    if (F.FrameBytes[A] > F.FrameBytes[Largest])
      Largest = A;
  }
  const uint64_t Least =
      Devices == 1
          ? In.Budget[In.Launch.OnlyDevice.value_or(0)]
          : *std::min_element(In.Budget.begin(), In.Budget.begin() + Devices);
  if (Bytes <= Least)
    return false;
  const LaunchReason Why = whyOnHost(In, Largest, /*IsUnsplit=*/false);
  In.Paged[Largest].keepOnHost();
  Out.InPlace.push_back({Largest, Why});
  return true;
}

/// The same for what cannot be moved, and what could not be saved beside what
/// the host writes.
static void leaveNotMovable(OutOfCoreInput &In, ChainMember &Out) {
  for (unsigned A = 0; A < In.Launch.Allocations.size(); ++A) {
    if (In.Paged[A].Frames.empty())
      continue;
    const LaunchReason Why = pointerEscapes(In, A)
                                 ? LaunchReason::PointerEscapes
                             : mayLoseHostWrites(In.Launch, A, In.Paged[A])
                                 ? LaunchReason::HostMayWrite
                                 : LaunchReason::None;
    if (Why == LaunchReason::None)
      continue;
    In.Paged[A].keepOnHost();
    Out.InPlace.push_back({A, Why});
  }
}

ChainMember asMember(OutOfCoreInput In, const SystemInfo &System,
                     Schedule Sched) {
  const PlanInput &Launch = In.Launch;
  ChainMember Out;
  const auto Not = [](LaunchReason Why) { return ChainMember{Why}; };
  if (const LaunchReason Why = whyUnsplit(In); Why != LaunchReason::None)
    return Not(Why);
  const unsigned Devices = devicesFor(Launch, In.Paged, System,
                                      devicesFor(System, Sched, In.OthersOpen));
  if (Devices > 1) {
    if (!System.allReachAll())
      return Not(LaunchReason::NoPeerAccess);
    if (const LaunchReason Why = whyOneDevice(In, System, Sched);
        Why != LaunchReason::None)
      return Not(Why);
  }
  for (unsigned A = 0; A < Launch.Allocations.size(); ++A)
    if (outsideModes(Launch, A))
      return Not(LaunchReason::PointerOutside);
  leaveNotMovable(In, Out);
  In.Paged = freshViews(Launch, std::move(In.Paged));
  std::optional<OutOfCorePlan> Sweep;
  do
    Sweep = ChunkCandidates(In, System).sweep(Devices);
  while (!Sweep && leaveLargestInPlace(In, Devices, Out));
  if (atomicsInPlace(In))
    return Not(LaunchReason::AtomicsOnHostPages);
  if (!Sweep)
    return Not(LaunchReason::ChunksLoadAgain);
  if (Devices > 1 && wantsCopies(In, *Sweep, System, Devices))
    return Not(LaunchReason::ChunksWantCopies);
  return Out;
}

ChainPlanner::ChainPlanner(ChainInput Input, const SystemInfo &System,
                           Schedule Sched)
    : In(std::move(Input)), System(System),
      Devices(devicesFor(System, Sched,
                         In.OthersOpen && !isOfFirstDevice(In.Launches))),
      Apart(areApart(In)),
      HasOpaque(std::any_of(In.Launches.begin(), In.Launches.end(),
                            [](const PlanInput &L) {
                              return OpaqueOperation::isOne(*L.Kernel);
                            })),
      Direct(directBytes(In)) {
  for (const InPlaceArgument &I : In.InPlace)
    In.Paged[I.Allocation].keepOnHost();
  for (const PlanInput &Launch : In.Launches) {
    if (Launch.OnlyDevice.value_or(0) >= static_cast<int>(Devices)) {
      Boxes.clear();
      return;
    }
    if (Launch.OnlyDevice && !touchesPaged(Launch, In.Paged)) {
      Overwritten.emplace_back(In.Paged.size());
      Boxes.emplace_back(Devices);
      Boxes.back()[*Launch.OnlyDevice] = {Launch.Box};
      continue;
    }
    OutOfCoreInput Fresh;
    Fresh.Launch = Launch;
    Fresh.Paged = freshViews(Launch, In.Paged);
    Fresh.Budget = In.Budget;
    const std::optional<OutOfCorePlan> Sweep =
        ChunkCandidates(Fresh, System)
            .sweep(devicesFor(Launch, In.Paged, System, Devices));
    Overwritten.emplace_back();
    for (const PagedView &V : Fresh.Paged) {
      Overwritten.back().emplace_back();
      for (const PagedView::Frame &F : V.Frames)
        Overwritten.back().back().push_back(F.Overwritten);
    }
    if (!Sweep) {
      Boxes.clear();
      return;
    }
    Boxes.emplace_back(Devices);
    for (const OutOfCoreStep &From : Sweep->Steps) {
      GridspanBox Box = Launch.Box;
      std::copy_n(From.Lo.begin(), 3, Box.BlockLo);
      std::copy_n(From.Count.begin(), 3, Box.BlockCount);
      Boxes.back()[From.Device].push_back(Box);
    }
  }
  divideOthers();
  std::vector<const PlanInput *> All;
  for (const PlanInput &L : In.Launches)
    All.push_back(&L);
  for (unsigned A = 0; A < In.Launches.front().Allocations.size(); ++A)
    Shared.push_back(hostSharing(All, A, In.Paged[A]));
}

/// Divides launches that touch nothing that is paged as finely as the others
/// are, as a chunk that all of another launch's chunks wait for keeps these
/// from going through memory together.
void ChainPlanner::divideOthers() {
  size_t Most = 1;
  for (const auto &Of : Boxes)
    for (const std::vector<GridspanBox> &OfDevice : Of)
      Most = std::max(Most, OfDevice.size());
  for (size_t L = 0; L < Boxes.size(); ++L)
    if (!touchesPaged(In.Launches[L], In.Paged))
      for (std::vector<GridspanBox> &OfDevice : Boxes[L])
        OfDevice = divideBoxes(OfDevice, static_cast<unsigned>(Most));
}

/// Returns the lane of a launch's chunks. Beside opaque operations: what reads
/// paged memory, what touches none, and what only writes some do not wait for
/// each other but where they touch the same bytes.
unsigned ChainPlanner::laneOf(const PlanInput &Launch) const {
  if (!HasOpaque)
    return 0;
  const GridspanKernel &Kernel = *Launch.Kernel;
  uint32_t Modes = 0;
  for (uint32_t P = 0; P < Kernel.NumPointers; ++P)
    if (const int A = Launch.Pointers[P].Allocation;
        A >= 0 && !In.Paged[A].Frames.empty())
      Modes |= Kernel.Pointers[P].Modes;
  return Modes == 0 ? 1 : Modes == GridspanWrite ? 2 : 0;
}

const ChainPlanner::Division &ChainPlanner::division(unsigned Parts) {
  for (const Division &D : Divisions)
    if (D.Parts == Parts)
      return D;
  Division &New = Divisions.emplace_back();
  New.Parts = Parts;
  for (unsigned L = 0; L < In.Launches.size(); ++L) {
    const PlanInput &Launch = In.Launches[L];
    ChunkPartitioner Footprints(Launch, In.Paged);
    New.Launches.emplace_back(Devices);
    const unsigned Lane = laneOf(Launch);
    for (unsigned D = 0; D < Devices; ++D)
      for (const GridspanBox &Box : divideBoxes(Boxes[L][D], Parts)) {
        ChainChunk C;
        C.Step.Launch = L;
        C.Step.Device = static_cast<int>(D);
        C.Step.Lane = Lane;
        std::copy_n(Box.BlockLo, 3, C.Step.Lo.begin());
        std::copy_n(Box.BlockCount, 3, C.Step.Count.begin());
        C.Step.Uses = Footprints.footprint(Box).Uses;
        C.Bytes = Footprints.byteUses(Box);
        New.Launches.back()[D].push_back(std::move(C));
      }
  }
  New.Order.emplace(New.Launches);
  return New;
}

/// Returns the steps, around which nothing moves yet.
OutOfCorePlan ChainPlanner::ordered(const Way &W) {
  OutOfCorePlan Plan;
  Plan.Chunked = true;
  Plan.Depth = W.Walk.Depth;
  Plan.Steps = division(W.Parts).Order->walk(W.Walk);
  return Plan;
}

/// Returns nothing if some chunk needs more than the budget.
std::optional<OutOfCorePlan>
ChainPlanner::scheduled(const std::vector<uint64_t> &Budget, const Way &W) {
  OutOfCorePlan Plan = ordered(W);
  if (!scheduleFrames(In.Paged, Budget, Plan, Apart, Overwritten))
    return std::nullopt;
  Plan.PredictedSeconds = secondsOf(Plan);
  return Plan;
}

/// Returns the predicted time, with that of copies that go by themselves.
double ChainPlanner::secondsOf(const OutOfCorePlan &Plan) const {
  const BusBytes By = sumOf(Direct);
  return busSeconds({Plan.BytesIn + By.In, Plan.BytesOut + By.Out}, System,
                    Devices) +
         StepSeconds * static_cast<double>(Plan.Steps.size());
}

/// Adds what is the same for all plans of the chain.
void ChainPlanner::complete(OutOfCorePlan &Plan) const {
  const BusBytes By = sumOf(Direct);
  Plan.BytesIn += By.In;
  Plan.BytesOut += By.Out;
  Plan.Direct = Direct;
  Plan.Shared = Shared;
  Plan.InPlace = In.InPlace;
  Plan.Least = Least;
  for (size_t L = 0; L < Plan.Least.size(); ++L) {
    Plan.Least[L].In += Direct[L].In;
    Plan.Least[L].Out += Direct[L].Out;
  }
}

/// Takes the better one of Best and the plans of chunks divided so. With whole
/// chunks each depth is tried from the deepest on; with finer ones, which many
/// launches can follow each other in, those from twice the best one's on.
void ChainPlanner::improve(const std::vector<uint64_t> &Budget, unsigned Parts,
                           OutOfCorePlan &Best) {
  const auto All = static_cast<unsigned>(In.Launches.size());
  const std::optional<Way> Whole = Chosen;
  for (unsigned Depth = Whole ? std::min(All, 2 * Whole->Walk.Depth) : All;;
       Depth = (Depth + 1) / 2) {
    double Seconds = std::numeric_limits<double>::infinity();
    for (const bool Backward : {false, true}) {
      if (HasOpaque ? Backward : Whole && Whole->Walk.Backward != Backward)
        continue;
      const Way W = {Parts, {Depth, Backward, HasOpaque}};
      std::optional<OutOfCorePlan> Plan = scheduled(Budget, W);
      if (!Plan)
        return; // no other way of these chunks needs less at once
      Seconds = std::min(Seconds, Plan->PredictedSeconds);
      if (Best.Steps.empty() ||
          Plan->PredictedSeconds < Best.PredictedSeconds) {
        Best = std::move(*Plan);
        Chosen = W;
      }
    }
    if (Least.empty())
      Least = leastTraffic(In.Paged, In.Budget, Best, Apart, Overwritten);
    // Of launches in their order there is one way.
    if (HasOpaque || Depth <= (Whole ? Whole->Walk.Depth : 1) ||
        isNearLeast(Best) || Seconds > PastTheBest * Best.PredictedSeconds)
      return;
  }
}

/// Returns true if there is little to gain by other orders.
bool ChainPlanner::isNearLeast(const OutOfCorePlan &Plan) const {
  const BusBytes Sum = sumOf(Least);
  return static_cast<double>(std::max(Plan.BytesIn, Plan.BytesOut)) <=
         GoodEnough * static_cast<double>(std::max(Sum.In, Sum.Out));
}

OutOfCorePlan ChainPlanner::plan(const std::vector<uint64_t> &Budget) {
  OutOfCorePlan Best;
  Best.Chunked = true;
  if (Boxes.empty())
    return Best;
  if (Chosen)
    if (std::optional<OutOfCorePlan> Again = scheduled(Budget, *Chosen))
      Best = std::move(*Again);
  if (Best.Steps.empty()) {
    improve(Budget, 1, Best);
    if (Best.Steps.empty() || !isNearLeast(Best))
      improve(Budget, FinerParts, Best);
  }
  if (!Best.Steps.empty())
    complete(Best);
  return Best;
}

/// Returns the time to map frames that have no slot, and the slots of new
/// rings, and to unmap those that these replace.
static double mapSeconds(const RingPlan &Planned, const RingViews &Present) {
  const RingSizes &Rings = Planned.Rings;
  size_t Maps = 0;
  for (const OutOfCoreStep &Step : Planned.Plan.Steps)
    for (const FrameLoad &L : Step.Load)
      Maps += Rings.Slots[L.Ref.Allocation][Step.Device] == 0;
  for (size_t A = 0; A < Rings.Slots.size(); ++A)
    for (size_t D = 0; D < Rings.Slots[A].size(); ++D)
      if (Rings.Slots[A][D] != Present[A][D].Slots)
        Maps += std::max(Rings.Slots[A][D], Present[A][D].Slots);
  return MapSeconds * static_cast<double>(Maps);
}

/// Returns true if rings that are there get another size.
static bool replacesAny(const RingSizes &Rings, const RingViews &Present) {
  for (size_t A = 0; A < Rings.Slots.size(); ++A)
    for (size_t D = 0; D < Rings.Slots[A].size(); ++D)
      if (Present[A][D].Slots && Rings.Slots[A][D] != Present[A][D].Slots)
        return true;
  return false;
}

std::optional<RingPlan>
ChainPlanner::planWithin(const std::vector<uint64_t> &Budget,
                         const RingViews &Present, const RingPlan &Planned) {
  // The slots of new rings are mapped once, and rings outlive their
  // allocations.
  if (Planned.HasRings && !replacesAny(Planned.Rings, Present))
    return std::nullopt;
  const double Maps = mapSeconds(Planned, Present);
  if (!Chosen || Maps < FewMaps * Planned.Plan.PredictedSeconds)
    return std::nullopt;
  const BusBytes By = sumOf(Direct);
  const uint64_t InFrames =
      Planned.Plan.BytesIn + Planned.Plan.BytesOut - By.In - By.Out;
  double Fastest = Planned.Plan.PredictedSeconds + Maps;
  std::optional<RingPlan> Best;
  Way W = *Chosen;
  for (unsigned Try = 0; Try < MostRingTries; ++Try) {
    std::optional<RingPlan> New =
        planInRings(ordered(W), In.Paged, Present, Budget, Apart, Overwritten,
                    InFrames, Maps);
    if (New) {
      New->Plan.PredictedSeconds = secondsOf(New->Plan);
      const double Seconds =
          New->Plan.PredictedSeconds + mapSeconds(*New, Present);
      if (Seconds < Fastest) {
        Fastest = Seconds;
        Best = std::move(New);
      }
    }
    if (Best && Fastest <= GoodEnough * Planned.Plan.PredictedSeconds)
      break;
    // Finer chunks need less at once, and so do fewer launches.
    if (W.Parts < FinerParts)
      W.Parts = FinerParts;
    else if (HasOpaque)
      break;
    else
      W.Walk.Depth = (W.Walk.Depth + 1) / 2;
  }
  if (Best)
    complete(Best->Plan);
  return Best;
}

} // namespace gridspan
