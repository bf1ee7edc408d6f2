//===- WarpSectors.h - Sectors of a warp in closed form ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sectors of a full warp as an expression of the launch, for sites where
// the lanes are a fixed distance apart.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_COALESCING_WARPSECTORS_H
#define GRIDSPAN_ANALYSIS_ADVICE_COALESCING_WARPSECTORS_H

#include "analysis/advice/coalescing/Coalescing.h"

namespace gridspan {

/// Fills in SectorsOfWarp or NoSectors of a site whose strides and traffic in
/// the launch are known.
void findWarpSectors(ExprGraph &Graph, const MemorySite &Site,
                     const LaunchValues &Launch, SiteCoalescing &Out);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_COALESCING_WARPSECTORS_H
