//===- L1TrafficTest.cpp - Requests of sites that leave L1 ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/warpsim/L1Traffic.h"
#include "test/unit/analysis/advice/SiteBuilder.h"
#include <gtest/gtest.h>

using namespace gridspan;

static L1Rates ratesOf(SiteBuilder &K, uint64_t L1Bytes) {
  KernelWalk Walk(K.Kernel, K.Launch, machineModelFor("sm_90"));
  return l1RatesOf(K.Kernel, Walk, machineModelFor("sm_90"), L1Bytes, 1).at(0);
}

TEST(L1Traffic, WhatIsReadOnceMisses) {
  SiteBuilder K(4, 256);
  K.Kernel.Blocks.resize(1);
  K.access(SiteKind::Load, "arg0", K.thread(), 4);
  L1Rates R = ratesOf(K, 128 << 10);
  EXPECT_DOUBLE_EQ(R.Requests, 1);
  EXPECT_DOUBLE_EQ(R.Lanes, 32);
  EXPECT_DOUBLE_EQ(R.Units, 4);
  EXPECT_DOUBLE_EQ(R.MissedSectors, 4);
  EXPECT_DOUBLE_EQ(R.WaitShare, 1);
  EXPECT_TRUE(R.IsKnown);
}

TEST(L1Traffic, WhatIsReadAgainHits) {
  SiteBuilder K(4, 32);
  K.Kernel.Blocks.resize(1);
  K.Kernel.Blocks[0].Loops = {K.loop(8)};
  // The same elements in all iterations.
  K.access(SiteKind::Load, "arg0", K.thread(), 4).Loops = {K.loop(8)};
  L1Rates R = ratesOf(K, 128 << 10);
  EXPECT_DOUBLE_EQ(R.Units, 4);
  EXPECT_NEAR(R.MissedSectors, 4.0 / 8, 0.01);
}

TEST(L1Traffic, WhatOthersUseOfASectorIsUsed) {
  SiteBuilder K(4, 256);
  K.Kernel.Blocks.resize(1);
  // One of four words; then another one of them.
  const ExprId At = K.mul(K.thread(), K.number(4));
  K.access(SiteKind::Load, "arg0", At, 4);
  L1Rates R = ratesOf(K, 128 << 10);
  EXPECT_DOUBLE_EQ(R.MissedSectors, 16);
  EXPECT_DOUBLE_EQ(R.UsedSectors, 4);
  K.access(SiteKind::Load, "arg0", K.add(At, K.number(1)), 4);
  R = ratesOf(K, 128 << 10);
  EXPECT_DOUBLE_EQ(R.MissedSectors, 16);
  EXPECT_DOUBLE_EQ(R.UsedSectors, 8);
}

TEST(L1Traffic, BlocksInTheMiddleStandForFewOnes) {
  SiteBuilder K(16, 256);
  K.Kernel.Blocks.resize(2);
  K.Kernel.Blocks[1].Loops = {K.loop(4096)};
  // Each thread's element, and then all elements; those of the first block are
  // the ones that its loop begins with.
  K.access(SiteKind::Load, "arg0", K.thread(), 16);
  MemorySite &All = K.access(SiteKind::Load, "arg0", K.counter(4096), 16);
  All.Block = 1;
  All.Loops = {K.loop(4096)};
  KernelWalk Walk(K.Kernel, K.Launch, machineModelFor("sm_90"));
  L1Rates R =
      l1RatesOf(K.Kernel, Walk, machineModelFor("sm_90"), 128 << 10, 1).at(1);
  EXPECT_NEAR(R.WaitShare, 0.5, 0.01);
}

TEST(L1Traffic, UnknownAddressesAreSaidToBeUnknown) {
  SiteBuilder K(4, 32);
  K.Kernel.Blocks.resize(1);
  K.access(SiteKind::Load, "arg0", K.thread(), 4).Offset =
      K.P.unknown(64, "loaded");
  L1Rates R = ratesOf(K, 128 << 10);
  EXPECT_FALSE(R.IsKnown);
  EXPECT_DOUBLE_EQ(R.Units, 32);
}
