//===- SavingsTest.cpp - What a site without excess would save ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/cost/Savings.h"
#include "analysis/advice/cost/LoadWaits.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

class Savings : public testing::Test {
protected:
  Savings() : Machine(machineModelFor("sm_90")) {
    Load.Space = MemorySpace::Global;
    Load.Kind = SiteKind::Load;
    Store = Load;
    Store.Kind = SiteKind::Store;
    Shared.Space = MemorySpace::Shared;
    Shared.Kind = SiteKind::Load;
    Cost.Warps = 1000;
    Cost.WarpCycles = 5000;
    Cost.L1Sectors = 32000;
    Cost.L2ReadSectors = 8000;
    Cost.UsedSectors = 8000;
    Cost.SharedPasses = 40000;
    Cost.Microseconds = 100;
  }
  double &bound(CostLimit L) { return Cost.Bounds[unsigned(L)]; }
  double microseconds(const MemorySite &Site, double Excess) {
    return 1e6 * savedSeconds(Site, Excess, Cost, Machine);
  }

  MachineModel Machine;
  MemorySite Load, Store, Shared;
  KernelCost Cost;
};

} // namespace

TEST_F(Savings, L2SparesOnlyWhatNobodyUses) {
  bound(CostLimit::L2) = 80;
  EXPECT_DOUBLE_EQ(microseconds(Load, 24000), 0);
  Cost.UsedSectors = 6000;
  EXPECT_NEAR(microseconds(Load, 24000), 20, 1e-6);
  // A part of it, as more than that is found in L1.
  EXPECT_NEAR(microseconds(Load, 4000), 10, 1e-6);
}

TEST_F(Savings, StoresGoToL2WithAllTheirSectors) {
  bound(CostLimit::L2) = 80;
  Cost.L2ReadSectors = Cost.UsedSectors = 0;
  Cost.L2WriteSectors = 32000;
  EXPECT_NEAR(microseconds(Store, 24000), 60, 1e-6);
}

TEST_F(Savings, AnotherBoundThatIsAsBusyStays) {
  bound(CostLimit::LoadUnit) = 80;
  const double Alone = microseconds(Shared, 30000);
  EXPECT_NEAR(Alone, 60, 1e-6);
  bound(CostLimit::Issue) = 80;
  EXPECT_LT(microseconds(Shared, 30000), Alone / 2);
  EXPECT_GT(microseconds(Shared, 30000), 0);
}

TEST_F(Savings, AWarpWaitsForFewerPassesAndForAllElse) {
  bound(CostLimit::Latency) = 100;
  // 30 passes of two cycles of 5000.
  EXPECT_NEAR(microseconds(Shared, 30000), 1.2, 1e-6);
  // Others try as often where lanes take turns.
  Shared.Kind = SiteKind::Atomic;
  Shared.IsFloatAtomic = true;
  Shared.Size = Shared.Piece = 4;
  ASSERT_TRUE(isExchangeLoop(Shared));
  EXPECT_NEAR(microseconds(Shared, 30000), 75, 1e-6);
}

TEST_F(Savings, NothingStartsALaunchSooner) {
  bound(CostLimit::Launch) = 98;
  bound(CostLimit::LoadUnit) = 2;
  EXPECT_LE(microseconds(Shared, 40000), 2);
}
