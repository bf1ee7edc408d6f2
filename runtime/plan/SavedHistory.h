//===- SavedHistory.h - What a later process starts with --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of a LaunchHistory that another process can start from: how long
// launches took by the ways that were measured, and where tiles are best cut.
// What launches have cost so far stays behind, as tries are paid for by the
// time that the present process has spent. Pure.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_SAVEDHISTORY_H
#define GRIDSPAN_RUNTIME_PLAN_SAVEDHISTORY_H

#include "runtime/plan/LaunchHistory.h"
#include <vector>

namespace gridspan {

/// A way that was measured: its medians, with the tiles of its last launch.
struct SavedDivision {
  Division What; ///< Cut is 0 or 1: the nominal cut, or the best one
  LaunchTime Time;
};

/// The best cut that was found over some devices along an axis.
struct SavedCut {
  unsigned Devices = 2;
  unsigned Axis = 0;
  std::vector<double> Shares;
};

struct SavedHistory {
  std::vector<SavedDivision> Divisions;
  std::vector<SavedCut> Cuts;
  uint64_t Launches = 0; ///< of the process
};

/// Returns what is to be kept; nothing of ways that are not measured.
SavedHistory savedHistory(const LaunchHistory &History);

/// Returns a history that starts with it. Each way counts as measured, so that
/// it is chosen or left without a try, and a few times of this process overrule
/// it. What no launch can have had is left out: that of more than MaxDevices
/// devices, and what is not positive and finite.
LaunchHistory restoredHistory(const SavedHistory &Saved, unsigned MaxDevices);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_SAVEDHISTORY_H
