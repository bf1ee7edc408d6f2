//===- LaunchEngine.cpp - From a launch of the program to devices ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/LaunchEngine.h"
#include "runtime/backend/Registry.h"
#include "runtime/launch/LaunchLimits.h"
#include "runtime/launch/LibraryCalls.h"
#include "runtime/launch/UnifiedPrefetch.h"
#include "runtime/plan/LaunchArguments.h"
#include "runtime/report/Tracing.h"
#include <algorithm>
#include <bit>
#include <climits>

namespace gridspan {

/// Memory that is not ours has no known bounds: it counts as reaching this far
/// to both sides of its pointer.
static constexpr int64_t ForeignReach = int64_t(1) << 45;
/// Before, launches are not planned again for replicas that pay in the long run
/// only: planning one that touches much takes longer than its gain.
static constexpr uint64_t LeastUses = 4;

//===--- Checking -------------------------------------------------------===//

cudaError_t LaunchEngine::checkCooperative(const LaunchTarget &Target,
                                           const LaunchShape &Shape) {
  int PerMultiprocessor = 0;
  const dim3 &Block = Shape.Block;
  if (cudaError_t Error =
          B.occupancy(Target, static_cast<int>(Block.x * Block.y * Block.z),
                      Shape.DynamicSharedBytes, 0, PerMultiprocessor))
    return Error;
  const uint64_t Most =
      uint64_t(PerMultiprocessor) * B.system().Devices[0].Multiprocessors;
  const uint64_t Blocks = uint64_t(Shape.Grid.x) * Shape.Grid.y * Shape.Grid.z;
  return Blocks > Most ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess;
}

/// What CUDA refuses at once; all of it is cudaErrorInvalidValue since CUDA 13.
cudaError_t LaunchEngine::check(const LaunchTarget &Target,
                                const LaunchShape &Shape) {
  const dim3 &G = Shape.Grid, &Bl = Shape.Block;
  if (!G.x || !G.y || !G.z || !Bl.x || !Bl.y || !Bl.z)
    return cudaErrorInvalidValue;
  if (G.x > INT_MAX || G.y > 65535 || G.z > 65535)
    return cudaErrorInvalidValue;
  if (Bl.x > 1024 || Bl.y > 1024 || Bl.z > 64)
    return cudaErrorInvalidValue;
  cudaFuncAttributes Limits;
  if (cudaError_t Error = B.functionAttributes(Target, Limits))
    return Error;
  if (Bl.x * Bl.y * Bl.z > static_cast<unsigned>(Limits.maxThreadsPerBlock))
    return cudaErrorInvalidValue;
  if (Shape.DynamicSharedBytes >
      static_cast<size_t>(std::max(0, Limits.maxDynamicSharedSizeBytes)))
    return cudaErrorInvalidValue;
  return Shape.Cooperative ? checkCooperative(Target, Shape) : cudaSuccess;
}

cudaError_t LaunchEngine::setFunctionAttribute(const LaunchTarget &Target,
                                               cudaFuncAttribute Attribute,
                                               int Value) {
  cudaError_t Error = B.setFunctionAttribute(Target, Attribute, Value);
  Cache.clear();
  return Error;
}

//===--- Deciding -------------------------------------------------------===//

static GridspanBox boxOf(const LaunchShape &Shape, void *const *Args) {
  const dim3 &G = Shape.Grid, &Bl = Shape.Block;
  return {Args, {G.x, G.y, G.z}, {Bl.x, Bl.y, Bl.z}, {}, {G.x, G.y, G.z}};
}

PlanInput LaunchEngine::describe(const GridspanKernel &Kernel,
                                 const LaunchShape &Shape, void *const *Args,
                                 Decision &D) {
  PlanInput In;
  In.Kernel = &Kernel;
  In.Box = boxOf(Shape, Args);
  In.HostPagesExist = Memory.hostPagesExist();
  if (maySplit(Kernel) &&
      !takesBlocks(B, {&Kernel, Kernel.HostStub, false, true}, Shape))
    In.RunWhole = "clone-needs-more-registers";

  for (uint32_t I = 0; I < Kernel.NumPointers; ++I) {
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
      Placed.Tracked =
          Exec.trustsReplicas() && A->kind() != AllocationKind::Managed;
      Placed.Misplaced = A->misplaced();
      Placed.Moves = A->Moves;
      Placed.HasReplica = Exec.goodReplicas(*A);
    } else {
      Placed.Bytes = 2 * ForeignReach;
      Placed.Unknown = Several && !B.isPinned(Pointer, 1);
      if (B.system().numDevices() > 1 && B.isForeignDeviceMemory(Pointer))
        In.RunWhole = "foreign-memory";
    }
    In.Allocations.push_back(std::move(Placed));
    D.Allocations.push_back(std::move(A));
  }
  D.Pointers = In.Pointers;
  return In;
}

