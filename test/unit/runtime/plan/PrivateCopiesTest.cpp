//===- PrivateCopiesTest.cpp - What tiles reduce into on their own --------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches of a kernel that adds into bins, on made-up machines: when private
// copies may be used, of what, and when they are.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PrivateCopies.h"
#include "runtime/plan/Planner.h"
#include "test/unit/runtime/FakeKernels.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

/// Devices like an H200 on NVLink, with small pages.
SystemInfo machine(unsigned Devices) {
  SystemInfo S;
  for (unsigned I = 0; I < Devices; ++I)
    S.Devices.push_back(
        {"test", 1ull << 37, 4.4e12, 3e13, 5.5e10, 5.5e10, 132});
  S.PeerBandwidth.assign(Devices, std::vector<double>(Devices, 3.7e11));
  S.FanOutSeconds.assign(Devices + 1, 0);
  for (unsigned I = 2; I <= Devices; ++I)
    S.FanOutSeconds[I] = 5e-6 * I;
  S.PageSize = 4096;
  return S;
}

/// A launch that counts the N integers of one buffer into the bins of another.
struct CountLaunch {
  explicit CountLaunch(int N, uint64_t BinBytes = 1024) : N(N) {
    In.Kernel = &Kernel;
    Args = {nullptr, nullptr, &this->N};
    const auto Blocks = static_cast<uint32_t>((N + 255) / 256);
    In.Box = {
        Args.data(), {Blocks, 1, 1}, {256, 1, 1}, {0, 0, 0}, {Blocks, 1, 1}};
    Keys.set(0, uint64_t(N) * 4, 0);
    Bins.set(0, BinBytes, 0);
    add(uint64_t(N) * 4, Keys);
    add(BinBytes, Bins);
    In.Pointers = {{0, 0}, {1, 0}};
  }
  void add(uint64_t Bytes, const PageHomes &Homes) {
    PlacedAllocation A;
    A.Bytes = Bytes;
    A.Homes = &Homes;
    A.Movable = A.Tracked = true;
    In.Allocations.push_back(A);
  }
  /// Spreads the keys over the devices, so that a split pays.
  CountLaunch &spread(unsigned Devices) {
    const uint64_t Share = uint64_t(N) * 4 / Devices / 4096 * 4096;
    for (unsigned D = 1; D < Devices; ++D)
      Keys.set(D * Share, uint64_t(N) * 4, static_cast<int>(D));
    return *this;
  }
  std::vector<PrivateCopy> privates(const SystemInfo &S) {
    SplitCandidate C = evaluateSplitCandidate(In, S, 0, halves(), true);
    std::vector<PrivateCopy> Out;
    for (const TilePlan &T : C.Tiles)
      Out.insert(Out.end(), T.Privates.begin(), T.Privates.end());
    return Out;
  }
  std::vector<GridspanBox> halves() const {
    GridspanBox Lower = In.Box, Upper = In.Box;
    Lower.BlockCount[0] /= 2;
    Upper.BlockLo[0] = Lower.BlockCount[0];
    Upper.BlockCount[0] -= Lower.BlockCount[0];
    return {Lower, Upper};
  }

  int N;
  GridspanKernel Kernel = fake::count();
  std::array<void *, 3> Args;
  PageHomes Keys, Bins;
  PlanInput In;
};

constexpr int Many = 1 << 26;
const auto Add = GridspanReduction::AddU32;

} // namespace

//===--- Whether they may -----------------------------------------------===//

TEST(PrivateCopies, AreForDevicesThatAreNotHome) {
  CountLaunch L(Many);
  const SplitCandidate C =
      evaluateSplitCandidate(L.In, machine(2), 0, L.halves(), true);
  EXPECT_TRUE(C.Tiles[0].Privates.empty());
  EXPECT_EQ(C.Tiles[1].Privates, (std::vector<PrivateCopy>{{1, 0, 1024, Add}}));
  EXPECT_EQ(C.RemoteByAllocation[1], 0);
  ASSERT_NE(privateCopy(C.Tiles[1], 1), nullptr);
  EXPECT_EQ(privateCopy(C.Tiles[1], 0), nullptr);
}

TEST(PrivateCopies, AreForAllIfSeveralAreHome) {
  CountLaunch L(Many, 1 << 20);
  L.Bins.set(1 << 19, 1 << 20, 1);
  EXPECT_EQ(
      L.privates(machine(2)),
      (std::vector<PrivateCopy>{{1, 0, 1 << 20, Add}, {1, 0, 1 << 20, Add}}));
}

TEST(PrivateCopies, AreOfWholeElements) {
  CountLaunch L(Many, 1023);
  EXPECT_EQ(L.privates(machine(2)),
            (std::vector<PrivateCopy>{{1, 0, 1020, Add}}));
}

