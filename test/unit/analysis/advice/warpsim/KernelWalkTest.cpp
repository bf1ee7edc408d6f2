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
  EXPECT_EQ(Walk.trace(0, 0, 3).Accesses.size(), 3u);
  EXPECT_TRUE(Walk.isShortened());
}
