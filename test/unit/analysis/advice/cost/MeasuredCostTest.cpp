//===- MeasuredCostTest.cpp - Predictions from what a run showed ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/cost/MeasuredCost.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

/// Block 0 outside of loops; blocks 1 and 2 in loop 7, of which block 1 has the
/// access 5; block 3 with a copy of access 5, in the rest of the loop.
KernelSites unrolled() {
  KernelSites K;
  K.Blocks.resize(4);
  for (unsigned B : {1u, 2u, 3u}) {
    SiteLoop &Loop = K.Blocks[B].Loops.emplace_back();
    Loop.Number = B == 3 ? 8 : 7;
  }
  for (unsigned B : {1u, 3u}) {
    MemorySite &S = K.Sites.emplace_back();
    S.Site = 5;
    S.Block = B;
    S.Where = "k.cu:3:5";
  }
  return K;
}

LaunchCounts countsOf(std::vector<double> Warps) {
  LaunchCounts Out;
  Out.OfWarps.push_back(Warps);
  for (double W : Warps)
    Out.Blocks.push_back({W, 32 * W});
  Out.AreTripCountsKnown = false;
  return Out;
}

MeasuredKernel measured(double Requests, double Lanes) {
  MeasuredKernel Out;
  Out[5].Requests = Requests;
  Out[5].Lanes = Lanes;
  return Out;
}

} // namespace

TEST(MeasuredCost, ScalesBlocksByTheRequestsOfTheirAccesses) {
  const KernelSites K = unrolled();
  // 16 and 4 were expected in the two copies, 60 were counted.
  const MeasuredKernel M = measured(60, 60 * 8);
  LaunchCounts C = countsOf({1, 16, 16, 4});
  EXPECT_TRUE(useMeasuredCounts(K, MeasuredSites(M, K), C));
  EXPECT_DOUBLE_EQ(C.Blocks[0].Warps, 1);
  EXPECT_DOUBLE_EQ(C.Blocks[1].Warps, 48);
  // It has no access, and goes by its loop.
  EXPECT_DOUBLE_EQ(C.Blocks[2].Warps, 48);
  EXPECT_DOUBLE_EQ(C.Blocks[3].Warps, 12);
  EXPECT_DOUBLE_EQ(C.Blocks[1].Lanes, 48 * 8);
  EXPECT_DOUBLE_EQ(C.OfWarps[0][1], 48);
  EXPECT_TRUE(C.AreTripCountsKnown);
}

TEST(MeasuredCost, LeavesKnownCountsAlone) {
  const KernelSites K = unrolled();
  const MeasuredKernel M = measured(60, 60);
  LaunchCounts C = countsOf({1, 16, 16, 4});
  C.AreTripCountsKnown = true;
  EXPECT_FALSE(useMeasuredCounts(K, MeasuredSites(M, K), C));
  EXPECT_DOUBLE_EQ(C.Blocks[1].Warps, 16);
  const MeasuredKernel None;
  C.AreTripCountsKnown = false;
  EXPECT_FALSE(useMeasuredCounts(K, MeasuredSites(None, K), C));
  EXPECT_FALSE(C.AreTripCountsKnown);
}

// What was never reached has nothing to be scaled by.
TEST(MeasuredCost, ABlockThatIsNotExpectedStaysSo) {
  const KernelSites K = unrolled();
  const MeasuredKernel M = measured(60, 60);
  LaunchCounts C = countsOf({1, 0, 0, 0});
  EXPECT_FALSE(useMeasuredCounts(K, MeasuredSites(M, K), C));
  EXPECT_DOUBLE_EQ(C.Blocks[1].Warps, 0);
}

// Block 1 is behind a loop that lanes leave one by one, and so is the loop of
// block 2; all lanes come to block 3 together.
TEST(MeasuredCost, LanesThatWereRecordedApartMeetAgain) {
  KernelSites K;
  K.Blocks.resize(4);
  for (unsigned B : {2u, 3u})
    K.Blocks[B].Loops.emplace_back().Number = B;
  for (unsigned B : {1u, 2u, 3u}) {
    MemorySite &S = K.Sites.emplace_back();
    S.Site = B;
    S.Block = B;
    S.Where = "k.cu:" + std::to_string(B);
  }
  MeasuredKernel M;
  M[1].Requests = 64 * 16;
  M[1].Lanes = 64 * 32;
  M[2].Requests = 64 * 16 * 100;
  M[2].Lanes = 64 * 32 * 100;
  M[3].Requests = 64 * 50;
  M[3].Lanes = 64 * 50 * 30;
  LaunchCounts C = countsOf({64, 64, 640, 640});
  EXPECT_TRUE(useMeasuredCounts(K, MeasuredSites(M, K), C));
  EXPECT_DOUBLE_EQ(C.Blocks[1].Warps, 64);
  EXPECT_DOUBLE_EQ(C.Blocks[2].Warps, 6400);
  EXPECT_DOUBLE_EQ(C.Blocks[2].Lanes, 64 * 32 * 100);
  EXPECT_DOUBLE_EQ(C.Blocks[3].Warps, 3200);
}

