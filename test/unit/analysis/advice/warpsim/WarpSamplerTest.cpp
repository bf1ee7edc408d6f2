//===- WarpSamplerTest.cpp - Blocks, warps and iterations of a launch -----===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/warpsim/WarpSampler.h"
#include "analysis/expr/LaunchDefaults.h"
#include "test/unit/analysis/advice/SiteBuilder.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>

using namespace gridspan;

TEST(WarpSampler, PositionsStandForAll) {
  EXPECT_EQ(samplePositions(5, 8).size(), 5u);
  std::vector<SamplePosition> Some = samplePositions(1000, 10);
  ASSERT_EQ(Some.size(), 10u);
  EXPECT_EQ(Some.front().At, 0u);
  EXPECT_EQ(Some.back().At, 999u);
  double Weight = 0;
  for (SamplePosition P : Some)
    Weight += P.Weight;
  EXPECT_NEAR(Weight, 1000, 1e-9);
}

/// What all of 1000 positions have, as the sample says.
static double sampledSum(llvm::function_ref<double(uint64_t)> WorkOf) {
  double Sum = 0, Weight = 0;
  for (SamplePosition P :
       withStepsFound(samplePositions(1000, 10), 1000, WorkOf)) {
    Sum += P.Weight * WorkOf(P.At);
    Weight += P.Weight;
  }
  EXPECT_NEAR(Weight, 1000, 1e-9);
  return Sum;
}

TEST(WarpSampler, StepsOfTheWorkAreFound) {
  EXPECT_EQ(sampledSum([](uint64_t At) { return At < 3 ? 50 : 0; }), 150);
  EXPECT_EQ(sampledSum([](uint64_t At) { return At < 998 ? 1 : 10; }), 1018);
  // From one to another.
  EXPECT_EQ(sampledSum([](uint64_t At) { return At / 100 == 4 ? 7 : 0; }), 700);
}

TEST(WarpSampler, WorkWithoutFewStepsIsSampledAsEver) {
  const std::vector<SamplePosition> Sample = samplePositions(1000, 10);
  auto HasSample = [&](llvm::function_ref<double(uint64_t)> WorkOf) {
    const std::vector<SamplePosition> Out =
        withStepsFound(Sample, 1000, WorkOf);
    return std::equal(Out.begin(), Out.end(), Sample.begin(), Sample.end(),
                      [](SamplePosition A, SamplePosition B) {
                        return A.At == B.At && A.Weight == B.Weight;
                      });
  };
  EXPECT_TRUE(HasSample([](uint64_t) { return 1; }));
  EXPECT_TRUE(HasSample([](uint64_t At) { return 1000 + double(At); }));
  // One of them meets a position.
  EXPECT_TRUE(HasSample(
      [&](uint64_t At) { return At % 50 == Sample[4].At % 50 ? 100 : 1; }));
  std::map<uint64_t, double> InTurn;
  for (SamplePosition P : Sample)
    InTurn[P.At] = InTurn.size() % 2;
  EXPECT_TRUE(HasSample([&](uint64_t At) { return InTurn.at(At); }));
}

TEST(WarpSampler, BlocksAndWarpsAreNumberedWithXFastest) {
  SiteBuilder K(1, 40);
  K.Launch.Grid = {3, 4, 5};
  WarpSampler Sampler(K.P, K.Launch);
  EXPECT_EQ(Sampler.numBlocks(), 60u);
  EXPECT_EQ(Sampler.warpsPerBlock(), 2u);
  EXPECT_EQ(Sampler.blockAt(16), (std::array<uint32_t, 3>{1, 1, 1}));
  Sampler.setWarp(1);
  EXPECT_EQ(Sampler.lanes(), 0xffu);
}

TEST(WarpSampler, LanesThatAGuardLetsPass) {
  SiteBuilder K(1, 32);
  ExprId Some = K.P.icmp(llvm::CmpInst::ICMP_ULT,
                         K.P.special(ExprKind::ThreadIdx, 0), K.number(4));
  ExprId Open = K.P.unknown(1, "loaded");
  WarpSampler Sampler(K.P, K.Launch);
  Sampler.setBlock({0, 0, 0});
  Sampler.setWarp(0);
  EXPECT_EQ(Sampler.reaching({Some}, ~0u).Lanes, 0xfu);
  EXPECT_EQ(Sampler.reaching({Some}, ~0u).Open, 0u);
  WarpSampler::Reaching Both = Sampler.reaching({Open, Some}, ~0u);
  EXPECT_EQ(Both.Lanes, 0xfu);
  EXPECT_EQ(Both.Open, 0xfu);
}

TEST(WarpSampler, TripsOfLanes) {
  SiteBuilder K(1, 32);
  ExprId OfThread = K.P.special(ExprKind::ThreadIdx, 0);
  WarpSampler Sampler(K.P, K.Launch);
  Sampler.setBlock({0, 0, 0});
  Sampler.setWarp(0);
  LaneTrips Known = Sampler.tripsOf({0, OfThread, true}, 0xf);
  EXPECT_TRUE(Known.IsKnown);
  EXPECT_FALSE(Known.IsUniform);
  EXPECT_EQ(Known.Most, 4u);
  EXPECT_EQ(Known.runningIn(2, 0xf), 0xcu);
  LaneTrips Unknown = Sampler.tripsOf({0, NoExpr, true}, 0xf);
  EXPECT_FALSE(Unknown.IsKnown);
  EXPECT_EQ(Unknown.Most, UnknownTrips);
  // At most that often.
  LaneTrips Bound = Sampler.tripsOf({0, OfThread, false}, ~0u);
  EXPECT_FALSE(Bound.IsKnown);
  EXPECT_TRUE(Bound.IsBounded);
  EXPECT_EQ(Bound.Most, 32u);
  Bound.limit(UnknownTrips);
  EXPECT_EQ(Bound.Most, UnknownTrips);
  EXPECT_EQ(Bound.runningIn(UnknownTrips, ~0u), 0u);
}
