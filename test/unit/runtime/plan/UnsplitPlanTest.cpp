//===- UnsplitPlanTest.cpp - Launches that are decided without ranges -----===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No such decision may differ from what the planner finds with ranges.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/UnsplitPlan.h"
#include "gridspan/RangeOps.h"
#include "runtime/Runtime.h"
#include "runtime/api/EntryPoints.h"
#include "runtime/backend/Registry.h"
#include "test/unit/runtime/FakeKernels.h"
#include "test/unit/runtime/backend/RecordingBackend.h"
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace gridspan;

namespace {

/// saxpy over N elements of two buffers of their own size, striped or not.
struct SaxpyLaunch {
  SaxpyLaunch(int N, uint64_t BufferBytes, unsigned Stripes) : N(N) {
    for (unsigned A = 0; A < 2; ++A) {
      const auto Cuts = equalShares(BufferBytes, 4096, Stripes);
      for (unsigned I = 0; I < Stripes; ++I)
        Homes[A].set(Cuts[I], Cuts[I + 1], static_cast<int>(I));
      PlacedAllocation Placed;
      Placed.Bytes = BufferBytes;
      Placed.Homes = &Homes[A];
      Placed.Movable = Placed.Tracked = true;
      In.Allocations.push_back(Placed);
      In.Pointers.push_back({static_cast<int>(A), 0});
    }
    In.Kernel = &Kernel;
    const uint32_t Blocks = (N + 255) / 256;
    In.Box = {Args, {Blocks, 1, 1}, {256, 1, 1}, {}, {Blocks, 1, 1}};
  }
  SaxpyLaunch(const SaxpyLaunch &) = delete;

  GridspanKernel Kernel = fake::saxpy();
  int N;
  void *Args[4] = {nullptr, nullptr, nullptr, &N};
  PageHomes Homes[2];
  PlanInput In;
};

SystemInfo machine(unsigned Devices) { return RecordingBackend(Devices).Info; }

} // namespace

TEST(UnsplitPlan, NeverWhereThePlannerWouldSplit) {
  std::mt19937 Random(1);
  unsigned Decided = 0, Split = 0;
  for (int I = 0; I < 2000; ++I) {
    const int N = 1 << (8 + Random() % 22);
    const uint64_t Bytes = std::max<uint64_t>(4ull * N, 1u << (Random() % 31));
    const unsigned Devices = 2 + Random() % 3;
    SaxpyLaunch L(N, Bytes, 1 + Random() % Devices);
    const SystemInfo S = machine(Devices);
    const bool Splits = planLaunch(L.In, S, Schedule::Auto).isSplit();
    const auto Limit = runsUnsplitUpTo(L.In, S, Schedule::Auto);
    const bool Within = Limit && isWithin(*Limit, L.Kernel, L.In.Box);
    EXPECT_FALSE(Splits && Within) << N << " of " << Bytes << " on " << Devices;
    Decided += Within;
    Split += Splits;
  }
  EXPECT_GT(Decided, 100u);
  EXPECT_GT(Split, 100u);
}

TEST(UnsplitPlan, FirstLaunchesThatCannotPayAsPredictedAreNotPlanned) {
  std::mt19937 Random(2);
  unsigned Decided = 0, More = 0, Split = 0;
  for (int I = 0; I < 2000; ++I) {
    const int N = 1 << (8 + Random() % 22);
    const uint64_t Bytes = std::max<uint64_t>(4ull * N, 1u << (Random() % 31));
    const unsigned Devices = 2 + Random() % 3;
    SaxpyLaunch L(N, Bytes, 1 + Random() % Devices);
    SystemInfo S = machine(Devices);
    for (unsigned D = 2; D <= Devices; ++D)
      S.FanOutSeconds[D] = 7e-6 * (D - 1);
    const bool Splits = planLaunch(L.In, S, Schedule::Auto).isSplit();
    const auto Limit = runsUnsplitUpTo(L.In, S, Schedule::Auto);
    // Those of the fourteenth and later that are put off cannot pay.
    const auto First = runsUnsplitAtFirst(L.In, S, Schedule::Auto, 13);
    const bool Within = First && isWithin(First->Limit, L.Kernel, L.In.Box);
    EXPECT_FALSE(Splits && Within) << N << " of " << Bytes << " on " << Devices;
    Decided += Within;
    More += Within && !(Limit && isWithin(*Limit, L.Kernel, L.In.Box));
    Split += Splits;
  }
  EXPECT_GT(Decided, 100u);
  EXPECT_GT(More, 20u);
  EXPECT_GT(Split, 100u);
}

