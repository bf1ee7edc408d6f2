//===- OutOfCoreLauncherTest.cpp - Launches that touch paged memory -------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs larger than devices of 1 MiB, through the entry points: what is
// streamed, and what the report says of the rest.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ForwardingBackend.h"
#include "test/unit/runtime/TestRuntime.h"

using namespace gridspan;

namespace {

constexpr uint64_t DeviceBytes = 1 << 20;
/// Floats: a buffer of two devices' memory.
constexpr int N = 1 << 19;

struct Machine {
  unsigned Devices;
  bool Peers; ///< they reach each other's memory
};

constexpr Machine Machines[] = {
    {1, true}, {2, true}, {4, true}, {2, false}, {4, false}};

class OutOfCoreLauncherTest : public testing::TestWithParam<Machine> {
protected:
  unsigned devices() const { return GetParam().Devices; }
  TestRuntime R{GetParam().Devices, Schedule::Static, DeviceBytes,
                GetParam().Peers};
};

std::string machineName(const testing::TestParamInfo<Machine> &Info) {
  return std::to_string(Info.param.Devices) + (Info.param.Peers ? "" : "Apart");
}

/// As a text: "parameter:why ...".
std::string inPlace(const KernelRecord &K) {
  std::string Out;
  for (const InPlaceParam &P : K.InPlace)
    Out += (Out.empty() ? "" : " ") + std::to_string(P.Param) + ":" +
           nameOf(P.Why);
  return Out;
}

float *managed(size_t Count) {
  void *Out = nullptr;
  EXPECT_EQ(__gridspan_cudaMallocManaged(&Out, Count * 4, cudaMemAttachGlobal),
            cudaSuccess);
  return static_cast<float *>(Out);
}

/// Clones whose registers are enough for Most threads only.
template <unsigned Most, bool Packed>
class BackendWithLargeClones : public ForwardingBackend {
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
    const bool IsPacked =
        std::string_view(Target.Kernel->Name).find("packed") !=
        std::string_view::npos;
    if (Target.Tiled && IsPacked == Packed)
      Out.maxThreadsPerBlock = Most;
    return Error;
  }
};

/// C = A B of matrices of which none fits a device; what the report says.
KernelRecord multiply(TestRuntime &R) {
  constexpr int M = 600;
  const float *A = toDevice(std::vector<float>(M * M, 1)),
              *B = toDevice(std::vector<float>(M * M, 2));
  float *C = toDevice(std::vector<float>(M * M, 0));
  EXPECT_EQ(launch(fake::product(), dim3((M + 15) / 16, (M + 15) / 16),
                   dim3(16, 16), 0, nullptr, C, A, B, M),
            cudaSuccess);
  EXPECT_EQ(fromDevice(C, M * M), std::vector<float>(M * M, 2 * M));
  return R.kernel("product(");
}

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, OutOfCoreLauncherTest,
                         testing::ValuesIn(Machines), machineName);

TEST_P(OutOfCoreLauncherTest, ElementByElement) {
  float *X = toDevice(std::vector<float>(4 * N, 1)),
        *Y = toDevice(std::vector<float>(4 * N, 2));
  for (int Round = 0; Round < 3; ++Round)
    ASSERT_EQ(launch(fake::saxpy(), 4 * N / 256, 256, 0, nullptr, 1.0f,
                     static_cast<const float *>(X), Y, 4 * N),
              cudaSuccess);
  EXPECT_EQ(fromDevice(Y, 4 * N), std::vector<float>(4 * N, 5));
  const KernelRecord K = R.kernel("saxpy");
  EXPECT_EQ(K.OutOfCoreLaunches, 3U);
  EXPECT_EQ(K.DevicesMax, devices());
  EXPECT_EQ(K.OutOfCoreBytesOnHost, 0U);
  EXPECT_EQ(inPlace(K), "");
  EXPECT_EQ(K.WhyUnsplit, "");
}

TEST_P(OutOfCoreLauncherTest, PackedRows) {
  constexpr int M = 700;
  std::vector<float> A(M * M), B(M * M);
  for (int I = 0; I < M * M; ++I) {
    A[I] = static_cast<float>(I % 7);
    B[I] = static_cast<float>(I % 11);
  }
  const float *DA = toDevice(A), *DB = toDevice(B);
  float *DC = toDevice(std::vector<float>(M * M, -1));
  const dim3 Grid((M + 15) / 16, (M + 15) / 16);
  ASSERT_EQ(
      launch(fake::product(), Grid, dim3(16, 16), 0, nullptr, DC, DA, DB, M),
      cudaSuccess);
  const std::vector<float> C = fromDevice(DC, M * M);
  int Wrong = 0;
  for (int Y = 0; Y < M; ++Y)
    for (int X = Y % 9; X < M; X += 9) {
      float Sum = 0;
      for (int K = 0; K < M; ++K)
        Sum += A[Y * M + K] * B[K * M + X];
      Wrong += C[Y * M + X] != Sum;
    }
  EXPECT_EQ(Wrong, 0);
  const KernelRecord K = R.kernel("product");
  EXPECT_EQ(K.OutOfCoreLaunches, 1U);
  EXPECT_EQ(inPlace(K), "");
  if (devices() == 1)
    EXPECT_EQ(K.Packed, std::vector<int>{2});
}

