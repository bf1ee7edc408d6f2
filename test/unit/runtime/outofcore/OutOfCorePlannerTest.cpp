//===- OutOfCorePlannerTest.cpp - Launches larger than made-up devices ----===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/OutOfCorePlanner.h"
#include "test/unit/runtime/FakeKernels.h"
#include <gtest/gtest.h>
#include <set>

using namespace gridspan;

namespace {

constexpr uint64_t Frame = 4096;

SystemInfo machine(unsigned Devices, bool Peers = true) {
  SystemInfo S;
  for (unsigned I = 0; I < Devices; ++I)
    S.Devices.push_back({"test", 1ull << 30, 4e12, 3e13, 5.5e10, 5.5e10, 132});
  S.PeerBandwidth.assign(Devices,
                         std::vector<double>(Devices, Peers ? 3.7e11 : 0));
  S.FanOutSeconds.assign(Devices + 1, 0);
  S.PageSize = Frame;
  return S;
}

struct Launch {
  Launch(GridspanKernel K, dim3 Grid, dim3 Block) : Kernel(K) {
    In.Launch.Kernel = &Kernel;
    In.Launch.Pointers.resize(K.NumPointers);
    In.Launch.Box = {Args.data(),
                     {Grid.x, Grid.y, Grid.z},
                     {Block.x, Block.y, Block.z},
                     {0, 0, 0},
                     {Grid.x, Grid.y, Grid.z}};
  }
  Launch &scalar(unsigned Param, int Value) {
    Values[Param] = Value;
    return *this;
  }
  /// A filled buffer on the host, which Pointer leads to.
  Launch &buffer(unsigned Pointer, uint64_t Bytes) {
    PlacedAllocation A;
    A.Bytes = Bytes;
    A.Paged = true;
    In.Launch.Pointers[Pointer] = {
        static_cast<int>(In.Launch.Allocations.size()), 0};
    In.Launch.Allocations.push_back(A);
    PagedView V;
    V.FrameBytes = Frame;
    V.Frames.assign((Bytes + Frame - 1) / Frame,
                    {Frame, Host, false, true, false});
    In.Paged.push_back(V);
    return *this;
  }
  OutOfCorePlan plan(unsigned Devices, uint64_t Frames,
                     Schedule Sched = Schedule::Static) {
    In.Budget.assign(Devices, Frames * Frame);
    In.Launch.Kernel = &Kernel; // this may be a copy
    for (unsigned I = 0; I < Args.size(); ++I)
      Args[I] = &Values[I];
    In.Launch.Box.Args = Args.data();
    SystemInfo System = machine(Devices, Peers);
    System.AllReachHost = ReachHost;
    return planOutOfCore(In, System, Sched);
  }

