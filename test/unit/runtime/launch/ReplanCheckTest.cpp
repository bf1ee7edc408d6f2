//===- ReplanCheckTest.cpp - When a launch is decided again ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/ReplanCheck.h"
#include "runtime/Runtime.h"
#include "runtime/api/EntryPoints.h"
#include "test/unit/runtime/FakeKernels.h"
#include "test/unit/runtime/backend/RecordingBackend.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

unsigned WorkCalls = 0;

/// Launches of saxpy on two devices, where it does not pay to split them, by
/// pointers that lead to memory which comes and goes. Each decision asks for the
/// work.
class RenewedDecisions : public testing::Test {
protected:
  RenewedDecisions() {
    auto Recording = std::make_unique<RecordingBackend>(2);
    B = Recording.get();
    B->Info.TimesTell = true;
    B->ElapsedMs = 0.05F;
    B->Info.FanOutSeconds[2] = 1e-4;
    Runtime::replace(std::make_unique<Runtime>(Config(), std::move(Recording)));
    X = allocate(Bytes);
    Own = std::make_unique<fake::OwnKernel>(kernel());
  }
  ~RenewedDecisions() override {
    Own.reset();
    Runtime::replace(nullptr);
  }

  static GridspanKernel kernel() {
    GridspanKernel K = fake::distinctSaxpy();
    K.Flags |= GridspanWorkIsGuess;
    K.Work = [](const GridspanBox *Box) {
      ++WorkCalls;
      return 6e5 * Box->BlockCount[0];
    };
    return K;
  }

  static float *allocate(size_t Bytes) {
    void *Out = nullptr;
    EXPECT_EQ(__gridspan_cudaMalloc(&Out, Bytes), cudaSuccess);
    return static_cast<float *>(Out);
  }

  /// Returns true if it was decided, rather than renewed.
  bool launch(const float *From, float *To) {
    float A = 2;
    int N = 1100;
    void *Args[] = {&A, &From, &To, &N};
    WorkCalls = 0;
    EXPECT_EQ(__gridspan_cudaLaunchKernel(Own->get().HostStub, 1024, 256, Args,
                                          0, nullptr),
              cudaSuccess);
    return WorkCalls != 0;
  }

  /// Launches on memory that is freed behind it, until no more is to be
  /// learned, and returns where it was.
  float *launchOften() {
    float *Last = nullptr;
    for (int I = 0; I != 200; ++I) {
      float *Y = allocate(Bytes);
      EXPECT_TRUE(!Last || Last == Y) << "it is not reused";
      Last = Y;
      launch(X, Y);
      EXPECT_EQ(__gridspan_cudaFree(Y), cudaSuccess);
    }
    return Last;
  }

  static constexpr size_t Bytes = size_t(1) << 30;
  RecordingBackend *B;
  float *X;
  std::unique_ptr<fake::OwnKernel> Own;
};

} // namespace

TEST_F(RenewedDecisions, ServeMemoryThatIsAllocatedAgain) {
  launchOften();
  unsigned Planned = 0;
  for (int I = 0; I != 50; ++I) {
    float *Y = allocate(Bytes);
    Planned += launch(X, Y);
    ASSERT_EQ(__gridspan_cudaFree(Y), cudaSuccess);
  }
  EXPECT_LE(Planned, 2U);
}

TEST_F(RenewedDecisions, RunTheCloneForDistinctArguments) {
  launchOften();
  float *Y = allocate(Bytes);
  B->Records = true;
  launch(X, Y);
  const std::vector<std::string> Calls = B->take();
  EXPECT_NE(std::ranges::find(Calls, "launch clone 0.0"), Calls.end());
}

TEST_F(RenewedDecisions, AreForTheSameSizes) {
  float *Last = launchOften();
  float *Y = allocate(Bytes - 4096);
  ASSERT_EQ(Y, Last);
  EXPECT_TRUE(launch(X, Y));
}

TEST_F(RenewedDecisions, AreForMemoryOfTheFirstDevice) {
  float *Last = launchOften();
  float *Y = allocate(Bytes);
  ASSERT_EQ(Y, Last);
  ASSERT_FALSE(launch(X, Y));
  Runtime &R = Runtime::get();
  const std::shared_ptr<Allocation> A = R.memory().find(Y);
  const auto S = R.streams().find(nullptr, DefaultStream::Legacy);
  ASSERT_TRUE(A && S);
  {
    const PlacementWriter Placement(R.memory().placementLock());
    ASSERT_EQ(R.memory().move(*A, 0, Bytes / 2, 1, (*S)->main()), cudaSuccess);
  }
  EXPECT_TRUE(launch(X, Y));
}
