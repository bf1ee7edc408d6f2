//===- ReasonsTest.cpp - What the report says of launches -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For reasons of docs/guide/report.md a launch that has it: why it was not
// split, and why it touched memory that devices cannot hold where that is.
// Results are right all the same. The tests of what decides have the other
// reasons.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ForwardingBackend.h"
#include "test/unit/runtime/TestRuntime.h"
#include <algorithm>
#include <atomic>
#include <thread>

using namespace gridspan;

namespace {

constexpr uint64_t DeviceBytes = 1 << 20;
/// Floats: a buffer of eight devices' memory.
constexpr int N = 1 << 21;

/// As a text: "parameter:why ...".
std::string inPlace(const KernelRecord &K) {
  std::string Out;
  for (const InPlaceParam &P : K.InPlace)
    Out += (Out.empty() ? "" : " ") + std::to_string(P.Param) + ":" +
           nameOf(P.Why);
  return Out;
}

/// Y[i] += X[i].
cudaError_t add(const GridspanKernel &Like, const float *X, float *Y,
                cudaStream_t S = nullptr) {
  return launch(Like, N / 256, 256, 0, S, 1.0f, X, Y, N);
}

class InPlace : public testing::TestWithParam<unsigned> {
protected:
  /// Buffers that are paged; frames of Y hold what the host's copy does not.
  void fill() {
    X = toDevice(std::vector<float>(N, 1));
    Y = toDevice(std::vector<float>(N, 2));
    ASSERT_EQ(add(fake::saxpy(), X, Y), cudaSuccess);
    ASSERT_EQ(R.kernel("saxpy").OutOfCoreLaunches, 1U);
  }
  /// The launch that In was made by saw them, and so does everybody after it.
  void expectAdded(const std::string &Kernel, const std::string &In) {
    EXPECT_TRUE(fromDevice(Y, N) == std::vector<float>(N, 4));
    ASSERT_EQ(add(fake::saxpy(), X, Y), cudaSuccess);
    EXPECT_TRUE(fromDevice(Y, N) == std::vector<float>(N, 5));
    EXPECT_EQ(inPlace(R.kernel(Kernel)), In);
  }

  InPlace() { R.withoutChains(); }
  TestRuntime R{GetParam(), Schedule::Static, DeviceBytes};
  float *X = nullptr, *Y = nullptr;
};

/// Runs functions that have no descriptor: they add 1 to all of the buffer that
/// their argument leads to.
class BackendWithForeignKernels : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  cudaError_t launch(Stream &S, const LaunchTarget &Target,
                     const LaunchShape &Shape, void *const *Args,
                     const GridspanTile *Tile) override {
    if (Target.Kernel)
      return ForwardingBackend::launch(S, Target, Shape, Args, Tile);
    auto *Data = *static_cast<float **>(Args[0]);
    std::for_each(Data, Data + N, [](float &F) { F += 1; });
    return cudaSuccess;
  }
};

/// Streams of the program are captured, and run what they capture.
class CapturingBackend : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  static inline bool Captures;
  bool isCapturing(Stream &) override { return Captures; }
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, InPlace, testing::Values(1U, 2U));

TEST_P(InPlace, NotAnalysed) {
  GridspanKernel K = fake::saxpy();
  K.Name = "_Z6opaquefPKfPfi";
  K.TiledStub = nullptr;
  K.Flags = GridspanNotAnalysed;
  const fake::OwnKernel Opaque(K);
  fill();
  ASSERT_EQ(add(Opaque.get(), X, Y), cudaSuccess);
  expectAdded("opaque", "-1:not-analysed");
}

TEST_P(InPlace, NoDescriptor) {
  R.wrapBackend<BackendWithForeignKernels>();
  fill();
  static const char Foreign = 0;
  void *Args[] = {&Y};
  ASSERT_EQ(__gridspan_cudaLaunchKernel(&Foreign, 1, 1, Args, 0, nullptr),
            cudaSuccess);
  expectAdded("(functions without", "-1:no-descriptor");
  EXPECT_EQ(R.kernel("(functions without").Refusal, "no-descriptor");
}

