//===- RangeCheck.h - Access ranges against a trace -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The truth behind the access analysis: what a run on the CPU device touched
// must lie in the ranges that the compiler gave.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPAN_CHECK_RANGES_RANGECHECK_H
#define GRIDSPAN_TOOLS_GRIDSPAN_CHECK_RANGES_RANGECHECK_H

#include "analysis/summary/KernelSummary.h"
#include "gridspan/AccessTraceFormat.h"
#include <map>
#include <set>

namespace gridspan {

/// Something that the analysis said and the trace contradicts.
struct Violation {
  std::string Kernel;
  uint32_t Launch;
  uint32_t Site;
  std::string Text;
};

/// Counts of what was compared, added up over launches, boxes of blocks, and
/// sites.
struct RangeStatistics {
  unsigned Launches = 0;
  unsigned Checks = 0;  ///< a site in a box of blocks that touches something
  unsigned Unknown = 0; ///< of these: no range
  unsigned Exact = 0;   ///< of these: claimed to be exact
  /// Predicted / touched bytes of every check with a range.
  std::vector<double> Tightness;
  std::vector<Violation> Violations;
};

/// Compares one launch with the summary of its kernel, for all its blocks,
/// its quarters along each axis, and single blocks:
///   * every address lies in a range of its site, with the mode that was said;
///   * an exact range has no byte that was not touched;
///   * a range that is empty is not touched.
void checkLaunch(const KernelSummary &Kernel, const TracedLaunch &Launch,
                 const std::vector<TracedRequest> &Requests,
                 RangeStatistics &Out);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPAN_CHECK_RANGES_RANGECHECK_H
