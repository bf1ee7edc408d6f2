//===- RoomForFrames.h - Which allocations leave for frames -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where devices lack room for frames, allocations that are on them for good
// become paged. What launches do not use loses nothing by that; the rest
// streams, and a library's work on it, which must have its memory in place,
// runs by itself instead of among the chunks of other launches. So the least
// recently used go first. Launches that wait have been looked at last: what
// they touch goes after everything else. Pure.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_MEMORY_ROOMFORFRAMES_H
#define GRIDSPAN_RUNTIME_MEMORY_ROOMFORFRAMES_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gridspan {

/// An allocation that can become paged.
struct RoomCandidate {
  /// Grows from use to use; the same for what one launch uses.
  uint64_t LastUse;
  /// That it has on the device.
  uint64_t Bytes;
};

/// Returns the numbers of the candidates that make room for Lacking bytes on a
/// device together, in the order in which they go: of all of them, if they are
/// not enough. Without any one of these it would be too little. Of what one
/// launch uses the largest go first, so that they are few.
std::vector<size_t> leavingForFrames(const std::vector<RoomCandidate> &Of,
                                     uint64_t Lacking);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_MEMORY_ROOMFORFRAMES_H
