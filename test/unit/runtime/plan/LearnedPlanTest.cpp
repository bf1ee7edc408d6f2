//===- LearnedPlanTest.cpp - Plans of launches that were timed ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What times of launches make of plans, and of the homes of pages.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/DivisionChoice.h"
#include "runtime/plan/Planner.h"
#include "test/unit/runtime/FakeKernels.h"
#include <functional>
#include <gtest/gtest.h>
#include <random>

using namespace gridspan;

namespace {

/// A launch over N floats in two buffers, on two devices on NVLink.
class LearnedPlan : public testing::Test {
protected:
  LearnedPlan() {
    for (unsigned I = 0; I != 2; ++I)
      System.Devices.push_back(
          {"test", 1ull << 37, 4.4e12, 3e13, 5.5e10, 5.5e10, 132});
    System.PeerBandwidth.assign(2, std::vector<double>(2, 3.7e11));
    System.FanOutSeconds = {0, 0, 1e-5};
    System.PageSize = 4096;
    System.TimesTell = true;
    Input.Pointers = {{0, 0}, {1, 0}};
    Input.Allocations.resize(2);
    for (PlacedAllocation &A : Input.Allocations) {
      A.Bytes = Bytes;
      A.Homes = &Homes;
      A.Movable = A.Tracked = true;
    }
    Input.History = &History;
    use(fake::saxpy());
    spread();
  }

  void use(const GridspanKernel &Like) {
    Kernel = Like;
    Input.Kernel = &Kernel;
    Args[2] = Args[3] = &N;
    Input.Box = {Args, {Blocks, 1, 1}, {256, 1, 1}, {}, {Blocks, 1, 1}};
  }
  void spread() {
    Homes = PageHomes(Bytes, 0);
    Homes.set(Bytes / 2, Bytes, 1);
  }
  void gather() { Homes = PageHomes(Bytes, 0); }

  Plan plan() { return planLaunch(Input, System, Schedule::Auto); }

  /// Notes so many launches like P that took so long.
  void note(const Plan &P, double Seconds, unsigned Launches = 3) {
    ASSERT_TRUE(P.Timed);
    for (unsigned I = 0; I != Launches; ++I) {
      History.count(*P.Timed);
      LaunchTime Time = {Seconds, P.PredictedTime};
      if (P.isSplit()) {
        Time.ByDevice.assign(P.Tiles.size(), Unsplit / 2);
        Time.Shares = P.Shares;
      }
      History.add(*P.Timed, Time);
    }
  }

  /// Launches as planned until pages move, and returns after how many.
  unsigned launchUntilMoves(double Seconds) {
    for (unsigned Launches = 1; Launches != 1000; ++Launches) {
      const Plan P = plan();
      if (!P.Moves.empty())
        return Launches;
      note(P, Seconds, 1);
      for (unsigned A = 0; A != 2; ++A)
        Input.Allocations[A].Misplaced += P.Effects[A].Misplaced;
    }
    return 1000;
  }

  /// Launches as planned, where the second device takes Slower times as long
  /// as the first for the same, and moves pages as planned. Returns the number
  /// of launches before the last move.
  unsigned launchUnequal(double Slower, unsigned Launches) {
    unsigned LastMove = 0;
    for (unsigned I = 0; I != Launches; ++I) {
      Plan P = plan();
      if (!P.Moves.empty()) {
        LastMove = I;
        for (const MovePlan &M : P.Moves)
          Homes.set(M.Lo, M.Hi, M.To);
        for (PlacedAllocation &A : Input.Allocations) {
          A.Misplaced = 0;
          ++A.Moves;
        }
        P = plan();
      }
      if (P.Timed) {
        LaunchTime Time = {Unsplit, P.PredictedTime, {}, P.Shares, P.Size};
        if (P.isSplit()) {
          Time.ByDevice = {P.Shares[0] * Unsplit,
                           P.Shares[1] * Slower * Unsplit};
          Time.Seconds = std::max(Time.ByDevice[0], Time.ByDevice[1]);
        }
        History.count(*P.Timed);
        History.add(*P.Timed, Time);
      }
      for (unsigned A = 0; A != 2; ++A)
        Input.Allocations[A].Misplaced += P.Effects[A].Misplaced;
    }
    return LastMove;
  }

