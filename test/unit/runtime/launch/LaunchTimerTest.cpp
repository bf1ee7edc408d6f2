//===- LaunchTimerTest.cpp - Times launches by events ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a backend whose events happen when the test says so.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/LaunchTimer.h"
#include "runtime/launch/LaunchClasses.h"
#include "test/unit/runtime/FakeKernels.h"
#include "test/unit/runtime/backend/RecordingBackend.h"
#include <chrono>
#include <gtest/gtest.h>
#include <set>
#include <thread>

using namespace gridspan;

namespace {

class LaunchTimerTest : public testing::Test {
protected:
  LaunchTimerTest() {
    for (int Device = 0; Device != 2; ++Device)
      EXPECT_EQ(
          B.createStream(Device, StreamKind::NonBlocking, 0, Streams[Device]),
          cudaSuccess);
    B.Records = true;
    B.ElapsedMs = 2;
    D.Class = std::make_shared<LaunchClass>(LaunchHistory(),
                                            std::make_shared<KernelTimes>());
    D.LaunchPlan.Timed = Split;
    D.LaunchPlan.PredictedTime = 1e-3;
    D.LaunchPlan.Shares = {0.25, 0.75};
    D.LaunchPlan.Size = 2e-3;
  }

  /// Returns the calls that a launch makes.
  std::vector<std::string> launch(bool Failed = false) {
    LaunchTimer::Timing *T = Timer.begin(D, LaunchTarget(), *Streams[0]);
    for (int Device : {1, 0}) {
      Timer.beginTile(T, Device, *Streams[Device]);
      Timer.endTile(T, Device, *Streams[Device]);
    }
    Timer.end(T, *Streams[0], Failed);
    return B.take();
  }

  uint64_t times() const {
    const LaunchHistory History = D.Class->history();
    const DivisionRecord *R = History.find(Split);
    return R ? R->Times : 0;
  }

  const Division Split = {2, 1, false};
  RecordingBackend B{2};
  std::unique_ptr<Stream> Streams[2];
  Decision D;
  LaunchTimer Timer{B};
};

using Calls = std::vector<std::string>;

} // namespace

TEST_F(LaunchTimerTest, LaunchesWithoutAClassMakeNoCalls) {
  D.Class = nullptr;
  for (int I = 0; I != 5; ++I)
    EXPECT_EQ(launch(), Calls());
}

TEST_F(LaunchTimerTest, TimesTheLaunchAndItsTiles) {
  EXPECT_EQ(launch(), Calls()) << "the first one";
  EXPECT_EQ(launch(), (Calls{"record 0.0", "record 1.0", "record 1.0",
                             "record 0.0", "record 0.0", "record 0.0"}));
  EXPECT_EQ(times(), 0U) << "nobody has looked";
  Timer.collect();
  ASSERT_EQ(times(), 1U);
  const LaunchHistory History = D.Class->history();
  EXPECT_EQ(History.Launches, 2U);
  const LaunchTime &Time = History.find(Split)->Last;
  EXPECT_FLOAT_EQ(Time.Seconds, 2e-3);
  EXPECT_FLOAT_EQ(Time.Predicted, 1e-3);
  EXPECT_EQ(Time.ByDevice.size(), 2U);
  EXPECT_EQ(Time.Shares, D.LaunchPlan.Shares);
  EXPECT_FLOAT_EQ(Time.Size, 2e-3);
}

TEST_F(LaunchTimerTest, ManyLaunchesAreSeldomTimed) {
  D.LaunchPlan.PredictedTime = 1e-6;
  unsigned Timed = 0;
  for (int I = 0; I != 10000; ++I)
    Timed += !launch().empty();
  EXPECT_LE(Timed, 9 + 10000 / 256U);
  EXPECT_GE(times(), Timed - 1);
}

TEST_F(LaunchTimerTest, LongLaunchesAreTimedMoreOften) {
  unsigned Timed = 0;
  for (int I = 0; I != 10000; ++I)
    Timed += !launch().empty();
  EXPECT_GE(Timed, 10000 / 8U);
  EXPECT_LE(Timed, 9 + 10000 / 8U);
  EXPECT_GE(times(), Timed - 1);
}

TEST_F(LaunchTimerTest, EveryLaunchOfATryIsTimed) {
  for (int I = 0; I != 5; ++I)
    (void)launch();
  D.LaunchPlan.IsTry = true;
  EXPECT_EQ(launch().size(), 6U);
}

