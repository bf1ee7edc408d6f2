//===- DeferredLaunchesTest.cpp - Launches that wait for others -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs larger than devices of 256 KiB, through the entry points: what waits,
// what makes it run, and what it finds then.
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/TestRuntime.h"
#include <atomic>
#include <thread>

using namespace gridspan;

namespace {

constexpr int N = 1 << 17;

class DeferredLaunchesTest : public testing::TestWithParam<unsigned> {
protected:
  void SetUp() override {
    X = toDevice(std::vector<float>(N, 1));
    Y = toDevice(std::vector<float>(N, 2));
  }
  cudaError_t add(cudaStream_t S = nullptr, float Factor = 1, int Count = N) {
    return launch(fake::saxpy(), N / 256, 256, 0, S, Factor,
                  static_cast<const float *>(X), Y, Count);
  }
  uint64_t streamed() { return R.kernel("saxpy").OutOfCoreLaunches; }
  uint64_t chained() { return R.kernel("saxpy").ChainedLaunches; }

  TestRuntime R{GetParam(), Schedule::Static, 1 << 18};
  float *X = nullptr, *Y = nullptr;
};

/// Refuses launches while it is asked to.
class BackendThatRefuses : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  static inline std::atomic<bool> Refuses = false;
  static inline std::atomic<int> Refused = 0;
  cudaError_t launch(Stream &S, const LaunchTarget &Target,
                     const LaunchShape &Shape, void *const *Args,
                     const GridspanTile *Tile) override {
    Refused += Refuses;
    return Refuses ? cudaErrorLaunchOutOfResources
                   : ForwardingBackend::launch(S, Target, Shape, Args, Tile);
  }
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, DeferredLaunchesTest, testing::Values(1, 3));

TEST_P(DeferredLaunchesTest, RunTogetherWhenTheProgramLooks) {
  for (int I = 0; I < 5; ++I)
    ASSERT_EQ(add(), cudaSuccess);
  EXPECT_EQ(streamed(), 0U);
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(streamed(), 5U);
  EXPECT_EQ(chained(), 5U);
  // X once, and Y once each way.
  EXPECT_LE(R.kernel("saxpy").OutOfCoreBytesIn, 8U * N);
  EXPECT_LE(R.kernel("saxpy").OutOfCoreBytesOut, 4U * N);
  EXPECT_EQ(R.kernel("saxpy").DevicesMax, GetParam());
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 7));
}

TEST_P(DeferredLaunchesTest, HaveTheirOwnArguments) {
  for (int I = 0; I < 4; ++I)
    ASSERT_EQ(add(nullptr, static_cast<float>(I), N / (I + 1)), cudaSuccess);
  const std::vector<float> Got = fromDevice(Y, N);
  for (int At : {0, N / 4, N / 3, N / 2, N - 1}) {
    float Expected = 2;
    for (int I = 0; I < 4; ++I)
      Expected += At < N / (I + 1) ? static_cast<float>(I) : 0;
    EXPECT_EQ(Got[At], Expected) << At;
  }
  EXPECT_EQ(chained(), 4U);
}

TEST_P(DeferredLaunchesTest, RunBeforeWhatOrdersOrTouchesMemory) {
  uint64_t Ran = 0;
  const auto ExpectRun = [&] {
    EXPECT_EQ(streamed(), ++Ran);
    ASSERT_EQ(add(), cudaSuccess);
    EXPECT_EQ(streamed(), Ran);
  };
  ASSERT_EQ(add(), cudaSuccess);
  cudaEvent_t Event = nullptr;
  ASSERT_EQ(__gridspan_cudaEventCreate(&Event), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaEventRecord(Event, nullptr), cudaSuccess);
  EXPECT_EQ(streamed(), Ran);
  ASSERT_EQ(__gridspan_cudaEventSynchronize(Event), cudaSuccess);
  ExpectRun();
  ASSERT_EQ(__gridspan_cudaStreamWaitEvent(nullptr, Event, 0), cudaSuccess);
  ExpectRun();
  const float One = 1;
  ASSERT_EQ(
      __gridspan_cudaMemcpyAsync(X, &One, 4, cudaMemcpyHostToDevice, nullptr),
      cudaSuccess);
  ExpectRun();
  ASSERT_EQ(__gridspan_cudaStreamQuery(nullptr), cudaSuccess);
  ExpectRun();
  ASSERT_EQ(__gridspan_cudaFree(toDevice(std::vector<float>(4, 1))),
            cudaSuccess);
  ExpectRun();
  // A kernel that may touch anything.
  ASSERT_EQ(launch(fake::lookBack(), 1, 256, 0, nullptr,
                   static_cast<const float *>(X), Y, 0),
            cudaSuccess);
  ExpectRun();
  // Looking at devices is nothing that concerns them.
  int Device = 1;
  ASSERT_EQ(__gridspan_cudaGetDevice(&Device), cudaSuccess);
  EXPECT_EQ(streamed(), Ran);
  EXPECT_EQ(__gridspan_cudaEventDestroy(Event), cudaSuccess);
}

