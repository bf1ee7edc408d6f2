//===- StructArraysTest.cpp - Structs found from offsets ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/layout/StructArrays.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

class StructArraysTest : public testing::Test {
protected:
  ExprGraph &graph() { return Kernel.Exprs; }
  ExprId number(int64_t Value) { return graph().constant(64, Value); }
  ExprId thread() {
    return graph().cast(ExprKind::ZExt, graph().special(ExprKind::ThreadIdx, 0),
                        64);
  }
  /// Record thread() of RecordBytes, and At bytes more.
  ExprId field(int64_t RecordBytes, int64_t At) {
    return graph().binary(
        ExprKind::Add,
        graph().binary(ExprKind::Mul, thread(), number(RecordBytes)),
        number(At));
  }
  void add(ExprId Offset, unsigned Size, SiteKind Kind = SiteKind::Load,
           unsigned Alignment = 4) {
    MemorySite Site;
    Site.Base = "arg0";
    Site.Offset = Offset;
    Site.Size = Site.Piece = Size;
    Site.Kind = Kind;
    Site.Alignment = Alignment;
    Kernel.Sites.push_back(Site);
  }

  KernelSites Kernel;
};

} // namespace

TEST_F(StructArraysTest, OffsetAsRecordAndConstant) {
  RecordOffset Offset = recordOffset(graph(), field(24, 8));
  EXPECT_EQ(Offset.RecordBytes, 24);
  EXPECT_EQ(Offset.Constant, 8);
  // A row of 10 records before: the record is what divides both.
  ExprId Row =
      graph().binary(ExprKind::Mul, graph().param(64, 1, 0), number(240));
  Offset =
      recordOffset(graph(), graph().binary(ExprKind::Add, Row, field(24, 4)));
  EXPECT_EQ(Offset.RecordBytes, 24);
  EXPECT_EQ(Offset.Constant, 4);
  EXPECT_EQ(recordOffset(graph(), number(12)).RecordBytes, 0);
}

TEST_F(StructArraysTest, FieldsAndUntouchedBytes) {
  add(field(32, 0), 4);
  add(field(32, 8), 8);
  // The field at 8 of the next record.
  add(field(32, 40), 8, SiteKind::Store);
  StructArrays Found = findStructArrays(Kernel);
  ASSERT_EQ(Found.Arrays.size(), 1u);
  const StructArray &A = Found.Arrays[0];
  EXPECT_EQ(A.RecordBytes, 32);
  ASSERT_EQ(A.Fields.size(), 2u);
  EXPECT_EQ(A.Fields[1].Offset, 8);
  EXPECT_TRUE(A.Fields[1].IsLoaded);
  EXPECT_TRUE(A.Fields[1].IsStored);
  EXPECT_EQ(A.untouchedBytes(), 20);
}

TEST_F(StructArraysTest, Refusals) {
  add(field(32, 0), 4);
  add(field(4, 0), 4);
  StructArrays Found = findStructArrays(Kernel);
  EXPECT_TRUE(Found.Arrays.empty());
  ASSERT_EQ(Found.Refusals.size(), 1u);
  EXPECT_EQ(Found.Refusals[0].Why, "it is accessed with several strides");

  Kernel.Sites.clear();
  add(field(32, 0), 8);
  add(field(32, 4), 4);
  EXPECT_EQ(findStructArrays(Kernel).Refusals.at(0).Why,
            "its bytes are accessed as fields of several sizes");

  Kernel.Sites.clear();
  add(field(32, 28), 8);
  EXPECT_EQ(findStructArrays(Kernel).Refusals.at(0).Why,
            "an access reaches over the end of a record");

  // One stride of an element: nothing to rearrange, nothing to say.
  Kernel.Sites.clear();
  add(field(4, 0), 4);
  Found = findStructArrays(Kernel);
  EXPECT_TRUE(Found.Arrays.empty());
  EXPECT_TRUE(Found.Refusals.empty());
}