  static constexpr uint64_t Bytes = 1 << 28;
  static constexpr unsigned Blocks = Bytes / 4 / 256;
  /// A launch on one device, with its pages there: 3 * Bytes / bandwidth.
  const double Unsplit = 1.83e-4;
  int N = Bytes / 4;
  void *Args[4] = {};
  GridspanKernel Kernel;
  SystemInfo System;
  PageHomes Homes{Bytes, 0};
  LaunchHistory History;
  PlanInput Input;
};

} // namespace

TEST_F(LearnedPlan, GoesByThePredictionAtFirst) {
  const Plan P = plan();
  EXPECT_TRUE(P.isSplit());
  ASSERT_TRUE(P.Timed);
  EXPECT_EQ(*P.Timed, (Division{2, 0, false}));
  EXPECT_GT(P.PredictedTime, 0);
  ASSERT_EQ(P.Shares.size(), 2U);
  EXPECT_NEAR(P.Shares[0], 0.5, 0.01);
  Input.History = nullptr;
  EXPECT_FALSE(plan().Timed) << "nobody asks";
}

TEST_F(LearnedPlan, RunsUnsplitUntilTheFirstSplitIsSaved) {
  System.FirstSplitSeconds = 1;
  System.PageMoveSeconds = 1;
  const Plan P = plan();
  EXPECT_FALSE(P.isSplit());
  EXPECT_EQ(P.WhyUnsplit, LaunchReason::TooFewLaunches);
  EXPECT_TRUE(P.WantsTry);
  EXPECT_TRUE(P.Moves.empty());
  System.FirstSplitSeconds = 0;
  EXPECT_TRUE(plan().isSplit());
}

TEST_F(LearnedPlan, UnknownWorkRunsUnsplitUntilItIsMeasured) {
  Kernel.Work = [](const GridspanBox *Box) { return 1e7 * Box->BlockCount[0]; };
  Kernel.Flags |= GridspanWorkIsGuess;
  gather();
  Plan P = plan();
  EXPECT_FALSE(P.isSplit());
  EXPECT_EQ(P.WhyUnsplit, LaunchReason::WorkUnknown);
  EXPECT_EQ(P.Effects[0].Misplaced, 0) << "pages stay";
  note(P, 5 * P.PredictedTime, 100);
  P = plan();
  EXPECT_TRUE(P.isSplit()) << "a try is affordable";
  History = {};
  note(plan(), 12e-6);
  P = plan();
  EXPECT_FALSE(P.isSplit()) << "the fan-out takes longer";
  // So does another launch of the kernel.
  History = {};
  History.RatioElsewhere = 1e-6;
  EXPECT_FALSE(plan().isSplit());
  History.RatioElsewhere = 1;
  EXPECT_TRUE(plan().isSplit());
}

TEST_F(LearnedPlan, UnknownWorkIsMeasuredHoweverLittleItIsGuessedToBe) {
  Kernel.Work = [](const GridspanBox *Box) {
    return 1e-3 * Box->BlockCount[0];
  };
  Kernel.NumAccesses = 0;
  gather();
  EXPECT_FALSE(plan().Timed) << "it cannot pay";
  Kernel.Flags |= GridspanWorkIsGuess;
  const Plan P = plan();
  EXPECT_FALSE(P.isSplit());
  ASSERT_TRUE(P.Timed);
  note(P, Unsplit, 100);
  EXPECT_TRUE(plan().isSplit());
  History = {};
  note(plan(), 5e-6, 100);
  EXPECT_FALSE(plan().Timed) << "it cannot pay";
}

TEST_F(LearnedPlan, MovesForWhatIsOnlyPromisedKeepWithinTheAllowance) {
  // The split promises half of the time once its pages have moved, for which
  // tries have no time yet.
  gather();
  System.PageMoveSeconds = 1e-6;
  note(plan(), 2 * Unsplit, 2);
  for (PlacedAllocation &A : Input.Allocations)
    A.Misplaced = 1;
  EXPECT_GT(plan().Effects[0].Misplaced, 0);
  EXPECT_TRUE(plan().Moves.empty()) << "66 ms of the allowance of 1 ms";
  note(plan(), 2 * Unsplit, 4000);
  EXPECT_FALSE(plan().Moves.empty());
}

TEST_F(LearnedPlan, KeepsASplitThatTakesAsLongAsPredicted) {
  const Plan P = plan();
  note(P, P.PredictedTime);
  const Plan Q = plan();
  EXPECT_TRUE(Q.isSplit());
  EXPECT_FALSE(Q.IsTry);
  EXPECT_TRUE(Q.Moves.empty());
  EXPECT_EQ(Q.Effects[0].Misplaced, 0);
}

