//===- LaunchTest.cpp - Launches through the entry points, split and ------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every kernel gives the same results on any number of devices.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ForwardingBackend.h"
#include "test/unit/runtime/TestRuntime.h"
#include "test/unit/runtime/backend/RecordingBackend.h"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <set>
#include <thread>

using namespace gridspan;

namespace {

class LaunchOnDevices
    : public testing::TestWithParam<std::tuple<unsigned, Schedule>> {
protected:
  unsigned devices() const { return std::get<0>(GetParam()); }
  Schedule schedule() const { return std::get<1>(GetParam()); }
};

std::vector<float> ramp(size_t N) {
  std::vector<float> Out(N);
  for (size_t I = 0; I < N; ++I)
    Out[I] = static_cast<float>(I % 1009);
  return Out;
}

void expectLocal(const KernelRecord &K, double Share) {
  EXPECT_GE(static_cast<double>(K.LocalBytes),
            Share * static_cast<double>(K.LocalBytes + K.RemoteBytes))
      << K.Name << ": " << K.LocalBytes << " local, " << K.RemoteBytes
      << " remote";
}

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, LaunchOnDevices,
                         testing::Combine(testing::Values(1u, 2u, 3u, 4u, 7u),
                                          testing::Values(Schedule::Static,
                                                          Schedule::Dynamic,
                                                          Schedule::Hybrid)));

TEST_P(LaunchOnDevices, Saxpy) {
  TestRuntime R(devices(), schedule());
  for (int N : {1, 255, 100003, 1000001}) {
    std::vector<float> X = ramp(N), Y(N, 1);
    float *DX = toDevice(X), *DY = toDevice(Y);
    EXPECT_EQ(launch(fake::saxpy(), (N + 255) / 256, 256, 0, nullptr, 2.0f,
                     static_cast<const float *>(DX), DY, N),
              cudaSuccess);
    std::vector<float> Got = fromDevice(DY, N);
    for (int I = 0; I < N; ++I)
      ASSERT_EQ(Got[I], 2 * X[I] + 1) << I;
    EXPECT_EQ(__gridspan_cudaFree(DX), cudaSuccess);
    EXPECT_EQ(__gridspan_cudaFree(DY), cudaSuccess);
  }
  const KernelRecord K = R.kernel("saxpy");
  EXPECT_EQ(K.Launches, 4u);
  EXPECT_EQ(K.SplitLaunches, devices() > 1 ? 2u : 0u);
  EXPECT_EQ(K.DevicesMax, devices());
  expectLocal(K, 0.95);
}

TEST_P(LaunchOnDevices, StencilIteratedWithSwappedPointers) {
  TestRuntime R(devices(), schedule());
  const int W = 257, H = 203, Steps = 20;
  std::vector<float> Host = ramp(W * H), Next(Host.size());
  float *A = toDevice(Host), *B = toDevice(Next);
  for (int Step = 0; Step < Steps; ++Step) {
    ASSERT_EQ(launch(fake::stencil(), {(W + 15) / 16, (H + 3) / 4, 1},
                     {16, 4, 1}, 0, nullptr, B, A, W, H),
              cudaSuccess);
    std::swap(A, B);
    for (int Y = 0; Y < H; ++Y)
      for (int X = 0; X < W; ++X) {
        float Sum = Host[Y * W + X];
        if (X > 0)
          Sum += Host[Y * W + X - 1];
        if (X + 1 < W)
          Sum += Host[Y * W + X + 1];
        if (Y > 0)
          Sum += Host[(Y - 1) * W + X];
        if (Y + 1 < H)
          Sum += Host[(Y + 1) * W + X];
        Next[Y * W + X] = Sum / 5;
      }
    std::swap(Host, Next);
  }
  EXPECT_EQ(fromDevice(A, Host.size()), Host);
}

TEST_P(LaunchOnDevices, MatrixProductReadsReplicas) {
  TestRuntime R(devices(), schedule());
  const int N = 130;
  std::vector<float> X = ramp(N * N), Y = ramp(N * N), Z(N * N, -1);
  std::reverse(Y.begin(), Y.end());
  float *A = toDevice(X), *B = toDevice(Y), *C = toDevice(Z);
  auto Multiply = [&] {
    ASSERT_EQ(launch(fake::matmul(), (N + 3) / 4, 4, 0, nullptr, C,
                     static_cast<const float *>(A),
                     static_cast<const float *>(B), N),
              cudaSuccess);
    std::vector<float> Got = fromDevice(C, N * N);
    for (int I = 0; I < N; ++I)
      for (int J = 0; J < N; ++J) {
        float Sum = 0;
        for (int K = 0; K < N; ++K)
          Sum += X[I * N + K] * Y[K * N + J];
        ASSERT_EQ(Got[I * N + J], Sum);
      }
  };
  Multiply();
  const uint64_t Once = R->record().Replicas.Bytes;
  EXPECT_EQ(Once > 0, devices() > 1);
  Multiply(); // with the replicas that are there
  EXPECT_EQ(R->record().Replicas.Bytes, Once);
  // Writing B makes them stale.
  std::fill(Y.begin(), Y.end(), 1.0f);
  ASSERT_EQ(__gridspan_cudaMemcpy(B, Y.data(), 4 * N * N, cudaMemcpyDefault),
            cudaSuccess);
  Multiply();
  EXPECT_EQ(R->record().Replicas.Bytes, 2 * Once);
  expectLocal(R.kernel("matmul"), 0.95);
}

