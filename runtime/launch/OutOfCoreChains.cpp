//===- OutOfCoreChains.cpp - Several launches as one ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of OutOfCoreLauncher that runs launches which have waited for each
// other (DeferredLaunches.h). Each is described anew: the first may have made
// memory paged for all. Their allocations are numbered together, so that one
// plan is about all of them (ChainPlanner.h).
//
// A launch that may let the host know how far it is cannot wait, as the program
// may wait for that without a call. Nor can one whose indices are inspected
// first, as earlier launches may be about to write them.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/OutOfBoundsPointers.h"
#include "runtime/launch/OutOfCoreLauncher.h"
#include "runtime/outofcore/ChainPlanner.h"
#include "runtime/outofcore/MemoryOperation.h"
#include "runtime/report/Tracing.h"
#include "runtime/support/UntrackedCode.h"
#include <algorithm>
#include <deque>
#include <set>

namespace gridspan {

/// Launches with their allocations numbered together.
struct OutOfCoreLauncher::Chain {
  std::deque<LaunchRequest> Requests; ///< by launch
  std::deque<Decision> Decisions;     ///< the same
  std::vector<PlanInput> Inputs;      ///< the same
  AllocationList Allocations;         ///< of all launches
};

/// Returns true if some memory is of several devices, which one fill or copy
/// does not reach.
static bool isSpread(const PlanInput &In) {
  return std::any_of(In.Allocations.begin(), In.Allocations.end(),
                     [](const PlacedAllocation &A) {
                       return !A.Paged && A.Homes &&
                              A.Homes->bytesAt(0, A.Bytes, 0) != A.Bytes;
                     });
}

LaunchReason OutOfCoreLauncher::whyNotDeferred(const LaunchRequest &R,
                                               bool OthersWait,
                                               const Describe &DescribeLaunch,
                                               double &Seconds) {
  PlacementReader Placement(Memory.placementLock());
  Decision D;
  const PlanInput In = DescribeLaunch(D);
  uint64_t Bytes = 0;
  for (const std::shared_ptr<Allocation> &A : D.Allocations)
    Bytes += A && A->Paged ? A->bytes() : 0;
  const bool AnyPaged = Bytes != 0;
  double Bus = 1;
  for (const DeviceInfo &Device : B.system().Devices)
    Bus += Device.HostToDevice;
  Seconds = static_cast<double>(Bytes) / Bus;
  if (!AnyPaged && !OthersWait)
    return LaunchReason::DoesNotPay;
  if (MemoryOperation::isOne(R.kernel()) && isSpread(In))
    return LaunchReason::DoesNotPay;
  if (mayReachOtherPaged(In, D.Allocations, Memory, B))
    return LaunchReason::PointerOutside;
  if (const LaunchReason Why =
          AnyPaged ? whyNotOutOfCore(R.kernel(), In, D, /*GaveUp=*/false)
                   : whyInPlace(R.kernel(), In, D);
      Why != LaunchReason::None)
    return Why;
  const HostSpan Span(Activity::Plan);
  const LaunchReason Why =
      !mayKeepFromHost(In) ? LaunchReason::HostMayKnow
      : In.Indices         ? LaunchReason::IndicesWanted
                           : whyNotChained(inputOf(In, D, R.Shape, pagedOf(D)),
                                           B.system(), Sched);
  if (Why != LaunchReason::None && !MemoryOperation::isOne(R.kernel()))
    Out.kernel(&R.kernel()).WhyNotChained = Why;
  return Why;
}

/// Returns nothing if some launch cannot be a member any more.
std::optional<OutOfCoreLauncher::Chain>
OutOfCoreLauncher::describeChain(const std::vector<DeferredLaunch> &Launches,
                                 const DescribeAny &DescribeLaunch) {
  const HostSpan Span(Activity::Plan);
  Chain Out;
  std::vector<PlacedAllocation> Placed; ///< as Out.Allocations
  for (const DeferredLaunch &L : Launches) {
    const LaunchRequest &R = Out.Requests.emplace_back(L.request());
    Decision &D = Out.Decisions.emplace_back();
    PlanInput In = DescribeLaunch(R, D);
    if (In.Indices || mayReachOtherPaged(In, D.Allocations, Memory, B) ||
        !mayKeepFromHost(In) ||
        whyNotInAnyChain(inputOf(In, D, R.Shape, pagedOf(D)), B.system(),
                         Sched) != LaunchReason::None)
      return std::nullopt;
    // Memory that is not ours is only read, so that nobody needs to know which
    // of it is the same.
    std::vector<int> Number(D.Allocations.size());
    for (size_t A = 0; A < Number.size(); ++A) {
      const std::shared_ptr<Allocation> &Of = D.Allocations[A];
      const auto Known =
          Of ? std::find(Out.Allocations.begin(), Out.Allocations.end(), Of)
             : Out.Allocations.end();
      Number[A] = static_cast<int>(Known - Out.Allocations.begin());
      if (Known == Out.Allocations.end()) {
        Out.Allocations.push_back(Of);
        Placed.push_back(In.Allocations[A]);
      }
    }
    for (PlacedPointer &P : In.Pointers)
      if (P.Allocation >= 0)
        P.Allocation = Number[P.Allocation];
    D.Pointers = In.Pointers;
    D.Counters = &this->Out.kernel(&R.kernel());
    Out.Inputs.push_back(std::move(In));
  }
  for (size_t L = 0; L < Launches.size(); ++L) {
    Out.Decisions[L].Allocations = Out.Allocations;
    Out.Inputs[L].Allocations = Placed;
  }
  return Out;
}

/// Counts what the steps of each launch moved.
void OutOfCoreLauncher::countChain(const OutOfCorePlan &Plan, const Chain &C,
                                   uint64_t BytesOnHost) {
  struct Totals {
    std::set<int> Devices;
    uint64_t Chunks = 0, In = 0, Out = 0;
  };
  std::vector<Totals> Of(C.Inputs.size());
  const auto BytesOf = [&](const FrameRef &R) {
    return C.Allocations.size() > R.Allocation && C.Allocations[R.Allocation]
               ? C.Allocations[R.Allocation]->Paged->Frames[R.Frame].Bytes
               : 0;
  };
  for (const OutOfCoreStep &Step : Plan.Steps) {
    Totals &T = Of[Step.Launch];
    T.Devices.insert(Step.Device);
    ++T.Chunks;
    for (const FrameLoad &L : Step.Load)
      T.In += L.Copy ? BytesOf(L.Ref) : 0;
    for (const FrameRef &R : Step.Save)
      T.Out += BytesOf(R);
  }
  for (const FrameRef &R : Plan.SaveFirst)
    Of.front().Out += BytesOf(R);
  for (size_t L = 0; L < Of.size(); ++L) {
    KernelCounters &Counters = *C.Decisions[L].Counters;
    Counters.countOutOfCore(static_cast<unsigned>(Of[L].Devices.size()),
                            Of[L].Chunks, Of[L].In, Of[L].Out);
    Counters.ChainedLaunches.fetch_add(1, std::memory_order_relaxed);
    if (L < Plan.Least.size())
      Counters.countLeast(Plan.Least[L].In, Plan.Least[L].Out);
    if (const LaunchRequest &R = C.Requests[L];
        MemoryOperation::isOne(R.kernel())) {
      const uint64_t Bytes = MemoryOperation::bytes(R.Arguments);
      if (MemoryOperation::isFill(R.kernel()))
        Out.Fills.count(Bytes);
      else
        Out.Copies[unsigned(CopyDirection::DeviceToDevice)].count(Bytes);
    }
  }
  C.Decisions.front().Counters->OutOfCoreBytesOnHost += BytesOnHost;
}

/// Every device is idle. Returns nothing if the launches do not fit together.
std::optional<cudaError_t> OutOfCoreLauncher::runChain(
    const std::vector<DeferredLaunch> &Launches,
    const std::vector<OutOfCoreExecutor::Record> &Events,
    const Allocation *Freed, Chain &C) {
  // A chain uses none.
  const unsigned Devices = B.system().numDevices();
  for (unsigned D = 0; D != Devices; ++D)
    if (Memory.lacksRoomForFrames(static_cast<int>(D), {}))
      Memory.dropReplicasBut({});
  for (size_t L = 0; L < Launches.size(); ++L)
    if (cudaError_t Error =
            prepareResidency(C.Inputs[L], C.Decisions[L], /*MayStay=*/true))
      return Error;
  const AllocationList Paged = pagedOf(C.Decisions.front());
  ChainInput In;
  In.Launches = C.Inputs;
  RingViews Present;
  for (const std::shared_ptr<Allocation> &A : Paged) {
    In.Paged.push_back(A ? viewOf(*A) : PagedView());
    In.Paged.back().IsFreedNext = A && A.get() == Freed;
    Present.push_back(A ? Memory.pager().rings(*A)
                        : std::vector<RingView>(Devices));
  }
  for (unsigned D = 0; D != Devices; ++D)
    In.Budget.push_back(Memory.pager().budget(static_cast<int>(D)));
  std::optional<HostSpan> Span(Activity::Plan);
  const std::vector<PagedView> Views = In.Paged;
  const std::vector<uint64_t> Budget = In.Budget;
  ChainPlanner Planner(std::move(In), B.system(), Sched);
  RingPlan Planned = planWithRings(
      [&](const std::vector<uint64_t> &Room) { return Planner.plan(Room); },
      Views, Present, Budget);
  if (Planned.Plan.Steps.empty())
    return std::nullopt;
  if (std::optional<RingPlan> Within =
          Planner.planWithin(Budget, Present, Planned))
    Planned = std::move(*Within);
  Span.reset();

  std::vector<OutOfCoreExecutor::Launch> Parts;
  for (size_t L = 0; L < Launches.size(); ++L)
    Parts.push_back(
        {C.Requests[L], C.Decisions[L].Pointers, Launches[L].context()});
  const OutOfCoreExecutor::Outcome Done = Chunks.run(
      Planned.Plan, Planned.Rings, C.Allocations, Paged, Parts, Events);
  for (size_t L = 0; L < Launches.size(); ++L)
    noteWrites(C.Inputs[L], C.Decisions[L]);
  countChain(Planned.Plan, C, Done.BytesOnHost);
  return Done.Error;
}

std::optional<cudaError_t> OutOfCoreLauncher::launchChain(
    const std::vector<DeferredLaunch> &Launches,
    const std::vector<OutOfCoreExecutor::Record> &Events,
    const Allocation *Freed, const DescribeAny &DescribeLaunch) {
  PlacementWriter Placement(Memory.placementLock(), std::defer_lock);
  if (!Placement.tryLockFor(Patience))
    return std::nullopt;
  if (!Exec.becomeIdle(Patience))
    return std::nullopt;
  Memory.collectFreedLocked();
  if (cudaError_t Error =
          Memory.makeRoomForFrames(Launches.front().request().Stream.main()))
    return Error;
  cudaError_t Error = cudaSuccess;
  try {
    std::optional<Chain> C = describeChain(Launches, DescribeLaunch);
    const std::optional<cudaError_t> Done =
        C ? runChain(Launches, Events, Freed, *C) : std::nullopt;
    if (!Done)
      return std::nullopt;
    Error = *Done;
  } catch (const std::bad_alloc &) {
    Error = cudaErrorMemoryAllocation;
  }
  // The program goes on as if nothing of it ran.
  if (Error)
    (void)Residency.writeBackLocked();
  return Error;
}

} // namespace gridspan
