//===- WarpTraceTest.cpp - Sampled requests of a launch -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/warpsim/WarpTrace.h"
#include "test/unit/analysis/advice/SiteBuilder.h"
#include <gtest/gtest.h>

using namespace gridspan;

static WarpTrace traceOf(SiteBuilder &K) {
  return traceWarps(K.Kernel, K.Launch, machineModelFor("sm_90"));
}

TEST(WarpTrace, KnowsTheLaunch) {
  SiteBuilder K(1000, 128);
  K.access(SiteKind::Load, "arg0", K.thread(), 8);
  WarpTrace T = traceOf(K);
  EXPECT_EQ(T.TotalWarps, 4000);
  EXPECT_EQ(T.BlocksOfLaunch, 1000);
  EXPECT_LE(T.ResidentWarps, machineModelFor("sm_90").MaxWarps);
  EXPECT_EQ(T.ResidentWarps, 4 * T.ResidentBlocks);
  EXPECT_EQ(T.Ranges[0].Lo, 0);
  EXPECT_EQ(T.Ranges[0].Hi, 8 * (128 * 1000 - 1));
  EXPECT_FALSE(T.IsScattered[0]);
}

TEST(WarpTrace, RecordsTheAddressesOfLanes) {
  SiteBuilder K(4, 32);
  K.access(SiteKind::Load, "arg0", K.thread(), 8);
  WarpTrace T = traceOf(K);
  ASSERT_FALSE(T.Events.empty());
  for (const TraceEvent &Event : T.Events) {
    EXPECT_EQ(Event.Active, ~0u);
    for (int Lane = 1; Lane != 32; ++Lane)
      EXPECT_EQ(Event.Offset[Lane] - Event.Offset[Lane - 1], 8);
  }
}

TEST(WarpTrace, WeighsIterationsThatItLeavesOut) {
  SiteBuilder K(1, 32);
  constexpr int Trips = 1000;
  MemorySite &Site =
      K.access(SiteKind::Load, "arg0",
               K.add(K.thread(), K.mul(K.counter(Trips), K.number(32))), 4);
  Site.Loops = {K.loop(Trips)};
  WarpTrace T = traceOf(K);
  EXPECT_TRUE(T.AreTripCountsKnown);
  EXPECT_EQ(T.Trips.at(0), Trips);
  double Weight = 0;
  for (const TraceEvent &Event : T.Events)
    Weight += Event.Weight;
  EXPECT_NEAR(Weight, Trips * double(T.SampledWarps), 1e-6);
  EXPECT_LT(T.Events.size(), size_t(Trips));
}

TEST(WarpTrace, LoadedIndicesAreScattered) {
  SiteBuilder K(1, 32);
  K.access(SiteKind::Load, "arg0", K.thread(), 4).Offset =
      K.P.unknown(64, "an index that was loaded");
  EXPECT_TRUE(traceOf(K).IsScattered[0]);
}