TEST(UnsplitPlan, LongerLaunchesArePutOffFewerTimes) {
  SystemInfo S = machine(2);
  S.FanOutSeconds[2] = 7e-6;
  uint64_t Before = 1000;
  std::set<uint64_t> Seen;
  for (int Log = 10; Log != 30; ++Log) {
    const uint64_t N = uint64_t(1) << Log;
    SaxpyLaunch L(static_cast<int>(N), 4 * N, 1);
    const auto First = runsUnsplitAtFirst(L.In, S, Schedule::Auto, 0);
    const uint64_t Count = First ? First->Count : 0;
    EXPECT_LE(Count, Before) << N;
    Before = Count;
    Seen.insert(Count);
    if (!First)
      continue;
    EXPECT_TRUE(isWithin(First->Limit, L.Kernel, L.In.Box));
    EXPECT_FALSE(runsUnsplitAtFirst(L.In, S, Schedule::Auto, Count)) << N;
  }
  EXPECT_EQ(Seen, (std::set<uint64_t>{0, 3, 6, 12, 128}));
}

TEST(UnsplitPlan, PredictionsOfFirstLaunchesNeedKnownWorkAndNearMemory) {
  const SystemInfo S = machine(2);
  const auto Limit = [&](SaxpyLaunch &L, Schedule By = Schedule::Auto) {
    return runsUnsplitAtFirst(L.In, S, By, 0).has_value();
  };
  SaxpyLaunch L(512, 1 << 20, 1);
  EXPECT_TRUE(Limit(L));
  EXPECT_TRUE(runsUnsplitAtFirst(L.In, S, Schedule::Auto, 0)->Limit.OnlySure);
  EXPECT_FALSE(Limit(L, Schedule::Static));
  L.Kernel.Flags |= GridspanWorkIsGuess;
  EXPECT_FALSE(Limit(L));
  L.Kernel.Flags &= ~GridspanWorkIsGuess;
  L.Kernel.Work = nullptr;
  EXPECT_FALSE(Limit(L));
  // Bytes that a device owns would be brought home.
  SaxpyLaunch Away(512, 1 << 20, 1);
  const ByteRows Half = {1 << 19, 1 << 19, 1 << 19, 1};
  EXPECT_TRUE(runsUnsplitUpTo(Away.In, S, Schedule::Auto));
  Away.In.Allocations[0].Copies.written(Place::replicaOn(1), {&Half, 1}, false);
  EXPECT_FALSE(runsUnsplitUpTo(Away.In, S, Schedule::Auto));
  EXPECT_FALSE(Limit(Away));
  SystemInfo Apart = S;
  Apart.PeerBandwidth[0][1] = Apart.PeerBandwidth[1][0] = 0;
  SaxpyLaunch Near(512, 1 << 20, 1);
  EXPECT_FALSE(runsUnsplitAtFirst(Near.In, Apart, Schedule::Auto, 0));
  // What is elsewhere may be nearer to the tiles.
  SaxpyLaunch Spread(512, 1 << 20, 2);
  EXPECT_FALSE(Limit(Spread));
  SaxpyLaunch Others(512, 1 << 20, 1);
  Others.In.Allocations[1].Homes = nullptr;
  EXPECT_FALSE(Limit(Others));
}

TEST(UnsplitPlan, KernelsThatCannotBeSplitAreUnsplitWhateverTheirWork) {
  SaxpyLaunch L(1 << 28, 1 << 30, 2);
  L.Kernel.Refusal = "grid-barrier";
  const auto Limit = runsUnsplitUpTo(L.In, machine(2), Schedule::Auto);
  ASSERT_TRUE(Limit);
  EXPECT_TRUE(isWithin(*Limit, L.Kernel, L.In.Box));
}

TEST(UnsplitPlan, TheStaticScheduleSplitsSmallLaunchesToo) {
  SaxpyLaunch L(512, 4096, 1);
  EXPECT_FALSE(runsUnsplitUpTo(L.In, machine(2), Schedule::Static));
}

