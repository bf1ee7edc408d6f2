//===- RunningChunksTest.cpp - Chunks that devices were given -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A clock that goes on a second each time someone looks, and a device that ends
// a chunk when it was asked for it so many times.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/RunningChunks.h"
#include "runtime/backend/ForwardingBackend.h"
#include "test/unit/runtime/backend/RecordingBackend.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

class SlowBackend final : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  using ForwardingBackend::query;
  using ForwardingBackend::synchronize;
  cudaError_t query(Event &) override {
    if (Looks++ % 3 < 2)
      return cudaErrorNotReady;
    return Looks > FailAfter ? cudaErrorIllegalAddress : cudaSuccess;
  }
  cudaError_t synchronize(Event &) override {
    ++Waits;
    return cudaSuccess;
  }
  int Looks = 0, Waits = 0, FailAfter = 1000;
};

class RunningChunksTest : public testing::Test {
protected:
  Event &event() {
    EXPECT_EQ(B.createEvent(0, 0, Events.emplace_back()), cudaSuccess);
    return *Events.back();
  }
  Progress line(Progress::Style How) {
    return Progress(
        How, [this] { return Seconds++; },
        [this](const std::string &Text) { Lines.push_back(Text); });
  }

  SlowBackend B{std::make_unique<RecordingBackend>(2)};
  std::vector<std::unique_ptr<Event>> Events;
  double Seconds = 0;
  std::vector<std::string> Lines;
};

constexpr uint64_t GiB = 1 << 30;

} // namespace

TEST_F(RunningChunksTest, ALongChunkIsShownWhileItRuns) {
  Progress Line = line(Progress::Style::Lines);
  ProgressScope Scope(Line, GiB);
  RunningChunks Chunks(B, Line, 1);
  Chunks.add(0, event(), GiB);
  EXPECT_EQ(Chunks.waitForAll(), cudaSuccess);
  EXPECT_EQ(Chunks.countOn(0), 0U);
  EXPECT_EQ(Lines, std::vector<std::string>{
                       "gridspan: 0.0 of 1.0 GiB, running for 0:02\n"});
}

TEST_F(RunningChunksTest, BytesCountWhenTheirChunkHasEnded) {
  Progress Line = line(Progress::Style::Lines);
  ProgressScope Scope(Line, 4 * GiB);
  RunningChunks Chunks(B, Line, 2);
  for (int I = 0; I < 4; ++I)
    Chunks.add(I % 2, event(), GiB);
  EXPECT_EQ(Lines.size(), 0U);
  EXPECT_EQ(Chunks.waitForNext(1), cudaSuccess);
  EXPECT_EQ(Chunks.countOn(0), 2U);
  EXPECT_EQ(Chunks.countOn(1), 1U);
  EXPECT_EQ(Chunks.waitForAll(), cudaSuccess);
  EXPECT_EQ(Lines, (std::vector<std::string>{
                       "gridspan: 0.0 of 4.0 GiB, running for 0:02\n",
                       "gridspan: 1.0 of 4.0 GiB, 0.3 GB/s, 0:12 left\n",
                       "gridspan: 2.0 of 4.0 GiB, 0.4 GB/s, 0:06 left\n",
                       "gridspan: 2.0 of 4.0 GiB, 0.3 GB/s, 0:08 left\n",
                       "gridspan: 3.0 of 4.0 GiB, 0.3 GB/s, 0:03 left\n",
                       "gridspan: 4.0 of 4.0 GiB, running for 0:12\n"}));
}

TEST_F(RunningChunksTest, ErrorsEndTheWait) {
  Progress Line = line(Progress::Style::Lines);
  RunningChunks Chunks(B, Line, 1);
  for (int I = 0; I < 4; ++I)
    Chunks.add(0, event(), GiB);
  B.FailAfter = 3;
  EXPECT_EQ(Chunks.waitForAll(), cudaErrorIllegalAddress);
  EXPECT_EQ(Chunks.countOn(0), 2U);
}

TEST_F(RunningChunksTest, NobodyLooksWhereNothingIsShown) {
  Progress Line = line(Progress::Style::Silent);
  RunningChunks Chunks(B, Line, 1);
  for (int I = 0; I < 4; ++I)
    Chunks.add(0, event(), GiB);
  EXPECT_EQ(Chunks.waitForNext(0), cudaSuccess);
  EXPECT_EQ(Chunks.waitForAll(), cudaSuccess);
  EXPECT_EQ(B.Looks, 0);
  EXPECT_EQ(B.Waits, 1);
}
