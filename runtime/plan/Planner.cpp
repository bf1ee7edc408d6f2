//===- Planner.cpp - Decide how a launch runs -----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The candidates are the unsplit launch on device 0 and, for each number of
// devices, one partition along each axis; and of those that were timed, the
// ones that measured rates ask for. The axis is the one that would be fastest
// with its pages in place, as along some of them no pages can be, or of several
// the one with the least remote bytes; the number of devices the one with the
// least predicted time as pages are. What would be faster if they had moved is
// what they move for. A launch that reduces into memory of other devices has
// two candidates for each partition, with and without private copies of it.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Planner.h"
#include "gridspan/RangeOps.h"
#include "runtime/plan/ArgumentOverlap.h"
#include "runtime/plan/DivisionChoice.h"
#include "runtime/plan/DivisionOptions.h"
#include "runtime/plan/GridExtension.h"
#include "runtime/plan/PageMigration.h"
#include "runtime/plan/PrivateCopies.h"
#include "runtime/plan/SplitLegality.h"
#include "runtime/plan/TilePartition.h"
#include <algorithm>
#include <cmath>
#include <tuple>

namespace gridspan {

namespace {

class LaunchPlanner {
public:
  LaunchPlanner(const PlanInput &In, const SystemInfo &System)
      : In(In), Kernel(*In.Kernel), System(System) {}

  Plan run(Schedule Schedule);

private:
  SplitCandidate unsplit() const {
    return evaluateSplitCandidate(In, System, 0, {In.Box});
  }
  std::vector<double> nominalRates(unsigned Devices) const;
  SplitCandidate partitionAlong(unsigned Axis,
                                const std::vector<double> &Shares) const;
  SplitCandidate bestOver(unsigned Devices) const;
  void addCuts();
  bool mayHandOut(const SplitCandidate &C) const;
  bool isWorthHandingOut(const SplitCandidate &C, const Division &What) const;
  PacketPlan packets(const SplitCandidate &C, double StaticShare,
                     double Seconds) const;
  void planPackets(Schedule Schedule, const SplitCandidate &C, Plan &Out) const;
  std::vector<SplitCandidate> waysOver(unsigned Devices) const;
  bool couldPay() const;
  LaunchReason guess(const std::vector<DivisionOption> &Options, Plan &Out);
  void wantByTimes(const DivisionOption &Now, bool IsSure);
  void chooseByTimes(Plan &Out);
  std::optional<WayLoss> loss() const;
  double moveBudget() const;