TEST(UnsplitPlan, GuessedWorkBoundsNoBytes) {
  SaxpyLaunch L(512, 1 << 30, 1);
  EXPECT_TRUE(runsUnsplitUpTo(L.In, machine(2), Schedule::Auto));
  L.Kernel.Flags |= GridspanWorkIsGuess;
  EXPECT_FALSE(runsUnsplitUpTo(L.In, machine(2), Schedule::Auto));
  // Small buffers bound them.
  SaxpyLaunch Small(512, 4096, 1);
  Small.Kernel.Flags |= GridspanWorkIsGuess;
  EXPECT_TRUE(runsUnsplitUpTo(Small.In, machine(2), Schedule::Auto));
}

TEST(UnsplitPlan, ManyBlocksTakeTimeToStart) {
  SaxpyLaunch L(1 << 20, 8 << 20, 1);
  SystemInfo S = machine(2);
  const auto Limit = runsUnsplitUpTo(L.In, S, Schedule::Auto);
  ASSERT_TRUE(Limit);
  EXPECT_TRUE(isWithin(*Limit, L.Kernel, L.In.Box));
  S.Devices[0].BlockSeconds = 1e-6;
  const auto Fewer = runsUnsplitUpTo(L.In, S, Schedule::Auto);
  ASSERT_TRUE(Fewer);
  EXPECT_FALSE(isWithin(*Fewer, L.Kernel, L.In.Box));
}

TEST(UnsplitPlan, WorkThatIsGuessedAtTheLaunchIsNotSure) {
  SaxpyLaunch L(512, 1 << 30, 1);
  L.Kernel.Work = [](const GridspanBox *) {
    GridspanValue Unknown = {};
    Unknown.State = GridspanValueTop;
    return __gridspan_range_mean(&Unknown);
  };
  const auto Limit = runsUnsplitUpTo(L.In, machine(2), Schedule::Auto);
  ASSERT_TRUE(Limit);
  EXPECT_TRUE(Limit->OnlySure);
  EXPECT_FALSE(isWithin(*Limit, L.Kernel, L.In.Box));
}

TEST(UnsplitPlan, NothingHoldsForAllThatWriteOthersMemory) {
  SaxpyLaunch L(512, 4096, 1);
  EXPECT_TRUE(runsUnsplitUpTo(L.In, machine(2), Schedule::Auto));
  L.In.Allocations[0].Homes = nullptr; // read
  EXPECT_TRUE(runsUnsplitUpTo(L.In, machine(2), Schedule::Auto));
  L.In.Allocations[1].Homes = nullptr; // written
  EXPECT_FALSE(runsUnsplitUpTo(L.In, machine(2), Schedule::Auto));
  EXPECT_TRUE(runsUnsplitUpTo(L.In, machine(1), Schedule::Auto));
  // Perhaps a pointer just before what it is for.
  SaxpyLaunch AtEnd(512, 4096, 1);
  AtEnd.In.Pointers[1].Offset = 4092;
  EXPECT_FALSE(runsUnsplitUpTo(AtEnd.In, machine(2), Schedule::Auto));
  EXPECT_TRUE(planLaunch(AtEnd.In, machine(2), Schedule::Auto).WritesAnywhere);
}

TEST(UnsplitPlan, ThePlanIsThePlannersButForTheBytes) {
  SaxpyLaunch L(512, 4096, 1);
  const SystemInfo S = machine(2);
  std::optional<Plan> P = planUnsplit(L.In, S, Schedule::Auto);
  ASSERT_TRUE(P);
  Plan Full = planLaunch(L.In, S, Schedule::Auto);
  // What a move would cost follows from the bytes.
  for (AllocationEffect &E : Full.Effects)
    E.Contented = 0;
  EXPECT_EQ(P->WhyUnsplit, Full.WhyUnsplit);
  EXPECT_EQ(P->Effects, Full.Effects);
  EXPECT_EQ(P->WritesAnywhere, Full.WritesAnywhere);
  ASSERT_EQ(P->Tiles.size(), 1u);
  EXPECT_EQ(P->Tiles[0].Count, Full.Tiles[0].Count);
}

TEST(UnsplitPlan, MisplacedPagesNeedRanges) {
  SaxpyLaunch L(512, 1 << 20, 2);
  EXPECT_FALSE(planUnsplit(L.In, machine(2), Schedule::Auto));
}

