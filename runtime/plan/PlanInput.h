//===- PlanInput.h - A launch as the planner sees it ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data: the launch, the buffers that its pointers lead to, and where
// their pages are.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_PLANINPUT_H
#define GRIDSPAN_RUNTIME_PLAN_PLANINPUT_H

#include "gridspan/ABI.h"
#include "runtime/backend/PageHomes.h"
#include "runtime/support/LaunchReasons.h"
#include <memory>
#include <vector>

namespace gridspan {

/// A buffer that the launch's pointers lead to.
struct PlacedAllocation {
  uint64_t Bytes = 0;
  /// Null: not ours (pinned or registered host memory, for example).
  const PageHomes *Homes = nullptr;
  /// Not ours, and no memory of the host that devices know: perhaps a pointer
  /// beside what it is for (x - 1, for elements that are numbered from 1).
  bool Unknown = false;
  /// Its pages may get another home.
  bool Movable = false;
  /// Some of it may not be mapped, so that it cannot be copied as a whole.
  bool Paged = false;
  /// All writes to it are seen, so that a replica stays good until one.
  bool Tracked = false;
  /// Allocation::misplaced() and Moves.
  double Misplaced = 0;
  unsigned Moves = 0;
  /// Per device, whether it holds a replica of the present contents.
  std::vector<bool> HasReplica;
  /// How many launches like this one have found the present contents.
  uint64_t Unchanged = 0;
};

/// Where a pointer of the kernel leads; Allocation is -1 for null.
struct PlacedPointer {
  int Allocation = -1;
  int64_t Offset = 0;
};

enum class Schedule {
  Single, ///< never split
  Static, ///< split whatever may be split, over all devices
  Auto,   ///< split what is predicted to be faster
};

class IndexView;

struct PlanInput {
  const GridspanKernel *Kernel = nullptr;
  GridspanBox Box = {};                ///< the whole launch
  std::vector<PlacedPointer> Pointers; ///< one for each of Kernel->Pointers
  std::vector<PlacedAllocation> Allocations;
  /// Memory on the host exists that a kernel may reach by unknown pointers.
  bool HostPagesExist = false;
  /// A reason outside the planner's sight to run the launch unsplit, or None.
  LaunchReason WhyUnsplit = LaunchReason::None;
  /// What Box.Indices is, where the kernel loads indices; else null.
  std::shared_ptr<IndexView> Indices;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_PLANINPUT_H