TEST_F(LaunchTimerTest, NothingWaitsAndEventsAreFew) {
  B.EventState = cudaErrorNotReady;
  D.LaunchPlan.IsTry = true;
  unsigned Timed = 0;
  for (int I = 0; I != 1000; ++I)
    Timed += !launch().empty();
  EXPECT_EQ(Timed, 24U);
  EXPECT_EQ(times(), 0U);
  B.EventState = cudaSuccess;
  Timer.collect();
  EXPECT_EQ(times(), 24U);
  EXPECT_FALSE(launch().empty()) << "events are used again";
}

TEST_F(LaunchTimerTest, TriesAreTimedWhereAllOthersArePending) {
  B.EventState = cudaErrorNotReady;
  unsigned Timed = 0;
  for (int I = 0; I != 1000; ++I)
    Timed += !launch().empty();
  EXPECT_EQ(Timed, 16U);
  D.LaunchPlan.IsTry = true;
  EXPECT_FALSE(launch().empty());
  D.LaunchPlan.IsTry = false;
  D.TimesNext = true;
  EXPECT_FALSE(launch().empty()) << "a plan asks for it";
  for (int I = 0; I != 100; ++I)
    EXPECT_TRUE(launch().empty());
}

/// Many looks in vain make it look after many launches only, which long ones
/// need not be waited for.
TEST_F(LaunchTimerTest, LongLaunchesAreLookedForByTheClock) {
  B.EventState = cudaErrorNotReady;
  D.LaunchPlan.IsTry = true;
  for (int I = 0; I != 200; ++I)
    (void)launch();
  B.EventState = cudaSuccess;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  (void)launch();
  EXPECT_EQ(times(), 24U);
}

TEST_F(LaunchTimerTest, WhoDecidesByTimesWaitsForThemAndNotForEver) {
  (void)launch();
  (void)launch();
  B.EventState = cudaErrorNotReady;
  Timer.await(*D.Class, 1e-3);
  EXPECT_EQ(times(), 0U);
  LaunchClass Other(LaunchHistory(), std::make_shared<KernelTimes>());
  Timer.await(Other, 1e9); // has nothing to wait for
  B.EventState = cudaSuccess;
  Timer.await(*D.Class, 1e9);
  EXPECT_EQ(times(), 1U);
}

TEST_F(LaunchTimerTest, FailedLaunchesHaveNoTime) {
  (void)launch();
  (void)launch(true);
  Timer.collect();
  EXPECT_EQ(times(), 0U);
  B.EventState = cudaErrorIllegalAddress;
  (void)launch();
  Timer.collect();
  EXPECT_EQ(times(), 0U);
}

TEST_F(LaunchTimerTest, NewTimesAreSeenByDecisions) {
  const uint64_t Before = D.Class->generation();
  (void)launch();
  (void)launch();
  Timer.collect();
  EXPECT_NE(D.Class->generation(), Before);
}

/// Counts a launch of the class that took so long, and gives it the time.
static void launchUnsplit(LaunchClass &Class, double Seconds) {
  Class.count(Division());
  Class.add(Division(), {Seconds, 1e-4});
}

TEST(LaunchClass, TimesOfShortLaunchesAreNoReasonToPlan) {
  LaunchClass Class(LaunchHistory(), std::make_shared<KernelTimes>());
  const uint64_t Before = Class.generation();
  auto Launch = [&](double Seconds) {
    Class.count(Division());
    Class.add(Division(), {Seconds, 1e-5, {Seconds}, {1.0}});
  };
  EXPECT_FALSE(Class.isWorthAPlan(Before, 0)) << "no times";
  for (int I = 0; I != 8; ++I)
    Launch(1e-5);
  ASSERT_NE(Class.generation(), Before);
  EXPECT_FALSE(Class.isWorthAPlan(Before, 0));
  for (int I = 0; I != 120; ++I)
    Launch(1e-5);
  EXPECT_TRUE(Class.isWorthAPlan(Before, 0));
  EXPECT_FALSE(Class.isWorthAPlan(Before, Class.history().spentSeconds()));
  EXPECT_FALSE(Class.isWorthAPlan(Class.generation(), 0)) << "all are known";
  EXPECT_TRUE(Class.isWorthAPlan(Before, 1)) << "the first one was slow";
}

