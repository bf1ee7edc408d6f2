//===- PageHomesTest.cpp - Runs of homes and equal shares -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/PageHomes.h"
#include <gtest/gtest.h>

using namespace gridspan;
using Runs = std::vector<PageHomes::Run>;

TEST(PageHomes, WholeIsOneRun) {
  PageHomes M(100, 0);
  EXPECT_EQ(M.runs(0, 100), (Runs{{0, 100, 0}}));
  EXPECT_EQ(M.at(99), 0);
  EXPECT_TRUE(M.anyAt(0));
  EXPECT_FALSE(M.anyAt(Host));
}

TEST(PageHomes, SetSplitsAndJoins) {
  PageHomes M(100, 0);
  M.set(20, 40, 1);
  M.set(40, 60, 1);
  EXPECT_EQ(M.runs(0, 100), (Runs{{0, 20, 0}, {20, 60, 1}, {60, 100, 0}}));
  M.set(20, 60, 0);
  EXPECT_EQ(M.runs(0, 100), (Runs{{0, 100, 0}}));
}

TEST(PageHomes, RunsAreCutToTheQuestion) {
  PageHomes M(100, 0);
  M.set(50, 100, Host);
  EXPECT_EQ(M.runs(40, 60), (Runs{{40, 50, 0}, {50, 60, Host}}));
  EXPECT_TRUE(M.runs(10, 10).empty());
}

TEST(PageHomes, CountsBytes) {
  PageHomes M(100, 0);
  M.set(30, 70, 2);
  EXPECT_EQ(M.bytesAt(0, 100, 2), 40u);
  EXPECT_EQ(M.bytesAt(60, 80, 2), 10u);
  EXPECT_EQ(M.bytesAt(60, 80, 1), 0u);
}

TEST(EqualShares, AreAlignedAndDifferByAPage) {
  EXPECT_EQ(equalShares(8 * 4096, 4096, 4),
            (std::vector<uint64_t>{0, 2 * 4096, 4 * 4096, 6 * 4096, 8 * 4096}));
  for (unsigned Count : {1u, 2u, 3u, 7u})
    for (uint64_t Bytes : {1ull, 4096ull, 100001ull, 1ull << 40}) {
      auto Cuts = equalShares(Bytes, 4096, Count);
      ASSERT_EQ(Cuts.size(), Count + 1);
      EXPECT_EQ(Cuts.front(), 0u);
      EXPECT_EQ(Cuts.back(), Bytes);
      for (unsigned I = 0; I < Count; ++I) {
        EXPECT_LE(Cuts[I], Cuts[I + 1]);
        EXPECT_LE(Cuts[I + 1] - Cuts[I], Bytes / Count + 2 * 4096);
        if (Cuts[I] != Bytes) {
          EXPECT_EQ(Cuts[I] % 4096, 0u);
        }
      }
    }
}
