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
// first, as earlier launches may be about to write them; but indices that lead
// into memory which devices have anyway need no look.
//
// What launches access in place is on the host, and has no frames, while a
// chain runs. So a chain ends before a launch that wants frames of what an
// earlier one accesses so, or the other way round, and the next one begins.
//
// Copies between memory of a device and memory that is pinned need no frames of
// that: they would only pass through. So they go by themselves where the whole
// chain has nothing else for it.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/OutOfBoundsPointers.h"
#include "runtime/launch/OutOfCoreLauncher.h"
#include "runtime/outofcore/ChainPlanner.h"
#include "runtime/outofcore/MemoryOperation.h"
#include "runtime/report/Tracing.h"
#include "runtime/stream/OpaqueOperation.h"
#include "runtime/support/UntrackedCode.h"
#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

namespace gridspan {

/// What launches of a chain do with an allocation. Copied: only copies touch
/// it, which may go by themselves.
enum class MemberUse { None, Copied, Frames, InPlace };

/// Launches with their allocations numbered together.
struct OutOfCoreLauncher::Chain {
  std::deque<LaunchRequest> Requests;   ///< by launch
  std::deque<Decision> Decisions;       ///< the same
  std::vector<PlanInput> Inputs;        ///< the same
  AllocationList Allocations;           ///< of all launches
  std::vector<PlacedAllocation> Placed; ///< as Allocations
  std::vector<MemberUse> Uses;          ///< the same
  std::vector<InPlaceArgument> InPlace; ///< by Allocations
  bool OthersOpen = true;               ///< devices but the first are open
};

/// Returns true if some memory is not the device's that a fill or copy, or an
/// opaque operation, runs on. None of an operation's may be elsewhere at all.
static bool isSpread(const PlanInput &In) {
  const int Device = In.OnlyDevice.value_or(0);
  const bool IsOpaque = OpaqueOperation::isOne(*In.Kernel);
  return std::any_of(In.Allocations.begin(), In.Allocations.end(),
                     [&](const PlacedAllocation &A) {
                       if (A.Paged || !A.Homes)
                         return IsOpaque;
                       return A.Homes->bytesAt(0, A.Bytes, Device) != A.Bytes;
                     });
}

/// Has the launch planned without a look at indices, if these only say which
/// part is touched of memory that devices have anyway, such as counters. False
/// if it wants them inspected.
static bool goesWithoutIndices(PlanInput &In) {
  if (!In.Indices)
    return true;
  const GridspanKernel &Kernel = *In.Kernel;
  GridspanBox Box = In.Box;
  Box.Indices = nullptr;
  std::vector<GridspanRange> Ranges(Kernel.NumAccesses);
  if (Kernel.NumAccesses)
    Kernel.Ranges(&Box, Ranges.data());
  for (uint32_t I = 0; I < Kernel.NumAccesses; ++I) {
    const int P = Kernel.Accesses[I].Pointer;
    const int A = P < 0 ? -1 : In.Pointers[P].Allocation;
    if (Ranges[I].State == GridspanRangeUnknown &&
        (A < 0 || In.Allocations[A].Paged))
      return false;
  }
  In.Box.Indices = nullptr;
  In.Indices = nullptr;
  return true;
}

LaunchReason OutOfCoreLauncher::whyNotDeferred(const LaunchRequest &R,
                                               bool OthersWait,
                                               const Describe &DescribeLaunch,
                                               double &Seconds) {
  PlacementReader Placement(Memory.placementLock());
  Decision D;
  PlanInput In = DescribeLaunch(D);
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
  if ((MemoryOperation::isOne(R.kernel()) ||
       OpaqueOperation::isOne(R.kernel())) &&
      isSpread(In)) {
    Out.kernel(&R.kernel()).WhyNotChained = LaunchReason::MemorySpread;
    return LaunchReason::MemorySpread;
  }
  if (mayReachOtherPaged(In, D.Allocations, Memory, B))
    return LaunchReason::PointerOutside;
  if (const LaunchReason Why =
          AnyPaged ? whyNotOutOfCore(R.kernel(), In, D, /*GaveUp=*/false)
                   : whyInPlace(R.kernel(), In, D);
      Why != LaunchReason::None)
    return Why;
  const HostSpan Span(Activity::Plan);
  const LaunchReason Why =
      !mayKeepFromHost(In)      ? LaunchReason::HostMayKnow
      : !goesWithoutIndices(In) ? LaunchReason::IndicesWanted
      : copiedDirectly(R, In, D)
          ? LaunchReason::None
          : asMember(inputOf(In, D, R.Shape, pagedOf(D)), B.system(), Sched)
                .WhyNot;
  if (Why != LaunchReason::None)
    Out.kernel(&R.kernel()).WhyNotChained = Why;
  return Why;
}

/// Returns true if the launch would have frames of what launches before it
/// access in place, or the other way round. Notes what it does, if not. Of the
/// Copied pointer's allocation it need not have frames.
static bool disagrees(const PlanInput &In,
                      const std::vector<InPlaceArgument> &InPlace,
                      std::optional<size_t> Copied,
                      std::vector<MemberUse> &Uses) {
  std::vector<MemberUse> Own(Uses.size());
  for (size_t P = 0; P < In.Pointers.size(); ++P)
    if (const int A = In.Pointers[P].Allocation; A >= 0)
      Own[A] = P == Copied ? MemberUse::Copied : MemberUse::Frames;
  for (const InPlaceArgument &I : InPlace)
    Own[I.Allocation] = MemberUse::InPlace;
  for (size_t A = 0; A < Own.size(); ++A)
    if (std::min(Own[A], Uses[A]) == MemberUse::Frames &&
        std::max(Own[A], Uses[A]) == MemberUse::InPlace)
      return true;
  for (size_t A = 0; A < Own.size(); ++A)
    Uses[A] = std::max(Own[A], Uses[A]);
  return false;
}

/// Returns the pointer of a copy, to or from memory of a device, that leads to
/// paged memory of which it needs no frames: it is pinned, and on no device.
/// The host does not touch it unasked.
std::optional<size_t>
OutOfCoreLauncher::copiedDirectly(const LaunchRequest &R, const PlanInput &In,
                                  const Decision &D) const {
  if (!MemoryOperation::isOne(R.kernel()) ||
      MemoryOperation::isFill(R.kernel()))
    return std::nullopt;
  std::optional<size_t> Paged;
  for (size_t P = 0; P < In.Pointers.size(); ++P) {
    const int At = In.Pointers[P].Allocation;
    const Allocation *A = At < 0 ? nullptr : D.Allocations[At].get();
    if (!A || (A->Paged && Paged))
      return std::nullopt;
    if (A->Paged)
      Paged = P;
  }
  if (!Paged)
    return std::nullopt;
  const Allocation &A = *D.Allocations[In.Pointers[*Paged].Allocation];
  return A.kind() != AllocationKind::Managed && Memory.pager().isPinnedAtHome(A)
             ? Paged
             : std::nullopt;
}

/// Numbers the launch's allocations as the chain's, and the pointers by them.
/// Memory that is not ours is only read, so that nobody needs to know which of
/// it is the same.
void OutOfCoreLauncher::numberTogether(PlanInput &In, const Decision &D,
                                       ChainMember &Member, Chain &Out) {
  std::vector<int> Number(D.Allocations.size());
  for (size_t A = 0; A < Number.size(); ++A) {
    const std::shared_ptr<Allocation> &Of = D.Allocations[A];
    const auto Known =
        Of ? std::find(Out.Allocations.begin(), Out.Allocations.end(), Of)
           : Out.Allocations.end();
    Number[A] = static_cast<int>(Known - Out.Allocations.begin());
    if (Known != Out.Allocations.end())
      continue;
    Out.Allocations.push_back(Of);
    Out.Placed.push_back(In.Allocations[A]);
    Out.Uses.push_back(MemberUse::None);
  }
  for (PlacedPointer &P : In.Pointers)
    if (P.Allocation >= 0)
      P.Allocation = Number[P.Allocation];
  for (InPlaceArgument &I : Member.InPlace)
    I.Allocation = static_cast<unsigned>(Number[I.Allocation]);
}

/// Adds the launch, whose decision is the chain's last one. False if it cannot
/// be a member behind the others.
bool OutOfCoreLauncher::addMember(const LaunchRequest &R,
                                  const DescribeAny &DescribeLaunch,
                                  Chain &Out) {
  Decision &D = Out.Decisions.back();
  PlanInput In = DescribeLaunch(R, D);
  if (!goesWithoutIndices(In) ||
      mayReachOtherPaged(In, D.Allocations, Memory, B) || !mayKeepFromHost(In))
    return false;
  // By frames such a copy would be a member as well.
  const std::optional<size_t> Copied = copiedDirectly(R, In, D);
  ChainMember Member;
  if (!Copied) {
    OutOfCoreInput Alone = inputOf(In, D, R.Shape, pagedOf(D));
    Alone.OthersOpen = Out.OthersOpen;
    Member = asMember(std::move(Alone), B.system(), Sched);
  }
  if (Member.WhyNot != LaunchReason::None)
    return false;
  numberTogether(In, D, Member, Out);
  D.Pointers = In.Pointers;
  D.Counters = &this->Out.kernel(&R.kernel());
  if (disagrees(In, Member.InPlace, Copied, Out.Uses)) {
    D.Counters->WhyNotChained = LaunchReason::InPlaceBesideFrames;
    return false;
  }
  for (const InPlaceArgument &I : Member.InPlace) {
    if (std::none_of(Out.InPlace.begin(), Out.InPlace.end(),
                     [&](const InPlaceArgument &Other) {
                       return Other.Allocation == I.Allocation;
                     }))
      Out.InPlace.push_back(I);
    noteInPlace(I, R.kernel(), D, *D.Counters);
  }
  Out.Requests.push_back(R);
  Out.Inputs.push_back(std::move(In));
  return true;
}

/// Describes as many launches as can be members together, from the first on.
OutOfCoreLauncher::Chain
OutOfCoreLauncher::describeChain(std::span<const DeferredLaunch> Launches,
                                 const DescribeAny &DescribeLaunch) {
  const HostSpan Span(Activity::Plan);
  Chain Out;
  Out.OthersOpen = B.isReady();
  for (const DeferredLaunch &L : Launches) {
    Out.Decisions.emplace_back();
    if (!addMember(L.request(), DescribeLaunch, Out)) {
      Out.Decisions.pop_back();
      break;
    }
  }
  for (size_t L = 0; L < Out.Inputs.size(); ++L) {
    Out.Decisions[L].Allocations = Out.Allocations;
    Out.Inputs[L].Allocations = Out.Placed;
  }
  leaveCopied(Out);
  return Out;
}

/// Leaves on the host what nothing but copies touch that may go by themselves.
void OutOfCoreLauncher::leaveCopied(Chain &C) {
  for (unsigned A = 0; A < C.Uses.size(); ++A) {
    if (C.Uses[A] != MemberUse::Copied)
      continue;
    C.InPlace.push_back({A, LaunchReason::CopiedDirectly});
    for (size_t L = 0; L < C.Inputs.size(); ++L)
      noteInPlace(C.InPlace.back(), *C.Inputs[L].Kernel, C.Decisions[L],
                  *C.Decisions[L].Counters);
  }
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
  for (size_t L = 0; L < Plan.Direct.size(); ++L) {
    Of[L].In += Plan.Direct[L].In;
    Of[L].Out += Plan.Direct[L].Out;
  }
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

/// Returns a plan of the launches, without steps if they do not fit together.
RingPlan OutOfCoreLauncher::planChain(const Chain &C,
                                      const AllocationList &Paged,
                                      const Allocation *Freed) {
  const unsigned Devices = B.system().numDevices();
  ChainInput In;
  In.Launches = C.Inputs;
  In.InPlace = C.InPlace;
  In.OthersOpen = C.OthersOpen;
  RingViews Present;
  for (const std::shared_ptr<Allocation> &A : Paged) {
    In.Paged.push_back(A ? viewOf(*A) : PagedView());
    In.Paged.back().IsFreedNext = A && A.get() == Freed;
    Present.push_back(A ? Memory.pager().rings(*A)
                        : std::vector<RingView>(Devices));
  }
  for (unsigned D = 0; D != Devices; ++D)
    In.Budget.push_back(Memory.pager().budget(static_cast<int>(D)));
  const HostSpan Span(Activity::Plan);
  const std::vector<PagedView> Views = In.Paged;
  const std::vector<uint64_t> Budget = In.Budget;
  ChainPlanner Planner(std::move(In), B.system(), Sched);
  RingPlan Planned = planWithRings(
      [&](const std::vector<uint64_t> &Room) { return Planner.plan(Room); },
      Views, Present, Budget);
  if (Planned.Plan.Steps.empty())
    return Planned;
  std::optional<RingPlan> Within = Planner.planWithin(Budget, Present, Planned);
  return Within ? std::move(*Within) : std::move(Planned);
}

/// Returns the number of the chain's launches that are to run before the others
/// are planned again, when devices may be open that are not yet: all, or as
/// many as go through memory while these are being opened. Has them opened if
/// the chain loses enough.
size_t OutOfCoreLauncher::launchesUntilOpen(const Chain &C,
                                            const OutOfCorePlan &Plan) {
  const size_t All = C.Inputs.size();
  if (C.OthersOpen || isOfFirstDevice(C.Inputs) || Sched == Schedule::Single)
    return All;
  Opening.noteLost(Opening.lostAtOneBus(Plan.PredictedSeconds));
  const size_t Passes = (All + Plan.Depth - 1) / Plan.Depth;
  const double Each = Plan.PredictedSeconds / static_cast<double>(Passes);
  const auto First = static_cast<size_t>(
      std::ceil(DeviceOpening::LikelySeconds / std::max(Each, 1e-9)));
  if (First >= Passes ||
      Opening.lostAtOneBus(Each * static_cast<double>(Passes - First)) <
          DeviceOpening::SecondsWorthIt)
    return All;
  return First * Plan.Depth;
}

/// Runs launches by a plan. Every device is idle.
cudaError_t OutOfCoreLauncher::runChain(
    std::span<const DeferredLaunch> Launches,
    const std::vector<OutOfCoreExecutor::Record> &Events, const Chain &C,
    const AllocationList &Paged, const RingPlan &Planned) {
  if (cudaError_t Error = bringInPlaceHome(Planned.Plan, Paged))
    return Error;
  std::vector<OutOfCoreExecutor::Launch> Parts;
  std::vector<OutOfCoreExecutor::Record> Behind;
  for (size_t L = 0; L < C.Inputs.size(); ++L)
    Parts.push_back(
        {C.Requests[L], C.Decisions[L].Pointers, Launches[L].context()});
  for (const OutOfCoreExecutor::Record &E : Events)
    if (E.After <= Parts.size())
      Behind.push_back(E);
  const OutOfCoreExecutor::Outcome Done = Chunks.run(
      Planned.Plan, Planned.Rings, C.Allocations, Paged, Parts, Behind);
  for (size_t L = 0; L < C.Inputs.size(); ++L)
    noteWrites(C.Inputs[L], C.Decisions[L]);
  countChain(Planned.Plan, C, Done.BytesOnHost);
  return Done.Error;
}

/// Every device is idle. Returns nothing if the launches do not fit together.
std::optional<OutOfCoreLauncher::ChainEnd> OutOfCoreLauncher::runTogether(
    std::span<const DeferredLaunch> Launches,
    const std::vector<OutOfCoreExecutor::Record> &Events,
    const Allocation *Freed, const DescribeAny &DescribeLaunch) {
  Chain C = describeChain(Launches, DescribeLaunch);
  const size_t Members = C.Inputs.size();
  if (Members == 0 || (Members == 1 && Launches.size() > 1))
    return ChainEnd{0, cudaSuccess};
  // A chain uses none.
  for (unsigned D = 0, E = B.system().numDevices(); D != E; ++D)
    if (Memory.lacksRoomForFrames(static_cast<int>(D), {}))
      Memory.dropReplicasBut({});
  for (size_t L = 0; L < Members; ++L)
    if (cudaError_t Error =
            prepareResidency(C.Inputs[L], C.Decisions[L], /*MayStay=*/true))
      return ChainEnd{Members, Error};
  AllocationList Paged = pagedOf(C.Decisions.front());
  RingPlan Planned =
      planChain(C, Paged, Members == Launches.size() ? Freed : nullptr);
  if (Planned.Plan.Steps.empty())
    return std::nullopt;
  if (const size_t First = launchesUntilOpen(C, Planned.Plan);
      First < Members) {
    C = describeChain(Launches.first(First), DescribeLaunch);
    Paged = pagedOf(C.Decisions.front());
    Planned = planChain(C, Paged, nullptr);
    if (Planned.Plan.Steps.empty())
      return std::nullopt;
  }
  return ChainEnd{C.Inputs.size(),
                  runChain(Launches, Events, C, Paged, Planned)};
}

std::optional<OutOfCoreLauncher::ChainEnd> OutOfCoreLauncher::launchChain(
    std::span<const DeferredLaunch> Launches,
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
    return ChainEnd{Launches.size(), Error};
  std::optional<ChainEnd> End;
  try {
    End = runTogether(Launches, Events, Freed, DescribeLaunch);
  } catch (const std::bad_alloc &) {
    End = {Launches.size(), cudaErrorMemoryAllocation};
  }
  // The program goes on as if nothing of it ran.
  if (End && End->Error)
    (void)Residency.writeBackLocked();
  return End;
}

} // namespace gridspan
