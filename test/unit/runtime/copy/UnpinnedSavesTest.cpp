//===- UnpinnedSavesTest.cpp - From a device to memory that is not pinned -===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/copy/UnpinnedSaves.h"
#include "runtime/backend/ForwardingBackend.h"
#include "runtime/backend/cpu/CpuBackend.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace gridspan;

namespace {

/// Copies fail after so many.
class FailingCopies : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  cudaError_t copy(Stream &S, void *Dst, const void *Src,
                   size_t Bytes) override {
    return Left-- > 0 ? ForwardingBackend::copy(S, Dst, Src, Bytes)
                      : cudaErrorUnknown;
  }
  std::atomic<int> Left{1 << 30};
};

class UnpinnedSavesTest : public testing::Test {
protected:
  void SetUp() override {
    std::string Message;
    B = std::make_unique<FailingCopies>(
        createCpuBackend({1, 0, true}, Message));
    ASSERT_EQ(B->createStream(0, StreamKind::NonBlocking, 0, Compute),
              cudaSuccess);
    ASSERT_EQ(Slots.emplace(*B).create(0), cudaSuccess);
    ASSERT_EQ(Saves.emplace(*B, Team, *Slots).create(0), cudaSuccess);
  }
  static std::vector<std::byte> values(size_t Bytes, unsigned Seed) {
    std::vector<std::byte> Out(Bytes);
    for (size_t I = 0; I < Bytes; ++I)
      Out[I] = static_cast<std::byte>((I + Seed) * 2654435761U >> 13);
    return Out;
  }

  ThreadTeam Team{3};
  std::unique_ptr<FailingCopies> B;
  std::unique_ptr<Stream> Compute;
  std::optional<PinnedSlots> Slots;
  std::optional<UnpinnedSaves> Saves;
};

} // namespace

TEST_F(UnpinnedSavesTest, CopyAnyLength) {
  for (size_t Bytes : {size_t(1), size_t(4095), size_t(8) << 20,
                       (size_t(8) << 20) + 1, (size_t(43) << 20) + 12345}) {
    const std::vector<std::byte> Device = values(Bytes, 0);
    std::vector<std::byte> To(Bytes);
    const uint64_t Number = Saves->copy(To.data(), Device.data(), Bytes, {});
    ASSERT_EQ(Saves->waitFor(Number), cudaSuccess);
    EXPECT_TRUE(Device == To) << Bytes;
  }
}

TEST_F(UnpinnedSavesTest, AreCompleteInTheirOrder) {
  constexpr size_t Bytes = (size_t(3) << 20) + 7;
  std::vector<std::vector<std::byte>> From, To;
  for (unsigned I = 0; I != 9; ++I) {
    From.push_back(values(Bytes, I));
    To.emplace_back(Bytes);
  }
  std::vector<uint64_t> Numbers;
  for (unsigned I = 0; I != 9; ++I)
    Numbers.push_back(Saves->copy(To[I].data(), From[I].data(), Bytes, {}));
  ASSERT_EQ(Saves->waitFor(Numbers[4]), cudaSuccess);
  for (unsigned I = 0; I != 5; ++I)
    EXPECT_TRUE(From[I] == To[I]) << I;
  ASSERT_EQ(Saves->waitFor(Numbers[8]), cudaSuccess);
  for (unsigned I = 5; I != 9; ++I)
    EXPECT_TRUE(From[I] == To[I]) << I;
}

TEST_F(UnpinnedSavesTest, WaitForEvents) {
  constexpr size_t Bytes = size_t(10) << 20;
  std::vector<std::byte> Device(Bytes), To(Bytes);
  const std::vector<std::byte> Wanted(Bytes, std::byte{7});
  std::unique_ptr<Event> Done;
  ASSERT_EQ(B->createEvent(0, cudaEventDisableTiming, Done), cudaSuccess);
  ASSERT_EQ(B->hostFunction(*Compute,
                            [&] {
                              std::this_thread::sleep_for(
                                  std::chrono::milliseconds(20));
                              std::ranges::fill(Device, std::byte{7});
                            }),
            cudaSuccess);
  ASSERT_EQ(B->record(*Done, *Compute), cudaSuccess);
  const uint64_t Number =
      Saves->copy(To.data(), Device.data(), Bytes, {Done.get()});
  ASSERT_EQ(Saves->waitFor(Number), cudaSuccess);
  EXPECT_TRUE(To == Wanted);
}

TEST_F(UnpinnedSavesTest, EndWithTheirCopies) {
  const std::vector<std::byte> Device = values(size_t(20) << 20, 1);
  std::vector<std::byte> To(Device.size());
  (void)Saves->copy(To.data(), Device.data(), To.size(), {});
  Saves.reset();
  EXPECT_TRUE(Device == To);
}

TEST_F(UnpinnedSavesTest, TellOfAnErrorAndGoOn) {
  const std::vector<std::byte> Device = values(size_t(20) << 20, 1);
  std::vector<std::byte> To(Device.size());
  B->Left = 1;
  const uint64_t First = Saves->copy(To.data(), Device.data(), To.size(), {});
  const uint64_t Second = Saves->copy(To.data(), Device.data(), To.size(), {});
  EXPECT_EQ(Saves->waitFor(Second), cudaErrorUnknown);
  EXPECT_EQ(Saves->waitFor(First), cudaErrorUnknown);
  B->Left = 1 << 30;
  EXPECT_EQ(Saves->waitFor(Saves->copy(To.data(), Device.data(), 1, {})),
            cudaErrorUnknown);
}