TEST(UnsplitPlan, ShortLaunchesGoOnAsTheLastOneDid) {
  SaxpyLaunch L(1 << 20, 4 << 20, 1);
  const SystemInfo S = machine(2);
  const Division Unsplit, Split = {2, 0, false};
  LaunchHistory History;
  auto Again = [&] {
    return planUnsplitAgain(L.In, History, S, Schedule::Auto);
  };
  auto Run = [&](const Division &What) {
    History.count(What);
    History.add(What, {1e-5, 1e-5});
  };
  EXPECT_FALSE(Again());
  std::optional<Plan> Unmeasured =
      planUnsplitAgain(L.In, History, S, Schedule::Auto, false);
  ASSERT_TRUE(Unmeasured) << "its times do not matter";
  EXPECT_EQ(Unmeasured->Timed, Unsplit);
  Run(Unsplit);
  EXPECT_FALSE(Again()) << "one time may be an outlier";
  Run(Unsplit);
  std::optional<Plan> P = Again();
  ASSERT_TRUE(P);
  L.In.WhyUnsplit = LaunchReason::DoesNotPay;
  const Plan Full = planLaunch(L.In, S, Schedule::Auto);
  EXPECT_FALSE(Again()) << "not for others to say";
  L.In.WhyUnsplit = LaunchReason::None;
  ASSERT_EQ(P->Effects.size(), Full.Effects.size());
  for (size_t A = 0; A != Full.Effects.size(); ++A)
    EXPECT_EQ(P->Effects[A].Written, Full.Effects[A].Written);
  EXPECT_EQ(P->WritesAnywhere, Full.WritesAnywhere);
  EXPECT_EQ(P->WhyUnsplit, LaunchReason::DoesNotPay);
  EXPECT_EQ(P->Timed, Unsplit);
  EXPECT_EQ(P->PredictedTime, 0) << "it is not timed";
  EXPECT_FALSE(planUnsplitAgain(L.In, History, S, Schedule::Static));

  Run(Split);
  EXPECT_FALSE(Again()) << "the last one was split";
  Run(Unsplit);
  ASSERT_TRUE(Again());
  EXPECT_EQ(Again()->WhyUnsplit, LaunchReason::MeasuredSlower);
  L.In.Allocations[1].Homes = nullptr;
  EXPECT_FALSE(Again()) << "it writes memory that is not ours";

  SaxpyLaunch Spread(1 << 20, 4 << 20, 2);
  EXPECT_FALSE(planUnsplitAgain(Spread.In, History, S, Schedule::Auto));
  EXPECT_FALSE(
      planUnsplitAgain(Spread.In, LaunchHistory(), S, Schedule::Auto, false));
}

TEST(UnsplitPlan, LaunchesAreAlikeWithinAFactorOfTwo) {
  GridspanKernel Kernel = fake::saxpy();
  Kernel.Work = [](const GridspanBox *B) {
    return static_cast<double>(*static_cast<int *>(B->Args[3]));
  };
  int N = 1500;
  void *Args[] = {nullptr, nullptr, nullptr, &N};
  GridspanBox Box = {};
  Box.Args = Args;
  Box.BlockCount[0] = 6;
  Box.BlockCount[1] = Box.BlockCount[2] = 1;
  const WorkLimit Like = likeThatOf(Kernel, Box);
  N = 2048;
  EXPECT_TRUE(isWithin(Like, Kernel, Box));
  N = 2049;
  EXPECT_FALSE(isWithin(Like, Kernel, Box)) << "of the next size";
  N = 3;
  EXPECT_TRUE(isWithin(Like, Kernel, Box));
  Box.BlockCount[0] = 7;
  EXPECT_FALSE(isWithin(Like, Kernel, Box)) << "of more blocks";
  Kernel.Work = nullptr;
  EXPECT_TRUE(isWithin(likeThatOf(Kernel, Box), Kernel, Box));
}

//===--- Through the entry points -----------------------------------------===//

namespace {

unsigned RangeCalls = 0;

/// A kernel whose work grows with its number, in a module of its own. It has
/// blocks for all multiprocessors of several devices.
class CountingModule {
public:
  /// Flags: of the kernel besides its own.
  explicit CountingModule(uint32_t Flags = 0) : Own(counting(Flags)) {}

