//===- LaunchBlocksTest.cpp - Blocks that workers share -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/LaunchBlocks.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

TEST(LaunchBlocks, OneWorkerGetsAll) {
  LaunchBlocks Blocks(3, 10, 1);
  EXPECT_FALSE(Blocks.isShared());
  const LaunchBlocks::Range R = Blocks.take();
  EXPECT_EQ(R.Begin, 3U);
  EXPECT_EQ(R.End, 10U);
  EXPECT_TRUE(Blocks.take().empty());
}

TEST(LaunchBlocks, RangesCoverAllOnceAndBecomeShorter) {
  for (const uint64_t N : {1, 2, 7, 1000}) {
    LaunchBlocks Blocks(0, N, 4);
    uint64_t Next = 0, Length = N;
    while (true) {
      const LaunchBlocks::Range R = Blocks.take();
      if (R.empty())
        break;
      EXPECT_EQ(R.Begin, Next);
      EXPECT_LE(R.End - R.Begin, Length);
      Length = R.End - R.Begin;
      Next = R.End;
    }
    EXPECT_EQ(Next, N);
    EXPECT_EQ(Length, 1U);
  }
}

TEST(LaunchBlocks, EarlierBlocksStayWanted) {
  LaunchBlocks Blocks(0, 100, 2);
  EXPECT_FALSE(Blocks.hasFailed());
  Blocks.fail(20);
  Blocks.fail(30);
  EXPECT_TRUE(Blocks.hasFailed());
  EXPECT_TRUE(Blocks.isWanted(19));
  EXPECT_FALSE(Blocks.isWanted(20));
  EXPECT_FALSE(Blocks.isWanted(25));
  Blocks.fail(5);
  EXPECT_FALSE(Blocks.isWanted(19));
}

TEST(LaunchBlocks, PrintsInTheOrderOfBlocks) {
  LaunchBlocks Blocks(0, 100, 2);
  testing::internal::CaptureStdout();
  Blocks.print(7, "7a ");
  Blocks.print(2, "2 ");
  Blocks.print(7, "7b ");
  Blocks.flush();
  Blocks.flush();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "2 7a 7b ");
}

TEST(LaunchBlocks, WritesMuchTextEarly) {
  LaunchBlocks Blocks(0, 100, 2);
  testing::internal::CaptureStdout();
  Blocks.print(1, std::string((16 << 20) + 1, 'x'));
  EXPECT_EQ(testing::internal::GetCapturedStdout().size(), (16U << 20) + 1);
}

} // namespace
