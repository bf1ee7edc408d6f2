//===- ValueBounds.h - Interval that a value stays within -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An interval that holds the value of an expression in every thread, from
// masks, remainders and widths alone.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_SITES_VALUEBOUNDS_H
#define GRIDSPAN_ANALYSIS_ADVICE_SITES_VALUEBOUNDS_H

#include "analysis/advice/sites/MemorySites.h"
#include <optional>

namespace gridspan {

/// Both ends belong to it.
struct ValueBounds {
  int64_t Lo = 0, Hi = 0;
  /// Returns how many values there are in it, at most.
  uint64_t size() const { return uint64_t(Hi) - uint64_t(Lo) + 1; }
};

/// Bounds of the site's offset that hold in every launch and whatever memory
/// holds: of what is loaded, masked, divided or compared with a constant.
/// Nothing if there are none.
std::optional<ValueBounds> offsetBounds(const ExprGraph &Graph,
                                        const MemorySite &Site);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_SITES_VALUEBOUNDS_H
