//===- ReuseTest.cpp ------------------------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/reuse/SharedMemoryReuse.h"
#include "test/unit/analysis/advice/SiteBuilder.h"
#include <gtest/gtest.h>

using namespace gridspan;

static SharedMemoryReuse reuseOf(SiteBuilder &K) {
  const MachineModel &Machine = machineModelFor("sm_90");
  return analyzeReuse(K.Kernel, traceWarps(K.Kernel, K.Launch, Machine),
                      K.Launch, Machine);
}

TEST(SharedMemoryReuse, CountsWhatABlockReadsAgain) {
  // A moving average of 64.
  constexpr int Threads = 256, Window = 64;
  SiteBuilder K(1000, Threads);
  K.access(SiteKind::Load, "arg0", K.add(K.thread(), K.counter(Window)), 4)
      .Loops = {K.loop(Window)};
  SharedMemoryReuse R = reuseOf(K);
  ASSERT_EQ(R.Arrays.size(), 1u);
  const ArrayReuse &A = R.Arrays[0];
  EXPECT_EQ(A.Base, "arg0");
  EXPECT_NEAR(A.LoadedBytes, 4.0 * Threads * Window, 0.5);
  EXPECT_EQ(A.DistinctBytes, 4.0 * (Threads + Window - 1));
  EXPECT_EQ(A.FirstBytes, 4.0 * Threads);
  EXPECT_EQ(A.StepBytes, 4);
  EXPECT_EQ(A.Trips, Window);
  EXPECT_NEAR(A.factor(), 51.4, 0.1);
}

TEST(SharedMemoryReuse, WhatIsReadOnceHasNone) {
  SiteBuilder K(1000, 256);
  K.access(SiteKind::Load, "arg0", K.thread(), 4);
  for (const ArrayReuse &A : reuseOf(K).Arrays) {
    EXPECT_EQ(A.factor(), 1);
    EXPECT_FALSE(A.IsRecommended);
  }
}

TEST(SharedMemoryReuse, ReasonsAreNamed) {
  // Neighbours in two places far apart: 32 KB at a time.
  SiteBuilder Large(1000, 1024);
  for (int At : {0, 1, 2, 1 << 20, (1 << 20) + 1, (1 << 20) + 2})
    Large.access(SiteKind::Load, "arg0",
                 Large.add(Large.thread(), Large.number(At)), 16);
  SharedMemoryReuse R = reuseOf(Large);
  ASSERT_EQ(R.Arrays.size(), 1u);
  EXPECT_EQ(R.Arrays[0].Reason, SharedMemoryReuseReason::TooLarge);

  SiteBuilder Loaded(1000, 256);
  MemorySite &Site = Loaded.access(SiteKind::Load, "arg0", Loaded.thread(), 4);
  Site.Offset = Loaded.P.unknown(64, "it is loaded");
  R = reuseOf(Loaded);
  ASSERT_EQ(R.Arrays.size(), 1u);
  EXPECT_EQ(R.Arrays[0].Reason, SharedMemoryReuseReason::LoadedAddresses);

  SiteBuilder Nested(1000, 256);
  ExprId Inner = Nested.counter(16),
         Outer = Nested.P.iter(Nested.number(0), Nested.number(1),
                               Nested.number(15), 0, 1);
  Nested
      .access(SiteKind::Load, "arg0",
              Nested.add(Nested.thread(), Nested.add(Inner, Outer)), 4)
      .Loops = {{1, Nested.number(15), true}, Nested.loop(16)};
  R = reuseOf(Nested);
  ASSERT_EQ(R.Arrays.size(), 1u);
  EXPECT_EQ(R.Arrays[0].Reason, SharedMemoryReuseReason::NestedLoops);
}

namespace {

/// Blocks of 16 x 8 x 4 threads over a field of 512^3.
struct Field : SiteBuilder {
  Field() : SiteBuilder(1, 1) {
    Launch.Block = {16, 8, 4};
    Launch.Grid = {32, 64, 128};
  }
  ExprId index(unsigned Axis) {
    return add(mul(P.special(ExprKind::BlockIdx, Axis),
                   P.special(ExprKind::BlockDim, Axis)),
               P.special(ExprKind::ThreadIdx, Axis));
  }
  void load(int X, int Y, int Z) {
    ExprId Plane = mul(index(2), number(512 * 512)),
           Row = mul(index(1), number(512));
    access(SiteKind::Load, "arg0",
           add(add(add(Plane, Row), index(0)), number((Z * 512 + Y) * 512 + X)),
           8);
  }
};

} // namespace

