//===- RingSizes.h - Room for each ring of a chain --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chain on many allocations has the most frames of each at another time, so
// that rings for what the best schedule keeps (FrameRings.h) are larger than
// memory. Here it is the other way round: memory is divided among the rings
// first, and the frames come and go within each. Pure.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_RINGSIZES_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_RINGSIZES_H

#include "runtime/outofcore/RingPlanner.h"
#include <limits>
#include <optional>

namespace gridspan {

/// Returns Plan with its frames in rings that fit Budget and move few bytes;
/// nothing if no such rings are known. Of Plan the Steps count, in which
/// nothing moves yet. The sizes of Present are kept where they move little more
/// than Enough bytes, or where to look for better ones takes longer than the
/// seconds that it is Worth. Apart is that of scheduleFrames().
std::optional<RingPlan>
planInRings(const OutOfCorePlan &Plan, const std::vector<PagedView> &Paged,
            const RingViews &Present, const std::vector<uint64_t> &Budget,
            bool Apart, const std::vector<OverwrittenFrames> &Overwritten,
            uint64_t Enough,
            double Worth = std::numeric_limits<double>::infinity());

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_RINGSIZES_H
