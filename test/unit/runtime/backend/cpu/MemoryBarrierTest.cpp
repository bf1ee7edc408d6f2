//===- MemoryBarrierTest.cpp - mbarriers as words -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/calls/MemoryBarrier.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

constexpr uint32_t MostCount = (1U << MbarrierCountBits) - 1;

/// Arrives; returns the word before.
uint64_t arrive(uint64_t &Word, uint32_t Count = 1, int32_t Bytes = 0,
                bool Drops = false) {
  const uint64_t Before = Word;
  MemoryBarrier B = MemoryBarrier::unpack(Word);
  B.arrive(Count, Bytes, Drops);
  Word = B.pack();
  return Before;
}

void transfer(uint64_t &Word, int32_t Bytes) {
  MemoryBarrier B = MemoryBarrier::unpack(Word);
  B.transfer(Bytes);
  Word = B.pack();
}

TEST(MemoryBarrier, KeepsItsFields) {
  MemoryBarrier B;
  B.Pending = MostCount;
  B.Expected = MostCount - 1;
  B.Phase = 5;
  for (int32_t Bytes : {0, 1, -1, (1 << 20) - 1, -(1 << 20) + 1}) {
    B.Bytes = Bytes;
    const MemoryBarrier C = MemoryBarrier::unpack(B.pack());
    EXPECT_EQ(C.Pending, B.Pending);
    EXPECT_EQ(C.Expected, B.Expected);
    EXPECT_EQ(C.Bytes, Bytes);
    EXPECT_EQ(C.Phase, B.Phase);
  }
}

TEST(MemoryBarrier, CompletesWithTheLastArrival) {
  uint64_t Word = makeMemoryBarrier(3);
  for (int Phase = 0; Phase != 20; ++Phase) {
    const uint64_t First = arrive(Word);
    EXPECT_EQ(First & MostCount, 3U);
    EXPECT_FALSE(isPhaseComplete(Word, First));
    EXPECT_FALSE(isParityComplete(Word, Phase));
    EXPECT_TRUE(isParityComplete(Word, Phase + 1));
    const uint64_t Last = arrive(Word, 2);
    EXPECT_TRUE(isPhaseComplete(Word, First));
    EXPECT_TRUE(isPhaseComplete(Word, Last));
    EXPECT_TRUE(isParityComplete(Word, Phase));
  }
}

TEST(MemoryBarrier, WaitsForBytes) {
  uint64_t Word = makeMemoryBarrier(1);
  const uint64_t Before = arrive(Word, 1, 64);
  EXPECT_FALSE(isPhaseComplete(Word, Before));
  transfer(Word, -16);
  EXPECT_FALSE(isPhaseComplete(Word, Before));
  transfer(Word, -48);
  EXPECT_TRUE(isPhaseComplete(Word, Before));
}

TEST(MemoryBarrier, TakesBytesBeforeTheyAreExpected) {
  uint64_t Word = makeMemoryBarrier(1);
  const uint64_t Before = Word;
  transfer(Word, -32);
  EXPECT_FALSE(isPhaseComplete(Word, Before));
  transfer(Word, 32);
  EXPECT_FALSE(isPhaseComplete(Word, Before));
  arrive(Word);
  EXPECT_TRUE(isPhaseComplete(Word, Before));
}

TEST(MemoryBarrier, ExpectsFewerAfterADrop) {
  uint64_t Word = makeMemoryBarrier(2);
  arrive(Word, 1, 0, /*Drops=*/true);
  const uint64_t Last = arrive(Word);
  EXPECT_TRUE(isPhaseComplete(Word, Last));
  const uint64_t Alone = arrive(Word);
  EXPECT_EQ(Alone & MostCount, 1U);
  EXPECT_TRUE(isPhaseComplete(Word, Alone));
}

} // namespace
