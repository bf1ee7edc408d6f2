//===- DataMoverTest.cpp - Bounds on what waits ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// However much a rank is asked to send, what its receiver has not done with
// stays within a bound.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/DataMover.h"
#include "runtime/backend/CreateBackend.h"
#include <gtest/gtest.h>

namespace gridspan::ranks {
namespace {

/// Keeps what is sent to rank 2.
class Receiver : public Transport {
public:
  int rank() const override { return 1; }
  int numRanks() const override { return 3; }
  void start(Handler) override {}
  void stop() override {}
  void send(int To, MessageBytes Message) override {
    EXPECT_EQ(To, 2);
    MutexLock Guard(Lock);
    Waiting += std::get<Data>(*decode(Message)).Bytes.size();
    EXPECT_LE(Waiting, DataMover::MostWaiting);
    Arrived.push_back(std::make_shared<const MessageBytes>(std::move(Message)));
    Changed.notify_all();
  }

  /// Takes the next message.
  Buffer take() {
    MutexLock Guard(Lock);
    while (Arrived.empty())
      Guard.wait(Changed);
    Buffer Out = Arrived.front();
    Arrived.erase(Arrived.begin());
    Waiting -= std::get<Data>(*decode(*Out)).Bytes.size();
    return Out;
  }

private:
  Mutex Lock;
  std::condition_variable Changed;
  std::vector<Buffer> Arrived GUARDED_BY(Lock);
  uint64_t Waiting GUARDED_BY(Lock) = 0;
};

TEST(DataMoverTest, SendsAsMuchAsTheReceiverTakes) {
  std::string Message;
  const std::unique_ptr<Backend> Devices = createCpuBackend({}, Message);
  ASSERT_TRUE(Devices) << Message;
  Receiver Way;
  Signals Tokens;
  DataMover Mover(Way, Tokens, *Devices,
                  [](uint64_t, uint64_t) { return true; });
  const uint64_t Size = 2 * DataMover::MostWaiting + 12345;
  std::vector<unsigned char> From(Size);
  for (uint64_t I = 0; I != Size; ++I)
    From[I] = static_cast<unsigned char>(I / 4096 + I);
  constexpr uint64_t There = uint64_t(1) << 40;
  Mover.pull(Pull{7,
                  0,
                  2,
                  {reinterpret_cast<uint64_t>(From.data()), Size},
                  {There, Size},
                  Size,
                  1});
  uint64_t Got = 0;
  bool IsLast = false;
  while (!IsLast) {
    const Buffer Next = Way.take();
    const Data M = std::get<Data>(*decode(*Next));
    ASSERT_EQ(M.Dst.Address, There + Got);
    ASSERT_EQ(std::memcmp(M.Bytes.data(), From.data() + Got, M.Bytes.size()),
              0);
    Got += M.Bytes.size();
    IsLast = M.Last;
    Mover.credit(2, M.Bytes.size());
  }
  EXPECT_EQ(Got, Size);
}

TEST(BudgetTest, WhatWasNotTakenDoesNotCount) {
  Budget B(2, 10);
  EXPECT_TRUE(B.tryTake(1, 10));
  EXPECT_FALSE(B.tryTake(1, 1));
  EXPECT_FALSE(B.tryTake(0, 11));
  B.giveBack(1, UINT64_MAX);
  B.giveBack(2, 1);
  B.giveBack(-1, 1);
  EXPECT_TRUE(B.tryTake(1, 10));
  EXPECT_FALSE(B.tryTake(1, 1));
  B.open();
  EXPECT_TRUE(B.tryTake(1, 1));
}

TEST(BudgetTest, DebtsAreGathered) {
  Debts D(2, 10);
  EXPECT_EQ(D.add(0, 9), 0U);
  EXPECT_EQ(D.add(1, 9), 0U);
  EXPECT_EQ(D.add(0, 3), 12U);
  EXPECT_EQ(D.add(0, 9), 0U);
  EXPECT_EQ(D.add(2, 100), 0U);
}

} // namespace
} // namespace gridspan::ranks
