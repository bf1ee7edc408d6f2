//===- PitchedApiTest.cpp - Boxes of paged memory on GPUs -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CPU device that calls itself a GPU: whatever is left to CUDA fails, as
// there is no driver or no such memory.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ForwardingBackend.h"
#include "test/unit/runtime/TestRuntime.h"
#include <cstring>

using namespace gridspan;

namespace {

class BackendNamedCuda : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  const char *name() const override { return "cuda"; }
};

constexpr size_t W = 1 << 10, H = 256, D = 4;

class PitchedApi : public testing::Test {
protected:
  PitchedApi() : R(2, Schedule::Static, 1 << 18) {
    R.withoutChains();
    R.wrapBackend<BackendNamedCuda>();
    void *Out = nullptr;
    EXPECT_EQ(__gridspan_cudaMalloc(&Out, W * H * D), cudaSuccess);
    Large = static_cast<std::byte *>(Out);
  }

  /// Has a launch write the memory, so that devices hold what the host does
  /// not: one in the place of each float.
  void writeOnDevices() {
    float *F = reinterpret_cast<float *>(Large);
    ASSERT_EQ(__gridspan_cudaMemset(Large, 0, W * H * D), cudaSuccess);
    const int N = W * H * D / 4;
    std::shared_ptr<Allocation> A = R->memory().find(Large);
    ASSERT_TRUE(A->Paged);
    Ones = toDevice(std::vector<float>(N, 1));
    ASSERT_EQ(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 1.0f,
                     static_cast<const float *>(Ones), F, N),
              cudaSuccess);
    unsigned Dirty = 0;
    for (const PagedMemory::Frame &Frame : A->Paged->Frames)
      Dirty += Frame.Dirty;
    ASSERT_GT(Dirty, 0U);
  }
  static float floatAt(const std::vector<std::byte> &Bytes, size_t At) {
    float Out;
    std::memcpy(&Out, &Bytes[At / 4 * 4], 4);
    return Out;
  }

  TestRuntime R;
  std::byte *Large = nullptr;
  float *Ones = nullptr;
};

} // namespace

TEST_F(PitchedApi, FillsOfPagedMemoryAreSeen) {
  writeOnDevices();
  ASSERT_EQ(__gridspan_cudaMemset2DAsync(Large, W, 0, W / 2, H * D, nullptr),
            cudaSuccess);
  const std::vector<std::byte> Got = fromDevice(Large, W * H * D);
  for (size_t I = 0; I < Got.size(); I += 4)
    ASSERT_EQ(floatAt(Got, I), I % W < W / 2 ? 0 : 1) << I;
}

TEST_F(PitchedApi, CopiesOfBoxesSeeWhatDevicesWrote) {
  writeOnDevices();
  std::vector<std::byte> Out(W * H * D);
  cudaMemcpy3DParms P = {};
  P.srcPtr = {Large, W, W, H};
  P.dstPtr = {Out.data(), W, W, H};
  P.extent = {W, H, D};
  P.kind = cudaMemcpyDeviceToHost;
  ASSERT_EQ(__gridspan_cudaMemcpy3D(&P), cudaSuccess);
  for (size_t I = 0; I < Out.size(); I += 4)
    ASSERT_EQ(floatAt(Out, I), 1) << I;
  // And back: launches see it.
  std::memset(Out.data(), 0, Out.size());
  std::swap(P.srcPtr, P.dstPtr);
  P.extent.depth = D / 2;
  P.kind = cudaMemcpyHostToDevice;
  ASSERT_EQ(__gridspan_cudaMemcpy3DAsync(&P, nullptr), cudaSuccess);
  const int N = W * H * D / 4;
  ASSERT_EQ(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 1.0f,
                   static_cast<const float *>(Ones),
                   reinterpret_cast<float *>(Large), N),
            cudaSuccess);
  const std::vector<std::byte> Got = fromDevice(Large, W * H * D);
  for (size_t I = 0; I < Got.size(); I += 4)
    ASSERT_EQ(floatAt(Got, I), I < W * H * D / 2 ? 1 : 2) << I;
}

TEST_F(PitchedApi, ArraysAndPagedMemoryAreRefused) {
  cudaMemcpy3DParms P = {};
  P.srcPtr = {Large, W, W, H};
  P.dstArray = reinterpret_cast<cudaArray_t>(&P);
  P.extent = {W, H, D};
  P.kind = cudaMemcpyDefault;
  EXPECT_EQ(__gridspan_cudaMemcpy3D(&P), cudaErrorNotSupported);
}

TEST_F(PitchedApi, TheRestIsLeftToCuda) {
  char *Small = toDevice(std::vector<char>(64));
  EXPECT_NE(__gridspan_cudaMemset2D(Small, 8, 1, 4, 4), cudaSuccess);
}
