//===- LaunchClasses.cpp - The histories of similar launches --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work is what the kernel's own estimate says, so that loops whose counts are
// arguments make classes of their own. A time changes decisions while there are
// few, or when the median of the last ones or the cut of the tiles does.
//
// A class with scalars of its own begins without times: what it costs to get
// them is bounded over all classes of the kernel (DivisionChoice.cpp).
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/LaunchClasses.h"
#include "runtime/report/LaunchHistogram.h"
#include "runtime/support/Fnv.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

namespace gridspan {

/// A program with more shapes than this gets no further histories.
static constexpr size_t MostClasses = 4096;
/// Of one size, those for certain scalars.
static constexpr unsigned MostOwn = 16;
/// The change of a median, as a share, that is worth another plan.
static constexpr double WorthAPlan = 0.1;
/// The most launches that go by a plan for other arguments.
static constexpr unsigned MostBySettled = 64;
/// The launches with new arguments that tell what later ones have, and the most
/// launches of the kernel from one to the next.
static constexpr uint64_t ManyNew = 32, MostToNextNew = 8;
/// The seconds of launches that make another plan a twentieth of them.
static constexpr double SecondsWorthAPlan = 1e-3;
/// The share of a kernel's time that plans of its launches may take, and the
/// seconds that they may take in any case.
static constexpr double PlanShare = 0.05;
static constexpr double FreePlanSeconds = 1e-3;

uint64_t LaunchClass::count(const Division &What) {
  MutexLock Guard(Lock);
  return History.count(What);
}

static uint64_t cutRevision(const LaunchHistory &History,
                            const Division &What) {
  const TileBalance *B = History.balance(What.Devices, What.Axis);
  return B ? B->revision() : 0;
}

void LaunchClass::add(const Division &What, const LaunchTime &Time) {
  MutexLock Guard(Lock);
  const DivisionRecord *Before = History.find(What);
  const double Old = Before && Before->Times ? Before->medianRatio() : 0;
  const bool WasUnsteady = Before && Before->isUnsteady();
  const uint64_t OldCut = cutRevision(History, What);
  History.add(What, Time);
  // There is none of a cut that is given up, by this time or before it came.
  const DivisionRecord *After = History.find(What);
  if (After && After->isMeasured() && What == Division())
    Kernel->Ratio.store(After->kernelRatio(), std::memory_order_relaxed);
  share();
  const bool IsNews =
      After && (std::has_single_bit(After->Times) || After->Times == 3 ||
                After->isUnsteady() != WasUnsteady ||
                std::abs(After->medianRatio() - Old) > WorthAPlan * Old);
  IsWatched.store(After && After->wantsTimes(), std::memory_order_relaxed);
  if (IsNews || cutRevision(History, What) != OldCut)
    Generation.fetch_add(1, std::memory_order_relaxed);
}

void LaunchClass::addMove(double Seconds) {
  MutexLock Guard(Lock);
  History.MoveSeconds += Seconds;
  share();
}

bool LaunchClass::isWorthAPlan(uint64_t PlanGeneration,
                               double SpentBefore) const {
  if (generation() == PlanGeneration)
    return false;
  MutexLock Guard(Lock);
  return hasSpentSince(SpentBefore);
}

bool LaunchClass::isWorthAPlan(uint64_t PlanGeneration,
                               const Division &Split) const {
  if (generation() == PlanGeneration)
    return false;
  MutexLock Guard(Lock);
  const DivisionRecord *Now = History.measured(Split);
  const DivisionRecord *Whole = History.measured(Division());
  return canAfford() || !Now || !Whole || Now->seconds() > Whole->seconds();
}

bool LaunchClass::isLongAgo(double SpentBefore, double Predicted) const {
  MutexLock Guard(Lock);
  return hasSpentSince(SpentBefore) ||
         (Predicted >= SecondsWorthAPlan && !History.measured(Division()));
}

/// Returns true if launches have taken so long since that another plan is
/// little beside it.
bool LaunchClass::hasSpentSince(double SpentBefore) const {
  // The sum falls with the median, which is news if it falls by much.
  return std::abs(History.spentSeconds() - SpentBefore) >= SecondsWorthAPlan;
}

bool LaunchClass::addPlan(const PlanNote &Of, double Seconds) {
  MutexLock Guard(Lock);
  Kernel->Plans.fetch_add(Seconds, std::memory_order_relaxed);
  const bool StandsForOthers = Of.How == Settled::Slower && WentByIt > 0;
  LastPlan = Of;
  WentByIt = 0;
  return StandsForOthers;
}

LaunchClass::Settled LaunchClass::goesByLastPlan(double Bytes) {
  MutexLock Guard(Lock);
  const bool IsNews = LastPlan.Generation != generation() &&
                      hasSpentSince(LastPlan.SpentBefore);
  if (LastPlan.How == Settled::No || Bytes > 2 * LastPlan.Bytes)
    return Settled::No;
  return (IsNews || ++WentByIt > MostBySettled) && canAfford() ? Settled::No
                                                               : LastPlan.How;
}

void LaunchClass::noteNew(uint64_t Launches) {
  MutexLock Guard(Lock);
  if (NewInARow < ManyNew)
    NewInARow = Launches - LastNew <= MostToNextNew ? NewInARow + 1 : 1;
  LastNew = Launches;
}

bool LaunchClass::areAlwaysNew() const {
  MutexLock Guard(Lock);
  return NewInARow >= ManyNew;
}

bool LaunchClass::affordsPlan() const {
  MutexLock Guard(Lock);
  return canAfford();
}

/// The kernel's sum lags behind what the class's launches have taken.
bool LaunchClass::canAfford() const {
  const double Spent = Kernel->Spent.load(std::memory_order_relaxed) -
                       SharedSpent + History.spentSeconds();
  return Kernel->Plans.load(std::memory_order_relaxed) <=
         PlanShare * Spent + FreePlanSeconds;
}

/// Brings the kernel's sums up to date.
void LaunchClass::share() {
  auto Put = [](std::atomic<double> &Sum, double &Shared, double Now) {
    Sum.fetch_add(Now - Shared, std::memory_order_relaxed);
    Shared = Now;
  };
  Put(Kernel->Spent, SharedSpent, History.spentSeconds());
  Put(Kernel->Lost, SharedLost, History.lostSeconds());
  Put(Kernel->Moves, SharedMoves, History.MoveSeconds);
}

LaunchHistory LaunchClass::history() const {
  MutexLock Guard(Lock);
  LaunchHistory Out = History;
  auto Elsewhere = [](const std::atomic<double> &Sum, double Shared) {
    return std::max(0.0, Sum.load(std::memory_order_relaxed) - Shared);
  };
  Out.RatioElsewhere = Kernel->Ratio.load(std::memory_order_relaxed);
  Out.SpentElsewhere = Elsewhere(Kernel->Spent, SharedSpent);
  Out.LostElsewhere = Elsewhere(Kernel->Lost, SharedLost);
  Out.MovesElsewhere = Elsewhere(Kernel->Moves, SharedMoves);
  return Out;
}

static int log2Of(double Value) {
  return Value >= 1 && std::isfinite(Value) ? std::ilogb(Value) : 0;
}

/// Returns a hash of what a launch passes besides pointers; never 0.
static uint64_t hashOfScalars(const PlanInput &In) {
  Fnv Hash;
  Hash.add(scalarBytes(*In.Kernel, scalarsOf(*In.Kernel), In.Box.Args));
  return std::max<uint64_t>(Hash.hash(), 1);
}

/// Returns a new class; null if there are too many.
std::shared_ptr<LaunchClass> LaunchClasses::make(const Key &Of) {
  if (Known.size() >= MostClasses)
    return nullptr;
  std::shared_ptr<KernelTimes> &OfKernel = Kernels[Of.Kernel];
  if (!OfKernel)
    OfKernel = std::make_shared<KernelTimes>();
  return std::make_shared<LaunchClass>(
      Saved ? Saved->find(Of.Kernel, nameOf(Of)) : LaunchHistory(), OfKernel);
}

LaunchClasses::Found LaunchClasses::find(const PlanInput &In) {
  double Blocks = 1;
  uint64_t Threads = 1;
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    Blocks *= In.Box.BlockCount[Axis];
    Threads *= In.Box.BlockDim[Axis];
  }
  const double Work = In.Kernel->Work ? In.Kernel->Work(&In.Box) : 0;
  const Key Size = {In.Kernel, Threads, log2Of(Blocks), log2Of(Work)};
  const uint64_t Scalars = hashOfScalars(In);
  MutexLock Guard(Lock);
  auto Common = Known.find(Size);
  if (Common == Known.end()) {
    std::shared_ptr<LaunchClass> New = make(Size);
    if (New)
      Known.emplace(Size, Entry{New, Scalars});
    return {std::move(New)};
  }
  Entry &OfSize = Common->second;
  if (Scalars == OfSize.FirstScalars)
    return {OfSize.Class};
  Key Own = Size;
  Own.Scalars = Scalars;
  if (auto It = Known.find(Own); It != Known.end())
    return {It->second.Class};
  if (OfSize.NumOwn == MostOwn)
    return {OfSize.Class};
  if (In.Repeats < UsesForOwn)
    return {OfSize.Class, true};
  std::shared_ptr<LaunchClass> New = make(Own);
  if (!New)
    return {OfSize.Class};
  ++OfSize.NumOwn;
  Known.emplace(Own, Entry{New});
  return {std::move(New)};
}

