//===- LaunchHistoryTest.cpp - Measured times of launches -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is counted, and which times are believed.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/LaunchHistory.h"
#include <gtest/gtest.h>
#include <random>

using namespace gridspan;

TEST(LaunchHistory, FewLaunchesAreTimed) {
  std::vector<uint64_t> Timed;
  for (uint64_t N = 0; N <= 600; ++N)
    if (isTimed(N))
      Timed.push_back(N);
  EXPECT_EQ(Timed,
            (std::vector<uint64_t>{2, 3, 4, 8, 16, 32, 64, 128, 256, 512}));
  uint64_t Count = 0;
  for (uint64_t N = 0; N < 100000; ++N)
    Count += isTimed(N);
  EXPECT_LE(Count, 9 + 100000 / 256u);
  // Of long ones more are, which is as little of their time.
  Count = 0;
  for (uint64_t N = 0; N < 100000; ++N)
    Count += isTimed(N, 1e-4);
  EXPECT_GT(Count, 100000 / 20u);
  EXPECT_LE(Count * 4e-6, 0.003 * 100000 * 1e-4);
  // What is loaded for the first launch is little beside a long one.
  EXPECT_TRUE(isTimed(1, 0.1));
  EXPECT_FALSE(isTimed(1, 1e-3));
}

TEST(LaunchHistory, TimesThatAreLongAgainAndAgainCount) {
  DivisionRecord R({2, 0, false});
  for (int I = 0; I < 40; ++I)
    R.add({I % 4 == 3 ? 21.0 : 1.0, 1});
  EXPECT_TRUE(R.isUnsteady());
  EXPECT_EQ(R.seconds(), 6);
  EXPECT_EQ(R.ratio(), 6);
  EXPECT_EQ(R.medianSeconds(), 1);
  EXPECT_EQ(R.Last.Seconds, 1) << "one that did not wait";
  // It ends when they are forgotten.
  DivisionRecord Later = R;
  for (int I = 0; I < 32; ++I)
    Later.add({1, 1});
  EXPECT_FALSE(Later.isUnsteady());
  EXPECT_EQ(Later.seconds(), 1);
  R.forgetWaits();
  EXPECT_FALSE(R.isUnsteady());
  EXPECT_EQ(R.seconds(), 1);
}

TEST(LaunchHistory, ALongTimeIsWatched) {
  DivisionRecord R({2, 0, false});
  for (int I = 0; I < 10; ++I)
    R.add({1, 1});
  EXPECT_FALSE(R.wantsTimes());
  R.add({20, 1});
  EXPECT_TRUE(R.wantsTimes());
  // Nothing comes of it, and one more is not watched at once.
  for (int I = 0; I < 32; ++I)
    R.add({1, 1});
  EXPECT_FALSE(R.wantsTimes());
  R.add({20, 1});
  EXPECT_FALSE(R.wantsTimes());
  EXPECT_EQ(R.seconds(), 1);
}

TEST(LaunchHistory, AChangeIsNotUnsteady) {
  std::mt19937 Random(1);
  std::uniform_real_distribution<> Noise(0.95, 1.05);
  for (double Factor : {1.5, 2.0, 3.0, 5.0, 20.0}) {
    DivisionRecord R({2, 0, false});
    for (double Seconds : {1.0, Factor, 1.0})
      for (int I = 0; I < 40; ++I) {
        R.add({Seconds * Noise(Random), 1});
        EXPECT_FALSE(R.isUnsteady()) << Factor;
      }
  }
}

TEST(LaunchHistory, ThePastStaysWhatItWas) {
  LaunchHistory History;
  const Division Split = {2, 0, false};
  for (int I = 0; I < 10000; ++I)
    History.count(Split);
  for (int I = 0; I < 40; ++I)
    History.add(Split, {I % 4 == 3 ? 21.0 : 1.0, 1});
  ASSERT_TRUE(History.find(Split)->isUnsteady());
  EXPECT_EQ(History.spentSeconds(), 10000);
  EXPECT_EQ(History.lostSeconds(), 0);
}

TEST(LaunchHistory, MediansIgnoreOutliersAndForget) {
  DivisionRecord R({2, 0, false});
  EXPECT_FALSE(R.isMeasured());
  R.add({9, 1});
  EXPECT_FALSE(R.isMeasured()) << "it may be an outlier";
  R.add({1, 1});
  EXPECT_TRUE(R.isMeasured());
  EXPECT_EQ(R.seconds(), 1) << "the lower one of two";
  for (int I = 0; I != 3; ++I)
    R.add({1, 1});
  R.add({9, 2});
  EXPECT_EQ(R.seconds(), 1);
  EXPECT_EQ(R.ratio(), 1);
  for (int I = 0; I != 3; ++I)
    R.add({6, 2});
  EXPECT_EQ(R.seconds(), 6) << "the last ones count";
  EXPECT_EQ(R.ratio(), 3);
}

TEST(LaunchHistory, WhatWasLostIsHeldAgainstTheFastest) {
  LaunchHistory H;
  const Division Unsplit, Split = {2, 1, false};
  EXPECT_EQ(H.spentSeconds(), 0);
  EXPECT_EQ(H.lostSeconds(), 0);
  for (int I = 0; I != 10; ++I)
    EXPECT_EQ(H.count(Split), I + 1u);
  for (int I = 0; I != 2; ++I)
    H.add(Split, {3, 1, {1, 3}, {0.25, 0.75}});
  EXPECT_EQ(H.spentSeconds(), 30);
  EXPECT_EQ(H.lostSeconds(), 0) << "nothing to compare with";
  EXPECT_DOUBLE_EQ(H.find(Split)->unsplitShare(), 4.0 / 3);
  EXPECT_EQ(H.find(Unsplit), nullptr);
  H.count(Unsplit);
  H.add(Unsplit, {1, 1});
  EXPECT_EQ(H.measured(Unsplit), nullptr);
  H.add(Unsplit, {1, 1});
  ASSERT_NE(H.measured(Unsplit), nullptr);
  EXPECT_EQ(H.Launches, 11u);
  EXPECT_EQ(H.Last, Unsplit);
  EXPECT_EQ(H.lostSeconds(), 20);
  H.MoveSeconds = 5;
  EXPECT_EQ(H.lostSeconds(), 25);
  EXPECT_EQ(H.spentSeconds(), 36);
}