TEST_P(DeferredLaunchesTest, FillsAndCopiesOfDeviceMemoryWaitWithThem) {
  float *Z = toDevice(std::vector<float>(N, 7));
  ASSERT_EQ(add(), cudaSuccess); // Y is 3
  ASSERT_EQ(__gridspan_cudaMemsetAsync(Y + 100, 0, 4000, nullptr), cudaSuccess);
  ASSERT_EQ(add(), cudaSuccess); // 4, but for 1000 elements
  ASSERT_EQ(__gridspan_cudaMemcpyAsync(Z, Y + 50, 4 * (N - 50),
                                       cudaMemcpyDeviceToDevice, nullptr),
            cudaSuccess);
  ASSERT_EQ(add(), cudaSuccess);
  // The host's calls that CUDA does not wait in either.
  ASSERT_EQ(__gridspan_cudaMemcpy(Y + 2000, Z, 40, cudaMemcpyDefault),
            cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMemset(Y, 0, 8), cudaSuccess);
  EXPECT_EQ(streamed(), 0U);
  std::vector<float> WantY(N, 4), WantZ(N, 7);
  std::fill_n(WantY.begin() + 100, 1000, 1.0f);
  std::copy(WantY.begin() + 50, WantY.end(), WantZ.begin());
  for (float &F : WantY)
    F += 1;
  std::copy_n(WantZ.begin(), 10, WantY.begin() + 2000);
  std::fill_n(WantY.begin(), 2, 0.0f);
  EXPECT_EQ(fromDevice(Y, N), WantY);
  EXPECT_EQ(fromDevice(Z, N), WantZ);
  EXPECT_EQ(__gridspan_cudaFree(Z), cudaSuccess);
  EXPECT_EQ(chained(), 3U);
  EXPECT_EQ(R.kernel("cudaMemset").ChainedLaunches, 2U);
  EXPECT_EQ(R.kernel("cudaMemcpy").ChainedLaunches, 2U);
  EXPECT_EQ(R->record().Fills.Count, 2U);
}