TEST_P(InPlace, PointerEscapes) {
  static const GridspanPointer Pointers[] = {
      {1, 0, GridspanRead, GridspanReplicable},
      {2, 0, GridspanRead | GridspanWrite, 0}};
  GridspanKernel K = fake::saxpy();
  K.Name = "_Z7leakingfPKfPfi";
  K.Pointers = Pointers;
  const fake::OwnKernel Leaking(K);
  fill();
  ASSERT_EQ(add(Leaking.get(), X, Y), cudaSuccess);
  expectAdded("leaking", "2:pointer-escapes");
}

TEST_P(InPlace, HostMayWrite) {
  R.wrapBackend<BackendWithoutUnifiedMemory>();
  GridspanKernel K = fake::saxpy();
  K.Name = "_Z5rarelfPKfPfi";
  static const GridspanRangeFn All = K.Ranges;
  K.Ranges = [](const GridspanBox *Box, GridspanRange *Out) {
    All(Box, Out);
    for (int I = 0; I < 3; ++I)
      Out[I].State = GridspanRangeMay;
  };
  const fake::OwnKernel Rare(K);
  void *Memory = nullptr;
  ASSERT_EQ(__gridspan_cudaMallocManaged(&Memory, N * sizeof(float),
                                         cudaMemAttachGlobal),
            cudaSuccess);
  auto *Managed = static_cast<float *>(Memory);
  std::fill_n(Managed, N, 2.0f);
  X = toDevice(std::vector<float>(N, 1));
  ASSERT_EQ(add(Rare.get(), X, Managed), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_TRUE(std::vector<float>(Managed, Managed + N) ==
              std::vector<float>(N, 3));
  EXPECT_EQ(inPlace(R.kernel("rare")), "2:host-may-write");
  EXPECT_EQ(R.kernel("rare").OutOfCoreLaunches, 1U);
}

TEST_P(InPlace, WaitsOnOtherBlock) {
  R.wrapBackend<BackendWithoutUnifiedMemory>();
  void *Memory = nullptr;
  ASSERT_EQ(__gridspan_cudaMallocManaged(&Memory, 4, cudaMemAttachGlobal),
            cudaSuccess);
  auto *Flag = static_cast<int *>(Memory);
  *Flag = 0;
  ASSERT_EQ(launch(fake::waitForFlag(), 1, 1, 0, nullptr, Flag), cudaSuccess);
  // It has not ended, and ends when the host wants.
  __atomic_store_n(Flag, 1, __ATOMIC_RELEASE);
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(*Flag, 2);
  EXPECT_EQ(inPlace(R.kernel("waitForFlag")), "0:waits-on-other-block");
}

TEST_P(InPlace, TellsHost) {
  R.wrapBackend<BackendWithoutUnifiedMemory>();
  GridspanKernel K = fake::saxpy();
  K.Name = "_Z4loudfPKfPfi";
  K.Flags = 0; // it may have fences
  const fake::OwnKernel Loud(K);
  void *Memory = nullptr;
  ASSERT_EQ(__gridspan_cudaMallocManaged(&Memory, N * sizeof(float),
                                         cudaMemAttachGlobal),
            cudaSuccess);
  auto *Managed = static_cast<float *>(Memory);
  std::fill_n(Managed, N, 1.0f);
  Y = toDevice(std::vector<float>(N, 2));
  // The host cannot look at what it writes.
  ASSERT_EQ(add(Loud.get(), Managed, Y), cudaSuccess);
  EXPECT_EQ(inPlace(R.kernel("loud")), "");
  // Here it can, and goes by it.
  ASSERT_EQ(add(Loud.get(), Y, Managed), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_TRUE(std::vector<float>(Managed, Managed + N) ==
              std::vector<float>(N, 4));
  EXPECT_EQ(inPlace(R.kernel("loud")), "1:tells-host 2:tells-host");
  EXPECT_EQ(R.kernel("loud").OutOfCoreLaunches, 1U);
}

TEST_P(InPlace, DevicesBusy) {
  R.losePatience();
  fill();
  cudaStream_t Waits = nullptr, S = nullptr;
  for (cudaStream_t *New : {&Waits, &S})
    ASSERT_EQ(__gridspan_cudaStreamCreateWithFlags(New, cudaStreamNonBlocking),
              cudaSuccess);
  Gate Held;
  Held.close(Waits);
  ASSERT_EQ(add(fake::saxpy(), X, Y, S), cudaSuccess);
  Held.open();
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(R.kernel("saxpy").OutOfCoreLaunches, 1U);
  expectAdded("saxpy", "1:devices-busy 2:devices-busy");
  for (cudaStream_t Old : {Waits, S})
    EXPECT_EQ(__gridspan_cudaStreamDestroy(Old), cudaSuccess);
}

TEST_P(InPlace, Capturing) {
  R.wrapBackend<CapturingBackend>();
  fill();
  CapturingBackend::Captures = true;
  EXPECT_EQ(add(fake::saxpy(), X, Y), cudaSuccess);
  CapturingBackend::Captures = false;
  EXPECT_EQ(R.kernel("saxpy").WhyUnsplit, "capturing");
  expectAdded("saxpy", "1:capturing 2:capturing");
}

TEST(WhyUnsplit, SymbolAddressTaken) {
  TestRuntime R(2);
  float *X = toDevice(std::vector<float>(N, 1));
  ASSERT_EQ(add(fake::saxpy(), X, X), cudaSuccess);
  EXPECT_EQ(R.kernel("saxpy").WhyUnsplit, "");
  void *Address = nullptr;
  ASSERT_EQ(__gridspan_cudaGetSymbolAddress(&Address, &fake::Total),
            cudaSuccess);
  ASSERT_EQ(add(fake::saxpy(), X, X), cudaSuccess);
  EXPECT_TRUE(fromDevice(X, N) == std::vector<float>(N, 4));
  const KernelRecord K = R.kernel("saxpy");
  EXPECT_EQ(K.WhyUnsplit, "symbol-address-taken");
  EXPECT_EQ(K.SplitLaunches, 1U);
}

TEST(WhyUnsplit, NoTiledClone) {
  GridspanKernel K = fake::saxpy();
  K.Name = "_Z5wholefPKfPfi";
  K.TiledStub = nullptr;
  const fake::OwnKernel Whole(K);
  TestRuntime R(2);
  float *X = toDevice(std::vector<float>(N, 1));
  ASSERT_EQ(add(Whole.get(), X, X), cudaSuccess);
  EXPECT_TRUE(fromDevice(X, N) == std::vector<float>(N, 2));
  EXPECT_EQ(R.kernel("whole").Refusal, "no-tiled-clone");
  EXPECT_EQ(R.kernel("whole").WhyUnsplit, "no-tiled-clone");
}

TEST(WhyUnsplit, AliasedArguments) {
  GridspanKernel K = fake::shift();
  K.Name = "_Z8stridingPKfS0_Pfi";
  K.Flags = GridspanRepartitioned;
  const fake::OwnKernel Striding(K);
  TestRuntime R(2);
  const float *X = toDevice(std::vector<float>(N, 1));
  float *Y = toDevice(std::vector<float>(N, 2));
  auto Run = [&](const float *From) {
    ASSERT_EQ(
        launch(Striding.get(), N / 256, 256, 0, nullptr, X, From, Y, N - 1),
        cudaSuccess);
  };
  Run(X);
  EXPECT_EQ(R.kernel("striding").WhyUnsplit, "");
  EXPECT_EQ(fromDevice(Y, N)[N - 1], 2);
  Run(Y);
  EXPECT_EQ(R.kernel("striding").WhyUnsplit, "aliased-arguments");
}

TEST(WhyMayAlias, ArgumentsChangeEachTime) {
  TestRuntime R(1);
  const int Count = 1 << 14;
  float *X = toDevice(std::vector<float>(Count, 1)),
        *Y = toDevice(std::vector<float>(Count, 0));
  // Into the middle, and never twice the same: decided anew each time.
  for (int I = 1; I < 200; ++I)
    ASSERT_EQ(launch(fake::distinctSaxpy(), 1, 32, 0, nullptr, 1.0f,
                     static_cast<const float *>(X + I), Y + I, 32),
              cudaSuccess);
  EXPECT_EQ(R.kernel("distinct").WhyMayAlias, "arguments-change-each-time");
  EXPECT_EQ(fromDevice(Y, Count)[100], 32);
}
