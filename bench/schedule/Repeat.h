//===- Repeat.h - Launches that are repeated until they settle --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Repeats a launch for some seconds, so that a runtime that learns from times
// has learned, and tells the time of a launch at the end from that of all.
// Launches are in batches that last some milliseconds: waiting for one of a few
// microseconds would be most of its time.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_SCHEDULE_REPEAT_H
#define GRIDSPAN_BENCH_SCHEDULE_REPEAT_H

#include "bench/common/Bench.h"
#include <string>

/// Seconds of a launch.
struct LaunchTimes {
  double Settled = 0; ///< median of the last third of the batches
  double Whole = 0;   ///< mean of all launches, the first one included
};

constexpr double BatchSeconds = 5e-3;
constexpr size_t FewestBatches = 9;

/// Calls Launch for about so many seconds, and Wait behind each batch. Launch
/// must do the same each time.
template <class LaunchFn, class WaitFn>
LaunchTimes repeatLaunches(double Seconds, LaunchFn Launch, WaitFn Wait) {
  std::vector<double> Times;
  size_t Batch = 1, Launches = 0;
  double Start = now(), End = Start;
  while (Times.size() < FewestBatches || End - Start < Seconds) {
    double Begin = now();
    for (size_t I = 0; I < Batch; ++I)
      Launch();
    Wait();
    End = now();
    Launches += Batch;
    Times.push_back((End - Begin) / double(Batch));
    if (End - Begin < BatchSeconds)
      Batch *= 2;
  }
  LaunchTimes Found;
  Found.Whole = (End - Start) / double(Launches);
  Times.erase(Times.begin(), Times.end() - Times.size() / 3);
  Found.Settled = median(Times);
  return Found;
}

/// Prints the sections Name, of settled launches, and Name with "whole" behind.
inline void reportLaunches(const std::string &Name, const LaunchTimes &Times,
                           unsigned long long Checksum) {
  report(Name.c_str(), Times.Settled, 0, Checksum);
  report((Name + " whole").c_str(), Times.Whole, 0, Checksum);
}

/// Returns argument I as seconds, or Default.
inline double secondsArgument(int Argc, char **Argv, int I, double Default) {
  return Argc > I ? strtod(Argv[I], nullptr) : Default;
}

#endif // GRIDSPAN_BENCH_SCHEDULE_REPEAT_H
