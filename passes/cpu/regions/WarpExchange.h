//===- WarpExchange.h - Warp operations as barriers -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lets kernels whose lanes exchange values be cut into regions (CpuRegions.h):
// a shuffle, a vote, a match or a reduction becomes a store of the lane's
// value, a barrier of the block, and loads of other lanes' values.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_REGIONS_WARPEXCHANGE_H
#define GRIDSPAN_PASSES_CPU_REGIONS_WARPEXCHANGE_H

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

/// Replaces the warp operations of a kernel with thread parameters, if all of
/// them can be. Returns false, with nothing changed, if not or if there are
/// none. Afterwards the kernel is for findRegions and makeRegionLoop only: it
/// computes addresses of other threads' variables from its own. It is for the
/// caller to see whether all threads get to the barriers, and whether none ends
/// before.
bool replaceWarpOperations(llvm::Function &Kernel);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_REGIONS_WARPEXCHANGE_H
