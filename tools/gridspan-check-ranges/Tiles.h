//===- Tiles.h - Predicted and touched bytes of a tile ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the comparisons with a trace: boxes of blocks, ranges of accesses
// in absolute addresses, and sets of bytes.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPAN_CHECK_RANGES_TILES_H
#define GRIDSPAN_TOOLS_GRIDSPAN_CHECK_RANGES_TILES_H

#include "analysis/summary/KernelSummary.h"
#include "gridspan/ABI.h"
#include "gridspan/AccessTraceFormat.h"
#include <vector>

namespace gridspan {

/// Half-open range of addresses.
struct Span {
  uint64_t Lo, Hi;
  bool operator<(const Span &O) const { return Lo < O.Lo; }
  bool operator==(const Span &) const = default;
};

/// Sorted, disjoint, not adjacent.
std::vector<Span> merged(std::vector<Span> Spans);
double bytesOf(const std::vector<Span> &Spans);

/// Blocks [Lo, Lo + Count) of a launch.
struct Box {
  std::array<uint32_t, 3> Lo, Count;

  bool contains(const std::array<uint32_t, 3> &Block) const;
};

/// Returns the part of a launch that a device ran.
Box tileOf(const TracedLaunch &Launch);
/// Divides the box along an axis into four, or into as many as it has blocks.
std::vector<Box> quartersOf(const Box &Blocks, unsigned Axis);

/// A range of an access in absolute addresses.
struct Prediction {
  const AccessSummary *Access;
  GridspanRange Range;
  uint64_t Base;

  bool contains(const Span &S) const;
  /// Rows of all planes.
  int64_t rows() const { return Range.RowsPerPlane * Range.Planes; }
  double bytes() const;
  Span row(int64_t Row) const;
};

/// The ranges of all accesses of the kernel, in the order of its summary, for
/// blocks of a launch.
std::vector<Prediction> predict(const KernelSummary &Kernel,
                                const TracedLaunch &Launch, const Box &Blocks);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPAN_CHECK_RANGES_TILES_H
