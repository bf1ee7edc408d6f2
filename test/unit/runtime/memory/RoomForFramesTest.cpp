//===- RoomForFramesTest.cpp - Which allocations leave for frames ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The least recently used allocations, as few as are enough.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/RoomForFrames.h"
#include <gtest/gtest.h>

using namespace gridspan;

using Numbers = std::vector<size_t>;

TEST(RoomForFrames, TheLeastRecentlyUsedLeaveFirst) {
  const std::vector<RoomCandidate> Of = {{7, 10}, {2, 10}, {9, 10}, {4, 10}};
  EXPECT_EQ(leavingForFrames(Of, 0), Numbers());
  EXPECT_EQ(leavingForFrames(Of, 1), Numbers({1}));
  EXPECT_EQ(leavingForFrames(Of, 10), Numbers({1}));
  EXPECT_EQ(leavingForFrames(Of, 11), Numbers({1, 3}));
  EXPECT_EQ(leavingForFrames(Of, 40), Numbers({1, 3, 0, 2}));
}

TEST(RoomForFrames, AllLeaveWhereTheyAreNotEnough) {
  EXPECT_EQ(leavingForFrames({{2, 3}, {1, 3}}, 100), Numbers({1, 0}));
  EXPECT_EQ(leavingForFrames({}, 100), Numbers());
}

TEST(RoomForFrames, WhatIsNotOnTheDeviceStays) {
  EXPECT_EQ(leavingForFrames({{1, 0}, {2, 5}, {3, 0}}, 100), Numbers({1}));
}

TEST(RoomForFrames, NoneLeavesThatOthersMakeUnnecessary) {
  // The third is enough by itself, but older ones go as far as they help.
  EXPECT_EQ(leavingForFrames({{1, 2}, {2, 3}, {3, 100}}, 50), Numbers({2}));
  EXPECT_EQ(leavingForFrames({{1, 2}, {2, 3}, {3, 48}}, 50), Numbers({0, 2}));
}

TEST(RoomForFrames, TheLargestOfOneLaunchLeaveFirst) {
  EXPECT_EQ(leavingForFrames({{1, 2}, {1, 8}, {1, 8}, {0, 1}}, 9),
            Numbers({3, 1}));
}
