//===- PlannerTest.cpp - Plans for fake kernels on made-up machines -------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Planner.h"
#include "test/unit/runtime/FakeKernels.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

/// Devices like an H200 on NVLink, with small pages so that tests stay small.
SystemInfo machine(unsigned Devices, uint64_t PageSize = 4096) {
  SystemInfo S;
  for (unsigned I = 0; I < Devices; ++I)
    S.Devices.push_back(
        {"test", 1ull << 37, 4.4e12, 3e13, 5.5e10, 5.5e10, 132});
  S.PeerBandwidth.assign(Devices, std::vector<double>(Devices, 3.7e11));
  S.FanOutSeconds.assign(Devices + 1, 0);
  for (unsigned I = 2; I <= Devices; ++I)
    S.FanOutSeconds[I] = 5e-6 * I;
  S.PageSize = PageSize;
  return S;
}

/// A launch and the placement of its buffers, owning what PlanInput refers to.
struct Launch {
  explicit Launch(GridspanKernel K) : Kernel(K) {
    Input.Kernel = &Kernel;
    Homes.reserve(8);
    Values.reserve(8);
    Input.Pointers.resize(K.NumPointers);
  }

  Launch &grid(dim3 Grid, dim3 Block) {
    Input.Box = {Args.data(),
                 {Grid.x, Grid.y, Grid.z},
                 {Block.x, Block.y, Block.z},
                 {0, 0, 0},
                 {Grid.x, Grid.y, Grid.z}};
    return *this;
  }

  Launch &scalar(unsigned Param, int Value) {
    Values.push_back(Value);
    Args[Param] = &Values.back();
    return *this;
  }

  /// A buffer cut into equal shares over Devices devices.
  unsigned buffer(uint64_t Bytes, unsigned Devices, uint64_t Page = 4096) {
    PageHomes M;
    auto Cuts = equalShares(Bytes, Page, Devices);
    for (unsigned I = 0; I < Devices; ++I)
      M.set(Cuts[I], Cuts[I + 1], static_cast<int>(I));
    Homes.push_back(M);
    PlacedAllocation A;
    A.Bytes = Bytes;
    A.Homes = &Homes.back();
    A.Movable = A.Tracked = true;
    Input.Allocations.push_back(A);
    return Input.Allocations.size() - 1;
  }

  Launch &pointer(unsigned Pointer, unsigned Allocation, int64_t Offset = 0) {
    Input.Pointers[Pointer] = {static_cast<int>(Allocation), Offset};
    return *this;
  }

  Plan plan(const SystemInfo &S, Schedule Sched) {
    return planLaunch(Input, S, Sched);
  }

  GridspanKernel Kernel;
  std::vector<PageHomes> Homes;
  std::vector<int> Values;
  std::array<void *, 8> Args = {};
  PlanInput Input;
};

Launch saxpy(int N, unsigned Devices) {
  Launch L(fake::saxpy());
  L.scalar(3, N).grid((N + 255) / 256, 256);
  L.pointer(0, L.buffer(4ull * N, Devices));
  L.pointer(1, L.buffer(4ull * N, Devices));
  return L;
}

uint64_t local(const Plan &P) {
  uint64_t Sum = 0;
  for (const TilePlan &T : P.Tiles)
    Sum += T.LocalBytes;
  return Sum;
}

uint64_t remote(const Plan &P) {
  uint64_t Sum = 0;
  for (const TilePlan &T : P.Tiles)
    Sum += T.RemoteBytes;
  return Sum;
}

/// Tiles are disjoint and cover the grid: they are slabs along one axis.
void expectCovers(const Plan &P, const GridspanBox &Launch) {
  uint32_t At = 0;
  for (const TilePlan &T : P.Tiles) {
    for (unsigned Axis = 0; Axis < 3; ++Axis) {
      if (Axis == P.Axis)
        continue;
      EXPECT_EQ(T.Lo[Axis], 0u);
      EXPECT_EQ(T.Count[Axis], Launch.GridDim[Axis]);
    }
    EXPECT_EQ(T.Lo[P.Axis], At);
    EXPECT_GE(T.Count[P.Axis], 1u);
    At += T.Count[P.Axis];
  }
  EXPECT_EQ(At, Launch.GridDim[P.Axis]);
}

} // namespace

//===--- Whether ---------------------------------------------------------===//

TEST(Planner, StaticSplitsOverAllDevices) {
  for (unsigned Devices : {2u, 3u, 4u, 7u}) {
    Launch L = saxpy(1000003, Devices);
    Plan P = L.plan(machine(Devices), Schedule::Static);
    EXPECT_EQ(P.Tiles.size(), Devices);
    EXPECT_EQ(P.WhyUnsplit, LaunchReason::None);
    expectCovers(P, L.Input.Box);
    for (unsigned I = 0; I < Devices; ++I)
      EXPECT_EQ(P.Tiles[I].Device, static_cast<int>(I));
  }
}

TEST(Planner, NoMoreTilesThanBlocks) {
  Launch L = saxpy(600, 1);
  Plan P = L.plan(machine(7), Schedule::Static);
  EXPECT_EQ(P.Tiles.size(), 3u);
  expectCovers(P, L.Input.Box);
}