TEST(PrivateCopies, AreOfWhatTheTileTouches) {
  CountLaunch L(1 << 16, 1 << 18);
  L.Kernel.Ranges = [](const GridspanBox *B, GridspanRange *Out) {
    const int64_t Lo = 1024 * int64_t(B->BlockLo[0]),
                  Bytes = 1024 * int64_t(B->BlockCount[0]);
    Out[0] = Out[1] = {Lo, Bytes, 0, 1, 0, 1, GridspanRangeMay, 0};
  };
  EXPECT_EQ(L.privates(machine(2)),
            (std::vector<PrivateCopy>{{1, 1 << 17, 1 << 18, Add}}));
}

TEST(PrivateCopies, AreNotCutByTheContentsOfMemory) {
  CountLaunch L(1 << 16, 1 << 18);
  L.Kernel.Ranges = [](const GridspanBox *B, GridspanRange *Out) {
    Out[0] = {0, 4, 0, 1, 0, 1, GridspanRangeMay, 0};
    Out[1] = {0, 1 << 18, 0, 1, 0, 1, GridspanRangeMay, 0};
    if (B->Indices)
      Out[1].RowBytes = 64;
  };
  const GridspanIndices Known = {};
  L.In.Box.Indices = &Known;
  EXPECT_EQ(L.privates(machine(2)),
            (std::vector<PrivateCopy>{{1, 0, 1 << 18, Add}}));
}

TEST(PrivateCopies, NeedOneOperationForEachAllocation) {
  CountLaunch L(Many);
  GridspanPointer Pointers[] = {L.Kernel.Pointers[0], L.Kernel.Pointers[1]};
  L.Kernel.Pointers = Pointers;
  auto Of = [&](unsigned Allocation) {
    return reductionsInto(L.In)[Allocation];
  };
  EXPECT_EQ(Of(0), GridspanReduction::None);
  EXPECT_EQ(Of(1), Add);
  // Another argument reads there.
  L.In.Pointers[0] = {1, 512};
  EXPECT_EQ(Of(1), GridspanReduction::None);
  // It is only passed on.
  Pointers[0].Modes = 0;
  EXPECT_EQ(Of(1), Add);
  Pointers[0].Flags = 0;
  EXPECT_EQ(Of(1), GridspanReduction::None);
  // It reduces too.
  Pointers[0] = Pointers[1];
  EXPECT_EQ(Of(1), Add);
  Pointers[0].Flags = uint32_t(GridspanReduction::MaxS32)
                      << GridspanReductionShift;
  EXPECT_EQ(Of(1), GridspanReduction::None);
  // The compiler refuses the only one.
  L.In.Pointers[0] = {0, 0};
  EXPECT_EQ(Of(1), Add);
  Pointers[1].Flags = GridspanRedirectable;
  EXPECT_EQ(Of(1), GridspanReduction::None);
}

TEST(PrivateCopies, NeedKnownPlaces) {
  CountLaunch L(Many);
  auto Kind = [&] { return reductionsInto(L.In)[1]; };
  L.In.Pointers[1].Offset = 2;
  EXPECT_EQ(Kind(), GridspanReduction::None);
  L.In.Pointers[1].Offset = 4;
  EXPECT_EQ(Kind(), Add);
  L.In.Allocations[1].Paged = true;
  EXPECT_EQ(Kind(), GridspanReduction::None);
  L.In.Allocations[1].Paged = false;
  L.In.Allocations[0].Unknown = true;
  EXPECT_EQ(Kind(), GridspanReduction::None);
  L.In.Allocations[0].Unknown = false;
  L.Kernel.Flags |= GridspanUnknownRead;
  EXPECT_EQ(Kind(), GridspanReduction::None);
  L.Kernel.Flags &= ~GridspanUnknownRead;
  L.Bins.set(512, 1024, Host);
  EXPECT_EQ(Kind(), GridspanReduction::None);
}

TEST(PrivateCopies, AreNotMadeBesidePointersThatMayLeadThere) {
  CountLaunch L(Many);
  L.Kernel.Ranges = [](const GridspanBox *, GridspanRange *Out) {
    Out[0] = {-64, 64, 0, 1, 0, 1, GridspanRangeExact, 0};
    Out[1] = {0, 64, 0, 1, 0, 1, GridspanRangeMay, 0};
  };
  EXPECT_TRUE(L.privates(machine(2)).empty());
}

TEST(PrivateCopies, FollowTheSetting) {
  CountLaunch L(Many);
  GridspanPointer Pointers[] = {L.Kernel.Pointers[0], L.Kernel.Pointers[1]};
  L.Kernel.Pointers = Pointers;
  auto Kind = [&](PrivateCopyUse Use) {
    L.In.Privates = Use;
    return reductionsInto(L.In)[1];
  };
  EXPECT_EQ(Kind(PrivateCopyUse::Never), GridspanReduction::None);
  EXPECT_EQ(Kind(PrivateCopyUse::Integers), Add);
  EXPECT_EQ(Kind(PrivateCopyUse::Always), Add);
  const auto Rounding = GridspanReduction::AddF64;
  Pointers[1].Flags = uint32_t(Rounding) << GridspanReductionShift;
  EXPECT_EQ(Kind(PrivateCopyUse::Never), GridspanReduction::None);
  EXPECT_EQ(Kind(PrivateCopyUse::Integers), GridspanReduction::None);
  EXPECT_EQ(Kind(PrivateCopyUse::Auto), Rounding);
}

