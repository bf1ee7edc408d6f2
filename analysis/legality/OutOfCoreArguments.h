//===- OutOfCoreArguments.h - Arguments out of core -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch on memory larger than the devices runs in chunks of blocks, and gets
// for each argument addresses where the data of a chunk are. That needs a
// kernel all of whose accesses are through arguments, pointers that it uses for
// nothing else, and ranges. What lacks one of these is read and written on the
// host, over the bus, unless it fits.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_LEGALITY_OUTOFCOREARGUMENTS_H
#define GRIDSPAN_ANALYSIS_LEGALITY_OUTOFCOREARGUMENTS_H

#include "analysis/summary/KernelSummary.h"

namespace gridspan {

enum class OutOfCoreRefusal {
#define GRIDSPAN_OUT_OF_CORE_REFUSAL(Kind, Name, Text) Kind,
#include "analysis/legality/OutOfCoreArguments.def"
};

/// Returns "unknown-range".
llvm::StringRef outOfCoreRefusalName(OutOfCoreRefusal R);
/// Returns "what a block accesses is not known".
llvm::StringRef outOfCoreRefusalText(OutOfCoreRefusal R);

struct NotOutOfCore {
  OutOfCoreRefusal Why;
  int Pointer;     ///< index into Pointers; -1: all memory
  uint32_t Access; ///< index into Accesses of the first access that
                   ///< shows it; NumAccesses: none does
};

/// Returns the pointers of the kernel that cannot be out-of-core, each with the
/// first reason. What holds for all memory comes first, then the pointers in
/// their order. A range that follows from indices that a launch may look up
/// counts as known.
llvm::SmallVector<NotOutOfCore, 4> findNotOutOfCore(const KernelSummary &K);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_LEGALITY_OUTOFCOREARGUMENTS_H