  cudaError_t launch(const float *X, float *Y, int N) {
    float A = static_cast<float>(N);
    void *Args[] = {&A, &X, &Y, &N};
    return __gridspan_cudaLaunchKernel(Own.get().HostStub, 1024, 256, Args, 0,
                                       nullptr);
  }

private:
  static GridspanKernel counting(uint32_t Flags) {
    GridspanKernel K = fake::saxpy();
    K.Flags |= Flags;
    K.Ranges = [](const GridspanBox *B, GridspanRange *Out) {
      ++RangeCalls;
      fake::saxpy().Ranges(B, Out);
    };
    K.Work = [](const GridspanBox *B) {
      return 600.0 * B->BlockCount[0] * *static_cast<int *>(B->Args[3]);
    };
    return K;
  }

  fake::OwnKernel Own;
};

float *allocate(size_t Bytes) {
  void *Out = nullptr;
  EXPECT_EQ(__gridspan_cudaMalloc(&Out, Bytes), cudaSuccess);
  return static_cast<float *>(Out);
}

/// Makes a runtime on two devices that learns from times of Ms.
RecordingBackend &learnOn(float Ms, double FanOutSeconds) {
  auto Own = std::make_unique<RecordingBackend>(2);
  RecordingBackend &B = *Own;
  B.Info.TimesTell = true;
  B.ElapsedMs = Ms;
  B.Info.FanOutSeconds[2] = FanOutSeconds;
  Runtime::replace(std::make_unique<Runtime>(Config(), std::move(Own)));
  return B;
}

class UnsplitLaunches : public testing::Test {
protected:
  UnsplitLaunches() {
    auto Own = std::make_unique<RecordingBackend>(2);
    B = Own.get();
    Runtime::replace(std::make_unique<Runtime>(Config(), std::move(Own)));
    X = allocate(4 << 20);
    Y = allocate(4 << 20);
    B->Records = true;
    RangeCalls = 0;
  }
  ~UnsplitLaunches() override { Runtime::replace(nullptr); }

  RecordingBackend *B;
  float *X, *Y;
  CountingModule M;
};

} // namespace

TEST_F(UnsplitLaunches, SmallOnesEvaluateNoRangesWhateverTheirArguments) {
  for (int N = 1; N < 100; ++N)
    ASSERT_EQ(M.launch(X + N, Y + N, N), cudaSuccess);
  EXPECT_EQ(RangeCalls, 0u);
  EXPECT_EQ(B->take(), std::vector<std::string>(99, "launch 0.0"));
}

TEST_F(UnsplitLaunches, MoreWorkIsSplitAtTheSameShape) {
  ASSERT_EQ(M.launch(X, Y, 1), cudaSuccess);
  EXPECT_EQ(B->take(), std::vector<std::string>{"launch 0.0"});
  ASSERT_EQ(M.launch(X, Y, 1 << 20), cudaSuccess);
  EXPECT_GT(RangeCalls, 0u);
  EXPECT_GT(B->take().size(), 2u);
  // And back.
  ASSERT_EQ(M.launch(X, Y, 2), cudaSuccess);
  EXPECT_EQ(B->take(), std::vector<std::string>{"launch 0.0"});
}

TEST(LaunchesOfGuessedWork, ArePlannedOnceTheyAreMany) {
  learnOn(5, 1e-4);
  float *X = allocate(4 << 20), *Y = allocate(4 << 20);
  {
    CountingModule M(GridspanWorkIsGuess);
    RangeCalls = 0;
    for (int I = 0; I != 1000; ++I)
      ASSERT_EQ(M.launch(X, Y, 1), cudaSuccess);
    EXPECT_EQ(RangeCalls, 0u);
    for (int I = 0; I != 100; ++I)
      ASSERT_EQ(M.launch(X, Y, 1), cudaSuccess);
    EXPECT_GT(RangeCalls, 0u) << "they may take longer than is guessed";
  }
  {
    CountingModule M(0);
    RangeCalls = 0;
    for (int I = 0; I != 1100; ++I)
      ASSERT_EQ(M.launch(X, Y, 1), cudaSuccess);
    EXPECT_EQ(RangeCalls, 0u);
  }
  Runtime::replace(nullptr);
}

