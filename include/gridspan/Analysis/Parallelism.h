//===- Parallelism.h - Does a launch keep the memory busy? ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Little's law: bandwidth times latency is what has to be under way. A launch
// with too few warps, each with a long serial loop over memory, does not reach
// it: sums of a thread each, mostly. Also sums by atomics, and whether the
// cores of the host would be done before the GPU has begun.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_PARALLELISM_H
#define GRIDSPAN_ANALYSIS_PARALLELISM_H

#include "gridspan/Analysis/Layout.h"

namespace gridspan {

enum class ReductionKind {
  None,
  Serial, ///< a thread gathers what it loads in a loop
  Block,  ///< and the threads of a block join theirs through shared memory
  Atomic, ///< threads add to few addresses
};

/// "serial reduction", ...
llvm::StringRef reductionName(ReductionKind Kind);

struct KernelParallelism {
  ReductionKind Kind = ReductionKind::None;
  double Bytes = 0;          ///< loaded by the launch
  double Warps = 0;          ///< resident at once
  double UnderWay = 0;       ///< bytes of all warps' loads at one time
  double NeededUnderWay = 0; ///< for the bandwidth of DRAM
  LaunchTime Now;
  double ReachedGBs = 0, BestGBs = 0; ///< of the loads, predicted
  double BestSeconds = 0;             ///< with enough under way
  double Trips = 1;                   ///< of the loop that loads
  unsigned WantedBlocks = 0;          ///< of 256 threads
  /// Of a warp that loads as wide as it can, where threads that are neighbours
  /// have sums of neighbouring elements; else 0.
  unsigned SumsAcross = 0;
  double HostSeconds = 0; ///< on the cores of the machine, from memory
  double HostBytes = 0;   ///< below which they are done first; 0: never
  bool IsRecommended = false;
  std::string Where;
};

KernelParallelism analyzeParallelism(const KernelSites &Kernel,
                                     const LaunchTrace &Trace,
                                     const LaunchValues &Launch,
                                     const MachineModel &Machine);

std::string parallelismMessage(const KernelParallelism &P);
std::string parallelismAdvice(const KernelParallelism &P);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_PARALLELISM_H
