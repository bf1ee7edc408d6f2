//===- TileBalanceTest.cpp - Moving cuts on made-up devices ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program launches one kernel many times. Devices are only rates, and blocks
// only costs; what is asserted is where the cuts come to rest, how soon, and
// how often they moved.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/TileBalance.h"
#include "runtime/plan/LaunchHistory.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace gridspan;

namespace {

/// Launches of Blocks blocks over some devices.
class Program {
public:
  explicit Program(std::vector<double> Rates)
      : Rates(std::move(Rates)),
        Balance(static_cast<unsigned>(this->Rates.size()), 0) {}

  /// The work per second of each device.
  std::vector<double> Rates;
  /// The cost of the blocks before X, 0 to 1, of all; grows.
  std::function<double(double)> CostBefore = [](double X) { return X; };
  /// Multiplies the time of a tile.
  std::function<double()> Noise = [] { return 1.0; };
  /// The launches after which a time is known.
  unsigned Delay = 0;
  unsigned Blocks = 1 << 16;
  double Seconds = 1e-2; ///< of all work at rate 1
  double Size = 1;

  TileBalance Balance;
  uint64_t Launches = 0;
  uint64_t Timed = 0;
  double Lost = 0; ///< by the launches, beyond equal times of all devices

  /// The first blocks of the tiles, and the end of the last.
  std::vector<double> bounds() const {
    std::vector<double> Shares = Balance.cut().Shares;
    if (Shares.empty())
      Shares.assign(Rates.size(), 1.0 / double(Rates.size()));
    std::vector<double> Out = {0};
    double Sum = 0;
    for (double Share : Shares) {
      Sum += Share;
      Out.push_back(std::round(Sum * Blocks) / Blocks);
    }
    return Out;
  }
  std::vector<double> tiles() const {
    const std::vector<double> Bounds = bounds();
    std::vector<double> Out;
    for (size_t I = 0; I != Rates.size(); ++I)
      Out.push_back(Seconds * Size / Rates[I] *
                    (CostBefore(Bounds[I + 1]) - CostBefore(Bounds[I])));
    return Out;
  }
  double slowest() const {
    const std::vector<double> Tiles = tiles();
    return *std::max_element(Tiles.begin(), Tiles.end());
  }
  /// By how much more than at best the slowest device takes.
  double excess() const {
    return slowest() / (Seconds * Size) *
               std::accumulate(Rates.begin(), Rates.end(), 0.0) -
           1;
  }

  void launch(unsigned Count) {
    for (unsigned I = 0; I != Count; ++I) {
      while (!Running.empty() && Running.front().Known <= Launches) {
        Balance.add(Running.front().Time, Running.front().Cut);
        Running.erase(Running.begin());
      }
      ++Launches;
      Lost += slowest() * excess() / (1 + excess());
      const uint64_t Number = Launches;
      if (!isTimed(Number) && !(Balance.wantsTimes() && Number > 1))
        continue;
      ++Timed;
      const std::vector<double> Bounds = bounds();
      LaunchTime Time;
      Time.ByDevice = tiles();
      for (double &Tile : Time.ByDevice)
        Tile *= Noise();
      for (size_t D = 0; D != Rates.size(); ++D)
        Time.Shares.push_back(Bounds[D + 1] - Bounds[D]);
      Time.Size = Size;
      Running.push_back({Launches + Delay, Time, Balance.cut().Number});
    }
  }

private:
  struct Pending {
    uint64_t Known;
    LaunchTime Time;
    unsigned Cut;
  };
  std::vector<Pending> Running;
};

std::function<double()> noise(double Part, unsigned Seed = 1) {
  auto Random = std::make_shared<std::mt19937>(Seed);
  return [=] {
    return 1 + std::uniform_real_distribution<>(-Part, Part)(*Random);
  };
}

/// What all settled cuts keep: some share of the ideal.
constexpr double Enough = 0.05;

} // namespace

TEST(TileBalance, EqualDevicesKeepEqualTiles) {
  for (unsigned Devices : {2U, 4U, 8U}) {
    Program P(std::vector<double>(Devices, 1.0));
    P.Noise = noise(0.01);
    P.launch(2000);
    EXPECT_EQ(P.Balance.cut(), TileCut());
    EXPECT_FALSE(P.Balance.wantsTimes());
    EXPECT_LE(P.Timed, 20U) << "settled, so timed as seldom as any";
  }
}

TEST(TileBalance, NoiseDoesNotMoveEqualTilesMuch) {
  unsigned Moves = 0;
  for (unsigned Seed = 0; Seed != 50; ++Seed) {
    Program P({1, 1});
    P.Noise = noise(0.1, Seed);
    P.launch(5000);
    EXPECT_LE(P.excess(), 0.08) << Seed;
    EXPECT_LE(P.Timed, 250U) << Seed;
    Moves += P.Balance.cut().Number != 0;
  }
  EXPECT_LE(Moves, 20U);
}

TEST(TileBalance, UnequalDevicesGetTheirShares) {
  for (const std::vector<double> &Rates : {std::vector<double>{2, 1},
                                           {1, 4},
                                           {1, 10},
                                           {1, 1, 0.5},
                                           {4, 1, 1, 2},
                                           {1, 1, 1, 1, 1, 1, 1, 0.5}}) {
    Program P(Rates);
    P.Noise = noise(0.005);
    P.launch(20);
    EXPECT_LE(P.excess(), Enough) << testing::PrintToString(Rates);
    P.launch(20);
    EXPECT_FALSE(P.Balance.wantsTimes()) << testing::PrintToString(Rates);
    const TileCut Settled = P.Balance.cut();
    P.launch(2000);
    EXPECT_EQ(P.Balance.cut(), Settled) << "it stays there";
  }
}

