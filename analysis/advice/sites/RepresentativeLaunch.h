//===- RepresentativeLaunch.h - A launch that is worth advice ---*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses a launch for a kernel whose launches nobody described. It gives every
// multiprocessor work for some rounds, with problem sizes to match. Of a
// smaller launch there is little else to say than that it is small.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_SITES_REPRESENTATIVELAUNCH_H
#define GRIDSPAN_ANALYSIS_ADVICE_SITES_REPRESENTATIVELAUNCH_H

#include "analysis/advice/sites/LaunchAssumptions.h"
#include "analysis/machine/MachineModel.h"
#include <set>

namespace gridspan {

struct RepresentativeLaunch {
  LaunchValues Launch;
  /// True for the parts of it that nobody said.
  bool IsBlockAssumed = false, IsGridAssumed = false;
  bool IsDynamicSharedAssumed = false; ///< which the kernel has an array in
  std::set<std::pair<unsigned, unsigned>> AssumedParams;

  /// "an assumed launch of 4096 blocks of 256 threads", or empty.
  std::string text() const;
};

/// Kernel: as written, before loops are unrolled.
RepresentativeLaunch representativeLaunch(const KernelSites &Kernel,
                                          const LaunchAssumptions &Known,
                                          const MachineModel &Machine);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_SITES_REPRESENTATIVELAUNCH_H