TEST(Planner, ReasonsToRunUnsplit) {
  struct Case {
    LaunchReason Expected;
    std::function<void(Launch &)> Change;
    unsigned Devices = 4;
    Schedule Sched = Schedule::Static;
  };
  const Case Cases[] = {
      {LaunchReason::KernelRefused,
       [](Launch &L) { L.Kernel.Refusal = "grid-barrier"; }},
      {LaunchReason::NotAnalysed,
       [](Launch &L) { L.Kernel.Flags = GridspanNotAnalysed; }},
      {LaunchReason::NoTiledClone,
       [](Launch &L) { L.Kernel.TiledStub = nullptr; }},
      {LaunchReason::NoTiledClone,
       [](Launch &L) { L.Kernel.Flags = GridspanGridBarrier; }},
      {LaunchReason::Capturing,
       [](Launch &L) { L.Input.WhyUnsplit = LaunchReason::Capturing; }},
      {LaunchReason::OneDevice, [](Launch &) {}, 1},
      {LaunchReason::ScheduleSingle, [](Launch &) {}, 4, Schedule::Single},
      {LaunchReason::OneBlock, [](Launch &L) { L.grid(1, 256); }},
  };
  for (const Case &C : Cases) {
    Launch L = saxpy(1 << 20, C.Devices);
    C.Change(L);
    Plan P = L.plan(machine(C.Devices), C.Sched);
    EXPECT_EQ(P.WhyUnsplit, C.Expected);
    ASSERT_EQ(P.Tiles.size(), 1u);
    EXPECT_EQ(P.Tiles[0].Device, 0);
    expectCovers(P, L.Input.Box);
    EXPECT_FALSE(P.isSplit());
  }
}

TEST(Planner, AutoLeavesSmallLaunchesUnsplit) {
  Launch L = saxpy(10000, 1);
  Plan P = L.plan(machine(4), Schedule::Auto);
  EXPECT_EQ(P.WhyUnsplit, LaunchReason::DoesNotPay);
}

TEST(Planner, AutoSplitsLargeLaunches) {
  Launch L = saxpy(1 << 28, 4);
  EXPECT_EQ(L.plan(machine(4), Schedule::Auto).Tiles.size(), 4u);
}

TEST(Planner, AutoUsesAsManyDevicesAsPay) {
  SystemInfo S = machine(4);
  S.FanOutSeconds = {0, 0, 5e-6, 1, 1};
  Launch L = saxpy(1 << 26, 2);
  EXPECT_EQ(L.plan(S, Schedule::Auto).Tiles.size(), 2u);
}

TEST(Planner, AtomicsOnHostPagesStayOnOneDevice) {
  Launch L(fake::histogram());
  L.scalar(2, 1 << 20).grid(4096, 256);
  L.pointer(0, L.buffer(4 << 20, 4));
  L.pointer(1, L.buffer(65536, 1));
  EXPECT_TRUE(L.plan(machine(4), Schedule::Static).isSplit());
  L.Homes[1].set(4096, 8192, Host);
  EXPECT_EQ(L.plan(machine(4), Schedule::Static).WhyUnsplit,
            LaunchReason::AtomicsOnHostPages);
  L.Input.Allocations[1].Homes = nullptr; // pinned memory of the program
  EXPECT_EQ(L.plan(machine(4), Schedule::Static).WhyUnsplit,
            LaunchReason::AtomicsOnHostPages);
}

TEST(Planner, AtomicsNeedThePeersToKeepThemAtomic) {
  Launch L(fake::histogram());
  L.scalar(2, 1 << 20).grid(4096, 256);
  L.pointer(0, L.buffer(4 << 20, 4));
  L.pointer(1, L.buffer(65536, 1));
  SystemInfo S = machine(4);
  S.PeerAtomics = false;
  EXPECT_EQ(L.plan(S, Schedule::Static).WhyUnsplit,
            LaunchReason::NoPeerAtomics);
}

//===--- Without peer access ---------------------------------------------===//

static SystemInfo strangers(unsigned Devices) {
  SystemInfo S = machine(Devices);
  S.PeerBandwidth.assign(Devices, std::vector<double>(Devices, 0));
  S.PeerAtomics = false;
  return S;
}

TEST(Planner, WithoutPeerAccessTilesUseCopies) {
  const uint64_t N = 1 << 20;
  Launch L = saxpy(N, 1);
  Plan P = L.plan(strangers(2), Schedule::Static);
  ASSERT_TRUE(P.isSplit()) << nameOf(P.WhyUnsplit);
  EXPECT_TRUE(P.Tiles[0].Copies.empty());
  EXPECT_EQ(P.Tiles[0].RemoteBytes, 0u);
  // y is read and written, x only read.
  EXPECT_EQ(P.Tiles[1].Copies,
            (std::vector<TileCopy>{
                {0, {{2 * N, 4 * N}}, {}},
                {1, {{2 * N, 4 * N}}, {{2 * N, 2 * N, 2 * N, 1}}}}));
  EXPECT_EQ(P.Tiles[1].RemoteBytes, 6 * N);
  EXPECT_TRUE(P.Moves.empty());
  EXPECT_EQ(P.Effects[0].AtHome, (HomeUse{{{0, 2 * N}}, {}}));
  EXPECT_EQ(P.Effects[1].AtHome,
            (HomeUse{{{0, 2 * N}}, {{0, 2 * N, 2 * N, 1}}}));
  // Two copies over the bus for three accesses of memory are no gain.
  EXPECT_EQ(L.plan(strangers(2), Schedule::Auto).WhyUnsplit,
            LaunchReason::DoesNotPay);
}

TEST(Planner, WithoutPeerAccessDataStaysWhenThatPays) {
  const int N = 1 << 26;
  Launch L = saxpy(N, 1);
  for (PlacedAllocation &A : L.Input.Allocations)
    A.Stays = true;
  // To bring half of the data costs more than one launch gains, and less than
  // many do.
  EXPECT_EQ(L.plan(strangers(2), Schedule::Auto).WhyUnsplit,
            LaunchReason::DoesNotPay);
  EXPECT_TRUE(L.plan(strangers(2), Schedule::Auto).MayImprove);
  L.Input.Repeats = 1024;
  Plan P = L.plan(strangers(2), Schedule::Auto);
  ASSERT_TRUE(P.isSplit()) << nameOf(P.WhyUnsplit);
  EXPECT_EQ(P.Tiles[1].RemoteBytes, 0U);
  // If others bring it home each time, it never pays.
  L.Input.Allocations[1].GoesHome = true;
  EXPECT_FALSE(L.plan(strangers(2), Schedule::Auto).isSplit());
  L.Input.Allocations[1].GoesHome = false;
  // What is there already costs nothing; to go back would.
  L.Input.Repeats = 0;
  for (PlacedAllocation &A : L.Input.Allocations) {
    const ByteRows Half = {2ull * N, 2ull * N, 2ull * N, 1};
    A.Copies.written(Place::replicaOn(1), {&Half, 1}, false);
  }
  EXPECT_TRUE(L.plan(strangers(2), Schedule::Auto).isSplit());
}

