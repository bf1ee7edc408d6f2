//===- PlanInput.h - A launch as the planner sees it ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data: the launch, the buffers that its pointers lead to, and the homes
// of their pages.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_PLANINPUT_H
#define GRIDSPAN_RUNTIME_PLAN_PLANINPUT_H

#include "gridspan/ABI.h"
#include "runtime/backend/CopyDirectory.h"
#include "runtime/backend/PageHomes.h"
#include "runtime/support/LaunchReasons.h"
#include <memory>
#include <optional>
#include <vector>

namespace gridspan {

/// A buffer that the launch's pointers lead to.
struct PlacedAllocation {
  uint64_t Bytes = 0;
  /// The homes of its pages. Null: not ours (pinned or registered host memory,
  /// for example).
  const PageHomes *Homes = nullptr;
  /// True if it is not ours, and no memory of the host that devices know:
  /// perhaps a pointer beside what it is for (x - 1, for elements that are
  /// numbered from 1).
  bool Unknown = false;
  /// True if its pages may get another home.
  bool Movable = false;
  /// True if some of it may not be mapped, so that it cannot be copied in one
  /// piece.
  bool Paged = false;
  /// True if all writes to it are seen, so that a replica stays good until one.
  bool Tracked = false;
  /// Allocation::misplaced() and Moves.
  double Misplaced = 0;
  unsigned Moves = 0;
  /// True if the device holds a replica of the present contents, by device.
  std::vector<bool> HasReplica;
  /// The number of launches like this one that have found the present contents.
  uint64_t Unchanged = 0;
  /// The places that have its bytes where devices do not reach each other.
  CopyDirectory Copies;
  /// True if what a tile writes to a copy stays there; and if what launches
  /// left there was brought home before others used it.
  bool Stays = false;
  bool GoesHome = false;

  /// Returns true if some of it may be on the host, where devices use it by its
  /// address. Of paged memory the frames say where they are.
  bool mayBeOnHost() const { return !Homes || Homes->anyAt(Host); }
};

/// The place that a pointer of the kernel leads to; Allocation is -1 for null.
struct PlacedPointer {
  int Allocation = -1;
  int64_t Offset = 0;
};

enum class Schedule {
  Single,  ///< never split
  Static,  ///< split whatever may be split, over all devices
  Dynamic, ///< the same, in packets that go to whichever device is free
  Hybrid,  ///< the same, behind a first packet that is a share of the tile
  Auto,    ///< split what is predicted to be faster
};

/// Returns true if all is split that may be, whatever it takes.
inline bool splitsAll(Schedule Sched) {
  return Sched == Schedule::Static || Sched == Schedule::Dynamic ||
         Sched == Schedule::Hybrid;
}

/// The share of its tile that a device's first packet is with
/// Schedule::Hybrid, unless the user says another one.
constexpr double DefaultStaticShare = 0.5;
/// The reductions that devices may have private copies for.
enum class PrivateCopyUse {
  Never,
  Integers, ///< none whose result depends on the order
  Auto,     ///< all, where that is predicted to be faster
  Always,   ///< all, whatever the prediction
};

class IndexView;
struct LaunchHistory;

struct PlanInput {
  const GridspanKernel *Kernel = nullptr;
  GridspanBox Box = {};                ///< all blocks of the launch
  std::vector<PlacedPointer> Pointers; ///< one for each of Kernel->Pointers
  std::vector<PlacedAllocation> Allocations;
  /// True if there is memory on the host that a kernel may reach by unknown
  /// pointers.
  bool HostPagesExist = false;
  /// The one device that a launch larger than memory streams through, where
  /// whoever launches it wants that.
  std::optional<int> OnlyDevice = std::nullopt;
  /// A reason outside the planner's sight to run the launch unsplit, or None.
  LaunchReason WhyUnsplit = LaunchReason::None;
  PrivateCopyUse Privates = PrivateCopyUse::Auto;
  /// Devices that reach memory may have replicas of what launches only read.
  bool MayReplicate = true;
  /// Devices that do not reach memory may have copies of it.
  bool MovesPointers = true;
  /// The object behind Box.Indices, if the kernel loads indices; else null.
  std::shared_ptr<IndexView> Indices;
  /// The times of launches like this one; null: they are not measured.
  const LaunchHistory *History = nullptr;
  /// The number of launches like this one before.
  uint64_t Repeats = 0;
  /// Of Schedule::Hybrid, 0 to 1.
  double StaticShare = DefaultStaticShare;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_PLANINPUT_H