/// Counts for how many launches the allocations have been as they are.
void LaunchEngine::findContents(const Decision *Old, Decision &D,
                                PlanInput &In) const {
  for (unsigned I = 0; I < D.Allocations.size(); ++I) {
    if (!D.Allocations[I]) {
      D.Found.emplace_back();
      continue;
    }
    Decision::Contents Now = {Indices.versionOf(*D.Allocations[I]), D.Uses};
    for (unsigned J = 0; Old && J < Old->Found.size(); ++J)
      if (Old->Allocations[J] == D.Allocations[I] &&
          Old->Found[J].Version == Now.Version)
        Now.Since = Old->Found[J].Since;
    In.Allocations[I].Unchanged = D.Uses - Now.Since;
    D.Found.push_back(Now);
  }
}

bool LaunchEngine::isChanged(const Decision &D, unsigned Allocation) const {
  return Indices.versionOf(*D.Allocations[Allocation]) !=
         D.Found[Allocation].Version;
}

/// Whether an allocation that the decision has replicas of may have other
/// contents than when it was made.
bool LaunchEngine::haveContentsChanged(const Decision &D) const {
  if (!Exec.trustsReplicas())
    return true;
  for (const TilePlan &Tile : D.What.Tiles)
    for (unsigned A : Tile.Replicas)
      if (isChanged(D, A))
        return true;
  return false;
}

/// Whether the plan follows from indices that may have changed since.
bool LaunchEngine::haveIndicesChanged(const Decision &D) const {
  return std::any_of(D.ByIndices.begin(), D.ByIndices.end(),
                     [&](unsigned A) { return isChanged(D, A); });
}

/// Whether decisions depend on more than the shape.
bool LaunchEngine::looksAtArguments(const GridspanKernel &Kernel) const {
  return Several || CountsBytes || Clones.wants(Kernel);
}

/// What the plan follows from, and what it would have liked to know.
void LaunchEngine::noteIndices(const PlanInput &In, Decision &D) {
  const IndexView &View = *In.Indices;
  D.ByIndices = View.used();
  D.WantsIndices = std::any_of(View.missing().begin(), View.missing().end(),
                               [&](const IndexView::Part &P) {
                                 return In.Allocations[P.Allocation].Tracked &&
                                        !In.Allocations[P.Allocation].Paged;
                               });
  View.note(*D.Counters);
}

std::shared_ptr<Decision>
LaunchEngine::decide(const LaunchTarget &Target, const LaunchShape &Shape,
                     void *const *Args, std::string_view RunWhole,
                     const Decision *Old, PlanInput *Described) {
  auto D = std::make_shared<Decision>();
  D->Epoch = Memory.epoch();
  D->Uses = Old ? Old->Uses.load() : 0;
  D->Counters = &Out.kernel(Target.Kernel);
  if (looksAtArguments(*Target.Kernel)) {
    PlanInput In = describe(*Target.Kernel, Shape, Args, *D);
    findContents(Old, *D, In);
    if (RunWhole.empty() && Several)
      Indices.look(In, D->Allocations);
    if (!RunWhole.empty())
      In.RunWhole = RunWhole;
    if (!CountsBytes) {
      D->ForAllWithin = runsWholeUpTo(In, B.system(), Sched);
      if (D->ForAllWithin && !isWithin(*D->ForAllWithin, *In.Kernel, In.Box))
        D->ForAllWithin = {};
    }
    if (RunWhole.empty())
      Clones.decide(Target, Shape, In, *D);
    std::optional<Plan> Whole;
    if (D->ForAllWithin)
      Whole = planWhole(In, B.system(), Sched);
    D->What = Whole ? std::move(*Whole) : planLaunch(In, B.system(), Sched);
    if (In.Indices)
      noteIndices(In, *D);
    if (Described)
      *Described = std::move(In);
  } else {
    D->IsForShape = true;
    D->What.Tiles.emplace_back();
    D->What.WhyWhole = "one-device";
  }
  for (const TilePlan &Tile : D->What.Tiles) {
    D->LocalBytes += Tile.LocalBytes;
    D->RemoteBytes += Tile.RemoteBytes;
  }
  D->MayChange =
      D->WantsIndices || D->What.MayImprove ||
      std::any_of(D->What.Effects.begin(), D->What.Effects.end(),
                  [](const AllocationEffect &E) { return E.Misplaced > 0; });
  if (D->What.UnknownRanges)
    D->Counters->UnknownRanges = true;
  if (!D->What.WhyWhole.empty())
    D->Counters->WhyWhole = D->What.WhyWhole.data();
  return D;
}

//===--- Launching ------------------------------------------------------===//

