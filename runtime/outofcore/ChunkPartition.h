//===- ChunkPartition.h - Divide a grid into chunks that fit ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The frames that a box of blocks touches, by the range functions, and grids
// divided into boxes that touch few enough of them. Pure.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_CHUNKPARTITION_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_CHUNKPARTITION_H

#include "runtime/outofcore/FrameSchedule.h"
#include "runtime/plan/Planner.h"
#include <array>
#include <map>

namespace gridspan {

/// The memory that a box of blocks touches.
struct ChunkFootprint {
  /// Disjoint, ascending by allocation and frame.
  std::vector<FrameUse> Uses;
  /// Bytes touched, and bytes of the frames touched; both by allocation.
  std::vector<double> Touched;
  std::vector<uint64_t> FrameBytes;
  /// Rows of the packed allocations, by allocation, and their bytes together.
  std::vector<PackedRows> Packed;
  uint64_t PackedBytes = 0;
  /// True if the touched bytes of a packed allocation are no pieces of rows, or
  /// such that the clone cannot find.
  bool Unpackable = false;
};

/// Bytes [Lo, Hi) of an allocation, paged or not, that a chunk may touch.
struct ByteUse {
  unsigned Allocation;
  uint64_t Lo;
  uint64_t Hi;
  bool Writes;
  bool operator==(const ByteUse &) const = default;
};

class ChunkPartitioner {
public:
  /// Keeps references to In and Paged. Paged has at least one entry for each
  /// allocation of In. Allocations that are not paged, or stay on the host, do
  /// not count.
  ChunkPartitioner(const PlanInput &In, const std::vector<PagedView> &Paged)
      : In(In), Paged(Paged), Ranges(In.Kernel->NumAccesses) {}

  /// Valid until pack(), unpackAll() or forget().
  const ChunkFootprint &footprint(const GridspanBox &Box) &;
  /// Returns what each access of the box touches, from its first byte to its
  /// last. In the order of the accesses.
  std::vector<ByteUse> byteUses(const GridspanBox &Box);
  /// Some allocation has come to stay on the host.
  void forget() { Known.clear(); }

  /// Packs from here on what boxes touch of this allocation: no frames.
  void pack(unsigned Allocation);
  void unpackAll();

  /// Divides Box along Axis into chunks. They touch at most a chunk's worth
  /// (PagedView.h) of each buffer that shrinks with the chunk, and at most a
  /// Ring-th of what Budget leaves beside the buffers that do not. Where chunks
  /// of one block along Axis are still too large, the other axes are divided
  /// too. Ascending. Empty when a block alone needs more than Budget.
  std::vector<GridspanBox> partition(const GridspanBox &Box, unsigned Axis,
                                     uint64_t Budget, unsigned Ring);

  /// Returns the bytes loaded when each frame that the launch touches is loaded
  /// once.
  uint64_t leastBytesIn();

  /// Bytes [0, N) of the allocation's frames that the launch is sure to
  /// overwrite and does not read are marked in View.
  void markOverwritten(unsigned Allocation, PagedView &View);

private:
  ChunkFootprint evaluate(const GridspanBox &Box);
  bool isPacked(int Allocation) const;
  void addWindows(ChunkFootprint &Out) const;
  struct Limits {
    std::vector<bool> Shrinks; ///< by allocation
    uint64_t Fixed = 0;        ///< bytes of the frames of those that do not
    uint64_t Budget = 0;
    unsigned Ring = 1;
  };
  Limits limitsFor(const GridspanBox &Box, unsigned Axis, uint64_t Budget,
                   unsigned Ring);
  bool good(const ChunkFootprint &F, const Limits &L) const;
  bool partitionInto(const GridspanBox &Box, unsigned Axis, const Limits &L,
                     std::vector<GridspanBox> &Out);

  const PlanInput &In;
  const std::vector<PagedView> &Paged;
  std::vector<GridspanRange> Ranges; ///< scratch
  /// Earlier answers, by BlockLo and BlockCount: candidates have most of their
  /// boxes in common.
  std::map<std::array<uint32_t, 6>, ChunkFootprint> Known;
  std::vector<unsigned> Packed; ///< ascending
};

/// Divides each box into as many as Parts, along the axis along which they, or
/// the blocks if there is one box, follow each other.
std::vector<GridspanBox> divideBoxes(const std::vector<GridspanBox> &Boxes,
                                     unsigned Parts);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_CHUNKPARTITION_H
