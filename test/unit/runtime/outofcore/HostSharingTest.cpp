//===- HostSharingTest.cpp - Frames that the host may write meanwhile -----===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is saved of frames, against sets of bytes; when it cannot be told; and a
// host that writes during launches.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/HostSharing.h"
#include "test/unit/runtime/TestRuntime.h"
#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <thread>

using namespace gridspan;

namespace {

constexpr uint64_t Frame = 4096;
constexpr unsigned Frames = 8;

PagedView view() {
  PagedView Out;
  Out.FrameBytes = Frame;
  for (unsigned F = 0; F < Frames; ++F)
    Out.Frames.push_back({Frame, Host, false, true, false, true});
  return Out;
}

/// One allocation, written by one access and read by another.
GridspanRange Written, ReadToo;

PlanInput input(uint32_t Mode = GridspanWrite) {
  static GridspanAccess Accesses[2];
  static GridspanPointer Pointers[] = {{0, 0, 0, 0}};
  Accesses[0] = {"", nullptr, 0, Mode, 4, 0};
  Accesses[1] = {"", nullptr, 0, GridspanRead, 4, 1};
  static GridspanKernel K;
  K = fake::saxpy();
  K.Accesses = Accesses;
  K.NumAccesses = 2;
  K.Pointers = Pointers;
  K.NumPointers = 1;
  K.Ranges = [](const GridspanBox *, GridspanRange *Out) {
    Out[0] = Written;
    Out[1] = ReadToo;
  };
  PlanInput In;
  In.Kernel = &K;
  In.Pointers = {{0, 0}};
  In.Allocations.resize(1);
  In.Allocations[0].Bytes = Frames * Frame;
  return In;
}

GridspanRange rows(int64_t Lo, int64_t Bytes, int64_t Pitch = 0,
                   int64_t Rows = 1, int64_t PlanePitch = 0, int64_t Planes = 1,
                   uint32_t State = GridspanRangeExact) {
  return {Lo, Bytes, Pitch, Rows, PlanePitch, Planes, State, 0};
}
const GridspanRange Nothing = {0, 0, 0, 1, 0, 1, GridspanRangeEmpty, 0};

std::set<uint64_t> bytesOf(const std::vector<SavedRows> &All) {
  std::set<uint64_t> Out;
  for (const SavedRows &R : All)
    for (uint64_t Row = 0; Row < R.Rows; ++Row)
      for (uint64_t B = 0; B < R.Bytes; ++B)
        Out.insert(R.At + Row * R.Pitch + B);
  return Out;
}

} // namespace

TEST(HostSharing, SavesEveryByteThatIsWrittenAndNoOther) {
  std::mt19937 Random(7);
  const auto Below = [&](int64_t N) { return int64_t(Random() % uint64_t(N)); };
  for (int Case = 0; Case < 400; ++Case) {
    const int64_t Bytes = 1 + Below(300), Rows = 1 + Below(40);
    const int64_t Pitch = Bytes + Below(200), Planes = 1 + Below(4);
    const int64_t PlanePitch = Pitch * Rows + Below(3000) - Below(2) * Pitch;
    const int64_t Lo = Below(6000);
    Written =
        rows(Lo, Bytes, Pitch, Rows, std::max<int64_t>(1, PlanePitch), Planes);
    ReadToo = Nothing;
    const PlanInput In = input();
    const HostSharing S = hostSharing({&In}, 0, view());
    std::set<uint64_t> All;
    for (int64_t P = 0; P < Planes; ++P)
      for (int64_t R = 0; R < Rows; ++R)
        for (int64_t B = 0; B < Bytes; ++B)
          All.insert(Lo + P * Written.PlanePitch + R * Pitch + B);
    for (unsigned F = 0; F < Frames; ++F) {
      const uint64_t From = F * Frame, To = From + Frame;
      const std::set<uint64_t> Expected(All.lower_bound(From),
                                        All.lower_bound(To));
      ASSERT_EQ(bytesOf(rowsWithin(S, From, To)), Expected)
          << "case " << Case << " frame " << F;
    }
  }
}

TEST(HostSharing, ManyRowsAreOneCopy) {
  Written = rows(128, 256, 512, 64);
  ReadToo = Nothing;
  const PlanInput In = input();
  EXPECT_EQ(rowsWithin(hostSharing({&In}, 0, view()), 0, Frame),
            (std::vector<SavedRows>{{128, 256, 512, 8}}));
}

TEST(HostSharing, WhatIsSurelyWrittenCanBeTold) {
  Written = rows(100, 3000, 4000, 8);
  ReadToo = Nothing;
  EXPECT_FALSE(mayLoseHostWrites(input(), 0, view()));
  EXPECT_FALSE(mayLoseHostWrites(input(GridspanAtomic), 0, view()));
}

TEST(HostSharing, ShortRowsAreNotCopiedOneByOne) {
  Written = rows(0, 4, 16, 2000);
  ReadToo = Nothing;
  EXPECT_TRUE(mayLoseHostWrites(input(), 0, view()));
  // Together with their neighbours they may be one.
  Written = rows(0, 4, 4, 2000);
  EXPECT_FALSE(mayLoseHostWrites(input(), 0, view()));
}

