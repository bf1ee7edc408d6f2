//===- Planner.cpp - Decide how a launch runs -----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The candidates are the unsplit launch on device 0 and, for each number of
// devices, one partition along each axis. The axis is the one with the least
// remote bytes, the number of devices the one with the least predicted time as
// pages are. What would be faster if they had moved is what they move for.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Planner.h"
#include "runtime/plan/ArgumentOverlap.h"
#include "runtime/plan/GridExtension.h"
#include "runtime/plan/PageMigration.h"
#include "runtime/plan/SplitLegality.h"
#include "runtime/plan/TileCopies.h"
#include "runtime/plan/TilePartition.h"
#include <algorithm>

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
  SplitCandidate partitionAlong(unsigned Axis, unsigned Devices) const;
  SplitCandidate bestOver(unsigned Devices) const;
  bool couldPay(double UnsplitSeconds) const;
  void addWritten(const SplitCandidate &Chosen, Plan &Out) const;

  const PlanInput &In;
  const GridspanKernel &Kernel;
  const SystemInfo &System;
};

} // namespace

//===--- Candidates -----------------------------------------------------===//

SplitCandidate LaunchPlanner::partitionAlong(unsigned Axis,
                                             unsigned Devices) const {
  std::vector<double> Rates;
  for (unsigned I = 0; I < Devices; ++I)
    Rates.push_back(std::max(1.0, System.Devices[I].InstructionRate));
  const GridspanBox Extended = boxFor(Kernel, In.Box, Axis, Devices, System);
  const std::vector<uint32_t> Bounds =
      partitionTiles(Extended, Axis, Rates, Kernel.Work);
  std::vector<GridspanBox> Boxes;
  for (unsigned I = 0; I < Devices; ++I) {
    GridspanBox Box = Extended;
    Box.BlockLo[Axis] = Bounds[I];
    Box.BlockCount[Axis] = Bounds[I + 1] - Bounds[I];
    Boxes.push_back(Box);
  }
  return evaluateSplitCandidate(In, System, Axis, std::move(Boxes));
}

/// Returns the best partition for at most Devices devices: most tiles, then
/// reachable, then least remote bytes, then the outermost axis, which memory
/// usually follows.
SplitCandidate LaunchPlanner::bestOver(unsigned Devices) const {
  uint32_t Longest = 1;
  for (unsigned Axis = 0; Axis < 3; ++Axis)
    Longest = std::max(Longest, In.Box.BlockCount[Axis]);
  const unsigned Tiles = std::min<uint32_t>(Devices, Longest);
  std::vector<SplitCandidate> Found;
  for (int Axis = 2; Axis >= 0; --Axis)
    if (In.Box.BlockCount[Axis] >= Tiles)
      Found.push_back(partitionAlong(Axis, Tiles));
  return *std::min_element(
      Found.begin(), Found.end(),
      [](const SplitCandidate &L, const SplitCandidate &R) {
        if ((L.WhyUnreachable == LaunchReason::None) !=
            (R.WhyUnreachable == LaunchReason::None))
          return L.WhyUnreachable == LaunchReason::None;
        return L.RemoteBytes < R.RemoteBytes;
      });
}

//===--- Consequences ---------------------------------------------------===//

void LaunchPlanner::addWritten(const SplitCandidate &Chosen, Plan &Out) const {
  for (unsigned A = 0; A < In.Allocations.size(); ++A)
    if (std::any_of(Chosen.Tiles.begin(), Chosen.Tiles.end(),
                    [&](const TilePlan &T) { return tileCopy(T, A); }))
      for (const TilePlan &Tile : Chosen.Tiles)
        Out.Effects[A].WrittenBy.push_back(
            spansOf(Chosen.Touched[Tile.Device][A].Writes));
}

static bool pays(double SplitSeconds, double UnsplitSeconds) {
  return SplitSeconds < UnsplitSeconds * (1 - LeastGain);
}

/// Returns true if a split could pay. It takes the fan-out at least, so that
/// small launches need not look for the best one.
bool LaunchPlanner::couldPay(double UnsplitSeconds) const {
  return System.FanOutSeconds.size() <= 2 ||
         pays(System.FanOutSeconds[2], UnsplitSeconds);
}

Plan LaunchPlanner::run(Schedule Schedule) {
  Plan Out;
  Out.WhyUnsplit = whyNotSplit(In, System, Schedule);
  std::vector<SplitCandidate> All;
  All.push_back(unsplit());
  size_t Chosen = 0, Wanted = 0;
  if (Out.WhyUnsplit == LaunchReason::None) {
    const double Unsplit = All[0].Seconds,
                 UnsplitInPlace = All[0].SecondsInPlace;
    const unsigned Most = System.numDevices();
    const unsigned Least = Schedule == Schedule::Static ? Most : 2;
    Out.WhyUnsplit = LaunchReason::DoesNotPay;
    const bool Search = Schedule == Schedule::Static || couldPay(Unsplit);
    LaunchReason WhyUnreachable = LaunchReason::None;
    for (unsigned Devices = Least; Search && Devices <= Most; ++Devices) {
      SplitCandidate C = bestOver(Devices);
      if (C.WhyUnreachable != LaunchReason::None) {
        WhyUnreachable = C.WhyUnreachable;
        continue;
      }
      const bool Pays = pays(C.Seconds, Unsplit) &&
                        (Chosen == 0 || C.Seconds < All[Chosen].Seconds);
      if (Schedule == Schedule::Static || Pays) {
        Out.WhyUnsplit = LaunchReason::None;
        Out.NeedsReplicas = Pays && !pays(C.SecondsWithoutReplicas, Unsplit);
        Out.MayImprove = !pays(C.SecondsWithoutReplicas, UnsplitInPlace);
        Chosen = All.size();
      }
      All.push_back(std::move(C));
    }
    if (All.size() == 1 && Search)
      Out.WhyUnsplit = WhyUnreachable;
    Wanted = Chosen;
    if (Schedule == Schedule::Auto)
      for (size_t I = 0; I < All.size(); ++I) {
        Out.MayImprove |= pays(All[I].SecondsInPlace, All[Chosen].Seconds);
        if (pays(All[I].SecondsMoved, All[Wanted].SecondsMoved))
          Wanted = I;
      }
    else
      Out.MayImprove = false;
  }
  const SplitCandidate &C = All[Chosen];
  Out.Tiles = C.Tiles;
  Out.Axis = C.Axis;
  std::copy_n(C.Boxes.front().GridDim, 3, Out.Grid.begin());
  Out.UnknownRanges = C.UnknownRanges;
  Out.PredictedSeconds = C.Seconds;
  addWrites(In, Out);
  for (unsigned A = 0; A < In.Allocations.size(); ++A)
    Out.WritesAnywhere |=
        (outsideModes(C, A) & (GridspanWrite | GridspanAtomic)) != 0;
  addWritten(C, Out);
  if (Wanted == Chosen)
    planMigration(In, System, C, std::nullopt, Out);
  else
    planMigration(
        In, System, All[Wanted],
        WayLoss{std::max(0.0, C.Seconds - All[Wanted].SecondsMoved),
                std::max(0.0, C.SecondsRepeated - All[Wanted].SecondsMoved)},
        Out);
  return Out;
}

Plan planLaunch(const PlanInput &Input, const SystemInfo &System,
                Schedule Schedule) {
  return LaunchPlanner(Input, System).run(Schedule);
}

} // namespace gridspan
