//===- PackedGrid.h - Grids of chunks that read packed rows -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divides a grid into a regular grid of chunks when they read packed rows
// (RowWindow.h): a part keeps its frames while its chunks, each with rows of
// its own, run through. Pure.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_PACKEDGRID_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_PACKEDGRID_H

#include "runtime/outofcore/ChunkPartition.h"

namespace gridspan {

/// A box is divided into Layers along the axis that is neither Outer nor Inner.
/// Each layer is divided into Parts along Outer, and each part into Chunks
/// along Inner. All are of about the same number of blocks.
struct GridPartition {
  unsigned Outer = 0;
  unsigned Inner = 0;
  uint32_t Layers = 1;
  uint32_t Parts = 1;
  uint32_t Chunks = 1;
  /// Seconds of the copies over the bus.
  double Seconds = 0;
};

/// The costs of copies, and the room there is.
struct GridLimits {
  uint64_t Budget; ///< bytes for frames and packed buffers of one device
  uint64_t PageSize;
  double HostToDevice; ///< bytes per second
  double DeviceToHost;
};

/// Partitions of Box along Outer and Inner, different axes, that seem to fit,
/// for the allocations that Partitioner packs. Estimates, from footprints in
/// the middle of the box. Paged is Partitioner's.
std::vector<GridPartition> packedPartitions(ChunkPartitioner &Partitioner,
                                            const std::vector<PagedView> &Paged,
                                            const GridspanBox &Box,
                                            unsigned Outer, unsigned Inner,
                                            const GridLimits &Limits);

/// The chunks in the order in which they run: that of neighbouring parts
/// alternates, so that the rows at their border need not come twice.
std::vector<GridspanBox> partitionGrid(const GridPartition &Partition,
                                       const GridspanBox &Box);

/// Bytes that could be copied in the time that one piece of a row takes beside
/// its own: measured with bench/probes/packed_rows.cu.
constexpr uint64_t RowOverhead = 2048;

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_PACKEDGRID_H
