//===- AllocationPolicy.h - Where an allocation fits ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A size that cannot be had is refused before anything is made. Memory of the
// host comes into being at its first touch, long after it was promised, and
// when there is none then the system ends the program. So paged memory is
// promised in full: what is on devices comes to the host sooner or later. Pure.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_MEMORY_ALLOCATIONPOLICY_H
#define GRIDSPAN_RUNTIME_MEMORY_ALLOCATIONPOLICY_H

#include <cstdint>

namespace gridspan {

/// The memory that there is, in bytes.
struct MemoryRoom {
  uint64_t AllDevices = 0; ///< free or not
  uint64_t OnDevices = 0;  ///< free, with what is only kept for later
  uint64_t OnHost = 0;     ///< free
  uint64_t Pooled = 0;     ///< of the host, for later allocations
  uint64_t Promised = 0; ///< of the host, to paged memory that is not there yet
  /// Some allocation had to leave the devices for others.
  bool Scarce = false;
};

enum class AllocationHome { OnDevices, Paged, Nowhere };

/// True if an allocation of Bytes bytes may live on devices without leaving
/// too little to others.
bool leavesRoom(uint64_t Bytes, const MemoryRoom &Room);
/// True if it may be paged.
bool hostHolds(uint64_t Bytes, const MemoryRoom &Room);
/// The same for unified memory, which cannot be paged later.
bool leavesRoomUnified(uint64_t Bytes, const MemoryRoom &Room);
/// Chooses the home of an allocation. It is on devices if that leaves room, or
/// if the host has no room.
AllocationHome chooseHome(uint64_t Bytes, bool Managed, const MemoryRoom &Room);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_MEMORY_ALLOCATIONPOLICY_H