TEST_P(LaunchOnDevices, ReplicasFollowKernelsThatWrite) {
  TestRuntime R(devices(), schedule());
  const int N = 96;
  std::vector<float> X(N * N, 0), Y(N * N, 1), Z(N * N);
  for (int I = 0; I < N; ++I)
    X[I * N + I] = 1;
  float *A = toDevice(X), *B = toDevice(Y), *C = toDevice(Z);
  // C = A B; B += B; again: every product reads B as the last launch left it.
  for (int Step = 0; Step < 5; ++Step) {
    ASSERT_EQ(launch(fake::matmul(), N / 4, 4, 0, nullptr, C,
                     static_cast<const float *>(A),
                     static_cast<const float *>(B), N),
              cudaSuccess);
    ASSERT_EQ(launch(fake::saxpy(), N * N / 64, 64, 0, nullptr, 1.0f,
                     static_cast<const float *>(B), B, N * N),
              cudaSuccess);
    EXPECT_EQ(fromDevice(C, N * N),
              std::vector<float>(N * N, std::exp2(static_cast<float>(Step))));
  }
}

TEST_P(LaunchOnDevices, TriangularWork) {
  TestRuntime R(devices(), schedule());
  const int N = 5000;
  float *Out = toDevice(std::vector<float>(N));
  for (int I = 0; I < 3; ++I)
    ASSERT_EQ(launch(fake::triangular(), N, 1, 0, nullptr, Out, N),
              cudaSuccess);
  std::vector<float> Got = fromDevice(Out, N);
  for (int I = 0; I < N; ++I)
    ASSERT_EQ(Got[I], I + 1);
}

TEST_P(LaunchOnDevices, HistogramWithAtomics) {
  TestRuntime R(devices(), schedule());
  const int N = 200000;
  std::vector<int> In(N), Expected(64);
  for (int I = 0; I < N; ++I)
    ++Expected[In[I] = (I * 7919) % 64];
  int *DIn = toDevice(In), *Bins = toDevice(std::vector<int>(64));
  ASSERT_EQ(launch(fake::histogram(), (N + 127) / 128, 128, 0, nullptr,
                   static_cast<const int *>(DIn), Bins, N),
            cudaSuccess);
  EXPECT_EQ(fromDevice(Bins, 64), Expected);
  EXPECT_TRUE(R.kernel("histogram").UnknownRanges);
}

