//===- PacketRunnerTest.cpp - Blocks that are handed out ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches whose blocks are handed out: their order among other work, several
// at once, and packets that a device refuses or does not end.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ForwardingBackend.h"
#include "test/unit/runtime/TestRuntime.h"
#include <algorithm>
#include <atomic>
#include <future>

using namespace gridspan;

namespace {

/// A backend that refuses some launches of tiles.
class RefusingBackend final : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  static inline std::atomic<unsigned> Launches{0};
  /// The launches, from 0, that are refused.
  static inline unsigned From = 0, To = 0;

  cudaError_t launch(Stream &S, const LaunchTarget &Target,
                     const LaunchShape &Shape, void *const *Args,
                     const GridspanTile *Tile) override {
    const unsigned Number = Launches++;
    if (Number >= From && Number < To)
      return cudaErrorLaunchOutOfResources;
    return inner().launch(S, Target, Shape, Args, Tile);
  }
};

/// A backend that never says that a packet has ended.
class BlindBackend final : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  cudaError_t query(Event &) override { return cudaErrorNotReady; }
};

constexpr int N = 1 << 16;

cudaError_t add(const float *X, float *Y, cudaStream_t S = nullptr) {
  return launch(fake::saxpy(), N / 64, 64, 0, S, 1.0f, X, Y, N);
}

bool all(const std::vector<float> &Values, float Wanted) {
  return std::count(Values.begin(), Values.end(), Wanted) ==
         static_cast<ptrdiff_t>(Values.size());
}

} // namespace

TEST(PacketRunner, PacketsAreManyAndCounted) {
  TestRuntime R(2, Schedule::Dynamic);
  float *X = toDevice(std::vector<float>(N, 1)),
        *Y = toDevice(std::vector<float>(N, 0));
  for (int I = 0; I != 10; ++I)
    ASSERT_EQ(add(X, Y), cudaSuccess);
  EXPECT_TRUE(all(fromDevice(Y, N), 10));
  const KernelRecord K = R.kernel("saxpy");
  EXPECT_EQ(K.DynamicLaunches, 10U);
  EXPECT_EQ(K.SplitLaunches, 10U);
  EXPECT_GE(K.Packets, 60U);
  EXPECT_LE(K.Packets, 10 * 2 * 33U);
  EXPECT_EQ(K.WhyStatic, "");
}

TEST(PacketRunner, AShareOfEachTileIsStatic) {
  TestRuntime R(3, Schedule::Hybrid);
  float *X = toDevice(std::vector<float>(N, 1)),
        *Y = toDevice(std::vector<float>(N, 0));
  ASSERT_EQ(add(X, Y), cudaSuccess);
  EXPECT_TRUE(all(fromDevice(Y, N), 1));
  EXPECT_GE(R.kernel("saxpy").Packets, 6U) << "a half is handed out";
}

TEST(PacketRunner, WithoutPeersTilesAreStatic) {
  TestRuntime R(2, Schedule::Dynamic, 0, false);
  float *X = toDevice(std::vector<float>(N, 1)),
        *Y = toDevice(std::vector<float>(N, 0));
  ASSERT_EQ(add(X, Y), cudaSuccess);
  EXPECT_TRUE(all(fromDevice(Y, N), 1));
  const KernelRecord K = R.kernel("saxpy");
  EXPECT_EQ(K.SplitLaunches, 1U);
  EXPECT_EQ(K.DynamicLaunches, 0U);
  EXPECT_EQ(K.WhyStatic, "packets-need-peer-access");
}

