//===- TileShape.h - Tile and halo of what a block reads --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The box of elements that the threads of a block read of an array, of which a
// shared-memory tile can be made.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_REUSE_TILESHAPE_H
#define GRIDSPAN_ANALYSIS_ADVICE_REUSE_TILESHAPE_H

#include "analysis/advice/reuse/SharedMemoryReuse.h"
#include "analysis/advice/warpsim/WarpTrace.h"
#include <optional>

namespace gridspan {

/// The part of an array that a block needs for its loads, as a box of elements:
/// one for each thread and further ones around. Nothing if the threads of a
/// block are not at neighbouring elements of rows and planes.
std::optional<TileShape> tileShape(const KernelSites &Kernel,
                                   llvm::ArrayRef<uint32_t> Sites,
                                   const WarpTrace &Trace,
                                   const LaunchValues &Launch);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_REUSE_TILESHAPE_H