TEST(Planner, WithoutPeerAccessOnlySeamsAreRemote) {
  const uint64_t W = 4096, H = 4096;
  Launch L(fake::stencil());
  L.scalar(2, W).scalar(3, H).grid({W / 32, H / 8, 1}, {32, 8, 1});
  for (unsigned I = 0; I < 2; ++I) {
    L.pointer(I, L.buffer(4 * W * H, 1));
    L.Input.Allocations[I].Stays = true;
  }
  Plan P = L.plan(strangers(2), Schedule::Static);
  ASSERT_TRUE(P.isSplit()) << nameOf(P.WhyUnsplit);
  EXPECT_EQ(P.Axis, 1U);
  EXPECT_GT(P.Tiles[1].RemoteBytes, 0U);
  EXPECT_LE(P.Tiles[1].RemoteBytes, 2 * 4 * W);
}

TEST(Planner, WithoutPeerAccessPlanesAreRowsOfTheirOwn) {
  Launch L(fake::stencil());
  L.Kernel.Ranges = [](const GridspanBox *Box, GridspanRange *Out) {
    // Planes of 1000 bytes, rows of 8 in 10; a block has a plane.
    const int64_t Lo = 1000 * int64_t(Box->BlockLo[0]);
    for (unsigned I = 0; I != fake::stencil().NumAccesses; ++I)
      Out[I] = {Lo + 1,
                8,
                10,
                100,
                1000,
                int64_t(Box->BlockCount[0]),
                GridspanRangeExact,
                0};
  };
  L.scalar(2, 1).scalar(3, 1).grid({4, 1, 1}, {32, 1, 1});
  for (unsigned I = 0; I < 2; ++I)
    L.pointer(I, L.buffer(4000, 1));
  Plan P = L.plan(strangers(2), Schedule::Static);
  ASSERT_TRUE(P.isSplit()) << nameOf(P.WhyUnsplit);
  EXPECT_EQ(P.Tiles[1].Copies[0].Out,
            (std::vector<ByteRows>{{2001, 8, 10, 100}, {3001, 8, 10, 100}}));
}

TEST(Planner, WithoutPeerAccessPagesDoNotLeaveDeviceZero) {
  Launch L = saxpy(1 << 20, 1);
  for (PlacedAllocation &A : L.Input.Allocations)
    A.Misplaced = 1e15;
  EXPECT_TRUE(L.plan(strangers(3), Schedule::Static).Moves.empty());
  // Device 0 must reach all pages: no more so when only others are peers.
  SystemInfo S = strangers(4);
  S.PeerBandwidth[2][3] = S.PeerBandwidth[3][2] = 3.7e11;
  EXPECT_FALSE(S.mayHoldPages(3));
  EXPECT_TRUE(L.plan(S, Schedule::Static).Moves.empty());
}

TEST(Planner, WithoutPeerAccessWorkThatIsWorthTheCopiesIsSplit) {
  const int N = 4096;
  Launch L(fake::matmul());
  L.scalar(3, N).grid({N / 16, 1, 1}, {16, 1, 1});
  for (unsigned I = 0; I < 3; ++I)
    L.pointer(I, L.buffer(4ull * N * N, 1));
  Plan P = L.plan(strangers(2), Schedule::Auto);
  ASSERT_TRUE(P.isSplit()) << nameOf(P.WhyUnsplit);
  // Rows of C go home; all of B comes.
  const uint64_t Half = 2ull * N * N;
  EXPECT_EQ(P.Tiles[1].Copies[0].Out,
            (std::vector<ByteRows>{{Half, Half, Half, 1}}));
  EXPECT_EQ(P.Tiles[1].Copies[2].In, (std::vector<ByteSpan>{{0, 2 * Half}}));
}

TEST(Planner, WithoutPeerAccessColumnsAreToldApart) {
  Launch L(fake::stencil());
  L.scalar(2, 4096).scalar(3, 64);
  L.grid({128, 1, 1}, {32, 64, 1}); // can only be cut into columns
  L.pointer(0, L.buffer(4ull * 4096 * 64, 1));
  L.pointer(1, L.buffer(4ull * 4096 * 64, 1));
  Plan P = L.plan(strangers(2), Schedule::Static);
  ASSERT_TRUE(P.isSplit()) << nameOf(P.WhyUnsplit);
  EXPECT_EQ(P.Tiles[1].Copies[0].Out,
            (std::vector<ByteRows>{{8192, 8192, 16384, 64}}));
}

TEST(Planner, WithoutPeerAccessCheckedAddressesLeaveALaunchUnsplit) {
  Launch L = saxpy(1 << 20, 1);
  EXPECT_TRUE(L.plan(strangers(2), Schedule::Static).isSplit());
  L.Input.MovesPointers = false;
  EXPECT_EQ(L.plan(strangers(2), Schedule::Static).WhyUnsplit,
            LaunchReason::AddressesChecked);
  EXPECT_TRUE(L.plan(machine(2), Schedule::Static).isSplit());
}

TEST(Planner, WithoutPeerAccessHostPagesAreUsedInPlace) {
  Launch L = saxpy(1 << 20, 1);
  L.Homes[0].set(0, 4 << 20, Host);
  L.Homes[1].set(0, 4 << 20, Host);
  Plan P = L.plan(strangers(2), Schedule::Static);
  ASSERT_TRUE(P.isSplit());
  EXPECT_TRUE(P.Tiles[1].Copies.empty());
}

TEST(Planner, WithoutPeerAccessLocalDataIsUsedInPlace) {
  Launch Local = saxpy(1 << 20, 2);
  Plan P = Local.plan(strangers(2), Schedule::Static);
  ASSERT_TRUE(P.isSplit());
  EXPECT_TRUE(P.Tiles[1].Copies.empty());
}

