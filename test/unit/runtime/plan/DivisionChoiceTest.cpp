//===- DivisionChoiceTest.cpp - Choices by times, on made-up devices ------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program launches one kernel many times, on devices that are only functions
// of the launch's number. What it loses, against the best way for all launches,
// is held against the bound.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/DivisionChoice.h"
#include <algorithm>
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <optional>
#include <random>

using namespace gridspan;

namespace {

/// What a way to run the launch really takes.
struct Way {
  DivisionOption Option;
  /// The seconds of the Number-th launch, and of its first tile.
  std::function<double(uint64_t)> Seconds;
  std::function<double(uint64_t)> FirstTile = nullptr;
};

DivisionOption option(unsigned Devices, double Predicted, bool IsSure = true) {
  return {{Devices, 0, false}, Predicted, 0, IsSure};
}

std::function<double(uint64_t)> always(double Seconds) {
  return [=](uint64_t) { return Seconds; };
}

struct Outcome {
  double Spent = 0;
  double Best = 0;                ///< of one way for all launches
  std::vector<uint64_t> Launches; ///< by way

  double lost() const { return Spent - Best; }
};

class Program {
public:
  explicit Program(std::vector<Way> Ways) : Ways(std::move(Ways)) {
    for (const Way &W : this->Ways)
      Options.push_back(W.Option);
  }

  /// The launches after which a time is known.
  unsigned Delay = 0;
  /// Multiplies what is measured, and spent.
  std::function<double()> Noise = [] { return 1.0; };

  Outcome run(uint64_t Launches, size_t Predicted) {
    Outcome Out;
    Out.Launches.resize(Ways.size());
    std::vector<double> Sums(Ways.size());
    for (uint64_t N = 0; N != Launches; ++N) {
      for (; !Running.empty() && Running.front().Known <= N;
           Running.pop_front())
        History.add(Running.front().What, Running.front().Time);
      const DivisionChoice Choice = chooseDivision(History, Options, Predicted);
      const Way &W = Ways[Choice.Index];
      for (size_t I = 0; I != Ways.size(); ++I)
        Sums[I] += Ways[I].Seconds(N);
      const double Factor = Noise();
      const double Seconds = W.Seconds(N) * Factor;
      Out.Spent += Seconds;
      ++Out.Launches[Choice.Index];
      const uint64_t Number = History.count(W.Option.What);
      if (!isTimed(Number) && !(Choice.IsTry && Number > 1))
        continue;
      LaunchTime Time = {Seconds, W.Option.Predicted};
      if (W.FirstTile) {
        Time.ByDevice.assign(W.Option.What.Devices, W.FirstTile(N) * Factor);
        Time.Shares.assign(W.Option.What.Devices, 1.0 / W.Option.What.Devices);
      }
      Running.push_back({N + 1 + Delay, W.Option.What, Time});
    }
    Out.Best = *std::min_element(Sums.begin(), Sums.end());
    return Out;
  }

  LaunchHistory History;

private:
  struct Pending {
    uint64_t Known;
    Division What;
    LaunchTime Time;
  };
  std::vector<Way> Ways;
  std::vector<DivisionOption> Options;
  std::deque<Pending> Running;
};

/// What launches may lose: Guesses ones of Excess seconds each before the first
/// guess is judged, and the allowance.
double bound(const Outcome &Of, double Guesses = 0, double Excess = 0) {
  return TryShare * Of.Spent + TrySeconds + Guesses * Excess;
}

} // namespace

TEST(DivisionChoice, GoesByPredictionsWithoutTimes) {
  const DivisionOption Options[] = {option(1, 2e-3), option(2, 1e-3)};
  EXPECT_EQ(chooseDivision({}, Options, 1).Index, 1u);
  EXPECT_EQ(chooseDivision({}, Options, 0).Index, 0u);
  EXPECT_FALSE(chooseDivision({}, Options, 1).IsTry);
}

TEST(DivisionChoice, KeepsASplitThatPaysWithoutATry) {
  for (const double Unsplit : {50e-6, 1e-3, 0.1}) {
    // Twice as long as predicted, as the unsplit launch is.
    const double Split = Unsplit / 2 + 5e-6;
    Program P({{option(1, Unsplit / 2), always(Unsplit)},
               {option(2, Split / 2), always(Split), always(Unsplit / 2)}});
    const Outcome Out = P.run(1000, 1);
    EXPECT_EQ(Out.Launches[0], 0u) << Unsplit;
    EXPECT_DOUBLE_EQ(Out.lost(), 0);
  }
}