TEST_P(OutOfCoreLauncherTest, WhatEveryBlockReadsStaysInPlaceIfItDoesNotFit) {
  constexpr int M = 600;
  const float *A = toDevice(std::vector<float>(M * M, 1)),
              *B = toDevice(std::vector<float>(M * M, 2));
  float *C = toDevice(std::vector<float>(M * M, 0));
  ASSERT_EQ(launch(fake::matmul(), (M + 15) / 16, 16, 0, nullptr, C, A, B, M),
            cudaSuccess);
  EXPECT_EQ(fromDevice(C, M * M), std::vector<float>(M * M, 2 * M));
  const KernelRecord K = R.kernel("matmul");
  if (devices() == 1) {
    EXPECT_EQ(K.OutOfCoreLaunches, 1U);
    EXPECT_EQ(inPlace(K), "2:block-needs-too-much");
  }
}

TEST_P(OutOfCoreLauncherTest, AtomicsOnUnknownPlaces) {
  std::vector<int> Values(4 * N);
  for (int I = 0; I < 4 * N; ++I)
    Values[I] = I % 1000;
  // Bins that fit a device, and bins that do not.
  for (int Bins : {1000, 2 * N}) {
    const int *In = toDevice(Values);
    int *Out = toDevice(std::vector<int>(Bins));
    ASSERT_EQ(
        launch(fake::histogram(), 4 * N / 256, 256, 0, nullptr, In, Out, 4 * N),
        cudaSuccess);
    std::vector<int> Expected(Bins);
    for (int V : Values)
      ++Expected[V];
    EXPECT_EQ(fromDevice(Out, Bins), Expected);
    const KernelRecord K = R.kernel("histogram");
    EXPECT_EQ(inPlace(K),
              Bins == 1000 ? "" : "0:launch-needs-too-much 1:unknown-range");
    // Bins that are not paged are on device 0.
    const std::string_view Shared = GetParam().Peers ? "" : "no-peer-access";
    EXPECT_EQ(K.WhyUnsplit, Bins == 1000 ? Shared : "atomics-on-host-pages");
    EXPECT_EQ(__gridspan_cudaFree(const_cast<int *>(In)), cudaSuccess);
    EXPECT_EQ(__gridspan_cudaFree(Out), cudaSuccess);
  }
}

TEST_P(OutOfCoreLauncherTest, WhatMayNotBeSplitRunsUnsplit) {
  std::vector<float> In(N), Expected(N);
  for (int I = 0; I < N; ++I)
    In[I] = static_cast<float>(I % 3);
  for (int I = 0; I < N; ++I)
    Expected[I] = In[I / 2] + In[I];
  float *X = toDevice(In), *Y = toDevice(std::vector<float>(N, -1));
  // So that they are paged whatever the number of devices.
  float *Most = toDevice(std::vector<float>(4 * N, 1));
  ASSERT_EQ(launch(fake::saxpy(), 4 * N / 256, 256, 0, nullptr, 1.0f,
                   static_cast<const float *>(Most), Most, 4 * N),
            cudaSuccess);
  ASSERT_EQ(launch(fake::lookBack(), N / 256, 256, 0, nullptr,
                   static_cast<const float *>(X), Y, N),
            cudaSuccess);
  EXPECT_EQ(fromDevice(Y, N), Expected);
  const KernelRecord K = R.kernel("lookBack");
  EXPECT_EQ(K.Refusal, "mutable-device-variable");
  EXPECT_EQ(inPlace(K), "0:launch-needs-too-much 1:launch-needs-too-much");
}

TEST_P(OutOfCoreLauncherTest, PointersOutOfMemoryLeadAnywhere) {
  float *Data = toDevice(std::vector<float>(4 * N, 3));
  float *Out = toDevice(std::vector<float>(4 * N, 0));
  // Written by a launch, so that frames hold what the host does not.
  ASSERT_EQ(launch(fake::saxpy(), 4 * N / 256, 256, 0, nullptr, 1.0f,
                   static_cast<const float *>(Data), Data, 4 * N),
            cudaSuccess);
  float *const *Table = toDevice(std::vector<float *>{Data});
  ASSERT_EQ(
      launch(fake::follow(), 4 * N / 256, 256, 0, nullptr, Table, Out, 4 * N),
      cudaSuccess);
  EXPECT_EQ(fromDevice(Out, 4 * N), std::vector<float>(4 * N, 6));
  const KernelRecord K = R.kernel("follow");
  EXPECT_EQ(K.OutOfCoreLaunches, 0U);
  EXPECT_EQ(inPlace(K), "-1:unknown-pointer");
}