TEST_P(DeferredLaunchesTest, FillsAndCopiesOfRowsAndBoxesWaitWithThem) {
  constexpr size_t Pitch = 1024, Rows = 4 * N / Pitch, Row = Pitch / 4;
  float *Z = toDevice(std::vector<float>(N, 7));
  ASSERT_EQ(add(), cudaSuccess); // Y is 3
  // The first 10 columns of Y.
  ASSERT_EQ(__gridspan_cudaMemset2DAsync(Y, Pitch, 0, 40, Rows, nullptr),
            cudaSuccess);
  ASSERT_EQ(add(), cudaSuccess); // 4, and 1
  // Columns 5 to 25 of Y to 100 to 120 of Z; and within Z, a quarter of the
  // rows.
  ASSERT_EQ(__gridspan_cudaMemcpy2DAsync(Z + 100, Pitch, Y + 5, Pitch, 80, Rows,
                                         cudaMemcpyDefault, nullptr),
            cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMemcpy2D(Z + 130, Pitch, Z + 100, Pitch, 80,
                                    Rows / 4, cudaMemcpyDeviceToDevice),
            cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMemset2D(Z, Pitch, 0, 8, 1), cudaSuccess);
  // Boxes of memory that is taken for planes of 16 rows.
  cudaMemcpy3DParms P = {};
  P.srcPtr = {Z, Pitch, Pitch, 16};
  P.dstPtr = {Y, Pitch, Pitch, 16};
  P.srcPos = {400, 3, 1};
  P.dstPos = {800, 0, 0};
  P.extent = {200, 5, Rows / 16 - 1};
  P.kind = cudaMemcpyDeviceToDevice;
  ASSERT_EQ(__gridspan_cudaMemcpy3DAsync(&P, nullptr), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMemset3D(P.dstPtr, 0, {4, 2, 2}), cudaSuccess);
  ASSERT_EQ(add(), cudaSuccess);
  P.extent.depth = 1;
  P.dstPos = {0, 8, 8};
  ASSERT_EQ(__gridspan_cudaMemcpy3D(&P), cudaSuccess);
  EXPECT_EQ(streamed(), 0U);
  EXPECT_EQ(R.kernel("saxpy").WhyNotChained, "");

  std::vector<float> WantY(N, 4), WantZ(N, 7);
  for (size_t I = 0; I < Rows; ++I) {
    std::fill_n(WantY.begin() + I * Row, 10, 1.0f);
    std::copy_n(WantY.begin() + I * Row + 5, 20, WantZ.begin() + I * Row + 100);
    if (I < Rows / 4)
      std::copy_n(WantZ.begin() + I * Row + 100, 20,
                  WantZ.begin() + I * Row + 130);
  }
  std::fill_n(WantZ.begin(), 2, 0.0f);
  const auto CopyBox = [&](size_t FromRow, size_t ToRow, size_t ToColumn,
                           size_t Planes) {
    for (size_t Z = 0; Z < Planes; ++Z)
      for (size_t I = 0; I < 5; ++I)
        std::copy_n(WantZ.begin() + (Z * 16 + FromRow + I) * Row + 100, 50,
                    WantY.begin() + (Z * 16 + ToRow + I) * Row + ToColumn);
  };
  CopyBox(19, 0, 200, Rows / 16 - 1);
  for (size_t I : {0, 1, 16, 17})
    WantY[I * Row] = 0;
  for (float &F : WantY)
    F += 1;
  CopyBox(19, 8 * 16 + 8, 0, 1);
  EXPECT_EQ(fromDevice(Y, N), WantY);
  EXPECT_EQ(fromDevice(Z, N), WantZ);
  EXPECT_EQ(chained(), 3U);
  EXPECT_EQ(R.kernel("cudaMemset").ChainedLaunches, 3U);
  EXPECT_EQ(R.kernel("cudaMemcpy").ChainedLaunches, 4U);
  EXPECT_EQ(__gridspan_cudaFree(Z), cudaSuccess);
}

/// Their launches run first, and the report says why.
TEST_P(DeferredLaunchesTest, SomeFillsAndCopiesEndAChain) {
  // Columns that overlap.
  ASSERT_EQ(add(), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMemcpy2DAsync(Y + 10, 1024, Y, 1024, 80, 4,
                                         cudaMemcpyDefault, nullptr),
            cudaSuccess);
  EXPECT_EQ(streamed(), 1U);
  EXPECT_EQ(R.kernel("cudaMemcpy").WhyNotChained, "rows-overlap");
  // Errors are those of the calls.
  ASSERT_EQ(add(), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaMemset2D(Y, 4, 0, 8, 2), cudaErrorInvalidValue);
  EXPECT_EQ(__gridspan_cudaMemcpy2D(X, 4, Y, 8, 8, 2, cudaMemcpyDefault),
            cudaErrorInvalidPitchValue);
  EXPECT_EQ(streamed(), 2U);
  EXPECT_EQ(fromDevice(Y, N)[N - 1], 4);
}