  const PlanInput &In;
  const GridspanKernel &Kernel;
  const SystemInfo &System;
  /// The ways that the launch can run; the first one is unsplit.
  std::vector<SplitCandidate> All;
  /// Indices of the one that runs, and of the one that pages are for.
  size_t Chosen = 0, Wanted = 0;
  /// True if no part of the work was guessed.
  bool IsWorkKnown = true;
  /// The seconds that it loses by the times of launches like it.
  std::optional<WayLoss> MeasuredLoss;
};

} // namespace

//===--- Candidates -----------------------------------------------------===//

std::vector<double> LaunchPlanner::nominalRates(unsigned Devices) const {
  std::vector<double> Rates;
  for (unsigned I = 0; I < Devices; ++I)
    Rates.push_back(std::max(1.0, System.Devices[I].InstructionRate));
  return Rates;
}

/// Gives the K-th device the K-th of Shares, in any unit, of the work.
SplitCandidate
LaunchPlanner::partitionAlong(unsigned Axis,
                              const std::vector<double> &Shares) const {
  const auto Devices = static_cast<unsigned>(Shares.size());
  const GridspanBox Extended = boxFor(Kernel, In.Box, Axis, Devices, System);
  const std::vector<uint32_t> Bounds =
      partitionTiles(Extended, Axis, Shares, Kernel.Work);
  std::vector<GridspanBox> Boxes;
  for (unsigned I = 0; I < Devices; ++I) {
    GridspanBox Box = Extended;
    Box.BlockLo[Axis] = Bounds[I];
    Box.BlockCount[Axis] = Bounds[I + 1] - Bounds[I];
    Boxes.push_back(Box);
  }
  return evaluateSplitCandidate(In, System, Axis, std::move(Boxes));
}

/// The multiple of the least bytes that stay remote which is much.
static constexpr double MuchMoreRemote = 1.25;

/// Returns the best partition for at most Devices devices: most tiles, then
/// reachable, then those that are about as fast as the fastest with pages and
/// replicas in place, then those that have not many more remote bytes there
/// than another one, so that the axis stays the same while pages come, then
/// least remote bytes now, then the outermost axis, which memory usually
/// follows.
SplitCandidate LaunchPlanner::bestOver(unsigned Devices) const {
  uint32_t Longest = 1;
  for (unsigned Axis = 0; Axis < 3; ++Axis)
    Longest = std::max(Longest, In.Box.BlockCount[Axis]);
  const unsigned Tiles = std::min<uint32_t>(Devices, Longest);
  std::vector<SplitCandidate> Found;
  for (int Axis = 2; Axis >= 0; --Axis)
    if (In.Box.BlockCount[Axis] >= Tiles)
      Found.push_back(partitionAlong(Axis, nominalRates(Tiles)));
  const auto IsReachable = [](const SplitCandidate &C) {
    return C.WhyUnreachable == LaunchReason::None;
  };
  double Least = INFINITY, LeastRemote = INFINITY;
  for (const SplitCandidate &C : Found)
    if (IsReachable(C)) {
      Least = std::min(Least, C.SecondsInPlace);
      LeastRemote = std::min(LeastRemote, C.RemoteBytesInPlace);
    }
  const auto StaysRemote = [&](const SplitCandidate &C) {
    return C.RemoteBytesInPlace >
           MuchMoreRemote * LeastRemote + static_cast<double>(System.PageSize);
  };
  return std::move(*std::min_element(
      Found.begin(), Found.end(),
      [&](const SplitCandidate &L, const SplitCandidate &R) {
        const auto RankOf = [&](const SplitCandidate &C) {
          return std::tuple(!IsReachable(C),
                            isClearlyLess(Least, C.SecondsInPlace),
                            StaysRemote(C), C.RemoteBytes);
        };
        return RankOf(L) < RankOf(R);
      }));
}

/// Adds the partitions with tiles as large as measured times say. Their
/// predicted times are those of tiles by nominal rates: measured rates have
/// shown that tiles of these sizes take the same time. The blocks between an
/// old border and a new one run at the same time, as neighbours, so that links
/// to their pages have no other work beside them.
void LaunchPlanner::addCuts() {
  for (size_t I = 1, E = All.size(); I != E; ++I) {
    if (hasPrivateCopies(All[I].Tiles))
      continue;
    const auto Tiles = static_cast<unsigned>(All[I].Tiles.size());
    const unsigned Axis = All[I].Axis;
    const TileBalance *Balance = In.History->balance(Tiles, Axis);
    if (!Balance)
      continue;
    for (const TileCut *Cut : {&Balance->best(), &Balance->cut()}) {
      if (Cut->Number == 0 || All.back().Cut == Cut->Number)
        continue;
      SplitCandidate Moved = partitionAlong(Axis, Cut->Shares);
      if (Moved.WhyUnreachable != LaunchReason::None)
        continue;
      Moved.Cut = Cut->Number;
      const double Factor =
          All[I].SecondsInPlace / std::max(Moved.SecondsInPlace, 1e-9);
      for (double *Seconds : {&Moved.Seconds, &Moved.SecondsRepeated,
                              &Moved.SecondsWithoutReplicas,
                              &Moved.SecondsMoved, &Moved.SecondsInPlace})
        *Seconds *= Factor;
      for (double *Seconds : {&Moved.Seconds, &Moved.SecondsRepeated,
                              &Moved.SecondsWithoutReplicas})
        *Seconds += Moved.AfarSeconds;
      All.push_back(std::move(Moved));
    }
  }
}

/// Returns the best partition, as it is and with private copies of what the
/// launch reduces into, if it may have some.
std::vector<SplitCandidate> LaunchPlanner::waysOver(unsigned Devices) const {
  std::vector<SplitCandidate> Out;
  Out.push_back(bestOver(Devices));
  const SplitCandidate &Best = Out.front();
  if (Best.WhyUnreachable != LaunchReason::None ||
      In.Privates == PrivateCopyUse::Never ||
      !(Kernel.Flags & GridspanHasAtomics))
    return Out;
  SplitCandidate Private =
      evaluateSplitCandidate(In, System, Best.Axis, Best.Boxes, true);
  if (!hasPrivateCopies(Private.Tiles))
    return Out;
  if (In.Privates == PrivateCopyUse::Always)
    Out.clear();
  Out.push_back(std::move(Private));
  return Out;
}

//===--- Consequences ---------------------------------------------------===//

/// Returns true if a split could pay, so that small launches need not look for
/// the best one. It takes the fan-out at least, and each device's share of what
/// the launch takes with its pages in place, as long as launches like it were
/// measured to take.
bool LaunchPlanner::couldPay() const {
  if (In.History && In.History->isAnySplitTimed())
    return true;
  const SplitCandidate &Unsplit = All.front();
  double Factor = 1;
  if (In.History && Unsplit.SecondsInPlace > 0)
    Factor = estimateSeconds(*In.History, optionInPlace(Unsplit, IsWorkKnown)) /
             Unsplit.SecondsInPlace;
  Factor = std::max(Factor, 1.0);
  const unsigned Most = System.numDevices();
  if (System.FanOutSeconds.size() <= Most)
    return true;
  for (unsigned Devices = 2; Devices <= Most; ++Devices)
    if (isClearlyLess(System.FanOutSeconds[Devices] +
                          Factor * Unsplit.SecondsInPlace / Devices,
                      Factor * Unsplit.Seconds))
      return true;
  return false;
}

//===--- Packets --------------------------------------------------------===//

/// Returns true if every device reaches whatever a block may touch, and no
/// memory is a device's own.
bool LaunchPlanner::mayHandOut(const SplitCandidate &C) const {
  return System.allReachAll() && !hasPrivateCopies(C.Tiles) &&
         std::all_of(C.Tiles.begin(), C.Tiles.end(),
                     [](const TilePlan &T) { return T.Copies.empty(); });
}

/// The least imbalance, as a share, that handing out may pay for, and the least
/// time of a launch.
static constexpr double LeastUnrest = 0.05;
static constexpr double LeastToHandOut = 1e-3;

/// Returns true if the cut has come to rest, and launches still are out of
/// balance.
bool LaunchPlanner::isWorthHandingOut(const SplitCandidate &C,
                                      const Division &What) const {
  const TileBalance *Balance = In.History->balance(What.Devices, What.Axis);
  const DivisionRecord *Static = In.History->measured(What);
  return Balance && Static && What.Cut == Balance->best().Number &&
         !Balance->wantsTimes() && Balance->unrest() > LeastUnrest &&
         Static->seconds() >= LeastToHandOut && mayHandOut(C);
}

/// The seconds that a packet lasts at least, some ten times what it takes to
/// hand it out; and the most packets of a device.
static constexpr double LeastPacketSeconds = 1e-4;
static constexpr unsigned MostPackets = 32;
static constexpr unsigned LeastPackets = 4;

/// Seconds: what the launch takes, or 0.
PacketPlan LaunchPlanner::packets(const SplitCandidate &C, double StaticShare,
                                  double Seconds) const {
  const auto Devices = static_cast<double>(C.Tiles.size());
  double Length = 0, Across = 1;
  uint64_t Threads = 1;
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    Threads *= In.Box.BlockDim[Axis];
    if (Axis != C.Axis)
      Across *= C.Tiles[0].Count[Axis];
  }
  for (const TilePlan &Tile : C.Tiles)
    Length += Tile.Count[C.Axis];
  // As many as the device holds at one time, where there are enough.
  const double Held = System.Devices[0].residentBlocks(Threads) / Across;
  double Least = std::max(std::min(Held, Length / Devices / LeastPackets),
                          Length / Devices / MostPackets);
  if (Seconds > 0)
    Least = std::max(Least, Length / Devices * LeastPacketSeconds / Seconds);
  Least = std::clamp(std::ceil(Least), 1.0, Length);
  return {StaticShare, static_cast<uint32_t>(Least)};
}

