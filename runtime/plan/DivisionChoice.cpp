//===- DivisionChoice.cpp - How to run a launch, by what was --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A way that was measured takes the time of its prediction times the median of
// its ratios to it. One that was not takes its prediction times the ratio of
// the unsplit launch; or of a split one's first tile, where predictions know
// all that it accesses, since then both ratios are the kernel's own. Otherwise
// the tile's ratio says what remote accesses cost it, which the unsplit launch
// does not have, and the bare prediction counts. The tile of the first device
// bounds the unsplit launch, which runs there: it takes the tile's time by the
// tile's share of the work, or less, since none of its pages need be elsewhere.
//
// The fastest way that was measured runs. Another one is tried if it promises
// less than 1 - LeastGain of that, in TryLaunches launches, and only if
//
//   lost so far + TryLaunches * (worst - best) <= TryShare * spent + TrySeconds
//
// over all classes of the kernel's launches, or one whose sizes change would
// begin anew with each, where worst is what one launch of the try takes at
// most: for the unsplit one what the first tile says, and else WorstSure or
// WorstUnsure times the best; where all accesses are known also WorstPrediction
// times what the way promises, or the best if that is more: a way that promises
// a quarter of the best is tried at once. What is lost so far counts every
// launch that ran another way than the fastest, the first guess and moves of
// pages included.
//
// Bound: the right side grows with every launch, and the left side only by
// tries, each of which was checked before it began. So what tries lose is at
// most 5% of the kernel's time plus 1 ms, if no launch of a try takes longer
// than its worst; if one does, by that excess, once: no try follows until the
// time spent has made up for it. A first guess has nothing to be compared with.
// What it loses counts in full before anything else is tried, and what it may
// lose is held against what finding out costs: it is compared with the unsplit
// launch as soon as the time that the latter seems to have saved, by its bare
// prediction where that is uncertain, comes to the cost of the try. So a first
// guess loses at most what the comparison costs and one try more (the ski
// rental problem), or else less than 5% and 1 ms. So is a split whose pages are
// in place with an unsplit launch whose are not, and any way with the best that
// is left, where one that was faster is not to be had any more. Where pages
// must move for the comparison, PageMigration holds the same sum against the
// cost of moves.
// What launches lose that wait for a device now and then is seen later, and is
// not part of these sums, which are of medians (LaunchHistory.cpp).
//
// A first guess goes by predictions, times the kernel's ratio in other classes
// of launches if there is one. The first split takes FirstSplitSeconds more, so
// that one begins when the launches so far would have saved them: by it a
// program that launches a few short kernels never pays for a second device. And
// the unsplit launch is measured before, unless launches are so long that even
// these few are worth splitting, or pages are already where the split wants
// them and the unsplit launch does not: it would be slow for where they were
// put. Launches as long as that are also split without a try, if all accesses
// are known, once their devices are open: a first guess that was late. Where
// the work is not known, since a trip count comes from memory, the prediction
// is good for comparing splits with each other and for a ratio, and for nothing
// before: the launch is timed unsplit first.
//
// The cuts of a split (TileBalance) are ways of their own. One to be tried
// promises the time of the best one without its imbalance, until TileBalance
// has judged it: a cut that was left before would never be. Its launches are
// paid for by what the imbalance has lost, which TileBalance sees to while the
// split runs. While another way runs, they are paid for by the allowance, or by
// what that way has lost against the promise, as the comparison of a first
// guess is.
//
// Times change: a way that lost is tried again if its last launch was in the
// first half of all, within half of the allowance. One that lost as it had to
// wait for a device again and again takes its median again by then, if what
// NumKnown launches may wait is within half of the allowance.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/DivisionChoice.h"
#include "runtime/plan/Planner.h"
#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>