TEST(LaunchClass, SplitLaunchesThatGainArePlannedAgainWhenThatIsLittle) {
  const Division Unsplit, Split = {2, 0, false};
  LaunchClass Class({}, std::make_shared<KernelTimes>());
  auto Run = [&](const Division &What, double Seconds, unsigned Times) {
    for (unsigned I = 0; I != Times; ++I) {
      Class.count(What);
      Class.add(What, {Seconds, Seconds});
    }
  };
  uint64_t Before = Class.generation();
  EXPECT_FALSE(Class.isWorthAPlan(Before, Split)) << "no times";
  Class.addPlan({}, 2e-3);
  Run(Split, 5e-4, 3);
  EXPECT_TRUE(Class.isWorthAPlan(Before, Split)) << "it may lose";
  Run(Unsplit, 8e-4, 3);
  EXPECT_FALSE(Class.isWorthAPlan(Before, Split)) << "it gains";
  Run(Split, 5e-4, 40);
  EXPECT_TRUE(Class.isWorthAPlan(Before, Split)) << "2 ms of 24";
  Class.addPlan({}, 2e-3);
  Before = Class.generation();
  Run(Split, 9e-4, 40);
  EXPECT_TRUE(Class.isWorthAPlan(Before, Split)) << "it loses";
}

TEST(LaunchClass, LaunchesAreLongAgoByTimesOrByPrediction) {
  LaunchClass Class(LaunchHistory(), std::make_shared<KernelTimes>());
  EXPECT_FALSE(Class.isLongAgo(0, 0.9e-3));
  EXPECT_TRUE(Class.isLongAgo(0, 1e-3)) << "times are late for long ones";
  for (int I = 0; I != 20; ++I)
    launchUnsplit(Class, 1e-4);
  EXPECT_TRUE(Class.isLongAgo(0, 0));
  const double Now = Class.history().spentSeconds();
  EXPECT_FALSE(Class.isLongAgo(Now, 1)) << "it takes what it was seen to take";
  EXPECT_FALSE(Class.isLongAgo(Now + 0.9e-3, 0));
  EXPECT_TRUE(Class.isLongAgo(Now + 1.1e-3, 0)) << "it was believed longer";
}

TEST(LaunchClass, PlansMayTakeLittleBesideTheLaunches) {
  LaunchClass Class(LaunchHistory(), std::make_shared<KernelTimes>());
  EXPECT_TRUE(Class.affordsPlan());
  Class.addPlan({}, 1e-3);
  EXPECT_TRUE(Class.affordsPlan()) << "the first ones are for free";
  Class.addPlan({}, 9e-3);
  EXPECT_FALSE(Class.affordsPlan());
  Class.count(Division());
  Class.add(Division(), {0.1, 0.1});
  EXPECT_FALSE(Class.affordsPlan()) << "5 ms of the time, and 1 ms";
  Class.count(Division());
  Class.add(Division(), {0.1, 0.1});
  EXPECT_TRUE(Class.affordsPlan());
}

TEST(LaunchClass, PlansOfAllClassesOfAKernelMayTakeLittleBesideItsLaunches) {
  const auto Kernel = std::make_shared<KernelTimes>();
  LaunchClass One(LaunchHistory(), Kernel), Other(LaunchHistory(), Kernel);
  One.addPlan({}, 9e-3);
  EXPECT_FALSE(Other.affordsPlan());
  Other.count(Division());
  Other.add(Division(), {0.2, 0.2});
  EXPECT_TRUE(One.affordsPlan());
}

TEST(LaunchClass, NewArgumentsGoByAnOldPlanWhileNoneCanBeAfforded) {
  using Settled = LaunchClass::Settled;
  LaunchClass Class(LaunchHistory(), std::make_shared<KernelTimes>());
  auto Launch = [&](double Seconds) { launchUnsplit(Class, Seconds); };
  Class.addPlan({Settled::Slower, Class.generation(), 0, 1000}, 0.01);
  for (int I = 0; I != 20; ++I)
    Launch(1e-3);
  for (int I = 0; I != 100; ++I)
    EXPECT_EQ(Class.goesByLastPlan(1000), Settled::Slower)
        << "there are new times, and it is long ago";
  EXPECT_EQ(Class.goesByLastPlan(2001), Settled::No) << "it may move more";
  for (int I = 0; I != 1000; ++I)
    Launch(1e-3);
  EXPECT_EQ(Class.goesByLastPlan(1000), Settled::No);
}