TEST(Planner, WithoutPeerAccessDoubtsLeaveALaunchUnsplit) {
  auto WhyUnsplit = [](auto Change) {
    Launch L = saxpy(1 << 20, 1);
    std::vector<GridspanPointer> Pointers(
        L.Kernel.Pointers, L.Kernel.Pointers + L.Kernel.NumPointers);
    std::vector<GridspanAccess> Accesses(
        L.Kernel.Accesses, L.Kernel.Accesses + L.Kernel.NumAccesses);
    L.Kernel.Pointers = Pointers.data();
    L.Kernel.Accesses = Accesses.data();
    Change(L.Kernel, Pointers, Accesses);
    return L.plan(strangers(2), Schedule::Static).WhyUnsplit;
  };
  EXPECT_EQ(WhyUnsplit([](auto &K, auto &, auto &) {}), LaunchReason::None);
  EXPECT_EQ(WhyUnsplit([](auto &K, auto &P, auto &) { P[1].Flags = 0; }),
            LaunchReason::NoPeerPointerUse);
  EXPECT_EQ(WhyUnsplit([](auto &K, auto &, auto &A) { A[0].Pointer = -1; }),
            LaunchReason::NoPeerUnknownPointer);
  EXPECT_EQ(WhyUnsplit([](auto &K, auto &, auto &) {
              K.Flags |= GridspanUnknownRead;
            }),
            LaunchReason::NoPeerUnknownPointer);
  EXPECT_EQ(WhyUnsplit([](auto &K, auto &P, auto &A) {
              A[2].Mode = GridspanAtomic;
              P[1].Modes = GridspanAtomic;
            }),
            LaunchReason::NoPeerAtomics);
  auto With = [&](uint32_t State, int64_t Lo) {
    static GridspanRange Write;
    Write = {Lo, 4096, 0, 1, 0, 1, State, 0};
    return WhyUnsplit([](auto &K, auto &, auto &) {
      K.Ranges = [](const GridspanBox *B, GridspanRange *Out) {
        fake::saxpy().Ranges(B, Out);
        Out[2] = Write;
      };
    });
  };
  EXPECT_EQ(With(GridspanRangeMay, 0), LaunchReason::NoPeerUnknownWrites);
  EXPECT_EQ(With(GridspanRangeUnknown, 0), LaunchReason::NoPeerUnknownWrites);
  // All tiles write the same place.
  EXPECT_EQ(With(GridspanRangeExact, 0), LaunchReason::NoPeerSharedWrites);
}

TEST(Planner, MemoryOfTheHostThatNotAllReach) {
  Launch L = saxpy(1 << 20, 1);
  L.Input.Allocations[0].Homes = nullptr;
  SystemInfo S = strangers(2);
  EXPECT_EQ(L.plan(S, Schedule::Static).WhyUnsplit, LaunchReason::None);
  S.AllReachHost = false;
  EXPECT_EQ(L.plan(S, Schedule::Static).WhyUnsplit,
            LaunchReason::NoPeerHostMemory);
  const PageHomes OnHost(4 << 20, Host);
  L.Input.Allocations[0].Homes = &OnHost;
  EXPECT_EQ(L.plan(S, Schedule::Static).WhyUnsplit,
            LaunchReason::NoPeerHostMemory);
}

//===--- Along which axis ------------------------------------------------===//

static Launch stencil(int Width, int Height, unsigned Devices) {
  Launch L(fake::stencil());
  L.scalar(2, Width).scalar(3, Height);
  L.grid({(Width + 31u) / 32, (Height + 7u) / 8, 1}, {32, 8, 1});
  L.pointer(0, L.buffer(4ull * Width * Height, Devices));
  L.pointer(1, L.buffer(4ull * Width * Height, Devices));
  return L;
}

TEST(Planner, CutsAlongRowsOfMemory) {
  Launch L = stencil(1000, 1000, 4);
  Plan P = L.plan(machine(4), Schedule::Static);
  EXPECT_EQ(P.Axis, 1u);
  expectCovers(P, L.Input.Box);
  EXPECT_GE(local(P), 0.95 * (local(P) + remote(P)));
  EXPECT_GT(remote(P), 0u); // the halo rows
}

// Columns would be read from a replica of the other buffer, but what is written
// would stay on one device: pages hold rows.
TEST(Planner, CutsAlongRowsWhereAllIsOnOneDevice) {
  Launch L = stencil(16384, 16384, 1);
  const Plan P = L.plan(machine(2), Schedule::Static);
  EXPECT_EQ(P.Axis, 1u);
  for (const AllocationEffect &E : P.Effects)
    EXPECT_GT(E.Misplaced, 0);
}

TEST(Planner, KeepsTheAxisWhilePagesComeWhereLinksDoNotMatter) {
  // Few bytes for much work, in a few large pages that no tile has alone.
  GridspanKernel Heavy = fake::stencil();
  Heavy.Work = [](const GridspanBox *B) {
    return 1e6 * B->BlockCount[0] * B->BlockCount[1];
  };
  const int N = 1800;
  const uint64_t Bytes = 4ull * N * N, Page = 2 << 20;
  for (unsigned Holders : {1u, 2u}) {
    Launch L(Heavy);
    L.scalar(2, N).scalar(3, N);
    L.grid(dim3((N + 15) / 16, (N + 15) / 16), dim3(16, 16));
    for (unsigned I : {0u, 1u})
      L.pointer(I, L.buffer(Bytes, Holders, Page));
    EXPECT_EQ(L.plan(machine(2), Schedule::Static).Axis, 1u) << Holders;
  }
}

TEST(Planner, CutsAlongTheLongAxisWhenTheOtherIsTooShort) {
  Launch L = stencil(100000, 8, 4);
  Plan P = L.plan(machine(4), Schedule::Static);
  EXPECT_EQ(P.Axis, 0u);
  EXPECT_EQ(P.Tiles.size(), 4u);
}

