//===- LaunchHistory.cpp - Measured times of launches ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times are also kept as ratios to their predictions, since the launches of a
// class differ by up to a factor of two, and predictions know by how much.
//
// Timing is rare enough not to be seen: a timed launch costs a few microseconds
// more, and of N launches of a division at most 9 + N / 256 are timed, or more
// where they last so long that this is a quarter of a percent.
//
// A median does not see that one launch of five takes twenty times as long, as
// it does where another program has a device in turns of some milliseconds. So
// a time that is a multiple of the median has the next NumKnown launches timed;
// the next watch comes once there are twice as many times. If they become long
// LeastReturns times among the NumKnown that are known, and that makes the mean
// MuchMore than the median, the mean counts. A few outliers do not, nor does a
// change from one level to another, of which there is one return at most.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/LaunchHistory.h"
#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <numeric>

namespace gridspan {

static constexpr uint64_t MostBetweenTimes = 256;
static constexpr uint64_t LeastBetweenTimes = 8;
/// What a timed launch takes more, and the share of all that this may be.
static constexpr double TimingSeconds = 4e-6;
static constexpr double TimingShare = 0.0025;

/// A time of so many medians is long, and one of less than Short is not. Times
/// are unsteady if they become long so often, and take so much more by that.
static constexpr double Long = 3;
static constexpr double Short = 1.5;
static constexpr unsigned LeastReturns = 4;
static constexpr double MuchMore = 1.5;
/// The launches after which a way that was unsteady may no longer be.
static constexpr uint64_t WaitsLast = 64;

/// The least share of a time that is taken to be the kernel's own.
static constexpr double LeastKernelShare = 0.05;

/// The predicted seconds beside which loading a kernel's code is little.
static constexpr double LongLaunch = 0.02;

/// Returns how many launches there are from one time to the next.
static uint64_t betweenTimes(double Predicted) {
  const double Least =
      TimingSeconds / (TimingShare * std::max(Predicted, 1e-9));
  return std::bit_ceil(static_cast<uint64_t>(
      std::clamp(Least, double(LeastBetweenTimes), double(MostBetweenTimes))));
}

bool isTimed(uint64_t Number, double Predicted) {
  if (Number < 2)
    return Predicted >= LongLaunch;
  return Number <= 4 || Number % betweenTimes(Predicted) == 0 ||
         (Number < MostBetweenTimes && std::has_single_bit(Number));
}

/// Returns the lower median of the Count times before End.
static double
lowerMedian(const std::array<double, DivisionRecord::NumKnown> &Of,
            uint64_t End, uint64_t Count) {
  assert(Count > 0 && Count <= End && "there is a time");
  std::array<double, DivisionRecord::NumKnown> Last = {};
  for (uint64_t I = 0; I != Count; ++I)
    Last[I] = Of[(End - 1 - I) % Of.size()];
  const auto Middle = Last.begin() + static_cast<ptrdiff_t>((Count - 1) / 2);
  std::nth_element(Last.begin(), Middle,
                   Last.begin() + static_cast<ptrdiff_t>(Count));
  return *Middle;
}

double DivisionRecord::medianOf(const Values &Of) const {
  return lowerMedian(Of, Times, std::min<uint64_t>(Times, NumLast));
}

static double meanOf(const std::array<double, DivisionRecord::NumKnown> &Of) {
  return std::accumulate(Of.begin(), Of.end(), 0.0) /
         static_cast<double>(Of.size());
}

bool DivisionRecord::isLong(double Ratio) const {
  return Times > LeastTimes && Ratio > Long * medianOf(Ratios);
}

bool DivisionRecord::areUnsteady() const {
  if (Times < NumKnown)
    return false;
  const double Median = lowerMedian(Ratios, Times, NumKnown);
  if (meanOf(Ratios) < MuchMore * Median)
    return false;
  unsigned Returns = 0;
  bool WasLong = true;
  for (uint64_t I = Times - NumKnown; I != Times; ++I) {
    const double Ratio = Ratios[I % NumKnown] / Median;
    Returns += Ratio > Long && !WasLong;
    WasLong = Ratio > Long || (WasLong && Ratio > Short);
  }
  return Returns >= LeastReturns;
}

void DivisionRecord::watch(bool IsLong) {
  if (Watched) {
    if (--Watched == 0)
      NextWatch = 2 * Times;
  } else if (IsLong && Times >= NextWatch) {
    Watched = NumKnown;
  }
}

void DivisionRecord::add(const LaunchTime &Time) {
  assert(Time.Predicted > 0 && "times are compared with predictions");
  const double Ratio = Time.Seconds / Time.Predicted;
  const bool IsLong = isLong(Ratio);
  // What a tile took beside a launch that waited says nothing.
  if (!IsLong)
    Last = Time;
  Seconds[Times % NumKnown] = Time.Seconds;
  Ratios[Times % NumKnown] = Ratio;
  ++Times;
  watch(IsLong);
  Unsteady = areUnsteady();
}

void DivisionRecord::forgetWaits() {
  Seconds.fill(medianSeconds());
  Ratios.fill(medianRatio());
  Unsteady = false;
  Watched = 0;
  NextWatch = 0;
}

double DivisionRecord::seconds() const {
  return Unsteady ? meanOf(Seconds) : medianSeconds();
}

double DivisionRecord::ratio() const {
  return Unsteady ? meanOf(Ratios) : medianRatio();
}

double DivisionRecord::kernelPart(double Ratio) const {
  const double Measured = Ratio * Last.Predicted;
  // What is measured of a short launch may be less than what all take.
  return std::max(Measured - Last.Fixed, LeastKernelShare * Measured) /
         std::max(Last.Predicted - Last.Fixed,
                  LeastKernelShare * Last.Predicted);
}

double DivisionRecord::unsplitShare() const {
  assert(!Last.ByDevice.empty() && !Last.Shares.empty() &&
         "there is a time of tiles");
  return Last.ByDevice.front() / Last.Shares.front() / Last.Seconds;
}

const DivisionRecord *LaunchHistory::find(const Division &What) const {
  auto It =
      std::find_if(Records.begin(), Records.end(),
                   [&](const DivisionRecord &R) { return R.What == What; });
  return It == Records.end() ? nullptr : &*It;
}

const DivisionRecord *LaunchHistory::measured(const Division &What) const {
  const DivisionRecord *R = find(What);
  return R && R->isMeasured() ? R : nullptr;
}

DivisionRecord &LaunchHistory::record(const Division &What) {
  if (const DivisionRecord *R = find(What))
    return const_cast<DivisionRecord &>(*R);
  return Records.emplace_back(What);
}

uint64_t LaunchHistory::count(const Division &What) {
  DivisionRecord &R = record(What);
  if (R.isUnsteady() && Launches >= R.LastLaunch + WaitsLast)
    R.forgetWaits();
  R.LastLaunch = ++Launches;
  Last = What;
  return ++R.Launches;
}

void LaunchHistory::add(const Division &What, const LaunchTime &Time) {
  // It may have been of a cut that was given up.
  if (!find(What) && What.Cut)
    return;
  record(What).add(Time);
  // Tiles that reduce into private copies are cut evenly.
  if (Time.ByDevice.empty() || What.HasPrivates)
    return;
  auto It =
      std::find_if(Balances.begin(), Balances.end(), [&](const TileBalance &B) {
        return B.Devices == What.Devices && B.Axis == What.Axis;
      });
  if (It == Balances.end())
    It = Balances.emplace(It, What.Devices, What.Axis);
  const unsigned Before = It->cut().Number;
  It->add(Time, What.Cut);
  if (It->cut().Number != Before)
    forgetCuts(*It);
}

/// Forgets the records of cuts that no launch will have again.
void LaunchHistory::forgetCuts(const TileBalance &Of) {
  const double Best = fastestSeconds();
  std::erase_if(Records, [&](const DivisionRecord &R) {
    if (R.What.Devices != Of.Devices || R.What.Axis != Of.Axis ||
        R.What.Cut == 0 || R.What.Cut == Of.best().Number ||
        R.What.Cut == Of.cut().Number)
      return false;
    if (R.Times) {
      const double Seconds = static_cast<double>(R.Launches) * R.seconds();
      PastSeconds += Seconds;
      PastLost += std::max(0.0, Seconds - double(R.Launches) * Best);
    }
    return true;
  });
}

const TileBalance *LaunchHistory::balance(unsigned Devices,
                                          unsigned Axis) const {
  auto It =
      std::find_if(Balances.begin(), Balances.end(), [&](const TileBalance &B) {
        return B.Devices == Devices && B.Axis == Axis;
      });
  return It == Balances.end() ? nullptr : &*It;
}

bool LaunchHistory::isAnySplitTimed() const {
  return std::any_of(
      Records.begin(), Records.end(),
      [](const DivisionRecord &R) { return R.What.Devices > 1 && R.Times; });
}

bool LaunchHistory::wasSplitEarlier() const {
  return std::any_of(Records.begin(), Records.end(),
                     [](const DivisionRecord &R) {
                       return R.What.Devices > 1 && R.EarlierTimes != 0;
                     });
}

double LaunchHistory::spentSeconds() const {
  double Sum = MoveSeconds + PastSeconds;
  for (const DivisionRecord &R : Records)
    if (R.Times)
      Sum += static_cast<double>(R.Launches) * R.medianSeconds();
  return Sum;
}

double LaunchHistory::fastestSeconds() const {
  double Best = 0;
  for (const DivisionRecord &R : Records)
    if (R.isMeasured() && (Best == 0 || R.seconds() < Best))
      Best = R.seconds();
  return Best;
}

double LaunchHistory::lostSeconds() const {
  const double Best = fastestSeconds();
  double Sum = MoveSeconds + PastLost;
  for (const DivisionRecord &R : Records)
    if (R.isMeasured())
      Sum += static_cast<double>(R.Launches) *
             std::max(0.0, R.medianSeconds() - Best);
  return Sum;
}

} // namespace gridspan