TEST_F(LearnedPlan, DropsASplitThatIsSlowerAndBringsItsPagesHome) {
  // A split takes six times as long as the unsplit launch. A move takes 1.1 ms.
  note(plan(), 6 * Unsplit);
  EXPECT_LE(launchUntilMoves(6 * Unsplit), 5U);
  for (const MovePlan &M : plan().Moves)
    EXPECT_EQ(M.To, 0);
  gather();
  for (PlacedAllocation &A : Input.Allocations) {
    A.Misplaced = 0;
    A.Moves = 1;
  }
  Plan P = plan();
  EXPECT_FALSE(P.isSplit());
  EXPECT_EQ(P.WhyUnsplit, LaunchReason::MeasuredSlower);
  note(P, Unsplit);
  P = plan();
  EXPECT_FALSE(P.isSplit());
  EXPECT_EQ(P.WhyUnsplit, LaunchReason::MeasuredSlower);
  EXPECT_TRUE(P.Moves.empty());
  EXPECT_EQ(P.Effects[0].Misplaced, 0) << "at rest";
}

TEST_F(LearnedPlan, TheCutFollowsTheRatesOfTheDevices) {
  const unsigned Launches = launchUnequal(3, 300);
  const Plan P = plan();
  ASSERT_TRUE(P.isSplit());
  EXPECT_NEAR(P.Shares[0], 0.75, 0.02);
  EXPECT_EQ(P.Tiles[1].Lo[0], P.Tiles[0].Count[0]);
  EXPECT_EQ(P.Tiles[0].Count[0] + P.Tiles[1].Count[0], Blocks);
  EXPECT_FALSE(P.WantsTimes);
  EXPECT_FALSE(P.IsTry);
  // What the first device has more lay with the second one, and has come.
  EXPECT_GE(Launches, 3U);
  EXPECT_LE(Launches, 100U);
  EXPECT_NEAR(double(Homes.bytesAt(0, Bytes, 0)), 0.75 * Bytes, 0.03 * Bytes);
}

TEST_F(LearnedPlan, ABalancedSplitIsFoundWhereEqualTilesLose) {
  // Equal tiles take twice as long as the unsplit launch, balanced ones a fifth
  // less.
  launchUnequal(4, 600);
  const Plan P = plan();
  ASSERT_TRUE(P.isSplit());
  EXPECT_NEAR(P.Shares[0], 0.8, 0.03);
}

TEST_F(LearnedPlan, EqualDevicesMoveNothing) {
  launchUnequal(1, 300);
  const Plan P = plan();
  EXPECT_EQ(P.Timed->Cut, 0U);
  EXPECT_EQ(Homes.bytesAt(0, Bytes, 0), Bytes / 2);
}

TEST_F(LearnedPlan, AtomicsFromAfarSayNothingOfTheUnsplitLaunch) {
  // Tiles are slow: the kernel is, or its atomics on the other's counters are.
  auto NoteSlowTiles = [&](const Plan &P) {
    ASSERT_TRUE(P.isSplit());
    History = {};
    LaunchTime Time = {20 * P.PredictedTime, P.PredictedTime};
    Time.ByDevice.assign(2, 19 * P.PredictedTime);
    Time.Shares = P.Shares;
    for (unsigned I = 0; I != 3; ++I) {
      History.count(*P.Timed);
      History.add(*P.Timed, Time);
    }
  };
  use(fake::histogram());
  PlacedAllocation &Bins = Input.Allocations[1];
  PageHomes OnFirst{4096, 0};
  Bins.Bytes = 4096;
  Bins.Homes = &OnFirst;
  NoteSlowTiles(plan());
  EXPECT_GT(plan().Effects[0].Misplaced, 0) << "pages are to come home";
  // With nothing unknown it is the kernel.
  History = {};
  use(fake::saxpy());
  Bins.Bytes = Bytes;
  Bins.Homes = &Homes;
  NoteSlowTiles(plan());
  EXPECT_TRUE(plan().isSplit());
  EXPECT_EQ(plan().Effects[0].Misplaced, 0);
}

TEST_F(LearnedPlan, PagesGoBackWhenTheSplitWasFasterAfterAll) {
  const Plan First = plan();
  note(First, 1.3 * First.PredictedTime);
  gather();
  const Plan P = plan();
  note(P, 3 * Unsplit);
  for (PlacedAllocation &A : Input.Allocations)
    A.Moves = 1;
  const unsigned Launches = launchUntilMoves(3 * Unsplit);
  EXPECT_LE(Launches, 10U);
  for (const MovePlan &M : plan().Moves)
    EXPECT_EQ(M.To, 1);
}

