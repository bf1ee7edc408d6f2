//===- FrameRings.h - Rings of frames at fixed addresses --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mapping a frame waits behind the copies that are under way, and for the
// driver's lock. A sweep does without: the device holds the frames of an
// allocation in a ring of slots that are mapped once, frame F in slot
// F % Slots. The slots are mapped twice, back to back, so that frames
// [Lo, Hi) of at most as many as there are slots are contiguous from slot
// Lo % Slots on; a chunk that touches just them gets pointers that are moved by
// the distance between the frames' own place and that one.
//
// The plan of a launch tells how many slots a ring needs: no two frames that
// are on the device at once may share a slot. A few frames stay for long while
// others pass, such as one that the chunks of two devices touch. They are
// better off outside. Pure.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_FRAMERINGS_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_FRAMERINGS_H

#include "runtime/outofcore/FrameSchedule.h"

namespace gridspan {

struct RingSizes {
  /// Slots by allocation and device; 0: frames are mapped one by one, because
  /// chunks touch frames with others between them, or nothing comes.
  std::vector<std::vector<uint32_t>> Slots;
  /// Frames that are mapped one by one all the same, ascending.
  std::vector<std::vector<std::vector<uint32_t>>> Outside;
  /// Bytes of all slots, by device.
  std::vector<uint64_t> Bytes;
};

/// Rings for the frames that the plan loads. One that is there is kept where it
/// will do, but not of what has replicas instead.
RingSizes chooseRings(const OutOfCorePlan &Plan,
                      const std::vector<PagedView> &Paged,
                      const RingViews &Present, unsigned Devices);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_FRAMERINGS_H