namespace gridspan {

/// The longest that a launch of a try takes, by the fastest way. Remote and
/// random accesses, or atomics of two devices on one counter, have taken up to
/// seven times as long as those on one device.
static constexpr double WorstSure = 2;
static constexpr double WorstUnsure = 8;
/// The longest that a launch of a try takes by its prediction, if all accesses
/// are known. Tiles of four devices with half of their pages elsewhere have
/// taken three times as long.
static constexpr double WorstPrediction = 4;
/// The longest that the unsplit launch takes, by what the first tile says.
static constexpr double WorstByTile = 1.25;
/// A way is not tried again if it took so many times as long as the fastest.
static constexpr double Hopeless = 2;
/// The seconds that handing out takes: threads, events, and the last packets.
static constexpr double HandOutSeconds = 1e-4;
/// A cut to be tried must promise so many times less than other ways.
static constexpr double CutMargin = 1.1;
/// Before the unsplit launch can be measured, a launch is split only if that
/// saves so many times what the first split takes.
static constexpr double SplitsAtOnce = 20;
/// A prediction of more seconds for one launch says that trip counts were
/// bounded by their types rather than by the program.
static constexpr double Incredible = 10;
/// The launches after which a way may be tried again at the earliest.
static constexpr uint64_t LeastPause = 64;

/// Returns the fastest measured split of the history; null if there is none.
static const DivisionRecord *fastestSplit(const LaunchHistory &History) {
  const DivisionRecord *Out = nullptr;
  for (const DivisionRecord &R : History.Records)
    if (R.What.Devices > 1 && R.isMeasured() && !R.Last.ByDevice.empty() &&
        (!Out || R.seconds() < Out->seconds()))
      Out = &R;
  return Out;
}

/// Returns the seconds that the unsplit launch takes by the first tile of a
/// measured split; nothing if that says nothing of the option.
static std::optional<double> secondsByTile(const LaunchHistory &History,
                                           const DivisionOption &Option) {
  if (Option.What.Devices > 1 || Option.What.IsSpread)
    return std::nullopt;
  const DivisionRecord *Split = fastestSplit(History);
  if (!Split || Split->Last.Shares.empty())
    return std::nullopt;
  return Split->medianSeconds() * Split->unsplitShare();
}

/// Returns what tries may lose beyond what is lost already.
static double allowance(const LaunchHistory &History) {
  return allowedToLose(History) - History.lostSeconds() - History.LostElsewhere;
}

/// Returns true if so many launches have run in other ways since that this one
/// may have changed.
static bool isLongUnused(const LaunchHistory &History,
                         const DivisionRecord &R) {
  return History.Launches >= 2 * R.LastLaunch + LeastPause;
}

/// Returns the ratio of measured to predicted seconds of a measured way. What
/// launches waited for devices long ago is left out.
static double presentRatio(const LaunchHistory &History,
                           const DivisionRecord &R) {
  const double Waits =
      DivisionRecord::NumKnown * (R.seconds() - R.medianSeconds());
  const bool IsOver = R.isUnsteady() && isLongUnused(History, R) &&
                      2 * Waits <= allowance(History);
  return IsOver ? R.medianRatio() : R.ratio();
}

/// Returns the ratio of measured to predicted seconds of the kernel's own part
/// of a way that was not measured.
static double kernelRatio(const LaunchHistory &History,
                          const DivisionOption &Option) {
  if (const DivisionRecord *Unsplit = History.measured({1, 0, false}))
    return Unsplit->kernelRatio();
  if (Option.IsSure)
    for (const DivisionRecord &R : History.Records)
      if (R.isMeasured() && !R.What.IsSpread && !R.Last.ByDevice.empty() &&
          !R.Last.Shares.empty() &&
          (Option.What.Devices == 1 ||
           R.What.HasPrivates == Option.What.HasPrivates))
        return R.medianRatio() * R.Last.ByDevice.front() / R.Last.Seconds /
               (R.Last.Shares.front() *
                static_cast<double>(R.Last.Shares.size())) *
               R.Last.Predicted / (R.Last.Predicted - R.Last.Fixed);
  return History.RatioElsewhere > 0 ? History.RatioElsewhere : 1;
}

static bool isSameSplit(const Division &L, const Division &R) {
  return L.Devices > 1 && L.Devices == R.Devices && L.Axis == R.Axis &&
         L.IsDynamic == R.IsDynamic && L.HasPrivates == R.HasPrivates;
}

/// Returns true if the way has a cut that TileBalance tries and has not judged.
static bool isOnTrial(const LaunchHistory &History, const Division &What) {
  const TileBalance *B = History.balance(What.Devices, What.Axis);
  return B && What.Cut && What.Cut == B->cut().Number &&
         What.Cut != B->best().Number;
}

/// Returns the record of a way whose times decide about it; null if there are
/// too few, or TileBalance has to judge them first.
static const DivisionRecord *judged(const LaunchHistory &History,
                                    const Division &What) {
  return isOnTrial(History, What) ? nullptr : History.measured(What);
}

/// Returns what handing blocks out promises, by the time of static tiles: that
/// all devices end at the same time.
static double secondsHandedOut(const LaunchHistory &History,
                               const DivisionOption &Option) {
  Division Static = Option.What;
  Static.IsDynamic = false;
  const DivisionRecord *R = History.measured(Static);
  const TileBalance *B = History.balance(Static.Devices, Static.Axis);
  if (!R || !B)
    return INFINITY;
  return Option.Predicted * R->ratio() / (1 + B->unrest()) + HandOutSeconds;
}

/// Returns what a cut to be tried promises, by the time of the best one so far.
static std::optional<double> secondsByOtherCut(const LaunchHistory &History,
                                               const DivisionOption &Option) {
  const Division &What = Option.What;
  const TileBalance *B = History.balance(What.Devices, What.Axis);
  if (!What.Cut || !B)
    return std::nullopt;
  const bool IsTrial = What.Cut != B->best().Number;
  const DivisionRecord *Known = nullptr;
  for (const DivisionRecord &R : History.Records)
    if (R.isMeasured() && isSameSplit(R.What, What) &&
        (!Known || R.What.Cut == B->best().Number))
      Known = &R;
  if (!Known)
    return std::nullopt;
  return Option.Predicted * Known->ratio() * (IsTrial ? B->promise() : 1);
}

double allowedToLose(const LaunchHistory &History) {
  return TryShare * (History.spentSeconds() + History.SpentElsewhere) +
         TrySeconds;
}

double estimateSeconds(const LaunchHistory &History,
                       const DivisionOption &Option) {
  if (const DivisionRecord *R = judged(History, Option.What))
    return Option.Predicted * presentRatio(History, *R);
  if (Option.What.IsDynamic)
    return secondsHandedOut(History, Option) + Option.Extra;
  if (const std::optional<double> ByCut = secondsByOtherCut(History, Option))
    return *ByCut + Option.Extra;
  double Ratio = kernelRatio(History, Option);
  // With its pages elsewhere it takes no less.
  Division InPlace = Option.What;
  InPlace.IsSpread = false;
  if (const DivisionRecord *R = History.measured(InPlace))
    Ratio = std::max(Ratio, R->kernelPart(presentRatio(History, *R)));
  double Seconds = Option.Fixed + (Option.Predicted - Option.Fixed) * Ratio;
  if (const std::optional<double> ByTile = secondsByTile(History, Option))
    Seconds = std::min(Seconds, *ByTile);
  return Seconds + Option.Extra;
}

static std::vector<double>
estimateAll(const LaunchHistory &History,
            std::span<const DivisionOption> Options) {
  std::vector<double> Out;
  for (const DivisionOption &O : Options)
    Out.push_back(estimateSeconds(History, O));
  return Out;
}

/// Returns the option that seems fastest where none is measured, by the seconds
/// of each. A split must be clearly faster.
static size_t fastestOf(const std::vector<double> &Seconds) {
  size_t Out = 0;
  for (size_t I = 1; I != Seconds.size(); ++I)
    if (isClearlyLess(Seconds[I], Seconds[Out]))
      Out = I;
  return Out;
}

namespace {

class Chooser {
public:
  Chooser(const LaunchHistory &History, std::span<const DivisionOption> Options,
          double FirstSplitSeconds)
      : History(History), Options(Options),
        FirstSplitSeconds(FirstSplitSeconds),
        Seconds(estimateAll(History, Options)), Allowance(allowance(History)) {}