TEST(LaunchesLikeOthers, GoByTheLastPlanWithinAFactorOfTwo) {
  learnOn(0.05F, 1e-4);
  float *X = allocate(size_t(1) << 30), *Y = allocate(size_t(1) << 30);
  {
    CountingModule M(GridspanUnknownRead | GridspanUnknownWrite |
                     GridspanWorkIsGuess);
    auto Launch = [&](int N) {
      RangeCalls = 0;
      EXPECT_EQ(M.launch(X, Y, N), cudaSuccess);
      return RangeCalls;
    };
    EXPECT_GT(Launch(1100), 0U);
    for (int N = 1101; N != 1150; ++N)
      ASSERT_EQ(Launch(N), 0U) << N;
    EXPECT_GT(Launch(3000), 0U) << "it does more";
    unsigned Planned = 0;
    for (int N = 1150; N != 1350; ++N)
      Planned += Launch(N) > 0;
    EXPECT_GE(Planned, 2U) << "now and then one is planned anew";
    EXPECT_LE(Planned, 8U);
    ASSERT_NE(allocate(size_t(3) << 30), nullptr);
    Planned = 0;
    for (int N = 1350; N != 1400; ++N)
      Planned += Launch(N) > 0;
    EXPECT_LE(Planned, 2U) << "what was known is void, once";
  }
  Runtime::replace(nullptr);
}

TEST(LaunchesLikeOthers, GoByTheLastPlanWhereverTheirPointersLead) {
  learnOn(0.05F, 1e-4);
  std::vector<float *> All(6);
  for (float *&X : All)
    X = allocate(size_t(1) << 30);
  const auto VersionOf = [](const void *Address) {
    return Runtime::existing()->memory().find(Address)->version();
  };
  for (const uint32_t Unknown : {0U, uint32_t(GridspanUnknownWrite)}) {
    CountingModule M(GridspanUnknownRead | GridspanWorkIsGuess | Unknown);
    unsigned Planned = 0;
    for (float *X : All)
      for (float *Y : All) {
        if (X == Y)
          continue;
        RangeCalls = 0;
        const uint64_t Before = VersionOf(Y);
        ASSERT_EQ(M.launch(X, Y, 1100), cudaSuccess);
        Planned += RangeCalls > 0;
        if (!Unknown)
          EXPECT_GT(VersionOf(Y), Before) << "the launch has written it";
      }
    if (Unknown)
      EXPECT_LE(Planned, 3U);
    else
      EXPECT_EQ(Planned, 30U) << "what is written follows from the arguments";
  }
  Runtime::replace(nullptr);
}

/// A program that passes the number of a step.
TEST(LaunchesLikeOthers, ServeOtherScalarsWhereTheseAreAlwaysNew) {
  learnOn(0.05F, 1e-4);
  float *X = allocate(size_t(1) << 30);
  float *Y = allocate(size_t(1) << 30);
  float *Z = allocate(size_t(1) << 30);
  const auto VersionOf = [](const void *Address) {
    return Runtime::existing()->memory().find(Address)->version();
  };
  CountingModule M(GridspanWorkIsGuess);
  auto Launch = [&](float *To, int N) {
    RangeCalls = 0;
    EXPECT_EQ(M.launch(X, To, N), cudaSuccess);
    return RangeCalls;
  };
  unsigned Planned = 0;
  for (int N = 1100; N != 1130; ++N)
    Planned += Launch(Y, N) > 0;
  EXPECT_EQ(Planned, 30U) << "they may come again";
  Planned = 0;
  for (int N = 1140; N != 1740; ++N) {
    const uint64_t Before = VersionOf(Y);
    Planned += Launch(Y, N) > 0;
    EXPECT_GT(VersionOf(Y), Before) << "the launch has written it";
  }
  EXPECT_GE(Planned, 2U) << "now and then one is planned anew";
  EXPECT_LE(Planned, 30U);
  const uint64_t Before = VersionOf(Z);
  EXPECT_GT(Launch(Z, 1600), 0U) << "it writes something else";
  EXPECT_GT(VersionOf(Z), Before);
  EXPECT_GT(Launch(Y + 1000, 1600), 0U) << "it may reach something else";
  EXPECT_GT(Launch(Y, 3000), 0U) << "it does more";
  EXPECT_GT(Launch(Y, 100), 0U) << "it does less";
  Runtime::replace(nullptr);
}

