//===- SiteMatching.h - Accesses that optimization changes ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Advice is about accesses as they are before loops are unrolled and late
// passes join what two branches store, or what iterations load. Here its counts
// are compared with those of the optimized code.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_COALESCING_SITEMATCHING_H
#define GRIDSPAN_ANALYSIS_ADVICE_COALESCING_SITEMATCHING_H

#include "analysis/advice/coalescing/Coalescing.h"

namespace gridspan {

/// Sites of Written, of those with exact counts, that the optimized code of the
/// kernel does with other requests, or not as a site of its own. Both are for
/// one launch. Where the optimized code's counts are not exact, the site stays
/// unless something has been joined in its array. And loads that ptxas may
/// join.
std::vector<size_t> sitesThatDiffer(const KernelCoalescing &Written,
                                    const KernelCoalescing &Executed);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_COALESCING_SITEMATCHING_H
