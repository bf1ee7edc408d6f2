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

TEST(Admission, WhatFitsDevicesAndLeavesRoomIsThere) {
  MemoryRoom Room = empty();
  EXPECT_EQ(choosePlace(40, false, Room), Placing::OnDevices);
  EXPECT_EQ(choosePlace(78, false, Room), Placing::OnDevices);
  EXPECT_EQ(choosePlace(79, false, Room), Placing::Paged);
  EXPECT_EQ(choosePlace(81, false, Room), Placing::Paged);
  Room.Scarce = true;
  EXPECT_EQ(choosePlace(20, false, Room), Placing::OnDevices);
  EXPECT_EQ(choosePlace(21, false, Room), Placing::Paged);
}

TEST(Admission, UnifiedMemoryLeavesRoomForWhatIsPaged) {
  MemoryRoom Room = empty();
  EXPECT_EQ(choosePlace(70, true, Room), Placing::OnDevices);
  EXPECT_EQ(choosePlace(71, true, Room), Placing::Paged);
  Room.OnDevices = 30;
  EXPECT_EQ(choosePlace(20, true, Room), Placing::OnDevices);
  EXPECT_EQ(choosePlace(21, true, Room), Placing::Paged);
  Room.OnDevices = 9;
  EXPECT_EQ(choosePlace(1, true, Room), Placing::Paged);
  Room = empty();
  Room.Scarce = true;
  EXPECT_EQ(choosePlace(1, true, Room), Placing::Paged);
  // Or takes what there is.
  Room.OnHost = 0;
  EXPECT_EQ(choosePlace(80, true, Room), Placing::OnDevices);
  EXPECT_EQ(choosePlace(81, true, Room), Placing::Nowhere);
}

TEST(Admission, DevicesDoNotMakeTheHostLarger) {
  MemoryRoom Room = empty();
  EXPECT_EQ(choosePlace(200, false, Room), Placing::Paged);
  EXPECT_EQ(choosePlace(201, false, Room), Placing::Nowhere);
  EXPECT_EQ(choosePlace(201, true, Room), Placing::Nowhere);
}

TEST(Admission, WhatIsPromisedIsGoneAndWhatIsKeptIsNot) {
  MemoryRoom Room = empty();
  Room.OnDevices = 0;
  Room.Promised = 150;
  EXPECT_EQ(choosePlace(50, true, Room), Placing::Paged);
  EXPECT_EQ(choosePlace(51, true, Room), Placing::Nowhere);
  Room.Kept = 10;
  EXPECT_EQ(choosePlace(60, true, Room), Placing::Paged);
  EXPECT_EQ(choosePlace(61, true, Room), Placing::Nowhere);
  Room.Promised = 300;
  EXPECT_EQ(choosePlace(1, true, Room), Placing::Nowhere);
}

TEST(Admission, DevicesTakeWhatTheHostHasNoRoomFor) {
  MemoryRoom Room = empty();
  Room.OnHost = 10;
  EXPECT_EQ(choosePlace(80, false, Room), Placing::OnDevices);
  EXPECT_EQ(choosePlace(81, false, Room), Placing::Nowhere);
  Room.Scarce = true;
  EXPECT_EQ(choosePlace(30, false, Room), Placing::OnDevices);
}
