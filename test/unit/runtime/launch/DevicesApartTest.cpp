//===- DevicesApartTest.cpp - What stays where it was written -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ForwardingBackend.h"
#include "runtime/support/UntrackedCode.h"
#include "test/unit/runtime/TestRuntime.h"
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

using namespace gridspan;

namespace {

/// Counts waits for events that a tile of the present launch has recorded
/// behind its kernel, by streams of tiles that have not been launched.
class OrderBackend : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  static inline std::set<const Stream *> Launched;
  static inline std::set<const Event *> Behind;
  static inline int Waits = 0;
  static void begin() {
    Launched.clear();
    Behind.clear();
  }

  cudaError_t launch(Stream &S, const LaunchTarget &Target,
                     const LaunchShape &Shape, void *const *Args,
                     const GridspanTile *Tile) override {
    Launched.insert(&S);
    return ForwardingBackend::launch(S, Target, Shape, Args, Tile);
  }
  cudaError_t record(Event &E, Stream &S) override {
    if (Launched.count(&S))
      Behind.insert(&E);
    return ForwardingBackend::record(E, S);
  }
  cudaError_t wait(Stream &S, Event &E) override {
    Waits += Behind.count(&E) && !Launched.count(&S);
    return ForwardingBackend::wait(S, E);
  }
};

/// Copies that the carrier makes come late.
class LateCopies : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  static inline std::atomic<bool> Late = false;
  cudaError_t copy(Stream &S, void *Dst, const void *Src,
                   uint64_t Bytes) override {
    if (Late)
      if (cudaError_t Error = ForwardingBackend::hostFunction(S, [] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
          }))
        return Error;
    return ForwardingBackend::copy(S, Dst, Src, Bytes);
  }
};

/// Copies and fills that are refused.
class RefusedCopies : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  static inline std::atomic<bool> Refuse = false;
  cudaError_t copy(Stream &S, void *Dst, const void *Src,
                   uint64_t Bytes) override {
    return Refuse ? cudaErrorInvalidValue
                  : ForwardingBackend::copy(S, Dst, Src, Bytes);
  }
  cudaError_t fill(Stream &S, void *Dst, int Byte, uint64_t Bytes) override {
    return Refuse ? cudaErrorInvalidValue
                  : ForwardingBackend::fill(S, Dst, Byte, Bytes);
  }
};

/// Tiles of some devices come late. Devices 0 and 1 may reach each other alone.
class LateTiles : public ForwardingBackend {
public:
  explicit LateTiles(std::unique_ptr<Backend> Inner)
      : ForwardingBackend(std::move(Inner)), Info(ForwardingBackend::system()) {
    if (!Linked)
      return;
    for (std::vector<double> &Row : Info.PeerBandwidth)
      Row.assign(Row.size(), 0);
    Info.PeerBandwidth[0][1] = Info.PeerBandwidth[1][0] = 4e9;
    Info.PeerAtomics = false;
  }
  const SystemInfo &system() const override { return Info; }
  cudaError_t launch(Stream &S, const LaunchTarget &Target,
                     const LaunchShape &Shape, void *const *Args,
                     const GridspanTile *Tile) override {
    if (LateDevices >> S.device() & 1)
      if (cudaError_t Error = ForwardingBackend::hostFunction(S, [] {
            std::this_thread::sleep_for(std::chrono::milliseconds(8));
          }))
        return Error;
    return ForwardingBackend::launch(S, Target, Shape, Args, Tile);
  }
  static inline unsigned LateDevices = 0; ///< a bit for each
  static inline bool Linked = false;

private:
  SystemInfo Info;
};