TEST_P(DeferredLaunchesTest, FillsOfSpreadMemoryEndAChain) {
  if (GetParam() == 1)
    GTEST_SKIP() << "there is one device";
  // Where there is room left, memory has a part on each device.
  constexpr size_t Part = 3 << 10;
  EXPECT_EQ(__gridspan_cudaFree(X), cudaSuccess);
  float *Spread = toDevice(std::vector<float>(Part, 9));
  X = toDevice(std::vector<float>(N, 1));
  const std::shared_ptr<Allocation> A = R->memory().find(Spread);
  ASSERT_FALSE(A->Paged);
  ASSERT_NE(A->Homes.bytesAt(0, A->bytes(), 0), A->bytes());
  ASSERT_EQ(add(), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMemsetAsync(Spread, 0, 4 * Part, nullptr),
            cudaSuccess);
  EXPECT_EQ(streamed(), 1U);
  EXPECT_EQ(R.kernel("cudaMemset").WhyNotChained, "memory-spread");
  EXPECT_EQ(fromDevice(Spread, Part), std::vector<float>(Part, 0));
}

/// Blocks that add up in memory which devices have room for: where each adds
/// need not be known.
TEST_P(DeferredLaunchesTest, CountersOnDevicesEndNoChain) {
  constexpr int Bins = 64;
  const auto Invisible = [](GridspanKernel K) {
    K.Flags |= GridspanHostInvisible;
    return K;
  };
  const fake::OwnKernel Count(Invisible(fake::histogram())),
      Look(Invisible(fake::gather()));
  int *Counts = toDevice(std::vector<int>(Bins, 0));
  float *Table = toDevice(std::vector<float>(Bins, 8));
  int *In = nullptr;
  {
    std::vector<int> Values(N);
    for (int I = 0; I < N; ++I)
      Values[I] = I % Bins;
    In = toDevice(Values);
  }
  ASSERT_EQ(add(), cudaSuccess);
  ASSERT_EQ(launch(Count.get(), N / 256, 256, 0, nullptr,
                   static_cast<const int *>(In), Counts, N),
            cudaSuccess);
  ASSERT_EQ(add(), cudaSuccess);
  // Nor where it is looked up, with indices that would be inspected.
  ASSERT_EQ(launch(Look.get(), N / 256, 256, 0, nullptr,
                   static_cast<const int *>(In),
                   static_cast<const float *>(Table), X, N),
            cudaSuccess);
  ASSERT_EQ(add(), cudaSuccess);
  EXPECT_EQ(streamed(), 0U);
  EXPECT_EQ(fromDevice(Counts, Bins), std::vector<int>(Bins, N / Bins));
  EXPECT_EQ(chained(), 3U);
  EXPECT_EQ(R.kernel("histogram").ChainedLaunches, 1U);
  EXPECT_EQ(R.kernel("gather").ChainedLaunches, 1U);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 12));
  // Larger ones are not known to fit.
  ASSERT_EQ(launch(Look.get(), N / 256, 256, 0, nullptr,
                   static_cast<const int *>(In), static_cast<const float *>(X),
                   Y, N),
            cudaSuccess);
  EXPECT_EQ(R.kernel("gather").WhyNotChained, "indices-wanted");
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 8));
}

/// A pointer that is used for more than addresses stays as it is.
TEST_P(DeferredLaunchesTest, ArgumentsInPlaceEndAChainOnlyBesideFrames) {
  GridspanKernel K = fake::saxpy();
  std::vector<GridspanPointer> Pointers(K.Pointers, K.Pointers + K.NumPointers);
  Pointers[0].Flags = 0; // X
  K.Pointers = Pointers.data();
  const fake::OwnKernel Own(K);
  float *Z = toDevice(std::vector<float>(N, 5));
  const auto AddInPlace = [&](const float *From) {
    return launch(Own.get(), N / 256, 256, 0, nullptr, 1.0f, From, Y, N);
  };
  // All of X in place.
  ASSERT_EQ(AddInPlace(X), cudaSuccess); // 3
  ASSERT_EQ(AddInPlace(X), cudaSuccess); // 4
  EXPECT_EQ(streamed(), 0U);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 4));
  const auto Mine = [&] {
    uint64_t Sum = 0;
    for (const KernelRecord &Of : R->record().Kernels)
      if (Of.Source == "own.cu") {
        EXPECT_EQ(Of.InPlace.size(), 1U);
        EXPECT_EQ(nameOf(Of.InPlace[0].Why), std::string("pointer-escapes"));
        Sum += Of.ChainedLaunches;
      }
    return Sum;
  };
  EXPECT_EQ(Mine(), 2U);
  // Frames of Z are wanted by the second: both run, one behind the other.
  ASSERT_EQ(AddInPlace(Z), cudaSuccess); // Y is 9
  ASSERT_EQ(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 1.0f,
                   static_cast<const float *>(Y), Z, N),
            cudaSuccess); // Z is 14
  ASSERT_EQ(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 1.0f,
                   static_cast<const float *>(Y), Z, N),
            cudaSuccess);                // 23
  ASSERT_EQ(AddInPlace(Z), cudaSuccess); // 32
  ASSERT_EQ(AddInPlace(Z), cudaSuccess); // 55
  EXPECT_EQ(fromDevice(Z, N), std::vector<float>(N, 23));
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 55));
  EXPECT_EQ(R.kernel("saxpy").WhyNotChained, "in-place-beside-frames");
  EXPECT_EQ(__gridspan_cudaFree(Z), cudaSuccess);
}

