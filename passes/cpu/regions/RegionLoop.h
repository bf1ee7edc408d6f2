//===- RegionLoop.h - Barriers as loops over threads ---------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the regions of a kernel one after the other, each in a loop over the
// threads of the block.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_REGIONS_REGIONLOOP_H
#define GRIDSPAN_PASSES_CPU_REGIONS_REGIONLOOP_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

/// Returns a function that runs all threads of a block, whatever bounds it gets
/// for them. Precondition: copyChangedParameters(Kernel), and
/// findRegions(Kernel) does not refuse it then. Kernel stays.
llvm::Function *makeRegionLoop(llvm::Function &Kernel, llvm::StringRef Name);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_REGIONS_REGIONLOOP_H
