//===- RowWindowTest.cpp - Pieces of rows that are read packed ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/RowWindow.h"
#include <gtest/gtest.h>
#include <random>

using namespace gridspan;

static GridspanRange rows(int64_t Lo, int64_t RowBytes, int64_t Pitch,
                          int64_t Rows) {
  return {Lo, RowBytes, Pitch, Rows, 0, 1, GridspanRangeMay, 0};
}

/// What the clone computes (passes/PackRows.cpp).
static uint64_t lookUp(const GridspanPacking &P, uint64_t X) {
  const uint64_t Units = static_cast<uint32_t>((X - P.Base) >> P.Before);
  const uint64_t Row = (Units * P.Magic >> 32) >> P.After;
  return X + P.Move + Row * static_cast<uint64_t>(int64_t(P.Step));
}

TEST(RowWindow, IsThePiecesOfARange) {
  RowWindowUnion U;
  EXPECT_FALSE(U.get());
  EXPECT_TRUE(U.add({0, 0, 0, 0, 0, 0, GridspanRangeEmpty, 0}, 0));
  EXPECT_FALSE(U.get());
  EXPECT_TRUE(U.add(rows(64, 100, 4000, 50), 16));
  EXPECT_EQ(*U.get(), (RowWindow{80, 100, 4000, 50}));
}

TEST(RowWindow, NeighboursWidenThePieces) {
  RowWindowUnion U;
  EXPECT_TRUE(U.add(rows(4100, 100, 4000, 50), 0));
  EXPECT_TRUE(U.add(rows(8060, 100, 4000, 50), 0)); // to the left, a row on
  EXPECT_TRUE(U.add(rows(150, 80, 0, 1), 0));       // the row before
  EXPECT_EQ(*U.get(), (RowWindow{60, 170, 4000, 52}));
}

TEST(RowWindow, RunsOfBytesAreOneRow) {
  RowWindowUnion U;
  EXPECT_TRUE(U.add(rows(100, 10, 0, 1), 0));
  EXPECT_TRUE(U.add(rows(50, 10, 0, 1), 0));
  EXPECT_EQ(*U.get(), (RowWindow{50, 60, 60, 1}));
}

TEST(RowWindow, RefusesWhatAreNoPiecesOfTheSameRows) {
  auto Two = [](const GridspanRange &A, const GridspanRange &B) {
    RowWindowUnion U;
    return U.add(A, 0) && U.add(B, 0);
  };
  const GridspanRange R = rows(0, 100, 4000, 50);
  EXPECT_TRUE(Two(R, R));
  EXPECT_FALSE(Two(R, rows(0, 100, 4004, 50)));
  EXPECT_FALSE(Two(R, rows(0, 4001, 0, 1)));
  EXPECT_FALSE(Two(rows(0, 4001, 0, 1), R));
  EXPECT_FALSE(Two(rows(0, 2100, 4000, 5), rows(2000, 2100, 4000, 5)));
  GridspanRange Planes = R;
  Planes.Planes = 2;
  Planes.PlanePitch = 1 << 20;
  EXPECT_FALSE(Two(R, Planes));
  EXPECT_FALSE(Two(R, {0, 0, 0, 0, 0, 0, GridspanRangeUnknown, 0}));
}

TEST(RowWindow, UnpackedPointersAreThemselves) {
  EXPECT_EQ(lookUp(noPacking(), 0x7f0012345678), 0x7f0012345678u);
}

TEST(RowWindow, RowsThatCannotBeFoundAreRefused) {
  EXPECT_TRUE(isPackable({0, 4096, 131072, 1u << 20})); // 128 GiB
  EXPECT_TRUE(isPackable({0, 64, 1324, 6'000'000}));
  EXPECT_FALSE(isPackable({0, 64, 1324, 7'000'000})); // over 8 GiB
  EXPECT_FALSE(isPackable({0, 64, 1325, 2'000'000}));
  EXPECT_FALSE(isPackable({0, 64, uint64_t(1) << 31, 2}));
  EXPECT_TRUE(isPackable({0, 64, uint64_t(1) << 40, 1})); // nothing to find
}

TEST(RowWindow, EachByteIsFoundOnceAndKeepsItsAlignment) {
  std::mt19937_64 Random(1);
  auto Pick = [&](uint64_t Lo, uint64_t Hi) {
    return std::uniform_int_distribution<uint64_t>(Lo, Hi)(Random);
  };
  for (int Round = 0; Round < 20'000; ++Round) {
    RowWindow W;
    W.Pitch = Round % 4 == 0 ? uint64_t(1) << Pick(1, 30)
                             : Pick(2, uint64_t(1) << Pick(2, 30));
    if (Round % 4 == 1)
      W.Pitch = std::max<uint64_t>(8, W.Pitch / 8 * 8);
    W.Width = Pick(1, W.Pitch);
    // As many as can be found, or any number of them.
    const uint64_t Most = std::min<uint64_t>(
        INT32_MAX, (uint64_t(INT32_MAX) << (W.Pitch % 2 ? 0 : 1)) / W.Pitch);
    W.Rows = std::max<uint64_t>(1, Round % 3 ? Most : Pick(1, Most));
    if (!isPackable(W)) {
      ASSERT_GT(W.Pitch * W.Rows, uint64_t(INT32_MAX));
      continue;
    }
    W.Lo = static_cast<int64_t>(Pick(0, 2000)) - 500;
    const uint64_t Base = 0x7f0000000000 + 256 * Pick(0, 1000);
    const uint64_t Slot = 0x7e0000000000;
    const uint64_t At = Slot + W.packedOffset(Base);
    const GridspanPacking P = packingFor(W, Base, At);
    for (int I = 0; I < 8; ++I) {
      const uint64_t Row = I == 0 ? W.Rows - 1 : Pick(0, W.Rows - 1);
      const uint64_t Column = I % 2 ? W.Width - 1 : Pick(0, W.Width - 1);
      const uint64_t X = Base + W.Lo + Row * W.Pitch + Column;
      const uint64_t Found = lookUp(P, X);
      ASSERT_EQ(Found, At + Row * W.packedPitch() + Column)
          << W.Lo << " " << W.Width << " " << W.Pitch << " " << W.Rows;
      ASSERT_EQ(Found % 16, X % 16);
      if (W.Width >= 1024)
        ASSERT_EQ(Found % 256, X % 256);
      ASSERT_LT(Found, Slot + W.packedBytes());
    }
    ASSERT_GE(W.packedPitch(), W.Width);
    ASSERT_LE(W.packedPitch(), W.Pitch);
  }
}
