//===- FrameSchedule.h - Which frames come and go, and when --- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Given the chunks of a launch in their order and the frames that each touches,
// decides which frames are loaded before each, which leave for them, and when
// what was written is copied home. Pure.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_FRAMESCHEDULE_H
#define GRIDSPAN_RUNTIME_FRAMESCHEDULE_H

#include "StreamPlan.h"

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
    bool GoesHome = false;
  };
  uint64_t FrameBytes = 0;   ///< of all but the last
  std::vector<Frame> Frames; ///< none: the allocation is not paged
  /// What the launch leaves on devices is saved as well: the host is expected
  /// to want it before the next launch, and the bus has time during this one.
  bool Saves = false;
  /// Its frames may not move during the launch.
  bool Pinned = false;

  /// All of it is on the host, and stays there.
  void keepAway() {
    Pinned = true;
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

/// Fills in what moves around the Steps, whose Device and Uses are given, and
/// counts the bytes. Budget is what the frames on each device may take
/// together. Apart: a step finds nothing but what is on its own device, so that
/// frames of others come over the host. False when some step needs more at once
/// than there is.
bool scheduleFrames(const std::vector<PagedView> &Paged,
                    const std::vector<uint64_t> &Budget, StreamPlan &Plan,
                    bool Apart = false);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_FRAMESCHEDULE_H
