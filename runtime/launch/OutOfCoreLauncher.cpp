//===- OutOfCoreLauncher.cpp - Launches that touch paged memory -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// whyNotOutOfCore() is the place where it is decided that a launch with paged
// memory stays as it is.
//
// A launch out of core runs with the placement lock held alone and every device
// idle before it, and it is complete when it returns. That is slower than CUDA
// promises only in that nothing runs beside it: its own copies keep the buses
// busy. A program whose streams wait for something that the host does after the
// launch would wait forever. So patience ends, and the launch runs in place.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/OutOfCoreLauncher.h"
#include "runtime/backend/KernelTraits.h"
#include "runtime/launch/LaunchLimits.h"
#include "runtime/launch/OutOfBoundsPointers.h"
#include "runtime/outofcore/ChunkPartition.h"
#include "runtime/report/Tracing.h"
#include "runtime/support/UntrackedCode.h"
#include <algorithm>
#include <cstdlib>
#include <set>

namespace gridspan {

/// The time below which reading managed memory in place is not worth avoiding.
static constexpr double LeastSeconds = 2e-4;

/// Returns true if the kernel may write the allocation.
static bool mayWrite(const GridspanKernel &Kernel, const Decision &D,
                     unsigned Allocation) {
  for (uint32_t I = 0, E = Kernel.NumPointers; I != E; ++I)
    if (D.Pointers[I].Allocation == static_cast<int>(Allocation) &&
        (Kernel.Pointers[I].Modes & (GridspanWrite | GridspanAtomic)))
      return true;
  return Kernel.Flags & (GridspanUnknownWrite | GridspanNotAnalysed);
}

/// Brings what a launch is about to touch in place, its arguments or all that
/// there is, up to date on the host.
cudaError_t OutOfCoreLauncher::useInPlace(const GridspanKernel &Kernel,
                                          const Decision &D, LaunchReason Why) {
  if (cudaError_t Error = Residency.writeBackLocked())
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
  for (uint32_t P = 0, E = Kernel.NumPointers; P != E; ++P)
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

/// Returns true if the launch touches enough paged memory.
bool OutOfCoreLauncher::isWorthChunks(const PlanInput &In, const Decision &D) {
  std::vector<PagedView> Views;
  for (const std::shared_ptr<Allocation> &A : D.Allocations)
    Views.push_back(A ? Memory.pager().view(*A) : PagedView());
  uint64_t Bytes = 0;
  ChunkPartitioner Partitioner(In, Views);
  for (const FrameUse &U : Partitioner.footprint(In.Box).Uses) {
    // It may stay on devices for launches to come, or others' frames may.
    if (D.Allocations[U.Allocation]->kind() != AllocationKind::Managed ||
        splitsAll(Sched) ||
        (Residency.any() &&
         !mayNotifyHost(*In.Kernel, In.Box.Args, Memory, B.system().PageSize)))
      return true;
    for (uint32_t F = U.Lo; F < U.Hi; ++F)
      Bytes += Views[U.Allocation].Frames[F].Bytes;
  }
  return static_cast<double>(Bytes) /
             std::max(1.0, B.system().Devices[0].HostToDevice) >=
         LeastSeconds;
}

/// Returns true if the kernel's clone with packed rows can run. A trace of
/// accesses would hold the addresses of the packed rows.
static bool mayPack(Backend &B, const GridspanKernel &Kernel,
                    const LaunchShape &Shape) {
  static const bool Traced = std::getenv("GRIDSPAN_TRACE_ACCESS") != nullptr;
  const GridspanKernel *Packed = Kernel.Packed;
  return Packed && !Traced && !(Packed->Cpu && Packed->Cpu->Unsupported) &&
         takesBlocks(B, {Packed, Packed->HostStub, false, true}, Shape);
}

PagedView OutOfCoreLauncher::viewOf(const Allocation &A) const {
  PagedView Out = Memory.pager().view(A);
  // Lent memory goes home soon, and then all at once.
  Out.Saves = (A.Paged && A.Paged->Adopted) ||
              (A.kind() == AllocationKind::Managed && Residency.expectsHost());
  return Out;
}

/// Returns the launch's allocations, then all others that are paged; null where
/// one of the launch's is not.
OutOfCoreLauncher::AllocationList
OutOfCoreLauncher::pagedOf(const Decision &D) const {
  AllocationList Paged = D.Allocations;
  for (std::shared_ptr<Allocation> &A : Paged)
    if (A && !A->Paged)
      A = nullptr;
  for (const std::shared_ptr<Allocation> &A : Memory.all())
    if (A->Paged && std::find(Paged.begin(), Paged.end(), A) == Paged.end())
      Paged.push_back(A);
  return Paged;
}

OutOfCoreInput OutOfCoreLauncher::inputOf(PlanInput In, const Decision &D,
                                          const LaunchShape &Shape,
                                          const AllocationList &Paged) {
  OutOfCoreInput Out;
  Out.Launch = std::move(In);
  for (const std::shared_ptr<Allocation> &A : Paged)
    Out.Paged.push_back(A ? viewOf(*A) : PagedView());
  for (unsigned Device = 0, E = B.system().numDevices(); Device != E; ++Device)
    Out.Budget.push_back(
        Memory.pager().budget(static_cast<int>(Device)) +
        MemoryManager::replicaBytes(D.Allocations, static_cast<int>(Device)));
  Out.OthersOpen = B.isReady();
  Out.MayPack = mayPack(B, *Out.Launch.Kernel, Shape);
  return Out;
}

/// Counts the writes of a launch that In describes.
void OutOfCoreLauncher::noteWrites(const PlanInput &In, const Decision &D) {
  // Before the versions, as in CopyEngine::noteWritten().
  ProgramStream::operated(ProgramStream::Work::EndsByItself);
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
                                     const Decision &D,
                                     const OutOfCoreExecutor::Outcome &Done) {
  KernelCounters &Counters = Out.kernel(&Kernel);
  std::set<int> Devices;
  for (const OutOfCoreStep &Step : Plan.Steps)
    Devices.insert(Step.Device);
  Counters.OutOfCoreBytesOnHost += Done.BytesOnHost;
  if (Plan.WhyUnsplit != LaunchReason::None)
    Counters.WhyUnsplit = Plan.WhyUnsplit;
  else if (Plan.WhyOneDevice != LaunchReason::None)
    Counters.WhyUnsplit = Plan.WhyOneDevice;
  if (!Done.Error)
    Counters.countOutOfCore(Devices.size(), Plan.Steps.size(), Plan.BytesIn,
                            Plan.BytesOut);
  if (!Done.Error && !Plan.Least.empty())
    Counters.countLeast(Plan.Least[0].In, Plan.Least[0].Out);
  for (uint32_t P = 0, E = Kernel.NumPointers; P != E; ++P)
    if (D.Pointers[P].Allocation >= 0 &&
        std::find(Plan.Packed.begin(), Plan.Packed.end(),
                  static_cast<unsigned>(D.Pointers[P].Allocation)) !=
            Plan.Packed.end())
      Counters.notePacked(static_cast<int>(Kernel.Pointers[P].Param));
  Counters.LocalBytes += Plan.LocalBytes;
  Counters.RemoteBytes += Plan.RemoteBytes;
  for (uint32_t P = 0, E = Kernel.NumPointers; P != E; ++P) {
    const auto Param = static_cast<int>(Kernel.Pointers[P].Param);
    for (const OutOfCoreReplica &R : Plan.Replicas)
      if (D.Pointers[P].Allocation == static_cast<int>(R.Allocation))
        Counters.ReplicaParam = Param;
    for (const InPlaceArgument &L : Plan.Linked)
      if (D.Pointers[P].Allocation == static_cast<int>(L.Allocation)) {
        Counters.LinkedParam = Param;
        Counters.WhyLinked = L.Why;
      }
  }
  for (const InPlaceArgument &I : Plan.InPlace)
    noteInPlace(I, Kernel, D, Counters);
}

/// Notes the arguments of a launch that lead to what is left in place.
void OutOfCoreLauncher::noteInPlace(const InPlaceArgument &What,
                                    const GridspanKernel &Kernel,
                                    const Decision &D,
                                    KernelCounters &Counters) {
  for (uint32_t P = 0, E = Kernel.NumPointers; P != E; ++P)
    if (D.Pointers[P].Allocation == static_cast<int>(What.Allocation))
      Counters.noteInPlace(static_cast<int>(Kernel.Pointers[P].Param),
                           What.Why);
}

/// Plans as planWithRings() does. Frames that came before anyone asked for
/// them, and the rings that they are in, give way if they are in the way of
/// better ones.
RingPlan OutOfCoreLauncher::plan(OutOfCoreInput In,
                                 const AllocationList &Paged) {
  const HostSpan Span(Activity::Plan);
  RingViews Present;
  for (const std::shared_ptr<Allocation> &A : Paged)
    Present.push_back(A ? Memory.pager().rings(*A)
                        : std::vector<RingView>(B.system().numDevices()));
  const auto Plan = [&] {
    return planWithRings(
        [&](const std::vector<uint64_t> &Budget) {
          OutOfCoreInput Less = In;
          Less.Budget = Budget;
          return planOutOfCore(std::move(Less), B.system(), Sched);
        },
        In.Paged, Present, In.Budget);
  };
  RingPlan Planned = Plan();
  if (Planned.HasRings)
    return Planned;
  bool Forgot = false;
  for (size_t A = 0, E = Paged.size(); A != E; ++A)
    if (Paged[A] && Memory.pager().forgetClean(*Paged[A])) {
      In.Paged[A] = viewOf(*Paged[A]);
      Forgot = true;
    }
  if (!Forgot)
    return Planned;
  for (size_t A = 0, E = Paged.size(); A != E; ++A)
    if (Paged[A])
      Present[A] = Memory.pager().rings(*Paged[A]);
  return Plan();
}

/// Returns a plan whose replicas are made and filled. Where a device refuses a
/// replica beside what it holds, that is written back. If it still does,
/// devices read the allocation from each other.
Expected<OutOfCoreLauncher::RunPlan>
OutOfCoreLauncher::planWithReplicas(const PlanInput &In, const Decision &D,
                                    const LaunchShape &Shape) {
  for (unsigned Device = 0, E = B.system().numDevices(); Device != E; ++Device)
    if (Memory.lacksRoomForFrames(static_cast<int>(Device), D.Allocations))
      Memory.dropReplicasBut(D.Allocations);
  OutOfCoreReplicas Replicas(B, Memory, Exec, Out);
  std::vector<unsigned> Refused;
  for (bool Cleared = false;; Cleared = true) {
    RunPlan Run;
    Run.Paged = pagedOf(D);
    OutOfCoreInput Input = inputOf(In, D, Shape, Run.Paged);
    Input.NotReplicated = Refused;
    Run.Planned = plan(std::move(Input), Run.Paged);
    const OutOfCorePlan &Plan = Run.Planned.Plan;
    const std::optional<unsigned> NoRoom = Replicas.make(Plan, D.Allocations);
    if (!NoRoom) {
      if (cudaError_t Error = Replicas.fill(Plan, D.Allocations))
        return Error;
      return Run;
    }
    if (Cleared)
      Refused.push_back(*NoRoom);
    else if (cudaError_t Error = Memory.writeBackAll())
      return Error;
  }
}

/// Returns true if neither the launch nor anything that Gridspan does not see
/// tells the host how far it is.
bool OutOfCoreLauncher::mayKeepFromHost(const PlanInput &In) {
  return !launchesBlock() && seesAllWork() && !untrackedDeviceCode() &&
         Exec.trustsReplicas() &&
         !mayNotifyHost(*In.Kernel, In.Box.Args, Memory, B.system().PageSize);
}

/// Lets managed memory stay on devices behind a launch that tells the host
/// nothing, and counts what it accesses; else writes it back.
cudaError_t OutOfCoreLauncher::prepareResidency(const PlanInput &In,
                                                const Decision &D,
                                                bool MayStay) {
  if (!MayStay || !mayKeepFromHost(In))
    return Residency.writeBackLocked();
  Residency.add(In, D.Allocations);
  return cudaSuccess;
}

/// Brings home what the plan leaves in place. Written or not: frames of it
/// would only be in the way of others'.
cudaError_t OutOfCoreLauncher::bringInPlaceHome(const OutOfCorePlan &Plan,
                                                const AllocationList &Paged) {
  for (const InPlaceArgument &I : Plan.InPlace)
    if (cudaError_t Error = Memory.pager().deviceAccess(
            *Paged[I.Allocation], 0, Paged[I.Allocation]->bytes(), true))
      return Error;
  return cudaSuccess;
}

/// Runs the launch out of core. Every device is idle.
cudaError_t OutOfCoreLauncher::runChunks(const LaunchRequest &R, bool MayStay,
                                         const Describe &DescribeLaunch) {
  Decision D;
  PlanInput In = DescribeLaunch(D);
  Indices.inspectNow(In, D.Allocations, R.Stream.main());
  if (In.Indices)
    In.Indices->note(Out.kernel(R.Target.Kernel));
  if (cudaError_t Error = prepareResidency(In, D, MayStay))
    return Error;
  const Expected<RunPlan> Run = planWithReplicas(In, D, R.Shape);
  if (!Run)
    return Run.error();
  const OutOfCorePlan &Plan = Run->Planned.Plan;
  const AllocationList &Paged = Run->Paged;
  if (Plan.WhyOneDevice == LaunchReason::DevicesNotOpen)
    Opening.noteLost(Opening.lostAtOneBus(Plan.PredictedSeconds));
  if (cudaError_t Error = bringInPlaceHome(Plan, Paged))
    return Error;
  // Rows are packed from the host's copy.
  for (unsigned A : Plan.Packed)
    if (cudaError_t Error =
            Memory.pager().deviceAccess(*Paged[A], 0, Paged[A]->bytes(), false))
      return Error;
  const OutOfCoreExecutor::Outcome Done = Chunks.run(
      Plan, Run->Planned.Rings, D.Allocations, Paged, {{R, D.Pointers}});
  noteWrites(In, D);
  countEffects(Plan, R.kernel(), D, Done);
  cudaError_t Error = Done.Error;
  // Other code touches memory without asking.
  if (!Error && (mayTouchUnseen() || !Exec.trustsReplicas()))
    Error = Memory.accessEverything(true);
  return Error;
}

/// Returns true if the host may look at paged memory of the launch while it
/// runs.
static bool touchesManaged(const Decision &D) {
  return std::any_of(
      D.Allocations.begin(), D.Allocations.end(), [](const auto &A) {
        return A && A->Paged && A->kind() == AllocationKind::Managed;
      });
}

/// Returns why the runtime cannot wait for the launch, or not tell what it may
/// touch.
LaunchReason OutOfCoreLauncher::whyInPlace(const GridspanKernel &Kernel,
                                           const PlanInput &In,
                                           const Decision &D) {
  if (Kernel.Flags & GridspanNotAnalysed)
    return LaunchReason::NotAnalysed;
  if (mayTouchAnything(Kernel))
    return LaunchReason::UnknownPointer;
  // It may run until the host, which then must not wait for it, has written
  // something.
  if (refusalOf(Kernel) == LaunchReason::WaitsOnOtherBlock)
    return LaunchReason::WaitsOnOtherBlock;
  if (touchesManaged(D) && mayPublish(Kernel, In.Box.Args, Memory))
    return LaunchReason::TellsHost;
  return LaunchReason::None;
}

/// Returns why the launch accesses what it touches of paged memory where it is,
/// as any other; None if it runs out of core. GaveUp: work that was enqueued
/// before does not end.
LaunchReason OutOfCoreLauncher::whyNotOutOfCore(const GridspanKernel &Kernel,
                                                const PlanInput &In,
                                                const Decision &D,
                                                bool GaveUp) {
  if (const LaunchReason Why = whyInPlace(Kernel, In, D);
      Why != LaunchReason::None)
    return Why;
  if (GaveUp)
    return LaunchReason::DevicesBusy;
  return isWorthChunks(In, D) ? LaunchReason::None : LaunchReason::DoesNotPay;
}

std::optional<cudaError_t>
OutOfCoreLauncher::launch(const LaunchRequest &R, LaunchReason WhyInPlace,
                          bool MayStay, const Describe &DescribeLaunch,
                          const LaunchInPlace &Do) {
  const GridspanKernel &Kernel = R.kernel();
  for (bool GaveUp = false;;) {
    {
      // Held until a launch in place is enqueued: no other launch may keep from
      // the host what this one reads there.
      PlacementReader Placement(Memory.placementLock());
      Decision D;
      const PlanInput In = DescribeLaunch(D);
      if (mayReachOtherPaged(In, D.Allocations, Memory, B)) {
        Out.kernel(&Kernel).noteInPlace(-1, LaunchReason::PointerOutside);
        if (cudaError_t Error = Residency.writeBackLocked())
          return Error;
        if (cudaError_t Error = Memory.accessEverything(true))
          return Error;
        return Do();
      }
      const bool AnyPaged =
          std::any_of(D.Allocations.begin(), D.Allocations.end(),
                      [](const auto &A) { return A && A->Paged; });
      if (!AnyPaged && !mayTouchAnything(Kernel))
        return std::nullopt;
      const LaunchReason Why = WhyInPlace != LaunchReason::None
                                   ? WhyInPlace
                                   : whyNotOutOfCore(Kernel, In, D, GaveUp);
      if (Why != LaunchReason::None) {
        D.Counters = &Out.kernel(&Kernel);
        if (cudaError_t Error = useInPlace(Kernel, D, Why))
          return Error;
        return Do();
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
    // Frames of what the program has freed would be in the way.
    Memory.collectFreedLocked();
    const uint64_t Before = Memory.epoch();
    cudaError_t Error = Memory.makeRoomForFrames(R.Stream.main());
    // What was on devices for good is paged now: pointers may lead beside it.
    if (!Error && Memory.epoch() != Before)
      continue;
    try {
      if (!Error)
        Error = runChunks(R, MayStay, DescribeLaunch);
    } catch (const std::bad_alloc &) {
      Error = cudaErrorMemoryAllocation;
    }
    // The program goes on as if nothing of it ran.
    if (Error)
      (void)Residency.writeBackLocked();
    return Error;
  }
}

} // namespace gridspan
