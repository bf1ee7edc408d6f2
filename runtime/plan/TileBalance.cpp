//===- TileBalance.cpp - Where to cut a grid, by measured rates -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device that did the share s of the work in t seconds has the rate s / t. If
// the cost of blocks is what predictions say, up to a factor for each device,
// shares in proportion to the rates let all tiles end at the same time. Else
// the rates change with the cut, and the next times correct it: a fixed point
// is where all tiles take the same time, whatever a block costs.
//
// Each step goes Gain of the way to these shares. The cut that is best so far,
// by the time of its slowest tile, is kept. A step that is no better goes back
// and halves the gain, so that a border within a few very expensive blocks,
// which a full step jumps over, is still found. After MostFailures such steps
// in a row the best cut stays. Times are medians of LeastTimes launches or
// more.
//
// Equal devices keep equal tiles: an imbalance is corrected only if it is more
// than DeadBand, more than what the times differ by among themselves, and more
// than LeastGainSeconds. Moved cuts leave pages and replicas behind, which cost
// more than that; they follow by the rule of PageMigration.
//
// A cut that has settled is watched by the launches that are timed anyway. One
// with another imbalance than it settled with has some more launches timed. If
// nothing comes of it the next such surprise is ignored, then the next 2, 4 and
// so on, so that noise does not cost a program more than a vanishing share.
//
// A cut promises its time without the imbalance, by the share of such promises
// that its steps have kept. Where a tile is slow for another reason than its
// size, the promise is soon none.
//
// Bound: a step is made when the launches at the present cut have lost to
// imbalance as much as LeastTimes launches after the step may lose at most, if
// no block costs more than WorstDensity times the mean of its tile. So the
// steps that fail lose no more than the imbalance has (the ski rental problem),
// which DivisionChoice counts as part of the first guess.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/TileBalance.h"
#include "runtime/plan/LaunchHistory.h"
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace gridspan {

/// The seconds by launch that a move must promise.
static constexpr double LeastGainSeconds = 2e-6;
/// The share by which a cut must be faster to be better.
static constexpr double LeastBetter = 0.01;
/// A trial that takes this many times as long as the best cut ends at once.
static constexpr double ClearlyWorse = 1.25;
static constexpr unsigned TimesIfClear = 2;
/// An imbalance that no more times are needed for.
static constexpr double ClearImbalance = 0.25;
static constexpr unsigned MostFailures = 4;
/// The cost of the blocks at a border, by the mean of their tile, that a step
/// is prepared for.
static constexpr double WorstDensity = 4;
/// The least share that a step leaves to a tile, of its share before.
static constexpr double LeastRest = 0.05;
static constexpr unsigned LongestPause = 64;

static double median(std::vector<double> Values) {
  assert(!Values.empty() && "there is a value");
  const auto Middle =
      Values.begin() + static_cast<std::ptrdiff_t>((Values.size() - 1) / 2);
  std::nth_element(Values.begin(), Middle, Values.end());
  return *Middle;
}

static double sum(const std::vector<double> &Values) {
  return std::accumulate(Values.begin(), Values.end(), 0.0);
}

/// Returns what each tile would take if all took the same.
static double balancedTime(const std::vector<double> &Tiles,
                           const std::vector<double> &Shares) {
  double Rate = 0;
  for (size_t I = 0, E = Tiles.size(); I != E; ++I)
    Rate += Shares[I] / Tiles[I];
  return sum(Shares) / Rate;
}

TileBalance::Summary
TileBalance::summarize(const std::vector<Sample> &Samples) {
  assert(!Samples.empty() && "there is a sample");
  Summary Out;
  Out.Shares = Samples.back().Shares;
  for (size_t I = 0, E = Out.Shares.size(); I != E; ++I) {
    std::vector<double> Times, Parts;
    for (const Sample &S : Samples) {
      Times.push_back(S.Tiles[I]);
      Parts.push_back(S.Tiles[I] / sum(S.Tiles));
    }
    Out.Tiles.push_back(median(std::move(Times)));
    const auto [Least, Most] = std::minmax_element(Parts.begin(), Parts.end());
    Out.Noise = std::max(Out.Noise, (*Most - *Least) / 2 / median(Parts));
  }
  Out.Slowest = *std::max_element(Out.Tiles.begin(), Out.Tiles.end());
  Out.Balanced = balancedTime(Out.Tiles, Out.Shares);
  return Out;
}

double TileBalance::imbalance() const {
  return Samples.empty() ? 0 : summarize(Samples).imbalance();
}

double TileBalance::unrest() const {
  if (Samples.empty())
    return 0;
  const Summary Now = summarize(Samples);
  return std::max(Now.imbalance(), Now.Noise);
}

double TileBalance::promise() const {
  const std::vector<Sample> &Of = IsTrial ? BestSamples : Samples;
  if (IsSettled || Of.empty())
    return 1;
  const double Imbalance = summarize(Of).imbalance();
  return 1 - Trust * (1 - 1 / (1 + Imbalance));
}

//===--- Steps ----------------------------------------------------------===//

/// Returns the shares after a step.
std::vector<double> TileBalance::nextShares(const Summary &Now) const {
  std::vector<double> Out;
  for (size_t I = 0, E = Now.Tiles.size(); I != E; ++I) {
    const double Full = Now.Balanced * Now.Shares[I] / Now.Tiles[I];
    const double Part = Now.Shares[I] + Gain * (Full - Now.Shares[I]);
    Out.push_back(std::max(Part, LeastRest * Now.Shares[I]));
  }
  const double Sum = sum(Out);
  for (double &Share : Out)
    Share /= Sum;
  return Out;
}

/// Returns true if launches have lost as much as the step may.
bool TileBalance::isAffordable(const Summary &Now,
                               const std::vector<double> &Next) const {
  double Worst = Now.Slowest;
  for (size_t I = 0, E = Next.size(); I != E; ++I) {
    const double Growth = Next[I] / Now.Shares[I] - 1;
    Worst = std::max(Worst, Now.Tiles[I] * (1 + WorstDensity * Growth));
  }
  return static_cast<double>(NumSamples) * (Now.Slowest - Now.Balanced) >=
         LeastTimes * (Worst - Now.Slowest);
}

void TileBalance::tryCut(std::vector<double> Shares) {
  Best = std::move(Present);
  BestSamples = std::move(Samples);
  IsTrial = true;
  Present = {++LastNumber, std::move(Shares)};
  Samples.clear();
  NumSamples = 0;
  ++Revision;
}

void TileBalance::settle() {
  IsSettled = true;
  SettledAt = imbalance();
  const bool IsInVain = WasSurprised && !HasMoved;
  Pause = IsInVain ? std::clamp(2 * Pause, 1U, LongestPause) : 0;
  Ignored = Pause;
  ++Revision;
}

/// Steps on from the present cut, the best so far, or settles there.
void TileBalance::improve(const Summary &Now) {
  const double Size = Samples.back().Size;
  const bool IsMore = Now.imbalance() > DeadBand &&
                      (Now.Slowest - Now.Balanced) * Size > LeastGainSeconds;
  const bool IsClear = Now.imbalance() > Now.Noise;
  if (IsMore && !IsClear && Samples.size() < NumTimes)
    return;
  if (!IsMore || !IsClear)
    return settle();
  if (std::vector<double> Next = nextShares(Now); isAffordable(Now, Next))
    tryCut(std::move(Next));
}

void TileBalance::judgeTrial(const Summary &Now) {
  const Summary Before = summarize(BestSamples);
  const bool IsClear = Now.Slowest > ClearlyWorse * Before.Slowest;
  if (Samples.size() < (IsClear ? TimesIfClear : LeastTimes))
    return;
  if (Now.Slowest < Before.Slowest * (1 - LeastBetter)) {
    IsTrial = false;
    HasMoved = true;
    Failures = 0;
    const double Kept = (Before.Slowest - Now.Slowest) /
                        (Gain * (Before.Slowest - Before.Balanced));
    Trust = std::clamp(Kept, Trust / 2, 1.0);
    return improve(Now);
  }
  IsTrial = false;
  Present = std::move(Best);
  Samples = std::move(BestSamples);
  // What the trial has lost, the imbalance has to lose again.
  NumSamples = 0;
  ++Failures;
  Gain /= 2;
  Trust /= 2;
  ++Revision;
  if (Failures == MostFailures)
    settle();
}

bool TileBalance::isClear(const Summary &Now) const {
  return Now.imbalance() > std::max(ClearImbalance, 2 * Now.Noise);
}

void TileBalance::judge() {
  if (IsTrial)
    judgeTrial(summarize(Samples));
  else if (const Summary Now = summarize(Samples);
           Samples.size() >= (isClear(Now) ? TimesIfClear : LeastTimes))
    improve(Now);
}

//===--- Times ----------------------------------------------------------===//

bool TileBalance::isSurprising(const Sample &New) const {
  const Summary Alone = summarize({New}), Known = summarize(Samples);
  return std::abs(Alone.imbalance() - SettledAt) >
         std::max(2 * DeadBand, 2 * Known.Noise);
}

void TileBalance::add(const LaunchTime &Time, unsigned Cut) {
  const auto IsTime = [](double Value) {
    return Value > 0 && std::isfinite(Value);
  };
  if (Cut != Present.Number || Time.ByDevice.size() != Devices ||
      Time.Shares.size() != Devices || !IsTime(Time.Size) ||
      !std::all_of(Time.ByDevice.begin(), Time.ByDevice.end(), IsTime) ||
      !std::all_of(Time.Shares.begin(), Time.Shares.end(), IsTime))
    return;
  Sample New = {Time.ByDevice, Time.Shares, Time.Size};
  for (double &Tile : New.Tiles)
    Tile /= Time.Size;
  if (IsSettled) {
    if (!isSurprising(New))
      return;
    if (Ignored) {
      --Ignored;
      return;
    }
    IsSettled = HasMoved = false;
    WasSurprised = true;
    Failures = 0;
    Gain = FirstGain;
    Trust = 1;
    Samples.clear();
    NumSamples = 0;
    ++Revision;
  }
  if (Samples.size() == NumTimes)
    Samples.erase(Samples.begin());
  Samples.push_back(std::move(New));
  ++NumSamples;
  judge();
}

} // namespace gridspan
