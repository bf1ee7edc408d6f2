//===- RangePoolTest.cpp - Mapped ranges for later allocations ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pool by itself: ranges are numbers, and unmapping notes them.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/RangePool.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

class RangePoolTest : public testing::Test {
protected:
  static constexpr uint64_t Memory = 800; // an eighth of it is kept

  static SystemInfo system() {
    SystemInfo Out;
    Out.Devices.resize(2);
    for (DeviceInfo &D : Out.Devices)
      D.MemoryBytes = Memory;
    return Out;
  }

  MappedRange range(uintptr_t Name, const PageHomes &Homes, uint64_t Bytes) {
    MappedRange R;
    R.Base = reinterpret_cast<std::byte *>(Name);
    R.Bytes = Bytes;
    R.Homes = Homes;
    return R;
  }
  void put(uintptr_t Name, uint64_t Bytes, Location Where = 0) {
    Pool.put(range(Name, PageHomes(Bytes, Where), Bytes));
  }
  /// Returns the range's name; 0: there was none.
  uintptr_t take(uint64_t Bytes, Location Where = 0) {
    const std::optional<MappedRange> R =
        Pool.take(Bytes, PageHomes(Bytes, Where));
    return R ? reinterpret_cast<uintptr_t>(R->Base) : 0;
  }

  std::vector<uintptr_t> Unmapped;
  RangePool Pool{system(), [this](const MappedRange &R) {
                   Unmapped.push_back(reinterpret_cast<uintptr_t>(R.Base));
                 }};
};

using Names = std::vector<uintptr_t>;

} // namespace

TEST_F(RangePoolTest, GivesWhatHasTheSizeAndTheHomes) {
  PageHomes Spread(10, 0);
  Spread.set(5, 10, 1);
  put(1, 10);
  put(2, 10, 1);
  Pool.put(range(3, Spread, 10));
  EXPECT_TRUE(Pool.has(10));
  EXPECT_FALSE(Pool.has(11));
  EXPECT_EQ(take(9), 0U);
  EXPECT_EQ(take(10, 1), 2U);
  EXPECT_EQ(take(10, 1), 0U);
  EXPECT_EQ(Pool.bytes(0), 15U);
  EXPECT_EQ(Pool.bytes(1), 5U);
  const std::optional<MappedRange> R = Pool.take(10, Spread);
  ASSERT_TRUE(R);
  EXPECT_EQ(R->Homes, Spread);
  EXPECT_EQ(Pool.bytes(1), 0U);
  EXPECT_EQ(take(10), 1U);
  EXPECT_FALSE(Pool.has(10));
  EXPECT_EQ(Pool.reused(), 3U);
  EXPECT_TRUE(Unmapped.empty());
}

TEST_F(RangePoolTest, GivesTheLowestAddress) {
  for (uintptr_t Name : {2, 1, 4, 3})
    put(Name, 10);
  for (uintptr_t Name : {1, 2, 3})
    EXPECT_EQ(take(10), Name);
  put(1, 10);
  EXPECT_EQ(take(10), 1U);
  EXPECT_EQ(take(10), 4U);
}

TEST_F(RangePoolTest, TheOldestMakeRoomForTheNewest) {
  ASSERT_EQ(Pool.bound(0), 100U);
  put(1, 40);
  put(2, 60);
  put(3, 100, 1); // of the other device
  EXPECT_TRUE(Unmapped.empty());
  put(4, 30);
  EXPECT_EQ(Unmapped, (Names{1}));
  EXPECT_EQ(Pool.bytes(0), 90U);
  EXPECT_EQ(Pool.bytes(1), 100U);
  put(5, 20);
  EXPECT_EQ(Unmapped, (Names{1, 2}));
  EXPECT_EQ(Pool.unmapped(), 2U);
}

TEST_F(RangePoolTest, WhatIsTooLargeLeavesTheOthers) {
  put(1, 40);
  put(2, 101);
  EXPECT_EQ(Unmapped, (Names{2}));
  EXPECT_EQ(take(40), 1U);
  // 160 bytes, but not on one device.
  PageHomes Spread(160, 0);
  Spread.set(80, 160, 1);
  Pool.put(range(3, Spread, 160));
  EXPECT_EQ(Unmapped, (Names{2}));
}

TEST_F(RangePoolTest, GivesBackTheOldestOfADevice) {
  put(1, 30);
  put(2, 30, 1);
  put(3, 30);
  put(4, 30);
  EXPECT_TRUE(Pool.giveBack(0, 31));
  EXPECT_EQ(Unmapped, (Names{1, 3}));
  EXPECT_TRUE(Pool.giveBack(0, 31)); // less, but some
  EXPECT_FALSE(Pool.giveBack(0, 1));
  EXPECT_EQ(Unmapped, (Names{1, 3, 4}));
  EXPECT_EQ(Pool.bytes(1), 30U);
  EXPECT_EQ(take(30, 1), 2U);
}

TEST_F(RangePoolTest, EmptyGivesBackAll) {
  for (uintptr_t Name : {1, 2, 3})
    put(Name, 10 * Name);
  Pool.empty();
  EXPECT_EQ(Unmapped, (Names{1, 2, 3}));
  EXPECT_EQ(Pool.bytes(0), 0U);
  EXPECT_FALSE(Pool.has(10));
  put(4, 10);
  EXPECT_EQ(take(10), 4U);
}

TEST_F(RangePoolTest, ManyOfManySizes) {
  // Whatever happens, the bytes are those of the ranges that are there.
  uint64_t Bytes = 0;
  for (uintptr_t I = 0; I != 5000; ++I) {
    const uint64_t Size = 1 + I * 7 % 13;
    if (I % 3 == 2) {
      Bytes -= take(Size) ? Size : 0;
    } else {
      const size_t Before = Unmapped.size();
      put(1 + I, Size);
      Bytes += Size;
      for (size_t U = Before; U != Unmapped.size(); ++U)
        Bytes -= 1 + (Unmapped[U] - 1) * 7 % 13;
    }
    ASSERT_EQ(Pool.bytes(0), Bytes);
    ASSERT_LE(Bytes, Pool.bound(0));
  }
}