TEST_P(LaunchOnDevices, ConstantsAreOnEveryDevice) {
  TestRuntime R(devices(), schedule());
  const int N = 5000;
  float *Out = toDevice(std::vector<float>(N)), Value = 3;
  ASSERT_EQ(__gridspan_cudaMemcpyToSymbol(&fake::Coefficient, &Value, 4, 0,
                                          cudaMemcpyHostToDevice),
            cudaSuccess);
  ASSERT_EQ(launch(fake::readConstant(), N, 1, 0, nullptr, Out), cudaSuccess);
  EXPECT_EQ(fromDevice(Out, N), std::vector<float>(N, 3));
  Value = 0;
  EXPECT_EQ(__gridspan_cudaMemcpyFromSymbol(&Value, &fake::Coefficient, 4, 0,
                                            cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(Value, 3);
  // Writing through the symbol's address reaches all devices too.
  void *Address = nullptr;
  ASSERT_EQ(__gridspan_cudaGetSymbolAddress(&Address, &fake::Coefficient),
            cudaSuccess);
  Value = 4;
  ASSERT_EQ(__gridspan_cudaMemcpy(Address, &Value, 4, cudaMemcpyHostToDevice),
            cudaSuccess);
  ASSERT_EQ(launch(fake::readConstant(), N, 1, 0, nullptr, Out), cudaSuccess);
  EXPECT_EQ(fromDevice(Out, N), std::vector<float>(N, 4));
  EXPECT_EQ(R.kernel("readConstant").SplitLaunches, devices() > 1 ? 2u : 0u);
}

TEST_P(LaunchOnDevices, MemoryOfOneDeviceIsNotEnough) {
  TestRuntime R(devices(), schedule(), 1 << 20);
  const int N = 1 << 18; // 1 MiB each
  std::vector<float> X = ramp(N), Y(N, 1);
  float *DX = toDevice(X), *DY = toDevice(Y);
  for (int I = 0; I < 3; ++I)
    ASSERT_EQ(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 1.0f,
                     static_cast<const float *>(DX), DY, N),
              cudaSuccess);
  std::vector<float> Got = fromDevice(DY, N);
  for (int I = 0; I < N; ++I)
    ASSERT_EQ(Got[I], 3 * X[I] + 1);
}

TEST(Launch, PagesMoveToTheDevicesThatUseThem) {
  // Launches over the second half: device 0's tile begins in device 1's share.
  TestRuntime R(2);
  const int N = 1 << 20, Half = N / 2, Launches = 40;
  float *X = toDevice(std::vector<float>(N, 1)),
        *Y = toDevice(std::vector<float>(N));
  uint64_t Before = 0, Last = 1;
  for (int I = 0; I < Launches; ++I) {
    ASSERT_EQ(launch(fake::saxpy(), Half / 128, 128, 0, nullptr, 1.0f,
                     static_cast<const float *>(X + Half), Y + Half, Half),
              cudaSuccess);
    const uint64_t Remote = R.kernel("saxpy").RemoteBytes;
    Last = Remote - Before;
    Before = Remote;
  }
  EXPECT_EQ(Last, 0u);
  EXPECT_GT(R->record().Moves.Bytes, 0u);
  std::vector<float> Got = fromDevice(Y, N);
  for (int I = 0; I < N; ++I)
    ASSERT_EQ(Got[I], I < Half ? 0 : Launches);
}

TEST(Launch, RefusedKernelsRunUnsplitAndSayWhy) {
  TestRuntime R(4);
  int *Flag = toDevice(std::vector<int>{1});
  ASSERT_EQ(launch(fake::waitForFlag(), 5, 1, 0, nullptr, Flag), cudaSuccess);
  EXPECT_EQ(fromDevice(Flag, 1)[0], 6);
  const KernelRecord K = R.kernel("waitForFlag");
  EXPECT_EQ(K.SplitLaunches, 0u);
  EXPECT_EQ(K.DevicesMax, 1u);
  EXPECT_EQ(K.Refusal, "waits-on-other-block");
}

TEST(Launch, ScheduleSingleNeverSplitsNorSpreads) {
  TestRuntime R(4, Schedule::Single);
  const int N = 100000;
  float *X = toDevice(ramp(N)), *Y = toDevice(ramp(N));
  ASSERT_EQ(launch(fake::saxpy(), N / 100, 100, 0, nullptr, 1.0f,
                   static_cast<const float *>(X), Y, N),
            cudaSuccess);
  const KernelRecord K = R.kernel("saxpy");
  EXPECT_EQ(K.SplitLaunches, 0u);
  EXPECT_EQ(K.RemoteBytes, 0u);
  EXPECT_EQ(K.WhyUnsplit, "schedule-single");
}

TEST(Launch, WithoutPeersTilesWorkOnCopies) {
  TestRuntime R(3, Schedule::Static, 0, false);
  const int N = 100000;
  std::vector<float> X = ramp(N);
  float *DX = toDevice(X), *DY = toDevice(X);
  for (int Round = 0; Round < 3; ++Round)
    ASSERT_EQ(launch(fake::saxpy(), N / 100, 100, 0, nullptr, 1.0f,
                     static_cast<const float *>(DX), DY, N),
              cudaSuccess);
  std::vector<float> Got = fromDevice(DY, N);
  for (int I = 0; I < N; ++I)
    ASSERT_EQ(Got[I], 4 * X[I]);
  EXPECT_EQ(R.kernel("saxpy").SplitLaunches, 3u);
  // What is still good is not brought again; what is written stays until it is
  // asked for.
  const ReportRecord Record = R->record();
  const uint64_t Away = 4 * (N - N / 3 / 100 * 100 - 100);
  EXPECT_GE(Record.Replicas.Bytes, 2 * Away);
  EXPECT_LE(Record.Replicas.Bytes, 2 * Away + 1600);
  EXPECT_GE(Record.WriteBacks.Bytes, Away);
  EXPECT_LE(Record.WriteBacks.Bytes, Away + 800);
}

TEST(Launch, WithoutPeersHalosAreBroughtAgain) {
  TestRuntime R(4, Schedule::Static, 0, false);
  const int W = 96, H = 64;
  std::vector<float> Values = ramp(W * H);
  float *In = toDevice(Values), *Out = toDevice(Values);
  for (int Step = 0; Step < 12; ++Step, std::swap(In, Out))
    ASSERT_EQ(launch(fake::stencil(), dim3(W / 32, H / 8), dim3(32, 8), 0,
                     nullptr, Out, static_cast<const float *>(In), W, H),
              cudaSuccess);
  std::vector<float> Got = fromDevice(In, W * H);
  EXPECT_EQ(R.kernel("stencil").SplitLaunches, 12u);
  TestRuntime Plain(1, Schedule::Single);
  In = toDevice(Values), Out = toDevice(Values);
  for (int Step = 0; Step < 12; ++Step, std::swap(In, Out))
    ASSERT_EQ(launch(fake::stencil(), dim3(W / 32, H / 8), dim3(32, 8), 0,
                     nullptr, Out, static_cast<const float *>(In), W, H),
              cudaSuccess);
  EXPECT_EQ(Got, fromDevice(In, W * H));
}

TEST(Launch, WithoutPeersOnlySeamsMoveFromLaunchToLaunch) {
  TestRuntime R(2, Schedule::Static, 0, false);
  const int W = 256, H = 512, Steps = 20;
  float *In = toDevice(ramp(W * H)), *Out = toDevice(ramp(W * H));
  auto Step = [&] {
    ASSERT_EQ(launch(fake::stencil(), dim3(W / 32, H / 8), dim3(32, 8), 0,
                     nullptr, Out, static_cast<const float *>(In), W, H),
              cudaSuccess);
    std::swap(In, Out);
  };
  // Half of the first buffer comes once; of the other one what nobody writes.
  Step();
  Step();
  const uint64_t Begun = R->record().Replicas.Bytes;
  EXPECT_GE(Begun, 2ULL * W * H);
  EXPECT_LE(Begun, 2ULL * W * H + 8 * (2 * H + 2 * W));
  for (int I = 0; I < Steps; ++I)
    Step();
  const ReportRecord Record = R->record();
  EXPECT_EQ(R.kernel("stencil").SplitLaunches, Steps + 2U);
  // A row to either side.
  const uint64_t Seams = Record.Replicas.Bytes - Begun;
  EXPECT_GT(Seams, 0U);
  EXPECT_LE(Seams, Steps * 2ULL * 4 * W);
  EXPECT_EQ(Record.WriteBacks.Bytes, 0U);
  // The host asks for one byte, then for all.
  (void)fromDevice(reinterpret_cast<char *>(In) + 4 * W * H - 8 * W, 1);
  EXPECT_LE(R->record().WriteBacks.Bytes, 1U);
  (void)fromDevice(In, W * H);
  const uint64_t Home = R->record().WriteBacks.Bytes;
  EXPECT_GT(Home, 1ULL * W * H);
  EXPECT_LE(Home, 2ULL * W * H);
  (void)fromDevice(In, W * H);
  EXPECT_EQ(R->record().WriteBacks.Bytes, Home);
}

TEST(Launch, WithoutPeersAnUnsplitLaunchFindsAllAtHome) {
  TestRuntime R(2, Schedule::Static, 0, false);
  const int N = 40000;
  const std::vector<int> Ones(N, 1);
  float *X = toDevice(std::vector<float>(N, 1)),
        *Y = toDevice(std::vector<float>(N, 0)),
        *Z = toDevice(std::vector<float>(N, 0));
  int *Bins = toDevice(std::vector<int>(64)), *In = toDevice(Ones);
  auto Add = [&](const float *From, float *To) {
    ASSERT_EQ(
        launch(fake::saxpy(), N / 100, 100, 0, nullptr, 2.0f, From, To, N),
        cudaSuccess);
  };
  Add(X, Y);
  // Atomics keep to one device; what else is away stays.
  ASSERT_EQ(launch(fake::histogram(), N / 100, 100, 0, nullptr,
                   static_cast<const int *>(In), Bins, N),
            cudaSuccess);
  EXPECT_EQ(R->record().WriteBacks.Bytes, 0U);
  // A kernel that may not be split reads what is away, and writes.
  const auto *From = static_cast<const float *>(Y);
  ASSERT_EQ(launch(fake::lookBack(), N / 100, 100, 0, nullptr, From, Z, N),
            cudaSuccess);
  EXPECT_EQ(R.kernel("lookBack").SplitLaunches, 0U);
  EXPECT_GT(R->record().WriteBacks.Bytes, 0U);
  Add(Z, Y);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 10));
  // One that follows pointers in memory may touch all there is.
  Add(X, Y);
  float *Table = toDevice(std::vector<float>(2));
  ASSERT_EQ(__gridspan_cudaMemcpy(Table, &Y, sizeof(Y), cudaMemcpyHostToDevice),
            cudaSuccess);
  ASSERT_EQ(launch(fake::follow(), N / 100, 100, 0, nullptr,
                   reinterpret_cast<float *const *>(Table), Z, N),
            cudaSuccess);
  EXPECT_EQ(fromDevice(Z, N), std::vector<float>(N, 12));
}