/// Steps of a stencil on three devices, of which some are late, are those of
/// one device.
void expectRightSteps(unsigned Late, bool Linked, bool Managed) {
  constexpr int W = 96, H = 96, Bytes = W * H * sizeof(float);
  std::vector<float> Start(W * H);
  for (size_t I = 0; I < Start.size(); ++I)
    Start[I] = static_cast<float>(I * 7 % 1009);
  auto Run = [&] {
    float *Buffers[2];
    for (float *&P : Buffers) {
      void *Out = nullptr;
      EXPECT_EQ(Managed ? __gridspan_cudaMallocManaged(&Out, Bytes,
                                                       cudaMemAttachGlobal)
                        : __gridspan_cudaMalloc(&Out, Bytes),
                cudaSuccess);
      P = static_cast<float *>(Out);
      EXPECT_EQ(
          __gridspan_cudaMemcpy(P, Start.data(), Bytes, cudaMemcpyHostToDevice),
          cudaSuccess);
    }
    auto [In, Out] = Buffers;
    for (int Step = 0; Step < 12; ++Step, std::swap(In, Out))
      EXPECT_EQ(launch(fake::stencil(), dim3(W / 32, H / 8), dim3(32, 8), 0,
                       nullptr, Out, static_cast<const float *>(In), W, H),
                cudaSuccess);
    return fromDevice(In, W * H);
  };
  LateTiles::LateDevices = Late;
  LateTiles::Linked = Linked;
  std::vector<float> Got;
  {
    TestRuntime R(3, Schedule::Static, 0, Linked);
    R.wrapBackend<LateTiles>();
    Got = Run();
    EXPECT_EQ(R.kernel("stencil").SplitLaunches, 12U);
  }
  TestRuntime One(1, Schedule::Single);
  EXPECT_TRUE(Got == Run()) << "late: " << Late;
}

cudaError_t add(const float *X, float *Y, int N, cudaStream_t S = nullptr) {
  return launch(fake::saxpy(), (N + 99) / 100, 100, 0, S, 2.0f, X, Y, N);
}

TEST(DevicesApart, TilesDoNotWaitForEachOther) {
  TestRuntime R(4, Schedule::Static, 0, false);
  R.wrapBackend<OrderBackend>();
  const int W = 256, H = 512;
  float *In = toDevice(std::vector<float>(W * H, 1)),
        *Out = toDevice(std::vector<float>(W * H, 1));
  OrderBackend::Waits = 0;
  for (int I = 0; I < 6; ++I) {
    OrderBackend::begin();
    ASSERT_EQ(launch(fake::stencil(), dim3(W / 32, H / 8), dim3(32, 8), 0,
                     nullptr, Out, static_cast<const float *>(In), W, H),
              cudaSuccess);
    EXPECT_EQ(OrderBackend::Launched.size(), 4U);
    std::swap(In, Out);
  }
  EXPECT_GT(R->record().Replicas.Count, 12U);
  EXPECT_EQ(OrderBackend::Waits, 0);
}

TEST(DevicesApart, SeamsWaitForWhoWritesThem) {
  for (unsigned Late = 0; Late != 8; ++Late)
    expectRightSteps(Late, false, false);
}

/// Tiles give back what they write, as the host may look.
TEST(DevicesApart, SeamsWaitForWhatIsGivenBack) {
  for (unsigned Late = 0; Late != 8; ++Late)
    expectRightSteps(Late, false, true);
}

/// The tile of device 1 writes at home, and device 2 gets it from there.
TEST(DevicesApart, SeamsWaitForTilesThatReachHome) {
  for (unsigned Late = 0; Late != 8; ++Late)
    expectRightSteps(Late, true, false);
}

TEST(DevicesApart, NothingIsAwayWhereCallsAreNotSeen) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto Run = [] {
    __gridspan_unseen_work("cudaMemcpyBatchAsync");
    TestRuntime R(2, Schedule::Static, 0, false);
    const int N = 40000;
    float *X = toDevice(std::vector<float>(N, 1)),
          *Y = toDevice(std::vector<float>(N, 0));
    const bool Right = !add(X, Y, N) && !R->memory().owned().any() &&
                       R->record().WriteBacks.Bytes > 0 &&
                       R.kernel("saxpy").SplitLaunches == 1;
    _exit(Right ? 0 : 1);
  };
  EXPECT_EXIT(Run(), testing::ExitedWithCode(0), "");
}

