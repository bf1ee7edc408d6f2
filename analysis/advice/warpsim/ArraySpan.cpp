//===- ArraySpan.cpp - Bytes of an array that a launch touches ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hull of the ranges that the trace has of the array's sites.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/warpsim/ArraySpan.h"
#include <algorithm>

using namespace llvm;

namespace gridspan {

ArraySpan arraySpan(const KernelSites &Kernel, const WarpTrace &Trace,
                    ArrayRef<SiteAddress> Addresses, size_t Array,
                    bool OfLoads) {
  ArraySpan Out;
  for (size_t I = 0; I != Kernel.Sites.size(); ++I) {
    const MemorySite &Site = Kernel.Sites[I];
    if (Addresses[I].Array != Array || Site.Space != MemorySpace::Global ||
        (Site.Kind == SiteKind::Load) != OfLoads)
      continue;
    const OffsetRange &R = Trace.Ranges[I];
    Out.IsKnown &= !R.isEmpty();
    if (R.isEmpty())
      continue;
    int64_t End = R.Hi + int64_t(Site.Size);
    bool IsFirst = Out.isEmpty();
    Out.Lo = IsFirst ? R.Lo : std::min(Out.Lo, R.Lo);
    Out.End = IsFirst ? End : std::max(Out.End, End);
  }
  return Out;
}

} // namespace gridspan