TEST_P(OutOfCoreLauncherTest, LittleIsReadWhereItIs) {
  Runtime::replace(nullptr);
  TestRuntime Auto(devices(), Schedule::Auto, DeviceBytes);
  Auto.wrapBackend<BackendWithoutUnifiedMemory>();
  float *X = managed(256);
  std::fill_n(X, 256, 4.0f);
  ASSERT_EQ(launch(fake::saxpy(), 1, 256, 0, nullptr, 1.0f,
                   static_cast<const float *>(X), X, 256),
            cudaSuccess);
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(X[255], 8);
  EXPECT_EQ(inPlace(Auto.kernel("saxpy")), "1:does-not-pay 2:does-not-pay");
  EXPECT_EQ(__gridspan_cudaFree(X), cudaSuccess);
}

TEST_P(OutOfCoreLauncherTest, ManagedMemoryIsTheHostsInBetween) {
  float *X = managed(4 * N), *Y = managed(4 * N);
  std::fill_n(X, 4 * N, 1.0f);
  std::fill_n(Y, 4 * N, 0.0f);
  for (int Round = 0; Round < 3; ++Round) {
    ASSERT_EQ(launch(fake::saxpy(), 4 * N / 256, 256, 0, nullptr, 1.0f,
                     static_cast<const float *>(X), Y, 4 * N),
              cudaSuccess);
    ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
    Y[Round] += 100;
  }
  std::vector<float> Expected(4 * N, 3);
  for (int Round = 0; Round < 3; ++Round)
    Expected[Round] += 100;
  EXPECT_EQ(std::vector<float>(Y, Y + 4 * N), Expected);
  EXPECT_EQ(R.kernel("saxpy").OutOfCoreLaunches, 3U);
  for (float *P : {X, Y})
    EXPECT_EQ(__gridspan_cudaFree(P), cudaSuccess);
}

TEST(OutOfCoreLaunch, NamesWhyOneOfSeveralDevicesRunsAll) {
  {
    // The first allocation is on device 0, and is written by all chunks.
    TestRuntime R(2, Schedule::Static, DeviceBytes, false);
    float *Y = toDevice(std::vector<float>(N / 32, 1)),
          *X = toDevice(std::vector<float>(4 * N, 1));
    ASSERT_EQ(launch(fake::saxpy(), N / 32 / 256, 256, 0, nullptr, 1.0f,
                     static_cast<const float *>(X), Y, N / 32),
              cudaSuccess);
    EXPECT_EQ(fromDevice(Y, N / 32), std::vector<float>(N / 32, 2));
    const KernelRecord K = R.kernel("saxpy");
    EXPECT_EQ(K.OutOfCoreLaunches, 1U);
    EXPECT_EQ(K.DevicesMax, 1U);
    EXPECT_EQ(K.WhyUnsplit, "no-peer-access");
  }
  TestRuntime R(2, Schedule::Single, DeviceBytes);
  float *X = toDevice(std::vector<float>(4 * N, 1));
  ASSERT_EQ(launch(fake::saxpy(), 4 * N / 256, 256, 0, nullptr, 1.0f,
                   static_cast<const float *>(X), X, 4 * N),
            cudaSuccess);
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(R.kernel("saxpy").WhyUnsplit, "schedule-single");
}

TEST(OutOfCoreLaunch, ClonesTakeBlocksOfTheirSize) {
  TestRuntime R(1, Schedule::Static, DeviceBytes);
  KernelRecord K = multiply(R);
  EXPECT_EQ(K.Packed, std::vector<int>{2});
  EXPECT_EQ(K.OutOfCoreLaunches, 1U);

  R.wrapBackend<BackendWithLargeClones<128, true>>();
  K = multiply(R);
  EXPECT_EQ(K.Packed, std::vector<int>());
  EXPECT_EQ(K.OutOfCoreLaunches, 1U);
  EXPECT_EQ(inPlace(K), "2:block-needs-too-much");

  R.wrapBackend<BackendWithLargeClones<128, false>>();
  K = multiply(R);
  EXPECT_EQ(K.WhyUnsplit, "clone-needs-more-registers");
  R.wrapBackend<BackendWithLargeClones<256, false>>();
  EXPECT_EQ(multiply(R).WhyUnsplit, "");
}
