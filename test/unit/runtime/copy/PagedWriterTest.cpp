//===- PagedWriterTest.cpp - Frames that come early -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that copy to buffers larger than a device, launch, and read the
// result, in a loop: from the second turn on frames come with the copy.
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/TestRuntime.h"
#include <cstring>

using namespace gridspan;

namespace {

constexpr uint64_t DeviceBytes = 1 << 20;
/// Floats: more than the devices hold, and enough for threads.
constexpr int N = 1 << 21;

/// Devices, and whether the program's memory is pinned.
class PagedWriterTest
    : public testing::TestWithParam<std::tuple<unsigned, bool>> {
protected:
  unsigned devices() const { return std::get<0>(GetParam()); }

  void SetUp() override {
    Owner =
        std::make_unique<TestRuntime>(devices(), Schedule::Static, DeviceBytes);
    Host = hostFloats(N);
    Result = hostFloats(N);
  }
  void TearDown() override {
    for (float *Memory : {Host, Result})
      if (std::get<1>(GetParam()))
        EXPECT_EQ(__gridspan_cudaFreeHost(Memory), cudaSuccess);
      else
        delete[] Memory;
    Owner.reset();
  }
  float *hostFloats(size_t Count) {
    if (!std::get<1>(GetParam()))
      return new float[Count];
    void *Out = nullptr;
    EXPECT_EQ(__gridspan_cudaHostAlloc(&Out, Count * 4, 0), cudaSuccess);
    return static_cast<float *>(Out);
  }
  static float *allocate() {
    void *Out = nullptr;
    EXPECT_EQ(__gridspan_cudaMalloc(&Out, N * 4), cudaSuccess);
    return static_cast<float *>(Out);
  }
  uint64_t bytesIn() {
    uint64_t Sum = 0;
    for (const KernelRecord &K : Runtime::existing()->record().Kernels)
      Sum += K.OutOfCoreBytesIn;
    return Sum;
  }
  /// Y = 2 X + Y with fresh values, in new memory; the bytes streamed in.
  uint64_t turn(int Turn) {
    const uint64_t Before = bytesIn();
    float *X = allocate(), *Y = allocate();
    for (float *To : {X, Y}) {
      for (int I = 0; I < N; ++I)
        Host[I] = static_cast<float>(I % 1000 + Turn);
      EXPECT_EQ(__gridspan_cudaMemcpy(To, Host, N * 4, cudaMemcpyDefault),
                cudaSuccess);
      std::memset(Host, 0xff, N * 4);
    }
    EXPECT_EQ(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 2.0f,
                     static_cast<const float *>(X), Y, N),
              cudaSuccess);
    EXPECT_EQ(__gridspan_cudaMemcpy(Result, Y, N * 4, cudaMemcpyDefault),
              cudaSuccess);
    int Wrong = 0;
    for (int I = 0; I < N; ++I)
      Wrong += Result[I] != static_cast<float>(3 * (I % 1000 + Turn));
    EXPECT_EQ(Wrong, 0);
    EXPECT_EQ(__gridspan_cudaFree(X), cudaSuccess);
    EXPECT_EQ(__gridspan_cudaFree(Y), cudaSuccess);
    return bytesIn() - Before;
  }

  std::unique_ptr<TestRuntime> Owner;
  float *Host = nullptr, *Result = nullptr;
};

} // namespace

TEST_P(PagedWriterTest, LaunchesFindWhatCameWithTheCopy) {
  const uint64_t First = turn(0);
  EXPECT_EQ(First, 2ull * N * 4);
  for (int Turn = 1; Turn < 4; ++Turn)
    EXPECT_LE(turn(Turn), First - devices() * DeviceBytes / 2);
}

/// What is written later must not be hidden by a frame that came before.
TEST_P(PagedWriterTest, LaterWritesCount) {
  turn(0);
  float *X = allocate(), *Y = allocate();
  auto Copy = [&](float *To, float Value, int Lo, int Hi) {
    std::fill(Host + Lo, Host + Hi, Value);
    EXPECT_EQ(__gridspan_cudaMemcpy(To + Lo, Host + Lo, (Hi - Lo) * 4,
                                    cudaMemcpyDefault),
              cudaSuccess);
  };
  Copy(X, 1, 0, N);
  Copy(Y, 1, 0, N);
  Copy(X, 2, 5, N / 3);
  EXPECT_EQ(__gridspan_cudaMemset(Y + N / 2, 0, N / 4 * 4), cudaSuccess);
  EXPECT_EQ(
      __gridspan_cudaMemcpy(X + N / 2, Y + N / 2, N / 8 * 4, cudaMemcpyDefault),
      cudaSuccess);
  EXPECT_EQ(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 2.0f,
                   static_cast<const float *>(X), Y, N),
            cudaSuccess);
  EXPECT_EQ(__gridspan_cudaMemcpy(Result, Y, N * 4, cudaMemcpyDefault),
            cudaSuccess);
  int Wrong = 0;
  for (int I = 0; I < N; ++I) {
    const float XI = I >= N / 2 && I < N / 2 + N / 8 ? 0
                     : I >= 5 && I < N / 3           ? 2
                                                     : 1;
    const float YI = I >= N / 2 && I < N / 2 + N / 4 ? 0 : 1;
    Wrong += Result[I] != 2 * XI + YI;
  }
  EXPECT_EQ(Wrong, 0);
  EXPECT_EQ(__gridspan_cudaFree(X), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaFree(Y), cudaSuccess);
}

/// Memory that is kept for later turns is the program's when it asks.
TEST_P(PagedWriterTest, WhatIsKeptGivesWay) {
  size_t Before = 0, After = 0, Total = 0;
  ASSERT_EQ(__gridspan_cudaMemGetInfo(&Before, &Total), cudaSuccess);
  turn(0);
  turn(1);
  ASSERT_EQ(__gridspan_cudaMemGetInfo(&After, &Total), cudaSuccess);
  EXPECT_EQ(Before, After);
  MemoryManager &Memory = Runtime::existing()->memory();
  const size_t Page = Runtime::existing()->backend().system().PageSize;
  const uint64_t OnHost = Memory.shortage().OnHost;
  std::vector<void *> All;
  for (unsigned D = 0; D < devices(); ++D)
    for (unsigned I = 0; I < 4; ++I) {
      void *Out = nullptr;
      ASSERT_EQ(__gridspan_cudaMalloc(&Out, DeviceBytes / 4 - Page),
                cudaSuccess);
      All.push_back(Out);
    }
  EXPECT_EQ(Memory.shortage().OnHost, OnHost);
  for (void *Address : All)
    EXPECT_EQ(__gridspan_cudaFree(Address), cudaSuccess);
  turn(2);
}

INSTANTIATE_TEST_SUITE_P(Devices, PagedWriterTest,
                         testing::Combine(testing::Values(1U, 2U, 3U),
                                          testing::Bool()));
