//===- RankBackendTest.cpp - Devices of ranks in one process --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contract of every backend, over a transport in memory, also where rank 0
// has one thread for all host functions, as GPUs have; more data of the host
// than may wait for streams of other ranks; streams that wait for other ranks
// while host functions of others run; and ranks that cannot take part, which are
// named.
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/backend/BackendConformance.h"
#include "test/unit/runtime/backend/ranks/LoopNetwork.h"
#include <atomic>
#include <future>

namespace gridspan {

/// CPU devices whose host functions run one at a time.
class OneHostThread : public ForwardingBackend {
public:
  explicit OneHostThread(std::unique_ptr<Backend> Inner)
      : ForwardingBackend(std::move(Inner)), System(inner().system()) {
    System.StreamsWaitForWords = true;
  }
  const SystemInfo &system() const override { return System; }
  cudaError_t hostFunction(Stream &S, std::function<void()> Fn) override {
    return inner().hostFunction(S, [this, Fn = std::move(Fn)] {
      MutexLock Guard(Thread);
      Fn();
    });
  }
  cudaError_t waitForWord(Stream &S, const uint64_t *Word,
                          uint64_t Value) override {
    return inner().hostFunction(S, [Word, Value] {
      while (std::atomic_ref(*const_cast<uint64_t *>(Word)).load() < Value)
        std::this_thread::yield();
    });
  }

private:
  SystemInfo System;
  Mutex Thread;
};

static std::unique_ptr<Backend> makeLoop(int NumRanks, unsigned DevicesEach) {
  return ranks::LoopBackend::create(NumRanks, DevicesEach, uint64_t(1) << 30);
}

static std::unique_ptr<Backend> makeLoopOfOneHostThread() {
  return ranks::LoopBackend::create(
      2, 1, uint64_t(1) << 30, [](std::unique_ptr<Backend> Own) {
        return std::make_unique<OneHostThread>(std::move(Own));
      });
}

INSTANTIATE_TEST_SUITE_P(
    Ranks, BackendConformance,
    testing::Values(BackendUnderTest{"ranks2", [] { return makeLoop(2, 1); }},
                    BackendUnderTest{"oneHostThread", makeLoopOfOneHostThread},
                    BackendUnderTest{"ranks3x2",
                                     [] { return makeLoop(3, 2); }}),
    [](const auto &Info) { return Info.param.Name; });

/// Copies to a device of rank 1, through a stream of Device, and back.
static void copyMuch(Backend &B, int Device, size_t Size, unsigned Times) {
  const size_t Page = B.system().PageSize;
  const size_t Bytes = (Size * Times + Page - 1) / Page * Page;
  void *There = nullptr;
  std::unique_ptr<Pages> P;
  std::unique_ptr<Stream> S;
  ASSERT_EQ(B.reserve(Bytes, There), cudaSuccess);
  ASSERT_EQ(B.createPages(1, Bytes, P), cudaSuccess);
  ASSERT_EQ(B.map(There, *P, 0, Bytes), cudaSuccess);
  ASSERT_EQ(B.createStream(Device, StreamKind::NonBlocking, 0, S), cudaSuccess);
  std::vector<unsigned char> Sent(Size), Got(Size * Times);
  for (unsigned I = 0; I != Times; ++I) {
    for (size_t At = 0; At != Size; ++At)
      Sent[At] = static_cast<unsigned char>(At / 4096 + At + I);
    ASSERT_EQ(B.copy(*S, static_cast<unsigned char *>(There) + I * Size,
                     Sent.data(), Size),
              cudaSuccess);
  }
  ASSERT_EQ(B.copy(*S, Got.data(), There, Got.size()), cudaSuccess);
  ASSERT_EQ(B.synchronize(*S), cudaSuccess);
  for (size_t At = 0; At != Got.size(); ++At)
    ASSERT_EQ(Got[At], static_cast<unsigned char>(At % Size / 4096 + At % Size +
                                                  At / Size))
        << At;
  S.reset();
  ASSERT_EQ(B.unmap(There, Bytes), cudaSuccess);
  P.reset();
  B.release(There, Bytes);
}

/// CPU devices that say they are something else.
class OfAnotherKind : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  const char *name() const override { return "another"; }
};

/// Returns why there are no devices, where rank 1 of 2 makes its own by Make.
static std::string whyNot(const ranks::RankServer::MakeDevices &Make) {
  auto Net = std::make_shared<ranks::LoopNetwork>(2);
  ranks::LoopTransport There(Net, 1), Way(Net, 0);
  ranks::RankServer Server(There, Make, {.Host = "there"});
  There.start([&](int From, const ranks::Buffer &Bytes) {
    Server.handle(From, Bytes);
  });
  std::string Message;
  std::unique_ptr<Backend> Own = createCpuBackend({}, Message);
  EXPECT_FALSE(ranks::RankBackend::create(Way, std::move(Own), {}, Message));
  Way.stop();
  There.stop();
  return Message;
}

TEST(RankBackendTest, ARankThatCannotTakePartIsNamed) {
  EXPECT_EQ(whyNot([](const ranks::Hello &, std::string &Message) {
              Message = "there is no GPU 7";
              return std::unique_ptr<Backend>();
            }),
            "rank 1 on there: there is no GPU 7");
  EXPECT_EQ(whyNot([](const ranks::Hello &, std::string &Message) {
              CpuBackendOptions Options;
              Options.SharesAddresses = true;
              return std::make_unique<OfAnotherKind>(
                  createCpuBackend(Options, Message));
            }),
            "rank 1 on there has devices of another kind (another) than rank 0 "
            "(cpu); set GRIDSPAN_DEVICES");
}

TEST(RankBackendTest, CopiesMoreThanMayWait) {
  const std::unique_ptr<Backend> B = makeLoop(2, 1);
  ASSERT_TRUE(B);
  for (int Device : {0, 1}) {
    copyMuch(*B, Device, ranks::DataMover::MostWaiting + 4321, 1);
    copyMuch(*B, Device, ranks::DataMover::MostWaiting / 16, 24);
  }
}

TEST(RankBackendTest, AWaitForARankHoldsNoHostFunctionsBack) {
  const std::unique_ptr<Backend> B = makeLoopOfOneHostThread();
  ASSERT_TRUE(B);
  std::unique_ptr<Stream> Far, Waiting, Free;
  std::unique_ptr<Event> E;
  for (auto [S, Device] : {std::pair(&Far, 1), {&Waiting, 0}, {&Free, 0}})
    ASSERT_EQ(B->createStream(Device, StreamKind::NonBlocking, 0, *S),
              cudaSuccess);
  ASSERT_EQ(B->createEvent(1, cudaEventDisableTiming, E), cudaSuccess);
  std::promise<void> Go;
  ASSERT_EQ(B->hostFunction(*Far, [F = Go.get_future().share()] { F.wait(); }),
            cudaSuccess);
  ASSERT_EQ(B->record(*E, *Far), cudaSuccess);
  ASSERT_EQ(B->wait(*Waiting, *E), cudaSuccess);
  bool Ran = false;
  ASSERT_EQ(B->hostFunction(*Free, [&] { Ran = true; }), cudaSuccess);
  EXPECT_EQ(B->synchronize(*Free), cudaSuccess);
  EXPECT_TRUE(Ran);
  EXPECT_EQ(B->query(*Waiting), cudaErrorNotReady);
  Go.set_value();
  EXPECT_EQ(B->synchronize(*Waiting), cudaSuccess);
}

} // namespace gridspan
