//===- SavedHistory.cpp - What a later process starts with ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A restored way gets its median as often as it takes to count as measured, and
// no more: the median of the last NumLast times is one of this process after
// that many and one.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/SavedHistory.h"
#include <algorithm>
#include <cmath>
#include <cstddef>

namespace gridspan {

SavedHistory savedHistory(const LaunchHistory &History) {
  SavedHistory Out;
  Out.Launches = History.Launches;
  for (const TileBalance &B : History.Balances)
    if (B.best().Number != 0)
      Out.Cuts.push_back({B.Devices, B.Axis, B.best().Shares});
  for (const DivisionRecord &R : History.Records) {
    if (!R.isMeasured())
      continue;
    SavedDivision D = {R.What, R.Last};
    if (R.What.Cut != 0) {
      const TileBalance *B = History.balance(R.What.Devices, R.What.Axis);
      if (!B || B->best().Number != R.What.Cut)
        continue;
      D.What.Cut = 1;
    }
    if (D.Time.ByDevice.empty())
      D.Time.Shares.clear();
    D.Time.Seconds = R.seconds();
    D.Time.Predicted = R.seconds() / R.ratio();
    Out.Divisions.push_back(std::move(D));
  }
  return Out;
}

static bool isPositive(double Value) {
  return std::isfinite(Value) && Value > 0;
}

static bool areShares(const std::vector<double> &Shares, unsigned Devices) {
  double Sum = 0;
  for (double Share : Shares)
    Sum += Share;
  return Shares.size() == Devices &&
         std::all_of(Shares.begin(), Shares.end(), isPositive) &&
         std::abs(Sum - 1) < 1e-6;
}

static bool isPossible(const SavedDivision &D, unsigned MaxDevices) {
  const unsigned Devices = D.What.Devices;
  if (Devices == 0 || Devices > MaxDevices || D.What.Axis > 2 ||
      !isPositive(D.Time.Seconds) || !isPositive(D.Time.Predicted) ||
      !isPositive(D.Time.Size))
    return false;
  const std::vector<double> &Tiles = D.Time.ByDevice;
  if (Devices == 1)
    return D.What.Axis == 0 && D.What.Cut == 0 && Tiles.empty() &&
           D.Time.Shares.empty();
  if (Tiles.empty())
    return D.Time.Shares.empty();
  return Tiles.size() == Devices &&
         std::all_of(Tiles.begin(), Tiles.end(), isPositive) &&
         areShares(D.Time.Shares, Devices);
}

LaunchHistory restoredHistory(const SavedHistory &Saved, unsigned MaxDevices) {
  LaunchHistory Out;
  Out.EarlierLaunches = Saved.Launches;
  for (const SavedCut &C : Saved.Cuts)
    if (C.Devices > 1 && C.Devices <= MaxDevices && C.Axis <= 2 &&
        areShares(C.Shares, C.Devices) && !Out.balance(C.Devices, C.Axis))
      Out.Balances.emplace_back(C.Devices, C.Axis, C.Shares);
  for (const SavedDivision &D : Saved.Divisions) {
    if (!isPossible(D, MaxDevices) || Out.find(D.What))
      continue;
    if (D.What.Cut != 0 && !Out.balance(D.What.Devices, D.What.Axis))
      continue;
    DivisionRecord R(D.What);
    while (!R.isMeasured())
      R.add(D.Time);
    R.EarlierTimes = R.Times;
    Out.Records.push_back(std::move(R));
  }
  return Out;
}

} // namespace gridspan
