//===- OutOfCoreLauncher.cpp - Launches that touch paged memory -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A streamed launch runs with the placement held alone and every device idle
// before it, and it is complete when it returns. That is slower than CUDA
// promises only in that nothing runs beside it; its own copies keep the buses
// busy. A program whose streams wait for something that the host does after
// the launch would wait forever, so patience ends and the launch runs in place.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/OutOfCoreLauncher.h"
#include "runtime/launch/LaunchLimits.h"
#include "runtime/launch/OutOfBoundsPointers.h"
#include "runtime/outofcore/ChunkPartition.h"
#include "runtime/support/UntrackedCode.h"
#include <algorithm>
#include <cstdlib>
#include <set>
#include <thread>

namespace gridspan {

/// Bytes that may be moved more for rings.
static constexpr double WorthARing = 1.05;
static constexpr unsigned MostTries = 4;
/// Reading managed memory in place is not worth avoiding below this.
static constexpr double LeastSeconds = 2e-4;

/// What the plan takes of a device besides frames.
static uint64_t besideRings(const OutOfCorePlan &Plan, size_t Device) {
  return OutOfCorePlan::NumPackedBuffers * Plan.PackedBufferBytes +
         (Plan.ReplicaBytes.empty() ? 0 : Plan.ReplicaBytes[Device]);
}

/// Whether rings have room beside the plan's slots for packed rows and its
/// replicas.
static bool fits(const RingSizes &Rings, const OutOfCorePlan &Plan,
                 const std::vector<uint64_t> &Budget) {
  for (size_t D = 0; D < Budget.size(); ++D)
    if (Rings.Bytes[D] + besideRings(Plan, D) > Budget[D])
      return false;
  return true;
}

/// Whether the kernel may write the allocation.
static bool mayWrite(const GridspanKernel &Kernel, const Decision &D,
                     unsigned Allocation) {
  for (uint32_t I = 0; I < Kernel.NumPointers; ++I)
    if (D.Pointers[I].Allocation == static_cast<int>(Allocation) &&
        (Kernel.Pointers[I].Modes & (GridspanWrite | GridspanAtomic)))
      return true;
  return Kernel.Flags & (GridspanUnknownWrite | GridspanNotAnalysed);
}

/// The launch is about to touch its arguments, or all that there is, in place.
cudaError_t OutOfCoreLauncher::useInPlace(const GridspanKernel &Kernel,
                                          const Decision &D, const char *Why) {
  if (cudaError_t Error = Kept.writeBackLocked())
    return Error;
  KernelCounters &Counters = *D.Counters;
  if (mayTouchAnything(Kernel)) {
    Counters.noteInPlace(-1, Why);
    return Memory.accessEverything(
        Kernel.Flags & (GridspanUnknownWrite | GridspanNotAnalysed) ||
        std::any_of(Kernel.Pointers, Kernel.Pointers + Kernel.NumPointers,
                    [](const GridspanPointer &P) {
                      return P.Modes & (GridspanWrite | GridspanAtomic);
                    }));
  }
  for (uint32_t P = 0; P < Kernel.NumPointers; ++P)
    if (const int A = D.Pointers[P].Allocation;
        A >= 0 && D.Allocations[A] && D.Allocations[A]->Paged)
      Counters.noteInPlace(static_cast<int>(Kernel.Pointers[P].Param), Why);
  for (unsigned I = 0; I < D.Allocations.size(); ++I)
    if (Allocation *A = D.Allocations[I].get(); A && A->Paged)
      if (cudaError_t Error = Memory.pager().deviceAccess(
              *A, 0, A->bytes(), mayWrite(Kernel, D, I)))
        return Error;
  return cudaSuccess;
}

/// Whether the launch touches enough paged memory.
bool OutOfCoreLauncher::worthStreaming(const PlanInput &In, const Decision &D) {
  std::vector<PagedView> Views;
  for (const std::shared_ptr<Allocation> &A : D.Allocations)
    Views.push_back(A ? Memory.pager().view(*A) : PagedView());
  uint64_t Bytes = 0;
  ChunkPartitioner Partitioner(In, Views);
  for (const FrameUse &U : Partitioner.footprint(In.Box).Uses) {
    // It may stay on devices for launches to come, or others' frames may.
    if (D.Allocations[U.Allocation]->kind() != AllocationKind::Managed ||
        Sched == Schedule::Static ||
        (Kept.any() &&
         !mayNotifyHost(*In.Kernel, In.Box.Args, Memory, B.system().PageSize)))
      return true;
    for (uint32_t F = U.Lo; F < U.Hi; ++F)
      Bytes += Views[U.Allocation].Frames[F].Bytes;
  }
  return static_cast<double>(Bytes) /
             std::max(1.0, B.system().Devices[0].HostToDevice) >=
         LeastSeconds;
}

/// Whether the kernel's clone with packed rows can run. A trace would hold the
/// addresses of the packed rows.
static bool mayPack(Backend &B, const GridspanKernel &Kernel,
                    const LaunchShape &Shape) {
  static const bool Traced = std::getenv("GRIDSPAN_TRACE_ACCESS") != nullptr;
  const GridspanKernel *Packed = Kernel.Packed;
  return Packed && !Traced && !(Packed->Cpu && Packed->Cpu->Unsupported) &&
         takesBlocks(B, {Packed, Packed->HostStub, false, true}, Shape);
}

PagedView OutOfCoreLauncher::viewOf(const Allocation &A) const {
  PagedView Out = Memory.pager().view(A);
  Out.Saves = A.kind() == AllocationKind::Managed && Kept.expectsHost();
  return Out;
}

/// The launch's allocations first, then all other paged ones.
OutOfCoreInput
OutOfCoreLauncher::inputOf(PlanInput In, const Decision &D,
                           const LaunchShape &Shape,
                           std::vector<std::shared_ptr<Allocation>> &Paged) {
  OutOfCoreInput Out;
  Out.Launch = std::move(In);
  std::vector<std::shared_ptr<Allocation>> All = D.Allocations;
  for (const std::shared_ptr<Allocation> &A : Memory.all())
    if (A->Paged && std::find(All.begin(), All.end(), A) == All.end())
      All.push_back(A);
  for (std::shared_ptr<Allocation> &A : All) {
    const bool IsPaged = A && A->Paged;
    Out.Paged.push_back(IsPaged ? viewOf(*A) : PagedView());
    Paged.push_back(IsPaged ? A : nullptr);
  }
  for (unsigned Device = 0; Device < B.system().numDevices(); ++Device)
    Out.Budget.push_back(
        Memory.pager().budget(static_cast<int>(Device)) +
        MemoryManager::replicaBytes(D.Allocations, static_cast<int>(Device)));
  Out.MayPack = mayPack(B, *Out.Launch.Kernel, Shape);
  return Out;
}

/// Counts what a launch that In describes has written.
void OutOfCoreLauncher::noteWrites(const PlanInput &In, const Decision &D) {
  Plan Done;
  addWrites(In, Done);
  for (unsigned A = 0; A < Done.Effects.size(); ++A)
    if (D.Allocations[A] && Done.Effects[A].Written) {
      D.Allocations[A]->written();
      Done.WritesAnywhere |=
          (outsideModes(In, A) & (GridspanWrite | GridspanAtomic)) != 0;
    }
  if (Done.WritesAnywhere)
    Exec.anythingWritten();
  Memory.homesChanged();
}

void OutOfCoreLauncher::countEffects(const OutOfCorePlan &Plan,
                                     const GridspanKernel &Kernel,
                                     const Decision &D, uint64_t OnHost,
                                     cudaError_t Error) {
  KernelCounters &Counters = Out.kernel(&Kernel);
  std::set<int> Devices;
  for (const OutOfCoreStep &Step : Plan.Steps)
    Devices.insert(Step.Device);
  Counters.StreamedOnHost += OnHost;
  if (!Plan.WhyUnsplit.empty())
    Counters.WhyWhole = Plan.WhyUnsplit.data();
  else if (!Plan.WhyOneDevice.empty())
    Counters.WhyWhole = Plan.WhyOneDevice.data();
  if (!Error)
    Counters.countStreamed(Devices.size(), Plan.Steps.size(), Plan.BytesIn,
                           Plan.BytesOut);
  for (uint32_t P = 0; P < Kernel.NumPointers; ++P)
    if (D.Pointers[P].Allocation >= 0 &&
        std::find(Plan.Packed.begin(), Plan.Packed.end(),
                  static_cast<unsigned>(D.Pointers[P].Allocation)) !=
            Plan.Packed.end())
      Counters.notePacked(static_cast<int>(Kernel.Pointers[P].Param));
  Counters.LocalBytes += Plan.LocalBytes;
  Counters.RemoteBytes += Plan.RemoteBytes;
  for (uint32_t P = 0; P < Kernel.NumPointers; ++P) {
    const auto Param = static_cast<int>(Kernel.Pointers[P].Param);
    for (const OutOfCoreReplica &R : Plan.Replicas)
      if (D.Pointers[P].Allocation == static_cast<int>(R.Allocation))
        Counters.ReplicaParam = Param;
    for (const InPlaceArgument &L : Plan.Linked)
      if (D.Pointers[P].Allocation == static_cast<int>(L.Allocation)) {
        Counters.LinkedParam = Param;
        Counters.WhyLinked = L.Why.data();
      }
  }
  for (const InPlaceArgument &I : Plan.InPlace)
    for (uint32_t P = 0; P < Kernel.NumPointers; ++P)
      if (D.Pointers[P].Allocation == static_cast<int>(I.Allocation))
        Counters.noteInPlace(static_cast<int>(Kernel.Pointers[P].Param),
                             I.Why.data());
}

/// A plan whose frames fit rings, where that moves hardly more; else one whose
/// frames are mapped one by one, and Fit is false.
OutOfCorePlan OutOfCoreLauncher::planWithRings(
    OutOfCoreInput In, const std::vector<std::shared_ptr<Allocation>> &Paged,
    RingSizes &Rings, bool &Fit) {
  Fit = true;
  const unsigned Devices = B.system().numDevices();
  RingViews Present;
  for (const std::shared_ptr<Allocation> &A : Paged)
    Present.push_back(A ? Memory.pager().rings(*A)
                        : std::vector<RingView>(Devices));
  const std::vector<uint64_t> Budget = In.Budget;
  OutOfCorePlan First = planOutOfCore(In, B.system(), Sched);
  Rings = chooseRings(First, In.Paged, Present, Devices);
  if (fits(Rings, First, Budget))
    return First;
  // Frames of several allocations may each have their most at another time:
  // with a little less room they need that much less.
  std::vector<uint64_t> Beside;
  for (unsigned D = 0; D < Devices; ++D)
    Beside.push_back(besideRings(First, D));
  for (unsigned Try = 0; Try < MostTries; ++Try) {
    for (unsigned D = 0; D < Devices; ++D) {
      const uint64_t Wanted = Rings.Bytes[D] + Beside[D];
      if (Wanted > Budget[D])
        In.Budget[D] -= std::min(In.Budget[D], Wanted - Budget[D]);
    }
    OutOfCorePlan Next = planOutOfCore(In, B.system(), Sched);
    if (Next.InPlace != First.InPlace || Next.Replicas != First.Replicas ||
        static_cast<double>(Next.BytesIn + Next.BytesOut) >
            WorthARing * static_cast<double>(First.BytesIn + First.BytesOut))
      break;
    Rings = chooseRings(Next, In.Paged, Present, Devices);
    for (unsigned D = 0; D < Devices; ++D)
      Beside[D] = besideRings(Next, D);
    if (fits(Rings, Next, Budget))
      return Next;
  }
  Fit = false;
  for (std::vector<uint32_t> &Slots : Rings.Slots)
    std::fill(Slots.begin(), Slots.end(), 0);
  return First;
}

/// As planWithRings(). Frames that came before anyone asked for them, and the
/// rings that they are in, give way where they are in the way of better ones.
OutOfCorePlan
OutOfCoreLauncher::plan(OutOfCoreInput In,
                        const std::vector<std::shared_ptr<Allocation>> &Paged,
                        RingSizes &Rings) {
  bool Fit = false;
  OutOfCorePlan Plan = planWithRings(In, Paged, Rings, Fit);
  bool Forgot = false;
  for (size_t A = 0; A < Paged.size() && !Fit; ++A)
    if (Paged[A] && Memory.pager().forgetClean(*Paged[A])) {
      In.Paged[A] = viewOf(*Paged[A]);
      Forgot = true;
    }
  return Forgot ? planWithRings(std::move(In), Paged, Rings, Fit) : Plan;
}

/// A plan whose replicas are there, and filled. Where a device refuses one
/// beside what it holds, that goes home, and if it still does, devices read the
/// allocation from each other.
cudaError_t OutOfCoreLauncher::planWithReplicas(
    const PlanInput &In, const Decision &D, const LaunchShape &Shape,
    std::vector<std::shared_ptr<Allocation>> &Paged, RingSizes &Rings,
    OutOfCorePlan &Plan) {
  for (unsigned Device = 0; Device < B.system().numDevices(); ++Device)
    if (Memory.lacksRoomForFrames(static_cast<int>(Device), D.Allocations))
      Memory.dropReplicasBut(D.Allocations);
  OutOfCoreReplicas Replicas(B, Memory, Exec, Out);
  std::vector<unsigned> Refused;
  for (bool Cleared = false;; Cleared = true) {
    Paged.clear();
    OutOfCoreInput Input = inputOf(In, D, Shape, Paged);
    Input.NotReplicated = Refused;
    Plan = plan(std::move(Input), Paged, Rings);
    const std::optional<unsigned> NoRoom = Replicas.make(Plan, D.Allocations);
    if (!NoRoom)
      return Replicas.fill(Plan, D.Allocations);
    if (Cleared)
      Refused.push_back(*NoRoom);
    else if (cudaError_t Error = Memory.writeBackAll())
      return Error;
  }
}

/// Has managed memory stay where it is for a launch that may go by it, and
/// counts what it accesses; else brings it home.
cudaError_t OutOfCoreLauncher::prepareKept(const PlanInput &In,
                                           const Decision &D, bool MayKeep) {
  if (!MayKeep || launchesBlock() || !seesAllWork() || untrackedDeviceCode() ||
      !Exec.trustsReplicas() ||
      mayNotifyHost(*In.Kernel, In.Box.Args, Memory, B.system().PageSize))
    return Kept.writeBackLocked();
  Kept.add(In, D.Allocations);
  return cudaSuccess;
}

cudaError_t OutOfCoreLauncher::stream(const LaunchTarget &Target,
                                      const LaunchShape &Shape,
                                      void *const *Args, ProgramStream &S,
                                      bool MayKeep,
                                      const Describe &DescribeLaunch) {
  Decision D;
  PlanInput In = DescribeLaunch(D);
  Indices.inspectNow(In, D.Allocations, S.main());
  if (In.Indices)
    In.Indices->note(Out.kernel(Target.Kernel));
  if (cudaError_t Error = prepareKept(In, D, MayKeep))
    return Error;
  std::vector<std::shared_ptr<Allocation>> Paged;
  RingSizes Rings;
  OutOfCorePlan Plan;
  if (cudaError_t Error = planWithReplicas(In, D, Shape, Paged, Rings, Plan))
    return Error;
  // Written or not: frames of it would only be in the way of others'.
  for (const InPlaceArgument &I : Plan.InPlace)
    if (cudaError_t Error = Memory.pager().deviceAccess(
            *Paged[I.Allocation], 0, Paged[I.Allocation]->bytes(), true))
      return Error;
  // Rows are packed from the host's copy.
  for (unsigned A : Plan.Packed)
    if (cudaError_t Error =
            Memory.pager().deviceAccess(*Paged[A], 0, Paged[A]->bytes(), false))
      return Error;
  uint64_t OnHost = 0;
  cudaError_t Error = Streams.run(Plan, Rings, D.Allocations, Paged, Target,
                                  Shape, Args, D.Pointers, OnHost);
  noteWrites(In, D);
  countEffects(Plan, *Target.Kernel, D, OnHost, Error);
  // Other code touches memory without asking.
  if (!Error && (untrackedDeviceCode() || !Exec.trustsReplicas()))
    Error = Memory.accessEverything(true);
  return Error;
}

/// Whether the kernel may run until the host, which then must not wait for it,
/// or another kernel has written something.
static bool waits(const GridspanKernel &Kernel) {
  return Kernel.Refusal &&
         std::string_view(Kernel.Refusal) == "waits-on-other-block";
}

/// Whether the host may look at paged memory of the launch while it runs.
static bool touchesManaged(const Decision &D) {
  return std::any_of(
      D.Allocations.begin(), D.Allocations.end(), [](const auto &A) {
        return A && A->Paged && A->kind() == AllocationKind::Managed;
      });
}

/// Why the launch accesses what it touches of paged memory where it is, as any
/// other; null when it is streamed.
const char *OutOfCoreLauncher::whyInPlace(const GridspanKernel &Kernel,
                                          const PlanInput &In,
                                          const Decision &D, bool GaveUp) {
  if (Kernel.Flags & GridspanNotAnalysed)
    return "not-analysed";
  if (mayTouchAnything(Kernel))
    return "unknown-pointer";
  if (waits(Kernel))
    return "waits-on-other-block";
  if (touchesManaged(D) && mayPublish(Kernel, In.Box.Args, Memory))
    return "tells-host";
  if (GaveUp)
    return "devices-busy";
  return worthStreaming(In, D) ? nullptr : "does-not-pay";
}

bool OutOfCoreLauncher::launch(const LaunchTarget &Target,
                               const LaunchShape &Shape, void *const *Args,
                               ProgramStream &S, const char *WhyInPlace,
                               bool MayKeep, const Describe &DescribeLaunch,
                               const LaunchInPlace &Do, cudaError_t &Error) {
  for (bool GaveUp = false;;) {
    {
      // Held until a launch in place is enqueued: no other launch may keep from
      // the host what this one reads there.
      PlacementReader Placement(Memory.placementLock());
      Decision D;
      const PlanInput In = DescribeLaunch(D);
      if (mayReachOtherPaged(In, D.Allocations, Memory, B)) {
        Out.kernel(Target.Kernel).noteInPlace(-1, "pointer-outside");
        Error = Kept.writeBackLocked();
        if (!Error)
          Error = Memory.accessEverything(true);
        if (!Error)
          Error = Do();
        return true;
      }
      const bool AnyPaged =
          std::any_of(D.Allocations.begin(), D.Allocations.end(),
                      [](const auto &A) { return A && A->Paged; });
      if (!AnyPaged && !mayTouchAnything(*Target.Kernel))
        return false;
      if (const char *Why = WhyInPlace
                                ? WhyInPlace
                                : whyInPlace(*Target.Kernel, In, D, GaveUp)) {
        D.Counters = &Out.kernel(Target.Kernel);
        Error = useInPlace(*Target.Kernel, D, Why);
        if (!Error)
          Error = Do();
        return true;
      }
    }
    PlacementWriter Placement(Memory.placementLock(), std::defer_lock);
    if (!Placement.tryLockFor(Patience)) {
      GaveUp = true;
      continue;
    }
    if (!Exec.becomeIdle(Patience)) {
      GaveUp = true;
      continue;
    }
    const uint64_t Before = Memory.epoch();
    Error = Memory.makeRoomForFrames(S.main());
    // What was on devices for good is paged now: pointers may lead beside it.
    if (!Error && Memory.epoch() != Before)
      continue;
    try {
      if (!Error)
        Error = stream(Target, Shape, Args, S, MayKeep, DescribeLaunch);
    } catch (const std::bad_alloc &) {
      Error = cudaErrorMemoryAllocation;
    }
    // The program goes on as if nothing of it ran.
    if (Error)
      (void)Kept.writeBackLocked();
    return true;
  }
}

} // namespace gridspan
