//===- UnpinnedLoadsTest.cpp - Memory that is not pinned, to a device -----===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/copy/UnpinnedLoads.h"
#include "runtime/backend/ForwardingBackend.h"
#include "runtime/backend/cpu/CpuBackend.h"
#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace gridspan;

namespace {

class UnpinnedLoadsTest : public testing::Test {
protected:
  void SetUp() override {
    std::string Message;
    B = createCpuBackend({1, 0, true}, Message);
    ASSERT_EQ(B->createStream(0, StreamKind::NonBlocking, 0, Bus), cudaSuccess);
    ASSERT_EQ(Slots.emplace(*B).create(0), cudaSuccess);
    Loads.emplace(*B, Team, *Slots);
  }
  static std::vector<std::byte> values(size_t Bytes) {
    std::vector<std::byte> Out(Bytes);
    for (size_t I = 0; I < Bytes; ++I)
      Out[I] = static_cast<std::byte>(I * 2654435761U >> 13);
    return Out;
  }

  ThreadTeam Team{3};
  std::unique_ptr<Backend> B;
  std::unique_ptr<Stream> Bus;
  std::optional<PinnedSlots> Slots;
  std::optional<UnpinnedLoads> Loads;
};

} // namespace

TEST_F(UnpinnedLoadsTest, CopyAnyLength) {
  for (size_t Bytes : {size_t(1), size_t(4095), size_t(8) << 20,
                       (size_t(8) << 20) + 1, (size_t(43) << 20) + 12345}) {
    const std::vector<std::byte> From = values(Bytes);
    std::vector<std::byte> Device(Bytes);
    ASSERT_EQ(Loads->copy(*Bus, Device.data(), From.data(), Bytes),
              cudaSuccess);
    ASSERT_EQ(B->synchronize(*Bus), cudaSuccess);
    EXPECT_TRUE(Device == From) << Bytes;
  }
}

TEST_F(UnpinnedLoadsTest, HaveReadTheSourceWhenTheyReturn) {
  const size_t Bytes = (size_t(23) << 20) + 1;
  const std::vector<std::byte> Wanted = values(Bytes);
  std::vector<std::byte> From = Wanted, Device(Bytes);
  // The bus is late, so that a source that is read later is seen.
  ASSERT_EQ(
      B->hostFunction(
          *Bus,
          [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }),
      cudaSuccess);
  ASSERT_EQ(Loads->copy(*Bus, Device.data(), From.data(), Bytes), cudaSuccess);
  std::fill(From.begin(), From.end(), std::byte{7});
  ASSERT_EQ(B->synchronize(*Bus), cudaSuccess);
  EXPECT_TRUE(Device == Wanted);
}

TEST_F(UnpinnedLoadsTest, SlotsEndWithTheirCopies) {
  const size_t Bytes = size_t(20) << 20;
  const std::vector<std::byte> From = values(Bytes);
  std::vector<std::byte> Device(Bytes);
  ASSERT_EQ(Loads->copy(*Bus, Device.data(), From.data(), Bytes), cudaSuccess);
  Slots.reset();
  EXPECT_TRUE(Device == From);
}

TEST(PinnedSlots, AreRefusedWithoutPinnedMemory) {
  struct NothingPinned : ForwardingBackend {
    using ForwardingBackend::ForwardingBackend;
    cudaError_t hostAlloc(size_t, unsigned, void *&) override {
      return cudaErrorMemoryAllocation;
    }
  };
  std::string Message;
  NothingPinned Full(createCpuBackend({1, 0, true}, Message));
  EXPECT_EQ(PinnedSlots(Full).create(0), cudaErrorMemoryAllocation);
}
