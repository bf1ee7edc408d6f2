//===- AllocationPolicyTest.cpp - Sizes that can be had -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/AllocationPolicy.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

/// A device of 80 and a host of 200, both empty.
MemoryRoom empty() {
  MemoryRoom Room;
  Room.AllDevices = Room.OnDevices = 80;
  Room.OnHost = 200;
  return Room;
}

} // namespace

TEST(AllocationPolicy, WhatFitsDevicesAndLeavesRoomIsThere) {
  MemoryRoom Room = empty();
  EXPECT_EQ(chooseHome(40, false, Room), AllocationHome::OnDevices);
  EXPECT_EQ(chooseHome(78, false, Room), AllocationHome::OnDevices);
  EXPECT_EQ(chooseHome(79, false, Room), AllocationHome::Paged);
  EXPECT_EQ(chooseHome(81, false, Room), AllocationHome::Paged);
  Room.Scarce = true;
  EXPECT_EQ(chooseHome(20, false, Room), AllocationHome::OnDevices);
  EXPECT_EQ(chooseHome(21, false, Room), AllocationHome::Paged);
}

TEST(AllocationPolicy, LargeOnesDoNotTakeTheLastOfADevice) {
  MemoryRoom Room = empty();
  Room.AllDevices = 640;
  Room.OnDevices = 100;
  EXPECT_EQ(chooseHome(90, false, Room), AllocationHome::OnDevices);
  EXPECT_EQ(chooseHome(91, false, Room), AllocationHome::Paged);
  // But small ones do, and they all if there is nothing else.
  Room.OnDevices = 10;
  EXPECT_EQ(chooseHome(10, false, Room), AllocationHome::OnDevices);
  Room.OnDevices = 100;
  Room.OnHost = 0;
  EXPECT_EQ(chooseHome(100, false, Room), AllocationHome::OnDevices);
  // Of very much it is no share.
  Room = empty();
  Room.AllDevices = Room.OnDevices = uint64_t(80) << 30;
  Room.OnHost = uint64_t(200) << 30;
  Room.OnDevices = uint64_t(40) << 30;
  EXPECT_EQ(chooseHome(Room.OnDevices - (uint64_t(32) << 20), false, Room),
            AllocationHome::OnDevices);
}

TEST(AllocationPolicy, UnifiedMemoryLeavesRoomForWhatIsPaged) {
  MemoryRoom Room = empty();
  EXPECT_EQ(chooseHome(70, true, Room), AllocationHome::OnDevices);
  EXPECT_EQ(chooseHome(71, true, Room), AllocationHome::Paged);
  Room.OnDevices = 30;
  EXPECT_EQ(chooseHome(20, true, Room), AllocationHome::OnDevices);
  EXPECT_EQ(chooseHome(21, true, Room), AllocationHome::Paged);
  Room.OnDevices = 9;
  EXPECT_EQ(chooseHome(1, true, Room), AllocationHome::Paged);
  Room = empty();
  Room.Scarce = true;
  EXPECT_EQ(chooseHome(1, true, Room), AllocationHome::Paged);
  // Or takes what there is.
  Room.OnHost = 0;
  EXPECT_EQ(chooseHome(80, true, Room), AllocationHome::OnDevices);
  EXPECT_EQ(chooseHome(81, true, Room), AllocationHome::Nowhere);
}

TEST(AllocationPolicy, DevicesDoNotMakeTheHostLarger) {
  MemoryRoom Room = empty();
  EXPECT_EQ(chooseHome(200, false, Room), AllocationHome::Paged);
  EXPECT_EQ(chooseHome(201, false, Room), AllocationHome::Nowhere);
  EXPECT_EQ(chooseHome(201, true, Room), AllocationHome::Nowhere);
}

TEST(AllocationPolicy, WhatIsPromisedIsGoneAndWhatIsKeptIsNot) {
  MemoryRoom Room = empty();
  Room.OnDevices = 0;
  Room.Promised = 150;
  EXPECT_EQ(chooseHome(50, true, Room), AllocationHome::Paged);
  EXPECT_EQ(chooseHome(51, true, Room), AllocationHome::Nowhere);
  Room.Pooled = 10;
  EXPECT_EQ(chooseHome(60, true, Room), AllocationHome::Paged);
  EXPECT_EQ(chooseHome(61, true, Room), AllocationHome::Nowhere);
  Room.Promised = 300;
  EXPECT_EQ(chooseHome(1, true, Room), AllocationHome::Nowhere);
}

TEST(AllocationPolicy, DevicesTakeWhatTheHostHasNoRoomFor) {
  MemoryRoom Room = empty();
  Room.OnHost = 10;
  EXPECT_EQ(chooseHome(80, false, Room), AllocationHome::OnDevices);
  EXPECT_EQ(chooseHome(81, false, Room), AllocationHome::Nowhere);
  Room.Scarce = true;
  EXPECT_EQ(chooseHome(30, false, Room), AllocationHome::OnDevices);
}