  GridspanKernel Kernel;
  bool Peers = true;              ///< devices reach each other's memory
  bool ReachHost = true;          ///< and memory of the host
  std::array<int, 8> Values = {}; ///< by parameter
  std::array<void *, 8> Args = {};
  OutOfCoreInput In;
};

Launch saxpy(int N) {
  return Launch(fake::saxpy(), (N + 255) / 256, 256)
      .scalar(3, N)
      .buffer(0, 4ull * N)
      .buffer(1, 4ull * N);
}

Launch matmul(int N) {
  Launch L(fake::matmul(), (N + 15) / 16, 16);
  L.scalar(3, N);
  for (unsigned P = 0; P < 3; ++P)
    L.buffer(P, 4ull * N * N);
  return L;
}

/// The same in blocks of 16 x 16 elements, which walk down columns of B.
Launch product(int N, bool Packable = true) {
  static const GridspanKernel Packed = {};
  static const GridspanAccess Accesses[] = {
      {"", nullptr, 0, GridspanWrite, 4, 0},
      {"", nullptr, 1, GridspanRead, 4, 1},
      {"", nullptr, 2, GridspanRead, 4, 2}};
  static const GridspanPointer Pointers[] = {
      {0, 0, GridspanWrite, GridspanRedirectable},
      {1, 0, GridspanRead, GridspanReplicable | GridspanRedirectable},
      {2, 0, GridspanRead,
       GridspanReplicable | GridspanRedirectable | GridspanPackable}};
  GridspanKernel K = fake::matmul();
  K.Packed = &Packed;
  K.Accesses = Accesses;
  K.Pointers = Pointers;
  K.Ranges = [](const GridspanBox *B, GridspanRange *Out) {
    const int64_t N = *static_cast<const int *>(B->Args[3]);
    const int64_t X = 16 * B->BlockLo[0], Y = 16 * B->BlockLo[1];
    const int64_t W = std::min<int64_t>(16 * B->BlockCount[0], N - X);
    const int64_t H = std::min<int64_t>(16 * B->BlockCount[1], N - Y);
    const auto Rows = [&](int64_t Lo, int64_t Width, int64_t Rows) {
      if (Width == N)
        return GridspanRange{4 * Lo, 4 * N * Rows,       0, 1, 0,
                             1,      GridspanRangeExact, 0};
      return GridspanRange{4 * Lo, 4 * Width,          4 * N, Rows, 0,
                           1,      GridspanRangeExact, 0};
    };
    Out[0] = Rows(Y * N + X, W, H);
    Out[1] = Rows(Y * N, N, H);
    Out[2] = Rows(X, W, N);
  };
  const auto Blocks = static_cast<unsigned>((N + 15) / 16);
  Launch L(K, dim3(Blocks, Blocks), dim3(16, 16));
  L.scalar(3, N);
  for (unsigned P = 0; P < 3; ++P)
    L.buffer(P, 4ull * N * N);
  L.In.MayPack = Packable;
  return L;
}

/// Every block runs once.
void expectCovers(const OutOfCorePlan &P, uint64_t Blocks) {
  uint64_t Sum = 0;
  std::set<std::array<uint32_t, 3>> Begins;
  for (const OutOfCoreStep &S : P.Steps) {
    Sum += uint64_t(S.Count[0]) * S.Count[1] * S.Count[2];
    EXPECT_TRUE(Begins.insert(S.Lo).second);
  }
  EXPECT_EQ(Sum, Blocks);
}

} // namespace

TEST(OutOfCorePlanner, ASweepLoadsEachByteOnce) {
  const OutOfCorePlan P = saxpy(1 << 18).plan(1, 16);
  EXPECT_TRUE(P.Chunked);
  EXPECT_TRUE(P.InPlace.empty());
  EXPECT_GE(P.Steps.size(), 256u);
  expectCovers(P, 1024);
  EXPECT_EQ(P.BytesIn, 2u << 20);
  // The last frames stay on the device.
  EXPECT_GE(P.BytesOut, (1u << 20) - 16 * Frame);
}

TEST(OutOfCorePlanner, TheNextSweepUsesWhatIsThere) {
  // The last 8 frames of each buffer: a sweep that begins at the other end and
  // forgets the least recently used would load everything again.
  Launch L = saxpy(1 << 16);
  for (PagedView &V : L.In.Paged)
    for (unsigned I = 56; I < 64; ++I)
      V.Frames[I].Where = 0;
  const OutOfCorePlan P = L.plan(1, 16);
  EXPECT_LE(P.BytesIn, (128 - 16 + 4) * Frame);
}

TEST(OutOfCorePlanner, DevicesTakeTurns) {
  const OutOfCorePlan P = saxpy(1 << 18).plan(4, 16);
  expectCovers(P, 1024);
  EXPECT_EQ(P.BytesIn, 2u << 20);
  for (unsigned I = 0; I < 8; ++I)
    EXPECT_EQ(P.Steps[I].Device, static_cast<int>(I % 4));
  EXPECT_EQ(P.Steps[1].Lo[0], 256u);
  // One device only, when the user says so.
  for (const OutOfCoreStep &S :
       saxpy(1 << 18).plan(4, 16, Schedule::Single).Steps)
    EXPECT_EQ(S.Device, 0);
}

