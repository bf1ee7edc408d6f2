//===- WarpTrace.h - Sampled requests of a launch ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sample of the memory requests of a launch, in the order in which one
// multiprocessor would see them: the blocks that it holds at one time, their
// warps in step, a window of consecutive iterations of each loop. What is
// predicted for another arrangement of the data replays it (TraceReplay.h).
// Plain data.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_WARPTRACE_H
#define GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_WARPTRACE_H

#include "analysis/advice/sites/MemorySites.h"
#include "analysis/expr/ConcreteEval.h"
#include "analysis/machine/MachineModel.h"
#include <algorithm>
#include <array>
#include <vector>

namespace gridspan {

/// One site executed by one warp in one iteration.
struct TraceEvent {
  uint32_t Site = 0; ///< index into KernelSites::Sites
  uint32_t Warp = 0; ///< of the sample
  uint32_t Active = 0;
  /// Executions in the sampled warps that it stands for; 0: it only brings the
  /// caches into the state that they have inside the loop.
  double Weight = 1;
  std::array<int64_t, 32> Offset = {}; ///< bytes from the base, of active lanes
};

/// Lowest and highest offset of a site over the whole launch.
struct OffsetRange {
  int64_t Lo = 0, Hi = -1;
  bool isEmpty() const { return Lo > Hi; }
  void add(int64_t Offset) {
    bool IsFirst = isEmpty();
    Lo = IsFirst ? Offset : std::min(Lo, Offset);
    Hi = IsFirst ? Offset : std::max(Hi, Offset);
  }
};

struct WarpTrace {
  std::vector<TraceEvent> Events;
  std::vector<OffsetRange> Ranges; ///< by site; empty if not known
  /// True if the address depends on loaded data, by site. Lanes are then
  /// anywhere in the array, each on its own.
  std::vector<bool> IsScattered;
  unsigned SampledWarps = 0, SampledBlocks = 0;
  unsigned ResidentBlocks = 0, ResidentWarps = 0; ///< of a multiprocessor
  double TotalWarps = 0;                          ///< of the launch
  double BlocksOfLaunch = 0;
  bool AreTripCountsKnown = true;
  /// Trips of each loop in the middle of the launch, by its number.
  std::map<int64_t, double> Trips;

  /// Returns the factor from counts of the sample to those of the launch.
  double scale() const { return SampledWarps ? TotalWarps / SampledWarps : 0; }
};

WarpTrace traceWarps(const KernelSites &Kernel, const LaunchValues &Launch,
                     const MachineModel &Machine);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_WARPTRACE_H