/// Hands the blocks of a split launch out, if the user asks for it.
void LaunchPlanner::planPackets(Schedule Schedule, const SplitCandidate &C,
                                Plan &Out) const {
  if ((Schedule != Schedule::Dynamic && Schedule != Schedule::Hybrid) ||
      !Out.isSplit())
    return;
  if (!mayHandOut(C)) {
    Out.WhyStatic = hasPrivateCopies(C.Tiles)
                        ? LaunchReason::PacketsNeedOneMemory
                        : LaunchReason::PacketsNeedPeerAccess;
    return;
  }
  Out.Packets =
      packets(C, Schedule == Schedule::Hybrid ? In.StaticShare : 0, 0);
}

//===--- Times ----------------------------------------------------------===//

/// The share of a tile that is surely run by its device, by the unrest of the
/// tiles.
static double staticShare(double Unrest) {
  return std::clamp(1 - 2 * Unrest, 0.25, 0.9);
}

/// Chooses the way of a launch like which none was measured. Returns why it is
/// not split.
LaunchReason LaunchPlanner::guess(const std::vector<DivisionOption> &Options,
                                  Plan &Out) {
  const FirstGuess Guess = guessDivision(*In.History, Options, IsWorkKnown,
                                         System.FirstSplitSeconds);
  Chosen = Guess.Index;
  Out.NeedsReplicas &= Chosen != 0;
  // Times of the first launches are worth waiting for.
  Out.WantsTry = true;
  switch (Guess.Why) {
  case FirstGuess::WorkUnknown:
    Wanted = 0;
    return LaunchReason::WorkUnknown;
  case FirstGuess::TooFewLaunches:
    return LaunchReason::TooFewLaunches;
  case FirstGuess::Fastest:
    break;
  }
  return LaunchReason::DoesNotPay;
}