TEST_P(DeferredLaunchesTest, WhatIsFreedNextGoesNowhere) {
  const auto Run = [&](bool Looks) {
    float *Z = toDevice(std::vector<float>(N, 7));
    const uint64_t Before = R.kernel("saxpy").OutOfCoreBytesOut;
    for (int I = 0; I < 3; ++I)
      EXPECT_EQ(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 1.0f,
                       static_cast<const float *>(Y), Z, N),
                cudaSuccess);
    if (Looks)
      EXPECT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(__gridspan_cudaFree(Z), cudaSuccess);
    return R.kernel("saxpy").OutOfCoreBytesOut - Before;
  };
  ASSERT_EQ(add(nullptr, 0), cudaSuccess);
  // The host has what Y holds, so that all that goes there is of Z.
  const std::vector<float> Twos(N, 2);
  ASSERT_EQ(__gridspan_cudaMemcpy(Y, Twos.data(), N * sizeof(float),
                                  cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_GT(Run(true), 0U);
  EXPECT_EQ(Run(false), 0U);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 2));
  // A call that frees nothing leaves what launches wrote.
  ASSERT_EQ(add(), cudaSuccess);
  ASSERT_EQ(add(), cudaSuccess);
  EXPECT_NE(__gridspan_cudaFree(Y + 1), cudaSuccess);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 4));
  // The least is what had to come.
  const KernelRecord K = R.kernel("saxpy");
  EXPECT_LE(K.LeastBytesIn, K.OutOfCoreBytesIn);
  EXPECT_LE(K.LeastBytesOut, K.OutOfCoreBytesOut);
  EXPECT_GT(K.LeastBytesIn, 0U);
}