TEST(DivisionChoice, DropsASplitOfShortLaunches) {
  // The tiles are as predicted, and waits between the devices take long.
  Program P({{option(1, 60e-6), always(60e-6)},
             {option(2, 40e-6), always(90e-6), always(30e-6)}});
  const Outcome Out = P.run(1000, 1);
  // Three, and later ones to see if that is still so.
  EXPECT_LE(Out.Launches[1], 9u);
  EXPECT_LE(Out.lost(), bound(Out));
}

TEST(DivisionChoice, DropsASplitOverUnequalDevices) {
  for (const double Unit : {1e-4, 1e-2}) {
    Program P({{option(1, Unit), always(Unit)},
               {option(2, Unit / 2), always(5 * Unit), always(Unit / 2)}});
    const Outcome Out = P.run(2000, 1);
    EXPECT_LE(Out.Launches[1], 4u) << Unit;
    EXPECT_LE(Out.lost(), bound(Out, 4, 4 * Unit)) << Unit;
  }
}

TEST(DivisionChoice, DropsASplitWhoseAccessesAreRemote) {
  // Pointers are chased: nothing was known of the accesses, and each tile takes
  // longer than the unsplit launch.
  for (const double Unit : {1e-4, 1e-2}) {
    Program P(
        {{option(1, Unit, false), always(Unit)},
         {option(2, Unit / 2, false), always(3 * Unit), always(2.9 * Unit)}});
    const Outcome Out = P.run(4000, 1);
    EXPECT_LE(Out.Launches[1], 20u) << Unit;
    EXPECT_LE(Out.lost(), bound(Out, 20, 2 * Unit)) << Unit;
  }
}

TEST(DivisionChoice, FindsASplitThatPredictionsMissed) {
  // The kernel takes five times as long as predicted, so that it pays.
  Program P({{option(1, 10e-6), always(50e-6)},
             {option(2, 9.8e-6), always(30e-6), always(25e-6)}});
  P.History.Last = {1, 0, false};
  EXPECT_EQ(P.run(1000, 0).Launches[1], 0u) << "less than is clearly faster";
  Program Q({{option(1, 20e-6), always(100e-6)},
             {option(2, 17e-6), always(60e-6), always(50e-6)}});
  const Outcome Out = Q.run(1000, 0);
  EXPECT_GE(Out.Launches[1], 950u);
  EXPECT_LE(Out.lost(), bound(Out));
}

TEST(DivisionChoice, TriesAreNotBegunBeforeTheyAreAffordable) {
  // The other way is as slow as a try may be.
  for (const bool IsSure : {true, false})
    for (const double Unit : {10e-6, 1e-3, 50e-3}) {
      const double Worst = (IsSure ? 2 : 8) * Unit;
      Program P({{option(1, Unit, IsSure), always(Unit)},
                 {option(2, Unit / 2, IsSure), always(Worst), always(Unit)}});
      for (unsigned I = 0; I != 40; ++I) {
        const Outcome Out = P.run(25, 0);
        EXPECT_LE(P.History.lostSeconds(),
                  TryShare * P.History.spentSeconds() + TrySeconds + 1e-9)
            << Unit << " after " << 25 * I;
      }
    }
}

TEST(DivisionChoice, AWayThatPromisesAQuarterIsTriedAtOnce) {
  LaunchHistory History;
  for (unsigned I = 0; I != DivisionRecord::LeastTimes; ++I) {
    History.count({});
    History.add({}, {2e-3, 2e-3});
  }
  auto Choose = [&](double Predicted, bool IsSure) {
    const DivisionOption Options[] = {option(1, 2e-3, IsSure),
                                      option(4, Predicted, IsSure)};
    return chooseDivision(History, Options, 0);
  };
  // It can take no longer than the unsplit launch, as far as is known.
  EXPECT_EQ(Choose(0.5e-3, true).Index, 1U);
  EXPECT_TRUE(Choose(0.5e-3, true).IsTry);
  EXPECT_EQ(Choose(0.8e-3, true).Index, 0U) << "three tries may lose 3.6 ms";
  EXPECT_TRUE(Choose(0.8e-3, true).WantsTry);
  EXPECT_EQ(Choose(0.5e-3, false).Index, 0U) << "accesses are not known";
}

