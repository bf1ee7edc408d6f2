//===- OutOfCorePlan.h - A launch larger than device memory -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch whose buffers live on the host, or a chain of such launches, divided
// into chunks of blocks that run one behind the other while the frames of later
// chunks come and those of earlier ones go. A frame is the unit in which paged
// memory changes its home (Pager.h). Plain data: the planner makes it, the
// executor carries it out, tests compare it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_OUTOFCOREPLAN_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_OUTOFCOREPLAN_H

#include "runtime/backend/Backend.h"
#include "runtime/outofcore/HostSharing.h"
#include "runtime/outofcore/RowWindow.h"
#include "runtime/support/LaunchReasons.h"
#include <array>
#include <compare>
#include <cstdint>
#include <vector>

namespace gridspan {

/// A frame of OutOfCoreInput::Paged[Allocation].
struct FrameRef {
  unsigned Allocation;
  uint32_t Frame;
  auto operator<=>(const FrameRef &) const = default;
};

/// Frames [Lo, Hi) of an allocation that a chunk touches, with GridspanMode
/// bits.
struct FrameUse {
  unsigned Allocation;
  uint32_t Lo;
  uint32_t Hi;
  uint32_t Modes;
  bool operator==(const FrameUse &) const = default;
};

struct FrameLoad {
  FrameRef Ref;
  /// Its contents are wanted: neither undefined nor overwritten unread.
  bool Copy;
  bool operator==(const FrameLoad &) const = default;
};

/// Rows of an allocation that a chunk reads packed, At bytes into its buffer.
struct PackedRows {
  unsigned Allocation;
  RowWindow Window;
  uint64_t At;
  bool operator==(const PackedRows &) const = default;
};

/// Blocks that run on one device, and what moves around them.
struct OutOfCoreStep {
  /// The launch whose blocks they are, where a plan is of several.
  unsigned Launch = 0;
  int Device = 0;
  std::array<uint32_t, 3> Lo = {0, 0, 0};
  std::array<uint32_t, 3> Count = {1, 1, 1};
  std::vector<FrameUse> Uses;
  /// Leave before the loads; their contents are on the host by then.
  std::vector<FrameRef> Evict;
  /// Come to Device before the blocks run.
  std::vector<FrameLoad> Load;
  /// Which of the device's streams for chunks they run on (DeviceLanes), if
  /// they are not packed.
  unsigned Lane = 0;
  /// Earlier steps, on other devices or lanes, that must be over before the
  /// blocks run, ascending. Steps of one lane run in their order anyway.
  std::vector<uint32_t> After;
  /// Copied to the host behind the blocks: nothing writes them until they go.
  std::vector<FrameRef> Save;
  /// One for each of the plan's packed allocations that the chunk touches, in
  /// this buffer of the device; there already when LoadPacked is false.
  std::vector<PackedRows> Packed;
  unsigned Buffer = 0;
  bool LoadPacked = false;
};

/// A copy of an allocation that a device has of its own, for all of its steps.
struct OutOfCoreReplica {
  unsigned Allocation;
  int Device;
  auto operator<=>(const OutOfCoreReplica &) const = default;
};

/// An argument that stays where it is, and why.
struct InPlaceArgument {
  unsigned Allocation;
  LaunchReason Why;
  bool operator==(const InPlaceArgument &) const = default;
};

/// Bytes that cross the bus.
struct BusBytes {
  uint64_t In = 0;
  uint64_t Out = 0;
};

struct OutOfCorePlan {
  /// Buffers for packed rows on each device: while chunks read one, the next
  /// one is filled.
  static constexpr unsigned NumPackedBuffers = 2;

  /// Copied to the host first, so that they can be evicted: what earlier
  /// launches wrote.
  std::vector<FrameRef> SaveFirst;
  std::vector<OutOfCoreStep> Steps;
  /// Leave when all is done; saved by then.
  std::vector<FrameRef> EvictLast;
  /// They are touched at their own address while the steps run.
  std::vector<InPlaceArgument> InPlace;
  /// Ascending. Frames of these allocations are on no device.
  std::vector<OutOfCoreReplica> Replicas;
  std::vector<uint64_t> ReplicaBytes; ///< that they take, by device
  /// Arguments that devices read from each other instead.
  std::vector<InPlaceArgument> Linked;
  /// What is saved of frames that the host shares, by allocation.
  std::vector<HostSharing> Shared;
  /// Allocations that the chunks read packed; their frames stay away.
  std::vector<unsigned> Packed;
  uint64_t PackedBufferBytes = 0; ///< of each buffer; 0: none
  /// The blocks run as tiles of the clone. Otherwise there is one step, the
  /// launch as the program wrote it.
  bool Chunked = false;
  /// The reason that it is not chunked; None if it is.
  LaunchReason WhyUnsplit = LaunchReason::None;
  /// The reason that its chunks run on one of several devices, or None.
  LaunchReason WhyOneDevice = LaunchReason::None;
  /// The number of launches whose chunks follow each other.
  unsigned Depth = 1;
  uint64_t BytesIn = 0;
  uint64_t BytesOut = 0;
  /// What copies move that go by themselves (LaunchReason::CopiedDirectly), by
  /// launch of a chain; counted above as well.
  std::vector<BusBytes> Direct;
  /// The least that the launches need to move (leastTraffic()), by launch.
  std::vector<BusBytes> Least;
  /// Bytes that chunks touch on their own device and elsewhere, each once a
  /// chunk, if several devices are used. Upper bounds.
  uint64_t LocalBytes = 0;
  uint64_t RemoteBytes = 0;
  double PredictedSeconds = 0;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_OUTOFCOREPLAN_H
