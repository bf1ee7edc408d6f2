//===- TimeGap.cpp - Why a time is not as predicted -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What was assumed is looked at first, since nothing can be said of a
// prediction that rests on a wrong number; then what the model is known to be
// weak at.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-advice/TimeGap.h"
#include <algorithm>
#include <cmath>

namespace gridspan {

/// Launches that take no longer than this many times what the shortest takes.
static constexpr double ShortLaunches = 3;
/// The share of atomics of the time that makes them a reason.
static constexpr double AtomicShare = 0.1;
/// Warps on a multiprocessor that hide most of what one waits.
static constexpr unsigned EnoughWarps = 16;

const char *nameOf(TimeGap Gap) {
  switch (Gap) {
  case TimeGap::None:
    return "";
#define GRIDSPAN_TIME_GAP(Kind, Name, Text)                                    \
  case TimeGap::Kind:                                                          \
    return Name;
#include "tools/gridspan-advice/TimeGaps.def"
  }
  return "";
}

const char *textOf(TimeGap Gap) {
  switch (Gap) {
  case TimeGap::None:
    return "";
#define GRIDSPAN_TIME_GAP(Kind, Name, Text)                                    \
  case TimeGap::Kind:                                                          \
    return Text;
#include "tools/gridspan-advice/TimeGaps.def"
  }
  return "";
}

static double boundOf(const Prediction &P, const std::string &Name) {
  for (const auto &[Bound, Microseconds] : P.Bounds)
    if (Bound == Name)
      return Microseconds;
  return 0;
}

static bool assumes(const Prediction &P, const char *Words) {
  return std::any_of(P.Assumptions.begin(), P.Assumptions.end(),
                     [&](const std::string &Text) {
                       return Text.find(Words) != std::string::npos;
                     });
}

TimeGap timeGapOf(const Kernel &K, const RunDevices &Devices) {
  const MeasuredTime &Run = *K.Run;
  if (!(Run.Seconds > 0))
    return TimeGap::NotMeasured;
  if (!Devices.AreGpus)
    return TimeGap::CpuDevice;
  if (!K.Cost)
    return TimeGap::None;
  const Prediction &P = *K.Cost;
  const double Predicted = K.secondsByEvents();
  auto IsNear = [&](double Seconds) {
    return std::abs(Seconds - Predicted) <= GapFrom * Seconds;
  };
  if (IsNear(Run.Seconds))
    return TimeGap::None;
  if (Devices.Count > 1)
    return TimeGap::SeveralDevices;
  const double Launch = boundOf(P, "launch") * 1e-6;
  if (P.Limit == "launch" || Run.Seconds <= ShortLaunches * Launch)
    return TimeGap::LaunchOverhead;
  if (assumes(P, "whose trip count is not known") ||
      assumes(P, "a branch that depends on data"))
    return TimeGap::DataDependentBranch;
  if (assumes(P, "random addresses"))
    return TimeGap::UnknownAddresses;
  if (Run.Times > 1 && IsNear(Run.Least))
    return TimeGap::UnevenTimes;
  if (Run.Seconds > Predicted) {
    if (boundOf(P, "atomics") >= AtomicShare * P.Microseconds)
      return TimeGap::Contention;
    if (P.Limit == "latency" || P.Waves < 1 || P.ResidentWarps < EnoughWarps)
      return TimeGap::Latency;
    if (P.Limit == "L2" || P.Limit == "load unit")
      return TimeGap::Contention;
  }
  return TimeGap::NotExplained;
}

} // namespace gridspan