TEST(Launch, WithoutPeersNothingStaysBehindWorkOfTheProgram) {
  TestRuntime R(2, Schedule::Static, 0, false);
  const int N = 40000;
  float *X = toDevice(std::vector<float>(N, 1)),
        *Y = toDevice(std::vector<float>(N, 0));
  cudaStream_t Waiting = nullptr, Other = nullptr;
  for (cudaStream_t *S : {&Waiting, &Other})
    ASSERT_EQ(__gridspan_cudaStreamCreateWithFlags(S, cudaStreamNonBlocking),
              cudaSuccess);
  Gate Held;
  Held.close(Waiting);
  // Half of Y is written behind the host function. Whoever asks for the other
  // half must not wait for it.
  ASSERT_EQ(launch(fake::saxpy(), N / 200, 100, 0, Waiting, 2.0f,
                   static_cast<const float *>(X), Y, N / 2),
            cudaSuccess);
  EXPECT_EQ(R.kernel("saxpy").SplitLaunches, 1U);
  ASSERT_EQ(__gridspan_cudaMemsetAsync(Y + N / 2, 0, 2 * N, Other),
            cudaSuccess);
  ASSERT_EQ(__gridspan_cudaStreamSynchronize(Other), cudaSuccess);
  Held.open();
  ASSERT_EQ(__gridspan_cudaStreamSynchronize(Waiting), cudaSuccess);
  std::vector<float> Expected(N, 2);
  std::fill(Expected.begin() + N / 2, Expected.end(), 0);
  EXPECT_EQ(fromDevice(Y, N), Expected);
}

TEST(Launch, WithoutPeersMemoryThatIsShortBringsHomeFirst) {
  TestRuntime R(2, Schedule::Static, 4 << 20, false);
  const int N = 1 << 18; // 1 MiB each
  float *X = toDevice(std::vector<float>(N, 1)),
        *Y = toDevice(std::vector<float>(N, 0));
  ASSERT_EQ(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 2.0f,
                   static_cast<const float *>(X), Y, N),
            cudaSuccess);
  EXPECT_EQ(R.kernel("saxpy").SplitLaunches, 1U);
  EXPECT_EQ(R->record().WriteBacks.Bytes, 0U);
  // Needs the memory that replicas have.
  void *More = nullptr;
  ASSERT_EQ(__gridspan_cudaMalloc(&More, 5 << 20), cudaSuccess);
  EXPECT_GT(R->record().WriteBacks.Bytes, 0U);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 2));
}