TEST_F(LearnedPlan, AnUnsplitLaunchWithSpreadPagesBringsThemHomeIfSlow) {
  use(fake::lookBack());
  const Plan P = plan();
  EXPECT_FALSE(P.isSplit());
  ASSERT_TRUE(P.Timed);
  EXPECT_TRUE(P.Timed->IsSpread);
  EXPECT_GT(P.Effects[0].Misplaced, 0) << "predicted";
  // As fast as from its own memory: nothing to gain by a move.
  note(P, plan().PredictedTime / 20);
  EXPECT_EQ(plan().Effects[0].Misplaced, 0);
  EXPECT_TRUE(plan().Moves.empty());
  // Slower than it would be.
  History = {};
  note(P, 5e-3);
  const Plan Q = plan();
  const double Lost = Q.Effects[0].Misplaced + Q.Effects[1].Misplaced;
  EXPECT_GT(Lost, 4e-3);
  EXPECT_LE(Lost, 5e-3);
  EXPECT_FALSE(Q.Moves.empty());
}

TEST_F(LearnedPlan, KernelsThatDisagreeComeToRest) {
  // One wants its pages spread, one at home; both lose 2 ms by the other's
  // place. Moves double what the next one takes, so that their cost is a
  // vanishing share of the time.
  LaunchHistory Of[2];
  double Moving = 0, Spent = 0;
  unsigned Moves = 0;
  for (unsigned Step = 0; Step != 4000; ++Step) {
    use(Step % 2 == 0 ? fake::saxpy() : fake::lookBack());
    Input.History = &Of[Step % 2];
    const Plan P = plan();
    const bool IsSpread = Homes.anyAt(1);
    const double Seconds = IsSpread == (Step % 2 == 0) ? Unsplit : 2e-3;
    Spent += Seconds;
    if (P.Timed) {
      LaunchTime Time = {Seconds, P.PredictedTime};
      if (P.isSplit()) {
        Time.ByDevice.assign(2, Seconds);
        Time.Shares = P.Shares;
      }
      Of[Step % 2].count(*P.Timed);
      Of[Step % 2].add(*P.Timed, Time);
    }
    for (unsigned A = 0; A != 2; ++A)
      Input.Allocations[A].Misplaced += P.Effects[A].Misplaced;
    if (P.Moves.empty())
      continue;
    ++Moves;
    Moving += 1.1e-3;
    if (P.Moves.front().To == 0)
      gather();
    else
      spread();
    for (PlacedAllocation &A : Input.Allocations) {
      A.Misplaced = 0;
      ++A.Moves;
    }
  }
  EXPECT_LE(Moves, 30U);
  EXPECT_LE(Moving, 0.05 * Spent + 1e-3);
}

TEST_F(LearnedPlan, PagesStayWhereTheMostSecondsDependOnThem) {
  // One kernel would be faster with its pages spread, four others are not split
  // and have them at home.
  gather();
  LaunchHistory Of[2];
  double Sum = 0;
  for (unsigned Step = 0; Step != 400; ++Step) {
    const bool IsSplit = Step % 5 == 0;
    use(IsSplit ? fake::saxpy() : fake::lookBack());
    Input.History = &Of[IsSplit];
    const Plan P = plan();
    ASSERT_TRUE(P.Moves.empty()) << Step;
    if (P.Timed) {
      Of[IsSplit].count(*P.Timed);
      Of[IsSplit].add(*P.Timed, {Unsplit, P.PredictedTime, {}, {}, P.Size});
    }
    const AllocationEffect &E = P.Effects[0];
    EXPECT_TRUE(E.Misplaced == 0 || E.Contented == 0);
    EXPECT_EQ(E.Contented > 0, !IsSplit);
    Sum = std::max(0.0, Sum + E.Misplaced - E.Contented);
    for (PlacedAllocation &A : Input.Allocations)
      A.Misplaced = Sum;
  }
}

