//===- RingPlanner.h - A plan whose frames fit rings ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans with less and less room until the rings that the frames need
// (FrameRings.h) fit the devices. Pure.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_RINGPLANNER_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_RINGPLANNER_H

#include "runtime/outofcore/FrameRings.h"
#include <functional>

namespace gridspan {

/// A plan with the rings that its frames are in.
struct RingPlan {
  OutOfCorePlan Plan;
  RingSizes Rings;
  /// False if the frames do not fit rings, and are mapped one by one.
  bool HasRings = false;
};

/// Returns a plan whose frames fit rings, where that moves hardly more; else
/// one whose frames are mapped one by one. PlanFor returns the best plan with
/// so many bytes of frames on each device.
RingPlan planWithRings(
    const std::function<OutOfCorePlan(const std::vector<uint64_t> &)> &PlanFor,
    const std::vector<PagedView> &Paged, const RingViews &Present,
    const std::vector<uint64_t> &Budget);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_RINGPLANNER_H