TEST_P(DeferredLaunchesTest, FillsAndCopiesRunByThemselves) {
  ASSERT_EQ(__gridspan_cudaMemset(X, 0, 4 * N), cudaSuccess);
  EXPECT_EQ(fromDevice(X, N), std::vector<float>(N, 0));
  ASSERT_EQ(__gridspan_cudaMemcpy(X, Y, 4 * N, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(fromDevice(X, N), std::vector<float>(N, 2));
  EXPECT_EQ(R->record().Fills.Count, 1U);
  // Errors are those of the calls.
  ASSERT_EQ(add(), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaMemset(X + 10, 0, 4 * N), cudaErrorInvalidValue);
  ASSERT_EQ(add(), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaMemcpy(X, Y, 4 * N, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  // One in another stream waits behind those that wait.
  cudaStream_t S = nullptr;
  ASSERT_EQ(__gridspan_cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking),
            cudaSuccess);
  ASSERT_EQ(add(), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMemsetAsync(Y, 0, 4 * N, S), cudaSuccess);
  EXPECT_EQ(streamed(), 3U);
  ASSERT_EQ(__gridspan_cudaStreamSynchronize(S), cudaSuccess);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 0));
  EXPECT_EQ(__gridspan_cudaStreamDestroy(S), cudaSuccess);
}

/// What touches little memory, which is not paged.
TEST_P(DeferredLaunchesTest, SmallOnesWaitBehindOthers) {
  float *Small = toDevice(std::vector<float>(256, 1));
  float *Other = toDevice(std::vector<float>(256, 5));
  const auto AddSmall = [&] {
    return launch(fake::saxpy(), 1, 256, 0, nullptr, 1.0f,
                  static_cast<const float *>(Other), Small, 256);
  };
  ASSERT_EQ(add(), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMemsetAsync(Small, 0, 1024, nullptr), cudaSuccess);
  ASSERT_EQ(AddSmall(), cudaSuccess);
  // Reads what they have written.
  ASSERT_EQ(launch(fake::saxpy(), 1, 256, 0, nullptr, 1.0f,
                   static_cast<const float *>(Small), Y, 256),
            cudaSuccess);
  ASSERT_EQ(
      __gridspan_cudaMemcpyAsync(Small, Other, 16, cudaMemcpyDefault, nullptr),
      cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMemcpyAsync(Y + 1000, Small, 16, cudaMemcpyDefault,
                                       nullptr),
            cudaSuccess);
  EXPECT_EQ(streamed(), 0U);
  std::vector<float> Want(N, 3);
  std::fill_n(Want.begin(), 256, 8.0f);
  std::fill_n(Want.begin() + 1000, 4, 5.0f);
  EXPECT_EQ(fromDevice(Y, N), Want);
  EXPECT_EQ(chained(), 3U);
  // With none before them they run as ever.
  ASSERT_EQ(AddSmall(), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(chained(), 3U);
  EXPECT_EQ(__gridspan_cudaFree(Small), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaFree(Other), cudaSuccess);
}

namespace {

/// Devices whose memory X and Y do not fit, and launches wait only so long.
class IdleLaunchesTest : public testing::TestWithParam<unsigned> {
protected:
  IdleLaunchesTest() {
    R.runIdleAfter(std::chrono::milliseconds(1));
    R.wrapBackend<BackendThatRefuses>();
    X = toDevice(std::vector<float>(N, 1));
    Y = toDevice(std::vector<float>(N, 2));
  }
  ~IdleLaunchesTest() override { BackendThatRefuses::Refuses = false; }
  cudaError_t add() {
    return launch(fake::saxpy(), N / 256, 256, 0, nullptr, 1.0f,
                  static_cast<const float *>(X), Y, N);
  }
  /// Waits until Done, for no more than a minute.
  template <typename Function> static bool await(Function &&Done) {
    for (int I = 0; I < 60000; ++I) {
      if (Done())
        return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
  TestRuntime R{GetParam(), Schedule::Static, 1 << 18};
  float *X = nullptr, *Y = nullptr;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, IdleLaunchesTest, testing::Values(1, 3));

TEST_P(IdleLaunchesTest, RunBesideTheHost) {
  const auto Streamed = [&] { return R.kernel("saxpy").OutOfCoreLaunches; };
  for (uint64_t Round = 1; Round < 4; ++Round) {
    ASSERT_EQ(add(), cudaSuccess);
    ASSERT_EQ(add(), cudaSuccess);
    EXPECT_TRUE(await([&] { return Streamed() == 2 * Round; }));
  }
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 8));
}

/// A stream waits for the host, which goes on launching.
TEST_P(IdleLaunchesTest, DoNotWaitForTheHost) {
  cudaStream_t S = nullptr;
  ASSERT_EQ(__gridspan_cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking),
            cudaSuccess);
  Gate Held;
  Held.close(S);
  ASSERT_EQ(add(), cudaSuccess);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto Begin = std::chrono::steady_clock::now();
  ASSERT_EQ(add(), cudaSuccess);
  Held.open();
  EXPECT_LT(std::chrono::steady_clock::now() - Begin, std::chrono::seconds(10));
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 4));
  EXPECT_EQ(__gridspan_cudaStreamDestroy(S), cudaSuccess);
}

TEST_P(IdleLaunchesTest, ReturnTheirErrorLater) {
  BackendThatRefuses::Refuses = true;
  BackendThatRefuses::Refused = 0;
  ASSERT_EQ(add(), cudaSuccess);
  EXPECT_TRUE(await([] { return BackendThatRefuses::Refused > 0; }));
  EXPECT_EQ(__gridspan_cudaDeviceSynchronize(), cudaErrorLaunchOutOfResources);
  BackendThatRefuses::Refuses = false;
  EXPECT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  ASSERT_EQ(add(), cudaSuccess);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 3));
}