TEST(PacketRunner, TheCallReturnsBeforeWhatItWaitsFor) {
  // A function of the program's that waits for the program comes first.
  TestRuntime R(2, Schedule::Dynamic);
  float *X = toDevice(std::vector<float>(N, 1)),
        *Y = toDevice(std::vector<float>(N, 0)),
        *Z = toDevice(std::vector<float>(N, 0));
  cudaStream_t S, Other;
  ASSERT_EQ(__gridspan_cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking),
            cudaSuccess);
  ASSERT_EQ(__gridspan_cudaStreamCreateWithFlags(&Other, cudaStreamNonBlocking),
            cudaSuccess);
  std::promise<void> Go;
  std::shared_future<void> Gone = Go.get_future();
  ASSERT_EQ(__gridspan_cudaLaunchHostFunc(
                S,
                [](void *Data) {
                  static_cast<std::shared_future<void> *>(Data)->wait();
                },
                &Gone),
            cudaSuccess);
  for (int I = 0; I != 3; ++I)
    ASSERT_EQ(add(X, Y, S), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaStreamQuery(S), cudaErrorNotReady);
  // Another stream does not wait for that.
  ASSERT_EQ(add(X, Z, Other), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaStreamSynchronize(Other), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaStreamQuery(S), cudaErrorNotReady);
  Go.set_value();
  ASSERT_EQ(__gridspan_cudaStreamSynchronize(S), cudaSuccess);
  EXPECT_TRUE(all(fromDevice(Y, N), 3));
  EXPECT_TRUE(all(fromDevice(Z, N), 1));
  const KernelRecord K = R.kernel("saxpy");
  EXPECT_EQ(K.WhyStatic, "packets-would-wait");
  EXPECT_EQ(K.SplitLaunches, 4U);
  EXPECT_EQ(K.DynamicLaunches, 1U);
}

TEST(PacketRunner, ThreadsLaunchAtTheSameTime) {
  TestRuntime R(3, Schedule::Dynamic);
  const float *X = toDevice(std::vector<float>(N, 1));
  std::vector<std::future<bool>> Threads;
  for (int T = 0; T != 4; ++T)
    Threads.push_back(std::async(std::launch::async, [X] {
      float *Y = toDevice(std::vector<float>(N, 0));
      cudaStream_t S;
      if (__gridspan_cudaStreamCreate(&S))
        return false;
      for (int I = 0; I != 20; ++I)
        if (add(X, Y, S))
          return false;
      return !__gridspan_cudaStreamSynchronize(S) && all(fromDevice(Y, N), 20);
    }));
  for (std::future<bool> &T : Threads)
    EXPECT_TRUE(T.get());
}

TEST(PacketRunner, RefusedPacketsAreOfferedToOtherDevices) {
  for (unsigned From = 0; From != 6; ++From)
    for (unsigned Refused : {1U, 2U}) {
      TestRuntime R(3, Schedule::Dynamic);
      R.wrapBackend<RefusingBackend>();
      float *X = toDevice(std::vector<float>(N, 1)),
            *Y = toDevice(std::vector<float>(N, 0));
      RefusingBackend::Launches = 0;
      RefusingBackend::From = From;
      RefusingBackend::To = From + Refused;
      EXPECT_EQ(add(X, Y), cudaSuccess);
      EXPECT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
      EXPECT_TRUE(all(fromDevice(Y, N), 1)) << From << " " << Refused;
      RefusingBackend::From = RefusingBackend::To = 0;
    }
}

TEST(PacketRunner, WhatNoDeviceTakesIsAnErrorOfTheLaunch) {
  for (unsigned From : {0U, 1U, 7U}) {
    TestRuntime R(2, Schedule::Dynamic);
    R.wrapBackend<RefusingBackend>();
    float *X = toDevice(std::vector<float>(N, 1)),
          *Y = toDevice(std::vector<float>(N, 0));
    RefusingBackend::Launches = 0;
    RefusingBackend::From = From;
    RefusingBackend::To = From + 2;
    EXPECT_EQ(add(X, Y), cudaErrorLaunchOutOfResources);
    RefusingBackend::From = RefusingBackend::To = 0;
    EXPECT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  }
}

TEST(PacketRunner, PacketsThatDoNotEndAreNotWaitedForLong) {
  TestRuntime R(2, Schedule::Dynamic);
  R.losePatience();
  R.wrapBackend<BlindBackend>();
  float *X = toDevice(std::vector<float>(N, 1)),
        *Y = toDevice(std::vector<float>(N, 0));
  ASSERT_EQ(add(X, Y), cudaSuccess);
  EXPECT_TRUE(all(fromDevice(Y, N), 1));
  EXPECT_GE(R.kernel("saxpy").Packets, 6U);
}