// Block 1 is the loop's header, without an access. Block 2 is under a condition.
TEST(MeasuredCost, ConditionsSayHowOftenLoopsGoRoundAtLeast) {
  KernelSites K;
  K.Blocks.resize(3);
  for (unsigned B : {1u, 2u})
    K.Blocks[B].Loops.emplace_back().Number = 7;
  K.Blocks[2].Guards.push_back(0);
  MemorySite &S = K.Sites.emplace_back();
  S.Site = 5;
  S.Block = 2;
  S.Where = "k.cu:3";
  const auto Warps = [&](double Requests) {
    const MeasuredKernel M = measured(Requests, 32 * Requests);
    LaunchCounts C = countsOf({1, 16, 16});
    EXPECT_TRUE(useMeasuredCounts(K, MeasuredSites(M, K), C));
    return std::pair(C.Blocks[1].Warps, C.Blocks[2].Warps);
  };
  // Never: the loop is as it was.
  EXPECT_EQ(Warps(0), std::pair(16.0, 0.0));
  EXPECT_EQ(Warps(4), std::pair(16.0, 4.0));
  // More often than expected of the loop.
  EXPECT_EQ(Warps(80), std::pair(80.0, 80.0));
}

TEST(MeasuredCost, SizesAreThoseOfParameters) {
  KernelSites K = unrolled();
  K.Sites[0].Base = "arg2";
  K.Sites[1].Site = 6;
  K.Sites[1].Where = "k.cu:4";
  K.Sites[1].Base = "arg3+8";
  MeasuredKernel M = measured(1, 1);
  M[5].ArrayBytes = 4096;
  M[6].ArrayBytes = 64;
  EXPECT_EQ(measuredSizes(K, MeasuredSites(M, K)), (ArraySizes{{2, 4096}}));
}

TEST(MeasuredCost, UnknownAddressesMoveWhatWasRecorded) {
  const KernelSites K = unrolled();
  MeasuredKernel M = measured(10, 320);
  M[5].Sectors = 80;
  M[5].Lines = 40;
  M[5].Addresses = 320;
  M[5].FreshShare = 0.5;
  M[5].ArrayBytes = 4096;
  std::vector<L1Rates> Rates(2);
  Rates[0].IsKnown = false;
  Rates[0].Units = Rates[0].MissedSectors = 32;
  Rates[0].Passes = 3;
  Rates[1].Units = 4;
  const MachineModel &Machine = machineModelFor("sm_90");
  useMeasuredRates(K, MeasuredSites(M, K), Machine.L1Bytes, Machine, Rates);
  EXPECT_DOUBLE_EQ(Rates[0].Units, 8);
  EXPECT_DOUBLE_EQ(Rates[0].Lines, 4);
  EXPECT_DOUBLE_EQ(Rates[0].Lanes, 32);
  EXPECT_DOUBLE_EQ(Rates[0].MissedSectors, 4);
  EXPECT_TRUE(Rates[0].IsMeasured);
  EXPECT_DOUBLE_EQ(Rates[0].ArrayBytes, 4096);
  // A known one is as it was.
  EXPECT_DOUBLE_EQ(Rates[1].Units, 4);
  EXPECT_FALSE(Rates[1].IsMeasured);
}

TEST(MeasuredCost, SmallArraysStayInL1) {
  const KernelSites K = unrolled();
  MeasuredKernel M = measured(1e6, 32e6);
  M[5].Sectors = 16e6;
  M[5].Lines = 16e6;
  const MachineModel &Machine = machineModelFor("sm_90");
  auto MissedWith = [&](double ArrayBytes) {
    M[5].ArrayBytes = ArrayBytes;
    std::vector<L1Rates> Rates(2);
    Rates[0].IsKnown = false;
    useMeasuredRates(K, MeasuredSites(M, K), Machine.L1Bytes, Machine, Rates);
    return Rates[0].MissedSectors;
  };
  // Each multiprocessor fetches the array once.
  EXPECT_NEAR(MissedWith(32768), 32768.0 / 32 * Machine.Multiprocessors / 1e6,
              1e-9);
  // Much of a larger one is not there, and nobody knows of another.
  EXPECT_GT(MissedWith(4 * double(Machine.L1Bytes)), 0.8 * 16);
  EXPECT_EQ(MissedWith(0), 16);
}

TEST(MeasuredCost, SmallArraysComeFromMemoryOnce) {
  const MachineModel &Machine = machineModelFor("sm_90");
  const double L2 = double(Machine.L2Bytes);
  EXPECT_DOUBLE_EQ(bytesFromMemory(100 * L2, L2 / 2, Machine), L2 / 2);
  EXPECT_DOUBLE_EQ(bytesFromMemory(100, L2 / 2, Machine), 100);
  // Half of an array of twice the size is there when it is asked for again.
  EXPECT_DOUBLE_EQ(bytesFromMemory(10 * L2, 2 * L2, Machine), 6 * L2);
  EXPECT_DOUBLE_EQ(bytesFromMemory(10 * L2, 0, Machine), 10 * L2);
}

// An access that was joined from several is found by its place.
TEST(MeasuredSites, FindsJoinedAccesses) {
  KernelSites K = unrolled();
  K.Sites[1].Site = 6;
  MeasuredKernel M = measured(10, 10);
  M[5].Sectors = 10;
  M[6].Sectors = 20;
  const MeasuredSites Of(M, K);
  MemorySite Joined;
  Joined.Where = "k.cu:3:5";
  ASSERT_NE(Of.of(Joined), nullptr);
  EXPECT_DOUBLE_EQ(Of.of(Joined)->Sectors, 20);
  Joined.Kind = SiteKind::Store;
  EXPECT_EQ(Of.of(Joined), nullptr);
  Joined.Kind = SiteKind::Load;
  Joined.Space = MemorySpace::Shared;
  EXPECT_EQ(Of.of(Joined), nullptr);
}