TEST(DevicesApart, MemoryIsFreeBehindWhatItsHomeWasToBeGiven) {
  TestRuntime R(2, Schedule::Static, 0, false);
  R.wrapBackend<LateCopies>();
  const int N = 1 << 18;
  float *X = toDevice(std::vector<float>(N, 1));
  void *Y = nullptr, *Next = nullptr;
  cudaStream_t S = nullptr, T = nullptr;
  for (cudaStream_t *Of : {&S, &T})
    ASSERT_EQ(__gridspan_cudaStreamCreateWithFlags(Of, cudaStreamNonBlocking),
              cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMalloc(&Y, N * sizeof(float)), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMemsetAsync(Y, 0, N * sizeof(float), S),
            cudaSuccess);
  ASSERT_EQ(__gridspan_cudaStreamSynchronize(S), cudaSuccess);
  ASSERT_EQ(add(X, static_cast<float *>(Y), N, S), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaStreamSynchronize(S), cudaSuccess);
  ASSERT_TRUE(R->memory().owned().any());
  // T asks for all that there is. Then S frees what the carrier still writes.
  LateCopies::Late = true;
  float *Table = toDevice(std::vector<float>(2));
  float *Z = toDevice(std::vector<float>(N, 0));
  ASSERT_EQ(__gridspan_cudaMemcpy(Table, &X, sizeof(X), cudaMemcpyHostToDevice),
            cudaSuccess);
  ASSERT_EQ(launch(fake::follow(), N / 256, 256, 0, T,
                   reinterpret_cast<float *const *>(Table), Z, N),
            cudaSuccess);
  ASSERT_EQ(__gridspan_cudaFreeAsync(Y, S), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaStreamSynchronize(S), cudaSuccess);
  LateCopies::Late = false;
  ASSERT_EQ(__gridspan_cudaMalloc(&Next, N * sizeof(float)), cudaSuccess);
  const std::vector<float> Sevens(N, 7);
  ASSERT_EQ(__gridspan_cudaMemcpy(Next, Sevens.data(), N * sizeof(float),
                                  cudaMemcpyHostToDevice),
            cudaSuccess);
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(fromDevice(static_cast<float *>(Next), N), Sevens);
}

/// As another thread's launch finds it that comes before the call returns.
TEST(DevicesApart, LaunchesWaitForCopiesWhoseCallsHaveNotReturned) {
  TestRuntime R(2, Schedule::Static, 0, false);
  R.wrapBackend<LateCopies>();
  const int N = 40000;
  float *X = toDevice(std::vector<float>(N, 1)),
        *Y = toDevice(std::vector<float>(N, 0)),
        *Threes = toDevice(std::vector<float>(N, 3));
  ASSERT_EQ(add(X, Y, N), cudaSuccess);
  ASSERT_EQ(add(X, Y, N), cudaSuccess);
  const auto S = R->streams().find(nullptr, DefaultStream::Legacy);
  ASSERT_TRUE(S);
  LateCopies::Late = true;
  ASSERT_EQ(R->copies().copy(**S, X, Threes, N * sizeof(float)), cudaSuccess);
  LateCopies::Late = false;
  ASSERT_EQ(add(X, Y, N), cudaSuccess);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 10));
}

TEST(DevicesApart, AFailedCopyLeavesWhatWasThere) {
  TestRuntime R(2, Schedule::Static, 0, false);
  R.wrapBackend<RefusedCopies>();
  const int N = 40000;
  float *X = toDevice(std::vector<float>(N, 1)),
        *Y = toDevice(std::vector<float>(N, 0));
  const std::vector<float> Other(N, 9);
  ASSERT_EQ(add(X, Y, N), cudaSuccess);
  RefusedCopies::Refuse = true;
  EXPECT_NE(__gridspan_cudaMemcpyAsync(Y, Other.data(), N * sizeof(float),
                                       cudaMemcpyHostToDevice, nullptr),
            cudaSuccess);
  EXPECT_NE(__gridspan_cudaMemsetAsync(Y, 0, N * sizeof(float), nullptr),
            cudaSuccess);
  RefusedCopies::Refuse = false;
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 2));
}

TEST(DevicesApart, AllComesHomeBeforeALaunchThatMayWait) {
  TestRuntime R(2, Schedule::Static, 0, false);
  const int N = 40000;
  float *X = toDevice(std::vector<float>(N, 1)),
        *Y = toDevice(std::vector<float>(N, 0)),
        *Z = toDevice(std::vector<float>(N, 0));
  ASSERT_EQ(add(X, Y, N), cudaSuccess);
  ASSERT_TRUE(R->memory().owned().any());
  cudaStream_t Waiting = nullptr, Other = nullptr;
  for (cudaStream_t *S : {&Waiting, &Other})
    ASSERT_EQ(__gridspan_cudaStreamCreateWithFlags(S, cudaStreamNonBlocking),
              cudaSuccess);
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  Gate Held;
  Held.close(Waiting);
  const uint64_t Before = R->record().WriteBacks.Bytes;
  ASSERT_EQ(add(X, Z, N, Waiting), cudaSuccess);
  // Y, which the launch does not touch, was half away.
  EXPECT_GE(R->record().WriteBacks.Bytes - Before, 4ULL * N - 4096);
  Held.open();
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 2));
  EXPECT_EQ(fromDevice(Z, N), std::vector<float>(N, 2));
}

} // namespace