SavedTimes::ClassName LaunchClasses::nameOf(const Key &Of) {
  return {Of.Kernel->Name, Of.BlockThreads, Of.Blocks, Of.Work, Of.Scalars};
}

void LaunchClasses::keepIn(SavedTimes Store) {
  MutexLock Guard(Lock);
  Saved.emplace(std::move(Store));
  Saved->readProgram();
}

/// Notes what is to be kept of a class, if its launches were timed.
void LaunchClasses::note(const Key &Of, const LaunchClass &Class) {
  const LaunchHistory History = Class.history();
  if (Saved && std::any_of(History.Records.begin(), History.Records.end(),
                           [](const DivisionRecord &R) {
                             return R.Times > R.EarlierTimes;
                           }))
    Saved->note(Of.Kernel, nameOf(Of), History);
}

void LaunchClasses::save() {
  MutexLock Guard(Lock);
  for (const auto &[Of, E] : Known)
    note(Of, *E.Class);
  if (Saved)
    Saved->write();
}

void LaunchClasses::forget(const GridspanModule &Module) {
  const std::less<> IsBefore;
  MutexLock Guard(Lock);
  auto IsOfModule = [&](const GridspanKernel *Kernel) {
    return !IsBefore(Kernel, Module.Kernels) &&
           IsBefore(Kernel, Module.Kernels + Module.NumKernels);
  };
  std::erase_if(Kernels,
                [&](const auto &Entry) { return IsOfModule(Entry.first); });
  std::erase_if(Known, [&](const auto &Entry) REQUIRES(Lock) {
    const bool IsIts = IsOfModule(Entry.first.Kernel);
    if (IsIts)
      note(Entry.first, *Entry.second.Class);
    return IsIts;
  });
}

