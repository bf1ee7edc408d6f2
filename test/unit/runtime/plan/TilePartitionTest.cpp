//===- TilePartitionTest.cpp - Cut points by predicted work ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/TilePartition.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace gridspan;

static GridspanBox box(uint32_t X, uint32_t Y, uint32_t Z) {
  return {nullptr, {X, Y, Z}, {32, 1, 1}, {0, 0, 0}, {X, Y, Z}};
}

static double uniform(const GridspanBox *B) {
  return 7.0 * B->BlockCount[0] * B->BlockCount[1] * B->BlockCount[2];
}

/// Block I along y costs I + 1.
static double triangular(const GridspanBox *B) {
  double Lo = B->BlockLo[1], N = B->BlockCount[1];
  return B->BlockCount[0] * (N * (N + 1) / 2 + Lo * N);
}

static double broken(const GridspanBox *) { return NAN; }

TEST(TilePartition, EqualBlocksWithoutWork) {
  EXPECT_EQ(partitionTiles(box(100, 1, 1), 0, {1, 1, 1, 1}, nullptr),
            (std::vector<uint32_t>{0, 25, 50, 75, 100}));
}

TEST(TilePartition, EqualBlocksForUniformAndForBrokenWork) {
  auto Expected = partitionTiles(box(10, 101, 1), 1, {1, 1, 1}, nullptr);
  EXPECT_EQ(partitionTiles(box(10, 101, 1), 1, {1, 1, 1}, uniform), Expected);
  EXPECT_EQ(partitionTiles(box(10, 101, 1), 1, {1, 1, 1}, broken), Expected);
}

TEST(TilePartition, TriangularWorkIsBalanced) {
  GridspanBox B = box(3, 1000, 1);
  auto Cuts = partitionTiles(B, 1, {1, 1, 1, 1}, triangular);
  ASSERT_EQ(Cuts.size(), 5u);
  const double Quarter = triangular(&B) / 4;
  for (int I = 0; I < 4; ++I) {
    B.BlockLo[1] = Cuts[I];
    B.BlockCount[1] = Cuts[I + 1] - Cuts[I];
    EXPECT_NEAR(triangular(&B), Quarter, 0.01 * Quarter);
  }
}

TEST(TilePartition, LoopsOfUnlikeSlotsAreBalanced) {
  // Block Y divides doubles Y times and adds integers for the rest of 1000:
  // slots as test/analysis/access/work-slots.ll has them.
  auto Work = [](const GridspanBox *B) {
    double Lo = B->BlockLo[1], N = B->BlockCount[1];
    double Divisions = N * (N - 1) / 2 + Lo * N;
    return 22.14 * Divisions + 2.2 * (1000 * N - Divisions);
  };
  GridspanBox B = box(1, 1000, 1);
  auto Cuts = partitionTiles(B, 1, {1, 1}, Work);
  EXPECT_GT(Cuts[1], 650u);
  const double Half = Work(&B) / 2;
  B.BlockCount[1] = Cuts[1];
  EXPECT_NEAR(Work(&B), Half, 0.01 * Half);
}

TEST(TilePartition, FasterDevicesGetMore) {
  EXPECT_EQ(partitionTiles(box(100, 1, 1), 0, {3, 1}, nullptr),
            (std::vector<uint32_t>{0, 75, 100}));
}

TEST(TilePartition, EveryPieceHasABlock) {
  for (uint32_t N = 7; N < 20; ++N) {
    auto Cuts = partitionTiles(box(1, N, 1), 1, std::vector<double>(7, 1.0),
                               triangular);
    ASSERT_EQ(Cuts.size(), 8u);
    EXPECT_EQ(Cuts.front(), 0u);
    EXPECT_EQ(Cuts.back(), N);
    for (int I = 0; I < 7; ++I)
      EXPECT_LT(Cuts[I], Cuts[I + 1]);
  }
}