namespace {

/// A program that launches one kernel many times, on devices that are only
/// functions of the launch's number. What it loses, against the best way with
/// pages in the best place for each launch, is held against the bound of
/// DivisionChoice.cpp.
class LearnedProgram : public LearnedPlan {
protected:
  /// By how much longer than the first device the second one takes for the
  /// same.
  std::function<double(unsigned)> Slower = [](unsigned) { return 1.0; };
  /// Multiplies the time of a launch, and of each of its tiles.
  std::function<double()> Noise = [] { return 1.0; };
  std::function<double()> TileNoise = [] { return 1.0; };
  /// The seconds that a split takes besides.
  double FanOut = 1e-5;
  /// The seconds that the second device is not there for a tile.
  std::function<double()> Waits = [] { return 0.0; };

  double Spent = 0, Best = 0;
  double Now = 1; ///< the last launch by the best
  unsigned Moves = 0, Splits = 0, Total = 0;

  double seconds(const Plan &P, std::vector<double> &Tiles, double Second) {
    const double Link = System.PeerBandwidth[0][1];
    if (!P.isSplit()) // reads two buffers and writes one
      return Unsplit + 3 * double(Homes.bytesAt(0, Bytes, 1)) / Link;
    uint64_t Lo = 0;
    for (unsigned I = 0; I != 2; ++I) {
      const uint64_t Hi = Lo + P.Tiles[I].Count[0] * uint64_t(1024);
      const double Afar = 3 * double(Homes.bytesAt(Lo, Hi, 1 - int(I))) / Link;
      Tiles.push_back(double(Hi - Lo) / Bytes * Unsplit * (I ? Second : 1) +
                      Afar);
      Lo = Hi;
    }
    return std::max(Tiles[0], Tiles[1] + Waits()) + FanOut;
  }

  void run(unsigned Launches) {
    for (const unsigned End = Total + Launches; Total != End; ++Total) {
      Plan P = plan();
      if (!P.Moves.empty()) {
        ++Moves;
        double Seconds = 2e-4;
        for (const MovePlan &M : P.Moves)
          Seconds += double(M.Hi - M.Lo) / System.PeerBandwidth[0][1];
        for (const MovePlan &M : P.Moves)
          Homes.set(M.Lo, M.Hi, M.To);
        for (PlacedAllocation &A : Input.Allocations) {
          A.Misplaced = 0;
          ++A.Moves;
        }
        History.MoveSeconds += Seconds;
        Spent += Seconds;
        P = plan();
      }
      const double Second = Slower(Total), Factor = Noise();
      std::vector<double> Tiles;
      const double Seconds = Factor * seconds(P, Tiles, Second);
      const double Balanced = Unsplit / (1 + 1 / Second) + FanOut;
      Spent += Seconds;
      Splits += P.isSplit();
      Best += Factor * std::min(Unsplit, Balanced);
      Now = Seconds / Factor / std::min(Unsplit, Balanced);
      for (unsigned A = 0; A != 2; ++A)
        Input.Allocations[A].Misplaced += P.Effects[A].Misplaced;
      if (!P.Timed)
        continue;
      const uint64_t Number = History.count(*P.Timed);
      const bool IsWatched = History.find(*P.Timed)->wantsTimes();
      if (!isTimed(Number, P.PredictedTime) &&
          !((P.IsTry || P.WantsTimes || IsWatched) && Number > 1))
        continue;
      for (double &Tile : Tiles)
        Tile *= Factor * TileNoise();
      History.add(*P.Timed,
                  {Seconds, P.PredictedTime, Tiles, P.Shares, P.Size});
    }
  }
  /// What was lost, as a share of the bound.
  double lost() const {
    return (Spent - Best) / (TryShare * Spent + TrySeconds);
  }
};

std::function<double()> uniform(double Part, unsigned Seed) {
  auto Random = std::make_shared<std::mt19937>(Seed);
  return [=] {
    return std::uniform_real_distribution<>(1 - Part, 1 + Part)(*Random);
  };
}

} // namespace

TEST_F(LearnedProgram, EqualDevicesLoseNothing) {
  run(3000);
  EXPECT_EQ(Splits, 3000U);
  EXPECT_EQ(Moves, 0U);
  EXPECT_LT(lost(), 0.01);
}

TEST_F(LearnedProgram, UnequalDevicesAreBalancedWithinTheBound) {
  // The last steps of the cut are small: they are tried with their pages moved,
  // and judged.
  Slower = [](unsigned) { return 3.0; };
  run(3000);
  EXPECT_EQ(Splits, 3000U);
  EXPECT_LE(lost(), 0.5);
  EXPECT_LE(Now, 1.02);
  EXPECT_NEAR(plan().Shares[0], 0.75, 0.01);
}

