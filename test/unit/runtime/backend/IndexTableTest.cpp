//===- IndexTableTest.cpp - Bounds of indices in memory -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/IndexTable.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace gridspan;

namespace {

/// Returns the table of Values[Lo / 4 ...).
IndexTable tableOf(const std::vector<int32_t> &Values, uint64_t Lo) {
  IndexTable T(Lo, Values.size() * 4, 4);
  std::vector<IndexBounds> Bounds(T.leaves());
  scanIndices(&Values[Lo / 4], T.elements(), 4, T.perLeaf(), Bounds.data());
  T.fill(Bounds.data());
  return T;
}

} // namespace

TEST(IndexTable, BoundsContainTheElementsAndLittleMore) {
  std::mt19937 Random(1);
  for (size_t Count : {1, 63, 64, 65, 1000, 4097, 70000}) {
    std::vector<int32_t> Values(Count);
    for (size_t I = 0; I < Count; ++I)
      Values[I] = int32_t(I) - 500;
    for (size_t First : {size_t(0), Count / 2}) {
      const IndexTable T = tableOf(Values, 4 * First);
      EXPECT_LE(T.leaves(), IndexTable::MostLeaves);
      for (int Try = 0; Try < 200; ++Try) {
        size_t A = First + Random() % (Count - First);
        size_t B = First + Random() % (Count - First);
        if (A > B)
          std::swap(A, B);
        const IndexBounds E = T.bound(4 * A, 4 * B);
        EXPECT_LE(E.Min, Values[A]);
        EXPECT_GE(E.Max, Values[B]);
        EXPECT_GT(E.Min + int64_t(T.perLeaf()), Values[A]);
        EXPECT_LT(E.Max - int64_t(T.perLeaf()), Values[B]);
      }
    }
  }
}

TEST(IndexTable, AnyRunOfLeaves) {
  std::mt19937 Random(2);
  std::vector<int32_t> Values(64 * 37);
  for (int32_t &V : Values)
    V = int32_t(Random());
  const IndexTable T = tableOf(Values, 0);
  ASSERT_EQ(T.perLeaf(), 64u);
  for (size_t A = 0; A < 37; ++A)
    for (size_t B = A; B < 37; ++B) {
      const IndexBounds E = T.bound(A * 256, B * 256 + 252);
      const auto [Min, Max] = std::minmax_element(
          Values.begin() + A * 64, Values.begin() + (B + 1) * 64);
      EXPECT_EQ(E.Min, *Min);
      EXPECT_EQ(E.Max, *Max);
    }
}

TEST(IndexTable, HasFewLeavesWhateverTheSize) {
  for (uint64_t Elements :
       {uint64_t(1), uint64_t(1) << 16, (uint64_t(1) << 22) + 1,
        uint64_t(1) << 28, (uint64_t(1) << 36) + 12345}) {
    const IndexTable T(0, Elements * 8, 8);
    EXPECT_LE(T.leaves(), IndexTable::MostLeaves);
    EXPECT_GE(T.leaves() * T.perLeaf(), Elements);
  }
}

TEST(IndexTable, TwoIntervalsHoldAllElements) {
  std::mt19937 Random(3);
  for (int Round = 0; Round < 50; ++Round) {
    // Some places, around which the elements are.
    std::vector<int32_t> Places, Values(64 * 20);
    for (int I = 0; I < 1 + Round % 4; ++I)
      Places.push_back(int32_t(Random()) / 2);
    for (int32_t &V : Values)
      V = Places[Random() % Places.size()] + int32_t(Random() % 100);
    const IndexTable T = tableOf(Values, 0);
    for (size_t A = 0; A < Values.size(); A += 17)
      for (size_t B = A; B < Values.size(); B += 101) {
        const IndexBounds E = T.bound(4 * A, 4 * B);
        for (size_t I = A; I <= B; ++I)
          ASSERT_TRUE((Values[I] >= E.Min && Values[I] <= E.LowMax) ||
                      (Values[I] >= E.HighMin && Values[I] <= E.Max));
        if (Places.size() == 2 && B > A + 1000) {
          EXPECT_LT(E.LowMax - E.Min, 100);
          EXPECT_LT(E.Max - E.HighMin, 100);
        }
      }
  }
}

TEST(IndexTable, IndicesThatGoRoundAndThoseThatMeanNothing) {
  std::vector<int32_t> Values(6400);
  for (int I = 0; I < 6400; ++I)
    Values[I] = (I + 3210) % 6400;
  IndexBounds E = tableOf(Values, 0).bound(4 * 3180, 4 * 3200);
  EXPECT_EQ(E.Min, 0);
  EXPECT_LT(E.LowMax, 128);
  EXPECT_GT(E.HighMin, 6400 - 128);
  EXPECT_EQ(E.Max, 6399);
  for (int I = 0; I < 6400; I += 7)
    Values[I] = -1;
  E = tableOf(Values, 0).bound(4 * 1000, 4 * 1100);
  EXPECT_EQ(E.Min, -1);
  EXPECT_EQ(E.LowMax, -1);
  EXPECT_GT(E.HighMin, 3210 + 900);
  EXPECT_LT(E.Max, 3210 + 1200);
}

TEST(IndexTable, IntegersOfAllSizesAreSigned) {
  const std::vector<int8_t> Bytes = {5, -128, 127, -1, 7};
  const std::vector<int16_t> Shorts = {5, -32768, 32767};
  const std::vector<int64_t> Longs = {INT64_MIN, INT64_MAX, 0};
  IndexBounds Out[3];
  auto Expect = [&](int I, int64_t Min, int64_t LowMax, int64_t HighMin,
                    int64_t Max) {
    EXPECT_EQ(Out[I].Min, Min);
    EXPECT_EQ(Out[I].LowMax, LowMax);
    EXPECT_EQ(Out[I].HighMin, HighMin);
    EXPECT_EQ(Out[I].Max, Max);
  };
  scanIndices(Bytes.data(), 5, 1, 2, Out);
  Expect(0, -128, -128, 5, 5);
  Expect(1, -1, -1, 127, 127);
  Expect(2, 7, 7, 7, 7);
  scanIndices(Shorts.data(), 3, 2, 64, Out);
  Expect(0, -32768, -32768, 5, 32767);
  scanIndices(Longs.data(), 3, 8, 64, Out);
  Expect(0, INT64_MIN, INT64_MIN, 0, INT64_MAX);
}
