//===- SplitCandidate.h - A way to run a launch, with its cost --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch partitioned into tiles one way: what each tile touches, what it
// reads from a replica, how many bytes are local and remote, and how long it
// should take.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_SPLITCANDIDATE_H
#define GRIDSPAN_RUNTIME_PLAN_SPLITCANDIDATE_H

#include "runtime/backend/SystemInfo.h"
#include "runtime/plan/MayAccess.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/PlanInput.h"
#include <numeric>
#include <vector>

namespace gridspan {

/// The bytes that one tile touches in one allocation.
struct Touch {
  MayAccess Reads;
  MayAccess Writes; ///< and atomics
  /// Modes of accesses that lead outside of it (ByteInterval.h): they are to
  /// something else.
  uint32_t Outside = 0;
  /// Bytes read plus bytes written, by their home: those touched, and those
  /// that memory moves for them.
  boost::container::small_vector<double, 9> ByHome, Moved;
  /// The bytes that go over a link for each byte.
  double PerByteAfar = 1;

  double at(Location Home) const { return ByHome[Home + 1]; }
  double movedAt(Location Home) const { return Moved[Home + 1]; }
  double all() const {
    return std::accumulate(ByHome.begin(), ByHome.end(), 0.0);
  }
};

/// A partition with its accesses and its cost.
struct SplitCandidate {
  unsigned Axis = 0;
  unsigned Cut = 0;               ///< TileCut::Number
  std::vector<GridspanBox> Boxes; ///< the K-th runs on device K
  std::vector<TilePlan> Tiles;
  /// [tile][allocation]
  std::vector<std::vector<Touch>> Touched;
  double Seconds = 0;
  /// The same if all replicas are there; and if none is and all are made for
  /// this launch.
  double SecondsRepeated = 0;
  double SecondsWithoutReplicas = 0;
  /// The same if pages have moved to where this candidate wants them; and if
  /// all replicas are there too.
  double SecondsMoved = 0;
  double SecondsInPlace = 0;
  /// What all of these have that does not depend on the kernel.
  double FixedSeconds = 0;
  /// The longest that a tile's links take for what it would have in its own
  /// memory then.
  double AfarSeconds = 0;
  double RemoteBytes = 0;
  std::vector<double> RemoteByAllocation;
  /// Those of allocations that stay remote if pages have moved to where this
  /// candidate wants them.
  double RemoteBytesInPlace = 0;
  /// The reason why some device cannot access what its tile touches; None if
  /// all can, in place or by copies for tiles.
  LaunchReason WhyUnreachable = LaunchReason::None;
  bool UnknownRanges = false;
  /// AllocationEffect::AtHome, by allocation; empty: no tile has a copy.
  std::vector<std::optional<HomeUse>> AtHome;
};

/// Costs the partition of a launch along Axis into Boxes, the K-th on device K.
/// If it HasPrivates, tiles reduce into private copies where they may.
SplitCandidate evaluateSplitCandidate(const PlanInput &In,
                                      const SystemInfo &System, unsigned Axis,
                                      std::vector<GridspanBox> Boxes,
                                      bool HasPrivates = false);

/// Returns true if the tile reads the allocation from a replica.
bool isReplaced(const TilePlan &Tile, unsigned Allocation);

/// Returns the tile's copy of the allocation; null if it has none.
const TileCopy *tileCopy(const TilePlan &Tile, unsigned Allocation);

/// Returns Touch::Outside of all tiles.
uint32_t outsideModes(const SplitCandidate &C, unsigned Allocation);

/// Notes in the plan what the candidate touches and writes that no pointer of
/// the kernel leads to.
void noteOutside(const SplitCandidate &C, Plan &Out);

/// Returns the bytes per second with which Device accesses memory at Home; 0:
/// it cannot.
double linkBandwidth(const SystemInfo &System, int Device, Location Home);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_SPLITCANDIDATE_H
