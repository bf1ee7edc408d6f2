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
//   launchPaged      hands launches that touch paged memory to
//                    OutOfCoreLauncher
//   find             looks for a decision in the cache
//   planAndLaunch    makes a decision, carries out its moves, and remembers it
//   Executor::launch enqueues it
//
// A remembered decision stays right because its key holds all that it depends
// on, and the epoch tells if pages have moved since. Whether it is still good
// is another question, which needsReplan() answers.
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
#include "runtime/launch/UnregisteredKernel.h"
#include "runtime/plan/DivisionChoice.h"
#include "runtime/plan/LaunchArguments.h"
#include "runtime/plan/Planner.h"
#include "runtime/report/Tracing.h"
#include "runtime/support/UntrackedCode.h"
#include <algorithm>
#include <bit>
#include <utility>

namespace gridspan {

/// The distance that memory which is not ours, and has no known bounds, counts
/// as reaching to both sides of its pointer.
static constexpr int64_t ForeignReach = int64_t(1) << 45;
/// The least uses before a launch is planned again for replicas that pay in the
/// long run only: planning one that touches much takes longer than its gain.
static constexpr uint64_t LeastUses = 4;
/// The least uses before a way that lost may be tried again.
static constexpr uint64_t UsesBetweenTries = 64;
/// The seconds that the program may be kept waiting for times at once, and in
/// all beside a share of the time that has passed.
static constexpr double MostWaiting = 0.02;
static constexpr double WaitingShare = 0.02;
/// The time that launches may lose before devices are opened for them. To make
/// a context, and to give it back at the end, takes 0.1 s each, of which the
/// program waits for the second and for what loads a kernel meanwhile.
static constexpr double SecondsWorthOpening = 0.01;

cudaError_t LaunchEngine::setFunctionAttribute(const LaunchTarget &Target,
                                               cudaFuncAttribute Attribute,
                                               int Value) {
  cudaError_t Error = B.setFunctionAttribute(Target, Attribute, Value);
  Cache.clear();
  return Error;
}

//===--- Deciding -------------------------------------------------------===//

/// Lists the buffers that the launch's pointers lead to, in D and in the
/// planner's terms.
PlanInput LaunchEngine::describe(const GridspanKernel &Kernel,
                                 const LaunchShape &Shape, void *const *Args,
                                 Decision &D) {
  PlanInput In;
  In.Kernel = &Kernel;
  In.Box = boxOf(Shape, Args);
  In.HostPagesExist = Memory.hostPagesExist();
  In.StaticShare = StaticShare;
  In.Privates = Privates;
  if (maySplit(Kernel) && (HasPeers || Memory.pager().any()) &&
      !takesBlocks(B, {&Kernel, Kernel.HostStub, false, true}, Shape))
    In.WhyUnsplit = LaunchReason::CloneNeedsMoreRegisters;

  for (uint32_t I = 0, E = Kernel.NumPointers; I != E; ++I) {
    auto *Pointer = static_cast<std::byte *>(
        pointerArgument(Kernel, Kernel.Pointers[I], Args));
    if (!Pointer) {
      In.Pointers.push_back({});
      continue;
    }
    std::shared_ptr<Allocation> A = Memory.find(Pointer);
    auto It = A ? std::find(D.Allocations.begin(), D.Allocations.end(), A)
                : D.Allocations.end();
    const auto Index = static_cast<int>(It - D.Allocations.begin());
    In.Pointers.push_back(
        {Index, A ? Pointer - A->base() : ptrdiff_t(ForeignReach)});
    if (It != D.Allocations.end())
      continue;
    PlacedAllocation Placed;
    if (A) {
      Placed.Bytes = A->bytes();
      Placed.Homes = &A->Homes;
      Placed.Paged = A->Paged != nullptr;
      Placed.Movable = A->isMovable();
      Placed.Tracked = Exec.trustsReplicas() &&
                       A->kind() != AllocationKind::Managed && !A->IsShared;
      Placed.Misplaced = A->misplaced();
      Placed.Moves = A->Moves;
      Placed.HasReplica = Exec.goodReplicas(*A);
    } else {
      Placed.Bytes = 2 * ForeignReach;
      Placed.Unknown = HasPeers && !B.isPinned(Pointer, 1);
      if (HasPeers && B.isForeignDeviceMemory(Pointer))
        In.WhyUnsplit = LaunchReason::ForeignMemory;
    }
    In.Allocations.push_back(std::move(Placed));
    D.Allocations.push_back(std::move(A));
  }
  D.Pointers = In.Pointers;
  return In;
}

/// Notes the versions of the allocations' contents, and counts for how many
/// launches these have been the same.
void LaunchEngine::seeContents(const Decision *Old, Decision &D,
                               PlanInput &In) const {
  for (size_t I = 0, E = D.Allocations.size(); I != E; ++I) {
    if (!D.Allocations[I]) {
      D.SeenContents.emplace_back();
      continue;
    }
    Decision::Contents Now = {Indices.versionOf(*D.Allocations[I]), D.Uses};
    for (size_t J = 0, F = Old ? Old->SeenContents.size() : 0; J != F; ++J)
      if (Old->Allocations[J] == D.Allocations[I] &&
          Old->SeenContents[J].Version == Now.Version)
        Now.Since = Old->SeenContents[J].Since;
    In.Allocations[I].Unchanged = D.Uses - Now.Since;
    D.SeenContents.push_back(Now);
  }
}

bool LaunchEngine::isChanged(const Decision &D, unsigned Allocation) const {
  return Indices.versionOf(*D.Allocations[Allocation]) !=
         D.SeenContents[Allocation].Version;
}

/// Returns true if an allocation that the decision has replicas of may have
/// other contents than when it was made.
bool LaunchEngine::haveContentsChanged(const Decision &D) const {
  if (!Exec.trustsReplicas())
    return true;
  for (const TilePlan &Tile : D.LaunchPlan.Tiles)
    for (unsigned A : Tile.Replicas)
      if (isChanged(D, A))
        return true;
  return false;
}

/// Returns true if the plan follows from indices that may have changed since.
bool LaunchEngine::haveIndicesChanged(const Decision &D) const {
  return std::any_of(D.InspectedAllocations.begin(),
                     D.InspectedAllocations.end(),
                     [&](unsigned A) { return isChanged(D, A); });
}

/// Returns true if decisions depend on more than the shape.
bool LaunchEngine::looksAtArguments(const GridspanKernel &Kernel) const {
  return HasPeers || CountsBytes || Clones.wants(Kernel);
}

/// Notes which indices the plan follows from, and if it lacked some.
void LaunchEngine::noteIndices(const PlanInput &In, Decision &D) {
  const IndexView &View = *In.Indices;
  D.InspectedAllocations = View.used();
  D.WantsIndices = std::any_of(View.missing().begin(), View.missing().end(),
                               [&](const IndexView::Part &P) {
                                 return In.Allocations[P.Allocation].Tracked &&
                                        !In.Allocations[P.Allocation].Paged;
                               });
  View.note(*D.Counters);
}

/// Plans the launch by what launches like it took, and notes which these are.
Plan LaunchEngine::planByTimes(PlanInput &In, Decision &D) {
  if (Learns)
    D.Class = Classes.find(In);
  if (!D.Class)
    return planLaunch(In, B.system(), Sched);
  Exec.timer().collect();
  D.Generation = D.Class->generation();
  const LaunchHistory History = D.Class->history();
  In.History = &History;
  Plan Out = planLaunch(In, B.system(), Sched);
  In.History = nullptr;
  if (!Out.Timed)
    D.Class = nullptr;
  return Out;
}

/// Notes that a launch loses time as devices are not open.
void LaunchEngine::noteLost(double Seconds) const {
  const auto Nanoseconds = static_cast<uint64_t>(Seconds * 1e9);
  if (static_cast<double>(LostUntilOpen.fetch_add(Nanoseconds) + Nanoseconds) >=
      SecondsWorthOpening * 1e9)
    B.prepare();
}

/// Returns true if the plan gives work or pages to other devices than the
/// first.
static bool needsOthers(const Plan &P) {
  return P.isSplit() || std::any_of(P.Moves.begin(), P.Moves.end(),
                                    [](const MovePlan &M) { return M.To > 0; });
}

/// Returns true if other devices have pages that the launch may touch.
static bool isSpread(const PlanInput &In) {
  return std::any_of(In.Allocations.begin(), In.Allocations.end(),
                     [](const PlacedAllocation &A) {
                       return A.Homes &&
                              std::ranges::any_of(
                                  A.Homes->runs(0, A.Bytes),
                                  [](const auto &R) { return R.Where > 0; });
                     });
}

/// Replaces a plan that needs devices which are not open. Where pages are there
/// already, they are being opened, and to wait is faster than to reach them
/// from here.
void LaunchEngine::runWithoutOthers(PlanInput &In, Decision &D) {
  if (isSpread(In) && B.waitUntilReady())
    return;
  double Lost = D.LaunchPlan.PredictedSeconds;
  for (const AllocationEffect &E : D.LaunchPlan.Effects)
    Lost -= E.MisplacedAgain;
  const LaunchReason Before =
      std::exchange(In.WhyUnsplit, LaunchReason::DevicesNotOpen);
  D.LaunchPlan = planLaunch(In, B.system(), Sched);
  In.WhyUnsplit = Before;
  std::erase_if(D.LaunchPlan.Moves, [](const MovePlan &M) { return M.To > 0; });
  // What it takes says nothing of the ways that there will be.
  D.Class = nullptr;
  D.LostUntilOpen = std::max(0.0, D.LaunchPlan.PredictedSeconds - Lost);
  noteLost(*D.LostUntilOpen);
}

/// Decides how the launch runs. WhyUnsplit: a reason to run it unsplit, or
/// None. Old: the decision that the new one replaces, if any. Described, if not
/// null, receives the planner's input.
std::shared_ptr<Decision> LaunchEngine::decide(const LaunchRequest &R,
                                               LaunchReason WhyUnsplit,
                                               const Decision *Old,
                                               PlanInput *Described) {
  auto D = std::make_shared<Decision>();
  D->Epoch = Memory.epoch();
  D->Uses = Old ? Old->Uses.load() : 0;
  D->Counters = &Out.kernel(R.Target.Kernel);
  if (HasPeers && WhyUnsplit == LaunchReason::None && maySplit(R.kernel()) &&
      R.kernel().NumTextures) {
    D->Textures = Exec.textures().generation();
    TextureTable::Found Read;
    WhyUnsplit = Exec.textures().find(R.kernel(), R.Arguments, Read);
    if (WhyUnsplit == LaunchReason::None)
      D->Textures = 0;
  }
  if (looksAtArguments(R.kernel())) {
    const bool MaySplit = WhyUnsplit == LaunchReason::None;
    PlanInput In = describe(R, *D);
    seeContents(Old, *D, In);
    if (MaySplit && HasPeers)
      Indices.look(In, D->Allocations);
    if (!MaySplit)
      In.WhyUnsplit = WhyUnsplit;
    if (!CountsBytes) {
      D->HoldsWithin = runsUnsplitUpTo(In, B.system(), Sched);
      if (D->HoldsWithin && !isWithin(*D->HoldsWithin, *In.Kernel, In.Box))
        D->HoldsWithin = {};
    }
    if (MaySplit)
      Clones.decide(R, In, *D);
    std::optional<Plan> Unsplit;
    if (D->HoldsWithin)
      Unsplit = planUnsplit(In, B.system(), Sched);
    D->LaunchPlan = Unsplit    ? std::move(*Unsplit)
                    : MaySplit ? planByTimes(In, *D)
                               : planLaunch(In, B.system(), Sched);
    if (In.Indices)
      noteIndices(In, *D);
    if (!B.isReady() && needsOthers(D->LaunchPlan))
      runWithoutOthers(In, *D);
    if (Described)
      *Described = std::move(In);
  } else {
    D->IsForShape = true;
    D->LaunchPlan.Tiles.emplace_back();
    D->LaunchPlan.WhyUnsplit = LaunchReason::OneDevice;
  }
  for (const TilePlan &Tile : D->LaunchPlan.Tiles) {
    D->LocalBytes += Tile.LocalBytes;
    D->RemoteBytes += Tile.RemoteBytes;
  }
  D->MayChange =
      D->WantsIndices || D->LaunchPlan.MayImprove || D->Class ||
      std::any_of(D->LaunchPlan.Effects.begin(), D->LaunchPlan.Effects.end(),
                  [](const AllocationEffect &E) { return E.Misplaced > 0; });
  if (D->LaunchPlan.UnknownRanges)
    D->Counters->UnknownRanges = true;
  if (D->LaunchPlan.WhyUnsplit != LaunchReason::None)
    D->Counters->WhyUnsplit = D->LaunchPlan.WhyUnsplit;
  if (D->LaunchPlan.WhyStatic != LaunchReason::None)
    D->Counters->WhyStatic = D->LaunchPlan.WhyStatic;
  return D;
}

/// Returns true if parts of a captured launch may be nodes of the graph, on
/// their devices. Replays find pages wherever they are then, so every device
/// must reach all memory, and copies of textures would not follow their arrays.
bool LaunchEngine::maySplitCaptured(const LaunchRequest &R) const {
  return HasPeers && Sched != Schedule::Single && !R.Shape.Cooperative &&
         !R.Shape.NumAttributes && !R.kernel().NumTextures &&
         !Symbols.mayHaveDiverged(R.Target.Kernel) &&
         B.system().allReachAll() && OpaqueGraphs.value_or(graphsAreOpaque());
}

/// Decides how a captured launch runs, now and whenever its graph is launched.
/// The plan relies on nothing that may change until then: pages stay where they
/// are, no copies are made, and no contents are looked at.
std::shared_ptr<Decision> LaunchEngine::decideCaptured(const LaunchRequest &R) {
  auto D = std::make_shared<Decision>();
  D->Epoch = Memory.epoch();
  D->Counters = &Out.kernel(R.Target.Kernel);
  PlanInput In = describe(R, *D);
  for (PlacedAllocation &A : In.Allocations) {
    A.Movable = false;
    A.Tracked = false;
    A.HasReplica.clear();
  }
  // Neither the runtime's threads nor memory of its own are there at a replay.
  In.Privates = PrivateCopyUse::Never;
  const Schedule Tiles = splitsAll(Sched) ? Schedule::Static : Sched;
  D->LaunchPlan = planLaunch(In, B.system(), Tiles);
  // There is no other time to decide about it.
  if (D->LaunchPlan.isSplit() && !B.waitUntilReady()) {
    In.WhyUnsplit = LaunchReason::DevicesNotOpen;
    D->LaunchPlan = planLaunch(In, B.system(), Tiles);
  }
  const Plan &P = D->LaunchPlan;
  const bool Copies =
      std::any_of(P.Tiles.begin(), P.Tiles.end(), [](const TilePlan &Tile) {
        return !Tile.Replicas.empty() || !Tile.Copies.empty();
      });
  if (Copies || !P.Moves.empty()) {
    In.WhyUnsplit = LaunchReason::Capturing;
    D->LaunchPlan = planLaunch(In, B.system(), Tiles);
    D->LaunchPlan.Moves.clear();
  }
  for (const TilePlan &Tile : P.Tiles) {
    D->LocalBytes += Tile.LocalBytes;
    D->RemoteBytes += Tile.RemoteBytes;
  }
  if (P.UnknownRanges)
    D->Counters->UnknownRanges = true;
  if (P.WhyUnsplit != LaunchReason::None)
    D->Counters->WhyUnsplit = P.WhyUnsplit;
  else if (Tiles != Sched)
    D->Counters->WhyStatic = LaunchReason::Capturing;
  return D;
}

//===--- Remembering ----------------------------------------------------===//

/// Returns true if it is time to move pages that the decision leaves misplaced.
static bool moves(const Decision &D) {
  for (size_t A = 0, N = D.LaunchPlan.Effects.size(); A != N; ++A)
    if (const AllocationEffect &E = D.LaunchPlan.Effects[A];
        E.Misplaced > 0 &&
        D.Allocations[A]->misplaced() + E.MisplacedAgain >= E.MoveAt)
      return true;
  return false;
}

/// Returns true if a decision is to be made again. One that waits for indices
/// to be inspected, or for the time to move pages, is made again after 1, 2,
/// 4, 8... uses, which finds the time within a factor of two. So is one that
/// replicas may improve if they are used longer, but for the first two, and one
/// that a try may improve. A try is decided again for each launch, and what was
/// decided by times with new times. One that relies on replicas or indices is
/// made again when these are no longer good, and one without devices that are
/// not open when they are.
bool LaunchEngine::needsReplan(const Decision &D) const {
  if (D.LostUntilOpen) {
    noteLost(*D.LostUntilOpen);
    if (B.isReady())
      return true;
  }
  if (haveIndicesChanged(D) || D.LaunchPlan.IsTry ||
      (D.Textures && D.Textures != Exec.textures().generation()) ||
      (D.Class && D.Class->generation() != D.Generation))
    return true;
  if (!D.MayChange && !D.LaunchPlan.NeedsReplicas)
    return false;
  const uint64_t Uses = D.Uses.fetch_add(1, std::memory_order_relaxed) + 1;
  if (D.MayChange && std::has_single_bit(Uses) &&
      (D.WantsIndices || (D.LaunchPlan.MayImprove && Uses >= LeastUses) ||
       D.LaunchPlan.WantsTry || (D.Class && Uses >= UsesBetweenTries) ||
       moves(D)))
    return true;
  return D.LaunchPlan.NeedsReplicas && haveContentsChanged(D);
}

/// Returns true if the decision was made for want of times that launches which
/// are enqueued already are to bring.
bool LaunchEngine::lacksTimes(const Decision &D) {
  if (!D.Class || !D.LaunchPlan.Timed ||
      !(D.LaunchPlan.IsTry || D.LaunchPlan.WantsTry))
    return false;
  const LaunchHistory History = D.Class->history();
  const DivisionRecord *Known = History.find(*D.LaunchPlan.Timed);
  return Known && Known->Launches >= TryLaunches && !Known->isMeasured();
}

/// Waits for the times of launches of the class. A program that enqueues many
/// launches would have enqueued all of them before the first one tells how it
/// is to run. What waiting may cost is bounded, as the host could do other
/// work, and launches may wait for the host.
void LaunchEngine::awaitTimes(const LaunchClass &Of) {
  using Clock = std::chrono::steady_clock;
  auto Seconds = [](Clock::duration D) {
    return std::chrono::duration<double>(D).count();
  };
  const Clock::time_point Begin = Clock::now();
  const double Allowed =
      MostWaiting + WaitingShare * Seconds(Begin - Started) - Waited.load();
  if (Allowed <= 0)
    return;
  Exec.timer().await(Of, std::min(Allowed, MostWaiting));
  Waited.fetch_add(Seconds(Clock::now() - Begin));
}

/// Returns the decision for the launch, however old; null if there is none.
const Decision *LaunchEngine::find(const LaunchRequest &R) const {
  const GridspanKernel &Kernel = R.kernel();
  if (!looksAtArguments(Kernel))
    return Cache.find(LaunchKey(Kernel, R.Shape));
  if (!CountsBytes) {
    const Decision *D =
        Cache.find(LaunchKey(Kernel, R.Shape, R.Arguments, Memory));
    if (D && isWithin(*D->HoldsWithin, Kernel, boxOf(R.Shape, R.Arguments)))
      return D;
  }
  return Cache.find(LaunchKey(Kernel, R.Shape, R.Arguments));
}

/// Makes find() return D, for as many launches as D holds for. Goes by what D
/// was made from, as the kernel's clone may have been given up since.
void LaunchEngine::remember(std::shared_ptr<const Decision> D,
                            const LaunchRequest &R) {
  const GridspanKernel &Kernel = R.kernel();
  if (D->IsForShape)
    Cache.insert(LaunchKey(Kernel, R.Shape), std::move(D));
  else if (D->HoldsWithin)
    Cache.insert(LaunchKey(Kernel, R.Shape, R.Arguments, Memory), std::move(D));
  else
    Cache.insert(LaunchKey(Kernel, R.Shape, R.Arguments), std::move(D));
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
                           : R.Shape.NumAttributes
                               ? LaunchReason::LaunchAttributes
                               : LaunchReason::SymbolAddressTaken;
  if (Memory.pager().any())
    if (const std::optional<cudaError_t> Done = launchPaged(
            R, Why, Capturing ? LaunchReason::Capturing : LaunchReason::None))
      return *Done;
  for (bool Moved = Capturing;; Moved = true) {
    PlacementReader Placement(Memory.placementLock());
    if (cudaError_t Error = Residency.writeBackLocked())
      return Error;
    std::shared_ptr<const Decision> D =
        Capturing && maySplitCaptured(R) ? decideCaptured(R) : decide(R, Why);
    if (Moved || D->LaunchPlan.Moves.empty())
      return Exec.launch(*D, R);
    Placement.unlock();
    Exec.move(*D, R.Stream.main());
  }
}

/// Launches if the launch touches anything that is paged; else returns nothing.
std::optional<cudaError_t> LaunchEngine::launchPaged(const LaunchRequest &R,
                                                     LaunchReason WhyUnsplit,
                                                     LaunchReason WhyInPlace) {
  const bool MaySplit = WhyUnsplit == LaunchReason::None;
  auto Describe = [&](Decision &D) REQUIRES_SHARED(PlacementLock::Held) {
    PlanInput In = describe(R, D);
    if (MaySplit)
      Indices.look(In, D.Allocations);
    else
      In.WhyUnsplit = WhyUnsplit;
    return In;
  };
  auto LaunchInPlace = [&]() REQUIRES_SHARED(PlacementLock::Held) {
    const cudaError_t Error = Exec.launch(*decide(R, WhyUnsplit), R);
    R.Stream.LaunchedInPlace = true;
    return Error;
  };
  return OutOfCore.launch(R, WhyInPlace, MaySplit, Describe, LaunchInPlace);
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
  if (cudaError_t Error = checkLimits(B, R))
    return Error;
  cudaError_t Error = cudaSuccess;
  for (bool Moved = false;; Moved = true) {
    PlacementReader Placement(Memory.placementLock());
    if ((Error = writeBackBefore(R)))
      return Error;
    const Decision *Old = find(R);
    PlanInput In;
    std::shared_ptr<Decision> D = decide(R, LaunchReason::None, Old, &In);
    if (D->LaunchPlan.Moves.empty())
      remember(D, R);
    if (D->LaunchPlan.Moves.empty() || Moved) {
      Error = Exec.launch(*D, R);
      if (!Error)
        Indices.inspectBehind(In, D->Allocations, R.Stream);
      break;
    }
    Placement.unlock();
    Exec.move(*D, R.Stream.main());
  }
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
  const PlanInput In = describe(R, D);
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
  if (HasPeers && !Capturing)
    beforeLibraryCall(Words, B.argumentWords(R.Target, R.Arguments, Words,
                                             NumLibraryPointers));
  PlacementReader Placement(Memory.placementLock());
  if (cudaError_t Error = Residency.writeBackLocked())
    return Error;
  if (cudaError_t Error = Memory.accessEverything(true))
    return Error;
  ProgramStream &S = R.Stream;
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

cudaError_t LaunchEngine::launch(const void *Function, const LaunchShape &Shape,
                                 void *const *Args, ProgramStream &S) {
  TraceScope Scope(TraceScope::nextLaunch());
  const LaunchRequest R = {
      {Registry::get().kernel(Function), Function}, Shape, Args, S};
  const bool Capturing = B.isCapturing(S.main());
  const cudaError_t Error = launchOnce(R, Capturing);
  // The driver had no room for the kernel's code or stacks, which memory that
  // is only kept may have. Of a launch in parts, one may have run.
  const bool RunsWhole = !R.Target.Kernel || !maySplit(R.kernel()) || !HasPeers;
  if (Error != cudaErrorMemoryAllocation || Capturing || !RunsWhole ||
      Memory.pager().any())
    return Error;
  Memory.releaseKept();
  (void)B.vendorError(true);
  return launchOnce(R, Capturing);
}

cudaError_t LaunchEngine::launchOnce(const LaunchRequest &R, bool Capturing) {
  const LaunchShape &Shape = R.Shape;
  if (!R.Target.Kernel)
    return launchUnknown(R, Capturing);
  if (CountsBytes)
    Out.kernel(R.Target.Kernel).Shapes.count(R.kernel(), Shape, R.Arguments);
  if (Capturing || Shape.NumAttributes || Shape.Cooperative ||
      Symbols.mayHaveDiverged(R.Target.Kernel))
    return launchUncached(R, Capturing);
  if (Memory.anyUnified())
    prefetch(R);
  if (Memory.pager().any()) {
    if (cudaError_t Error = checkLimits(B, R))
      return Error;
    if (const std::optional<cudaError_t> Done =
            launchPaged(R, LaunchReason::None, LaunchReason::None))
      return *Done;
  }
  std::shared_ptr<LaunchClass> Awaited;
  {
    PlacementReader Placement(Memory.placementLock());
    if (cudaError_t Error = writeBackBefore(R))
      return Error;
    const Decision *D = find(R);
    if (D && D->Epoch == Memory.epoch()) {
      if (!needsReplan(*D))
        return Exec.launch(*D, R);
      if (lacksTimes(*D))
        Awaited = D->Class;
    }
  }
  if (Awaited)
    awaitTimes(*Awaited);
  return planAndLaunch(R);
}

} // namespace gridspan