TEST(HostSharing, WhatMayBeWrittenCannotBeToldUnlessItIsAccessed) {
  for (uint32_t State : {GridspanRangeMay, GridspanRangeUnknown}) {
    Written = rows(100, 5000, 0, 1, 0, 1, State);
    ReadToo = Nothing;
    EXPECT_TRUE(mayLoseHostWrites(input(), 0, view()));
    ReadToo = rows(100, 4999);
    EXPECT_TRUE(mayLoseHostWrites(input(), 0, view()));
    ReadToo = rows(0, Frames * Frame);
    EXPECT_FALSE(mayLoseHostWrites(input(), 0, view()));
    ReadToo.State = GridspanRangeMay;
    EXPECT_TRUE(mayLoseHostWrites(input(), 0, view()));
  }
  // It is written by nobody.
  Written = Nothing;
  ReadToo = rows(0, 5000, 0, 1, 0, 1, GridspanRangeUnknown);
  EXPECT_FALSE(mayLoseHostWrites(input(), 0, view()));
}

TEST(HostSharing, RangesThatBeginBeforeTheAllocationAreNotExact) {
  Written = rows(-100, 5000);
  ReadToo = Nothing;
  EXPECT_TRUE(mayLoseHostWrites(input(), 0, view()));
  ReadToo = rows(0, 4900);
  EXPECT_FALSE(mayLoseHostWrites(input(), 0, view()));
  const PlanInput In = input();
  EXPECT_EQ(bytesOf(rowsWithin(hostSharing({&In}, 0, view()), Frame, 2 * Frame))
                .size(),
            4900 - Frame);
}

TEST(HostSharing, FramesOfTheKernelsAloneAreSavedWhole) {
  PagedView V = view();
  for (PagedView::Frame &F : V.Frames)
    F.MustWriteBack = false;
  Written = rows(0, Frames * Frame, 0, 1, 0, 1, GridspanRangeMay);
  ReadToo = Nothing;
  EXPECT_FALSE(mayLoseHostWrites(input(), 0, V));
  const PlanInput In = input();
  EXPECT_TRUE(hostSharing({&In}, 0, V).Shares.empty());
  // What an earlier launch has left there is of kernels alone as well.
  V.Frames[2].MustWriteBack = V.Frames[3].MustWriteBack = true;
  V.Frames[2].Dirty = true;
  const std::vector<bool> Shares = hostSharing({&In}, 0, V).Shares;
  EXPECT_FALSE(Shares[2]);
  EXPECT_TRUE(Shares[3]);
}

//===--- Whole launches ---------------------------------------------------===//

namespace {

class HostWrites : public testing::TestWithParam<unsigned> {
protected:
  static constexpr int N = 40 * (1 << 10) + 100; ///< floats
  HostWrites() {
    R.wrapBackend<BackendWithoutUnifiedMemory>();
    for (float *&P : Data) {
      void *Memory = nullptr;
      EXPECT_EQ(__gridspan_cudaMallocManaged(&Memory, N * sizeof(float),
                                             cudaMemAttachGlobal),
                cudaSuccess);
      P = static_cast<float *>(Memory);
      std::fill_n(P, N, 1.0f);
    }
  }
  ~HostWrites() override {
    for (float *P : Data)
      EXPECT_EQ(__gridspan_cudaFree(P), cudaSuccess);
  }
  TestRuntime R{GetParam(), Schedule::Static, 1 << 17};
  float *Data[2] = {};
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, HostWrites, testing::Values(1U, 2U, 4U));

/// A thread writes what launches leave alone: the ends of the arrays, within
/// the frames that the launches write.
TEST_P(HostWrites, AreNotLost) {
  std::mt19937 Random(GetParam());
  for (int Round = 0; Round < 20; ++Round) {
    const int Lo = 1 + int(Random() % 3000);
    const int Count = N - Lo - 1 - int(Random() % 3000);
    std::atomic<bool> Done = false;
    std::vector<float> Before(Data[1], Data[1] + N);
    std::vector<float> Wrote(N);
    std::thread Other([&] {
      std::mt19937 Own(static_cast<unsigned>(Round));
      for (int I = 0; I < 3000 || (!Done && I < 100000); ++I) {
        const int Free = N - Count;
        const int At = int(Own() % unsigned(Free));
        const int Element = At < Lo ? At : At + Count;
        Wrote[Element] = Data[1][Element] = float(I);
      }
    });
    for (int Launch = 0; Launch < 3; ++Launch)
      ASSERT_EQ(launch(fake::saxpy(), (Count + 255) / 256, 256, 0, nullptr,
                       1.0f, static_cast<const float *>(Data[0] + Lo),
                       Data[1] + Lo, Count),
                cudaSuccess);
    ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
    Done = true;
    Other.join();
    for (int I = 0; I < N; ++I) {
      const bool Kernels = I >= Lo && I < Lo + Count;
      const float Expected = Kernels    ? Before[I] + 3
                             : Wrote[I] ? Wrote[I]
                                        : Data[1][I];
      ASSERT_EQ(Data[1][I], Expected) << "round " << Round << ", " << I;
    }
  }
  EXPECT_GT(R.kernel("saxpy").OutOfCoreLaunches, 0U);
}
