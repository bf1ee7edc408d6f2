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

#include "test/unit/runtime/FakeKernels.h"
#include "test/unit/runtime/backend/BackendConformance.h"
#include "test/unit/runtime/backend/ranks/LoopNetwork.h"
#include <array>
#include <atomic>
#include <future>
#include <set>

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

/// The same with a lock that every call takes, and that is held by those which
/// wait: copies of pageable memory for their stream, the first launch of a
/// kernel for all of the device, and fills for room in the queue.
class OneDriverLock : public OneHostThread {
public:
  using OneHostThread::OneHostThread;
  const char *name() const override { return "driver"; }
  cudaError_t createStream(int Device, StreamKind Kind, int Priority,
                           std::unique_ptr<Stream> &Out) override {
    MutexLock Guard(Driver);
    return inner().createStream(Device, Kind, Priority, Out);
  }
  cudaError_t fill(Stream &S, void *Dst, int Byte, size_t Bytes) override {
    MutexLock Guard(Driver);
    while (NumFills >= MostFills)
      std::this_thread::yield();
    ++NumFills;
    const cudaError_t Error = inner().fill(S, Dst, Byte, Bytes);
    (void)inner().hostFunction(S, [this] { --NumFills; });
    return Error;
  }
  cudaError_t copy(Stream &S, void *Dst, const void *Src,
                   size_t Bytes) override {
    MutexLock Guard(Driver);
    if (isPageable(Dst, Bytes) || isPageable(Src, Bytes))
      (void)inner().synchronize(S);
    return inner().copy(S, Dst, Src, Bytes);
  }
  cudaError_t copy2D(Stream &S, void *Dst, size_t DstPitch, const void *Src,
                     size_t SrcPitch, size_t Width, size_t Height) override {
    MutexLock Guard(Driver);
    if (isPageable(Dst, Width) || isPageable(Src, Width))
      (void)inner().synchronize(S);
    return inner().copy2D(S, Dst, DstPitch, Src, SrcPitch, Width, Height);
  }
  cudaError_t launch(Stream &S, const LaunchTarget &Target,
                     const LaunchShape &Shape, void *const *Args,
                     const GridspanTile *Tile) override {
    MutexLock Guard(Driver);
    if (Loaded.insert(Target.Kernel).second)
      (void)inner().synchronizeDevice(S.device());
    return inner().launch(S, Target, Shape, Args, Tile);
  }
  cudaError_t functionAttributes(const LaunchTarget &Target,
                                 cudaFuncAttributes &Out) override {
    MutexLock Guard(Driver);
    if (Loaded.insert(Target.Kernel).second)
      (void)inner().synchronizeAll();
    return inner().functionAttributes(Target, Out);
  }
  cudaError_t hostFunction(Stream &S, std::function<void()> Fn) override {
    MutexLock Guard(Driver);
    return OneHostThread::hostFunction(S, std::move(Fn));
  }
  cudaError_t waitForWord(Stream &S, const uint64_t *Word,
                          uint64_t Value) override {
    MutexLock Guard(Driver);
    return OneHostThread::waitForWord(S, Word, Value);
  }
  cudaError_t record(Event &E, Stream &S) override {
    MutexLock Guard(Driver);
    return inner().record(E, S);
  }
  cudaError_t wait(Stream &S, Event &E) override {
    MutexLock Guard(Driver);
    return inner().wait(S, E);
  }

private:
  static constexpr unsigned MostFills = 400;
  Mutex Driver;
  std::set<const void *> Loaded;
  std::atomic<unsigned> NumFills = 0; ///< that are in a queue
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

static std::unique_ptr<Backend> withDriverLock(std::unique_ptr<Backend> Own) {
  return std::make_unique<OneDriverLock>(std::move(Own));
}

static std::unique_ptr<Backend> makeLoopOfDriverLocks() {
  return ranks::LoopBackend::create(2, 1, uint64_t(1) << 30, withDriverLock,
                                    withDriverLock);
}

INSTANTIATE_TEST_SUITE_P(
    Ranks, BackendConformance,
    testing::Values(BackendUnderTest{"ranks2", [] { return makeLoop(2, 1); }},
                    BackendUnderTest{"driverLock", makeLoopOfDriverLocks},
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

TEST(RankBackendTest, DriversThatWaitWithALockHeldLetOthersCome) {
  const std::unique_ptr<Backend> B = makeLoopOfDriverLocks();
  ASSERT_TRUE(B);
  const size_t Page = B->system().PageSize;
  const size_t Bytes = (size_t(1) << 20) / Page * Page;
  std::array<void *, 2> At = {};
  std::array<std::unique_ptr<Pages>, 2> P;
  for (int Device : {0, 1}) {
    ASSERT_EQ(B->reserve(Bytes, At[Device]), cudaSuccess);
    ASSERT_EQ(B->createPages(Device, Bytes, P[Device]), cudaSuccess);
    ASSERT_EQ(B->map(At[Device], *P[Device], 0, Bytes), cudaSuccess);
  }
  std::unique_ptr<Stream> S;
  ASSERT_EQ(B->createStream(0, StreamKind::NonBlocking, 0, S), cudaSuccess);
  std::vector<unsigned char> Sent(Bytes, 3), Got(Bytes);
  for (unsigned char Value = 1; Value != 9; ++Value) {
    std::fill(Sent.begin(), Sent.end(), Value);
    ASSERT_EQ(B->copy(*S, At[1], Sent.data(), Bytes), cudaSuccess);
    // The stream waits for the other rank, whose bytes come in beside.
    ASSERT_EQ(B->copy(*S, At[0], At[1], Bytes), cudaSuccess);
    ASSERT_EQ(B->copy(*S, Got.data(), At[0], Bytes), cudaSuccess);
    EXPECT_EQ(Got, Sent);
  }
  // Code that is loaded behind a wait: by a question, and by a launch.
  const GridspanKernel Asked = fake::stencil(), Launched = fake::saxpy();
  cudaFuncAttributes Attributes;
  float A = 1, *X = static_cast<float *>(At[0]), *Y = X;
  int N = 0;
  void *Arguments[] = {&A, &X, &Y, &N};
  ASSERT_EQ(B->copy(*S, At[0], At[1], Bytes), cudaSuccess);
  (void)B->functionAttributes({.Kernel = &Asked}, Attributes);
  ASSERT_EQ(B->copy(*S, At[0], At[1], Bytes), cudaSuccess);
  (void)B->launch(*S, {.Kernel = &Launched}, {dim3(1), dim3(1)}, Arguments,
                  nullptr);
  // More commands behind a wait than a queue has room for.
  for (unsigned I = 0; I != 2000; ++I) {
    if (I % 500 == 0)
      ASSERT_EQ(B->copy(*S, At[0], At[1], Bytes), cudaSuccess);
    ASSERT_EQ(B->fill(*S, At[0], int(I % 100), Bytes), cudaSuccess);
  }
  ASSERT_EQ(B->synchronize(*S), cudaSuccess);
  S.reset();
  for (int Device : {0, 1}) {
    ASSERT_EQ(B->unmap(At[Device], Bytes), cudaSuccess);
    P[Device].reset();
    B->release(At[Device], Bytes);
  }
}

/// A stream of device 0 that waits for a function of the other rank's device,
/// which waits to be told, and a free one.
struct HeldStreams {
  std::unique_ptr<Stream> Far, Waiting, Free;
  std::unique_ptr<Event> E;
  std::promise<void> Go;

  void make(Backend &B) {
    for (auto [S, Device] : {std::pair(&Far, 1), {&Waiting, 0}, {&Free, 0}})
      ASSERT_EQ(B.createStream(Device, StreamKind::NonBlocking, 0, *S),
                cudaSuccess);
    ASSERT_EQ(B.createEvent(1, cudaEventDisableTiming, E), cudaSuccess);
    ASSERT_EQ(B.hostFunction(*Far, [F = Go.get_future().share()] { F.wait(); }),
              cudaSuccess);
    ASSERT_EQ(B.record(*E, *Far), cudaSuccess);
    ASSERT_EQ(B.wait(*Waiting, *E), cudaSuccess);
  }
};

TEST(RankBackendTest, ALaunchIsNotHeldUpByAFunctionThatWaitsForIt) {
  const std::unique_ptr<Backend> B = makeLoopOfDriverLocks();
  ASSERT_TRUE(B);
  HeldStreams Of;
  ASSERT_NO_FATAL_FAILURE(Of.make(*B));
  // So many commands wait for the words, which wait for the function.
  for (unsigned I = 0; I != 300; ++I)
    ASSERT_EQ(B->hostFunction(*Of.Free, [] {}), cudaSuccess);
  Of.Go.set_value();
  EXPECT_EQ(B->synchronize(*Of.Free), cudaSuccess);
  EXPECT_EQ(B->synchronize(*Of.Waiting), cudaSuccess);
}

TEST(RankBackendTest, AWaitForARankHoldsNoHostFunctionsBack) {
  const std::unique_ptr<Backend> B = makeLoopOfOneHostThread();
  ASSERT_TRUE(B);
  HeldStreams Of;
  ASSERT_NO_FATAL_FAILURE(Of.make(*B));
  bool Ran = false;
  ASSERT_EQ(B->hostFunction(*Of.Free, [&] { Ran = true; }), cudaSuccess);
  EXPECT_EQ(B->synchronize(*Of.Free), cudaSuccess);
  EXPECT_TRUE(Ran);
  EXPECT_EQ(B->query(*Of.Waiting), cudaErrorNotReady);
  Of.Go.set_value();
  EXPECT_EQ(B->synchronize(*Of.Waiting), cudaSuccess);
}

} // namespace gridspan
