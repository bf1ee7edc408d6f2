//===- LateDevicesTest.cpp - Launches while devices are not open ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CPU devices of which all but the first are open when the test says so.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ForwardingBackend.h"
#include "test/unit/runtime/TestRuntime.h"

using namespace gridspan;

namespace {

/// Floats: a buffer that is not worth opening devices for.
constexpr int Few = 1 << 21;
/// One that is.
constexpr int Many = 1 << 25;

class LateBackend : public ForwardingBackend {
public:
  explicit LateBackend(std::unique_ptr<Backend> Inner)
      : ForwardingBackend(std::move(Inner)) {
    IsOpen = false;
    Fails = false;
    Asked = Waited = 0;
  }
  bool isReady() const override { return IsOpen; }
  void prepare() override { ++Asked; }
  bool waitUntilReady() override {
    ++Waited;
    IsOpen = !Fails;
    return IsOpen;
  }
  static inline bool IsOpen, Fails;
  static inline int Asked, Waited;
};

class LateDevicesTest : public testing::Test {
protected:
  void SetUp() override { R.wrapBackend<LateBackend>(); }

  /// Y[i] += X[i].
  void add(const float *X, float *Y, int N) {
    ASSERT_EQ(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 1.0f, X, Y, N),
              cudaSuccess);
  }
  KernelRecord record() { return R.kernel("saxpy"); }

  TestRuntime R{2};
};

} // namespace

TEST_F(LateDevicesTest, LaunchesRunOnTheFirstUntilTheOthersAreOpen) {
  float *X = toDevice(std::vector<float>(Few, 1));
  float *Y = toDevice(std::vector<float>(Few, 2));
  add(X, Y, Few);
  add(X, Y, Few);
  EXPECT_TRUE(fromDevice(Y, Few) == std::vector<float>(Few, 4));
  EXPECT_EQ(record().WhyUnsplit, "devices-not-open");
  EXPECT_EQ(record().SplitLaunches, 0U);
  EXPECT_EQ(LateBackend::Waited, 0);
  LateBackend::IsOpen = true;
  // What was decided without them is decided again.
  add(X, Y, Few);
  EXPECT_EQ(record().SplitLaunches, 1U);
  EXPECT_TRUE(fromDevice(Y, Few) == std::vector<float>(Few, 5));
}

TEST_F(LateDevicesTest, TheyAreOpenedWhenLaunchesHaveLostEnough) {
  float *X = toDevice(std::vector<float>(Few, 1));
  float *Y = toDevice(std::vector<float>(Few, 2));
  add(X, Y, Few);
  EXPECT_EQ(LateBackend::Asked, 0);
  for (int I = 0; I != 1000 && LateBackend::Asked == 0; ++I)
    add(X, Y, Few);
  EXPECT_GT(LateBackend::Asked, 0);
  EXPECT_EQ(record().SplitLaunches, 0U);
}

TEST_F(LateDevicesTest, LargeMemoryHasThemOpened) {
  float *X = toDevice(std::vector<float>(Many, 1));
  EXPECT_GT(LateBackend::Asked, 0);
  EXPECT_EQ(LateBackend::Waited, 0);
  // Its pages are on all devices, and the launch waits for these.
  add(X, X, Many);
  EXPECT_EQ(LateBackend::Waited, 1);
  EXPECT_EQ(record().SplitLaunches, 1U);
  EXPECT_TRUE(fromDevice(X, Many) == std::vector<float>(Many, 2));
}

TEST_F(LateDevicesTest, LaunchesAreNotSplitWhereOneCannotBeOpened) {
  LateBackend::Fails = true;
  float *X = toDevice(std::vector<float>(Many, 1));
  add(X, X, Many);
  add(X, X, Many);
  EXPECT_EQ(record().SplitLaunches, 0U);
  EXPECT_EQ(record().WhyUnsplit, "devices-not-open");
  EXPECT_TRUE(fromDevice(X, Many) == std::vector<float>(Many, 4));
}