TEST(LaunchClass, NewArgumentsGoByTheLastPlanUntilThereIsNews) {
  using Settled = LaunchClass::Settled;
  LaunchClass Class(LaunchHistory(), std::make_shared<KernelTimes>());
  auto Launch = [&](double Seconds) { launchUnsplit(Class, Seconds); };
  auto Plan = [&](Settled How) {
    return Class.addPlan(
        {How, Class.generation(), Class.history().spentSeconds(), 1000}, 1e-5);
  };
  EXPECT_EQ(Class.goesByLastPlan(1000), Settled::No) << "there is none";
  Launch(1e-4);
  Plan(Settled::No);
  EXPECT_EQ(Class.goesByLastPlan(1000), Settled::No)
      << "it is a try, or splits";
  EXPECT_FALSE(Plan(Settled::Slower)) << "nothing went by the one before";
  EXPECT_EQ(Class.goesByLastPlan(1000), Settled::Slower);
  for (int I = 0; I != 4; ++I)
    Launch(1e-4);
  EXPECT_EQ(Class.goesByLastPlan(1000), Settled::Slower)
      << "a plan is not little beside that";
  for (int I = 0; I != 20; ++I)
    Launch(1e-4);
  EXPECT_EQ(Class.goesByLastPlan(1000), Settled::No) << "there are new times";
  EXPECT_TRUE(Plan(Settled::Slower)) << "others went by the one before";
  unsigned Launches = 0;
  while (Class.goesByLastPlan(1000) == Settled::Slower)
    ++Launches;
  EXPECT_EQ(Launches, 64U);
  EXPECT_FALSE(Plan(Settled::OneWay)) << "there is nothing to compare";
  EXPECT_EQ(Class.goesByLastPlan(2000), Settled::OneWay);
  EXPECT_EQ(Class.goesByLastPlan(2001), Settled::No) << "it may move more";
}

TEST(LaunchClass, LaunchesAreAlwaysNewWhereTheyPassTheNumberOfAStep) {
  LaunchClass Steps(LaunchHistory(), std::make_shared<KernelTimes>());
  for (uint64_t I = 1; I != 32; ++I) {
    Steps.noteNew(1000 + 3 * I);
    EXPECT_FALSE(Steps.areAlwaysNew()) << I;
  }
  EXPECT_FALSE(Steps.areAlwaysNew()) << "to ask counts nothing";
  Steps.noteNew(1100);
  EXPECT_TRUE(Steps.areAlwaysNew());
  Steps.noteNew(2000);
  EXPECT_TRUE(Steps.areAlwaysNew()) << "once and for all";
  LaunchClass Again(LaunchHistory(), std::make_shared<KernelTimes>());
  for (uint64_t I = 1; I != 1000; ++I) {
    Again.noteNew(10 * I);
    EXPECT_FALSE(Again.areAlwaysNew()) << "each comes ten times";
  }
}

TEST(LaunchClass, ACutMayBeGivenUpWhileItsLaunchesRun) {
  LaunchClass Class(LaunchHistory(), std::make_shared<KernelTimes>());
  // The second tile takes longer, and a smaller one even longer.
  auto Launch = [&](double Second) {
    const TileCut Cut = [&] {
      const LaunchHistory History = Class.history();
      const TileBalance *B = History.balance(2, 0);
      return B ? B->cut() : TileCut();
    }();
    const Division What = {2, 0, false, Cut.Number};
    Class.count(What);
    const std::vector<double> Shares =
        Cut.Shares.empty() ? std::vector<double>{0.5, 0.5} : Cut.Shares;
    Class.add(What, {Second, 1e-3, {1e-3, Second}, Shares});
    return What;
  };
  Division Given = {};
  for (int I = 0; I != 100 && Given.Cut == 0; ++I)
    Given = Launch(2e-3);
  ASSERT_NE(Given.Cut, 0U) << "a cut was tried";
  for (int I = 0; I != 10; ++I)
    (void)Launch(9e-3);
  ASSERT_EQ(Class.history().find(Given), nullptr) << "it was given up";
  const uint64_t Before = Class.generation();
  Class.add(Given, {1e-3, 1e-3, {1e-3, 1e-3}, {0.5, 0.5}});
  EXPECT_EQ(Class.generation(), Before) << "a time that comes too late";
}

TEST(LaunchClasses, LaunchesOfAboutTheSameSizeAreOne) {
  const GridspanKernel Saxpy = fake::saxpy(), Other = fake::saxpy();
  LaunchClasses Classes;
  auto Find = [&](const GridspanKernel &K, unsigned Blocks, unsigned Threads) {
    float A = 0;
    const float *X = nullptr;
    int N = static_cast<int>(Blocks * Threads);
    void *Args[] = {&A, &X, &X, &N};
    PlanInput In;
    In.Kernel = &K;
    In.Box = {Args, {Blocks, 1, 1}, {Threads, 1, 1}, {}, {Blocks, 1, 1}};
    return Classes.find(In).Class;
  };
  EXPECT_EQ(Find(Saxpy, 1024, 256), Find(Saxpy, 1025, 256));
  EXPECT_NE(Find(Saxpy, 1024, 256), Find(Saxpy, 2048, 256));
  EXPECT_NE(Find(Saxpy, 1024, 256), Find(Saxpy, 1024, 128));
  EXPECT_NE(Find(Saxpy, 1024, 256), Find(Other, 1024, 256));
}

