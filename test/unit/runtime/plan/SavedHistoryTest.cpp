//===- SavedHistoryTest.cpp - What a later process starts with ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/SavedHistory.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace gridspan;

static const Division Unsplit, Split = {2, 0, false};

/// A history whose second device is three times as slow, with the cut moved.
static LaunchHistory learned() {
  LaunchHistory Out;
  for (int I = 0; I != 3; ++I) {
    Out.count(Unsplit);
    Out.add(Unsplit, {1, 2});
  }
  for (int I = 0; I != 20; ++I) {
    const TileBalance *B = Out.balance(2, 0);
    Division What = Split;
    std::vector<double> Shares = {0.5, 0.5};
    if (B && B->cut().Number) {
      What.Cut = B->cut().Number;
      Shares = B->cut().Shares;
    }
    Out.count(What);
    const std::vector<double> Tiles = {Shares[0], 3 * Shares[1]};
    Out.add(What, {std::max(Tiles[0], Tiles[1]), 1, Tiles, Shares});
  }
  return Out;
}

TEST(SavedHistory, ALaterProcessStartsWithWaysAndCuts) {
  const LaunchHistory Before = learned();
  ASSERT_NE(Before.balance(2, 0)->best().Number, 0U);
  const LaunchHistory After = restoredHistory(savedHistory(Before), 2);
  ASSERT_NE(After.measured(Unsplit), nullptr);
  EXPECT_EQ(After.measured(Unsplit)->seconds(), 1);
  EXPECT_EQ(After.measured(Unsplit)->ratio(), 0.5);
  ASSERT_NE(After.balance(2, 0), nullptr);
  EXPECT_EQ(After.balance(2, 0)->cut().Number, 1U);
  EXPECT_NEAR(After.balance(2, 0)->cut().Shares[0], 0.75, 0.02);
  Division Moved = Split;
  Moved.Cut = 1;
  ASSERT_NE(After.measured(Moved), nullptr);
  EXPECT_NEAR(After.measured(Moved)->seconds(), 0.75, 0.02);
  EXPECT_FALSE(Before.wasSplitEarlier());
  EXPECT_TRUE(After.wasSplitEarlier());
  EXPECT_EQ(After.EarlierLaunches, Before.Launches);
  // What this process has spent pays for its tries.
  EXPECT_EQ(After.spentSeconds(), 0);
  EXPECT_EQ(After.Launches, 0U);
}

TEST(SavedHistory, TimesOfThisProcessOverruleIt) {
  LaunchHistory H = restoredHistory(savedHistory(learned()), 2);
  for (int I = 0; I != 3; ++I) {
    H.count(Unsplit);
    H.add(Unsplit, {8, 2});
  }
  EXPECT_EQ(H.measured(Unsplit)->seconds(), 8);
  EXPECT_EQ(H.measured(Unsplit)->EarlierTimes, DivisionRecord::LeastTimes);
}

TEST(SavedHistory, WaysThatAreNotMeasuredAreLeftOut) {
  LaunchHistory H;
  H.count(Unsplit);
  H.add(Unsplit, {1, 1});
  EXPECT_TRUE(savedHistory(H).Divisions.empty());
}

TEST(SavedHistory, WhatNoLaunchCanHaveHadIsLeftOut) {
  const SavedHistory Good = savedHistory(learned());
  ASSERT_EQ(restoredHistory(Good, 2).Records.size(), Good.Divisions.size());
  EXPECT_EQ(restoredHistory(Good, 1).Records.size(), 1U) << "fewer devices";
  EXPECT_TRUE(restoredHistory(Good, 1).Balances.empty());
  using Change = void (*)(SavedDivision &);
  const Change Changes[] = {
      [](SavedDivision &D) { D.What.Devices = 0; },
      [](SavedDivision &D) { D.What.Axis = 3; },
      [](SavedDivision &D) { D.Time.Seconds = 0; },
      [](SavedDivision &D) { D.Time.Seconds = NAN; },
      [](SavedDivision &D) { D.Time.Predicted = INFINITY; },
      [](SavedDivision &D) { D.Time.Size = -1; },
      [](SavedDivision &D) { D.Time.Shares = {0.5}; },
      [](SavedDivision &D) { D.Time.Shares.push_back(0.5); },
      [](SavedDivision &D) { D.Time.ByDevice = {1, -1}; },
      [](SavedDivision &D) { D.What.Cut = 7, D.What.Axis = 1; },
  };
  for (const Change &Spoil : Changes) {
    SavedHistory Bad = Good;
    for (SavedDivision &D : Bad.Divisions)
      Spoil(D);
    EXPECT_TRUE(restoredHistory(Bad, 2).Records.empty())
        << &Spoil - &Changes[0];
  }
  SavedHistory Bad = Good;
  Bad.Cuts[0].Shares = {0.9, 0.9};
  EXPECT_TRUE(restoredHistory(Bad, 2).Balances.empty());
  // A cut that is not known has no times.
  for (const DivisionRecord &R : restoredHistory(Bad, 2).Records)
    EXPECT_EQ(R.What.Cut, 0U);
  SavedHistory Twice = Good;
  Twice.Divisions.insert(Twice.Divisions.end(), Good.Divisions.begin(),
                         Good.Divisions.end());
  EXPECT_EQ(restoredHistory(Twice, 2).Records.size(), Good.Divisions.size());
}