TEST(DivisionChoice, AWorseTryThanThoughtPossibleIsPaidForFirst) {
  Program P({{option(1, 1e-3), always(1e-3)},
             {option(2, 0.5e-3), always(1), always(0.5e-3)}});
  const Outcome Out = P.run(20000, 0);
  EXPECT_LE(Out.Launches[1], TryLaunches);
  EXPECT_GE(Out.Launches[1], 1u);
}

TEST(DivisionChoice, IgnoresNoiseAndOutliers) {
  std::mt19937 Random(7);
  std::uniform_real_distribution<double> Near(0.85, 1.15);
  std::bernoulli_distribution IsOutlier(0.03);
  auto Noise = [&] { return Near(Random) * (IsOutlier(Random) ? 10 : 1); };
  for (unsigned Delay : {0u, 5u, 100u}) {
    Program Pays({{option(1, 1e-3), always(1e-3)},
                  {option(2, 0.52e-3), always(0.55e-3), always(0.5e-3)}});
    Pays.Noise = Noise;
    Pays.Delay = Delay;
    EXPECT_GE(Pays.run(2000, 1).Launches[1], 1960u) << Delay;
    Program Loses({{option(1, 1e-4), always(1e-4)},
                   {option(2, 0.6e-4), always(2e-4), always(0.5e-4)}});
    Loses.Noise = Noise;
    Loses.Delay = Delay;
    EXPECT_GE(Loses.run(2000, 1).Launches[0], 1940 - 2 * Delay) << Delay;
  }
}

TEST(DivisionChoice, FollowsDrift) {
  // A co-runner takes the second device from the 500th launch on.
  auto Split = [](uint64_t N) { return N < 500 ? 0.55e-3 : 4e-3; };
  Program P({{option(1, 1e-3), always(1e-3)},
             {option(2, 0.55e-3), Split, always(0.5e-3)}});
  const Outcome Out = P.run(8000, 1);
  EXPECT_GE(Out.Launches[0], 6000u);
  // And leaves it again.
  auto Again = [](uint64_t N) { return N < 500 ? 1.5e-3 : 0.5e-3; };
  Program Q({{option(1, 1e-3), always(1e-3)},
             {option(2, 0.55e-3), Again, always(0.5e-3)}});
  EXPECT_GE(Q.run(20000, 1).Launches[1], 8000u);
}

TEST(DivisionChoice, ChoosesTheNumberOfDevices) {
  Program P({{option(1, 1e-3), always(1e-3)},
             {option(2, 0.55e-3), always(0.55e-3), always(0.5e-3)},
             {option(4, 0.3e-3), always(0.9e-3), always(0.25e-3)}});
  const Outcome Out = P.run(4000, 2);
  EXPECT_GE(Out.Launches[1], 3800u);
  EXPECT_LE(Out.lost(), bound(Out, 4, 0.35e-3));
}

TEST(DivisionChoice, PagesThatAreSpreadMakeNoLaunchFaster) {
  LaunchHistory History;
  const Division Split = {2, 0, false};
  for (int I = 0; I != 3; ++I)
    History.add(Split, {1e-3, 0.5e-3, {0.9e-3, 0.9e-3}, {0.5, 0.5}});
  DivisionOption Option = option(2, 2e-3);
  Option.What.IsSpread = true;
  EXPECT_GE(estimateSeconds(History, Option), 4e-3);
  // The unsplit launch has the tile's ratio, or takes what the tile says.
  EXPECT_DOUBLE_EQ(estimateSeconds(History, option(1, 0.8e-3)), 1.44e-3);
  EXPECT_DOUBLE_EQ(estimateSeconds(History, option(1, 2e-3)), 1.8e-3);
  EXPECT_DOUBLE_EQ(estimateSeconds(History, option(1, 0.8e-3, false)), 0.8e-3);
}

TEST(DivisionChoice, WhatDoesNotDependOnTheKernelIsNotMultiplied) {
  // The kernel takes a thousandth of what was thought: the fan-out remains.
  LaunchHistory History;
  for (int I = 0; I != 2; ++I)
    History.add({}, {14e-6, 10e-3 + 4e-6, {}, {}, 1, 4e-6});
  DivisionOption Split = option(2, 5e-3 + 20e-6);
  Split.Fixed = 20e-6;
  EXPECT_NEAR(estimateSeconds(History, Split), 25e-6, 1e-9);
  const DivisionOption Options[] = {option(1, 10e-3 + 4e-6), Split};
  EXPECT_EQ(chooseDivision(History, Options, 1).Index, 0u);
  EXPECT_FALSE(chooseDivision(History, Options, 1).IsTry);
}

