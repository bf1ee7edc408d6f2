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

  static void free(float *P) { EXPECT_EQ(__gridspan_cudaFree(P), cudaSuccess); }

  static std::shared_ptr<Allocation> allocationOf(const float *P) {
    return Runtime::get().memory().find(P);
  }

  /// Allocates Size bytes at the address of Last, which was freed. Nobody knows
  /// the allocation, as there was another one in between.
  static float *allocateAgain(float *Last, size_t Size = Bytes) {
    float *Between = allocate(Size - 4096);
    EXPECT_EQ(Between, Last);
    const std::shared_ptr<Allocation> Other = allocationOf(Between);
    free(Between);
    const uint64_t Epoch = Runtime::get().memory().epoch();
    float *Out = allocate(Size);
    EXPECT_EQ(Out, Last);
    EXPECT_NE(allocationOf(Out), Other);
    EXPECT_NE(Runtime::get().memory().epoch(), Epoch);
    return Out;
  }

  /// Launches on memory that is freed behind it, until no more is to be
  /// learned, and returns where it was.
  float *launchOften() {
    float *Y = allocate(Bytes);
    for (int I = 0; I != 200; ++I) {
      launch(X, Y);
      free(Y);
      Y = allocateAgain(Y);
    }
    free(Y);
    return Y;
  }

  static constexpr size_t Bytes = size_t(1) << 30;
  RecordingBackend *B;
  float *X;
  std::unique_ptr<fake::OwnKernel> Own;
};

} // namespace

TEST_F(RenewedDecisions, ServeMemoryThatIsAllocatedAgain) {
  float *Y = launchOften();
  unsigned Decided = 0;
  for (int I = 0; I != 50; ++I) {
    Y = allocateAgain(Y);
    Decided += launch(X, Y);
    free(Y);
  }
  EXPECT_LE(Decided, 2U);
}

TEST_F(RenewedDecisions, RunTheCloneAndCountWhatItWrites) {
  float *Y = allocateAgain(launchOften());
  const uint64_t ReadBefore = allocationOf(X)->version(),
                 WrittenBefore = allocationOf(Y)->version();
  B->Records = true;
  EXPECT_FALSE(launch(X, Y));
  const std::vector<std::string> Calls = B->take();
  EXPECT_NE(std::ranges::find(Calls, "launch clone 0.0"), Calls.end());
  EXPECT_EQ(allocationOf(X)->version(), ReadBefore);
  EXPECT_GT(allocationOf(Y)->version(), WrittenBefore);
}

TEST_F(RenewedDecisions, AreForTheSamePlaces) {
  // Both lead into one allocation, first apart, then to the same bytes.
  float *Y = launchOften();
  B->Records = true;
  auto RunsClone = [&](const float *From, float *To) {
    launch(From, To);
    const std::vector<std::string> Calls = B->take();
    return std::ranges::find(Calls, "launch clone 0.0") != Calls.end();
  };
  for (int I = 0; I != 20; ++I) {
    Y = allocateAgain(Y);
    EXPECT_TRUE(RunsClone(Y, Y + (1 << 20)));
    EXPECT_FALSE(RunsClone(Y, Y + 1));
    EXPECT_FALSE(RunsClone(Y, Y));
    free(Y);
  }
}

TEST_F(RenewedDecisions, AreForTheSameSizes) {
  float *Y = allocateAgain(launchOften(), Bytes - 8192);
  EXPECT_TRUE(launch(X, Y));
}

TEST_F(RenewedDecisions, AreForMemoryOfTheFirstDevice) {
  float *Y = allocateAgain(launchOften());
  ASSERT_FALSE(launch(X, Y));
  Runtime &R = Runtime::get();
  const auto S = R.streams().find(nullptr, DefaultStream::Legacy);
  ASSERT_TRUE(S);
  {
    const PlacementWriter Placement(R.memory().placementLock());
    ASSERT_EQ(R.memory().move(*allocationOf(Y), 0, Bytes / 2, 1, (*S)->main()),
              cudaSuccess);
  }
  EXPECT_TRUE(launch(X, Y));
}