TEST(Planner, AStencilReadsInPlace) {
  Launch L = stencil(1000, 1000, 4);
  Plan P = L.plan(machine(4), Schedule::Static);
  for (const TilePlan &T : P.Tiles)
    EXPECT_TRUE(T.Replicas.empty());
}

TEST(Planner, TilesFollowTheWork) {
  Launch L(fake::triangular());
  L.scalar(1, 4096).grid(4096, 1);
  L.pointer(0, L.buffer(4 * 4096, 2));
  Plan P = L.plan(machine(2), Schedule::Static);
  ASSERT_EQ(P.Tiles.size(), 2u);
  EXPECT_NEAR(P.Tiles[0].Count[0], 4096 / std::sqrt(2.0), 2);
}

//===--- Replicas --------------------------------------------------------===//

static Launch matmul(int N, unsigned Devices) {
  Launch L(fake::matmul());
  L.scalar(3, N).grid((N + 15) / 16, 16);
  for (unsigned I = 0; I < 3; ++I)
    L.pointer(I, L.buffer(4ull * N * N, Devices));
  return L;
}

TEST(Planner, WhatAllDevicesReadIsReplicated) {
  Launch L = matmul(1024, 4);
  Plan P = L.plan(machine(4), Schedule::Static);
  ASSERT_EQ(P.Tiles.size(), 4u);
  for (const TilePlan &T : P.Tiles)
    EXPECT_EQ(T.Replicas, (std::vector<unsigned>{2}));
  EXPECT_EQ(remote(P), 0u);
}

TEST(Planner, NoReplicaOnTheDeviceThatHasIt) {
  Launch L = matmul(1024, 4);
  L.Homes[2] = PageHomes(4 << 20, 0);
  Plan P = L.plan(machine(4), Schedule::Static);
  EXPECT_TRUE(P.Tiles[0].Replicas.empty());
  EXPECT_EQ(P.Tiles[1].Replicas.size(), 1u);
}

TEST(Planner, NoReplicaOfWhatTheLaunchWrites) {
  Launch L = matmul(1024, 4);
  L.pointer(0, 2); // C is B
  Plan P = L.plan(machine(4), Schedule::Static);
  EXPECT_TRUE(P.isSplit());
  for (const TilePlan &T : P.Tiles)
    EXPECT_TRUE(T.Replicas.empty());
  EXPECT_GT(remote(P), 0u);
}

TEST(Planner, NoReplicaWhenTheKernelMayWriteAnywhere) {
  Launch L = matmul(1024, 4);
  L.Kernel.Flags = GridspanUnknownWrite;
  Plan P = L.plan(machine(4), Schedule::Static);
  for (const TilePlan &T : P.Tiles)
    EXPECT_TRUE(T.Replicas.empty());
  EXPECT_TRUE(P.WritesAnywhere);
}

TEST(Planner, NoReplicaOfAPointerWithOtherUses) {
  Launch L = matmul(1024, 4);
  static GridspanPointer Pointers[3];
  std::copy_n(L.Kernel.Pointers, 3, Pointers);
  Pointers[2].Flags = 0;
  L.Kernel.Pointers = Pointers;
  Plan P = L.plan(machine(4), Schedule::Static);
  for (const TilePlan &T : P.Tiles)
    EXPECT_TRUE(T.Replicas.empty());
}

TEST(Planner, NoReplicaWhenAPointerIsPassedOn) {
  // A is not accessed but stored somewhere, and leads to B.
  Launch L = matmul(1024, 4);
  L.pointer(1, 2);
  static GridspanPointer Pointers[3];
  std::copy_n(L.Kernel.Pointers, 3, Pointers);
  static GridspanAccess Accesses[3];
  std::copy_n(L.Kernel.Accesses, 3, Accesses);
  Accesses[1].Pointer = 2;
  L.Kernel.Accesses = Accesses;
  Pointers[1] = {1, 0, 0, GridspanRedirectable};
  L.Kernel.Pointers = Pointers;
  EXPECT_EQ(L.plan(machine(4), Schedule::Static).Tiles[1].Replicas,
            std::vector<unsigned>{2});
  Pointers[1].Flags = 0;
  for (const TilePlan &T : L.plan(machine(4), Schedule::Static).Tiles)
    EXPECT_TRUE(T.Replicas.empty());
}

TEST(Planner, AReplicaThatExistsCostsNothing) {
  Launch L = matmul(512, 2);
  Plan Cold = L.plan(machine(2), Schedule::Static);
  L.Input.Allocations[2].HasReplica = {true, true};
  Plan Warm = L.plan(machine(2), Schedule::Static);
  EXPECT_LT(Warm.PredictedSeconds, Cold.PredictedSeconds);
}

TEST(Planner, LaunchesShareTheCostOfAReplica) {
  // 400 us on one device. Half of it and a copy of B in 180 us do not pay.
  Launch L = matmul(4096, 1);
  L.Kernel.Work = [](const GridspanBox *B) { return 4.7e7 * B->BlockCount[0]; };
  PlacedAllocation &B = L.Input.Allocations[2];
  Plan Once = L.plan(machine(2), Schedule::Auto);
  EXPECT_EQ(Once.WhyUnsplit, LaunchReason::DoesNotPay);
  EXPECT_TRUE(Once.MayImprove);
  EXPECT_FALSE(Once.NeedsReplicas);
  B.Unchanged = 1000;
  Plan Often = L.plan(machine(2), Schedule::Auto);
  EXPECT_TRUE(Often.isSplit());
  EXPECT_TRUE(Often.NeedsReplicas);
  // Once they are there the split still depends on them.
  B.Unchanged = 0;
  B.HasReplica = {true, true};
  EXPECT_TRUE(L.plan(machine(2), Schedule::Auto).NeedsReplicas);
  // What is not seen to be written may change at any time.
  B.HasReplica = {};
  B.Unchanged = 1000;
  B.Tracked = false;
  EXPECT_FALSE(L.plan(machine(2), Schedule::Auto).isSplit());
}