TEST(Launch, WithoutPeersWritesOfOthersAreSeen) {
  TestRuntime R(2, Schedule::Static, 0, false);
  const int N = 20000;
  float *X = toDevice(std::vector<float>(N, 1)),
        *Y = toDevice(std::vector<float>(N, 0));
  for (int Round = 1; Round <= 3; ++Round) {
    const std::vector<float> New(N, static_cast<float>(Round));
    ASSERT_EQ(
        __gridspan_cudaMemcpy(X, New.data(), 4 * N, cudaMemcpyHostToDevice),
        cudaSuccess);
    ASSERT_EQ(__gridspan_cudaMemset(Y, 0, 4 * N), cudaSuccess);
    ASSERT_EQ(launch(fake::saxpy(), N / 100, 100, 0, nullptr, 2.0f,
                     static_cast<const float *>(X), Y, N),
              cudaSuccess);
    EXPECT_EQ(fromDevice(Y, N),
              std::vector<float>(N, 2.0f * static_cast<float>(Round)));
  }
}

TEST(Launch, WithoutPeersAndRoomALaunchIsStreamed) {
  TestRuntime R(3, Schedule::Static, 16 << 20, false);
  const int N = (12 << 20) / 4, M = (8 << 20) / 4;
  // Device 0 holds X; there is no room for Z beside it.
  float *X = toDevice(std::vector<float>(N, 1)),
        *Z = toDevice(std::vector<float>(M, 3));
  for (auto [Data, Count] : {std::pair(X, N), {Z, M}})
    ASSERT_EQ(launch(fake::saxpy(), Count / 128, 128, 0, nullptr, 1.0f,
                     static_cast<const float *>(Data), Data, Count),
              cudaSuccess);
  EXPECT_EQ(fromDevice(X, N), std::vector<float>(N, 2));
  EXPECT_EQ(fromDevice(Z, M), std::vector<float>(M, 6));
  const KernelRecord K = R.kernel("saxpy");
  EXPECT_EQ(K.OutOfCoreLaunches, 1u);
  EXPECT_EQ(K.DevicesMax, 3u);
  EXPECT_EQ(K.WhyUnsplit, "");
}

namespace {

/// Takes all that is not Gridspan's for memory of device 0.
/// Streams of the program are captured, and run what they capture. Waits for
/// what was recorded before are an error in a capture, as with CUDA.
class CapturingBackend : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  static inline bool Captures;
  static inline bool IsIsolated;

  bool isCapturing(Stream &) override { return Captures; }
  cudaError_t record(Event &E, Stream &S) override {
    Captures ? (void)Inside.insert(&E) : (void)Inside.erase(&E);
    return ForwardingBackend::record(E, S);
  }
  cudaError_t wait(Stream &S, Event &E) override {
    IsIsolated &= !Captures || Inside.contains(&E);
    return ForwardingBackend::wait(S, E);
  }
  cudaError_t map(void *Address, Pages &P, size_t Offset,
                  size_t Size) override {
    IsIsolated &= !Captures;
    return ForwardingBackend::map(Address, P, Offset, Size);
  }

private:
  std::set<const Event *> Inside;
};

class BackendWithForeignMemory : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  bool isForeignDeviceMemory(const void *) override { return true; }
};

} // namespace

TEST(Launch, MemoryOfOtherCodeLeavesALaunchUnsplit) {
  TestRuntime R(2);
  R.wrapBackend<BackendWithForeignMemory>();
  const int N = 10000;
  float *Mine = toDevice(std::vector<float>(N, 1));
  void *Foreign = nullptr;
  ASSERT_EQ(__gridspan_cudaMallocHost(&Foreign, 4 * N), cudaSuccess);
  std::fill_n(static_cast<float *>(Foreign), N, 2.0f);
  for (const void *X :
       {static_cast<const void *>(Mine), static_cast<const void *>(Foreign)})
    ASSERT_EQ(launch(fake::saxpy(), N / 100, 100, 0, nullptr, 1.0f,
                     static_cast<const float *>(X), Mine, N),
              cudaSuccess);
  EXPECT_EQ(fromDevice(Mine, N), std::vector<float>(N, 4));
  const KernelRecord K = R.kernel("saxpy");
  EXPECT_EQ(K.SplitLaunches, 1u);
  EXPECT_EQ(K.WhyUnsplit, "foreign-memory");
  EXPECT_EQ(__gridspan_cudaFreeHost(Foreign), cudaSuccess);
}

TEST(Launch, MemoryOfOtherCodeLeavesAnOutOfCoreLaunchUnsplit) {
  TestRuntime R(2, Schedule::Static, 1 << 20);
  R.wrapBackend<BackendWithForeignMemory>();
  const int N = 1 << 19;
  void *Mine = nullptr, *Foreign = nullptr;
  ASSERT_EQ(__gridspan_cudaMallocManaged(&Mine, 4 * N, cudaMemAttachGlobal),
            cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMallocHost(&Foreign, 4 * N), cudaSuccess);
  std::fill_n(static_cast<float *>(Mine), N, 1.0f);
  std::fill_n(static_cast<float *>(Foreign), N, 2.0f);
  ASSERT_EQ(launch(fake::saxpy(), N / 128, 128, 0, nullptr, 1.0f,
                   static_cast<const void *>(Foreign), Mine, N),
            cudaSuccess);
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(static_cast<float *>(Mine)[N - 1], 3);
  const KernelRecord K = R.kernel("saxpy");
  EXPECT_EQ(K.DevicesMax, 1U);
  EXPECT_EQ(K.WhyUnsplit, "foreign-memory");
  EXPECT_EQ(__gridspan_cudaFreeHost(Foreign), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaFree(Mine), cudaSuccess);
}

