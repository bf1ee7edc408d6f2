//===- LaunchDecider.cpp - Decides how a launch runs ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A decision is a plan and what it was made from. The launch is described as
// plain data: its buffers, where their pages are, what indices in memory say,
// and what launches like it took. The planner makes a plan of that, which is
// pure. Devices that are not open yet are left out, and what that loses is
// counted, until opening them pays.
//
// A remembered decision stays right because its key holds all that it depends
// on, and the epoch tells if pages have moved since. Whether it is still good
// is another question, which ReplanCheck answers.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/LaunchDecider.h"
#include "runtime/backend/KernelTraits.h"
#include "runtime/backend/Registry.h"
#include "runtime/launch/LaunchLimits.h"
#include "runtime/plan/DivisionChoice.h"
#include "runtime/plan/LaunchArguments.h"
#include "runtime/plan/Planner.h"
#include "runtime/support/UntrackedCode.h"
#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

namespace gridspan {

/// The distance that memory which is not ours, and has no known bounds, counts
/// as reaching to both sides of its pointer.
static constexpr int64_t ForeignReach = int64_t(1) << 45;
/// The launches of a kernel before which none is planned that cannot pay as
/// only a guess of the work says. As the launches are not timed before, they
/// may be short; so many take as long as twenty plans.
static constexpr uint64_t FirstPlanOfGuessAfter = 1024;
/// The most uses between two plans that may find another way than the last.
static constexpr uint64_t MostBetweenTries = 1024;
/// The seconds that the program may be kept waiting for times at once, and in
/// all beside a share of the time that has passed.
static constexpr double MostWaiting = 0.02;
static constexpr double WaitingShare = 0.02;
/// The predicted loss of a launch that is not measured from which on it is
/// watched, which may take as long.
static constexpr double SecondsWorthWatching = 0.02;
/// The share of its predicted time after which a launch is believed to be as
/// long as that if it still runs.
static constexpr double BelievedAfter = 0.25;

//===--- Deciding -------------------------------------------------------===//

PlanInput LaunchDecider::describe(const GridspanKernel &Kernel,
                                  const LaunchShape &Shape, void *const *Args,
                                  Decision &D) {
  PlanInput In;
  In.Kernel = &Kernel;
  In.Box = boxOf(Shape, Args);
  In.HostPagesExist = Memory.hostPagesExist();
  In.StaticShare = Settings.StaticShare;
  In.Privates = Settings.Privates;
  In.MayReplicate = Settings.MayReplicate;
  In.MovesPointers = Settings.MovesPointers;
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
      Placed.Misplaced = A->misplaced();
      Placed.Moves = A->Moves;
      Exec.describe(*A, Placed);
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
void LaunchDecider::seeContents(const Decision *Old, Decision &D,
                                PlanInput &In) const {
  In.Repeats = D.Uses;
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

bool LaunchDecider::looksAtArguments(const GridspanKernel &Kernel) const {
  // Where some launch may convert what others touch, or follow from indices in
  // it, all say what they write.
  return HasPeers || Settings.CountsBytes || Registry::get().anyFormed() ||
         Memory.pager().any() || Clones.wants(Kernel);
}

/// Returns true if the kernel may write memory at all.
static bool mayWrite(const GridspanKernel &Kernel) {
  return (Kernel.Flags & (GridspanNotAnalysed | GridspanUnknownWrite)) != 0 ||
         std::any_of(Kernel.Pointers, Kernel.Pointers + Kernel.NumPointers,
                     [](const GridspanPointer &P) {
                       return P.Modes & (GridspanWrite | GridspanAtomic);
                     });
}

bool LaunchDecider::mayRunInParts(const LaunchRequest &R) const {
  return takesBlocks(
      B, {.Kernel = &R.kernel(), .Function = R.Target.Function, .Tiled = true},
      R.Shape);
}

/// Notes which indices the plan follows from, and if it lacked some.
void LaunchDecider::noteIndices(const PlanInput &In, Decision &D) {
  const IndexView &View = *In.Indices;
  D.InspectedAllocations = View.used();
  D.WantsIndices = std::any_of(View.missing().begin(), View.missing().end(),
                               [&](const IndexView::Part &P) {
                                 return In.Allocations[P.Allocation].Tracked &&
                                        !In.Allocations[P.Allocation].Paged;
                               });
  View.note(*D.Counters);
}

/// Returns true if the plan could be better had some indices been inspected.
static bool lacksIndices(const PlanInput &In) {
  return In.Indices && !In.Indices->missing().empty();
}

/// Returns true if a launch that runs unsplit by P does with other scalars, and
/// the same pointers, what P says, and waits for nothing.
static bool isForAnyScalars(const PlanInput &In, const Plan &P) {
  return !In.Kernel->NumTextures && !writesOthersMemory(In) &&
         !lacksIndices(In) &&
         std::none_of(
             P.Effects.begin(), P.Effects.end(),
             [](const AllocationEffect &E) { return E.Misplaced > 0; });
}

/// Has D serve launches of about as much work with the same pointers and other
/// scalars.
static void holdForScalars(const PlanInput &In, Decision &D) {
  D.GoesByLast = true;
  D.IsOfOthers = false;
  D.HoldsWithin = likeThatOf(*In.Kernel, In.Box);
  if (std::isfinite(D.HoldsWithin->Work))
    D.HoldsWithin->Least = D.HoldsWithin->Work / 4;
  D.HoldsFor = Decision::Alike::Pointers;
}

/// Plans the launch by what launches like it took, and notes which these are.
/// IsNew: there is no decision for its arguments. MayHold: one that splits
/// nothing may serve launches with other scalars.
Plan LaunchDecider::planByTimes(PlanInput &In, Decision &D, bool IsNew,
                                bool MayHold) {
  if (Learns) {
    LaunchClasses::Found Of = Classes.find(In);
    D.Class = std::move(Of.Class);
    D.IsOfOthers = Of.IsForOthers;
  }
  if (!D.Class)
    return planLaunch(In, B.system(), Settings.Sched);
  Exec.timer().collect();
  D.Generation = D.Class->generation();
  const LaunchHistory History = D.Class->history();
  D.SpentBefore = History.spentSeconds();
  using Settled = LaunchClass::Settled;
  const double Bytes = bytesOfAllocations(In);
  const Settled Last = IsNew ? D.Class->goesByLastPlan(Bytes) : Settled::No;
  const bool AffordsPlan = D.Class->affordsPlan();
  if (IsNew)
    D.Class->noteNew(D.Counters->Launches);
  MayHold &= D.Class->areAlwaysNew();
  // Times are to come first, but not at any price.
  const bool NeedsTimes =
      Last == Settled::No || (Last == Settled::Slower && AffordsPlan);
  if (!Settings.CountsBytes && (Last != Settled::No || !AffordsPlan))
    if (std::optional<Plan> Same = planUnsplitAgain(
            In, History, B.system(), Settings.Sched, NeedsTimes)) {
      if (Last == Settled::OneWay) {
        Same->Timed.reset();
        D.Class = nullptr;
      }
      D.GoesByLast = Last != Settled::No;
      D.IsOfOthers &= !D.GoesByLast; // it serves launches with other scalars
      // What depends on other arguments than pointers is to see them.
      if (D.GoesByLast && (In.Kernel->Flags & GridspanUnknownWrite) &&
          Same->WritesAnywhere && Same->TouchesAnywhere &&
          !In.Kernel->NoAliasStub && !In.Kernel->NumTextures) {
        D.HoldsWithin = likeThatOf(*In.Kernel, In.Box);
        D.HoldsFor = Decision::Alike::Nothing;
      } else if (D.GoesByLast && MayHold && isForAnyScalars(In, *Same)) {
        holdForScalars(In, D);
      }
      return std::move(*Same);
    }
  In.History = &History;
  const Clock::time_point Begin = Clock::now();
  Plan Out = planLaunch(In, B.system(), Settings.Sched);
  // WantsTry is no reason: a try becomes affordable with time, as news come.
  // That devices are not open is one: launches count what they lose by that.
  const bool MayGoOn = In.WhyUnsplit == LaunchReason::None && !Out.isSplit() &&
                       Out.Moves.empty() && !Out.IsTry && !Out.WantsTimes &&
                       !Out.MayImprove && !lacksIndices(In);
  D.TimesNext =
      D.Class->addPlan({!MayGoOn                      ? Settled::No
                        : Out.Timed && !Out.IsByGuess ? Settled::Slower
                                                      : Settled::OneWay,
                        D.Generation, D.SpentBefore, Bytes},
                       secondsSince(Begin));
  In.History = nullptr;
  if (MayGoOn && MayHold && isForAnyScalars(In, Out))
    holdForScalars(In, D);
  if (!Out.Timed)
    D.Class = nullptr;
  return Out;
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

/// Returns the seconds that the launch loses by where pages are.
static double misplacedSeconds(const Decision &D) {
  double Out = 0;
  for (const AllocationEffect &E : D.LaunchPlan.Effects)
    Out += E.MisplacedAgain;
  return Out;
}

/// Replaces a plan that needs devices which are not open. Where pages are there
/// already, they are being opened, and to wait is faster than to reach them
/// from here. MayHold: as for planByTimes().
void LaunchDecider::runWithoutOthers(PlanInput &In, Decision &D, bool MayHold) {
  if (isSpread(In) && B.waitUntilReady())
    return;
  const double Lost = std::max(0.0, D.LaunchPlan.Saves) + misplacedSeconds(D);
  const bool IsMeasured = D.LaunchPlan.SavesByTimes || !D.Class;
  MayHold &= IsMeasured && D.Class && D.Class->areAlwaysNew();
  if (Lost > 0 && D.Class) {
    // This process is likely to be as long as that one.
    const LaunchHistory History = D.Class->history();
    if (History.wasSplitEarlier() ||
        static_cast<double>(History.EarlierLaunches) * Lost >=
            DeviceOpening::SecondsWorthIt)
      B.prepare();
  }
  const LaunchReason Before =
      std::exchange(In.WhyUnsplit, LaunchReason::DevicesNotOpen);
  D.LaunchPlan = D.Class ? planByTimes(In, D, false, false)
                         : planLaunch(In, B.system(), Settings.Sched);
  In.WhyUnsplit = Before;
  std::erase_if(D.LaunchPlan.Moves, [](const MovePlan &M) { return M.To > 0; });
  // Pages are where it wants them only because nothing else can be had.
  for (AllocationEffect &E : D.LaunchPlan.Effects)
    E.Contented = 0;
  D.LostUntilOpen = IsMeasured ? Lost : 0;
  // Each launch that it serves counts as much.
  if (MayHold && isForAnyScalars(In, D.LaunchPlan))
    holdForScalars(In, D);
  if (IsMeasured)
    return Opening.noteLost(Lost);
  D.LaunchPlan.WantsTry = true;
  if (Lost >= SecondsWorthWatching)
    D.LostIfLong = Lost;
}

/// A launch that was never measured, and is worth opening devices for if it is
/// as long as predicted, is watched for a while: predictions may be wrong by
/// far where loops end by what is in memory.
void LaunchDecider::watch(const Decision &D, ProgramStream &S) {
  if (!D.LostIfLong)
    return;
  const double Allowed =
      std::min(allowedToWait(), BelievedAfter * D.LaunchPlan.PredictedSeconds);
  if (Allowed <= 0)
    return;
  const Clock::time_point Begin = Clock::now();
  std::unique_ptr<Event> End;
  {
    MutexLock Order(S.lock());
    if (B.createEvent(0, 0, End) || B.record(*End, S.main()))
      return;
  }
  bool Runs = true;
  while ((Runs = B.query(*End) == cudaErrorNotReady) &&
         secondsSince(Begin) < Allowed)
    std::this_thread::yield();
  Waited.fetch_add(secondsSince(Begin));
  if (Runs)
    Opening.noteLost(*D.LostIfLong);
}

/// Notes in D and in the kernel's counters what follows from the plan.
static void notePlan(Decision &D) {
  const Plan &P = D.LaunchPlan;
  for (const TilePlan &Tile : P.Tiles) {
    D.LocalBytes += Tile.LocalBytes;
    D.RemoteBytes += Tile.RemoteBytes;
  }
  if (P.UnknownRanges)
    D.Counters->UnknownRanges = true;
  if (P.WhyUnsplit != LaunchReason::None)
    D.Counters->WhyUnsplit = P.WhyUnsplit;
  if (P.WhyStatic != LaunchReason::None)
    D.Counters->WhyStatic = P.WhyStatic;
}

/// Sets what the launch holds within, if its work is so little that it cannot
/// pay to split it, or not to plan it yet.
void LaunchDecider::decideByWork(const PlanInput &In, Decision &D) const {
  const auto Holds = [&](std::optional<WorkLimit> Limit) {
    if (Limit && isWithin(*Limit, *In.Kernel, In.Box))
      D.HoldsWithin = Limit;
    return D.HoldsWithin.has_value();
  };
  const uint64_t Launches = D.Counters->Launches;
  if (!Holds(runsUnsplitUpTo(In, B.system(), Settings.Sched))) {
    if (const std::optional<FirstLaunches> First =
            runsUnsplitAtFirst(In, B.system(), Settings.Sched, Launches)) {
      D.HoldsWithin = First->Limit;
      D.PutOffUntil = First->Count;
    }
  } else if (Learns && isByGuess(*D.HoldsWithin, *In.Kernel, In.Box)) {
    // Times tell.
    if (Launches < FirstPlanOfGuessAfter)
      D.PutOffUntil = FirstPlanOfGuessAfter;
    else
      D.HoldsWithin = {};
  }
}

std::shared_ptr<Decision> LaunchDecider::decide(const LaunchRequest &R,
                                                LaunchReason WhyUnsplit,
                                                const Decision *Old,
                                                PlanInput *Described) {
  auto D = std::make_shared<Decision>();
  D->Epoch = Memory.epoch();
  // Memory that was freed and allocated again may lie at the same addresses.
  const bool IsNew = !Old || Old->Epoch != D->Epoch;
  // Launches with other arguments have used it.
  uint64_t UsesBetween = 0;
  if (Old && Old->standsForOthers()) {
    UsesBetween = Old->UsesBetweenTries;
    if (Old->Uses >= UsesBetween)
      UsesBetween = std::min(2 * UsesBetween, MostBetweenTries);
    Old = nullptr;
  }
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
    if (!Settings.CountsBytes)
      decideByWork(In, *D);
    const bool DependsOnScalars = MaySplit && Clones.decide(R, In, *D);
    // What there is for these arguments alone is asked first, and stays.
    const bool MayHold =
        !DependsOnScalars && !Settings.CountsBytes && (IsNew || UsesBetween);
    std::optional<Plan> Unsplit;
    if (D->HoldsWithin)
      Unsplit = planUnsplit(In, B.system(), Settings.Sched);
    if (!Unsplit && std::exchange(D->PutOffUntil, 0))
      D->HoldsWithin = {};
    D->LaunchPlan = Unsplit    ? std::move(*Unsplit)
                    : MaySplit ? planByTimes(In, *D, IsNew, MayHold)
                               : planLaunch(In, B.system(), Settings.Sched);
    const bool OthersOpen = B.isReady();
    // Asked only where it matters, as the answer may take loading the clone:
    // not where devices are not open, and need not be waited for.
    if (needsOthers(D->LaunchPlan) && (OthersOpen || isSpread(In)) &&
        !Clones.mayRunInParts(R, *D)) {
      In.WhyUnsplit = LaunchReason::CloneNeedsMoreRegisters;
      D->LaunchPlan = planLaunch(In, B.system(), Settings.Sched);
      D->Class = nullptr;
    }
    if (In.Indices)
      noteIndices(In, *D);
    if (!OthersOpen && needsOthers(D->LaunchPlan))
      runWithoutOthers(In, *D, MayHold);
    else if (!OthersOpen && D->LaunchPlan.SavesByTimes && !In.HostPagesExist)
      // Pages will move when that is worth it; the devices may open before.
      if (const double Lost = misplacedSeconds(*D); Lost > 0)
        D->LostUntilOpen = Lost;
    // The same was found again.
    if (UsesBetween && D->standsForOthers())
      D->UsesBetweenTries = UsesBetween;
    D->MayRenew = MaySplit && ReplanCheck::mayRenew(*D, In);
    if (Described)
      *Described = std::move(In);
  } else {
    // It says nothing of where, and may be used when something is paged, and
    // launches follow from indices.
    D->IsForShape = true;
    D->LaunchPlan.WritesAnywhere = mayWrite(R.kernel());
    D->LaunchPlan.Tiles.emplace_back();
    D->LaunchPlan.WhyUnsplit = LaunchReason::OneDevice;
  }
  notePlan(*D);
  D->MayChange =
      D->WantsIndices || D->LaunchPlan.MayImprove || D->Class ||
      D->GoesByLast ||
      std::any_of(D->LaunchPlan.Effects.begin(), D->LaunchPlan.Effects.end(),
                  [](const AllocationEffect &E) { return E.Misplaced > 0; });
  return D;
}

/// Replays find pages wherever they are then, so every device must reach all
/// memory, and copies of textures would not follow their arrays.
bool LaunchDecider::maySplitCaptured(const LaunchRequest &R) const {
  return HasPeers && Settings.Sched != Schedule::Single &&
         !R.Shape.Cooperative && !R.Shape.NumAttributes &&
         !R.kernel().NumTextures && !Symbols.mayHaveDiverged(R.Target.Kernel) &&
         B.system().allReachAll() && OpaqueGraphs.value_or(graphsAreOpaque());
}

std::shared_ptr<Decision>
LaunchDecider::decideCaptured(const LaunchRequest &R) {
  auto D = std::make_shared<Decision>();
  D->Epoch = Memory.epoch();
  D->Counters = &Out.kernel(R.Target.Kernel);
  PlanInput In = describe(R, *D);
  for (PlacedAllocation &A : In.Allocations) {
    A.Movable = false;
    A.Tracked = false;
    A.HasReplica.clear();
    A.Copies = {};
    A.Stays = false;
  }
  // Neither the runtime's threads nor memory of its own are there at a replay.
  In.Privates = PrivateCopyUse::Never;
  const Schedule Tiles =
      splitsAll(Settings.Sched) ? Schedule::Static : Settings.Sched;
  auto MakePlan = [&](LaunchReason WhyUnsplit) {
    In.WhyUnsplit = WhyUnsplit;
    D->LaunchPlan = planLaunch(In, B.system(), Tiles);
  };
  MakePlan(In.WhyUnsplit);
  if (D->LaunchPlan.isSplit() && !mayRunInParts(R))
    MakePlan(LaunchReason::CloneNeedsMoreRegisters);
  // There is no other time to decide about it.
  if (D->LaunchPlan.isSplit() && !B.waitUntilReady())
    MakePlan(LaunchReason::DevicesNotOpen);
  const Plan &P = D->LaunchPlan;
  const bool Copies =
      std::any_of(P.Tiles.begin(), P.Tiles.end(), [](const TilePlan &Tile) {
        return !Tile.Replicas.empty() || !Tile.Copies.empty();
      });
  if (Copies || !P.Moves.empty()) {
    MakePlan(LaunchReason::Capturing);
    D->LaunchPlan.Moves.clear();
  }
  notePlan(*D);
  if (P.WhyUnsplit == LaunchReason::None && Tiles != Settings.Sched)
    D->Counters->WhyStatic = LaunchReason::Capturing;
  return D;
}

//===--- Times ----------------------------------------------------------===//

bool LaunchDecider::mayInspect(const Decision &D) const {
  double Spent =
      static_cast<double>(D.Uses + 1) * D.LaunchPlan.PredictedSeconds;
  if (D.Class)
    Spent = std::max(Spent, D.Class->history().spentSeconds());
  const double Each = B.system().InspectSeconds;
  return Each <= TryShare * Spent &&
         Each * static_cast<double>(Indices.numInspections()) <=
             TryShare * secondsSince(Started);
}

double LaunchDecider::secondsSince(Clock::time_point Begin) {
  return std::chrono::duration<double>(Clock::now() - Begin).count();
}

double LaunchDecider::allowedToWait() const {
  return std::min(MostWaiting, MostWaiting +
                                   WaitingShare * secondsSince(Started) -
                                   Waited.load());
}

/// A program that enqueues many launches would have enqueued all of them before
/// the first one tells how it is to run. What waiting may cost is bounded, as
/// the host could do other work, and launches may wait for the host.
void LaunchDecider::awaitTimes(const LaunchClass &Of) {
  const double Allowed = allowedToWait();
  if (Allowed <= 0)
    return;
  const Clock::time_point Begin = Clock::now();
  Exec.timer().await(Of, Allowed);
  Waited.fetch_add(secondsSince(Begin));
}

} // namespace gridspan