TEST(Planner, AnUntrackedReplicaIsNotTrusted) {
  Launch L = matmul(512, 2);
  L.Input.Allocations[2].HasReplica = {true, true};
  Plan Trusted = L.plan(machine(2), Schedule::Static);
  L.Input.Allocations[2].Tracked = false;
  Plan Untrusted = L.plan(machine(2), Schedule::Static);
  EXPECT_GT(Untrusted.PredictedSeconds, Trusted.PredictedSeconds);
}

//===--- Bytes -----------------------------------------------------------===//

TEST(Planner, CountsReadsAndWritesOnce) {
  Launch L = saxpy(1 << 20, 1);
  Plan P = L.plan(machine(1), Schedule::Static);
  EXPECT_EQ(local(P), 3u * (4 << 20));
  EXPECT_EQ(remote(P), 0u);
  EXPECT_FALSE(P.UnknownRanges);
}

TEST(Planner, StripedBuffersAreAlmostAllLocal) {
  for (unsigned Devices : {2u, 3u, 4u, 7u})
    for (int N : {100001, 1000003, 10000019}) {
      Launch L = saxpy(N, Devices);
      Plan P = L.plan(machine(Devices), Schedule::Static);
      EXPECT_GE(local(P), 0.95 * (local(P) + remote(P)))
          << N << " on " << Devices;
    }
}

TEST(Planner, ASmallLaunchGathersASpreadBuffer) {
  // Its data take 3 us from one memory and 17 us half from afar; a
  // split costs 10 us, moving the pages of both buffers 400 us.
  Launch L = saxpy(1 << 20, 2);
  Plan P = L.plan(machine(2), Schedule::Auto);
  EXPECT_TRUE(P.isSplit());
  EXPECT_TRUE(P.MayImprove);
  int Launches = 1;
  for (; P.Moves.empty() && Launches < 1000; ++Launches) {
    for (unsigned A = 0; A < 2; ++A) {
      EXPECT_GT(P.Effects[A].Misplaced, 0);
      EXPECT_EQ(P.Effects[A].MisplacedAgain, P.Effects[A].Misplaced);
      L.Input.Allocations[A].Misplaced += P.Effects[A].Misplaced;
    }
    P = L.plan(machine(2), Schedule::Auto);
  }
  EXPECT_EQ(P.Moves, (std::vector<MovePlan>{{0, 2 << 20, 4 << 20, 0},
                                            {1, 2 << 20, 4 << 20, 0}}));
  // Not before it pays.
  EXPECT_GE(Launches * 12e-6, 4e-4);
  for (PageHomes &M : L.Homes)
    M = PageHomes(4 << 20, 0);
  EXPECT_EQ(L.plan(machine(2), Schedule::Auto).WhyUnsplit,
            LaunchReason::DoesNotPay);
}

TEST(Planner, ARunOnOneDeviceReadsTheOthersFromAfar) {
  Launch L = saxpy(1 << 20, 4);
  Plan P = L.plan(machine(4), Schedule::Single);
  EXPECT_EQ(remote(P), 3 * local(P));
}

TEST(Planner, UnknownRangesAreTheWholeAllocationAndSaySo) {
  Launch L(fake::histogram());
  L.scalar(2, 1000).grid(4, 256);
  L.pointer(0, L.buffer(4000, 1));
  L.pointer(1, L.buffer(1024, 1));
  Plan P = L.plan(machine(1), Schedule::Static);
  EXPECT_EQ(local(P), 4000u + 1024u);
  EXPECT_TRUE(P.UnknownRanges);
}

TEST(Planner, ScatteredAccessesFromAfarTakeASectorEach) {
  const uint64_t Bins = 64 << 20;
  Launch L(fake::histogram());
  L.scalar(2, 1000).grid(4, 256);
  L.pointer(0, L.buffer(4000, 1)).pointer(1, L.buffer(Bins, 1));
  L.Homes[1] = PageHomes(Bins, 1);
  const double Seconds = 8.0 * Bins / 3.7e11; // elements of 4 bytes
  Plan P = L.plan(machine(2), Schedule::Single);
  EXPECT_NEAR(P.PredictedSeconds, Seconds, 1e-2 * Seconds);
  EXPECT_NEAR(P.Effects[1].Misplaced, Seconds, 1e-2 * Seconds);
}

TEST(Planner, StridedAccessesTakeWhatMemoryMoves) {
  // A float of every 256 bytes: 64 of them are read.
  static constexpr int64_t Rows = 1 << 20;
  Launch L(fake::histogram());
  L.Kernel.Work = nullptr;
  L.Kernel.Ranges = [](const GridspanBox *, GridspanRange *Out) {
    Out[0] = {0, 4, 256, Rows, 0, 1, GridspanRangeExact, 0};
    Out[1] = {0, 0, 0, 0, 0, 0, GridspanRangeEmpty, 0};
  };
  L.scalar(2, 1000).grid(4, 256);
  L.pointer(0, L.buffer(256 * Rows, 1)).pointer(1, L.buffer(1024, 1));
  Plan P = L.plan(machine(1), Schedule::Single);
  EXPECT_NEAR(local(P), 4.0 * Rows, 256);
  const double Seconds = 64.0 * Rows / 4.4e12;
  EXPECT_NEAR(P.PredictedSeconds, Seconds, 1e-3 * Seconds);
}

TEST(Planner, TheFullestMultiprocessorDecides) {
  Launch L = saxpy(1 << 20, 2);
  L.Kernel.Work = [](const GridspanBox *B) { return 3e8 * B->BlockCount[0]; };
  auto SecondsOf = [&](unsigned Blocks) {
    L.grid(Blocks, 256);
    return L.plan(machine(1), Schedule::Single).PredictedSeconds;
  };
  const double One = SecondsOf(1);
  EXPECT_NEAR(One, 3e8 * 132 / 3e13, 1e-9);
  EXPECT_DOUBLE_EQ(SecondsOf(132), One);
  EXPECT_DOUBLE_EQ(SecondsOf(133), 2 * One);
  // Two devices cannot be faster where each block has a multiprocessor.
  L.grid(100, 256);
  EXPECT_EQ(L.plan(machine(2), Schedule::Auto).WhyUnsplit,
            LaunchReason::DoesNotPay);
  L.grid(264, 256);
  EXPECT_TRUE(L.plan(machine(2), Schedule::Auto).isSplit());
}

