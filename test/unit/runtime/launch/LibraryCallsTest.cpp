//===- LibraryCallsTest.cpp - Pages for libraries' kernels ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/LibraryCalls.h"
#include "runtime/backend/ForwardingBackend.h"
#include "test/unit/runtime/TestRuntime.h"

using namespace gridspan;

namespace {

constexpr int N = 1 << 20, Calls = 100;

std::vector<float> values() {
  std::vector<float> Out(N);
  for (int I = 0; I < N; ++I)
    Out[I] = static_cast<float>(I % 1009);
  return Out;
}

void call(std::vector<void *> Pointers, int Times = 1) {
  for (int I = 0; I < Times; ++I) {
    __gridspan_before_library_call(Pointers.data(), Pointers.size());
    __gridspan_after_library_call();
  }
}

uint64_t bytesElsewhere(TestRuntime &R, const float *Data) {
  const std::shared_ptr<Allocation> A = R->memory().find(Data);
  return A->bytes() - A->Homes.bytesAt(0, A->bytes(), 0);
}

TEST(LibraryCalls, PagesComeToDevice0OnceThatPays) {
  TestRuntime R(3);
  float *X = toDevice(values()), *Y = toDevice(values());
  const uint64_t Elsewhere = bytesElsewhere(R, X);
  ASSERT_GT(Elsewhere, 0u);
  int OnStack = 0;
  std::vector<void *> Pointers = {&OnStack, X + 5, nullptr, X};
  call(Pointers);
  EXPECT_GT(bytesElsewhere(R, X), 0u) << "moved for one call";
  call(Pointers, Calls);
  EXPECT_EQ(bytesElsewhere(R, X), 0u);
  EXPECT_EQ(R->record().Moves.Bytes, Elsewhere);
  EXPECT_GT(bytesElsewhere(R, Y), 0u) << "moved what was not asked for";
  EXPECT_EQ(fromDevice(X, N), values());
}

TEST(LibraryCalls, KernelsAreSplitOnMovedPages) {
  TestRuntime R(2);
  float *X = toDevice(values()), *Y = toDevice(values());
  call({X, Y}, Calls);
  ASSERT_EQ(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 1.0f,
                   static_cast<const float *>(X), Y, N),
            cudaSuccess);
  EXPECT_EQ(R.kernel("saxpy").SplitLaunches, 1u);
  std::vector<float> Expected = values();
  for (float &V : Expected)
    V *= 2;
  EXPECT_EQ(fromDevice(Y, N), Expected);
}

TEST(LibraryCalls, NothingMovesWhileAThreadIsInALibrary) {
  TestRuntime R(2);
  float *X = toDevice(values());
  __gridspan_before_library_call(nullptr, 0);
  call({X}, Calls);
  EXPECT_GT(bytesElsewhere(R, X), 0u);
  __gridspan_after_library_call();
  call({X}, Calls);
  EXPECT_EQ(bytesElsewhere(R, X), 0u);
}

TEST(LibraryCalls, NothingMovesThatIsNotSpread) {
  for (Schedule Sched : {Schedule::Single, Schedule::Static}) {
    TestRuntime R(Sched == Schedule::Single ? 2 : 1, Sched);
    float *X = toDevice(values());
    call({X}, Calls);
    EXPECT_EQ(R->record().Moves.Count, 0u);
  }
}

TEST(LibraryCalls, MorePointersThanAreLookedAt) {
  TestRuntime R(2);
  float *X = toDevice(values());
  call(std::vector<void *>(3 * NumLibraryPointers, X), Calls);
  EXPECT_EQ(bytesElsewhere(R, X), 0u);
}

/// Launches functions without a descriptor; their argument is a pointer.
class BackendWithForeignKernels : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  unsigned argumentWords(const LaunchTarget &, void *const *Args, void **Out,
                         unsigned) override {
    Out[0] = *static_cast<void **>(Args[0]);
    return 1;
  }
  cudaError_t launch(Stream &S, const LaunchTarget &Target,
                     const LaunchShape &Shape, void *const *Args,
                     const GridspanTile *Tile) override {
    return Target.Kernel
               ? ForwardingBackend::launch(S, Target, Shape, Args, Tile)
               : cudaSuccess;
  }
};

TEST(LibraryCalls, PagesComeToKernelsWithoutADescriptor) {
  TestRuntime R(2);
  R.wrapBackend<BackendWithForeignKernels>();
  float *X = toDevice(values());
  void *Args[] = {&X};
  static const char Foreign = 0;
  for (int I = 0; I < Calls; ++I)
    ASSERT_EQ(__gridspan_cudaLaunchKernel(&Foreign, 1, 1, Args, 0, nullptr),
              cudaSuccess);
  EXPECT_EQ(bytesElsewhere(R, X), 0u);
}

TEST(LibraryCalls, PagesComeToLaunchesThatCannotBeSplit) {
  TestRuntime R(2);
  float *X = toDevice(values()), *Y = toDevice(values());
  const float *From = X;
  float Factor = 1;
  int Count = N;
  void *Args[] = {&Factor, &From, &Y, &Count};
  cudaLaunchAttribute Cluster = {};
  Cluster.id = cudaLaunchAttributeClusterDimension;
  Cluster.val.clusterDim = {1, 1, 1};
  cudaLaunchConfig_t Config = {};
  Config.gridDim = N / 256;
  Config.blockDim = 256;
  Config.attrs = &Cluster;
  Config.numAttrs = 1;
  for (int I = 0; I < Calls; ++I)
    ASSERT_EQ(
        __gridspan_cudaLaunchKernelExC(&Config, fake::saxpy().HostStub, Args),
        cudaSuccess);
  EXPECT_EQ(R.kernel("saxpy").WhyUnsplit, "launch-attributes");
  EXPECT_EQ(bytesElsewhere(R, X), 0u);
  EXPECT_EQ(bytesElsewhere(R, Y), 0u);
}

TEST(LibraryCalls, HintsOfLaunchesDoNotKeepThemWhole) {
  TestRuntime R(2);
  float *X = toDevice(values()), *Y = toDevice(values());
  const float *From = X;
  float Factor = 1;
  int Count = N;
  void *Args[] = {&Factor, &From, &Y, &Count};
  cudaLaunchAttribute Hints[2] = {};
  Hints[0].id = cudaLaunchAttributePriority;
  Hints[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  Hints[1].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t Config = {};
  Config.gridDim = N / 256;
  Config.blockDim = 256;
  Config.attrs = Hints;
  Config.numAttrs = 2;
  ASSERT_EQ(
      __gridspan_cudaLaunchKernelExC(&Config, fake::saxpy().HostStub, Args),
      cudaSuccess);
  EXPECT_EQ(R.kernel("saxpy").SplitLaunches, 1u);
}

TEST(LibraryCalls, CallsBeforeThereIsARuntime) {
  EXPECT_EQ(Runtime::existing(), nullptr);
  int OnStack = 0;
  call({&OnStack});
  EXPECT_EQ(Runtime::existing(), nullptr);
}

} // namespace