/// Finds the way that would be fastest with its pages in place, and what a
/// launch loses by the one that runs.
void LaunchPlanner::wantByTimes(const DivisionOption &Now, bool IsSure) {
  const LaunchHistory &History = *In.History;
  Wanted = Chosen;
  double Best = estimateSeconds(History, optionInPlace(All[Chosen], IsSure));
  for (size_t I = 0; I != All.size(); ++I)
    if (const double Seconds =
            estimateSeconds(History, optionInPlace(All[I], IsSure));
        isClearlyLess(Seconds, Best)) {
      Wanted = I;
      Best = Seconds;
    }
  const double Lost = std::max(0.0, estimateSeconds(History, Now) - Best);
  if (Wanted != Chosen || History.measured(Now.What))
    MeasuredLoss = WayLoss{Lost, Lost};
}

/// Chooses again, by what launches like this one took.
void LaunchPlanner::chooseByTimes(Plan &Out) {
  const LaunchHistory &History = *In.History;
  addCuts();
  LaunchReason WhyNotYet = LaunchReason::DoesNotPay;
  std::vector<DivisionOption> Options;
  bool AllSure = true;
  for (size_t I = 0; I != All.size(); ++I) {
    const bool IsSure = I == 0 || isSureOf(In, All[I]);
    Options.push_back(optionAsIs(All[I], IsSure));
    AllSure &= IsSure;
  }
  Options[0].IsSure = AllSure;
  // The candidates that the further options hand out.
  std::vector<size_t> HandedOut;
  for (size_t I = 1, E = All.size(); I != E; ++I)
    if (isWorthHandingOut(All[I], Options[I].What)) {
      DivisionOption Dynamic = Options[I];
      Dynamic.What.IsDynamic = true;
      Options.push_back(Dynamic);
      HandedOut.push_back(I);
    }
  const bool IsMeasured =
      std::any_of(History.Records.begin(), History.Records.end(),
                  [](const DivisionRecord &R) { return R.isMeasured(); });
  size_t Option = 0;
  if (IsMeasured) {
    const DivisionChoice Choice =
        chooseDivision(History, Options, Chosen, System.FirstSplitSeconds);
    Option = Choice.Index;
    Chosen = Option < All.size() ? Option : HandedOut[Option - All.size()];
    Out.IsTry = Choice.IsTry;
    Out.WantsTry = Choice.WantsTry;
    Out.NeedsReplicas &= Chosen != 0;
  } else if (All.size() > 1) {
    WhyNotYet = guess(Options, Out);
    Option = Chosen;
  }
  Out.SavesByTimes = IsMeasured || History.RatioElsewhere > 0;
  Out.Saves = estimateSeconds(History, Options[0]) -
              estimateSeconds(History, Options[Option]);
  if (Out.SavesByTimes)
    wantByTimes(Options[Option], AllSure);
  if (All.size() > 1)
    Out.WhyUnsplit = Chosen != 0                 ? LaunchReason::None
                     : History.isAnySplitTimed() ? LaunchReason::MeasuredSlower
                                                 : WhyNotYet;
  Out.IsByGuess = All.size() == 1 &&
                  Out.WhyUnsplit == LaunchReason::DoesNotPay && !IsWorkKnown &&
                  History.RatioElsewhere <= 0 && !History.measured(Division());
  if (All.size() > 1 || Options[Option].What.IsSpread || Out.IsByGuess ||
      In.WhyUnsplit == LaunchReason::DevicesNotOpen) {
    Out.Timed = Options[Option].What;
    Out.PredictedTime = Options[Option].Predicted;
    Out.FixedTime = Options[Option].Fixed;
    Out.Size = All[0].SecondsInPlace + LaunchSeconds;
    Out.Shares = workShares(In, All[Chosen]);
    const TileBalance *Balance =
        History.balance(Out.Timed->Devices, Out.Timed->Axis);
    Out.WantsTimes = Balance && !Out.Timed->HasPrivates &&
                     Balance->wantsTimes() &&
                     Balance->cut().Number == Out.Timed->Cut;
    if (Out.Timed->IsDynamic) {
      Division Static = *Out.Timed;
      Static.IsDynamic = false;
      Out.Packets = packets(All[Chosen], staticShare(Balance->unrest()),
                            History.measured(Static)->seconds());
    }
  }
}

