//===- LaunchEngine.cpp - From a launch of the program to devices ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way of a launch:
//
//   launch           looks the kernel up, and sorts out rare cases
//   mayDefer         has launches larger than memory wait for later ones
//   launchPaged      hands launches that touch paged memory to
//                    OutOfCoreLauncher
//   find             looks for a decision in the cache
//   planAndLaunch    has a decision renewed (ReplanCheck.h) or made
//                    (LaunchDecider.h), carries out its moves, and remembers it
//   Executor::launch enqueues it
//
// The placement lock is held shared from the look at the homes of pages until
// the launch is enqueued. It is given up before pages are moved, so that a
// launch may be planned twice.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/LaunchEngine.h"
#include "runtime/backend/KernelTraits.h"
#include "runtime/backend/Registry.h"
#include "runtime/launch/LaunchLimits.h"
#include "runtime/launch/LibraryCalls.h"
#include "runtime/launch/UnifiedPrefetch.h"
#include "runtime/outofcore/MemoryOperation.h"
#include "runtime/plan/LaunchArguments.h"
#include "runtime/report/Tracing.h"
#include "runtime/report/UnregisteredKernel.h"
#include "runtime/support/ChosenDevice.h"
#include <algorithm>
#include <utility>

namespace gridspan {

cudaError_t LaunchEngine::setFunctionAttribute(const LaunchTarget &Target,
                                               cudaFuncAttribute Attribute,
                                               int Value) {
  cudaError_t Error = B.setFunctionAttribute(Target, Attribute, Value);
  Cache.clear();
  return Error;
}

//===--- Remembering ----------------------------------------------------===//

/// Returns the decision for the launch, however old; null if there is none.
const Decision *LaunchEngine::find(const LaunchRequest &R) const {
  const GridspanKernel &Kernel = R.kernel();
  if (!Decider.looksAtArguments(Kernel))
    return Cache.find(LaunchKey(Kernel, R.Shape));
  if (Decider.countsBytes())
    return Cache.find(LaunchKey(Kernel, R.Shape, R.Arguments));
  const auto Holds = [&](const Decision *D) {
    return D && D->HoldsWithin && !D->IsVoid.load(std::memory_order_relaxed) &&
           isWithin(*D->HoldsWithin, Kernel, boxOf(R.Shape, R.Arguments));
  };
  // Kernels that may write anything often get tables of many pointers, and
  // those another one with each launch: to look where all lead to would take
  // longer than the launch.
  if (Kernel.Flags & GridspanUnknownWrite)
    if (const Decision *D = Cache.find(LaunchKey(Kernel, R.Shape)); Holds(D))
      return D;
  if (const Decision *D =
          Cache.find(LaunchKey(Kernel, R.Shape, R.Arguments, Memory));
      Holds(D))
    return D;
  // What is known of these arguments comes first.
  const Decision *Own = Cache.find(LaunchKey(Kernel, R.Shape, R.Arguments));
  if (Own && Own->Epoch == Memory.epoch())
    return Own;
  const Decision *D =
      Cache.find(LaunchKey::ofPointers(Kernel, R.Shape, R.Arguments));
  return Holds(D) ? D : Own;
}

/// Returns the key of the launches that D, made for R, is for.
static LaunchKey keyOf(const Decision &D, const LaunchRequest &R,
                       const MemoryManager &Memory)
    REQUIRES_SHARED(PlacementLock::Held) {
  const GridspanKernel &Kernel = R.kernel();
  if (D.IsForShape)
    return {Kernel, R.Shape};
  if (!D.HoldsWithin)
    return {Kernel, R.Shape, R.Arguments};
  switch (D.HoldsFor) {
  case Decision::Alike::Nothing:
    return {Kernel, R.Shape};
  case Decision::Alike::Pointers:
    return LaunchKey::ofPointers(Kernel, R.Shape, R.Arguments);
  case Decision::Alike::Allocations:
    break;
  }
  return {Kernel, R.Shape, R.Arguments, Memory};
}

/// Makes find() return D, for as many launches as D holds for. Goes by what D
/// was made from, as the kernel's clone may have been given up since.
void LaunchEngine::remember(std::shared_ptr<const Decision> D,
                            const LaunchRequest &R) {
  const LaunchKey Key = keyOf(*D, R, Memory);
  Cache.insert(Key, std::move(D));
}

//===--- Launching ------------------------------------------------------===//

/// Launches in rare cases that are not worth a place in the cache.
cudaError_t LaunchEngine::launchUncached(const LaunchRequest &R,
                                         bool Capturing) {
  if (cudaError_t Error = checkLimits(B, R))
    return Error;
  // A captured launch runs when its graph does, and then nobody counts what it
  // writes.
  if (Capturing) {
    Exec.distrustReplicas();
    Memory.pager().expectUnseenWrites();
  }
  const LaunchReason Why = Capturing             ? LaunchReason::Capturing
                           : R.Shape.Cooperative ? LaunchReason::Cooperative
                           : R.Device            ? LaunchReason::DeviceChosen
                           : R.Shape.NumAttributes
                               ? LaunchReason::LaunchAttributes
                               : LaunchReason::SymbolAddressTaken;
  if (Memory.pager().any())
    if (const std::optional<cudaError_t> Done = launchPaged(
            R, Why, Capturing ? LaunchReason::Capturing : LaunchReason::None))
      return *Done;
  // Pages are where the launch is wanted, as far as they can be.
  for (bool Moved = Capturing || R.Device;; Moved = true) {
    PlacementReader Placement(Memory.placementLock());
    if (cudaError_t Error = Residency.writeBackLocked())
      return Error;
    std::shared_ptr<const Decision> D = Capturing && Decider.maySplitCaptured(R)
                                            ? Decider.decideCaptured(R)
                                            : Decider.decide(R, Why);
    if (Moved || D->LaunchPlan.Moves.empty())
      return Exec.launch(*D, R);
    Placement.unlock();
    Exec.move(*D, R.Stream.main());
  }
}

/// Returns the device that has the first of the memory that a launch touches.
static std::optional<int> deviceOf(const PlanInput &In) {
  for (const PlacedAllocation &A : In.Allocations)
    if (A.Homes && !A.Paged)
      if (const Location At = A.Homes->at(0); At != Host)
        return At;
  return std::nullopt;
}

/// Fills in what the planner of launches on paged memory is to know.
PlanInput LaunchEngine::describePaged(const LaunchRequest &R,
                                      LaunchReason WhyUnsplit, Decision &D) {
  PlanInput In = Decider.describe(R, D);
  Memory.noteUse(D.Allocations);
  In.OnlyDevice = R.Device;
  if (OpaqueOperation::isOne(R.kernel()) && mayUseAll())
    In.OnlyDevice = deviceOf(In);
  if (maySplit(R.kernel()) && !MemoryOperation::isOne(R.kernel()) &&
      !OpaqueOperation::isOne(R.kernel()) && !Decider.mayRunInParts(R))
    In.WhyUnsplit = LaunchReason::CloneNeedsMoreRegisters;
  if (WhyUnsplit == LaunchReason::None)
    Indices.look(In, D.Allocations);
  else
    In.WhyUnsplit = WhyUnsplit;
  return In;
}

/// Launches if the launch touches anything that is paged; else returns nothing.
std::optional<cudaError_t> LaunchEngine::launchPaged(const LaunchRequest &R,
                                                     LaunchReason WhyUnsplit,
                                                     LaunchReason WhyInPlace) {
  auto Describe = [&](Decision &D) REQUIRES_SHARED(PlacementLock::Held) {
    return describePaged(R, WhyUnsplit, D);
  };
  // Chunks and copies of all devices are between two points of the stream.
  LaunchRequest Inner = R;
  Inner.Target.IsTimed = false;
  auto LaunchInPlace = [&]() REQUIRES_SHARED(PlacementLock::Held) {
    const cudaError_t Error = Exec.launch(
        *Decider.decide(R, R.Device ? LaunchReason::DeviceChosen : WhyUnsplit),
        Inner);
    R.Stream.LaunchedInPlace = true;
    return Error;
  };
  if (!MovesPointers && WhyInPlace == LaunchReason::None)
    WhyInPlace = LaunchReason::AddressesChecked;
  LaunchTimer::Timing *T = Exec.timer().begin(R.Target, R.Stream.main());
  const std::optional<cudaError_t> Done =
      OutOfCore.launch(Inner, WhyInPlace, WhyUnsplit == LaunchReason::None,
                       Describe, LaunchInPlace);
  Exec.timer().end(T, R.Stream.main(), !Done || *Done != cudaSuccess);
  return Done;
}

//===--- Chains ---------------------------------------------------------===//

/// Returns true if the launch is one larger than memory that may wait for later
/// ones. Its limits were checked.
bool LaunchEngine::mayDefer(const LaunchRequest &R, double &Seconds) {
  const DeferredLaunches::Arrival Arrives(Deferred);
  return OutOfCore.whyNotDeferred(
             R, Deferred.any(),
             [&](Decision &D) REQUIRES_SHARED(PlacementLock::Held) {
               return describePaged(R, LaunchReason::None, D);
             },
             Seconds) == LaunchReason::None;
}

/// Runs a launch that has waited as if it came now, and records the events
/// behind it.
cudaError_t
LaunchEngine::runAlone(const DeferredLaunch &L,
                       const std::vector<OutOfCoreExecutor::Record> &Events) {
  const TraceScope Scope(L.context());
  const LaunchRequest R = L.request();
  cudaError_t Error = cudaSuccess;
  if (L.alone())
    Error = L.alone()();
  else if (const std::optional<cudaError_t> Done =
               launchPaged(R, LaunchReason::None, LaunchReason::None))
    Error = *Done;
  else
    Error = R.Device ? launchUncached(R, false) : planAndLaunch(R);
  for (const OutOfCoreExecutor::Record &E : Events) {
    if (E.After != 1)
      break;
    MutexLock Order(R.Stream.lock());
    const cudaError_t This = B.record(E.Of, R.Stream.main());
    Error = Error ? Error : This;
  }
  return Error;
}

/// Runs launches that have waited: in chains of as many as can run together,
/// or else one by one. As CUDA's do, later ones run although an earlier one
/// failed.
cudaError_t LaunchEngine::runDeferred(const std::vector<DeferredLaunch> &All,
                                      const std::vector<DeferredEvent> &Events,
                                      const Allocation *Freed) {
  const auto Describe = [&](const LaunchRequest &R, Decision &D)
                            REQUIRES_SHARED(PlacementLock::Held) {
                              return describePaged(R, LaunchReason::None, D);
                            };
  cudaError_t First = cudaSuccess;
  bool Together = true;
  for (size_t Done = 0; Done < All.size();) {
    const std::span<const DeferredLaunch> Left = std::span(All).subspan(Done);
    std::vector<OutOfCoreExecutor::Record> Records;
    for (const DeferredEvent &E : Events)
      if (E.After > Done)
        Records.push_back({*E.Of, E.After - Done});
    if (Together && (Left.size() > 1 || Freed)) {
      const auto End = OutOfCore.launchChain(Left, Records, Freed, Describe);
      Together = End.has_value();
      if (End && End->Launches) {
        First = First ? First : End->Error;
        Done += End->Launches;
        continue;
      }
    }
    const cudaError_t Error = runAlone(Left.front(), Records);
    First = First ? First : Error;
    ++Done;
  }
  return First;
}

std::optional<cudaError_t>
LaunchEngine::defer(ProgramStream &S, const MemoryOperation &Op,
                    std::function<cudaError_t()> Alone) {
  if (!Chains || !Memory.pager().any() || B.isCapturing(S.main()))
    return std::nullopt;
  LaunchRequest R = Op.request(S);
  chooseDevice(R);
  if (LaunchGroup *G = LaunchGroup::open().get()) {
    if (G->takes(R)) {
      G->add(DeferredLaunch(R, std::move(Alone)));
      return cudaSuccess;
    }
    if (cudaError_t Error = dissolveGroup())
      return Error;
  }
  double Seconds = 0;
  if (!mayDefer(R, Seconds))
    return std::nullopt;
  const TraceScope Scope(TraceScope::nextLaunch());
  return Deferred.add(DeferredLaunch(R, std::move(Alone)), Seconds);
}

void LaunchEngine::noteNotDeferred(bool IsFill, LaunchReason Why) {
  if (Deferred.any())
    Out.kernel(&MemoryOperation::kernel(IsFill)).WhyNotChained = Why;
}

std::optional<cudaError_t>
LaunchEngine::recordDeferred(std::shared_ptr<Event> E, const ProgramStream &S) {
  if (LaunchGroup::open())
    if (cudaError_t Error = dissolveGroup())
      return Error;
  return Deferred.record(std::move(E), S);
}

/// Writes resident memory back if the launch, which touches nothing that is
/// paged, may tell the host something. The lock is held until it is enqueued.
cudaError_t LaunchEngine::writeBackBefore(const LaunchRequest &R) {
  if (!Residency.any() ||
      !mayNotifyHost(R.kernel(), R.Arguments, Memory, B.system().PageSize))
    return cudaSuccess;
  return Residency.writeBackLocked();
}

cudaError_t LaunchEngine::planAndLaunch(const LaunchRequest &R) {
  // The clone for distinct arguments is likely to run. To ask about the
  // original would load that, too.
  const bool MayRunClone = Decider.wantsClone(R.kernel());
  if (cudaError_t Error = checkLimits(B, R, MayRunClone))
    return Error;
  cudaError_t Error = cudaSuccess;
  std::shared_ptr<Decision> D;
  for (bool Moved = false;; Moved = true) {
    PlacementReader Placement(Memory.placementLock());
    if ((Error = writeBackBefore(R)))
      return Error;
    const Decision *Old = find(R);
    const bool IsOfOldEpoch = Old && Old->Epoch != Memory.epoch();
    PlanInput In;
    D = IsOfOldEpoch && !Moved ? Decider.renewed(*Old, R) : nullptr;
    if (!D && Old && Old->mayChangeKey()) {
      // The next one may be for these arguments alone.
      Old->IsVoid = true;
      if (IsOfOldEpoch)
        Old = nullptr;
    }
    const bool IsRenewed = D != nullptr;
    if (!IsRenewed)
      D = Decider.decide(R, LaunchReason::None, Old, &In);
    if (MayRunClone && !D->NoAlias)
      if ((Error = checkLimits(B, R)))
        return Error;
    if (D->LaunchPlan.Moves.empty())
      remember(D, R);
    if (D->LaunchPlan.Moves.empty() || Moved) {
      Error = Exec.launch(*D, R);
      if (!Error && !IsRenewed && Decider.mayInspect(*D))
        Indices.inspectBehind(In, D->Allocations, R.Stream);
      break;
    }
    Placement.unlock();
    Exec.move(*D, R.Stream.main());
  }
  Decider.watch(*D, R.Stream);
  if (Cache.wantsReclaim()) {
    PlacementWriter Placement(Memory.placementLock(), std::defer_lock);
    if (!Placement.tryLock())
      return Error;
    Cache.reclaim();
  }
  return Error;
}

/// Brings unified memory that the host has had to where the launch touches it.
void LaunchEngine::prefetch(const LaunchRequest &R) {
  PlacementReader Placement(Memory.placementLock());
  if (!mayNeedPrefetch(R.kernel(), R.Arguments, Memory))
    return;
  Decision D;
  const PlanInput In = Decider.describe(R, D);
  const std::vector<UnifiedPart> Parts =
      partsToPrefetch(In, D.Allocations, Memory);
  if (Parts.empty())
    return;
  TraceScope Scope(Activity::Migration);
  ProgramStream &S = R.Stream;
  MutexLock Order(S.lock());
  int Last = 0;
  for (const UnifiedPart &Part : Parts)
    Last = std::max(Last, Part.Home);
  // Each device by its own link. What fails comes by itself.
  const bool Forked = Last > 0 && !S.fork(Last + 1U);
  for (const UnifiedPart &Part : Parts)
    (void)B.prefetch(Forked ? S.on(Part.Home) : S.main(), Part.At, Part.Bytes,
                     Part.Home);
  for (int Device = 1; Forked && Device <= Last; ++Device)
    (void)S.join(Device);
  ProgramStream::operated(ProgramStream::Work::EndsByItself);
}

/// Launches a function that has no descriptor. It may touch and write anything,
/// most likely what its arguments lead to.
cudaError_t LaunchEngine::launchUnknown(const LaunchRequest &R,
                                        bool Capturing) {
  void *Words[NumLibraryPointers];
  if (Decider.hasPeers() && !Capturing)
    beforeLibraryCall(Words, B.argumentWords(R.Target, R.Arguments, Words,
                                             NumLibraryPointers));
  PlacementReader Placement(Memory.placementLock());
  if (cudaError_t Error = Residency.writeBackLocked())
    return Error;
  if (cudaError_t Error = Memory.accessEverything(true))
    return Error;
  ProgramStream &S = R.Stream;
  if (cudaError_t Error = Memory.bringAllHome(S.main()))
    return Error;
  if (Memory.pager().any()) {
    Out.kernel(nullptr).noteInPlace(-1, LaunchReason::NoDescriptor);
    S.LaunchedInPlace = true;
  }
  MutexLock Order(S.lock());
  const cudaError_t Error =
      B.launch(S.main(), R.Target, R.Shape, R.Arguments, nullptr);
  S.operated();
  Exec.anythingWritten();
  if (!Error)
    Out.kernel(nullptr).count(1, 0, 0);
  else if (Error == cudaErrorInvalidDeviceFunction &&
           !Registry::get().knows(R.Target.Function))
    explainUnregistered(R.Target.Function);
  return Error;
}

void LaunchEngine::profileIn(LaunchProfile &To) {
  Profile = &To;
  Exec.timer().setProfile(
      [&To](ProfileEntry &Of, double Seconds, bool IsRecorded) {
        To.addTime(Of, Seconds, IsRecorded);
      });
}

/// Counts the launch for the profile, and returns its target with what the
/// profile wants of it. A captured launch is neither timed nor recorded: events
/// and samples would be the graph's.
LaunchTarget LaunchEngine::profiled(const LaunchRequest &R, bool Capturing) {
  const LaunchShape &Shape = R.Shape;
  const ProfileReason Why = Capturing           ? ProfileReason::Capturing
                            : Shape.Cooperative ? ProfileReason::Cooperative
                            : Shape.NumAttributes
                                ? ProfileReason::LaunchAttributes
                            : Memory.pager().any() ? ProfileReason::OutOfCore
                                                   : ProfileReason::None;
  const ProfiledLaunch P = Profile->count(R.kernel(), Shape, R.Arguments, Why);
  LaunchTarget Out = R.Target;
  Out.Profiled = P.Entry;
  Out.IsTimed = P.IsTimed && !Capturing;
  Out.RecordAs = P.RecordAs;
  // Drivers load a kernel when something of it is asked for, or else between
  // the events around its first launch.
  if (cudaFuncAttributes Unused; Out.IsTimed && P.IsFirst)
    (void)B.functionAttributes(R.Target, Unused);
  return Out;
}

/// Has the launch run where its thread wants it.
void LaunchEngine::chooseDevice(LaunchRequest &R) const {
  if (mayUseAll())
    if (const std::optional<int> Chosen = wholeDevice();
        Chosen && *Chosen < static_cast<int>(B.system().numDevices()))
      R.Device = Chosen;
}

cudaError_t LaunchEngine::launch(const void *Function, const LaunchShape &Shape,
                                 void *const *Args, ProgramStream &S) {
  TraceScope Scope(TraceScope::nextLaunch());
  LaunchRequest R = {
      {Registry::get().kernel(Function), Function}, Shape, Args, S};
  const bool Capturing = B.isCapturing(S.main());
  chooseDevice(R);
  if (Profile && R.Target.Kernel && !isEmpty(Shape))
    R.Target = profiled(R, Capturing);
  const cudaError_t Error = launchOnce(R, Capturing);
  // The driver had no room for the kernel's code or stacks, which memory that
  // is only kept may have. Of a launch in parts, one may have run.
  const bool RunsWhole =
      !R.Target.Kernel || !maySplit(R.kernel()) || !Decider.hasPeers();
  if (Error != cudaErrorMemoryAllocation || Capturing || !RunsWhole ||
      Memory.pager().any())
    return Error;
  Memory.releaseKept();
  (void)B.vendorError(true);
  return launchOnce(R, Capturing);
}

cudaError_t LaunchEngine::launchOnce(const LaunchRequest &R, bool Capturing) {
  const LaunchShape &Shape = R.Shape;
  if (R.Target.Kernel && Decider.countsBytes() && !isEmpty(Shape))
    Out.kernel(R.Target.Kernel).Shapes.count(R.kernel(), Shape, R.Arguments);
  const bool IsRare = !R.Target.Kernel || Capturing || Shape.NumAttributes ||
                      Shape.Cooperative ||
                      Symbols.mayHaveDiverged(R.Target.Kernel);
  if (LaunchGroup *G = LaunchGroup::open().get()) {
    if (R.Target.Kernel && !Capturing && G->takes(R)) {
      if (cudaError_t Error = checkLimits(B, R))
        return Error;
      G->add(DeferredLaunch(R));
      return cudaSuccess;
    }
    if (cudaError_t Error = dissolveGroup())
      return Error;
  }
  const bool MayBePaged = !IsRare && Memory.pager().any();
  if (MayBePaged) {
    if (cudaError_t Error = checkLimits(B, R))
      return Error;
    double Seconds = 0;
    if (Chains && mayDefer(R, Seconds))
      return Deferred.add(DeferredLaunch(R), Seconds);
  }
  if (cudaError_t Error = finishDeferred())
    return Error;
  if (!R.Target.Kernel)
    return launchUnknown(R, Capturing);
  if (IsRare)
    return launchUncached(R, Capturing);
  if (Memory.anyUnified())
    prefetch(R);
  if (MayBePaged) {
    if (const std::optional<cudaError_t> Done =
            launchPaged(R, LaunchReason::None, LaunchReason::None))
      return *Done;
  }
  if (R.Device)
    return launchUncached(R, Capturing);
  std::shared_ptr<LaunchClass> Awaited;
  {
    PlacementReader Placement(Memory.placementLock());
    if (cudaError_t Error = writeBackBefore(R))
      return Error;
    const Decision *D = find(R);
    if (D && D->Epoch == Memory.epoch()) {
      if (!Decider.needsReplan(*D))
        return Exec.launch(*D, R);
      if (ReplanCheck::lacksTimes(*D))
        Awaited = D->Class;
    }
  }
  if (Awaited)
    Decider.awaitTimes(*Awaited);
  return planAndLaunch(R);
}

} // namespace gridspan