/// Some wait, some run, some end while the program goes on.
TEST_P(IdleLaunchesTest, MayRunWhileTheProgramLaunches) {
  for (int I = 0; I < 60; ++I) {
    ASSERT_EQ(add(), cudaSuccess);
    if (I % 7 == 0)
      ASSERT_EQ(__gridspan_cudaMemset(Y, 0, 4 * N), cudaSuccess);
    if (I % 5 == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(I % 3));
  }
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 3)); // 57, 58, 59
}

TEST_P(DeferredLaunchesTest, EventsWaitWithThem) {
  cudaEvent_t Events[3] = {};
  for (cudaEvent_t &E : Events)
    ASSERT_EQ(__gridspan_cudaEventCreate(&E), cudaSuccess);
  // None waits yet.
  ASSERT_EQ(__gridspan_cudaEventRecord(Events[0], nullptr), cudaSuccess);
  ASSERT_EQ(add(), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaEventRecord(Events[1], nullptr), cudaSuccess);
  ASSERT_EQ(add(), cudaSuccess);
  ASSERT_EQ(add(), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaEventRecord(Events[2], nullptr), cudaSuccess);
  EXPECT_EQ(streamed(), 0U);
  ASSERT_EQ(__gridspan_cudaEventSynchronize(Events[2]), cudaSuccess);
  EXPECT_EQ(chained(), 3U);
  float First = -1, Rest = -1, All = -1;
  ASSERT_EQ(__gridspan_cudaEventElapsedTime(&First, Events[0], Events[1]),
            cudaSuccess);
  ASSERT_EQ(__gridspan_cudaEventElapsedTime(&Rest, Events[1], Events[2]),
            cudaSuccess);
  ASSERT_EQ(__gridspan_cudaEventElapsedTime(&All, Events[0], Events[2]),
            cudaSuccess);
  EXPECT_GE(First, 0);
  EXPECT_GE(Rest, 0);
  EXPECT_NEAR(First + Rest, All, 0.01);
  // A single launch, and one whose event is of another stream.
  ASSERT_EQ(add(), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaEventRecord(Events[0], nullptr), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaEventSynchronize(Events[0]), cudaSuccess);
  EXPECT_EQ(streamed(), 4U);
  cudaStream_t S = nullptr;
  ASSERT_EQ(__gridspan_cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking),
            cudaSuccess);
  ASSERT_EQ(add(), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaEventRecord(Events[1], S), cudaSuccess);
  EXPECT_EQ(streamed(), 5U);
  // What other processes may know is recorded at once.
  cudaEvent_t Shared = nullptr;
  ASSERT_EQ(__gridspan_cudaEventCreateWithFlags(
                &Shared, cudaEventInterprocess | cudaEventDisableTiming),
            cudaSuccess);
  ASSERT_EQ(add(), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaEventRecord(Shared, nullptr), cudaSuccess);
  EXPECT_EQ(streamed(), 6U);
  for (cudaEvent_t E : {Events[0], Events[1], Events[2], Shared})
    EXPECT_EQ(__gridspan_cudaEventDestroy(E), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaStreamDestroy(S), cudaSuccess);
}

TEST_P(DeferredLaunchesTest, EventsOfTimedStepsComeAndGoMeanwhile) {
  float Seconds = 0;
  cudaEvent_t Ends[4] = {};
  for (cudaEvent_t &End : Ends) {
    cudaEvent_t Begin = nullptr;
    ASSERT_EQ(__gridspan_cudaEventCreate(&Begin), cudaSuccess);
    ASSERT_EQ(__gridspan_cudaEventCreate(&End), cudaSuccess);
    ASSERT_EQ(__gridspan_cudaEventRecord(Begin, nullptr), cudaSuccess);
    ASSERT_EQ(add(), cudaSuccess);
    ASSERT_EQ(__gridspan_cudaEventRecord(End, nullptr), cudaSuccess);
    // One that is not recorded yet may go.
    ASSERT_EQ(__gridspan_cudaEventDestroy(Begin), cudaSuccess);
  }
  EXPECT_EQ(streamed(), 0U);
  ASSERT_EQ(__gridspan_cudaEventSynchronize(Ends[3]), cudaSuccess);
  EXPECT_EQ(chained(), 4U);
  ASSERT_EQ(__gridspan_cudaEventElapsedTime(&Seconds, Ends[0], Ends[3]),
            cudaSuccess);
  EXPECT_GE(Seconds, 0);
  for (cudaEvent_t End : Ends)
    EXPECT_EQ(__gridspan_cudaEventDestroy(End), cudaSuccess);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 6));
}

