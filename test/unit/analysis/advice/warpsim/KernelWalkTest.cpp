//===- KernelWalkTest.cpp - Warps on their way through a kernel -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/warpsim/KernelWalk.h"
#include "analysis/expr/LaunchDefaults.h"
#include "test/unit/analysis/advice/SiteBuilder.h"
#include <gtest/gtest.h>

using namespace gridspan;

TEST(KernelWalk, CountsWarpsAndLanesUnderConditions) {
  SiteBuilder K(2, 64);
  K.Kernel.Blocks.resize(2);
  K.Kernel.Blocks[1].Guards = {K.P.icmp(llvm::CmpInst::ICMP_ULT,
                                        K.P.special(ExprKind::ThreadIdx, 0),
                                        K.number(40))};
  KernelWalk Walk(K.Kernel, K.Launch, machineModelFor("sm_90"));
  EXPECT_EQ(Walk.numBlocks(), 2u);
  EXPECT_EQ(Walk.warpsPerBlock(), 2u);
  LaunchCounts Counts = Walk.count();
  EXPECT_EQ(Counts.Blocks[0].Warps, 4);
  EXPECT_EQ(Counts.Blocks[0].Lanes, 128);
  EXPECT_EQ(Counts.Blocks[1].Warps, 4);
  EXPECT_EQ(Counts.Blocks[1].Lanes, 80);
  EXPECT_TRUE(Counts.AreGuardsKnown);
  EXPECT_TRUE(Counts.AreTripCountsKnown);
}

TEST(KernelWalk, CountsIterations) {
  SiteBuilder K(1, 32);
  K.Kernel.Blocks.resize(2);
  K.Kernel.Blocks[1].Loops = {K.loop(5)};
  EXPECT_EQ(KernelWalk(K.Kernel, K.Launch, machineModelFor("sm_90"))
                .count()
                .Blocks[1]
                .Warps,
            5);
  // Where nobody knows, a number is assumed, and that is said.
  K.Kernel.Blocks[1].Loops[0].BackedgeTaken = NoExpr;
  LaunchCounts Counts =
      KernelWalk(K.Kernel, K.Launch, machineModelFor("sm_90")).count();
  EXPECT_EQ(Counts.Blocks[1].Warps, double(UnknownTrips));
  EXPECT_FALSE(Counts.AreTripCountsKnown);
}

TEST(KernelWalk, TracesTheRequestsOfAWarp) {
  SiteBuilder K(2, 64);
  K.Kernel.Blocks.resize(1);
  K.access(SiteKind::Load, "arg0", K.thread(), 4);
  KernelWalk Walk(K.Kernel, K.Launch, machineModelFor("sm_90"));
  WarpRequests First = Walk.trace(0, 0, 8), Last = Walk.trace(1, 1, 8);
  ASSERT_EQ(First.Accesses.size(), 1u);
  EXPECT_EQ(First.Accesses[0].Lanes, 32u);
  EXPECT_EQ(First.Accesses[0].Units, 4u);
  EXPECT_EQ(First.Accesses[0].Lines, 1u);
  EXPECT_EQ(First.Accesses[0].Addresses, 32u);
  EXPECT_TRUE(First.Accesses[0].IsKnown);
  // 96 floats further on.
  ASSERT_EQ(Last.Sectors.size(), 4u);
  EXPECT_EQ(Last.Sectors[0] - First.Sectors[0], 96u * 4 / 32);
  EXPECT_FALSE(Walk.isShortened());
}

TEST(KernelWalk, LeavesOutIterationsOfLongLoops) {
  SiteBuilder K(1, 32);
  K.Kernel.Blocks.resize(1);
  K.Kernel.Blocks[0].Loops = {K.loop(100)};
  K.access(SiteKind::Load, "arg0", K.counter(100), 4).Loops = {K.loop(100)};
  KernelWalk Walk(K.Kernel, K.Launch, machineModelFor("sm_90"));
  const WarpRequests Three = Walk.trace(0, 0, 3);
  ASSERT_EQ(Three.Accesses.size(), 3u);
  EXPECT_TRUE(Walk.isShortened());
  // One iteration is that in the middle, 49 floats further on than the first.
  const WarpRequests One = Walk.trace(0, 0, 1);
  ASSERT_EQ(One.Accesses.size(), 1u);
  EXPECT_EQ(One.Sectors[0] - Three.Sectors[0], 49u * 4 / 32);
}

TEST(KernelWalk, LimitsOuterLoopsApart) {
  SiteBuilder K(1, 32);
  K.Kernel.Blocks.resize(1);
  const SiteLoop Outer = K.loop(10);
  SiteLoop Inner = K.loop(20);
  Inner.Number = 1;
  K.Kernel.Blocks[0].Loops = {Outer, Inner};
  K.access(SiteKind::Load, "arg0", K.thread(), 4).Loops = {Outer, Inner};
  KernelWalk Walk(K.Kernel, K.Launch, machineModelFor("sm_90"));
  EXPECT_EQ(Walk.trace(0, 0, {2, 5}).Accesses.size(), 10u);
  EXPECT_EQ(Walk.trace(0, 0, {1, 5}).Accesses.size(), 5u);
  // The last limit holds for all loops further in.
  EXPECT_EQ(Walk.trace(0, 0, 3).Accesses.size(), 9u);
}

// Of many blocks only the first few have data.
TEST(KernelWalk, FindsWhereTheDataEnds) {
  SiteBuilder K(60000, 64);
  K.Kernel.Blocks.resize(2);
  K.Kernel.Blocks[1].Guards = {
      K.P.icmp(llvm::CmpInst::ICMP_ULT, K.thread(), K.number(2048))};
  K.Kernel.Blocks[1].Loops = {K.loop(1000)};
  KernelWalk Walk(K.Kernel, K.Launch, machineModelFor("sm_90"));
  const LaunchCounts Counts = Walk.count();
  EXPECT_DOUBLE_EQ(Counts.Blocks[0].Warps, 120000);
  EXPECT_NEAR(Counts.Blocks[1].Warps, 64 * 1000, 1e-6);
  EXPECT_NEAR(Counts.Blocks[1].Lanes, 2048 * 1000, 1e-6);
}
