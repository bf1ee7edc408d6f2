//===- AllocationPolicy.cpp - Where an allocation fits --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A few comparisons with shares of the devices' and the host's memory. The
// shares leave room for the rings that larger memory comes through, and for the
// program's other allocations.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/AllocationPolicy.h"
#include <algorithm>

namespace gridspan {

/// Share that an allocation must leave of the devices' memory, or whatever
/// comes next would have to push it out: a part of what there is, and once
/// allocations had to be pushed out, more.
static constexpr uint64_t LeftShare = 32;
static constexpr uint64_t ScarceLeftShare = 4;

/// What larger allocations leave to small ones, as counters and flags do not
/// belong on the host: at most so much, and no more than a share.
static constexpr uint64_t MostForSmall = uint64_t(32) << 20;
static constexpr uint64_t SmallShare = 64;

bool leavesRoom(uint64_t Bytes, const MemoryRoom &Room) {
  if (Bytes > Room.OnDevices)
    return false;
  const uint64_t ForSmall =
      std::min(MostForSmall, Room.AllDevices / SmallShare);
  if (Bytes > ForSmall && Room.OnDevices - Bytes < ForSmall)
    return false;
  if (Room.Scarce)
    return Bytes <= Room.OnDevices / ScarceLeftShare;
  // Many small ones that fill a device are not held up.
  return Bytes <= Room.AllDevices / 2 ||
         Bytes <= Room.OnDevices - Room.OnDevices / LeftShare;
}

/// Share that unified memory leaves: enough for rings that larger memory comes
/// through.
static constexpr uint64_t UnifiedLeftShare = 8;

bool leavesRoomUnified(uint64_t Bytes, const MemoryRoom &Room) {
  return !Room.Scarce && Bytes <= Room.OnDevices &&
         Room.OnDevices - Bytes >= Room.AllDevices / UnifiedLeftShare;
}

bool hostHolds(uint64_t Bytes, const MemoryRoom &Room) {
  const uint64_t Free = Room.OnHost + Room.Pooled;
  return Room.Promised <= Free && Bytes <= Free - Room.Promised;
}

AllocationHome chooseHome(uint64_t Bytes, bool Managed,
                          const MemoryRoom &Room) {
  const bool Fits = hostHolds(Bytes, Room);
  const bool LeavesRoom =
      Managed ? leavesRoomUnified(Bytes, Room) : leavesRoom(Bytes, Room);
  if (Bytes <= Room.OnDevices && (LeavesRoom || !Fits))
    return AllocationHome::OnDevices;
  return Fits ? AllocationHome::Paged : AllocationHome::Nowhere;
}

} // namespace gridspan
