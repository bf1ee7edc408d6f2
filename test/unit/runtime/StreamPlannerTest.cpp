//===- test/unit/runtime/StreamPlannerTest.cpp - Launches larger than made-up
// devices ===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "StreamPlanner.h"
#include "FakeKernels.h"
#include <gtest/gtest.h>
#include <set>

using namespace gridspan;

namespace {

constexpr uint64_t Frame = 4096;

SystemInfo machine(unsigned Devices) {
  SystemInfo S;
  for (unsigned I = 0; I < Devices; ++I)
    S.Devices.push_back({"test", 1ull << 30, 4e12, 3e13, 5.5e10, 5.5e10, 132});
  S.PeerBandwidth.assign(Devices, std::vector<double>(Devices, 3.7e11));
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
  StreamPlan plan(unsigned Devices, uint64_t Frames,
                  Schedule Sched = Schedule::Static) {
    In.Budget.assign(Devices, Frames * Frame);
    In.Launch.Kernel = &Kernel; // this may be a copy
    for (unsigned I = 0; I < Args.size(); ++I)
      Args[I] = &Values[I];
    In.Launch.Box.Args = Args.data();
    return planStream(In, machine(Devices), Sched);
  }

  GridspanKernel Kernel;
  std::array<int, 8> Values = {}; ///< by parameter
  std::array<void *, 8> Args = {};
  StreamInput In;
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

/// Every block runs once.
void expectCovers(const StreamPlan &P, uint64_t Blocks) {
  uint64_t Sum = 0;
  std::set<std::array<uint32_t, 3>> Begins;
  for (const StreamStep &S : P.Steps) {
    Sum += uint64_t(S.Count[0]) * S.Count[1] * S.Count[2];
    EXPECT_TRUE(Begins.insert(S.Lo).second);
  }
  EXPECT_EQ(Sum, Blocks);
}

} // namespace

TEST(StreamPlanner, ASweepLoadsEachByteOnce) {
  const StreamPlan P = saxpy(1 << 18).plan(1, 16);
  EXPECT_TRUE(P.Chunked);
  EXPECT_TRUE(P.InPlace.empty());
  EXPECT_GE(P.Steps.size(), 256u);
  expectCovers(P, 1024);
  EXPECT_EQ(P.BytesIn, 2u << 20);
  // The last frames stay on the device.
  EXPECT_GE(P.BytesOut, (1u << 20) - 16 * Frame);
}

TEST(StreamPlanner, TheNextSweepUsesWhatIsThere) {
  // The last 8 frames of each buffer: a sweep that begins at the other end and
  // forgets the least recently used would load everything again.
  Launch L = saxpy(1 << 16);
  for (PagedView &V : L.In.Paged)
    for (unsigned I = 56; I < 64; ++I)
      V.Frames[I].Where = 0;
  const StreamPlan P = L.plan(1, 16);
  EXPECT_LE(P.BytesIn, (128 - 16 + 4) * Frame);
}

TEST(StreamPlanner, DevicesTakeTurns) {
  const StreamPlan P = saxpy(1 << 18).plan(4, 16);
  expectCovers(P, 1024);
  EXPECT_EQ(P.BytesIn, 2u << 20);
  for (unsigned I = 0; I < 8; ++I)
    EXPECT_EQ(P.Steps[I].Device, static_cast<int>(I % 4));
  EXPECT_EQ(P.Steps[1].Lo[0], 256u);
  // One device only, when the user says so.
  for (const StreamStep &S : saxpy(1 << 18).plan(4, 16, Schedule::Single).Steps)
    EXPECT_EQ(S.Device, 0);
}

TEST(StreamPlanner, WhatEveryChunkReadsStays) {
  // A, B and C of 64 frames each; B fits.
  const StreamPlan P = matmul(256).plan(1, 80);
  EXPECT_TRUE(P.Chunked);
  EXPECT_TRUE(P.InPlace.empty());
  EXPECT_EQ(P.BytesIn, 128 * Frame); // C is overwritten
}

TEST(StreamPlanner, WhatABlockNeedsTooMuchOfStaysInPlace) {
  const StreamPlan P = matmul(256).plan(1, 40);
  EXPECT_TRUE(P.Chunked);
  EXPECT_EQ(P.InPlace,
            (std::vector<InPlaceArgument>{{2, "block-needs-too-much"}}));
  EXPECT_EQ(P.BytesIn, 64 * Frame);
}

TEST(StreamPlanner, PointersThatEscapeStayInPlace) {
  Launch L = saxpy(1 << 16);
  std::vector<GridspanPointer> Pointers(L.Kernel.Pointers,
                                        L.Kernel.Pointers + 2);
  Pointers[0].Flags = 0;
  L.Kernel.Pointers = Pointers.data();
  const StreamPlan P = L.plan(1, 16);
  EXPECT_EQ(P.InPlace, (std::vector<InPlaceArgument>{{0, "pointer-escapes"}}));
  EXPECT_EQ(P.BytesIn, 1u << 18);
}

TEST(StreamPlanner, UnknownPlacesAreWholeBuffers) {
  Launch L(fake::histogram(), 256, 256);
  L.scalar(2, 1 << 16).buffer(0, 1 << 18).buffer(1, 4 * Frame);
  const StreamPlan P = L.plan(2, 16);
  EXPECT_TRUE(P.Chunked);
  EXPECT_TRUE(P.InPlace.empty());
  EXPECT_EQ(P.BytesIn, (1u << 18) + 4 * Frame);
  // Too large for a device: atomics on the host's memory want one device.
  Launch M(fake::histogram(), 256, 256);
  M.scalar(2, 1 << 16).buffer(0, 1 << 18).buffer(1, 40 * Frame);
  const StreamPlan Q = M.plan(2, 16);
  EXPECT_EQ(Q.WhyWhole, "atomics-on-host-pages");
  EXPECT_EQ(Q.InPlace.front(), (InPlaceArgument{1, "unknown-range"}));
}

TEST(StreamPlanner, RepartitionedLoopsAreCutOnlyWithoutAliases) {
  Launch L = saxpy(1 << 14);
  L.Kernel.Flags |= GridspanRepartitioned;
  EXPECT_EQ(L.plan(2, 40).WhyWhole, "");
  // One buffer for both arguments, an element apart.
  L.In.Launch.Pointers[1] = {L.In.Launch.Pointers[0].Allocation, 4};
  EXPECT_EQ(L.plan(2, 40).WhyWhole, "aliased-arguments");
}

TEST(StreamPlanner, WhatMayNotBeSplitIsMadeResident) {
  Launch L = saxpy(1 << 14);
  L.Kernel.Refusal = "grid-barrier";
  const StreamPlan P = L.plan(2, 40);
  EXPECT_EQ(P.WhyWhole, "grid-barrier");
  EXPECT_FALSE(P.Chunked);
  ASSERT_EQ(P.Steps.size(), 1u);
  EXPECT_TRUE(P.InPlace.empty());
  EXPECT_EQ(P.Steps[0].Load.size(), 32u);
  // One of the two fits.
  const StreamPlan Q = L.plan(2, 20);
  EXPECT_EQ(Q.InPlace.size(), 1u);
  EXPECT_EQ(Q.Steps[0].Load.size(), 16u);
}

TEST(StreamPlanner, FarApartRowsAreFramesOfTheirOwn) {
  // A grid of 4 x 64 blocks of 256 x 1 floats in rows of four frames: columns
  // of blocks touch a frame of each row.
  Launch L(fake::stencil(), dim3(16, 64), dim3(256, 1));
  L.scalar(2, 4096).scalar(3, 64).buffer(0, 1 << 20).buffer(1, 1 << 20);
  const StreamPlan P = L.plan(1, 64);
  EXPECT_TRUE(P.InPlace.empty());
  expectCovers(P, 1024);
  EXPECT_EQ(P.BytesIn, 1u << 20);
}
