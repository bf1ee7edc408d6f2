//===- PackedGrid.h - Grids of chunks that read packed rows -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How to cut a grid into a regular grid of chunks when they read packed rows
// (RowWindow.h): a part keeps its frames while its chunks, each with rows of
// its own, run through. Pure.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_PACKEDGRID_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_PACKEDGRID_H

#include "runtime/outofcore/ChunkPartition.h"

namespace gridspan {

/// A box is cut into Layers along the axis that is neither Outer nor Inner,
/// each of these into Parts along Outer, and each of these into Chunks along
/// Inner, all of about the same number of blocks.
struct GridCut {
  unsigned Outer = 0;
  unsigned Inner = 0;
  uint32_t Layers = 1;
  uint32_t Parts = 1;
  uint32_t Chunks = 1;
  /// What is copied over the bus, as time.
  double Seconds = 0;
};

/// What copies cost, and what there is room for.
struct GridLimits {
  uint64_t Budget; ///< bytes for frames and slots of one device
  uint64_t PageSize;
  double HostToDevice; ///< bytes per second
  double DeviceToHost;
};

/// Cuts of Box along Outer and Inner, different axes, that seem to fit, for the
/// allocations that Cutter packs. Estimates, from footprints in the middle of
/// the box. Paged is Cutter's.
std::vector<GridCut> packedCuts(ChunkCutter &Cutter,
                                const std::vector<PagedView> &Paged,
                                const GridspanBox &Box, unsigned Outer,
                                unsigned Inner, const GridLimits &Limits);

/// The chunks in the order in which they run: that of neighbouring parts
/// alternates, so that the rows at their border need not come twice.
std::vector<GridspanBox> cutGrid(const GridCut &Cut, const GridspanBox &Box);

/// Bytes that could be copied in the time that one piece of a row takes beside
/// its own: measured with bench/probes/packed_rows.cu.
constexpr uint64_t RowOverhead = 2048;

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_PACKEDGRID_H