TEST(OutOfCorePlanner, WhatEveryChunkReadsStays) {
  // A, B and C of 64 frames each; B fits.
  const OutOfCorePlan P = matmul(256).plan(1, 80);
  EXPECT_TRUE(P.Chunked);
  EXPECT_TRUE(P.InPlace.empty());
  EXPECT_EQ(P.BytesIn, 128 * Frame); // C is overwritten
}

TEST(OutOfCorePlanner, DevicesHaveCopiesOfWhatAllChunksRead) {
  Launch L = matmul(256);
  const std::vector<OutOfCoreReplica> OfB = {{2, 0}, {2, 1}};
  OutOfCorePlan P = L.plan(2, 96);
  EXPECT_EQ(P.Replicas, OfB);
  EXPECT_EQ(P.ReplicaBytes, (std::vector<uint64_t>(2, 64 * Frame)));
  EXPECT_TRUE(P.Linked.empty());
  EXPECT_EQ(P.RemoteBytes, 0u);
  EXPECT_EQ(P.BytesIn, 128 * Frame);
  expectCovers(P, 16);
  for (const OutOfCoreStep &S : P.Steps)
    for (const FrameUse &U : S.Uses)
      EXPECT_NE(U.Allocation, 2u);
  // Frames that are there do not matter.
  L.In.Paged[2].Frames[5].Where = 1;
  L.In.Paged[2].Frames[5].Dirty = true;
  P = L.plan(2, 96);
  EXPECT_EQ(P.Replicas, OfB);
  EXPECT_TRUE(P.SaveFirst.empty());
  L.In.Paged[2].Frames[5].Where = Host;
  // Those that hold the present contents are not filled.
  L.In.Launch.Allocations[2].HasReplica = {true, true};
  EXPECT_EQ(L.plan(2, 96).BytesIn, 64 * Frame);
  // One device needs none.
  EXPECT_TRUE(L.plan(1, 96).Replicas.empty());
}

TEST(OutOfCorePlanner, CopiesThatDoNotFitAreNamed) {
  Launch L = matmul(256);
  L.In.NotReplicated = {2};
  const OutOfCorePlan P = L.plan(2, 96);
  EXPECT_TRUE(P.Replicas.empty());
  EXPECT_EQ(P.Linked,
            (std::vector<InPlaceArgument>{{2, LaunchReason::NoRoomForCopies}}));
  EXPECT_GT(P.RemoteBytes, 64 * Frame);
  // What is written, or of which a pointer is used otherwise, has none.
  L.In.NotReplicated.clear();
  std::vector<GridspanPointer> Pointers(L.Kernel.Pointers,
                                        L.Kernel.Pointers + 3);
  Pointers[2].Modes = GridspanRead | GridspanWrite;
  L.Kernel.Pointers = Pointers.data();
  EXPECT_TRUE(L.plan(2, 96).Replicas.empty());
  Pointers[2] = {2, 0, GridspanRead, 0};
  EXPECT_TRUE(L.plan(2, 96).Replicas.empty());
}

TEST(OutOfCorePlanner, CopiesOfWhatIsNotPaged) {
  // B is on device 0, so that only the other one wants a copy.
  Launch L = matmul(256);
  PageHomes Homes(64 * Frame, 0);
  L.In.Launch.Allocations[2].Paged = false;
  L.In.Launch.Allocations[2].Homes = &Homes;
  L.In.Paged[2] = {};
  OutOfCorePlan P = L.plan(2, 96);
  EXPECT_EQ(P.Replicas, (std::vector<OutOfCoreReplica>{{2, 1}}));
  EXPECT_EQ(P.RemoteBytes, 0u);
  EXPECT_EQ(P.BytesIn, 64 * Frame);
  // Without room for it and the rest.
  P = L.plan(2, 40);
  EXPECT_TRUE(P.Replicas.empty());
  EXPECT_EQ(P.Linked,
            (std::vector<InPlaceArgument>{{2, LaunchReason::NoRoomForCopies}}));
}