TEST(Planner, BlocksThatWaitForOthersEvenOut) {
  Launch L = saxpy(1 << 20, 2);
  L.Kernel.Work = [](const GridspanBox *B) { return 3e8 * B->BlockCount[0]; };
  SystemInfo S = machine(1);
  auto SecondsPerBlock = [&](unsigned Blocks) {
    L.grid(Blocks, 256);
    return L.plan(S, Schedule::Single).PredictedSeconds / Blocks;
  };
  const double Even = 3e8 / S.Devices[0].InstructionRate;
  struct Gpu {
    unsigned Multiprocessors, Threads, Blocks;
  };
  // RTX 2080, RTX 3090, RTX 4090, A100.
  for (const Gpu &G : {Gpu{46, 1024, 16}, Gpu{82, 1536, 16}, Gpu{128, 1536, 24},
                       Gpu{108, 2048, 32}}) {
    S.Devices[0].Multiprocessors = G.Multiprocessors;
    S.Devices[0].ThreadsPerMultiprocessor = G.Threads;
    S.Devices[0].BlocksPerMultiprocessor = G.Blocks;
    const unsigned PerMultiprocessor = G.Threads / 256;
    const unsigned Held = PerMultiprocessor * G.Multiprocessors;
    EXPECT_NEAR(SecondsPerBlock(Held + 1), Even, 1e-9 * Even);
    const unsigned Fewer = Held - G.Multiprocessors + 1;
    const double Uneven = Even * Held / Fewer;
    EXPECT_NEAR(SecondsPerBlock(Fewer), Uneven, 1e-9 * Uneven);
  }
}

TEST(Planner, BlocksTakeTimeToStart) {
  Launch L = saxpy(1 << 20, 1);
  L.Kernel.Work = nullptr;
  SystemInfo S = machine(1);
  S.Devices[0].BlockSeconds = 1e-6;
  EXPECT_DOUBLE_EQ(L.plan(S, Schedule::Single).PredictedSeconds, 4096e-6);
}

TEST(Planner, PointersIntoTheMiddleAreClamped) {
  Launch L = saxpy(1 << 20, 1);
  L.Input.Pointers[0].Offset = 2 << 20;
  Plan P = L.plan(machine(1), Schedule::Static);
  EXPECT_EQ(local(P), (2u << 20) + 2u * (4 << 20));
}

TEST(Planner, NullAndForeignPointersPlan) {
  Launch L = saxpy(1 << 20, 2);
  L.Input.Pointers[0] = {};
  L.Input.Allocations[0].Homes = nullptr;
  Plan P = L.plan(machine(2), Schedule::Static);
  EXPECT_TRUE(P.isSplit());
  L.Input.Pointers[0] = {0, 0};
  P = L.plan(machine(2), Schedule::Static);
  EXPECT_EQ(remote(P), 4u << 20);
}

//===--- Effects and moves -----------------------------------------------===//

/// Out[x][y] = In[y][x]: whichever way the grid is cut, one of the two is
/// touched in columns.
static GridspanKernel transpose() {
  GridspanKernel K = fake::stencil();
  K.Ranges = [](const GridspanBox *B, GridspanRange *Out) {
    const int64_t N = *static_cast<const int *>(B->Args[2]);
    const int64_t Lo[] = {32l * B->BlockLo[0], 32l * B->BlockLo[1]};
    const int64_t Count[] = {32l * B->BlockCount[0], 32l * B->BlockCount[1]};
    for (unsigned I = 0; I < 2; ++I) { // read In, write Out
      const int64_t At = 4 * (Lo[1 - I] * N + Lo[I]);
      Out[I] =
          Count[I] == N
              ? GridspanRange{At, 4 * Count[1 - I] * N, 0, 1, 0,
                              1,  GridspanRangeExact,   0}
              : GridspanRange{At, 4 * Count[I],       4 * N, Count[1 - I], 0,
                              1,  GridspanRangeExact, 0};
    }
  };
  return K;
}

static Launch transpose(int N, unsigned Devices) {
  Launch L(transpose());
  L.scalar(2, N).scalar(3, N).grid({N / 32u, N / 32u, 1}, {32, 8, 1});
  for (unsigned I = 0; I < 2; ++I)
    L.pointer(I, L.buffer(4ull * N * N, Devices));
  return L;
}

TEST(Planner, PagesThatTilesShareInColumnsStayRemote) {
  const int N = 8192;
  Launch L = transpose(N, 2);
  L.Kernel.Flags |= GridspanUnknownWrite; // so that nothing is replicated
  // Each device reads or writes half of a half from afar, wherever pages are.
  Plan Split = L.plan(machine(2), Schedule::Static);
  EXPECT_NEAR(static_cast<double>(remote(Split)), 2.0 * N * N, 1e-3 * N * N);
  EXPECT_GE(Split.PredictedSeconds, 1.0 * N * N / 3.7e11);
  EXPECT_TRUE(Split.Moves.empty());
}

TEST(Planner, ColumnsOfSpreadDataAreReadFromReplicas) {
  // To gather the data on one device takes longer than to copy what is read.
  for (unsigned Devices : {2u, 4u, 8u}) {
    Launch L = transpose(8192, Devices);
    Plan P = L.plan(machine(Devices), Schedule::Auto);
    ASSERT_TRUE(P.isSplit()) << Devices;
    for (const TilePlan &T : P.Tiles)
      EXPECT_EQ(T.Replicas, std::vector<unsigned>{1});
    EXPECT_EQ(remote(P), 0u);
    // To have the data elsewhere saves the copies of the first launch only.
    for (const AllocationEffect &E : P.Effects) {
      EXPECT_GT(E.Misplaced, 0);
      EXPECT_EQ(E.MisplacedAgain, 0);
    }
  }
}

