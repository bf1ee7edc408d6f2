//===- ResidentFramesTest.cpp - Managed memory left on devices ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that launch without waiting on managed memory that is paged: what
// stays on devices behind a launch, and that the host sees what CUDA promises.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/UntrackedCode.h"
#include "test/unit/runtime/TestRuntime.h"
#include <algorithm>
#include <functional>
#include <thread>

using namespace gridspan;

namespace {

constexpr uint64_t DeviceBytes = 1 << 20;
/// Floats: ten frames, and a piece of one.
constexpr int N = 10 * (1 << 13) + 100;
constexpr int Frame = 1 << 13;

float *managed(size_t Count, float Value) {
  void *Out = nullptr;
  EXPECT_EQ(__gridspan_cudaMallocManaged(&Out, Count * 4, cudaMemAttachGlobal),
            cudaSuccess);
  std::fill_n(static_cast<float *>(Out), Count, Value);
  return static_cast<float *>(Out);
}

PagedMemory &pagedOf(const void *P) {
  return *Runtime::existing()->memory().find(P)->Paged;
}

/// How many of the allocation's frames are on devices.
size_t kept(const void *P) {
  const std::vector<PagedMemory::Frame> &Frames = pagedOf(P).Frames;
  return static_cast<size_t>(std::count_if(
      Frames.begin(), Frames.end(), [](const auto &F) { return F.Device; }));
}

/// Devices that at times copy nothing.
class RefusingBackend : public BackendWithoutUnifiedMemory {
public:
  using BackendWithoutUnifiedMemory::BackendWithoutUnifiedMemory;
  static inline bool Refuses = false;
  cudaError_t copy(Stream &S, void *Dst, const void *Src,
                   size_t Bytes) override {
    return Refuses ? cudaErrorUnknown
                   : BackendWithoutUnifiedMemory::copy(S, Dst, Src, Bytes);
  }
};

class ResidentFramesOn : public testing::TestWithParam<unsigned> {
protected:
  ResidentFramesOn() {
    R.withoutChains(); // each launch is looked at by itself
    R.wrapBackend<BackendWithoutUnifiedMemory>();
    X = managed(N, 1);
    Y = managed(N, 2);
  }
  ~ResidentFramesOn() override {
    for (float *P : {X, Y})
      EXPECT_EQ(__gridspan_cudaFree(P), cudaSuccess);
  }
  /// Y += X from element Lo on; through both pointers every byte.
  cudaError_t add(int Lo, int Count,
                  const GridspanKernel &Kernel = fake::saxpy()) {
    return launch(Kernel, (Count + 255) / 256, 256, 0, nullptr, 1.0f,
                  static_cast<const float *>(X + Lo), Y + Lo, Count);
  }
  void expectY(float Value) {
    EXPECT_EQ(std::vector<float>(Y, Y + N), std::vector<float>(N, Value));
  }
  uint64_t broughtHome() { return R->record().ManagedWriteBacks.Bytes; }