TEST(OutOfCorePlanner, DevicesApartHaveChunksToo) {
  Launch L = saxpy(1 << 18);
  L.Peers = false;
  for (Schedule Sched : {Schedule::Static, Schedule::Auto}) {
    const OutOfCorePlan P = L.plan(4, 16, Sched);
    expectCovers(P, 1024);
    EXPECT_EQ(P.WhyOneDevice, LaunchReason::None);
    EXPECT_EQ(P.RemoteBytes, 0u);
    for (unsigned I = 0; I < 8; ++I)
      EXPECT_EQ(P.Steps[I].Device, static_cast<int>(I % 4));
  }
}

TEST(OutOfCorePlanner, DevicesApartHaveCopiesOfWhatAllChunksRead) {
  Launch L = matmul(256);
  L.Peers = false;
  OutOfCorePlan P = L.plan(2, 96);
  EXPECT_EQ(P.Replicas, (std::vector<OutOfCoreReplica>{{2, 0}, {2, 1}}));
  EXPECT_EQ(P.BytesIn, (64 + 2 * 64) * Frame);
  EXPECT_EQ(P.RemoteBytes, 0u);
  L.In.Launch.Allocations[2].HasReplica = {true, false};
  EXPECT_EQ(L.plan(2, 96).BytesIn, 2 * 64 * Frame);
  // Without room they would pass B to each other with every chunk.
  L.In.Launch.Allocations[2].HasReplica = {};
  L.In.NotReplicated = {2};
  P = L.plan(2, 96, Schedule::Auto);
  EXPECT_EQ(P.WhyOneDevice, LaunchReason::NoPeerSharing);
  for (const OutOfCoreStep &S : P.Steps)
    EXPECT_EQ(S.Device, 0);
}

TEST(OutOfCorePlanner, DevicesApartNeedCopiesOfWhatIsNotPaged) {
  Launch L = matmul(256);
  L.Peers = false;
  PageHomes Homes(64 * Frame, 0);
  L.In.Launch.Allocations[2].Paged = false;
  L.In.Launch.Allocations[2].Homes = &Homes;
  L.In.Paged[2] = {};
  EXPECT_EQ(L.plan(2, 96).Replicas, (std::vector<OutOfCoreReplica>{{2, 1}}));
  L.In.NotReplicated = {2};
  EXPECT_EQ(L.plan(2, 96).WhyOneDevice, LaunchReason::NoPeerAccess);
  // Nor can others write it.
  L.In.NotReplicated.clear();
  std::vector<GridspanPointer> Pointers(L.Kernel.Pointers,
                                        L.Kernel.Pointers + 3);
  Pointers[2].Modes = GridspanRead | GridspanWrite;
  L.Kernel.Pointers = Pointers.data();
  const OutOfCorePlan P = L.plan(2, 96);
  EXPECT_EQ(P.WhyOneDevice, LaunchReason::NoPeerAccess);
  EXPECT_TRUE(P.Replicas.empty());
  // All reach what is on the host.
  PageHomes OnHost(64 * Frame, Host);
  L.In.Launch.Allocations[2].Homes = &OnHost;
  EXPECT_EQ(L.plan(2, 96).WhyOneDevice, LaunchReason::None);
  L.ReachHost = false;
  EXPECT_EQ(L.plan(2, 96).WhyOneDevice, LaunchReason::NoPeerHostMemory);
}

TEST(OutOfCorePlanner, DevicesThatDoNotReachTheHostUseNothingThere) {
  Launch L = saxpy(1 << 18);
  L.Peers = L.ReachHost = false;
  EXPECT_EQ(L.plan(4, 16).WhyOneDevice, LaunchReason::None);
  // What stays in place is at its address of the host.
  std::vector<GridspanPointer> Pointers(L.Kernel.Pointers,
                                        L.Kernel.Pointers + 2);
  Pointers[0].Flags = 0;
  L.Kernel.Pointers = Pointers.data();
  const OutOfCorePlan P = L.plan(4, 16);
  EXPECT_EQ(P.WhyOneDevice, LaunchReason::NoPeerHostMemory);
  for (const OutOfCoreStep &S : P.Steps)
    EXPECT_EQ(S.Device, 0);
}