/// Returns what the launch loses by running as it does; nothing if its own
/// remote accesses say that.
std::optional<WayLoss> LaunchPlanner::loss() const {
  if (MeasuredLoss || Wanted == Chosen)
    return MeasuredLoss;
  const double Moved = All[Wanted].SecondsMoved;
  return WayLoss{std::max(0.0, All[Chosen].Seconds - Moved),
                 std::max(0.0, All[Chosen].SecondsRepeated - Moved)};
}

/// Returns the seconds that moves may take for the wanted way, which are not
/// bounded if it was measured with its pages in place, or nobody measures.
double LaunchPlanner::moveBudget() const {
  if (!In.History)
    return INFINITY;
  const LaunchHistory &History = *In.History;
  if (History.measured(optionInPlace(All[Wanted], true).What))
    return INFINITY;
  return allowedToLose(History) - History.MoveSeconds - History.MovesElsewhere;
}

Plan LaunchPlanner::run(Schedule Schedule) {
  Plan Out;
  Out.WhyUnsplit = whyNotSplit(In, System, Schedule);
  const uint64_t Guesses = __gridspan_range_guesses();
  All.push_back(unsplit());
  IsWorkKnown = !(Kernel.Flags & GridspanWorkIsGuess) &&
                __gridspan_range_guesses() == Guesses;
  if (Out.WhyUnsplit == LaunchReason::None) {
    const double Unsplit = All[0].Seconds,
                 UnsplitInPlace = All[0].SecondsInPlace;
    const unsigned Most = System.numDevices();
    const unsigned Least = splitsAll(Schedule) ? Most : 2;
    Out.WhyUnsplit = LaunchReason::DoesNotPay;
    const bool Search = splitsAll(Schedule) || couldPay();
    LaunchReason WhyUnreachable = LaunchReason::None;
    for (unsigned Devices = Least; Search && Devices <= Most; ++Devices)
      for (SplitCandidate &C : waysOver(Devices)) {
        if (C.WhyUnreachable != LaunchReason::None) {
          WhyUnreachable = C.WhyUnreachable;
          continue;
        }
        const bool IsFaster = Chosen == 0 || C.Seconds < All[Chosen].Seconds;
        const bool Pays = isClearlyLess(C.Seconds, Unsplit) && IsFaster;
        if (Pays || (splitsAll(Schedule) && IsFaster)) {
          Out.WhyUnsplit = LaunchReason::None;
          Out.NeedsReplicas =
              Pays && !isClearlyLess(C.SecondsWithoutReplicas, Unsplit);
          Out.MayImprove =
              !isClearlyLess(C.SecondsWithoutReplicas, UnsplitInPlace);
          Chosen = All.size();
        }
        All.push_back(std::move(C));
      }
    if (All.size() == 1 && Search)
      Out.WhyUnsplit = WhyUnreachable;
    Wanted = Chosen;
    if (Schedule == Schedule::Auto)
      for (size_t I = 0; I < All.size(); ++I) {
        Out.MayImprove |=
            isClearlyLess(All[I].SecondsInPlace, All[Chosen].Seconds);
        if (isClearlyLess(All[I].SecondsMoved, All[Wanted].SecondsMoved))
          Wanted = I;
      }
    else
      Out.MayImprove = false;
  }
  Out.Saves = All[0].Seconds - All[Chosen].Seconds;
  if (In.History && Schedule == Schedule::Auto)
    chooseByTimes(Out);
  const SplitCandidate &C = All[Chosen];
  Out.Tiles = C.Tiles;
  Out.Axis = C.Axis;
  std::copy_n(C.Boxes.front().GridDim, 3, Out.Grid.begin());
  Out.UnknownRanges = C.UnknownRanges;
  Out.PredictedSeconds = C.Seconds;
  planPackets(Schedule, C, Out);
  addWrites(In, Out);
  noteOutside(C, Out);
  for (size_t A = 0; A < C.AtHome.size(); ++A)
    Out.Effects[A].AtHome = C.AtHome[A];
  if (!Out.IsTry)
    planMigration(In, System, All[Wanted], loss(), moveBudget(), Out);
  return Out;
}

Plan planLaunch(const PlanInput &Input, const SystemInfo &System,
                Schedule Schedule) {
  return LaunchPlanner(Input, System).run(Schedule);
}

} // namespace gridspan
