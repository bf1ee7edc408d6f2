//===- ProgressWaitTest.cpp - Launches that nobody sees inside of ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A clock that goes on a second each time someone looks, and a stream that has
// ended when it was asked for it so many times.
//
//===----------------------------------------------------------------------===//

#include "runtime/stream/ProgressWait.h"
#include "runtime/backend/ForwardingBackend.h"
#include "test/unit/runtime/TestRuntime.h"
#include "test/unit/runtime/backend/RecordingBackend.h"

using namespace gridspan;

namespace {

class SlowBackend final : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  using ForwardingBackend::query;
  cudaError_t query(Stream &) override {
    return ++Looks < 6 ? cudaErrorNotReady : cudaSuccess;
  }
  bool isCapturing(Stream &) override { return Captures; }
  int Looks = 0;
  bool Captures = false;
};

class ProgressWaitTest : public testing::Test {
protected:
  ProgressWaitTest() {
    std::unique_ptr<Stream> Main;
    EXPECT_EQ(B.createStream(0, StreamKind::Blocking, 0, Main), cudaSuccess);
    S = std::make_unique<ProgramStream>(B, std::move(Main));
  }
  void wait(Progress::Style How) {
    Progress Line(
        How, [this] { return Seconds++; },
        [this](const std::string &Text) { Lines.push_back(Text); });
    waitWithProgress(B, Line, *S);
  }

  SlowBackend B{std::make_unique<RecordingBackend>(1)};
  std::unique_ptr<ProgramStream> S;
  double Seconds = 0;
  std::vector<std::string> Lines;
};

} // namespace

TEST_F(ProgressWaitTest, SaysHowLong) {
  S->LaunchedInPlace = true;
  wait(Progress::Style::Lines);
  EXPECT_EQ(
      Lines,
      (std::vector<std::string>{
          "gridspan: a launch on data larger than the devices, running for "
          "0:02\n",
          "gridspan: a launch on data larger than the devices, running for "
          "0:04\n"}));
  // What was shown has ended.
  EXPECT_FALSE(S->LaunchedInPlace);
  wait(Progress::Style::Lines);
  EXPECT_EQ(B.Looks, 6);
}

TEST_F(ProgressWaitTest, AsksNobodyInVain) {
  wait(Progress::Style::Redrawn); // nothing is in place
  S->LaunchedInPlace = true;
  wait(Progress::Style::Silent);
  B.Captures = true;
  wait(Progress::Style::Redrawn);
  EXPECT_EQ(B.Looks, 0);
  EXPECT_TRUE(S->LaunchedInPlace);
}

TEST_F(ProgressWaitTest, IsForLaunchesInPlace) {
  TestRuntime R(1, Schedule::Static, 1 << 20);
  const int N = 1 << 20;
  const float *In = toDevice(std::vector<float>(N, 1));
  float *Out = toDevice(std::vector<float>(N, 1));
  ProgramStream &Default = **R->streams().find(nullptr, DefaultStream::Legacy);
  ASSERT_EQ(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 1.0f, In, Out, N),
            cudaSuccess);
  EXPECT_FALSE(Default.LaunchedInPlace); // streamed
  // Numbered from one: beside the buffer.
  ASSERT_EQ(launch(fake::shift(), N / 256, 256, 0, nullptr, In, In, Out - 1, N),
            cudaSuccess);
  EXPECT_TRUE(Default.LaunchedInPlace);
  EXPECT_TRUE(fromDevice(Out, N) == std::vector<float>(N, 2));
}
