//===- ChosenDeviceTest.cpp - Work on a device of one's choice ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/support/ChosenDevice.h"
#include "gridspan/algorithm/Operands.h"
#include "runtime/backend/ForwardingBackend.h"
#include "test/unit/runtime/TestRuntime.h"
#include <thread>

using namespace gridspan;

namespace {

constexpr int N = 1 << 16;

/// Notes the devices that launches run on.
class NotingBackend : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  static inline std::vector<int> Devices;
  cudaError_t launch(Stream &S, const LaunchTarget &Target,
                     const LaunchShape &Shape, void *const *Args,
                     const GridspanTile *Tile) override {
    Devices.push_back(S.device());
    return ForwardingBackend::launch(S, Target, Shape, Args, Tile);
  }
};

class ChosenDevice : public testing::Test {
protected:
  ChosenDevice() {
    R.wrapBackend<NotingBackend>();
    NotingBackend::Devices.clear();
  }
  ~ChosenDevice() override { __gridspan_choose_device(GridspanAnyDevice); }

  std::vector<int> launchOnce(const float *From, float *To) {
    NotingBackend::Devices.clear();
    EXPECT_EQ(
        launch(fake::saxpy(), N / 256, 256, 0, nullptr, 2.0f, From, To, N),
        cudaSuccess);
    return NotingBackend::Devices;
  }
  uint64_t bytesAt(const void *Data, int Device) {
    const std::shared_ptr<Allocation> A = R->memory().find(Data);
    return A->Homes.bytesAt(0, A->bytes(), Device);
  }

  TestRuntime R{3};
};

TEST_F(ChosenDevice, LaunchesRunWholeThere) {
  float *X = toDevice(std::vector<float>(N, 1)),
        *Y = toDevice(std::vector<float>(N, 1));
  EXPECT_EQ(launchOnce(X, Y).size(), 3u);
  for (const int Device : {2, 0, 1}) {
    __gridspan_choose_device(Device);
    EXPECT_EQ(launchOnce(X, Y), std::vector<int>{Device});
  }
  EXPECT_EQ(R.kernel("saxpy").WhyUnsplit, "device-chosen");
  EXPECT_EQ(__gridspan_choose_device(GridspanAnyDevice), 1);
  EXPECT_EQ(launchOnce(X, Y).size(), 3u);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 11));
}

TEST_F(ChosenDevice, ThePagesOfItsLaunchesStayWhereTheyAre) {
  float *X = toDevice(std::vector<float>(N, 1)),
        *Y = toDevice(std::vector<float>(N, 1));
  const uint64_t Before = bytesAt(X, 2);
  ASSERT_GT(Before, 0u);
  __gridspan_choose_device(1);
  for (int I = 0; I < 100; ++I)
    launchOnce(X, Y);
  EXPECT_EQ(bytesAt(X, 2), Before);
}

TEST_F(ChosenDevice, LaterWorkOfTheStreamWaitsForIt) {
  float *X = toDevice(std::vector<float>(N, 1)),
        *Y = toDevice(std::vector<float>(N, 0)),
        *Z = toDevice(std::vector<float>(N, 0));
  for (int I = 0; I < 20; ++I) {
    __gridspan_choose_device(I % 3);
    launchOnce(X, Y);
    __gridspan_choose_device((I + 1) % 3);
    launchOnce(Y, Z);
  }
  // Z is the sum of 2 * Y, which is 2, 4, ..., 40.
  EXPECT_EQ(fromDevice(Z, N), std::vector<float>(N, 2 * 420));
}

TEST_F(ChosenDevice, NewMemoryIsThere) {
  for (const int Device : {0, 2}) {
    __gridspan_choose_device(Device);
    const float *X = toDevice(std::vector<float>(N));
    EXPECT_EQ(bytesAt(X, Device), N * sizeof(float));
  }
  __gridspan_choose_device(GridspanEveryDevice);
  const float *X = toDevice(std::vector<float>(3 * N));
  for (const int Device : {0, 1, 2})
    EXPECT_EQ(bytesAt(X, Device), N * sizeof(float));
}

TEST_F(ChosenDevice, MemoryFreedInOrderIsUsedAgainOnlyThere) {
  void *First = nullptr, *Second = nullptr;
  __gridspan_choose_device(1);
  ASSERT_EQ(__gridspan_cudaMallocAsync(&First, N, nullptr), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaFreeAsync(First, nullptr), cudaSuccess);
  __gridspan_choose_device(2);
  ASSERT_EQ(__gridspan_cudaMallocAsync(&Second, N, nullptr), cudaSuccess);
  EXPECT_EQ(bytesAt(Second, 2), uint64_t(N));
}

TEST_F(ChosenDevice, IsTheThreadsOwn) {
  __gridspan_choose_device(1);
  std::thread([] { EXPECT_EQ(chosenDevice(), NoChosenDevice); }).join();
}

TEST_F(ChosenDevice, WhatDoesNotExistIsNotChosen) {
  float *X = toDevice(std::vector<float>(N, 1)),
        *Y = toDevice(std::vector<float>(N, 0));
  __gridspan_choose_device(3);
  EXPECT_EQ(launchOnce(X, Y).size(), 3u);
  EXPECT_NE(toDevice(std::vector<float>(N)), nullptr);
}

TEST(ChosenDeviceAlone, IsIgnoredByOneDeviceAndBySingle) {
  for (const bool One : {true, false}) {
    TestRuntime R(One ? 1 : 2, One ? Schedule::Static : Schedule::Single);
    R.wrapBackend<NotingBackend>();
    float *X = toDevice(std::vector<float>(N, 1));
    __gridspan_choose_device(1);
    NotingBackend::Devices.clear();
    EXPECT_EQ(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 2.0f,
                     static_cast<const float *>(X), X, N),
              cudaSuccess);
    EXPECT_EQ(NotingBackend::Devices, std::vector<int>{0});
    EXPECT_EQ(__gridspan_num_devices(), 1u);
    __gridspan_choose_device(GridspanAnyDevice);
  }
}

} // namespace