TEST(LaunchClasses, OtherScalarsThatStayAreAClass) {
  const GridspanKernel Saxpy = fake::saxpy();
  LaunchClasses Classes;
  auto Find = [&](float A, uint64_t Repeats, unsigned Blocks = 1024) {
    static float Memory[2];
    const float *X = &Memory[Repeats % 2];
    int N = static_cast<int>(1024 * 256);
    void *Args[] = {&A, &X, &X, &N};
    PlanInput In;
    In.Kernel = &Saxpy;
    In.Box = {Args, {Blocks, 1, 1}, {256, 1, 1}, {}, {Blocks, 1, 1}};
    In.Repeats = Repeats;
    return Classes.find(In);
  };
  constexpr uint64_t Enough = LaunchClasses::UsesForOwn;
  const std::shared_ptr<LaunchClass> First = Find(1, 0).Class;
  EXPECT_EQ(Find(1, Enough).Class, First) << "it began with these";
  for (int Step = 2; Step != 100; ++Step) {
    const LaunchClasses::Found Changing = Find(float(Step), Step % Enough);
    EXPECT_EQ(Changing.Class, First);
    EXPECT_TRUE(Changing.IsForOthers);
  }
  const LaunchClasses::Found Second = Find(2, Enough);
  EXPECT_NE(Second.Class, First);
  EXPECT_FALSE(Second.IsForOthers);
  EXPECT_EQ(Find(2, 0).Class, Second.Class) << "at once from then on";
  EXPECT_EQ(Find(1, 0).Class, First);
  EXPECT_NE(Find(2, 0, 4096).Class, Second.Class) << "another size";

  // A kernel whose scalars keep changing slowly does not get ever more.
  std::set<std::shared_ptr<LaunchClass>> All;
  for (int Step = 2; Step != 100; ++Step)
    All.insert(Find(float(Step), Enough).Class);
  EXPECT_GT(All.size(), 4U);
  EXPECT_LT(All.size(), 40U);
  const LaunchClasses::Found Last = Find(1000, Enough);
  EXPECT_EQ(Last.Class, First);
  EXPECT_FALSE(Last.IsForOthers);
}

TEST(LaunchClass, ClassesOfAKernelShareWhatTheySpendAndLose) {
  const auto Kernel = std::make_shared<KernelTimes>();
  LaunchClass Small(LaunchHistory(), Kernel), Large(LaunchHistory(), Kernel);
  const Division Split = {2, 0, false};
  for (int I = 0; I != 2; ++I) {
    Small.count({});
    Small.add({}, {1e-3, 1e-3});
    Small.count(Split);
    Small.add(Split, {3e-3, 1e-3});
  }
  Small.addMove(5e-3);
  const LaunchHistory Own = Small.history(), Other = Large.history();
  EXPECT_EQ(Own.SpentElsewhere, 0);
  EXPECT_EQ(Own.LostElsewhere, 0);
  EXPECT_DOUBLE_EQ(Other.SpentElsewhere, Own.spentSeconds());
  EXPECT_DOUBLE_EQ(Other.LostElsewhere, 9e-3); // 2 * 2 ms, and the move
  EXPECT_DOUBLE_EQ(Other.MovesElsewhere, 5e-3);
}

TEST(LaunchClass, ClassesOfAKernelShareTheRatioOfUnsplitLaunches) {
  const auto Ratio = std::make_shared<KernelTimes>();
  LaunchClass Small(LaunchHistory(), Ratio), Large(LaunchHistory(), Ratio);
  const LaunchTime Time = {14e-6, 9e-6, {}, {}, 1, 4e-6};
  for (int I = 0; I != 2; ++I) {
    EXPECT_EQ(Large.history().RatioElsewhere, 0);
    Small.count({});
    Small.add({}, Time);
  }
  EXPECT_DOUBLE_EQ(Large.history().RatioElsewhere, 2);
  // Of split launches it says nothing.
  for (int I = 0; I != 2; ++I)
    Small.add({2, 0, false}, {1, 9e-6, {}, {}, 1, 4e-6});
  EXPECT_DOUBLE_EQ(Large.history().RatioElsewhere, 2);
}