TEST_F(LearnedProgram, ADeviceThatIsALittleSlowerIsBalanced) {
  Slower = [](unsigned) { return 1.2; };
  run(3000);
  EXPECT_LE(lost(), 0.5);
  EXPECT_LE(Now, 1.02);
}

TEST_F(LearnedProgram, ASplitThatCannotPayIsDroppedWithinTheBound) {
  FanOut = 3e-4;
  run(3000);
  EXPECT_LE(Splits, 10U);
  EXPECT_LE(lost(), 0.5);
}

TEST_F(LearnedProgram, ADeviceThatIsOfNoUseIsLeftWithinTheBound) {
  Slower = [](unsigned) { return 20.0; };
  run(3000);
  EXPECT_LE(Splits, 10U);
  EXPECT_LE(lost(), 0.5);
}

TEST_F(LearnedProgram, NoiseMovesNoPagesOfEqualDevices) {
  Noise = uniform(0.1, 1);
  TileNoise = uniform(0.05, 2);
  run(3000);
  EXPECT_EQ(Splits, 3000U);
  EXPECT_EQ(Moves, 0U);
  EXPECT_LT(lost(), 0.01);
}

TEST_F(LearnedProgram, NoisyUnequalDevicesAreBalancedWithinTheBound) {
  Slower = [](unsigned) { return 3.0; };
  Noise = uniform(0.1, 1);
  TileNoise = uniform(0.05, 2);
  run(3000);
  EXPECT_LE(lost(), 1);
  EXPECT_LE(Now, 1.05);
}

TEST_F(LearnedProgram, OutliersAreIgnoredWithinTheBound) {
  Slower = [](unsigned) { return 2.0; };
  std::mt19937 Random(3);
  Noise = [&] { return std::bernoulli_distribution(0.03)(Random) ? 10.0 : 1; };
  run(3000);
  EXPECT_LE(lost(), 1);
  EXPECT_LE(Now, 1.05);
}

/// Another program has it in turns of some milliseconds, so that few launches
/// wait, but these for longer than all others take together.
TEST_F(LearnedProgram, ADeviceThatIsSharedInTurnsIsLeft) {
  for (const double Part : {0.15, 0.25, 0.4}) {
    History = {};
    Spent = Best = Splits = Total = 0;
    spread();
    std::mt19937 Random(5);
    Waits = [&] {
      return std::bernoulli_distribution(Part)(Random) ? 2.4e-3 : 0.0;
    };
    run(3000);
    EXPECT_LE(Splits, 800U) << Part;
    EXPECT_LE(Now, 2) << Part << ": the best is that of two devices";
  }
}

TEST_F(LearnedProgram, ADeviceThatWasSharedInTurnsIsUsedAgain) {
  for (const unsigned Before : {1000U, 10000U}) {
    History = {};
    Total = 0;
    spread();
    run(Before);
    EXPECT_TRUE(plan().isSplit()) << Before;
    std::mt19937 Random(7);
    Waits = [&] {
      return std::bernoulli_distribution(0.25)(Random) ? 2.4e-3 : 0.0;
    };
    run(500);
    Waits = [] { return 0.0; };
    run(4 * Before);
    EXPECT_TRUE(plan().isSplit()) << Before;
    EXPECT_LE(Now, 1.1) << Before;
  }
}

TEST_F(LearnedProgram, RareWaitsDoNotEndASplitThatGains) {
  std::mt19937 Random(9);
  Waits = [&] {
    return std::bernoulli_distribution(0.02)(Random) ? 1e-3 : 0.0;
  };
  run(20000);
  EXPECT_GE(Splits, 19000U);
}

TEST_F(LearnedProgram, ADriftIsFollowed) {
  Slower = [](unsigned N) {
    return N < 1000 ? 1.0 : std::min(4.0, 1 + 3 * (N - 1000) / 2000.0);
  };
  run(8000);
  EXPECT_LE(Now, 1.18) << "as one device at most";
  EXPECT_LE(Moves, 10U);
}

TEST_F(LearnedProgram, ADeviceThatAnotherProgramTakesIsFollowed) {
  Slower = [](unsigned N) { return N >= 2000 && N < 4000 ? 3.0 : 1.0; };
  run(2000);
  EXPECT_LE(Now, 1.01);
  run(2000);
  EXPECT_LE(Now, 1.02);
  run(2000);
  EXPECT_LE(Now, 1.1);
}
