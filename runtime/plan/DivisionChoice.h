//===- DivisionChoice.h - How to run a launch, by what was ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses among the ways to run a launch by the times that launches like it
// took, and by predictions for ways that were not tried. Pure: a history in, a
// decision out.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_DIVISIONCHOICE_H
#define GRIDSPAN_RUNTIME_PLAN_DIVISIONCHOICE_H

#include "runtime/plan/LaunchHistory.h"
#include <cstddef>
#include <span>

namespace gridspan {

/// A way that a launch can run.
struct DivisionOption {
  Division What;
  /// The prediction that times are compared with; above 0.
  double Predicted = 0;
  /// The seconds besides that copies for later launches take, as long as it is
  /// not measured.
  double Extra = 0;
  /// True if predictions know all that tiles access in each other's memory, and
  /// no atomics are among it; for the unsplit launch, if that is so for all
  /// splits.
  bool IsSure = false;
  /// LaunchTime::Fixed
  double Fixed = 0;
};

struct DivisionChoice {
  size_t Index = 0;
  /// True if the launch is to find out how long this way takes, and the next
  /// one is to be decided again.
  bool IsTry = false;
  /// True if another way promises more, and has to wait until a try is
  /// affordable.
  bool WantsTry = false;
};

/// The share of the time spent so far that tries may lose, and the seconds that
/// they may lose in any case.
constexpr double TryShare = 0.05;
constexpr double TrySeconds = 1e-3;
/// The launches of a try: the first one is not timed.
constexpr unsigned TryLaunches = 1 + DivisionRecord::LeastTimes;

/// Returns the seconds that the kernel's tries may lose in all.
double allowedToLose(const LaunchHistory &History);
/// Returns the seconds that a launch like those of the history takes.
double estimateSeconds(const LaunchHistory &History,
                       const DivisionOption &Option);

/// Chooses among Options. Predicted is the index of the one that is chosen
/// before anything was measured. The first split of a history takes
/// FirstSplitSeconds longer than later ones.
DivisionChoice chooseDivision(const LaunchHistory &History,
                              std::span<const DivisionOption> Options,
                              size_t Predicted, double FirstSplitSeconds = 0);

/// The way that a launch runs before any like it was measured.
struct FirstGuess {
  size_t Index = 0;
  enum Reason {
    Fastest,
    WorkUnknown,    ///< unsplit, as nothing is known to compare
    TooFewLaunches, ///< unsplit, as a first split has not been saved yet
  } Why = Fastest;
};

/// Guesses among Options, of which the first one is unsplit. IsWorkKnown: the
/// predictions know how much the kernel does.
FirstGuess guessDivision(const LaunchHistory &History,
                         std::span<const DivisionOption> Options,
                         bool IsWorkKnown, double FirstSplitSeconds);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_DIVISIONCHOICE_H
