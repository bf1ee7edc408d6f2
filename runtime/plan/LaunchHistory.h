//===- LaunchHistory.h - Measured times of launches -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The times that similar launches of one kernel took, by the way they ran.
// Plain data: whoever times launches adds to it, and the planner reads a copy.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_LAUNCHHISTORY_H
#define GRIDSPAN_RUNTIME_PLAN_LAUNCHHISTORY_H

#include "runtime/plan/TileBalance.h"
#include <array>
#include <cstdint>
#include <vector>

namespace gridspan {

/// A way to run a launch that times are kept for.
struct Division {
  unsigned Devices = 1;
  unsigned Axis = 0; ///< 0 for one device
  /// True if it would be faster with its pages elsewhere.
  bool IsSpread = false;
  unsigned Cut = 0;       ///< TileCut::Number
  bool IsDynamic = false; ///< Plan::Packets
  /// True if tiles reduce into private copies.
  bool HasPrivates = false;
  bool operator==(const Division &) const = default;
};

/// The time of one launch.
struct LaunchTime {
  /// The seconds from the end of what the program's stream held before to the
  /// end of the launch on all devices.
  double Seconds = 0;
  /// The prediction for it; above 0.
  double Predicted = 0;
  /// The seconds of each tile's kernel, one for each device; none if unsplit.
  std::vector<double> ByDevice = {};
  /// The shares of the work that they had.
  std::vector<double> Shares = {};
  /// The prediction for the unsplit launch, by which the launches of a class
  /// are compared with each other.
  double Size = 1;
  /// The seconds of Predicted that do not depend on the kernel.
  double Fixed = 0;
};

/// The times of one division.
class DivisionRecord {
public:
  /// The times that a median is of: an odd number, which ignores outliers, and
  /// few, so that it follows changes.
  static constexpr unsigned NumLast = 5;
  /// The times that are remembered.
  static constexpr unsigned NumKnown = 32;
  /// The least times for a division to count as measured: one may be an
  /// outlier.
  static constexpr unsigned LeastTimes = 2;

  explicit DivisionRecord(const Division &What) : What(What) {}

  Division What;
  uint64_t Launches = 0;
  /// The number of launches in the history when the last of them ran.
  uint64_t LastLaunch = 0;
  uint64_t Times = 0;
  uint64_t EarlierTimes = 0; ///< of Times, those of another process
  LaunchTime Last;           ///< that was not long by the others

  bool isMeasured() const { return Times >= LeastTimes; }
  void add(const LaunchTime &Time);
  /// Returns the seconds that a launch takes: the median of the last times, the
  /// lower one of two, or where they are unsteady the mean of all that are
  /// known. Precondition: there is a time.
  double seconds() const;
  /// Returns the same of measured by predicted seconds. Precondition: there is
  /// a time.
  double ratio() const;
  /// Returns the medians of the last times, which leave out what launches wait
  /// for now and then. Precondition: there is a time.
  double medianSeconds() const { return medianOf(Seconds); }
  double medianRatio() const { return medianOf(Ratios); }
  /// Returns true if launches again and again take a multiple of the median, as
  /// on a device that another program has in turns.
  bool isUnsteady() const { return Unsteady; }
  /// Returns true if the next launches are to tell whether they are unsteady.
  bool wantsTimes() const { return Watched > 0; }
  /// Forgets that they were unsteady, as that may be over.
  void forgetWaits();
  /// Returns the part of Ratio, one of the above, that is the kernel's own.
  /// Precondition: there is a time.
  double kernelPart(double Ratio) const;
  double kernelRatio() const { return kernelPart(ratio()); }
  /// Returns the seconds that all of the work would have taken the first
  /// device, by those of the launch. Precondition: there is a time of tiles.
  double unsplitShare() const;

private:
  using Values = std::array<double, NumKnown>;
  double medianOf(const Values &Of) const;
  bool isLong(double Ratio) const;
  bool areUnsteady() const;
  void watch(bool IsLong);

  Values Seconds = {}, Ratios = {};
  bool Unsteady = false;
  /// The times that are still wanted, and how many there are at least when more
  /// are wanted again.
  unsigned Watched = 0;
  uint64_t NextWatch = 0;
};

/// The times of a class of launches.
struct LaunchHistory {
  std::vector<DivisionRecord> Records;
  /// The cuts of those that are split.
  std::vector<TileBalance> Balances;
  uint64_t Launches = 0;
  /// Those of an earlier process.
  uint64_t EarlierLaunches = 0;
  /// The division of the last launch.
  Division Last;
  /// The seconds that moving pages took.
  double MoveSeconds = 0;
  /// What spentSeconds() and lostSeconds() have of cuts that were given up.
  double PastSeconds = 0, PastLost = 0;
  /// DivisionRecord::kernelRatio() of unsplit launches of the same kernel in
  /// other classes; 0 if there is none.
  double RatioElsewhere = 0;
  /// Sums over those other classes: spentSeconds(), lostSeconds() and
  /// MoveSeconds.
  double SpentElsewhere = 0, LostElsewhere = 0, MovesElsewhere = 0;

  const DivisionRecord *find(const Division &What) const;
  /// The same; null also if it is not measured.
  const DivisionRecord *measured(const Division &What) const;
  /// Counts a launch, and returns how many of its division there were with it.
  uint64_t count(const Division &What);
  void add(const Division &What, const LaunchTime &Time);
  /// Returns the cut of launches over so many devices along the axis; null if
  /// none was timed.
  const TileBalance *balance(unsigned Devices, unsigned Axis) const;

  /// Returns true if there is a time of a split.
  bool isAnySplitTimed() const;
  /// Returns true if an earlier process has timed splits: it ran long enough
  /// for that, as devices are opened late.
  bool wasSplitEarlier() const;
  /// Returns the seconds that the launches took, as far as they are measured,
  /// by medians: so that the past is not another one when times become
  /// unsteady.
  double spentSeconds() const;
  /// Returns the seconds that they would have saved had all run the fastest way
  /// that is measured, and no page been moved; by medians as well.
  double lostSeconds() const;

private:
  DivisionRecord &record(const Division &What);
  void forgetCuts(const TileBalance &Of);
  /// Returns the time of the fastest way that is measured; 0 if none is.
  double fastestSeconds() const;
};

/// Returns true if the Number-th launch of a division is to be timed: the 2nd
/// to 4th, the 8th and so on to the 256th, and every 256th, or every 8th to
/// 128th of launches that are predicted to take long enough. The first one pays
/// for what is loaded and made on first use, which matters little if it is
/// predicted to take long.
bool isTimed(uint64_t Number, double Predicted = 0);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_LAUNCHHISTORY_H
