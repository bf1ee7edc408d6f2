//===- ArraySpan.h - Bytes of an array that a launch touches ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the span from the first byte to the last that sites of an array access
// in a launch.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_ARRAYSPAN_H
#define GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_ARRAYSPAN_H

#include "analysis/advice/warpsim/TraceReplay.h"
#include "analysis/advice/warpsim/WarpTrace.h"

namespace gridspan {

struct ArraySpan {
  int64_t Lo = 0, End = 0;
  /// True if the span covers all sites; else it covers only some of them.
  bool IsKnown = true;

  bool isEmpty() const { return Lo == End; }
  double bytes() const { return double(End - Lo); }
};

/// Returns the span of the loads, or of the stores and atomics.
ArraySpan arraySpan(const KernelSites &Kernel, const WarpTrace &Trace,
                    llvm::ArrayRef<SiteAddress> Addresses, size_t Array,
                    bool OfLoads);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_ARRAYSPAN_H
