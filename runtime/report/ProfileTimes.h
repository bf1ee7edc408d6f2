//===- ProfileTimes.h - The launches that a profile times -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Events take time, so of many launches of a class few are timed. Who reads a
// profile tells by the number of times whether events were to be had.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_REPORT_PROFILETIMES_H
#define GRIDSPAN_RUNTIME_REPORT_PROFILETIMES_H

#include <algorithm>
#include <cstdint>

namespace gridspan {

/// Launches of a class that are all timed, and how many there are to a time
/// then.
inline constexpr uint64_t AllTimed = 32, TimedEvery = 8;

/// Returns true if a profile times launch Number of a class, the first being 1.
constexpr bool isTimedInProfile(uint64_t Number) {
  return Number <= AllTimed || Number % TimedEvery == 0;
}

/// Returns the times that so many launches of a class are to have.
constexpr double timesDueInProfile(double Launches) {
  const double All = double(AllTimed);
  return std::min(Launches, All) +
         std::max(0.0, Launches - All) / double(TimedEvery);
}

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_REPORT_PROFILETIMES_H
