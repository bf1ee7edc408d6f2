//===- OutOfCoreArguments.h - Which arguments can be streamed ---*- C++ -*-===//
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

enum class StreamingRefusal {
#define GRIDSPAN_STREAMING_REFUSAL(Kind, Name, Text) Kind,
#include "analysis/legality/OutOfCoreArguments.def"
};

/// "unknown-range".
llvm::StringRef streamingRefusalName(StreamingRefusal R);
/// "what a block accesses is not known".
llvm::StringRef streamingRefusalText(StreamingRefusal R);

struct NotStreamed {
  StreamingRefusal Why;
  int Pointer;     ///< index into Pointers; -1: all memory
  uint32_t Access; ///< index into Accesses of the first access that
                   ///< shows it; NumAccesses: none does
};

/// Why which of the kernel's pointers cannot be streamed: for each the first
/// reason that there is, in the order of the pointers, after what holds for all
/// memory. A range that follows from indices that a launch may look up counts
/// as known.
llvm::SmallVector<NotStreamed, 4> findNotStreamed(const KernelSummary &K);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_LEGALITY_OUTOFCOREARGUMENTS_H