TEST(DivisionChoice, TheFirstSplitMustHaveBeenSaved) {
  const DivisionOption Options[] = {option(1, 200e-6), option(2, 100e-6)};
  LaunchHistory History;
  constexpr double FirstSplit = 1e-3;
  FirstGuess Guess = guessDivision(History, Options, true, FirstSplit);
  EXPECT_EQ(Guess.Index, 0u);
  EXPECT_EQ(Guess.Why, FirstGuess::TooFewLaunches);
  for (unsigned I = 0; I != 9; ++I)
    History.count(Options[0].What);
  Guess = guessDivision(History, Options, true, FirstSplit);
  EXPECT_EQ(Guess.Index, 1u);
  EXPECT_EQ(Guess.Why, FirstGuess::Fastest);
  // It is paid for once.
  LaunchHistory WasSplit;
  WasSplit.count(Options[1].What);
  EXPECT_EQ(guessDivision(WasSplit, Options, true, FirstSplit).Index, 1u);
  // Long launches save it, but are measured unsplit before; very long ones save
  // so much that they are split at once.
  const DivisionOption Long[] = {option(1, 20e-3), option(2, 10e-3)};
  LaunchHistory Few;
  EXPECT_EQ(guessDivision(Few, Long, true, FirstSplit).Index, 0u);
  for (unsigned I = 0; I != TryLaunches; ++I)
    Few.count(Long[0].What);
  EXPECT_EQ(guessDivision(Few, Long, true, FirstSplit).Index, 1u);
  const DivisionOption Longer[] = {option(1, 50e-3), option(2, 25e-3)};
  EXPECT_EQ(guessDivision({}, Longer, true, FirstSplit).Index, 1u);
  // Unless that is incredible.
  const DivisionOption Longest[] = {option(1, 50), option(2, 25)};
  EXPECT_EQ(guessDivision({}, Longest, true, FirstSplit).Why,
            FirstGuess::WorkUnknown);
  // A measured way is compared with it too.
  LaunchHistory Measured;
  for (int I = 0; I != 2; ++I) {
    Measured.count({});
    Measured.add({}, {200e-6, 200e-6});
  }
  EXPECT_TRUE(chooseDivision(Measured, Options, 0, 1e-4).IsTry);
  EXPECT_FALSE(chooseDivision(Measured, Options, 0, FirstSplit).IsTry);
}

TEST(DivisionChoice, LongLaunchesAreSplitOnceDevicesAreOpen) {
  constexpr double FirstSplit = 1e-3;
  DivisionOption Options[] = {option(1, 0.1), option(2, 0.05)};
  // Two launches ran before the devices were open: far too few to pay for a
  // try.
  LaunchHistory History;
  for (int I = 0; I != 2; ++I) {
    History.count({});
    History.add({}, {0.3, 0.1});
  }
  DivisionChoice Choice = chooseDivision(History, Options, 0, FirstSplit);
  EXPECT_EQ(Choice.Index, 1u);
  EXPECT_TRUE(Choice.IsTry);
  // Not if it accesses what nobody knows.
  Options[1].IsSure = false;
  EXPECT_FALSE(chooseDivision(History, Options, 0, FirstSplit).IsTry);
  Options[1].IsSure = true;
  // It lost, and is left at once.
  for (int I = 0; I != 2; ++I) {
    History.count(Options[1].What);
    History.add(Options[1].What, {0.6, 0.05});
  }
  Choice = chooseDivision(History, Options, 0, FirstSplit);
  EXPECT_EQ(Choice.Index, 0u);
  EXPECT_FALSE(Choice.IsTry);
  // Shorter launches have to pay for it.
  const DivisionOption Short[] = {option(1, 10e-3), option(2, 5e-3)};
  LaunchHistory Few;
  for (int I = 0; I != 2; ++I) {
    Few.count({});
    Few.add({}, {30e-3, 10e-3});
  }
  EXPECT_FALSE(chooseDivision(Few, Short, 0, FirstSplit).IsTry);
}