/// Whether it is time to move pages that the decision leaves misplaced.
static bool moves(const Decision &D) {
  for (unsigned A = 0; A < D.What.Effects.size(); ++A)
    if (const AllocationEffect &E = D.What.Effects[A];
        E.Misplaced > 0 &&
        D.Allocations[A]->misplaced() + E.MisplacedAgain >= E.MoveAt)
      return true;
  return false;
}

/// Whether a decision is to be looked at again: after 1, 2, 4, 8... uses, which
/// finds the time within a factor of two, if it waits for indices to be
/// inspected or for the time to move pages; the same, but for the first two, if
/// replicas may be worth it when they are used longer; and one that relies on
/// replicas or indices, when these are no longer good.
bool LaunchEngine::needsReplan(const Decision &D) const {
  if (haveIndicesChanged(D))
    return true;
  if (!D.MayChange && !D.What.NeedsReplicas)
    return false;
  const uint64_t Uses = D.Uses.fetch_add(1, std::memory_order_relaxed) + 1;
  if (D.MayChange && std::has_single_bit(Uses) &&
      (D.WantsIndices || (D.What.MayImprove && Uses >= LeastUses) || moves(D)))
    return true;
  return D.What.NeedsReplicas && haveContentsChanged(D);
}

/// The decision for the launch, however old; null when there is none.
const Decision *LaunchEngine::find(const GridspanKernel &Kernel,
                                   const LaunchShape &Shape,
                                   void *const *Args) const {
  if (!looksAtArguments(Kernel))
    return Cache.find(LaunchKey(Kernel, Shape));
  if (!CountsBytes) {
    const Decision *D = Cache.find(LaunchKey(Kernel, Shape, Args, Memory));
    if (D && isWithin(*D->ForAllWithin, Kernel, boxOf(Shape, Args)))
      return D;
  }
  return Cache.find(LaunchKey(Kernel, Shape, Args));
}

/// For find, as far as the decision reaches: by what it was made from, as the
/// kernel's clone may have been given up since.
void LaunchEngine::remember(std::shared_ptr<const Decision> D,
                            const GridspanKernel &Kernel,
                            const LaunchShape &Shape, void *const *Args) {
  if (D->IsForShape)
    Cache.insert(LaunchKey(Kernel, Shape), std::move(D));
  else if (D->ForAllWithin)
    Cache.insert(LaunchKey(Kernel, Shape, Args, Memory), std::move(D));
  else
    Cache.insert(LaunchKey(Kernel, Shape, Args), std::move(D));
}

/// Rare cases that are not worth a place in the cache.
cudaError_t LaunchEngine::launchUncached(const LaunchTarget &Target,
                                         const LaunchShape &Shape,
                                         void *const *Args, ProgramStream &S,
                                         bool Capturing) {
  if (cudaError_t Error = check(Target, Shape))
    return Error;
  // A captured launch runs when its graph does, and then nobody counts what it
  // writes.
  if (Capturing) {
    Exec.distrustReplicas();
    Memory.pager().expectUnseenWrites();
  }
  const std::string_view Why = Capturing             ? "capturing"
                               : Shape.Cooperative   ? "cooperative"
                               : Shape.NumAttributes ? "launch-attributes"
                                                     : "symbol-address-taken";
  cudaError_t Error = cudaSuccess;
  if (Memory.pager().any() &&
      launchPaged(Target, Shape, Args, S, Why,
                  Capturing ? "capturing" : nullptr, Error))
    return Error;
  for (bool Moved = Capturing;; Moved = true) {
    PlacementReader Placement(Memory.placementLock());
    if ((Error = Kept.writeBackLocked()))
      return Error;
    std::shared_ptr<const Decision> D = decide(Target, Shape, Args, Why);
    if (Moved || D->What.Moves.empty())
      return Exec.launch(*D, Target, Shape, Args, S);
    Placement.unlock();
    Exec.move(*D, S.main());
  }
}

/// False when the launch touches nothing that is paged.
bool LaunchEngine::launchPaged(const LaunchTarget &Target,
                               const LaunchShape &Shape, void *const *Args,
                               ProgramStream &S, std::string_view RunWhole,
                               const char *WhyInPlace, cudaError_t &Error) {
  auto Describe = [&](Decision &D) REQUIRES_SHARED(PlacementLock::Held) {
    PlanInput In = describe(*Target.Kernel, Shape, Args, D);
    if (!RunWhole.empty())
      In.RunWhole = RunWhole;
    if (RunWhole.empty())
      Indices.look(In, D.Allocations);
    return In;
  };
  auto LaunchInPlace = [&]() REQUIRES_SHARED(PlacementLock::Held) {
    cudaError_t Error = Exec.launch(*decide(Target, Shape, Args, RunWhole),
                                    Target, Shape, Args, S);
    S.LaunchedInPlace = true;
    return Error;
  };
  return Larger.launch(Target, Shape, Args, S, WhyInPlace, RunWhole.empty(),
                       Describe, LaunchInPlace, Error);
}

