//===- ProgramStreamTest.cpp - How parts of launches are ordered ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/Runtime.h"
#include "runtime/api/EntryPoints.h"
#include "runtime/support/UntrackedCode.h"
#include "test/unit/runtime/FakeKernels.h"
#include "test/unit/runtime/backend/RecordingBackend.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace gridspan;
using testing::ElementsAre;

// As gridspan++ defines it for programs all of whose parts it knows; here for
// all tests of this program.
char __gridspan_knows_all_parts;

namespace {

class ProgramStreams : public testing::Test {
protected:
  void useDevices(unsigned Devices) {
    fake::module();
    auto Own = std::make_unique<RecordingBackend>(Devices);
    B = Own.get();
    Config C;
    C.Sched = Schedule::Static;
    Runtime::replace(std::make_unique<Runtime>(C, std::move(Own)));
    for (float **P : {&X, &Y}) {
      void *Out = nullptr;
      ASSERT_EQ(__gridspan_cudaMalloc(&Out, 16 << 20), cudaSuccess);
      *P = static_cast<float *>(Out);
    }
    // The default stream is made first: 0.0.
    ASSERT_EQ(__gridspan_cudaStreamQuery(nullptr), cudaSuccess);
    B->Records = true;
  }
  ~ProgramStreams() override { Runtime::replace(nullptr); }

  std::vector<std::string> launch(unsigned Blocks, cudaStream_t S = nullptr) {
    float A = 1;
    int N = static_cast<int>(Blocks) * 256;
    void *Args[] = {&A, &X, &Y, &N};
    EXPECT_EQ(__gridspan_cudaLaunchKernel(fake::saxpy().HostStub, Blocks, 256,
                                          Args, 0, S),
              cudaSuccess);
    return B->take();
  }

  RecordingBackend *B;
  float *X = nullptr, *Y = nullptr;
};

const auto Forked =
    ElementsAre("record 0.0", "wait 1.0 <- 0.0", "launch 1.0", "record 1.0",
                "launch 0.0", "record 0.0", "wait 0.0 <- 1.0");
const auto Chained = ElementsAre("wait 1.0 <- 0.0", "launch 1.0", "record 1.0",
                                 "launch 0.0", "record 0.0", "wait 0.0 <- 1.0");

} // namespace

TEST_F(ProgramStreams, ALaunchThatFollowsAnotherWaitsForItsParts) {
  ASSERT_TRUE(seesAllWork());
  useDevices(2);
  EXPECT_THAT(launch(64), Forked);
  for (int I = 0; I < 5; ++I)
    EXPECT_THAT(launch(64), Chained);
}

TEST(ProgramStream, WhatIsWrittenAtHomeIsBehindThePartThere) {
  RecordingBackend B(2);
  std::unique_ptr<Stream> Main;
  ASSERT_EQ(B.createStream(0, StreamKind::NonBlocking, 0, Main), cudaSuccess);
  ProgramStream S(B, std::move(Main));
  auto IsBehindAPart = [&](bool WritesHome) NO_THREAD_SAFETY_ANALYSIS {
    MutexLock Guard(S.lock());
    EXPECT_EQ(S.forkTiles(2, true), cudaSuccess);
    const bool Is = S.writtenAtHome() != nullptr;
    if (WritesHome)
      S.noteWritesHome();
    for (int Device : {1, 0})
      EXPECT_EQ(S.endTile(Device), cudaSuccess);
    EXPECT_EQ(S.joinTiles(), cudaSuccess);
    return Is;
  };
  EXPECT_FALSE(IsBehindAPart(false)) << "none was before";
  EXPECT_TRUE(IsBehindAPart(true));
  EXPECT_FALSE(IsBehindAPart(false)) << "another part wrote there";
  EXPECT_TRUE(IsBehindAPart(false));
  ProgramStream::operated();
  EXPECT_FALSE(IsBehindAPart(false)) << "something came between";
}

TEST_F(ProgramStreams, EveryPartWaitsForAllOthers) {
  useDevices(3);
  launch(64);
  EXPECT_THAT(launch(64), ElementsAre("wait 1.0 <- 0.0", "wait 1.0 <- 2.0",
                                      "wait 2.0 <- 0.0", "wait 2.0 <- 1.0",
                                      "launch 2.0", "record 2.0", "launch 1.0",
                                      "record 1.0", "launch 0.0", "record 0.0",
                                      "wait 0.0 <- 1.0", "wait 0.0 <- 2.0"));
}

TEST_F(ProgramStreams, OtherNumbersOfDevicesFollowEachOther) {
  useDevices(3);
  launch(64);
  EXPECT_THAT(launch(2), // as many blocks as devices
              ElementsAre("wait 1.0 <- 0.0", "wait 1.0 <- 2.0", "launch 1.0",
                          "record 1.0", "launch 0.0", "record 0.0",
                          "wait 0.0 <- 1.0"));
  EXPECT_THAT(launch(64),
              ElementsAre("wait 1.0 <- 0.0", "wait 2.0 <- 0.0",
                          "wait 2.0 <- 1.0", "launch 2.0", "record 2.0",
                          "launch 1.0", "record 1.0", "launch 0.0",
                          "record 0.0", "wait 0.0 <- 1.0", "wait 0.0 <- 2.0"));
}

TEST_F(ProgramStreams, WhatOnlyLooksIsNotWaitedFor) {
  useDevices(2);
  cudaEvent_t E;
  ASSERT_EQ(__gridspan_cudaEventCreate(&E), cudaSuccess);
  launch(64);
  EXPECT_EQ(__gridspan_cudaEventRecord(E, nullptr), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaStreamQuery(nullptr), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  B->take();
  EXPECT_THAT(launch(64), Chained);
}

TEST_F(ProgramStreams, AnythingElseIsWaitedFor) {
  useDevices(2);
  cudaStream_t Other;
  cudaEvent_t E;
  ASSERT_EQ(__gridspan_cudaStreamCreate(&Other), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaEventCreate(&E), cudaSuccess);
  const std::function<cudaError_t()> Operations[] = {
      [&] { return __gridspan_cudaMemset(X, 0, 4); },
      [&] { return __gridspan_cudaMemcpy(X, Y, 4, cudaMemcpyDefault); },
      [&] { return __gridspan_cudaStreamWaitEvent(nullptr, E, 0); },
      [&] {
        return __gridspan_cudaLaunchHostFunc(nullptr, [](void *) {}, nullptr);
      },
      // In a stream that the default stream waits for without being told.
      [&] { return __gridspan_cudaMemsetAsync(X, 0, 4, Other); },
      [&] { return launch(1), cudaSuccess; },
      [&] { return launch(1, Other), cudaSuccess; },
      [&] { return launch(64, Other), cudaSuccess; },
  };
  launch(64);
  for (const auto &Operation : Operations) {
    ASSERT_EQ(Operation(), cudaSuccess);
    B->take();
    EXPECT_THAT(launch(64), Forked);
    EXPECT_THAT(launch(64), Chained);
  }
}

TEST_F(ProgramStreams, ReplicasThatAreNotTrustedAreASignOfOtherWork) {
  useDevices(2);
  Runtime::existing()->launches().executor().distrustReplicas();
  const auto Star = ElementsAre("record 0.0", "wait 1.0 <- 0.0", "launch 1.0",
                                "record 1.0", "launch 0.0", "wait 0.0 <- 1.0");
  EXPECT_THAT(launch(64), Star);
  EXPECT_THAT(launch(64), Star);
}
