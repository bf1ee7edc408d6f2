//===- Plan.h - What is to be done for a launch -----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decisions of the planner as plain data: which device runs which blocks, what
// it reads from a copy of its own, which pages move first. The executor carries
// a plan out; tests compare it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_PLAN_H
#define GRIDSPAN_RUNTIME_PLAN_PLAN_H

#include "runtime/backend/Backend.h"
#include "runtime/support/LaunchReasons.h"
#include <array>
#include <cstdint>
#include <vector>

namespace gridspan {

/// Bytes [Lo, Hi) of an allocation.
struct ByteSpan {
  uint64_t Lo;
  uint64_t Hi;
  bool operator==(const ByteSpan &) const = default;
};

/// Rows of RowBytes bytes of an allocation, Pitch apart, the first at Lo.
struct ByteRows {
  uint64_t Lo;
  uint64_t RowBytes;
  uint64_t Pitch; ///< RowBytes when there is one row
  uint64_t Rows;

  uint64_t hi() const { return Lo + (Rows - 1) * Pitch + RowBytes; }
  uint64_t bytes() const { return Rows * RowBytes; }
  bool operator==(const ByteRows &) const = default;
};

/// An allocation that a tile's device cannot reach: the tile uses a copy.
struct TileCopy {
  unsigned Allocation; ///< index into PlanInput::Allocations
  /// What the copy must hold before; ascending.
  std::vector<ByteSpan> In;
  /// What is brought home behind the tile: bytes that it surely writes.
  std::vector<ByteRows> Out;
  bool operator==(const TileCopy &) const = default;
};

/// Blocks that one device runs.
struct TilePlan {
  int Device = 0;
  std::array<uint32_t, 3> Lo = {0, 0, 0};
  std::array<uint32_t, 3> Count = {1, 1, 1};
  /// Indices into PlanInput::Allocations: all pointers into these are replaced
  /// by pointers into a copy on the device.
  std::vector<unsigned> Replicas;
  /// The same, for what the device cannot reach.
  std::vector<TileCopy> Copies;
  /// Bytes accessed in the device's memory (or a replica there) and elsewhere,
  /// each byte once for reading and once for writing. Upper bounds.
  uint64_t LocalBytes = 0;
  uint64_t RemoteBytes = 0;
  bool operator==(const TilePlan &) const = default;
};

/// Pages [Lo, Hi) of an allocation go to another home.
struct MovePlan {
  unsigned Allocation; ///< index into PlanInput::Allocations
  uint64_t Lo;
  uint64_t Hi;
  Location To;
  bool operator==(const MovePlan &) const = default;
};

/// What a launch does to an allocation as a whole.
struct AllocationEffect {
  bool Written = false;
  /// By tile, what it may write; only when some tile uses a staged copy.
  std::vector<std::vector<ByteSpan>> WrittenBy;
  /// Seconds that a move of its pages would have saved the launch.
  double Misplaced = 0;
  /// The same of one that finds its replicas filled.
  double MisplacedAgain = 0;
  /// When launches' Misplaced of the allocation have come to so many seconds,
  /// the move is worth it.
  double MoveAt = 0;
  bool operator==(const AllocationEffect &) const = default;
};

struct PlanInput;

struct Plan {
  /// Ascending devices, the first is 0. One tile: the launch runs whole.
  std::vector<TilePlan> Tiles;
  /// Why the launch runs unsplit; None if it is split.
  LaunchReason WhyUnsplit = LaunchReason::None;
  /// The axis it was cut along.
  unsigned Axis = 0;
  /// Of a split launch: the grid that the tiles are parts of, which may be
  /// longer than the program's (GridExtension.h).
  std::array<uint32_t, 3> Grid = {1, 1, 1};
  /// To be done before; the launch is then planned again.
  std::vector<MovePlan> Moves;
  /// One for each of PlanInput::Allocations.
  std::vector<AllocationEffect> Effects;
  /// May write allocations that no argument points into.
  bool WritesAnywhere = false;
  /// Some range was unknown: the bytes are those of the whole allocation.
  bool UnknownRanges = false;
  double PredictedSeconds = 0;
  /// Another way would be faster if its pages were in place, and its replicas,
  /// so that the launch is to be planned again if it is repeated.
  bool MayImprove = false;
  /// The split pays only while what its replicas are of stays the same.
  bool NeedsReplicas = false;

  bool isSplit() const { return Tiles.size() > 1; }
};

/// Adds to the plan what the launch writes, however it runs.
void addWrites(const PlanInput &Input, Plan &Out);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_PLAN_H