  DivisionChoice choose(size_t Predicted) const;

private:
  bool isMeasured(size_t I) const { return judged(History, Options[I].What); }
  std::optional<size_t> fastestMeasured() const;
  bool promisesClearlyLess(size_t Cut) const;
  bool isPromising(size_t I, size_t Best) const;
  bool isFirstGuess(size_t I, size_t Best) const;
  bool isFasterGone(const DivisionRecord &Best) const;
  bool isAffordable(size_t I, size_t Best) const;
  bool isDueAgain(size_t I, size_t Best) const;

  const LaunchHistory &History;
  std::span<const DivisionOption> Options;
  double FirstSplitSeconds;
  std::vector<double> Seconds; ///< of each of Options
  double Allowance;
};

} // namespace

static bool wasSplitJudged(const LaunchHistory &History) {
  return std::any_of(History.Records.begin(), History.Records.end(),
                     [](const DivisionRecord &R) {
                       return R.What.Devices > 1 && R.isMeasured();
                     });
}

static bool wasSplit(const LaunchHistory &History) {
  return std::any_of(
      History.Records.begin(), History.Records.end(),
      [](const DivisionRecord &R) { return R.What.Devices > 1; });
}

/// Returns the fastest of the options that are measured; the one that ran last
/// where that is about as fast.
std::optional<size_t> Chooser::fastestMeasured() const {
  std::optional<size_t> Out;
  for (size_t I = 0; I != Options.size(); ++I)
    if (isMeasured(I) && (!Out || Seconds[I] < Seconds[*Out]))
      Out = I;
  for (size_t I = 0; Out && I != Options.size(); ++I)
    if (isMeasured(I) && Options[I].What == History.Last &&
        !isClearlyLess(Seconds[*Out], Seconds[I]))
      return I;
  return Out;
}

/// Returns true if a cut promises clearly less than all ways but its split's:
/// it keeps its promise after some steps only.
bool Chooser::promisesClearlyLess(size_t Cut) const {
  const Division &What = Options[Cut].What;
  for (size_t I = 0; I != Options.size(); ++I)
    if ((Options[I].What.Devices != What.Devices ||
         Options[I].What.Axis != What.Axis) &&
        Seconds[I] < CutMargin * Seconds[Cut])
      return false;
  return true;
}

bool Chooser::isPromising(size_t I, size_t Best) const {
  const bool IsCut = isSameSplit(Options[I].What, Options[Best].What);
  const double Least = IsCut ? TileBalance::DeadBand / 2 : LeastGain;
  if (isMeasured(I) || Seconds[I] >= Seconds[Best] * (1 - Least))
    return false;
  if (Options[I].What.Cut && !Options[I].What.IsDynamic &&
      !promisesClearlyLess(I))
    return false;
  // It may have been tried, and the times not be known yet, or never be.
  const DivisionRecord *R = History.find(Options[I].What);
  const unsigned Enough = isOnTrial(History, Options[I].What)
                              ? 1 + TileBalance::LeastTimes
                              : TryLaunches;
  return !R || R->Launches < Enough || History.Launches >= 8 * R->LastLaunch;
}

/// Returns true if I would have been the first guess, had its devices been open
/// then. They were where a first split costs nothing.
bool Chooser::isFirstGuess(size_t I, size_t Best) const {
  return FirstSplitSeconds > 0 && Options[I].What.Devices > 1 &&
         Options[Best].What.Devices == 1 && Options[I].IsSure &&
         !wasSplitJudged(History) &&
         Seconds[Best] - Seconds[I] >= SplitsAtOnce * FirstSplitSeconds;
}

/// Returns true if a way that was faster than the best that is left is no
/// option any more: pages have moved, for instance.
bool Chooser::isFasterGone(const DivisionRecord &Best) const {
  return std::any_of(History.Records.begin(), History.Records.end(),
                     [&](const DivisionRecord &R) {
                       return R.isMeasured() &&
                              isClearlyLess(R.seconds(), Best.seconds()) &&
                              std::none_of(Options.begin(), Options.end(),
                                           [&](const DivisionOption &O) {
                                             return O.What == R.What;
                                           });
                     });
}

/// Returns true if a try of I may begin or go on.
bool Chooser::isAffordable(size_t I, size_t Best) const {
  const DivisionOption &O = Options[I];
  if (isSameSplit(O.What, Options[Best].What) && O.What.Cut)
    return true; // TileBalance has seen to that
  double Worst = (O.IsSure ? WorstSure : WorstUnsure) * Seconds[Best];
  if (O.IsSure)
    Worst =
        std::min(Worst, std::max(WorstPrediction * Seconds[I], Seconds[Best]));
  if (const std::optional<double> ByTile = secondsByTile(History, O))
    Worst = std::min(Worst, WorstByTile * *ByTile);
  const DivisionRecord *Begun = History.find(O.What);
  const unsigned Left =
      TryLaunches -
      static_cast<unsigned>(Begun ? Begun->Launches % TryLaunches : 0);
  double Cost = Left * std::max(0.0, Worst - Seconds[Best]);
  if (!wasSplit(History) && O.What.Devices > 1)
    Cost += FirstSplitSeconds;
  if (Cost <= Allowance || isFirstGuess(I, Best))
    return true;
  // The first guess, or where pages were put, seems to have lost more already.
  const DivisionRecord *Guess = History.measured(Options[Best].What);
  assert(Guess && "tries are compared with times");
  const Division &Now = Options[Best].What;
  const bool IsUnsplit = O.What.Devices == 1 && Now.Devices > 1;
  const bool IsWherePagesAre = Now.IsSpread && !O.What.IsSpread;
  return (IsUnsplit || IsWherePagesAre || O.What.Cut || isFasterGone(*Guess)) &&
         static_cast<double>(Guess->Launches) * (Seconds[Best] - Seconds[I]) >=
             Cost;
}

/// Returns true if I, which lost, is to be tried again.
bool Chooser::isDueAgain(size_t I, size_t Best) const {
  const DivisionRecord *R = History.measured(Options[I].What);
  if (!R || I == Best || isSameSplit(Options[I].What, Options[Best].What) ||
      Seconds[I] >= Hopeless * Seconds[Best])
    return false;
  if (!isLongUnused(History, *R))
    return false;
  return TryLaunches * (Hopeless - 1) * Seconds[Best] <=
         Allowance - TryShare / 2 * History.spentSeconds() - TrySeconds;
}

DivisionChoice Chooser::choose(size_t Predicted) const {
  const std::optional<size_t> Best = fastestMeasured();
  if (!Best) {
    const bool IsKnown =
        std::any_of(History.Records.begin(), History.Records.end(),
                    [](const DivisionRecord &R) { return R.isMeasured(); });
    return {IsKnown ? fastestOf(Seconds) : Predicted};
  }
  DivisionChoice Out = {*Best};
  for (size_t I = 0; I != Options.size(); ++I) {
    if (isDueAgain(I, *Best))
      return {I, true};
    if (!isPromising(I, *Best))
      continue;
    if (!isAffordable(I, *Best))
      Out.WantsTry = true;
    else if (!Out.IsTry || Seconds[I] < Seconds[Out.Index])
      Out = {I, true, Out.WantsTry};
  }
  return Out;
}

DivisionChoice chooseDivision(const LaunchHistory &History,
                              std::span<const DivisionOption> Options,
                              size_t Predicted, double FirstSplitSeconds) {
  assert(Predicted < Options.size() && "one of the options");
  return Chooser(History, Options, FirstSplitSeconds).choose(Predicted);
}

FirstGuess guessDivision(const LaunchHistory &History,
                         std::span<const DivisionOption> Options,
                         bool IsWorkKnown, double FirstSplitSeconds) {
  const std::vector<double> Seconds = estimateAll(History, Options);
  const size_t Fastest = fastestOf(Seconds);
  if (Options[Fastest].What.Devices == 1)
    return {Fastest, FirstGuess::Fastest};
  if ((!IsWorkKnown || Seconds[0] > Incredible) && History.RatioElsewhere <= 0)
    return {0, FirstGuess::WorkUnknown};
  const double Saved = Seconds[0] - Seconds[Fastest];
  const double SoFar = static_cast<double>(History.Launches + 1) * Saved;
  // What the unsplit launch takes where pages are says little of the kernel.
  const bool ArePagesForIt = Options[Fastest].IsSure &&
                             Options[0].What.IsSpread &&
                             !Options[Fastest].What.IsSpread;
  if (!wasSplit(History) &&
      (SoFar < FirstSplitSeconds ||
       (History.Launches < TryLaunches && !ArePagesForIt &&
        SoFar < SplitsAtOnce * FirstSplitSeconds)))
    return {0, FirstGuess::TooFewLaunches};
  return {Fastest, FirstGuess::Fastest};
}

} // namespace gridspan