/// The clone for distinct arguments is not for arguments that are the same,
/// whatever held for others.
TEST(LaunchesLikeOthers, AreNotDistinctBecauseOthersWere) {
  RecordingBackend &B = learnOn(0.05F, 1e-4);
  float *X = allocate(size_t(1) << 30), *Y = allocate(size_t(1) << 30);
  for (const uint32_t Unknown : {0U, uint32_t(GridspanUnknownWrite)}) {
    GridspanKernel K = fake::distinctSaxpy();
    K.Flags |= Unknown | GridspanWorkIsGuess;
    K.Work = [](const GridspanBox *Box) { return 6e5 * Box->BlockCount[0]; };
    const fake::OwnKernel Own(K);
    auto Launch = [&](const float *From, float *To, int N) {
      float A = static_cast<float>(N);
      void *Args[] = {&A, &From, &To, &N};
      B.Records = true;
      EXPECT_EQ(__gridspan_cudaLaunchKernel(Own.get().HostStub, 1024, 256, Args,
                                            0, nullptr),
                cudaSuccess);
      B.Records = false;
      const std::vector<std::string> Calls = B.take();
      return std::find(Calls.begin(), Calls.end(), "launch clone 0.0") !=
             Calls.end();
    };
    for (int N = 1; N != 200; ++N)
      ASSERT_TRUE(Launch(X, Y, N)) << N;
    for (int N = 200; N != 210; ++N) {
      EXPECT_FALSE(Launch(Y, Y, N)) << N;
      EXPECT_TRUE(Launch(X, Y, N)) << N;
    }
  }
  Runtime::replace(nullptr);
}

TEST(LaunchesLikeOthers, ServeNoOtherScalarsWhereTheseComeAgain) {
  learnOn(0.05F, 1e-4);
  float *X = allocate(size_t(1) << 30), *Y = allocate(size_t(1) << 30);
  CountingModule M(GridspanWorkIsGuess);
  for (int I = 0; I != 400; ++I)
    ASSERT_EQ(M.launch(X, Y, 1100 + I / 10), cudaSuccess);
  RangeCalls = 0;
  ASSERT_EQ(M.launch(X, Y, 1200), cudaSuccess);
  EXPECT_GT(RangeCalls, 0U);
  Runtime::replace(nullptr);
}

TEST(ShortLaunches, WaitForATryUntilTheyHaveTakenLongerThanPlans) {
  RecordingBackend &B = learnOn(0, 1e-6);
  for (DeviceInfo &D : B.Info.Devices)
    D.MemoryBandwidth = 4e12;
  float *X = allocate(4 << 20), *Y = allocate(4 << 20);
  auto PlansOf = [&](float Ms) {
    CountingModule M(GridspanWorkIsGuess);
    B.ElapsedMs = Ms;
    unsigned Out = 0;
    for (unsigned I = 0; I != 40; ++I) {
      RangeCalls = 0;
      EXPECT_EQ(M.launch(X, Y, 1), cudaSuccess);
      Out += RangeCalls > 0;
    }
    return Out;
  };
  EXPECT_LE(PlansOf(0.005F), 2U);
  EXPECT_GE(PlansOf(500), 4U);
  Runtime::replace(nullptr);
}

TEST_F(UnsplitLaunches, OtherAllocationsAreDecidedAnew) {
  ASSERT_EQ(M.launch(X, Y, 1), cudaSuccess);
  const uint64_t Before = Runtime::existing()->memory().find(Y)->version();
  float *Z = allocate(4 << 20);
  ASSERT_EQ(M.launch(X, Z, 1), cudaSuccess);
  EXPECT_EQ(Runtime::existing()->memory().find(Y)->version(), Before);
  EXPECT_GT(Runtime::existing()->memory().find(Z)->version(), 1u);
}

TEST_F(UnsplitLaunches, ManyDecisionsAreForgottenAndMadeAgain) {
  // Other sizes of the grid are other decisions.
  const GridspanKernel K = fake::saxpy();
  fake::module();
  float A = 1;
  int N = 256;
  void *Args[] = {&A, &X, &Y, &N};
  for (unsigned Round = 0; Round < 3; ++Round)
    for (unsigned Blocks = 1; Blocks < 6000; ++Blocks)
      ASSERT_EQ(
          __gridspan_cudaLaunchKernel(K.HostStub, Blocks, 32, Args, 0, nullptr),
          cudaSuccess);
  EXPECT_EQ(B->take(), std::vector<std::string>(3 * 5999, "launch 0.0"));
}