TEST_F(StructArraysTest, CountersSelectFields) {
  // x[thread][j][k]: three rows of five floats, and one field by its number.
  auto counter = [&](int64_t Trips, unsigned Loop, int64_t Bytes) {
    ExprId K = graph().iter(number(0), number(1), number(Trips - 1), 0, Loop);
    return graph().binary(ExprKind::Mul, K, number(Bytes));
  };
  auto site = [&](int64_t Rows, int64_t Columns) {
    return graph().binary(
        ExprKind::Add,
        graph().binary(ExprKind::Add, field(60, 0), counter(Rows, 0, 20)),
        counter(Columns, 1, 4));
  };
  add(site(3, 5), 4);
  add(field(60, 56), 4, SiteKind::Store);
  StructArray A = findStructArrays(Kernel).Arrays.at(0);
  // The smallest record into which all goes: a row, of which three are a step.
  EXPECT_EQ(A.RecordBytes, 20);
  EXPECT_EQ(A.Reached[0], (std::vector<int64_t>{0, 4, 8, 12, 16}));
  EXPECT_EQ(A.Reached[1], std::vector<int64_t>{16});
  EXPECT_TRUE(A.Fields[4].IsStored);
  EXPECT_FALSE(A.Fields[3].IsStored);

  // Six columns do not fit into a row.
  Kernel.Sites.clear();
  add(site(3, 6), 4);
  EXPECT_TRUE(findStructArrays(Kernel).Arrays.empty());
}

TEST_F(StructArraysTest, OffsetOfNarrowIndices) {
  // zext(3 * t + 1) * 4, t of 32 bits.
  ExprId T = graph().special(ExprKind::ThreadIdx, 0);
  ExprId Index = graph().binary(
      ExprKind::Add, graph().binary(ExprKind::Mul, T, graph().constant(32, 3)),
      graph().constant(32, 1));
  RecordOffset Offset = recordOffset(
      graph(),
      graph().binary(ExprKind::Mul, graph().cast(ExprKind::ZExt, Index, 64),
                     number(4)));
  EXPECT_EQ(Offset.RecordBytes, 12);
  EXPECT_EQ(Offset.Constant, 4);
}

TEST_F(StructArraysTest, JoinsNeighboursAsTheyAreAligned) {
  for (int64_t At : {0, 4, 8, 16, 20, 28})
    add(field(32, At), 4);
  StructArray A = findStructArrays(Kernel).Arrays.at(0);
  std::vector<JoinedAccess> Joined = joinAccesses(Kernel, A, 16);
  // 0 and 4; 8 alone; 16 and 20; 28 alone: gaps are not filled.
  EXPECT_EQ(Joined[0].Bytes, 8u);
  EXPECT_EQ(Joined[1].Leader, 0u);
  EXPECT_EQ(Joined[2].Leader, 2u);
  EXPECT_EQ(Joined[2].Bytes, 4u);
  EXPECT_EQ(Joined[3].Bytes, 8u);
  EXPECT_EQ(Joined[4].Leader, 3u);
  EXPECT_EQ(Joined[5].Leader, 5u);
  // With the alignment of one element none are joined.
  for (const JoinedAccess &J : joinAccesses(Kernel, A, 4))
    EXPECT_EQ(J.Bytes, 4u);
}

TEST_F(StructArraysTest, JoinsFourElements) {
  for (int64_t At : {12, 0, 8, 4})
    add(field(16, At), 4, SiteKind::Store);
  StructArray A = findStructArrays(Kernel).Arrays.at(0);
  std::vector<JoinedAccess> Joined = joinAccesses(Kernel, A, 16);
  // The first in program order does it, from the lowest offset.
  EXPECT_EQ(Joined[0].Bytes, 16u);
  EXPECT_EQ(Joined[0].Offset, 0);
  for (const JoinedAccess &J : Joined)
    EXPECT_EQ(J.Leader, 0u);
}
