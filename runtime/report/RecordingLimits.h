//===- RecordingLimits.h - How much a profile records -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A profile is to take a tenth of the run at most. On a CPU device a recorded
// block takes tens of times as long as others, as its threads meet at each
// access. So there are few such blocks there, with more warps of each, and the
// launches that have some are far between.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_REPORT_RECORDINGLIMITS_H
#define GRIDSPAN_RUNTIME_REPORT_RECORDINGLIMITS_H

#include <cstdint>

namespace gridspan {

struct RecordingLimits {
  /// Launches of a class that are recorded, at most.
  uint64_t Launches = 6;
  /// The number of one of them over that of the one before.
  uint64_t Spacing = 2;
  /// Blocks of a launch that are recorded, and warps of a block, at most.
  uint64_t Blocks = 16, Warps = 4;
};

inline constexpr RecordingLimits CpuRecordingLimits = {3, 32, 4, 8};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_REPORT_RECORDINGLIMITS_H
