//===- LaunchFootprint.h - Bytes that a launch touches ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Different bytes that runs of blocks touch, by the access ranges of the
// summary, and from them what a launch moves between L2 and memory.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_COST_LAUNCHFOOTPRINT_H
#define GRIDSPAN_ANALYSIS_ADVICE_COST_LAUNCHFOOTPRINT_H

#include "analysis/expr/ConcreteEval.h"
#include "analysis/machine/MachineModel.h"
#include "analysis/summary/KernelSummary.h"
#include <map>

namespace gridspan {

struct MemoryTraffic {
  double Footprint = 0; ///< different bytes of the launch
  /// Bytes between L2 and memory when launches follow each other.
  double ReadBytes = 0, WriteBytes = 0;
  /// Of these, what is read since writes do not fill it.
  double FilledBytes = 0;
  bool IsKnown = true; ///< else accesses without a range are left out
};

/// Bytes of the allocations that parameters lead to, as far as a run has shown
/// them. No range of an access is larger.
using ArraySizes = std::map<unsigned, double>;

/// Wave: blocks that the GPU holds together.
MemoryTraffic memoryTraffic(const KernelSummary &Kernel,
                            const LaunchValues &Launch, uint64_t Wave,
                            const MachineModel &Machine,
                            const ArraySizes &Sizes = {});

/// Lines that the atomics of a wave of blocks touch, in the mean of several
/// waves; 0: they have no range, or there are none.
double atomicLines(const KernelSummary &Kernel, const LaunchValues &Launch,
                   uint64_t Wave, const MachineModel &Machine);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_COST_LAUNCHFOOTPRINT_H
