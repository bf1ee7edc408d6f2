//===- StreamPlanner.h - Plan a launch larger than device memory  -*- C++
//-*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides how a launch that touches paged memory on the host is run: how its
// grid is cut into chunks, on which devices and in which order they run, and
// which arguments stay in place. Pure, so it is tested with no device.
//
// Any plan is right: chunks are tiles of a kernel that may be split, and what
// a chunk touches is on some device while it runs. The question is which moves
// the fewest bytes.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_STREAMPLANNER_H
#define GRIDSPAN_RUNTIME_STREAMPLANNER_H

#include "FrameSchedule.h"
#include "Planner.h"

namespace gridspan {

struct StreamInput {
  PlanInput Launch;
  /// One for each of Launch.Allocations; then other paged allocations that have
  /// frames on devices.
  std::vector<PagedView> Paged;
  /// By device: bytes that frames may take there, with those that do already.
  std::vector<uint64_t> Budget;
  /// The launch may run the clone with packed rows.
  bool MayPack = false;
};

/// The steps of a launch of which some allocation is paged and that touches
/// nothing but what its arguments lead to. Schedule::Single
/// uses one device.
StreamPlan planStream(StreamInput Input, const SystemInfo &System,
                      Schedule Schedule);

/// Whether it may touch memory that no argument of it points into.
bool mayTouchAnything(const GridspanKernel &Kernel);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_STREAMPLANNER_H
