//===- PagedView.h - Paged memory as a launch finds it ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data: where the frames of paged allocations are, and which rings of
// slots exist for them. Planners read it; the pager makes it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_MEMORY_PAGEDVIEW_H
#define GRIDSPAN_RUNTIME_MEMORY_PAGEDVIEW_H

#include "runtime/backend/Backend.h"
#include <cstdint>
#include <vector>

namespace gridspan {

/// The frames of one paged allocation as a launch finds them.
struct PagedView {
  struct Frame {
    uint64_t Bytes = 0;
    Location Where = Host;
    bool Dirty = false;  ///< on a device, and the host's copy is old
    bool Filled = false; ///< holds something that may be read
    /// The launch writes all of it and reads none.
    bool Overwritten = false;
    /// The host wants it back when the launch is done.
    bool MustWriteBack = false;
  };
  uint64_t FrameBytes = 0; ///< of all but the last
  /// What a chunk touches of it at most where chunks of as many bytes, of all
  /// allocations together, have room beside each other; 0: a frame.
  uint64_t ChunkBytes = 0;
  std::vector<Frame> Frames; ///< none: the allocation is not paged
  /// True if what the launch leaves on devices is saved as well: the host is
  /// expected to want it before the next launch, and the bus has time during
  /// this one.
  bool Saves = false;
  /// True if it stays on the host during the launch, where all of it is.
  bool StaysOnHost = false;
  /// True if it is freed behind the launch: nobody wants what that leaves.
  bool IsFreedNext = false;

  /// Makes it stay on the host.
  void keepOnHost() {
    StaysOnHost = true;
    for (Frame &F : Frames) {
      F.Where = Host;
      F.Dirty = false;
    }
  }

  uint64_t bytes() const {
    uint64_t Sum = 0;
    for (const Frame &F : Frames)
      Sum += F.Bytes;
    return Sum;
  }
};

/// A ring as a launch finds it.
struct RingView {
  uint32_t Slots = 0;           ///< 0: there is none
  std::vector<uint32_t> Frames; ///< that are in it
};

/// Rings by allocation and device.
using RingViews = std::vector<std::vector<RingView>>;

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_MEMORY_PAGEDVIEW_H
