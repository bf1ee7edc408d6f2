//===- Room.h - How much of the data is on devices at a time -- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Primitives that go through data in segments, or have work space for a part of
// them, ask here how long such a part is.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_ROOM_H
#define GRIDSPAN_ALGORITHM_ROOM_H

#include "gridspan/algorithm/Memory.h"
#include <algorithm>

namespace gridspan::detail {

/// Frames of a segment. Enough for the launches of a segment to be small beside
/// it, and few beside what a device holds.
inline constexpr Index FramesPerSegment = 8;

/// Sets Out to as many elements as have room in a part of the devices' free
/// memory, one in Parts of it, in multiples of Unit: at least one, and no more
/// than Count. Shares: of as many devices' memory, one's.
inline cudaError_t findRoom(uint64_t BytesEach, Index Parts, Index Unit,
                            Index Count, Index &Out, Index Shares = 1) {
  size_t Free = 0, Total = 0;
  if (cudaError_t Error = cudaMemGetInfo(&Free, &Total))
    return Error;
  const auto Room = static_cast<Index>(Free / BytesEach) / (Parts * Shares);
  Out = std::min(std::max(Room / Unit, Index(1)) * Unit, Count);
  return cudaSuccess;
}

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_ROOM_H
