//===- TileBalance.h - Where to cut a grid, by measured rates ---*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Learns the share of a launch's work that each device should have, from the
// times that its tiles took. Pure: times in, shares out. It measures nothing
// itself and keeps no clock.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_TILEBALANCE_H
#define GRIDSPAN_RUNTIME_PLAN_TILEBALANCE_H

#include <cstdint>
#include <utility>
#include <vector>

namespace gridspan {

struct LaunchTime;

/// The shares of the work that the tiles of a launch have.
struct TileCut {
  /// Tells cuts of one balance apart. 0: as the devices' nominal rates say.
  unsigned Number = 0;
  /// Above 0, in the order of the devices, their sum 1; none for Number 0.
  std::vector<double> Shares = {};
  bool operator==(const TileCut &) const = default;
};

/// The cut of the launches of one class, over some devices along one axis.
class TileBalance {
public:
  TileBalance(unsigned Devices, unsigned Axis) : Devices(Devices), Axis(Axis) {}
  /// Starts with the cut that another process had found.
  TileBalance(unsigned Devices, unsigned Axis, std::vector<double> Shares)
      : Devices(Devices), Axis(Axis), Present{1, std::move(Shares)},
        LastNumber(1) {}

  unsigned Devices;
  unsigned Axis;

  /// Adds the time of a launch with the cut of that number; one of another cut
  /// than cut() is ignored.
  void add(const LaunchTime &Time, unsigned Cut);

  /// Returns the cut that promises most: the best one, or one to be tried.
  const TileCut &cut() const { return Present; }
  /// Returns the best cut so far.
  const TileCut &best() const { return IsTrial ? Best : Present; }
  /// Returns true if the times of the next launches with cut() say where to
  /// cut.
  bool wantsTimes() const { return !IsSettled; }
  /// Returns the share of the best cut's time that a launch should take once
  /// the cut has settled; 1 if it has.
  double promise() const;
  /// Returns by how much more than on perfectly balanced devices the slowest
  /// tile took, as a share, at the median of the last times; 0 without times.
  double imbalance() const;
  /// Returns by how much a launch with cut() is likely to be out of balance, as
  /// a share: at the median, or by what the times differ; 0 without times.
  double unrest() const;
  /// Changes whenever cut() or wantsTimes() does.
  uint64_t revision() const { return Revision; }

  /// The times of a cut that are remembered, and those that a decision takes.
  static constexpr unsigned NumTimes = 5;
  static constexpr unsigned LeastTimes = 3;
  /// The imbalance that is not worth a move.
  static constexpr double DeadBand = 0.025;

private:
  /// The part of the way to the measured rates that the first step goes.
  static constexpr double FirstGain = 0.9;

  /// The times of a launch's tiles, by the launch's size, and the shares of the
  /// work that they really had.
  struct Sample {
    std::vector<double> Tiles;
    std::vector<double> Shares;
    double Size = 1;
  };
  /// The samples of a cut in one.
  struct Summary {
    std::vector<double> Tiles;  ///< medians
    std::vector<double> Shares; ///< of the last sample
    double Slowest = 0;         ///< of Tiles
    double Balanced = 0;        ///< what each would take at best
    double Noise = 0;           ///< of the tiles' part in the launch
    double imbalance() const { return Slowest / Balanced - 1; }
  };
  static Summary summarize(const std::vector<Sample> &Samples);

  bool isSurprising(const Sample &New) const;
  void judge();
  bool isClear(const Summary &Now) const;
  void judgeTrial(const Summary &Now);
  void improve(const Summary &Now);
  bool isAffordable(const Summary &Now, const std::vector<double> &Next) const;
  std::vector<double> nextShares(const Summary &Now) const;
  void tryCut(std::vector<double> Shares);
  void settle();

  TileCut Present;
  std::vector<Sample> Samples; ///< of Present, the last NumTimes
  uint64_t NumSamples = 0;     ///< of Present, since it became that
  bool IsSettled = false;

  /// The best cut so far, if Present is a trial of another one.
  bool IsTrial = false;
  TileCut Best;
  std::vector<Sample> BestSamples;

  double Gain = FirstGain; ///< of a step
  /// The share of what steps promise that they have kept lately.
  double Trust = 1;
  unsigned Failures = 0;   ///< trials in a row that were no better
  unsigned LastNumber = 0; ///< of all cuts so far
  double SettledAt = 0;    ///< the imbalance that it settled with
  /// The surprises that are ignored before the next look, and those left.
  unsigned Pause = 0, Ignored = 0;
  bool WasSurprised = false;
  bool HasMoved = false; ///< since the last surprise
  uint64_t Revision = 0;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_TILEBALANCE_H