TEST(SharedMemoryReuse, SaysTileAndHaloOfSolidStencils) {
  Field K;
  for (int D : {-2, -1, 0, 1, 2}) {
    K.load(D, 0, 0);
    K.load(0, D / 2, 0);
    K.load(0, 0, D);
  }
  SharedMemoryReuse R = reuseOf(K);
  ASSERT_EQ(R.Arrays.size(), 1u);
  ASSERT_TRUE(R.Arrays[0].Shape.has_value());
  const TileShape &S = *R.Arrays[0].Shape;
  EXPECT_EQ(S.ElementBytes, 8u);
  EXPECT_EQ(S.Tile, (std::array<int64_t, 3>{16, 8, 4}));
  EXPECT_EQ(S.Halo, (std::array<int64_t, 3>{4, 2, 4}));
  EXPECT_EQ(S.axes(), 3u);
  EXPECT_EQ(S.bytes(), 20.0 * 10 * 8 * 8);
}

TEST(SharedMemoryReuse, RowsApartHaveNoTile) {
  // Neighbours two elements apart.
  SiteBuilder K(1000, 256);
  for (int At : {0, 0, 0})
    K.access(SiteKind::Load, "arg0",
             K.add(K.mul(K.thread(), K.number(2)), K.number(At)), 4);
  SharedMemoryReuse R = reuseOf(K);
  ASSERT_EQ(R.Arrays.size(), 1u);
  EXPECT_FALSE(R.Arrays[0].Shape.has_value());
}

namespace {

/// C = A B of Side^2 elements, in blocks of the shape.
struct Product : SiteBuilder {
  Product(int Side, uint32_t X, uint32_t Y) : SiteBuilder(1, 1) {
    Launch.Block = {X, Y, 1};
    Launch.Grid = {Side / X, Side / Y, 1};
    auto index = [&](unsigned Axis) {
      return add(mul(P.special(ExprKind::BlockIdx, Axis),
                     P.special(ExprKind::BlockDim, Axis)),
                 P.special(ExprKind::ThreadIdx, Axis));
    };
    access(SiteKind::Load, "arg0",
           add(mul(index(1), number(Side)), counter(Side)), 4)
        .Loops = {loop(Side)};
    access(SiteKind::Load, "arg1",
           add(mul(counter(Side), number(Side)), index(0)), 4)
        .Loops = {loop(Side)};
    WorkLevel Level;
    Level.Issue = 4;
    Level.Fp32 = 1;
    Level.HasReduction = true;
    Level.Loops = {loop(Side)};
    Kernel.Work = {Level};
  }
};

} // namespace

TEST(SharedMemoryReuse, ProductsAreTiled) {
  Product K(8192, 256, 1);
  SharedMemoryReuse R = reuseOf(K);
  ASSERT_EQ(R.Products.size(), 1u);
  const TiledProduct &P = R.Products[0];
  EXPECT_TRUE(P.IsRecommended);
  EXPECT_EQ(P.Side, 32u);
  EXPECT_EQ(P.TileBytes, 8192);
  EXPECT_NEAR(P.Reads[0], 8192, 100);
  // Measured: 376.7 and 128.7 ms.
  EXPECT_NEAR(R.Now.seconds() * 1e3, 376.7, 0.35 * 376.7);
  EXPECT_NEAR(P.Tiled.seconds() * 1e3, 128.7, 0.35 * 128.7);
  for (const ArrayReuse &A : R.Arrays)
    EXPECT_FALSE(A.IsRecommended);
  // Smaller blocks where the kernel's bounds want them.
  K.Kernel.MaxThreads = 256;
  R = reuseOf(K);
  ASSERT_EQ(R.Products.size(), 1u);
  EXPECT_EQ(R.Products[0].Side, 16u);
}

TEST(SharedMemoryReuse, AMatrixTimesAVectorIsNoProductOfMatrices) {
  SiteBuilder K(32, 256);
  constexpr int Length = 4096;
  K.access(SiteKind::Load, "arg0",
           K.add(K.mul(K.thread(), K.number(Length)), K.counter(Length)), 4)
      .Loops = {K.loop(Length)};
  K.access(SiteKind::Load, "arg1", K.counter(Length), 4).Loops = {
      K.loop(Length)};
  WorkLevel Level;
  Level.HasReduction = true;
  Level.Loops = {K.loop(Length)};
  K.Kernel.Work = {Level};
  EXPECT_TRUE(reuseOf(K).Products.empty());
}