TEST(Planner, DataOnOneDeviceAreSpreadForManyLaunches) {
  Launch L = transpose(8192, 1);
  PlacedAllocation &Out = L.Input.Allocations[0],
                   &Read = L.Input.Allocations[1];
  Plan Once = L.plan(machine(2), Schedule::Auto);
  EXPECT_FALSE(Once.isSplit());
  EXPECT_TRUE(Once.MayImprove);
  EXPECT_TRUE(Once.Moves.empty());
  Out.Misplaced = 1;
  Read.Unchanged = 100;
  Plan Often = L.plan(machine(2), Schedule::Auto);
  ASSERT_EQ(Often.Moves.size(), 1u);
  EXPECT_EQ(Often.Moves[0], (MovePlan{0, 128 << 20, 256 << 20, 1}));
  L.Homes[0].set(128 << 20, 256 << 20, 1);
  EXPECT_TRUE(L.plan(machine(2), Schedule::Auto).isSplit());
}

TEST(Planner, SaysWhatIsWritten) {
  Launch L = saxpy(1 << 20, 2);
  Plan P = L.plan(machine(2), Schedule::Static);
  ASSERT_EQ(P.Effects.size(), 2u);
  EXPECT_FALSE(P.Effects[0].Written);
  EXPECT_TRUE(P.Effects[1].Written);
  EXPECT_FALSE(P.WritesAnywhere);
}

TEST(Planner, MisplacedPagesAddUpAndThenMove) {
  Launch L = saxpy(1 << 22, 1); // all on device 0, split over 2
  SystemInfo S = machine(2);
  Plan First = L.plan(S, Schedule::Static);
  const double Misplaced = First.Effects[1].Misplaced;
  EXPECT_GT(Misplaced, 0);
  EXPECT_TRUE(First.Moves.empty());
  PlacedAllocation &Y = L.Input.Allocations[1];
  int Launches = 1;
  for (; Launches < 1000; ++Launches) {
    Y.Misplaced += Misplaced;
    if (!L.plan(S, Schedule::Static).Moves.empty())
      break;
  }
  Plan P = L.plan(S, Schedule::Static);
  ASSERT_EQ(P.Moves.size(), 1u);
  EXPECT_EQ(P.Moves[0], (MovePlan{1, 8 << 20, 16 << 20, 1}));
  // Not before the accesses from afar have cost what the move costs.
  EXPECT_GE((Launches + 1) * Misplaced, 2e-4 + (8 << 20) / 3.7e11);
  // After one move the next one takes twice as much.
  Y.Moves = 1;
  EXPECT_TRUE(L.plan(S, Schedule::Static).Moves.empty());
}

TEST(Planner, FirstMovesThatAreNothingBesideTheLaunchAreMadeAtOnce) {
  Launch L = saxpy(1 << 22, 1);
  L.Kernel.Work = [](const GridspanBox *B) { return 4.7e9 * B->BlockCount[0]; };
  const Plan First = L.plan(machine(2), Schedule::Static);
  ASSERT_GT(First.PredictedSeconds, 0.1);
  // What is only read is copied in less time than its pages move.
  EXPECT_EQ(First.Moves, (std::vector<MovePlan>{{1, 8 << 20, 16 << 20, 1}}));
  ASSERT_EQ(First.Tiles.size(), 2u);
  EXPECT_TRUE(First.Tiles[0].Replicas.empty());
  EXPECT_EQ(First.Tiles[1].Replicas, std::vector<unsigned>{0});
  // Pages that have moved before wait until it has paid.
  for (PlacedAllocation &A : L.Input.Allocations)
    A.Moves = 1;
  EXPECT_TRUE(L.plan(machine(2), Schedule::Static).Moves.empty());
}

TEST(Planner, AnUnsplitLaunchWantsItsPagesOnDeviceZero) {
  Launch L = saxpy(1 << 22, 4);
  L.Input.Allocations[0].Misplaced = 1e12;
  Plan P = L.plan(machine(4), Schedule::Single);
  ASSERT_EQ(P.Moves.size(), 3u);
  for (const MovePlan &M : P.Moves)
    EXPECT_EQ(M.To, 0);
}

TEST(Planner, HaloPagesDoNotMove) {
  Launch L = stencil(1024, 1024, 4);
  for (PlacedAllocation &A : L.Input.Allocations)
    A.Misplaced = 1e15;
  Plan P = L.plan(machine(4), Schedule::Static);
  EXPECT_TRUE(P.Moves.empty());
  EXPECT_EQ(P.Effects[1].Misplaced, 0);
}

TEST(Planner, PagesThatCannotMoveStay) {
  Launch L = saxpy(1 << 22, 1);
  for (PlacedAllocation &A : L.Input.Allocations) {
    A.Misplaced = 1e15;
    A.Movable = false;
  }
  EXPECT_TRUE(L.plan(machine(4), Schedule::Static).Moves.empty());
}

TEST(Planner, PagesOnTheHostMoveToTheirDevice) {
  Launch L = saxpy(1 << 22, 2);
  L.Homes[0] = PageHomes(16 << 20, Host);
  L.Input.Allocations[0].Misplaced = 1e15;
  Plan P = L.plan(machine(2), Schedule::Static);
  ASSERT_EQ(P.Moves.size(), 2u);
  EXPECT_EQ(P.Moves[0].To, 0);
  EXPECT_EQ(P.Moves[1].To, 1);
}

TEST(Planner, IsDeterministic) {
  Launch L = matmul(300, 3);
  Plan A = L.plan(machine(3), Schedule::Auto);
  Plan B = L.plan(machine(3), Schedule::Auto);
  EXPECT_EQ(A.Tiles, B.Tiles);
  EXPECT_EQ(A.Effects, B.Effects);
}