namespace {

/// Tiled clones need too many registers for blocks of more than 64 threads.
class BackendWithLargeTiles : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  /// Few enough that larger blocks may lack some.
  cudaError_t attribute(int Device, cudaDeviceAttr Attribute,
                        int &Out) override {
    const cudaError_t Error =
        ForwardingBackend::attribute(Device, Attribute, Out);
    if (Attribute == cudaDevAttrMaxRegistersPerBlock)
      Out = 64 * 256;
    return Error;
  }
  cudaError_t functionAttributes(const LaunchTarget &Target,
                                 cudaFuncAttributes &Out) override {
    const cudaError_t Error =
        ForwardingBackend::functionAttributes(Target, Out);
    if (Target.Tiled)
      Out.maxThreadsPerBlock = 64;
    return Error;
  }
};

} // namespace

TEST(Launch, LargeBlocksRunUnsplitWhereTheCloneDoesNotTakeThem) {
  TestRuntime R(2);
  R.wrapBackend<BackendWithLargeTiles>();
  const int N = 12800;
  float *X = toDevice(std::vector<float>(N, 1));
  for (int Threads : {64, 128})
    ASSERT_EQ(launch(fake::saxpy(), N / Threads, Threads, 0, nullptr, 1.0f,
                     static_cast<const float *>(X), X, N),
              cudaSuccess);
  EXPECT_EQ(fromDevice(X, N), std::vector<float>(N, 4));
  const KernelRecord K = R.kernel("saxpy");
  EXPECT_EQ(K.SplitLaunches, 1U);
  EXPECT_EQ(K.WhyUnsplit, "clone-needs-more-registers");
}

namespace {

/// The code that questions load: that for parts, and for distinct arguments.
using LoadedCode = std::set<std::pair<bool, bool>>;

class BackendThatLoads : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  static inline LoadedCode Loaded;
  cudaError_t functionAttributes(const LaunchTarget &Target,
                                 cudaFuncAttributes &Out) override {
    Loaded.emplace(Target.Tiled, Target.NoAlias);
    return ForwardingBackend::functionAttributes(Target, Out);
  }
};

} // namespace

TEST(Launch, QuestionsLoadNoCodeThatDoesNotRun) {
  constexpr int N = 1 << 15;
  for (unsigned Devices : {1U, 2U})
    for (unsigned Threads : {32U, 256U, 512U}) {
      TestRuntime R(Devices, Schedule::Static);
      R.wrapBackend<BackendThatLoads>();
      float *X = toDevice(std::vector<float>(N, 1)),
            *Y = toDevice(std::vector<float>(N, 2));
      for (const bool IsDistinct : {false, true}) {
        BackendThatLoads::Loaded = {};
        const GridspanKernel &K =
            IsDistinct ? fake::distinctSaxpy() : fake::saxpy();
        ASSERT_EQ(launch(K, N / Threads, Threads, 0, nullptr, 1.0f,
                         static_cast<const float *>(X), Y, N),
                  cudaSuccess);
        // Blocks of up to 256 threads have registers for any code, and one
        // device runs no parts.
        LoadedCode Runs;
        if (Threads > 256)
          Runs.emplace(false, IsDistinct);
        if (Threads > 256 && Devices > 1)
          Runs.emplace(true, IsDistinct);
        EXPECT_EQ(BackendThatLoads::Loaded, Runs)
            << Devices << " " << Threads << " " << IsDistinct;
      }
      EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 4));
    }
}

TEST(Launch, CooperativeLaunchesRunUnsplit) {
  TestRuntime R(2);
  const int N = 64;
  float *Out = toDevice(std::vector<float>(N));
  int Count = N;
  void *Args[] = {&Out, &Count};
  ASSERT_EQ(__gridspan_cudaLaunchCooperativeKernel(fake::triangular().HostStub,
                                                   2, 32, Args, 0, nullptr),
            cudaSuccess);
  EXPECT_EQ(fromDevice(Out, N)[N - 1], N);
  EXPECT_EQ(R.kernel("triangular").WhyUnsplit, "cooperative");
  EXPECT_EQ(__gridspan_cudaLaunchCooperativeKernel(
                fake::triangular().HostStub, 1 << 20, 1024, Args, 0, nullptr),
            cudaErrorCooperativeLaunchTooLarge);

  // As many blocks as the program is told that the device runs at a time.
  int Multiprocessors = 0, Blocks = 0;
  ASSERT_EQ(__gridspan_cudaDeviceGetAttribute(
                &Multiprocessors, cudaDevAttrMultiProcessorCount, 0),
            cudaSuccess);
  ASSERT_EQ(__gridspan_cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                &Blocks, fake::triangular().HostStub, 1024, 0),
            cudaSuccess);
  for (const unsigned More : {0u, 1u})
    EXPECT_EQ(__gridspan_cudaLaunchCooperativeKernel(
                  fake::triangular().HostStub, Multiprocessors * Blocks + More,
                  1024, Args, 0, nullptr),
              More ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess);
}