TEST(TileBalance, TimesThatAreKnownLateDoTheSame) {
  Program P({2, 1});
  P.Delay = 10;
  P.launch(120);
  EXPECT_LE(P.excess(), Enough);
}

TEST(TileBalance, SkewedWorkIsBalanced) {
  // Triangular both ways, Mandelbrot's band, rows of a power law.
  const std::function<double(double)> Costs[] = {
      [](double X) { return X * X; },
      [](double X) { return 1 - (1 - X) * (1 - X); },
      [](double X) {
        return 0.2 * X + 0.8 * std::clamp((X - 0.6) / 0.05, 0.0, 1.0);
      },
      [](double X) { return std::pow(X, 0.25); },
      [](double X) { return std::pow(X, 8); }};
  for (size_t I = 0; I != std::size(Costs); ++I)
    for (const std::vector<double> &Rates :
         {std::vector<double>{1, 1}, {3, 1}, {1, 1, 1, 1}}) {
      Program P(Rates);
      P.CostBefore = Costs[I];
      const double Before = P.excess();
      P.launch(200);
      // Several borders within a narrow band are found but roughly.
      const double Left = Rates.size() > 2 ? 0.3 * Before : 0;
      EXPECT_LE(P.excess(), std::max(Enough, Left))
          << I << testing::PrintToString(Rates);
    }
}

TEST(TileBalance, OutliersMoveNothing) {
  Program P({1, 1});
  unsigned Number = 0;
  P.Noise = [&] { return ++Number % 7 == 0 ? 5.0 : 1.0; };
  P.launch(3000);
  EXPECT_LE(P.excess(), Enough);
  EXPECT_LE(P.Timed, 400U);
}

TEST(TileBalance, FollowsRatesThatChange) {
  Program P({1, 1});
  P.launch(100);
  EXPECT_EQ(P.Balance.cut(), TileCut());
  P.Rates = {1, 0.5}; // someone else takes half of it
  P.launch(600);
  EXPECT_LE(P.excess(), Enough);
  P.Rates = {1, 1};
  P.launch(1200);
  EXPECT_LE(P.excess(), Enough);
}

TEST(TileBalance, FollowsADrift) {
  Program P({1, 1});
  double Worst = 0;
  for (unsigned I = 0; I != 100; ++I) {
    P.launch(300);
    P.Rates[1] *= 0.99;
    if (I > 5)
      Worst = std::max(Worst, P.excess());
  }
  EXPECT_LE(Worst, 0.15);
}

TEST(TileBalance, LaunchesOfOtherSizesAreCompared) {
  Program P({2, 1});
  for (unsigned I = 0; I != 60; ++I) {
    P.Size = I % 3 == 0 ? 1.9 : 1.0;
    P.launch(1);
  }
  EXPECT_LE(P.excess(), Enough);
}

TEST(TileBalance, FewBlocksComeToRest) {
  // Three blocks for two equal devices: nothing is better than 2 + 1.
  Program P({1, 1});
  P.Blocks = 3;
  P.launch(100);
  EXPECT_FALSE(P.Balance.wantsTimes());
  EXPECT_NEAR(P.excess(), 1.0 / 3, 1e-9);
}

TEST(TileBalance, ATileThatIsSlowForAnotherReasonLosesTheTrustOfItsCut) {
  // The second device takes its time, whatever its share is.
  TileBalance B(2, 0);
  for (unsigned I = 0; I != 100 && B.wantsTimes(); ++I) {
    LaunchTime Time;
    Time.Shares = B.cut().Shares;
    if (Time.Shares.empty())
      Time.Shares = {0.5, 0.5};
    Time.ByDevice = {1e-3 * Time.Shares[0], 5e-3 + 1e-4 * Time.Shares[1]};
    B.add(Time, B.cut().Number);
    if (I == 2) {
      EXPECT_LT(B.promise(), 0.5);
    }
    if (I > 12) {
      EXPECT_GT(B.promise(), 0.8);
    }
  }
  EXPECT_FALSE(B.wantsTimes());
  EXPECT_EQ(B.promise(), 1);
}

TEST(TileBalance, StepsThatFailLoseNoMoreThanTheImbalance) {
  // One block has nine tenths of the work. Wherever the cut is, one device has
  // it; steps that look for better find nothing.
  Program P({1, 1});
  P.CostBefore = [](double X) { return 0.1 * X + (X > 0.3 ? 0.9 : 0); };
  const double First = P.slowest();
  P.launch(300);
  EXPECT_FALSE(P.Balance.wantsTimes());
  EXPECT_LE(P.slowest(), 1.01 * First);
  EXPECT_LE(P.Lost, 300 * First * 0.6);
}

TEST(TileBalance, ShortLaunchesAreNotWorthIt) {
  Program P({1, 0.9});
  P.Seconds = 1e-5;
  P.launch(100);
  EXPECT_EQ(P.Balance.cut(), TileCut());
}

TEST(TileBalance, WhatIsNoTimeIsIgnored) {
  TileBalance B(2, 0);
  LaunchTime Time;
  Time.Shares = {0.5, 0.5};
  for (const std::vector<double> &Tiles :
       {std::vector<double>{1}, {1, 0}, {1, NAN}, {1, INFINITY}, {1, 1, 1}}) {
    Time.ByDevice = Tiles;
    for (unsigned I = 0; I != 5; ++I)
      B.add(Time, 0);
  }
  Time.ByDevice = {1, 2};
  for (unsigned I = 0; I != 5; ++I)
    B.add(Time, 7);
  EXPECT_EQ(B.imbalance(), 0);
  EXPECT_EQ(B.promise(), 1);
  EXPECT_EQ(B.revision(), 0U);
}
