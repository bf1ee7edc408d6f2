//===- RankServerTest.cpp - Slow devices ----------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A server whose devices take their time goes on taking messages, and does what
// they ask for in their order.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/RankServer.h"
#include "runtime/backend/CreateBackend.h"
#include "runtime/backend/ForwardingBackend.h"
#include <gtest/gtest.h>

namespace gridspan::ranks {
namespace {

class Gate {
public:
  void pass() {
    MutexLock Guard(Lock);
    while (!IsOpen)
      Guard.wait(Changed);
  }
  void open() {
    MutexLock Guard(Lock);
    IsOpen = true;
    Changed.notify_all();
  }

private:
  Mutex Lock;
  std::condition_variable Changed;
  bool IsOpen GUARDED_BY(Lock) = false;
};

/// Devices that, like a GPU whose queue is full or whose code is compiled, do
/// not come back before a gate is open.
class SlowBackend : public ForwardingBackend {
public:
  SlowBackend(std::unique_ptr<Backend> Own, Gate &Wait)
      : ForwardingBackend(std::move(Own)), Wait(Wait) {}

  const char *name() const override { return "slow"; }
  cudaError_t createPages(Location Where, size_t Bytes,
                          std::unique_ptr<Pages> &Out) override {
    Wait.pass();
    return inner().createPages(Where, Bytes, Out);
  }
  cudaError_t fillIdentity(Stream &S, GridspanReduction Kind, void *Dst,
                           uint64_t Count) override {
    Wait.pass();
    return inner().fillIdentity(S, Kind, Dst, Count);
  }

private:
  Gate &Wait;
};

/// Keeps the kinds of what is sent.
class Log : public Transport {
public:
  int rank() const override { return 1; }
  int numRanks() const override { return 2; }
  void start(Handler) override {}
  void stop() override {}
  void send(int, MessageBytes Message) override {
    MutexLock Guard(Lock);
    if (const auto M = decode(Message)) {
      if (const auto *R = std::get_if<Reply>(&*M))
        EXPECT_EQ(R->Error, cudaSuccess);
      Kinds.push_back(static_cast<MessageKind>(M->index()));
    }
  }
  std::vector<MessageKind> take() {
    MutexLock Guard(Lock);
    return std::exchange(Kinds, {});
  }

private:
  Mutex Lock;
  std::vector<MessageKind> Kinds GUARDED_BY(Lock);
};

TEST(RankServerTest, IsThereWhileItsDevicesAreBusy) {
  Gate Memory;
  Log Way;
  RankServer Server(
      Way,
      [&](const Hello &, std::string &Message) -> std::unique_ptr<Backend> {
        CpuBackendOptions Options;
        Options.SharesAddresses = true;
        return std::make_unique<SlowBackend>(createCpuBackend(Options, Message),
                                             Memory);
      },
      {});
  const auto Send = [&](const auto &M) {
    Server.handle(0, std::make_shared<const MessageBytes>(encode(M)));
  };
  const std::vector<MessageKind> Alive = {MessageKind::Pong};
  Send(Hello());
  Server.waitUntilHandled();
  EXPECT_EQ(Way.take(), std::vector<MessageKind>{MessageKind::Welcome});
  Send(CreateStream{1, 0, 0});
  Send(CreatePages{1, 1, 0, uint64_t(2) << 20});
  Send(Reserve{0x7c1000000000, uint64_t(2) << 20});
  Send(MapPages{2, 0x7c1000000000, 1, 0, uint64_t(2) << 20});
  Send(FillIdentity{1, 0x7c1000000000, 16, 1});
  Send(Record{1, 9, false});
  Send(Ping());
  EXPECT_EQ(Way.take(), Alive);
  Memory.open();
  Send(DeviceAttribute{3, 0, cudaDevAttrWarpSize});
  Server.waitUntilHandled();
  std::vector<MessageKind> Then = Way.take();
  std::erase(Then, MessageKind::Reached); // when the stream comes there
  EXPECT_EQ(Then, std::vector<MessageKind>(3, MessageKind::Reply));
}

} // namespace
} // namespace gridspan::ranks
