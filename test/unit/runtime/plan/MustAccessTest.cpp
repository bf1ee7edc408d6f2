//===- MustAccessTest.cpp - Bytes that are surely overwritten -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/MustAccess.h"
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace gridspan;

static GridspanRange planes(int64_t Lo, int64_t RowBytes, int64_t Pitch,
                            int64_t Rows, int64_t PlanePitch, int64_t Planes) {
  return {Lo, RowBytes, Pitch, Rows, PlanePitch, Planes, GridspanRangeExact, 0};
}

static std::set<uint64_t> bytesOf(const GridspanRange &R) {
  std::set<uint64_t> Out;
  for (int64_t P = 0; P < R.Planes; ++P)
    for (int64_t Row = 0; Row < R.RowsPerPlane; ++Row)
      for (int64_t B = 0; B < R.RowBytes; ++B)
        Out.insert(R.Lo + P * R.PlanePitch + Row * R.Pitch + B);
  return Out;
}

static uint64_t bytesIn(const boost::icl::interval_set<uint64_t> &Runs) {
  uint64_t Sum = 0;
  for (const auto &R : Runs)
    Sum += R.upper() - R.lower();
  return Sum;
}

/// make_int4 to 10 of 12 elements in each row of 96: fields 16 bytes apart,
/// rows 192 bytes apart. A density over the whole would be 1.
TEST(MustAccess, FieldsOfRowsLeaveTheGapsBetweenRows) {
  MustAccess C;
  for (int Field = 0; Field < 4; ++Field)
    C.add(planes(4 * Field, 4, 16, 10, 192, 96), 0);
  EXPECT_EQ(C.runs().iterative_size(), 96u);
  EXPECT_EQ(bytesIn(C.runs()), 96u * 160);
}

TEST(MustAccess, FieldsWithoutGapsAreOneRun) {
  MustAccess C;
  for (int Field : {2, 0, 3, 1})
    C.add(planes(4 * Field, 4, 16, 12, 192, 100'000), 64);
  ASSERT_EQ(C.runs().iterative_size(), 1u);
  EXPECT_EQ(C.runs().begin()->lower(), 64u);
  EXPECT_EQ(bytesIn(C.runs()), 192u * 100'000);
}

TEST(MustAccess, OnlyExactRangesCount) {
  MustAccess C;
  GridspanRange R = planes(0, 100, 0, 1, 0, 1);
  for (uint32_t State :
       {GridspanRangeEmpty, GridspanRangeMay, GridspanRangeUnknown}) {
    R.State = State;
    C.add(R, 0);
  }
  R.State = GridspanRangeExact;
  C.add(R, -1); // before the allocation
  C.add(planes(INT64_MAX - 100, 100, 0, 1, 0, 1), 1000);
  EXPECT_TRUE(C.runs().empty());
}

TEST(MustAccess, ManyRowsThatDoNotMeetAreLeftOut) {
  MustAccess C;
  C.add(planes(0, 4, 16, 1 << 20, 0, 1), 0);
  EXPECT_TRUE(C.runs().empty());
  C.add(planes(4, 12, 16, 1 << 20, 0, 1), 0);
  EXPECT_EQ(bytesIn(C.runs()), 16u << 20);
}

TEST(MustAccess, IsTheUnionOfRandomRanges) {
  std::mt19937 Random(1);
  auto Pick = [&](int64_t Lo, int64_t Hi) {
    return std::uniform_int_distribution<int64_t>(Lo, Hi)(Random);
  };
  for (int Round = 0; Round < 3000; ++Round) {
    MustAccess C;
    std::set<uint64_t> Truth;
    const int64_t Row = Pick(1, 6), Rows = Pick(1, 4);
    const int64_t Pitch = Row + Pick(1, 6), Planes = Pick(1, 4);
    const int64_t PlanePitch = Pitch * (Rows - 1) + Row + Pick(1, 12);
    for (int64_t I = Pick(1, 6); I > 0; --I) {
      const GridspanRange R = planes(Pick(0, 30), Pick(1, Row), Pitch,
                                     Pick(0, 3) ? Rows : 1, PlanePitch, Planes);
      C.add(R, 0);
      Truth.merge(bytesOf(R));
    }
    std::set<uint64_t> Found;
    for (const auto &R : C.runs())
      for (uint64_t B = R.lower(); B < R.upper(); ++B)
        Found.insert(B);
    ASSERT_EQ(Found, Truth) << "round " << Round;
  }
}