TEST(Launch, ArgumentsMayChangeBetweenLaunches) {
  TestRuntime R(3);
  const int N = 50000;
  float *X = toDevice(std::vector<float>(N, 1)),
        *Y = toDevice(std::vector<float>(N));
  float Sum = 0;
  for (int I = 0; I < 50; ++I) {
    const auto A = static_cast<float>(I);
    ASSERT_EQ(launch(fake::saxpy(), N / 50, 50, 0, nullptr, A,
                     static_cast<const float *>(X), Y, N),
              cudaSuccess);
    Sum += A;
  }
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, Sum));
}

TEST(Launch, MemoryFreedAndAllocatedAgainIsPlannedAgain) {
  TestRuntime R(2);
  for (int Round = 0; Round < 5; ++Round) {
    const int N = 20000 + 5000 * Round;
    float *X = toDevice(std::vector<float>(N, 1)),
          *Y = toDevice(std::vector<float>(N, 1));
    ASSERT_EQ(launch(fake::saxpy(), N / 50, 50, 0, nullptr, 1.0f,
                     static_cast<const float *>(X), Y, N),
              cudaSuccess);
    EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 2));
    ASSERT_EQ(__gridspan_cudaFree(X), cudaSuccess);
    ASSERT_EQ(__gridspan_cudaFree(Y), cudaSuccess);
  }
}

namespace {

/// Launches of a matrix product on machines where only bytes take time, so that
/// a copy of B for a single launch does not pay.
class RepeatedLaunches : public testing::Test {
protected:
  RepeatedLaunches() {
    fake::module();
    auto Own = std::make_unique<RecordingBackend>(2);
    B = Own.get();
    for (DeviceInfo &D : B->Info.Devices)
      D.InstructionRate = 1e20;
    Runtime::replace(std::make_unique<Runtime>(Config(), std::move(Own)));
    for (void *&M : Matrices)
      EXPECT_EQ(__gridspan_cudaMalloc(&M, 4ull * N * N), cudaSuccess);
    B->Records = true;
  }
  ~RepeatedLaunches() override { Runtime::replace(nullptr); }

  /// Brings all pages to device 0.
  void gather() {
    Runtime &R = Runtime::get();
    const auto S = R.streams().find(nullptr, DefaultStream::Legacy);
    ASSERT_TRUE(S);
    const PlacementWriter Placement(R.memory().placementLock());
    for (const auto &A : R.memory().all())
      EXPECT_EQ(R.memory().move(*A, 0, A->bytes(), 0, (*S)->main()),
                cudaSuccess);
    R.memory().homesChanged();
  }

  /// Whether the launch is split.
  bool launch() {
    void *Args[] = {&Matrices[0], &Matrices[1], &Matrices[2], &N};
    EXPECT_EQ(__gridspan_cudaLaunchKernel(fake::matmul().HostStub, N / 16, 16,
                                          Args, 0, nullptr),
              cudaSuccess);
    const std::vector<std::string> Calls = B->take();
    return std::find(Calls.begin(), Calls.end(), "launch 1.0") != Calls.end();
  }

  int N = 24576;
  void *Matrices[3] = {};
  RecordingBackend *B;
};

} // namespace

TEST_F(RepeatedLaunches, AreSplitWhenCopiesPayForAllOfThem) {
  gather();
  EXPECT_FALSE(launch());
  unsigned Before = 1;
  while (Before < 1000 && !launch())
    ++Before;
  EXPECT_LE(Before, 256u);
  for (int I = 0; I < 20; ++I)
    EXPECT_TRUE(launch());
}

TEST_F(RepeatedLaunches, AreSplitAtOnceWhenTheDataAreSpread) {
  for (int I = 0; I < 20; ++I)
    EXPECT_TRUE(launch());
}

TEST_F(RepeatedLaunches, StopBeingSplitWhenTheDataIsWrittenEachTime) {
  gather();
  for (int I = 0; I < 300; ++I)
    launch();
  EXPECT_TRUE(launch());
  for (int I = 0; I < 40; ++I) {
    ASSERT_EQ(__gridspan_cudaMemset(Matrices[2], I, 64), cudaSuccess);
    EXPECT_FALSE(launch()) << I;
  }
}

namespace {

/// Launches of a kernel with a clone for distinct arguments, where nothing is
/// counted for a report.
class DistinctArgumentsOn : public testing::TestWithParam<unsigned> {
protected:
  DistinctArgumentsOn() {
    fake::module();
    auto Own = std::make_unique<RecordingBackend>(GetParam());
    B = Own.get();
    Runtime::replace(std::make_unique<Runtime>(Config(), std::move(Own)));
    for (void *Pointer : {static_cast<void *>(&X), static_cast<void *>(&Y)})
      EXPECT_EQ(__gridspan_cudaMalloc(static_cast<void **>(Pointer), 16 << 20),
                cudaSuccess);
    B->Records = true;
  }
  ~DistinctArgumentsOn() override { Runtime::replace(nullptr); }