void LaunchClasses::report(Report &Out) const {
  decltype(Known) Classes;
  {
    MutexLock Guard(Lock);
    Classes = Known;
  }
  std::map<const GridspanKernel *, std::vector<MeasuredDivision>> Rows;
  for (const auto &[Of, E] : Classes) {
    const LaunchHistory History = E.Class->history();
    for (const DivisionRecord &R : History.Records) {
      MeasuredDivision Row;
      Row.IsDynamic = R.What.IsDynamic;
      Row.IsPresent = R.What == History.Last;
      Row.BlockThreads = Of.BlockThreads;
      Row.HasOwnScalars = Of.Scalars != 0;
      Row.LeastBlocks = uint64_t(1) << Of.Blocks;
      Row.Devices = R.What.Devices;
      Row.Axis = R.What.Axis;
      Row.IsSpread = R.What.IsSpread;
      Row.HasPrivates = R.What.HasPrivates;
      Row.Launches = R.Launches;
      Row.Times = R.Times - R.EarlierTimes;
      Row.IsRestored = R.EarlierTimes != 0;
      if (R.Times) {
        Row.Seconds = R.seconds();
        Row.PredictedSeconds = R.Last.Predicted;
        Row.DeviceSeconds = R.Last.ByDevice;
        if (R.What.Devices > 1)
          Row.Shares = R.Last.Shares;
      }
      Row.MoveSeconds = History.MoveSeconds;
      Rows[Of.Kernel].push_back(std::move(Row));
    }
  }
  for (auto &[Kernel, Divisions] : Rows)
    Out.kernel(Kernel).setMeasured(std::move(Divisions));
}

} // namespace gridspan