TEST_P(DeferredLaunchesTest, OfAnotherStreamRunFirst) {
  cudaStream_t S = nullptr;
  ASSERT_EQ(__gridspan_cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking),
            cudaSuccess);
  ASSERT_EQ(add(), cudaSuccess);
  ASSERT_EQ(add(), cudaSuccess);
  ASSERT_EQ(add(S), cudaSuccess);
  EXPECT_EQ(chained(), 2U);
  EXPECT_EQ(streamed(), 2U);
  ASSERT_EQ(__gridspan_cudaStreamDestroy(S), cudaSuccess);
  EXPECT_EQ(streamed(), 3U);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 5));
}

TEST_P(DeferredLaunchesTest, AreNotMoreThanSoMany) {
  for (size_t I = 0; I < DeferredLaunches::Most; ++I)
    ASSERT_EQ(add(), cudaSuccess);
  EXPECT_EQ(streamed(), 0U);
  ASSERT_EQ(add(), cudaSuccess);
  EXPECT_EQ(streamed(), DeferredLaunches::Most);
  EXPECT_EQ(fromDevice(Y, N),
            std::vector<float>(N, 3.0f + DeferredLaunches::Most));
}

TEST_P(DeferredLaunchesTest, MayBeTurnedOff) {
  R.withoutChains();
  SetUp();
  ASSERT_EQ(add(), cudaSuccess);
  EXPECT_EQ(streamed(), 1U);
  ASSERT_EQ(add(), cudaSuccess);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 4));
  EXPECT_EQ(chained(), 0U);
}

TEST_P(DeferredLaunchesTest, FailWithTheCallThatHasThemRun) {
  R.wrapBackend<BackendThatRefuses>();
  SetUp();
  ASSERT_EQ(add(), cudaSuccess);
  ASSERT_EQ(add(), cudaSuccess);
  BackendThatRefuses::Refuses = true;
  EXPECT_EQ(__gridspan_cudaDeviceSynchronize(), cudaErrorLaunchOutOfResources);
  BackendThatRefuses::Refuses = false;
  // It is an error of these launches, not of the device.
  EXPECT_EQ(__gridspan_cudaGetLastError(), cudaErrorLaunchOutOfResources);
  EXPECT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  ASSERT_EQ(add(), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
}

TEST_P(DeferredLaunchesTest, OfSeveralThreadsKeepTheOrderOfEach) {
  constexpr int Threads = 3, Launches = 6;
  std::vector<float *> Own(Threads);
  for (float *&Z : Own)
    Z = toDevice(std::vector<float>(N, 0));
  std::vector<std::thread> Running;
  std::vector<std::vector<float>> Got(Threads);
  for (int T = 0; T < Threads; ++T)
    Running.emplace_back([&, T] {
      cudaStream_t S = nullptr;
      EXPECT_EQ(__gridspan_cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking),
                cudaSuccess);
      for (int I = 0; I < Launches; ++I)
        EXPECT_EQ(launch(fake::saxpy(), N / 256, 256, 0, S, 1.0f,
                         static_cast<const float *>(X), Own[T], N),
                  cudaSuccess);
      EXPECT_EQ(__gridspan_cudaStreamSynchronize(S), cudaSuccess);
      Got[T] = fromDevice(Own[T], N);
      EXPECT_EQ(__gridspan_cudaStreamDestroy(S), cudaSuccess);
    });
  for (std::thread &T : Running)
    T.join();
  for (const std::vector<float> &Of : Got)
    EXPECT_EQ(Of, std::vector<float>(N, Launches));
}