TEST(DivisionChoice, ClassesOfAKernelHaveOneAllowance) {
  const DivisionOption Options[] = {option(1, 100e-6), option(2, 60e-6)};
  LaunchHistory History;
  for (int I = 0; I != 3; ++I) {
    History.count({});
    History.add({}, {100e-6, 100e-6});
  }
  EXPECT_TRUE(chooseDivision(History, Options, 0).IsTry);
  // Tries of other classes have lost it.
  History.LostElsewhere = TrySeconds;
  EXPECT_FALSE(chooseDivision(History, Options, 0).IsTry);
  EXPECT_TRUE(chooseDivision(History, Options, 0).WantsTry);
  // Until the kernel has taken long enough for another one.
  History.SpentElsewhere = 10e-3;
  EXPECT_TRUE(chooseDivision(History, Options, 0).IsTry);
}

TEST(DivisionChoice, WherePagesAreAlreadyTheFirstLaunchIsSplit) {
  DivisionOption Options[] = {option(1, 3e-3), option(2, 0.8e-3)};
  constexpr double FirstSplit = 1e-3;
  EXPECT_EQ(guessDivision({}, Options, true, FirstSplit).Index, 0u);
  Options[0].What.IsSpread = true;
  EXPECT_EQ(guessDivision({}, Options, true, FirstSplit).Index, 1u);
  // Not if that saves less than it takes, if the split has remote pages too, or
  // nobody knows how many accesses are remote.
  EXPECT_EQ(guessDivision({}, Options, true, 3e-3).Index, 0u);
  Options[1].What.IsSpread = true;
  EXPECT_EQ(guessDivision({}, Options, true, FirstSplit).Index, 0u);
  Options[1].What.IsSpread = false;
  Options[1].IsSure = false;
  EXPECT_EQ(guessDivision({}, Options, true, FirstSplit).Index, 0u);
}

TEST(DivisionChoice, WhatPagesElsewhereHaveLostPaysForATry) {
  DivisionOption Options[] = {option(1, 3e-3), option(2, 1.6e-3)};
  for (const bool IsSpread : {false, true}) {
    Options[0].What.IsSpread = IsSpread;
    LaunchHistory History;
    auto Run = [&] {
      History.count(Options[0].What);
      History.add(Options[0].What, {3e-3, 3e-3});
    };
    for (int I = 0; I != 3; ++I)
      Run();
    EXPECT_FALSE(chooseDivision(History, Options, 0).IsTry);
    EXPECT_TRUE(chooseDivision(History, Options, 0).WantsTry);
    // Seven launches have lost 9.8 ms, and three may lose 9 ms more.
    for (int I = 0; I != 4; ++I)
      Run();
    EXPECT_EQ(chooseDivision(History, Options, 0).IsTry, IsSpread);
  }
}

TEST(DivisionChoice, WhatAFasterWayThatIsGoneHasLostPaysForATry) {
  const DivisionOption Options[] = {option(1, 3e-3), option(2, 1.6e-3)};
  DivisionOption Gone = option(2, 2e-3);
  Gone.What.Axis = 1;
  LaunchHistory History;
  auto Run = [&](const DivisionOption &O, unsigned Times) {
    for (unsigned I = 0; I != Times; ++I) {
      History.count(O.What);
      History.add(O.What, {O.Predicted, O.Predicted});
    }
  };
  // Launches have lost 0.1 s against it, of 16 ms that may be lost.
  Run(Options[0], 100);
  Run(Gone, 3);
  const DivisionChoice Choice = chooseDivision(History, Options, 0);
  EXPECT_EQ(Choice.Index, 1u);
  EXPECT_TRUE(Choice.IsTry);
  // It runs where it is still to be had.
  const DivisionOption All[] = {Options[0], Options[1], Gone};
  EXPECT_EQ(chooseDivision(History, All, 0).Index, 2u);
}

TEST(DivisionChoice, UnknownWorkIsMeasuredFirst) {
  const DivisionOption Options[] = {option(1, 20), option(2, 10)};
  LaunchHistory History;
  const FirstGuess Guess = guessDivision(History, Options, false, 1e-3);
  EXPECT_EQ(Guess.Index, 0u);
  EXPECT_EQ(Guess.Why, FirstGuess::WorkUnknown);
  // By launches of another size it is known.
  History.RatioElsewhere = 1;
  EXPECT_EQ(guessDivision(History, Options, false, 1e-3).Index, 1u);
  History.RatioElsewhere = 1e-6;
  EXPECT_EQ(guessDivision(History, Options, false, 1e-3).Why,
            FirstGuess::TooFewLaunches);
}
