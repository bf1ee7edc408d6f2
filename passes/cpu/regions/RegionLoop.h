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

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

/// Makes functions that run several neighbouring threads together.
struct TileMaker {
  unsigned Width; ///< a power of two
  /// Returns a function with F's parameters, which are those of the first
  /// thread; those whose numbers are given grow by 1. Null if there is none.
  llvm::function_ref<llvm::Function *(llvm::Function &F,
                                      llvm::ArrayRef<unsigned> Growing)>
      Make;
};

/// Returns a function that runs all threads of a block, whatever bounds it gets
/// for them. Precondition: copyChangedParameters(Kernel), and
/// findRegions(Kernel) does not refuse it then. Kernel stays.
llvm::Function *makeRegionLoop(llvm::Function &Kernel, llvm::StringRef Name,
                               TileMaker MakeTile);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_REGIONS_REGIONLOOP_H
