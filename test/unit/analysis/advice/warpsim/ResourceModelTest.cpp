//===- ResourceModelTest.cpp
//------------------------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/warpsim/ResourceModel.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

class ResourceModelTest : public testing::Test {
protected:
  ResourceTimes time() {
    return resourceTimes(Kernel, Trace, Counts, Dram, Machine);
  }

  const MachineModel &Machine = machineModelFor("sm_90");
  KernelSites Kernel;
  WarpTrace Trace;
  MemoryCounts Counts;
  DramTraffic Dram;
};

} // namespace

TEST_F(ResourceModelTest, NothingIsALaunch) {
  ResourceTimes T = time();
  EXPECT_DOUBLE_EQ(T.seconds(), Machine.LaunchMicroseconds * 1e-6);
}

TEST_F(ResourceModelTest, MemoryTakesItsBandwidth) {
  Dram.ReadBytes = Machine.DramReadGBs * 1e9;
  ResourceTimes T = time();
  EXPECT_NEAR(T.of(Resource::Dram), 1, 1e-9);
  EXPECT_EQ(T.limit(), Resource::Dram);
  EXPECT_TRUE(T.isBoundByMemory());
  EXPECT_NEAR(T.seconds(), 1, 1e-4);
}

TEST_F(ResourceModelTest, PipesTakeTheirLanes) {
  WorkLevel Level;
  Level.Fp64 = 100;
  Kernel.Work = {Level};
  Trace.TotalWarps = Machine.Multiprocessors * 1e6;
  ResourceTimes T = time();
  const double Cycles = 1e6 * 100 * 32 / Machine.Fp64;
  EXPECT_NEAR(T.of(Resource::Pipes), Cycles / (Machine.ClockGHz * 1e9), 1e-9);
  EXPECT_EQ(T.limit(), Resource::Pipes);
  EXPECT_FALSE(T.isBoundByMemory());
}

TEST_F(ResourceModelTest, AddingToOneAddressIsSlow) {
  Counts.AtomicLanes = Counts.SameAddress = 1e9;
  ResourceTimes T = time();
  EXPECT_EQ(T.limit(), Resource::Atomics);
  EXPECT_GT(T.seconds(),
            1e9 / Machine.AtomicsOnePerCycle / (Machine.ClockGHz * 1e9));
}

TEST_F(ResourceModelTest, AtomicsAndLoadsTakeTurnsInL2) {
  Counts.AtomicLanes = 1e9;
  const double Alone = time().seconds();
  Counts.Arrays.push_back({1e9, 0});
  const double Loads = 1e9 / (Machine.L2GBs * 1e9);
  EXPECT_NEAR(time().of(Resource::L2), Loads, 1e-12);
  EXPECT_NEAR(time().seconds(), Alone + Loads, 1e-9);
}

TEST_F(ResourceModelTest, FewLinesOfCountersWaitForEachOther) {
  Counts.AtomicLanes = Counts.ScatteredLanes = 1e9;
  const double Spread = time().of(Resource::Atomics);
  Counts.LanesOfLine = 1e9 / 4096;
  EXPECT_DOUBLE_EQ(time().of(Resource::Atomics), Spread);
  Counts.LanesOfLine = 1e9 / 2;
  EXPECT_GT(time().of(Resource::Atomics), 5 * Spread);
}

TEST_F(ResourceModelTest, NearlyAsBusyResourcesAreInTheWay) {
  Dram.ReadBytes = Machine.DramReadGBs * 1e9;
  const double Alone = time().seconds();
  Trace.BlocksOfLaunch = 0.9e9 / Machine.BlockNanoseconds;
  EXPECT_EQ(time().limit(), Resource::Dram);
  EXPECT_GT(time().seconds(), Alone);
}
