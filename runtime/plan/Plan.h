//===- Plan.h - The plan of a launch, as data -------------------*- C++ -*-===//
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
#include "runtime/backend/ByteRows.h"
#include "runtime/plan/LaunchHistory.h"
#include "runtime/support/LaunchReasons.h"
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace gridspan {

/// A copy of an allocation that a tile's device cannot reach.
struct TileCopy {
  unsigned Allocation; ///< index into PlanInput::Allocations
  /// The bytes that the copy must hold before; ascending.
  std::vector<ByteSpan> In;
  /// The bytes that the tile writes, which are those that it surely writes.
  std::vector<ByteRows> Out;
  bool operator==(const TileCopy &) const = default;
};

/// What tiles without a copy of an allocation do with it.
struct HomeUse {
  std::vector<ByteSpan> Reads; ///< ascending, disjoint
  std::vector<ByteRows> Writes;
  bool operator==(const HomeUse &) const = default;
};

/// A copy, for one tile alone, of memory that it reduces into: filled with the
/// identity before, and combined into that memory behind all tiles.
struct PrivateCopy {
  unsigned Allocation; ///< index into PlanInput::Allocations
  /// The bytes of the allocation that it stands for, in whole elements.
  uint64_t Lo;
  uint64_t Hi;
  GridspanReduction Kind; ///< not None
  bool operator==(const PrivateCopy &) const = default;
};

/// The blocks that one device runs.
struct TilePlan {
  int Device = 0;
  std::array<uint32_t, 3> Lo = {0, 0, 0};
  std::array<uint32_t, 3> Count = {1, 1, 1};
  /// Indices into PlanInput::Allocations: all pointers into these are replaced
  /// by pointers into a copy on the device.
  std::vector<unsigned> Replicas;
  /// The copies of what the device cannot reach.
  std::vector<TileCopy> Copies;
  std::vector<PrivateCopy> Privates;
  /// Bytes accessed in the device's memory (or a replica there) and elsewhere,
  /// each byte once for reading and once for writing. Upper bounds.
  uint64_t LocalBytes = 0;
  uint64_t RemoteBytes = 0;
  bool operator==(const TilePlan &) const = default;
};

/// A move of the pages [Lo, Hi) of an allocation to another home.
struct MovePlan {
  unsigned Allocation; ///< index into PlanInput::Allocations
  uint64_t Lo;
  uint64_t Hi;
  Location To;
  bool operator==(const MovePlan &) const = default;
};

/// The effect of a launch on one allocation.
struct AllocationEffect {
  bool Written = false;
  /// Set if some tile uses a peerless copy: what the others do with it, where
  /// it is.
  std::optional<HomeUse> AtHome;
  /// Seconds that a move of its pages would have saved the launch.
  double Misplaced = 0;
  /// The seconds that it would have saved a launch that finds its replicas
  /// filled.
  double MisplacedAgain = 0;
  /// Seconds that a move of its pages would cost the launch, which has them
  /// where it wants them.
  double Contented = 0;
  /// The seconds at which the sum of the launches' Misplaced makes the move
  /// worth it.
  double MoveAt = 0;
  bool operator==(const AllocationEffect &) const = default;
};

/// The way that the blocks of a split launch are handed out (PacketQueue.h).
struct PacketPlan {
  double StaticShare = 0;
  uint32_t LeastBlocks = 1;
  bool operator==(const PacketPlan &) const = default;
};

struct PlanInput;

struct Plan {
  /// The tiles by ascending device, the first is 0. One tile: the launch runs
  /// unsplit.
  std::vector<TilePlan> Tiles;
  /// The reason why the launch runs unsplit; None if it is split.
  LaunchReason WhyUnsplit = LaunchReason::None;
  /// Set if the tiles are the regions of packets that go to whichever device is
  /// free.
  std::optional<PacketPlan> Packets;
  /// The reason why none are handed out though the user asks for it, or None.
  LaunchReason WhyStatic = LaunchReason::None;
  /// The axis that it was partitioned along.
  unsigned Axis = 0;
  /// The grid that the tiles of a split launch are of, which may be longer than
  /// the program's (GridExtension.h).
  std::array<uint32_t, 3> Grid = {1, 1, 1};
  /// Moves to be done before; the launch is then planned again.
  std::vector<MovePlan> Moves;
  /// Effects on PlanInput::Allocations, one for each.
  std::vector<AllocationEffect> Effects;
  /// True if it may write allocations that no argument points into; and if it
  /// may read or write them.
  bool WritesAnywhere = false;
  bool TouchesAnywhere = false;
  /// True if some range was unknown: the bytes are those of the entire
  /// allocation.
  bool UnknownRanges = false;
  double PredictedSeconds = 0;
  /// The seconds less than unsplit that it promises to take, and whether times
  /// of the kernel say so.
  double Saves = 0;
  bool SavesByTimes = false;
  /// True if another way would be faster with its pages in place, and its
  /// replicas, so that the launch is to be planned again if it is repeated.
  bool MayImprove = false;
  /// The division that the launch counts as; set if its time is of use.
  std::optional<Division> Timed;
  /// The prediction that its time is compared with; 0: it is not timed.
  double PredictedTime = 0;
  /// LaunchTime::Fixed and Size of a launch that is timed.
  double FixedTime = 0;
  double Size = 1;
  /// The shares of the work that the tiles have; set if the launch is timed.
  std::vector<double> Shares;
  /// TileBalance::wantsTimes() of the cut.
  bool WantsTimes = false;
  /// True if only a guess of the work says that a split cannot pay: launches
  /// are timed, and planned again by what that tells.
  bool IsByGuess = false;
  /// DivisionChoice::IsTry and WantsTry.
  bool IsTry = false;
  bool WantsTry = false;
  /// True if the split pays only while what its replicas are of stays the same.
  bool NeedsReplicas = false;

  bool isSplit() const { return Tiles.size() > 1; }
};

/// Adds to the plan what the launch writes, however it runs.
void addWrites(const PlanInput &Input, Plan &Out);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_PLAN_H
