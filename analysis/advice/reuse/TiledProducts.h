//===- TiledProducts.h - Products of matrices, read from memory -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds products of matrices: loops in which a block reads rows of one array
// and columns of another.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_REUSE_TILEDPRODUCTS_H
#define GRIDSPAN_ANALYSIS_ADVICE_REUSE_TILEDPRODUCTS_H

#include "analysis/advice/reuse/SharedMemoryReuse.h"

namespace gridspan {

/// The loops of a kernel in which each thread gathers a row of one matrix times
/// a column of another, without the times of other forms.
std::vector<TiledProduct> findProducts(const KernelSites &Kernel,
                                       const WarpTrace &Trace);

/// Bytes of the tiles, and what a launch moves that copies them to shared
/// memory: requests and sectors of everything else are replayed.
MemoryCounts countsOfTiles(const KernelSites &Kernel, const WarpTrace &Trace,
                           const MachineModel &Machine,
                           llvm::ArrayRef<SiteAddress> Addresses,
                           TiledProduct &Product);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_REUSE_TILEDPRODUCTS_H