TEST(OutOfCorePlanner, ALaunchOfOneDeviceStreamsThroughThatAlone) {
  Launch L = matmul(256);
  ASSERT_EQ(L.plan(2, 96).WhyOneDevice, LaunchReason::None);
  for (int Device : {0, 1}) {
    L.In.Launch.OnlyDevice = Device;
    const OutOfCorePlan P = L.plan(2, 96);
    EXPECT_EQ(P.WhyOneDevice, LaunchReason::DeviceChosen);
    ASSERT_FALSE(P.Steps.empty());
    for (const OutOfCoreStep &Step : P.Steps)
      EXPECT_EQ(Step.Device, Device);
  }
}

TEST(OutOfCorePlanner, RowsOfWhatAllBlocksWalkThroughArePacked) {
  // A, B and C of 4 MiB each, with room for 1 MiB.
  const int N = 1024;
  const OutOfCorePlan P = product(N).plan(1, 256);
  ASSERT_TRUE(P.Chunked);
  EXPECT_TRUE(P.InPlace.empty());
  EXPECT_EQ(P.Packed, std::vector<unsigned>{2});
  expectCovers(P, 64 * 64);
  EXPECT_GT(P.PackedBufferBytes, 0u);
  uint64_t PackedIn = 0;
  const OutOfCoreStep *Before = nullptr;
  for (const OutOfCoreStep &S : P.Steps) {
    ASSERT_EQ(S.Packed.size(), 1u);
    const PackedRows &R = S.Packed[0];
    EXPECT_EQ(R.Window,
              (RowWindow{64 * S.Lo[0], 64ull * S.Count[0], 4096, 1024}));
    EXPECT_LE(R.At + R.Window.packedBytes(), P.PackedBufferBytes);
    for (const FrameUse &U : S.Uses)
      EXPECT_NE(U.Allocation, 2u);
    // What the chunk before reads is not written while it may run.
    if (Before && S.LoadPacked)
      EXPECT_NE(S.Buffer, Before->Buffer);
    if (!S.LoadPacked) {
      ASSERT_TRUE(Before);
      EXPECT_EQ(S.Buffer, Before->Buffer);
      EXPECT_EQ(S.Packed, Before->Packed);
    }
    PackedIn += S.LoadPacked ? R.Window.Width * R.Window.Rows : 0;
    Before = &S;
  }
  // About one pass over B for each 64 KiB of rows of A and C, and A once.
  EXPECT_EQ(P.BytesIn, PackedIn + 4 * N * N);
  EXPECT_LE(PackedIn, 20ull * 4 * N * N);
  EXPECT_GE(PackedIn, 4ull * 4 * N * N);
}

TEST(OutOfCorePlanner, BytesOfAProductGrowWithTheRootOfTheMemory) {
  const double Small = static_cast<double>(product(512).plan(1, 64).BytesIn);
  const double Large = static_cast<double>(product(1024).plan(1, 256).BytesIn);
  // Eight times the work with four times the memory: four times the bytes.
  EXPECT_NEAR(Large / Small, 4, 1);
}

TEST(OutOfCorePlanner, WhatIsNotPackedStaysInPlace) {
  const OutOfCorePlan P = product(1024, false).plan(1, 256);
  EXPECT_TRUE(P.Packed.empty());
  EXPECT_EQ(P.InPlace, (std::vector<InPlaceArgument>{
                           {2, LaunchReason::BlockNeedsTooMuch}}));
}

TEST(OutOfCorePlanner, PackedRowsOnSeveralDevices) {
  const OutOfCorePlan P = product(1024).plan(3, 256);
  expectCovers(P, 64 * 64);
  EXPECT_EQ(P.Packed, std::vector<unsigned>{2});
  std::array<const OutOfCoreStep *, 3> Before = {};
  for (const OutOfCoreStep &S : P.Steps) {
    const OutOfCoreStep *&Last = Before[S.Device];
    if (!Last)
      EXPECT_TRUE(S.LoadPacked);
    else if (!S.LoadPacked)
      EXPECT_EQ(S.Packed, Last->Packed);
    Last = &S;
  }
}