//===--- Whether they pay -----------------------------------------------===//

TEST(PrivateCopies, PayForManyAtomicsOnFewBins) {
  for (const Schedule Sched : {Schedule::Static, Schedule::Auto}) {
    CountLaunch L(Many);
    const Plan P = planLaunch(L.spread(4).In, machine(4), Sched);
    ASSERT_EQ(P.Tiles.size(), 4u);
    EXPECT_TRUE(P.Tiles[0].Privates.empty());
    for (unsigned I = 1; I < 4; ++I)
      EXPECT_EQ(P.Tiles[I].Privates,
                (std::vector<PrivateCopy>{{1, 0, 1024, Add}}));
    EXPECT_TRUE(P.Effects[1].Written);
    EXPECT_TRUE(P.Moves.empty());
  }
}

TEST(PrivateCopies, DoNotPayForFewAtomicsOnManyBins) {
  CountLaunch L(1 << 16, uint64_t(1) << 33);
  Plan P = planLaunch(L.spread(2).In, machine(2), Schedule::Static);
  EXPECT_EQ(P.Tiles.size(), 2u);
  EXPECT_FALSE(hasPrivateCopies(P.Tiles));
  L.In.Privates = PrivateCopyUse::Always;
  P = planLaunch(L.In, machine(2), Schedule::Static);
  EXPECT_TRUE(hasPrivateCopies(P.Tiles));
}

TEST(PrivateCopies, AreOfStaticTiles) {
  CountLaunch L(Many);
  const Plan P = planLaunch(L.spread(2).In, machine(2), Schedule::Dynamic);
  EXPECT_TRUE(hasPrivateCopies(P.Tiles));
  EXPECT_FALSE(P.Packets);
  EXPECT_EQ(P.WhyStatic, LaunchReason::PacketsNeedOneMemory);
}

TEST(PrivateCopies, CostTheirFillingAndCombining) {
  CountLaunch Few(Many), More(Many, 1 << 30);
  const SystemInfo S = machine(2);
  auto Seconds = [&](CountLaunch &L, bool HasPrivates) {
    return evaluateSplitCandidate(L.In, S, 0, L.halves(), HasPrivates).Seconds;
  };
  const double Least = double(1 << 30) / 4.4e12 + double(1 << 30) / 3.7e11;
  EXPECT_GT(Seconds(More, true), Seconds(Few, true) + 0.9 * Least);
  // Half of the atomics go over the link.
  EXPECT_GT(Seconds(Few, false), 32.0 * Many / 2 / 3.7e11);
  EXPECT_LT(Seconds(Few, true), Seconds(Few, false) / 2);
}

TEST(PrivateCopies, OfTheSameBytesAreCombinedAtOnce) {
  const CountLaunch L(Many);
  const SystemInfo S = machine(4);
  auto Seconds = [&](std::vector<PrivateCopy> Each) {
    std::vector<TilePlan> Tiles(1);
    for (const PrivateCopy &C : Each)
      Tiles.emplace_back().Privates = {C};
    for (size_t I = 0; I < Tiles.size(); ++I)
      Tiles[I].Device = static_cast<int>(I);
    return combineSeconds(L.In, S, Tiles);
  };
  const PrivateCopy All = {1, 0, 1024, Add}, Half = {1, 0, 512, Add};
  // Further ones take the time of their bytes alone.
  EXPECT_NEAR(Seconds({All, All, All}), Seconds({All}) + 2 * 1024 / 3.7e11,
              1e-12);
  EXPECT_GT(Seconds({All, Half}), Seconds({All, All}) + 1e-6);
  EXPECT_EQ(Seconds({}), 0);
}

TEST(PrivateCopies, AreADivisionOfTheirOwn) {
  CountLaunch L(Many);
  LaunchHistory History;
  L.spread(2).In.History = &History;
  const SystemInfo S = machine(2);
  Plan P = planLaunch(L.In, S, Schedule::Auto);
  ASSERT_TRUE(P.Timed && P.Timed->HasPrivates);
  // They were slow; the same without was not.
  const Division With = *P.Timed;
  Division Without = With;
  Without.HasPrivates = false;
  for (int I = 0; I < 4; ++I) {
    History.count(With);
    History.add(With, {50 * P.PredictedTime, P.PredictedTime, {}, {}, 0.5});
    History.count(Without);
    History.add(Without, {P.PredictedTime, 2 * P.PredictedTime, {}, {}, 0.5});
  }
  P = planLaunch(L.In, S, Schedule::Auto);
  EXPECT_FALSE(hasPrivateCopies(P.Tiles));
}