  TestRuntime R{GetParam(), Schedule::Static, DeviceBytes};
  float *X = nullptr, *Y = nullptr;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, ResidentFramesOn,
                         testing::Values(1U, 2U, 4U));

TEST_P(ResidentFramesOn, StayBetweenLaunches) {
  const uint64_t Bytes = pagedOf(X).Bytes;
  for (int Round = 0; Round < 4; ++Round) {
    ASSERT_EQ(add(0, N), cudaSuccess);
    EXPECT_EQ(kept(X), pagedOf(X).Frames.size());
    EXPECT_EQ(kept(Y), pagedOf(Y).Frames.size());
  }
  const KernelRecord K = R.kernel("saxpy");
  EXPECT_EQ(K.OutOfCoreLaunches, 4U);
  EXPECT_EQ(K.OutOfCoreBytesIn, 2 * Bytes);
  // The first launch may be the only one, for all that is known.
  EXPECT_EQ(K.OutOfCoreBytesOut, Bytes);
  EXPECT_EQ(broughtHome(), 0U);
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  expectY(6);
  EXPECT_EQ(kept(X) + kept(Y), 0U);
  EXPECT_EQ(broughtHome(), Bytes);
  // What the host writes now is what the next launch finds.
  std::fill_n(X, N, 10.0f);
  Y[5] = 0;
  ASSERT_EQ(add(0, N), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(Y[5], 10);
  Y[5] = 16;
  expectY(16);
}

TEST_P(ResidentFramesOn, AreSavedByTheLaunchThatIsLikelyToBeTheLast) {
  const uint64_t Bytes = pagedOf(Y).Bytes;
  auto Run = [&](int Launches) {
    const uint64_t Before = R.kernel("saxpy").OutOfCoreBytesOut;
    const uint64_t Settled = broughtHome();
    for (int I = 0; I < Launches; ++I)
      EXPECT_EQ(add(0, N), cudaSuccess);
    EXPECT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
    return std::pair((R.kernel("saxpy").OutOfCoreBytesOut - Before) / Bytes,
                     (broughtHome() - Settled) / Bytes);
  };
  using Counts = std::pair<uint64_t, uint64_t>;
  ASSERT_EQ(add(0, N), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(Run(1), Counts(1, 0));
  EXPECT_EQ(Run(5), Counts(1, 1));
  EXPECT_EQ(Run(5), Counts(1, 0));
  EXPECT_EQ(Run(3), Counts(0, 1));
  EXPECT_EQ(Run(3), Counts(1, 0));
  expectY(2 + 18);
}

TEST_P(ResidentFramesOn, AreThoseOfWhichEveryByteIsAccessed) {
  // All but an element at either end.
  for (int Round = 0; Round < 3; ++Round) {
    ASSERT_EQ(add(1, N - 2), cudaSuccess);
    EXPECT_EQ(kept(Y), pagedOf(Y).Frames.size() - 2);
    EXPECT_FALSE(pagedOf(Y).Frames.front().Device);
    EXPECT_FALSE(pagedOf(Y).Frames.back().Device);
    // Nobody waits, as no kernel touches these.
    Y[0] = static_cast<float>(Round);
    Y[N - 1] = static_cast<float>(-Round);
    EXPECT_EQ(X[0], 1);
  }
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(Y[0], 2);
  EXPECT_EQ(Y[N - 1], -2);
  Y[0] = Y[N - 1] = 5;
  expectY(5);
}

TEST_P(ResidentFramesOn, LaunchesAddUpWhatTheyAccess) {
  const int Middle = 3 * Frame + 500;
  ASSERT_EQ(add(0, Middle), cudaSuccess);
  EXPECT_TRUE(pagedOf(Y).Frames[2].Device);
  EXPECT_FALSE(pagedOf(Y).Frames[3].Device);
  // The host may touch it until the next launch.
  Y[Middle] = 7;
  ASSERT_EQ(add(Middle, N - Middle), cudaSuccess);
  EXPECT_TRUE(pagedOf(Y).Frames[3].Device);
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(Y[Middle], 8);
  Y[Middle] = 3;
  expectY(3);
}

TEST_P(ResidentFramesOn, NothingAddsUpOverAWait) {
  const int Middle = 3 * Frame + 500;
  ASSERT_EQ(add(0, Middle), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  ASSERT_EQ(add(Middle, N - Middle), cudaSuccess);
  EXPECT_FALSE(pagedOf(Y).Frames[3].Device);
  // No kernel since uses this.
  Y[Middle - 1] = 9;
  ASSERT_EQ(add(Middle, N - Middle), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(Y[Middle - 1], 9);
  EXPECT_EQ(Y[Middle], 4);
}

TEST_P(ResidentFramesOn, MayBeMoreThanThereIsRoomFor) {
  constexpr int Much = 5 << 19;
  float *A = managed(Much, 1), *B = managed(Much, 0);
  for (int Round = 0; Round < 6; ++Round)
    ASSERT_EQ(launch(fake::saxpy(), Much / 256, 256, 0, nullptr, 1.0f,
                     static_cast<const float *>(Round % 2 ? B : A),
                     Round % 2 ? A : B, Much),
              cudaSuccess);
  const KernelRecord K = R.kernel("saxpy");
  // Some of it needs neither to go nor to come.
  EXPECT_LT(K.OutOfCoreBytesOut, 6ULL * Much * 4);
  EXPECT_LT(K.OutOfCoreBytesIn, 12ULL * Much * 4);
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  // 1 0, 1 1, 2 1, 2 3, 5 3, 5 8, 13 8
  EXPECT_EQ(std::count(A, A + Much, 13.0f), Much);
  EXPECT_EQ(std::count(B, B + Much, 8.0f), Much);
  for (float *P : {A, B})
    EXPECT_EQ(__gridspan_cudaFree(P), cudaSuccess);
}

TEST_P(ResidentFramesOn, GoHomeWhenACallMayTellSomething) {
  cudaStream_t Other = nullptr;
  cudaEvent_t E = nullptr;
  ASSERT_EQ(__gridspan_cudaStreamCreate(&Other), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaEventCreate(&E), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaEventRecord(E, nullptr), cudaSuccess);
  float Buffer[4] = {};
  void *Out = nullptr;
  cudaMemLocation Device = {};
  Device.type = cudaMemLocationTypeDevice;
  const std::function<cudaError_t()> Calls[] = {
      [&] { return __gridspan_cudaDeviceSynchronize(); },
      [&] { return __gridspan_cudaStreamSynchronize(nullptr); },
      [&] { return __gridspan_cudaStreamSynchronize_ptsz(nullptr); },
      [&] { return __gridspan_cudaStreamQuery(Other); },
      [&] { return __gridspan_cudaEventQuery(E); },
      [&] { return __gridspan_cudaEventSynchronize(E); },
      [&] {
        return __gridspan_cudaLaunchHostFunc(nullptr, [](void *) {}, nullptr);
      },
      [&] { return __gridspan_cudaMemcpy(Buffer, X, 16, cudaMemcpyDefault); },
      [&] {
        return __gridspan_cudaMemcpyAsync(Buffer, Buffer + 1, 4,
                                          cudaMemcpyHostToHost, nullptr);
      },
      [&] { return __gridspan_cudaMemset(X, 0, 0); },
      [&] { return __gridspan_cudaMemPrefetchAsync(X, 4, Device, 0, nullptr); },
      [&] { return __gridspan_cudaMalloc(&Out, 16); },
      [&] { return __gridspan_cudaFree(Out); },
      [&] { return __gridspan_cudaFree(nullptr); },
      [&] { return __gridspan_cudaMallocHost(&Out, 16); },
      [&] { return __gridspan_cudaFreeHost(Out); },
      [&] { return __gridspan_cudaStreamDestroy(Other); },
  };
  float Expected = 2;
  for (const auto &Call : Calls) {
    SCOPED_TRACE(&Call - Calls);
    ASSERT_EQ(add(0, N), cudaSuccess);
    Expected += 1;
    ASSERT_EQ(kept(Y), pagedOf(Y).Frames.size());
    ASSERT_EQ(Call(), cudaSuccess);
    EXPECT_EQ(kept(X) + kept(Y), 0U);
    EXPECT_EQ(std::count(Y, Y + N, Expected), N);
  }
  EXPECT_EQ(__gridspan_cudaEventDestroy(E), cudaSuccess);
}

TEST_P(ResidentFramesOn, GoHomeWhenAnotherThreadMayKnow) {
  float Expected = 2;
  for (int Round = 0; Round < 20; ++Round) {
    ASSERT_EQ(add(0, N), cudaSuccess);
    ASSERT_EQ(add(0, N), cudaSuccess);
    Expected += 2;
    // Two ask at a time, and both may look at once.
    auto Look = [&] {
      EXPECT_EQ(__gridspan_cudaStreamSynchronize(nullptr), cudaSuccess);
      EXPECT_EQ(std::count(Y, Y + N, Expected), N);
    };
    std::thread One(Look), Other(Look);
    One.join();
    Other.join();
    EXPECT_EQ(kept(X) + kept(Y), 0U);
  }
}

TEST_P(ResidentFramesOn, StayWhenACallTellsNothing) {
  int Number = 0;
  cudaFuncAttributes Attributes;
  const void *Function = fake::saxpy().HostStub;
  cudaEvent_t E = nullptr, Other = nullptr;
  cudaStream_t S = nullptr;
  float *const Device = toDevice(std::vector<float>(512, 3));
  ASSERT_EQ(__gridspan_cudaStreamCreate(&S), cudaSuccess);
  ASSERT_EQ(add(0, N), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaEventCreate(&E), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaEventCreate(&Other), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaEventDestroy(Other), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaEventRecord(E, nullptr), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaStreamWaitEvent(S, E, 0), cudaSuccess);
  // CUDA waits for none of these either.
  EXPECT_EQ(__gridspan_cudaMemset(Device, 0, 1024), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaMemcpy(Device + 256, Device, 1024,
                                  cudaMemcpyDeviceToDevice),
            cudaSuccess);
  EXPECT_EQ(__gridspan_cudaMemcpyAsync(Device, Device + 256, 1024,
                                       cudaMemcpyDefault, nullptr),
            cudaSuccess);
  EXPECT_EQ(__gridspan_cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaPeekAtLastError(), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaGetDevice(&Number), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaGetDeviceCount(&Number), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaDeviceGetAttribute(
                &Number, cudaDevAttrMultiProcessorCount, 0),
            cudaSuccess);
  EXPECT_EQ(__gridspan_cudaFuncGetAttributes(&Attributes, Function),
            cudaSuccess);
  EXPECT_EQ(__gridspan_cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                &Number, Function, 256, 0),
            cudaSuccess);
  EXPECT_EQ(kept(X) + kept(Y), 2 * pagedOf(Y).Frames.size());
  // Waiting for the event does.
  EXPECT_EQ(__gridspan_cudaEventSynchronize(E), cudaSuccess);
  EXPECT_EQ(kept(X) + kept(Y), 0U);
  EXPECT_EQ(__gridspan_cudaEventDestroy(E), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaStreamDestroy(S), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaFree(Device), cudaSuccess);
}

/// Of fills and copies of managed memory the host learns by waiting, like that
/// of kernels, if they are asynchronous.
TEST(ResidentFrames, StayAmongFillsAndCopiesThatAreChained) {
  for (const unsigned Devices : {1U, 3U}) {
    TestRuntime R(Devices, Schedule::Static, DeviceBytes);
    R.wrapBackend<BackendWithoutUnifiedMemory>();
    float *const X = managed(N, 1), *const Y = managed(N, 2);
    const auto Add = [&](int Lo, int Count) {
      return launch(fake::saxpy(), (Count + 255) / 256, 256, 0, nullptr, 1.0f,
                    static_cast<const float *>(X + Lo), Y + Lo, Count);
    };
    const auto Bytes = reinterpret_cast<unsigned char *>(Y);
    ASSERT_EQ(Add(0, N - 8), cudaSuccess); // 3
    // From the middle of one element to that of another one.
    ASSERT_EQ(
        __gridspan_cudaMemsetAsync(Bytes + 4 * Frame + 2, 0, 4000, nullptr),
        cudaSuccess);
    ASSERT_EQ(__gridspan_cudaMemcpyAsync(X + 7, Y + 2 * Frame, 8000,
                                         cudaMemcpyDefault, nullptr),
              cudaSuccess);
    ASSERT_EQ(Add(0, N - 8), cudaSuccess);
    EXPECT_EQ(R.kernel("saxpy").OutOfCoreLaunches, 0U);
    // No kernel uses this.
    X[N - 1] = 70;
    Y[N - 1] = 71;
    ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(R.kernel("saxpy").ChainedLaunches, 2U);
    EXPECT_EQ(R.kernel("cudaMemset").ChainedLaunches, 1U);
    EXPECT_EQ(R.kernel("cudaMemcpy").ChainedLaunches, 1U);
    EXPECT_EQ(R->record().Fills.Bytes, 4000U);
    EXPECT_EQ(kept(X) + kept(Y), 0U);
    std::vector<float> WantX(N, 1), WantY(N, 2);
    std::fill_n(WantY.begin(), N - 8, 3.0f);
    std::fill_n(reinterpret_cast<unsigned char *>(WantY.data()) + 4 * Frame + 2,
                4000, static_cast<unsigned char>(0));
    std::copy_n(WantY.begin() + 2 * Frame, 2000, WantX.begin() + 7);
    for (int I = 0; I < N - 8; ++I)
      WantY[I] += WantX[I];
    WantX[N - 1] = 70;
    WantY[N - 1] = 71;
    EXPECT_EQ(std::vector<float>(X, X + N), WantX);
    EXPECT_EQ(std::vector<float>(Y, Y + N), WantY);
    // What is synchronous is done when it returns.
    ASSERT_EQ(Add(0, N - 8), cudaSuccess);
    ASSERT_EQ(__gridspan_cudaMemset(Y, 0, 4 * N), cudaSuccess);
    EXPECT_EQ(std::count(Y, Y + N, 0.0f), N);
    ASSERT_EQ(Add(0, N - 8), cudaSuccess);
    ASSERT_EQ(__gridspan_cudaMemcpy(X, Y, 4 * N, cudaMemcpyDefault),
              cudaSuccess);
    std::fill_n(WantX.end() - 8, 8, 0.0f);
    EXPECT_EQ(std::vector<float>(X, X + N), WantX);
    EXPECT_EQ(__gridspan_cudaFree(X), cudaSuccess);
    EXPECT_EQ(__gridspan_cudaFree(Y), cudaSuccess);
  }
}

TEST_P(ResidentFramesOn, GoHomeBeforeALaunchThatMayTellSomething) {
  GridspanKernel LoudLike = fake::saxpy(), UnknownLike = fake::saxpy();
  LoudLike.Flags = 0;
  UnknownLike.Flags |= GridspanUnknownWrite;
  const fake::OwnKernel Loud(LoudLike), Unknown(UnknownLike);
  std::vector<float> Zeros(256);
  float *D = toDevice(Zeros);
  void *Pinned = nullptr;
  ASSERT_EQ(__gridspan_cudaMallocHost(&Pinned, 1024), cudaSuccess);
  auto *H = static_cast<float *>(Pinned);
  std::fill_n(H, 256, 0.0f);
  auto Small = [](const GridspanKernel &K, const float *From, float *To) {
    return launch(K, 1, 256, 0, nullptr, 1.0f, From, To, 256);
  };
  struct Case {
    bool Stay;
    std::function<cudaError_t()> Launch;
  } Cases[] = {
      {true, [&] { return Small(fake::saxpy(), D, D); }},
      {true, [&] { return Small(fake::saxpy(), H, D); }}, // reads only
      {false, [&] { return Small(fake::saxpy(), D, H); }},
      {false, [&] { return Small(Loud.get(), D, D); }},
      {false, [&] { return Small(Unknown.get(), D, D); }},
      {false, [&] { return add(0, N, Loud.get()); }},
      {false, [&] { return add(0, N, Unknown.get()); }},
  };
  for (const Case &C : Cases) {
    SCOPED_TRACE(&C - Cases);
    ASSERT_EQ(add(0, N), cudaSuccess);
    ASSERT_EQ(kept(Y), pagedOf(Y).Frames.size());
    ASSERT_EQ(C.Launch(), cudaSuccess);
    EXPECT_EQ(kept(X) + kept(Y), C.Stay ? 2 * pagedOf(Y).Frames.size() : 0);
  }
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  expectY(2 + std::size(Cases) + 2);
  EXPECT_EQ(__gridspan_cudaFree(D), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaFreeHost(H), cudaSuccess);
}

TEST_P(ResidentFramesOn, AreNotSavedWhenTheyAreFreed) {
  float *Z = managed(N, 3);
  ASSERT_EQ(add(0, N), cudaSuccess); // saves Y
  ASSERT_EQ(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 1.0f,
                   static_cast<const float *>(X), Z, N),
            cudaSuccess);
  ASSERT_GT(kept(Z), 0U);
  EXPECT_EQ(__gridspan_cudaFree(Z), cudaSuccess);
  EXPECT_EQ(broughtHome(), 0U);
  EXPECT_EQ(kept(X) + kept(Y), 0U);
  expectY(3);
}

TEST_P(ResidentFramesOn, AreNoneWhereWorkMayBeUnseen) {
  R->launches().executor().distrustReplicas();
  for (int Round = 0; Round < 2; ++Round) {
    ASSERT_EQ(add(0, N), cudaSuccess);
    EXPECT_EQ(kept(X) + kept(Y), 0U);
  }
  expectY(4);
}

TEST(ResidentFrames, GoHomeBeforeALaunchThatMayWriteAFlag) {
  TestRuntime R(1, Schedule::Static, DeviceBytes);
  R.withoutChains();
  constexpr int Much = 1 << 18, Some = 1 << 14;
  // In memory the backend's own, which does not have to come home.
  float *Flags = managed(256, 0), *Unified = managed(Some, 0),
        *X = managed(Much, 1);
  ASSERT_FALSE(R->memory().find(Flags)->Paged);
  ASSERT_FALSE(R->memory().find(Unified)->Paged);
  ASSERT_TRUE(R->memory().find(X)->Paged);
  auto Add = [](float *P, int Count) {
    return launch(fake::saxpy(), Count / 256, 256, 0, nullptr, 1.0f,
                  static_cast<const float *>(P), P, Count);
  };
  ASSERT_EQ(Add(X, Much), cudaSuccess);
  const size_t Before = kept(X);
  EXPECT_GT(Before, 0U);
  ASSERT_EQ(Add(Unified, Some), cudaSuccess);
  EXPECT_EQ(kept(X), Before);
  ASSERT_EQ(Add(Flags, 256), cudaSuccess);
  EXPECT_EQ(kept(X), 0U);
  EXPECT_EQ(std::count(X, X + Much, 2.0f), Much);
  for (float *P : {Flags, Unified, X})
    EXPECT_EQ(__gridspan_cudaFree(P), cudaSuccess);
}

TEST(ResidentFrames, AreNoneWhereCallsAreNotSeen) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto Run = [] {
    __gridspan_unseen_work("cudaMemcpyToArray");
    TestRuntime R(2, Schedule::Static, DeviceBytes);
    R.wrapBackend<BackendWithoutUnifiedMemory>();
    float *X = managed(N, 1);
    const bool Right = !launch(fake::saxpy(), (N + 255) / 256, 256, 0, nullptr,
                               1.0f, static_cast<const float *>(X), X, N) &&
                       kept(X) == 0 && std::count(X, X + N, 2.0f) == N;
    _exit(Right ? 0 : 1);
  };
  EXPECT_EXIT(Run(), testing::ExitedWithCode(0), "");
}

TEST(ResidentFrames, StayWhenTheyCannotBeSavedAndAreSavedLater) {
  TestRuntime R(2, Schedule::Static, DeviceBytes);
  R.withoutChains();
  R.wrapBackend<RefusingBackend>();
  float *X = managed(N, 1);
  // What the first one writes is saved by itself.
  for (int Round = 0; Round < 2; ++Round)
    ASSERT_EQ(launch(fake::saxpy(), (N + 255) / 256, 256, 0, nullptr, 1.0f,
                     static_cast<const float *>(X), X, N),
              cudaSuccess);
  const size_t Frames = pagedOf(X).Frames.size();
  ASSERT_EQ(kept(X), Frames);
  RefusingBackend::Refuses = true;
  void *Out = nullptr;
  EXPECT_EQ(__gridspan_cudaDeviceSynchronize(), cudaErrorUnknown);
  EXPECT_EQ(__gridspan_cudaGetLastError(), cudaErrorUnknown);
  EXPECT_EQ(__gridspan_cudaMalloc(&Out, 16), cudaErrorUnknown);
  EXPECT_EQ(kept(X), Frames);
  RefusingBackend::Refuses = false;
  EXPECT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(kept(X), 0U);
  EXPECT_EQ(std::count(X, X + N, 4.0f), N);
  EXPECT_EQ(__gridspan_cudaFree(X), cudaSuccess);
}