/// A launch that touches nothing that is paged follows, before the placement
/// lock is given back.
cudaError_t LaunchEngine::writeBackBefore(const GridspanKernel &Kernel,
                                          void *const *Args) {
  if (!Kept.any() || !mayNotifyHost(Kernel, Args, Memory, B.system().PageSize))
    return cudaSuccess;
  return Kept.writeBackLocked();
}

cudaError_t LaunchEngine::planAndLaunch(const LaunchTarget &Target,
                                        const LaunchShape &Shape,
                                        void *const *Args, ProgramStream &S) {
  if (cudaError_t Error = check(Target, Shape))
    return Error;
  cudaError_t Error = cudaSuccess;
  for (bool Moved = false;; Moved = true) {
    PlacementReader Placement(Memory.placementLock());
    if ((Error = writeBackBefore(*Target.Kernel, Args)))
      return Error;
    const Decision *Old = find(*Target.Kernel, Shape, Args);
    PlanInput In;
    std::shared_ptr<Decision> D = decide(Target, Shape, Args, {}, Old, &In);
    if (D->What.Moves.empty())
      remember(D, *Target.Kernel, Shape, Args);
    if (D->What.Moves.empty() || Moved) {
      Error = Exec.launch(*D, Target, Shape, Args, S);
      if (!Error)
        Indices.inspectBehind(In, D->Allocations, S);
      break;
    }
    Placement.unlock();
    Exec.move(*D, S.main());
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
void LaunchEngine::prefetch(const GridspanKernel &Kernel,
                            const LaunchShape &Shape, void *const *Args,
                            ProgramStream &S) {
  PlacementReader Placement(Memory.placementLock());
  if (!mayNeedPrefetch(Kernel, Args, Memory))
    return;
  Decision D;
  const PlanInput In = describe(Kernel, Shape, Args, D);
  const std::vector<UnifiedPart> Parts =
      partsToPrefetch(In, D.Allocations, Memory);
  if (Parts.empty())
    return;
  TraceScope Scope(Activity::Migration);
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
  S.operated();
}

cudaError_t LaunchEngine::launch(const void *Function, const LaunchShape &Shape,
                                 void *const *Args, ProgramStream &S) {
  TraceScope Scope(TraceScope::nextLaunch());
  const LaunchTarget Target = {Registry::get().kernel(Function), Function};
  const bool Capturing = B.isCapturing(S.main());
  if (!Target.Kernel) {
    // Nothing is known of it, so it may touch and write anything, most likely
    // what its arguments lead to.
    void *Words[NumLibraryPointers];
    if (Several && !Capturing)
      beforeLibraryCall(
          Words, B.argumentWords(Target, Args, Words, NumLibraryPointers));
    PlacementReader Placement(Memory.placementLock());
    if (cudaError_t Error = Kept.writeBackLocked())
      return Error;
    if (cudaError_t Error = Memory.accessEverything(true))
      return Error;
    if (Memory.pager().any()) {
      Out.kernel(nullptr).noteInPlace(-1, "no-descriptor");
      S.LaunchedInPlace = true;
    }
    MutexLock Order(S.lock());
    cudaError_t Error = B.launch(S.main(), Target, Shape, Args, nullptr);
    S.operated();
    Exec.anythingWritten();
    if (!Error)
      Out.kernel(nullptr).count(1, 0, 0);
    return Error;
  }
  if (CountsBytes)
    Out.kernel(Target.Kernel).Shapes.count(*Target.Kernel, Shape, Args);
  if (Capturing || Shape.NumAttributes || Shape.Cooperative ||
      Symbols.mayHaveDiverged(Target.Kernel))
    return launchUncached(Target, Shape, Args, S, Capturing);
  if (Memory.anyUnified())
    prefetch(*Target.Kernel, Shape, Args, S);
  if (Memory.pager().any()) {
    if (cudaError_t Error = check(Target, Shape))
      return Error;
    cudaError_t Error = cudaSuccess;
    if (launchPaged(Target, Shape, Args, S, {}, nullptr, Error))
      return Error;
  }
  {
    PlacementReader Placement(Memory.placementLock());
    if (cudaError_t Error = writeBackBefore(*Target.Kernel, Args))
      return Error;
    const Decision *D = find(*Target.Kernel, Shape, Args);
    if (D && D->Epoch == Memory.epoch() && !needsReplan(*D))
      return Exec.launch(*D, Target, Shape, Args, S);
  }
  return planAndLaunch(Target, Shape, Args, S);
}

} // namespace gridspan
