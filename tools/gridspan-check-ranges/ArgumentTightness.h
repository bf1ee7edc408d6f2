//===- ArgumentTightness.h - How tight ranges are ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Measures how tight ranges are: of each pointer argument, the bytes that its
// ranges predict and the bytes that a run touched (docs/design/tightness.md).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPAN_CHECK_RANGES_ARGUMENTTIGHTNESS_H
#define GRIDSPAN_TOOLS_GRIDSPAN_CHECK_RANGES_ARGUMENTTIGHTNESS_H

#include "analysis/summary/KernelSummary.h"
#include "gridspan/AccessTraceFormat.h"
#include <vector>

namespace gridspan {

/// A pointer that a kernel receives: what its ranges predicted and what was
/// touched through it, added up over tiles. Bytes that several accesses of a
/// tile share are counted once.
struct ArgumentTightness {
  unsigned Tiles = 0;
  double PredictedBytes = 0;
  double TouchedBytes = 0;
  /// Every tile's bytes were predicted exactly, and all of the ranges said
  /// that they are exact.
  bool IsExact = true;
  bool SaysExact = true;
  /// The reason why some access has no range; empty when all have one.
  std::string Unknown;
};

/// The arguments of one kernel, parallel to KernelSummary::Pointers. AnyMemory
/// says why some access may be to any memory, or is empty.
struct KernelTightness {
  std::vector<ArgumentTightness> Arguments;
  std::string AnyMemory;
};

/// Adds a traced launch to Out. A launch that ran unsplit is partitioned into
/// four tiles as a device each would get, along the outermost axis that has
/// four blocks or else the most.
void addTightness(const KernelSummary &Kernel, const TracedLaunch &Launch,
                  const std::vector<TracedRequest> &Requests,
                  KernelTightness &Out);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPAN_CHECK_RANGES_ARGUMENTTIGHTNESS_H
