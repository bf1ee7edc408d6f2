//===- ResourceModelTest.cpp - Time of a launch by resource ---------------===//
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

  MachineModel Machine = machineModelFor("sm_90");
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

TEST_F(ResourceModelTest, EveryNumberIsTheMachines) {
  WorkLevel Level;
  Level.Issue = 100;
  Kernel.Work = {Level};
  MemorySite Site;
  Kernel.Sites = {Site};
  Trace.TotalWarps = 1e6;
  Trace.ResidentWarps = 64;
  Counts.HitShare = {0};
  Counts.Sectors = {8};
  Counts.Rows = {4};
  Counts.LanesOfLine = 1e9;
  Counts.Arrays.push_back({1e12, 0});
  Dram.ReadBytes = 1e9;
  Dram.OpenArrays = 10;
  auto changes = [&](double MachineModel::*Field, Resource R) {
    double Before = time().of(R), Value = Machine.*Field;
    Machine.*Field /= 2;
    double After = time().of(R);
    Machine.*Field = Value;
    return Before != After;
  };
  EXPECT_TRUE(changes(&MachineModel::IssueShare, Resource::Issue));
  EXPECT_TRUE(changes(&MachineModel::SectorWaitCycles, Resource::Latency));
  EXPECT_TRUE(changes(&MachineModel::DramRowCycles, Resource::Latency));
  EXPECT_TRUE(changes(&MachineModel::Fp32Latency, Resource::Latency));
  EXPECT_TRUE(changes(&MachineModel::AtomicsOfLinePerCycle, Resource::Atomics));
  double Before = time().of(Resource::Dram);
  Machine.DramOpenArrays = 9;
  EXPECT_GT(time().of(Resource::Dram), Before);
  double Joined = time().seconds();
  Machine.FitSecondShare *= 2;
  EXPECT_GT(time().seconds(), Joined);
}