TEST(OutOfCorePlanner, WhatABlockNeedsTooMuchOfStaysInPlace) {
  const OutOfCorePlan P = matmul(256).plan(1, 40);
  EXPECT_TRUE(P.Chunked);
  EXPECT_EQ(P.InPlace, (std::vector<InPlaceArgument>{
                           {2, LaunchReason::BlockNeedsTooMuch}}));
  EXPECT_EQ(P.BytesIn, 64 * Frame);
}

TEST(OutOfCorePlanner, PointersThatEscapeStayInPlace) {
  Launch L = saxpy(1 << 16);
  std::vector<GridspanPointer> Pointers(L.Kernel.Pointers,
                                        L.Kernel.Pointers + 2);
  Pointers[0].Flags = 0;
  L.Kernel.Pointers = Pointers.data();
  const OutOfCorePlan P = L.plan(1, 16);
  EXPECT_EQ(P.InPlace,
            (std::vector<InPlaceArgument>{{0, LaunchReason::PointerEscapes}}));
  EXPECT_EQ(P.BytesIn, 1u << 18);
}

TEST(OutOfCorePlanner, UnknownPlacesAreWholeBuffers) {
  Launch L(fake::histogram(), 256, 256);
  L.scalar(2, 1 << 16).buffer(0, 1 << 18).buffer(1, 4 * Frame);
  const OutOfCorePlan P = L.plan(2, 16);
  EXPECT_TRUE(P.Chunked);
  EXPECT_TRUE(P.InPlace.empty());
  EXPECT_EQ(P.BytesIn, (1u << 18) + 4 * Frame);
  // Too large for a device: atomics on the host's memory want one device.
  Launch M(fake::histogram(), 256, 256);
  M.scalar(2, 1 << 16).buffer(0, 1 << 18).buffer(1, 40 * Frame);
  const OutOfCorePlan Q = M.plan(2, 16);
  EXPECT_EQ(Q.WhyUnsplit, LaunchReason::AtomicsOnHostPages);
  EXPECT_EQ(Q.InPlace.front(),
            (InPlaceArgument{1, LaunchReason::UnknownRange}));
}

TEST(OutOfCorePlanner, RepartitionedLoopsAreCutOnlyWithoutAliases) {
  Launch L = saxpy(1 << 14);
  L.Kernel.Flags |= GridspanRepartitioned;
  EXPECT_EQ(L.plan(2, 40).WhyUnsplit, LaunchReason::None);
  // One buffer for both arguments, an element apart.
  L.In.Launch.Pointers[1] = {L.In.Launch.Pointers[0].Allocation, 4};
  EXPECT_EQ(L.plan(2, 40).WhyUnsplit, LaunchReason::AliasedArguments);
}

TEST(OutOfCorePlanner, WhatMayNotBeSplitIsMadeResident) {
  Launch L = saxpy(1 << 14);
  L.Kernel.Refusal = "grid-barrier";
  const OutOfCorePlan P = L.plan(2, 40);
  EXPECT_EQ(P.WhyUnsplit, LaunchReason::KernelRefused);
  EXPECT_FALSE(P.Chunked);
  ASSERT_EQ(P.Steps.size(), 1u);
  EXPECT_TRUE(P.InPlace.empty());
  EXPECT_EQ(P.Steps[0].Load.size(), 32u);
  // One of the two fits.
  const OutOfCorePlan Q = L.plan(2, 20);
  EXPECT_EQ(Q.InPlace.size(), 1u);
  EXPECT_EQ(Q.Steps[0].Load.size(), 16u);
}

TEST(OutOfCorePlanner, FarApartRowsAreFramesOfTheirOwn) {
  // A grid of 4 x 64 blocks of 256 x 1 floats in rows of four frames: columns
  // of blocks touch a frame of each row.
  Launch L(fake::stencil(), dim3(16, 64), dim3(256, 1));
  L.scalar(2, 4096).scalar(3, 64).buffer(0, 1 << 20).buffer(1, 1 << 20);
  const OutOfCorePlan P = L.plan(1, 64);
  EXPECT_TRUE(P.InPlace.empty());
  expectCovers(P, 1024);
  EXPECT_EQ(P.BytesIn, 1u << 20);
}
