//===- MayAccessTest.cpp - Unions of access ranges ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/MayAccess.h"
#include <gtest/gtest.h>

using namespace gridspan;

static GridspanRange rows(int64_t Lo, int64_t RowBytes, int64_t Pitch,
                          int64_t Rows) {
  return {Lo, RowBytes, Pitch, Rows, 0, 1, GridspanRangeExact, 0};
}

TEST(MayAccess, EmptyTouchesNothing) {
  MayAccess F(100);
  F.add({0, 0, 0, 0, 0, 0, GridspanRangeEmpty, 0}, 0);
  EXPECT_TRUE(F.empty());
  EXPECT_EQ(F.touched(), 0);
  EXPECT_FALSE(F.unknown());
}

TEST(MayAccess, UnknownIsEverything) {
  MayAccess F(100);
  F.add({0, 0, 0, 0, 0, 0, GridspanRangeUnknown, 0}, 50);
  EXPECT_TRUE(F.unknown());
  EXPECT_EQ(F.touched(), 100);
}

TEST(MayAccess, IsCutToTheAllocation) {
  MayAccess F(100);
  F.add(rows(-10, 50, 0, 1), 0);
  F.add(rows(0, 50, 0, 1), 80);
  F.add(rows(1000, 5, 0, 1), 0);
  EXPECT_EQ(F.touched(), 60);
  EXPECT_EQ(F.lo(), 0u);
  EXPECT_EQ(F.hi(), 100u);
}

TEST(MayAccess, OverlapsCountOnce) {
  MayAccess F(1000);
  F.add(rows(0, 100, 0, 1), 0);
  F.add(rows(10, 100, 0, 1), 0);
  F.add(rows(20, 100, 0, 1), 0);
  EXPECT_EQ(F.touched(), 120);
  EXPECT_EQ(F.spans().size(), 1u);
}

TEST(MayAccess, FewRowsStayApart) {
  MayAccess F(1000);
  F.add(rows(0, 10, 100, 3), 5);
  ASSERT_EQ(F.spans().size(), 3u);
  EXPECT_EQ(F.spans()[1].Lo, 105u);
  EXPECT_EQ(F.touched(), 30);
}

TEST(MayAccess, ManyRowsBecomeOneSpanWithADensity) {
  MayAccess F(1 << 20);
  F.add(rows(0, 16, 1024, 1024), 0);
  ASSERT_EQ(F.spans().size(), 1u);
  EXPECT_NEAR(F.touched(), 16 * 1024, 32);
}

TEST(MayAccess, TheDensestCountsWhereSpansOverlap) {
  MayAccess F(1 << 20);
  F.add(rows(0, 16, 1024, 1024), 0);
  F.add(rows(0, 1 << 10, 0, 1), 0);
  EXPECT_EQ(F.spans().front().Density, 1);
  EXPECT_EQ(F.spans().front().Hi, 1u << 10);
}

TEST(MayAccess, FieldsOfAStructureAddUp) {
  MayAccess F(1 << 20);
  for (int64_t Field : {0, 4, 8})
    F.add(rows(Field, 4, 16, 1024), 0);
  EXPECT_NEAR(F.touched(), 12 * 1024, 16);
}

TEST(MayAccess, TheSameRowsCountOnce) {
  MayAccess F(1 << 20);
  for (int64_t Neighbour : {0, 4, 1024, 2048})
    F.add(rows(Neighbour, 64, 1024, 900), 0);
  EXPECT_NEAR(F.touched(), 68 * 902, 68 * 4);
}

TEST(MayAccess, PlanesKeepTheirGaps) {
  // 3 planes of 4 rows: one by one.
  MayAccess F(10000);
  F.add({0, 10, 100, 4, 1000, 3, GridspanRangeExact, 0}, 0);
  EXPECT_EQ(F.spans().size(), 12u);
  EXPECT_DOUBLE_EQ(F.touched(), 120);
  // 3 planes of many rows: each a span with a density.
  MayAccess G(100000);
  G.add({0, 10, 100, 90, 20000, 3, GridspanRangeExact, 0}, 0);
  EXPECT_EQ(G.spans().size(), 3u);
  EXPECT_NEAR(G.touched(), 3 * 900, 30);
  // Many planes: one span; the gaps between planes are the larger ones.
  MayAccess H(100 * 1000);
  H.add({0, 90, 100, 2, 1000, 100, GridspanRangeExact, 0}, 0);
  EXPECT_EQ(H.spans().size(), 1u);
  EXPECT_NEAR(H.touched(), 100 * 190, 200);
}

TEST(MayAccess, RangesFarOutsideDoNotOverflow) {
  MayAccess F(100);
  F.add(rows(INT64_MAX - 5, 10, 0, 1), INT64_MAX);
  F.add(rows(INT64_MIN, 10, 0, 1), -1);
  F.add(rows(0, 1, INT64_MAX, INT64_MAX), 0);
  EXPECT_LE(F.touched(), 100);
}

TEST(MayAccess, CountsByHome) {
  PageHomes Homes(1000, 0);
  Homes.set(500, 1000, 1);
  MayAccess F(1000);
  F.add(rows(400, 200, 0, 1), 0);
  EXPECT_EQ(F.touchedAt(Homes, 0), 100);
  EXPECT_EQ(F.touchedAt(Homes, 1), 100);
  EXPECT_EQ(F.touchedAt(Homes, Host), 0);
}

static double movedBy(const MayAccess &F) {
  double Sum = 0;
  for (const Span &S : F.spans())
    Sum += double(S.Hi - S.Lo) * S.Moved;
  return Sum;
}

TEST(MayAccess, MemoryMovesWholePieces) {
  // A thousand single floats: 64 bytes each where they are apart, everything
  // where they are not.
  MayAccess Apart(1 << 20);
  Apart.add(rows(0, 4, 256, 1000), 0);
  EXPECT_NEAR(Apart.touched(), 4000, 10);
  EXPECT_NEAR(movedBy(Apart), 64000, 100);
  MayAccess Beside(1 << 20);
  Beside.add(rows(0, 4, 32, 1000), 0);
  EXPECT_NEAR(movedBy(Beside), 32000, 100);
  // Two fields of one piece are fetched together.
  Apart.add(rows(8, 4, 256, 1000), 0);
  EXPECT_NEAR(Apart.touched(), 8000, 20);
  EXPECT_NEAR(movedBy(Apart), 64000, 200);
  MayAccess Dense(1 << 20);
  Dense.add(rows(0, 10000, 0, 1), 0);
  EXPECT_EQ(movedBy(Dense), 10000);
}
