//===- TilePartition.h - Partition a grid by cost ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Partitions a launch along one axis so that every device gets its share of the
// predicted work: a triangular loop gets tiles of unequal height.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_TILEPARTITION_H
#define GRIDSPAN_RUNTIME_PLAN_TILEPARTITION_H

#include "gridspan/ABI.h"
#include <cstdint>
#include <vector>

namespace gridspan {

/// Partitions Box (all blocks of a launch) along Axis into one contiguous piece
/// for each of Shares, in their order, every piece with about its share of the
/// work. Returns the Shares.size() + 1 block indices that bound them, strictly
/// ascending. Without Work every block counts the same. The box has at least as
/// many blocks along Axis as shares, and Work grows with the box.
std::vector<uint32_t> partitionTiles(const GridspanBox &Box, unsigned Axis,
                                     const std::vector<double> &Shares,
                                     GridspanWorkFn Work);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_TILEPARTITION_H