  /// Whether the clone runs.
  bool launch(const float *In, float *Out) {
    float Factor = 2;
    int N = 4096;
    void *Args[] = {&Factor, &In, &Out, &N};
    EXPECT_EQ(__gridspan_cudaLaunchKernel(fake::distinctSaxpy().HostStub, 16,
                                          256, Args, 0, nullptr),
              cudaSuccess);
    const std::vector<std::string> Calls = B->take();
    return std::any_of(Calls.begin(), Calls.end(), [](const std::string &Call) {
      return Call.starts_with("launch clone");
    });
  }

  float *X = nullptr, *Y = nullptr;
  RecordingBackend *B;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, DistinctArgumentsOn, testing::Values(1u, 2u));

TEST_P(DistinctArgumentsOn, RunTheClone) {
  for (int I = 0; I < 200; ++I) {
    EXPECT_TRUE(launch(X, Y));
    EXPECT_FALSE(launch(X + 64, X));
    EXPECT_TRUE(launch(X, X + 4096));
  }
}

TEST_P(DistinctArgumentsOn, AreGivenUpWhereTheyChangeEachTime) {
  for (int I = 0; I < 200; ++I)
    EXPECT_TRUE(launch(X, Y));
  for (int I = 1; I < 200; ++I)
    launch(X, X + 4096 + I);
  EXPECT_FALSE(launch(X, X + 5000));
  // What the ordinary code gets may overlap.
  EXPECT_FALSE(launch(X, X + 1));
}

//===--- Captured launches ------------------------------------------------===//

TEST(Launch, CapturedLaunchesAreSplitWherePagesAre) {
  TestRuntime R(3);
  R.wrapBackend<CapturingBackend>();
  CapturingBackend::IsIsolated = true;
  const int N = 100000;
  float *X = toDevice(std::vector<float>(N, 1));
  float *Y = toDevice(std::vector<float>(N, 0));
  auto Add = [&](bool Captures) {
    CapturingBackend::Captures = Captures;
    const cudaError_t Error =
        launch(fake::saxpy(), (N + 255) / 256, 256, 0, nullptr, 1.0f,
               static_cast<const float *>(X), Y, N);
    CapturingBackend::Captures = false;
    return Error;
  };
  // Between others, whose events are not the graph's.
  R->launches().decider().assumeOpaqueGraphs(true);
  EXPECT_EQ(Add(false), cudaSuccess);
  EXPECT_EQ(Add(true), cudaSuccess);
  EXPECT_EQ(Add(true), cudaSuccess);
  EXPECT_EQ(Add(false), cudaSuccess);
  EXPECT_EQ(R.kernel("saxpy").SplitLaunches, 4u);
  // A program that looks into graphs expects one node for a launch.
  R->launches().decider().assumeOpaqueGraphs(false);
  EXPECT_EQ(Add(true), cudaSuccess);
  EXPECT_EQ(R.kernel("saxpy").SplitLaunches, 4u);
  EXPECT_EQ(R.kernel("saxpy").WhyUnsplit, "capturing");
  EXPECT_TRUE(CapturingBackend::IsIsolated);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 5));
}

TEST(Launch, CapturedLaunchesMakeNoCopies) {
  // Devices that do not reach each other's memory.
  TestRuntime R(2, Schedule::Static, 0, false);
  R.wrapBackend<CapturingBackend>();
  R->launches().decider().assumeOpaqueGraphs(true);
  const int N = 100000;
  float *X = toDevice(std::vector<float>(N, 1));
  float *Y = toDevice(std::vector<float>(N, 0));
  CapturingBackend::Captures = true;
  EXPECT_EQ(launch(fake::saxpy(), (N + 255) / 256, 256, 0, nullptr, 1.0f,
                   static_cast<const float *>(X), Y, N),
            cudaSuccess);
  CapturingBackend::Captures = false;
  EXPECT_EQ(R.kernel("saxpy").SplitLaunches, 0u);
  EXPECT_EQ(R.kernel("saxpy").WhyUnsplit, "capturing");
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 1));
}

TEST(Launch, CapturedLaunchesNeedNoThreadsOrMemoryOfTheRuntime) {
  TestRuntime R(2, Schedule::Dynamic);
  R.wrapBackend<CapturingBackend>();
  R->launches().decider().assumeOpaqueGraphs(true);
  const int N = 100000;
  std::vector<int> Bins(64, 0);
  int *X = toDevice(std::vector<int>(N, 3)), *Counts = toDevice(Bins);
  float *A = toDevice(std::vector<float>(N, 1));
  float *B = toDevice(std::vector<float>(N, 0));
  CapturingBackend::Captures = true;
  EXPECT_EQ(launch(fake::saxpy(), (N + 255) / 256, 256, 0, nullptr, 1.0f,
                   static_cast<const float *>(A), B, N),
            cudaSuccess);
  EXPECT_EQ(launch(fake::count(), (N + 255) / 256, 256, 0, nullptr,
                   static_cast<const int *>(X), Counts, N),
            cudaSuccess);
  CapturingBackend::Captures = false;
  const KernelRecord K = R.kernel("saxpy");
  EXPECT_EQ(K.SplitLaunches, 1u);
  EXPECT_EQ(K.DynamicLaunches, 0u);
  EXPECT_EQ(K.WhyStatic, "capturing");
  EXPECT_EQ(R.kernel("count").PrivateLaunches, 0u);
  EXPECT_EQ(fromDevice(B, N), std::vector<float>(N, 1));
  Bins[3] = N;
  EXPECT_EQ(fromDevice(Counts, Bins.size()), Bins);
}
