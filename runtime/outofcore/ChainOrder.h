//===- ChainOrder.h - Order of the chunks of a chain ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The chunks of several launches, one behind the other, put into an order in
// which a chunk of a later launch follows the chunks of earlier ones that it
// needs as closely as can be: what these brought and wrote is then still on the
// device. Pure.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_CHAINORDER_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_CHAINORDER_H

#include "runtime/outofcore/ChunkPartition.h"
#include "runtime/outofcore/OutOfCorePlan.h"

namespace gridspan {

/// A chunk as a step that nothing moves around yet, and the bytes it touches.
struct ChainChunk {
  OutOfCoreStep Step;
  std::vector<ByteUse> Bytes;
};

/// The chunks of a launch by device, ascending in memory.
using ChainLaunch = std::vector<std::vector<ChainChunk>>;

/// A way to walk through a chain.
struct ChainWalk {
  /// The number of launches whose chunks follow each other, at least 1. When
  /// all chunks of so many have run, those of the next begin.
  unsigned Depth = 1;
  /// Device 0 begins with its last chunks. Devices beside each other walk in
  /// opposite directions, and so do the same device's next launches after
  /// Depth.
  bool Backward = false;
  /// Chunks follow each other as the launches do, and the lanes that they are
  /// on let them overlap.
  bool InOrder = false;
  bool operator==(const ChainWalk &) const = default;
};

/// Chunks of a chain that touch the same bytes, at least one of them to write.
class ChainOrder {
public:
  /// Keeps the reference. Chunks of one launch depend on nothing of each other.
  explicit ChainOrder(const std::vector<ChainLaunch> &Launches);

  /// Returns the steps in their order, with Launch, Device, Lo, Count, Uses,
  /// Lane and After.
  std::vector<OutOfCoreStep> walk(const ChainWalk &Way) const;

private:
  /// Chunks by number: launch by launch, device by device.
  uint32_t numberOf(unsigned Launch, unsigned Device, size_t Chunk) const {
    return static_cast<uint32_t>(Begins[Launch][Device] + Chunk);
  }

  const std::vector<ChainLaunch> &Launches;
  std::vector<std::vector<size_t>> Begins;      ///< by launch and device
  std::vector<std::vector<uint32_t>> Before;    ///< chunks needed, by chunk
  std::vector<std::pair<int, unsigned>> LaneOf; ///< and device, by chunk
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_CHAINORDER_H
