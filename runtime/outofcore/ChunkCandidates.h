//===- ChunkCandidates.h - Ways to divide a launch into chunks --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the way to divide a launch into chunks, along one axis of the grid or
// two, that moves the fewest bytes over the bus. Pure.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_CHUNKCANDIDATES_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_CHUNKCANDIDATES_H

#include "runtime/outofcore/ChunkPartition.h"
#include "runtime/outofcore/OutOfCoreLegality.h"
#include "runtime/outofcore/PackedGrid.h"
#include <optional>

namespace gridspan {

class ChunkCandidates {
public:
  /// Keeps references. When In's views change, footprints are to be forgotten.
  ChunkCandidates(const OutOfCoreInput &In, const SystemInfo &System)
      : In(In), System(System), Apart(!System.allReachAll()),
        Partitioner(In.Launch, In.Paged) {}

  /// The best plan on the first Devices devices, or on the launch's only one,
  /// without replicas; none where a single block needs more than there is.
  std::optional<OutOfCorePlan> best(unsigned Devices);
  /// The launch as one step on device 0, or on its only one.
  std::optional<OutOfCorePlan> unsplit();
  /// A plan on the same devices as best()'s whose chunks follow memory along
  /// one axis, ascending on each device, and load hardly a byte twice; none
  /// where there is no such axis.
  std::optional<OutOfCorePlan> sweep(unsigned Devices);

  ChunkPartitioner &footprints() { return Partitioner; }

private:
  struct AxisPartition;

  int deviceOf(size_t Share) const;
  std::vector<GridspanBox> shares(unsigned Axis) const;
  std::vector<GridspanBox> ringOfChunks(const GridspanBox &Box, unsigned Axis,
                                        uint64_t Budget);
  std::optional<std::vector<GridspanBox>>
  chunksOf(const GridspanBox &Share, const AxisPartition &C, uint64_t Budget);
  std::optional<OutOfCorePlan>
  planOf(const std::vector<std::vector<GridspanBox>> &Chunks);
  std::optional<OutOfCorePlan> tryAlongAxis(const AxisPartition &C);
  std::optional<OutOfCorePlan> bestAlongAxis();
  std::vector<GridPartition> gridPartitions();
  std::optional<OutOfCorePlan> bestGrid();
  std::optional<OutOfCorePlan> bestPacked();
  double seconds(const OutOfCorePlan &Plan) const;

  const OutOfCoreInput &In;
  const SystemInfo &System;
  const bool Apart; ///< some device does not reach another one's memory
  ChunkPartitioner Partitioner;
  unsigned Devices = 1; ///< that run chunks
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_CHUNKCANDIDATES_H
