//===- ResourceModel.h - Time of a launch by resource -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates the seconds that each resource is busy, to compare forms of one
// kernel.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_RESOURCEMODEL_H
#define GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_RESOURCEMODEL_H

#include "analysis/advice/warpsim/TraceReplay.h"

namespace gridspan {

enum class Resource { Issue, Pipes, L1, L2, Dram, Atomics, Latency, Blocks };
constexpr unsigned NumResources = 8;

/// "instruction issue", "DRAM", ...
llvm::StringRef resourceName(Resource R);

struct ResourceTimes {
  std::array<double, NumResources> Busy = {}; ///< seconds, by Resource
  double Launch = 0;                          ///< seconds of an empty kernel
  double SecondShare = 0;                     ///< MachineModel::FitSecondShare

  double of(Resource R) const { return Busy[unsigned(R)]; }
  /// All resources work at once; those that are nearly as busy as the busiest
  /// one get in its way.
  double seconds() const;
  Resource limit() const;
  bool isBoundByMemory() const;
};

/// Bytes that come from DRAM and go there, in the whole launch.
struct DramTraffic {
  double ReadBytes = 0, WriteBytes = 0;
  /// Arrays that are read or written side by side.
  unsigned OpenArrays = 1;
};

/// ExtraIssue: instructions that a form adds to each level of Kernel.Work, or
/// spares; may be empty.
ResourceTimes resourceTimes(const KernelSites &Kernel, const WarpTrace &Trace,
                            const MemoryCounts &Counts, const DramTraffic &Dram,
                            const MachineModel &Machine,
                            llvm::ArrayRef<double> ExtraIssue = {});

/// Loads of a warp that are under way together where each level of the kernel
/// is executed, and how long they take: the warp's own time, all waiting.
double warpCycles(const KernelSites &Kernel, const WarpTrace &Trace,
                  const MemoryCounts &Counts, const MachineModel &Machine);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_RESOURCEMODEL_H
