//===- CopyApiTest.cpp - Copies and fills through the entry points --------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/TestRuntime.h"
#include <chrono>
#include <numeric>
#include <thread>

using namespace gridspan;

namespace {
class CopyApi : public testing::Test {
protected:
  /// A pitched device buffer spread over the devices, all zero.
  unsigned char *pitched(size_t Width, size_t Height, size_t &Pitch) {
    void *Out = nullptr;
    EXPECT_EQ(__gridspan_cudaMallocPitch(&Out, &Pitch, Width, Height),
              cudaSuccess);
    EXPECT_EQ(__gridspan_cudaMemset(Out, 0, Pitch * Height), cudaSuccess);
    return static_cast<unsigned char *>(Out);
  }
  static std::vector<unsigned char> numbers(size_t Count) {
    std::vector<unsigned char> Out(Count);
    std::iota(Out.begin(), Out.end(), 1);
    return Out;
  }

  TestRuntime R{3};
};
} // namespace

TEST_F(CopyApi, LargeStripedCopiesRoundTrip) {
  const size_t N = 20000003;
  std::vector<unsigned char> In = numbers(N);
  unsigned char *A = toDevice(In), *B = toDevice(std::vector<unsigned char>(N));
  EXPECT_EQ(__gridspan_cudaMemcpy(B, A + 1, N - 1, cudaMemcpyDeviceToDevice),
            cudaSuccess);
  std::vector<unsigned char> Out = fromDevice(B, N);
  EXPECT_TRUE(std::equal(In.begin() + 1, In.end(), Out.begin()));
  EXPECT_EQ(Out.back(), 0);
  EXPECT_EQ(R->record().Copies[2].Bytes, N - 1);
}

TEST_F(CopyApi, TwoDimensionsAcrossDevices) {
  const size_t Width = 700, Height = 301;
  size_t Pitch = 0;
  unsigned char *D = pitched(Width, Height, Pitch);
  std::vector<unsigned char> In = numbers(Width * Height), Out(In.size());
  EXPECT_EQ(__gridspan_cudaMemcpy2D(D, Pitch, In.data(), Width, Width, Height,
                                    cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_EQ(__gridspan_cudaMemcpy2D(Out.data(), Width, D, Pitch, Width, Height,
                                    cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(In, Out);
  EXPECT_EQ(fromDevice(D + Width, 10), std::vector<unsigned char>(10, 0));
}

TEST_F(CopyApi, FillsRows) {
  size_t Pitch = 0;
  unsigned char *D = pitched(100, 50, Pitch);
  EXPECT_EQ(__gridspan_cudaMemset2D(D, Pitch, 7, 100, 50), cudaSuccess);
  std::vector<unsigned char> Out = fromDevice(D, Pitch * 50);
  for (size_t I = 0; I < Out.size(); ++I)
    ASSERT_EQ(Out[I], I % Pitch < 100 ? 7 : 0);
  EXPECT_EQ(__gridspan_cudaMemset2D(D, 10, 7, 100, 50), cudaErrorInvalidValue);
  EXPECT_EQ(__gridspan_cudaMemset2D(D, Pitch, 7, 0, 50), cudaSuccess);
}

TEST_F(CopyApi, FillsOfWhatTheHostSeesAreDoneAtOnce) {
  constexpr size_t Bytes = 1 << 16;
  void *Managed = nullptr, *Pinned = nullptr;
  ASSERT_EQ(__gridspan_cudaMallocManaged(&Managed, Bytes, cudaMemAttachGlobal),
            cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMallocHost(&Pinned, Bytes), cudaSuccess);
  int Byte = 1;
  for (void *P : {Managed, Pinned}) {
    const auto *At = static_cast<const volatile unsigned char *>(P);
    for (unsigned Round = 0; Round != 50; ++Round) {
      // What the stream holds takes a while, and the fill comes behind it.
      ASSERT_EQ(__gridspan_cudaLaunchHostFunc(
                    nullptr,
                    [](void *) {
                      std::this_thread::sleep_for(
                          std::chrono::microseconds(50));
                    },
                    nullptr),
                cudaSuccess);
      ++Byte;
      if (Round % 3 == 0)
        ASSERT_EQ(__gridspan_cudaMemset(P, Byte, Bytes), cudaSuccess);
      else if (Round % 3 == 1)
        ASSERT_EQ(__gridspan_cudaMemset2D(P, 256, Byte, 256, Bytes / 256),
                  cudaSuccess);
      else
        ASSERT_EQ(__gridspan_cudaMemset3D({P, 256, 256, 4}, Byte,
                                          {256, 4, Bytes / 1024}),
                  cudaSuccess);
      ASSERT_EQ(At[0], Byte);
      ASSERT_EQ(At[Bytes - 1], Byte);
    }
  }
  EXPECT_EQ(__gridspan_cudaFree(Managed), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaFreeHost(Pinned), cudaSuccess);
}

TEST_F(CopyApi, RowsOutsideOfAddressesAreRefused) {
  unsigned char *D = toDevice(numbers(4096));
  std::vector<unsigned char> H(64);
  constexpr size_t Far = size_t(1) << 40, Rows = (size_t(1) << 24) + 1;
  EXPECT_EQ(__gridspan_cudaMemcpy2D(D, Far, H.data(), 16, 16, Rows,
                                    cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(__gridspan_cudaMemset2D(D, Far, 0, 16, Rows),
            cudaErrorInvalidValue);
  EXPECT_EQ(__gridspan_cudaMemset3D({D, Far, 16, Rows}, 0, {16, 1, 2}),
            cudaErrorInvalidValue);
  cudaMemcpy3DParms Box = {};
  Box.srcPtr = {H.data(), 16, 16, 4};
  Box.dstPtr = {D, 64, 64, 64};
  Box.dstPos.x = 60;
  Box.extent = {16, 4, 1};
  Box.kind = cudaMemcpyHostToDevice;
  EXPECT_EQ(__gridspan_cudaMemcpy3D(&Box), cudaErrorInvalidValue);
  Box.dstPos.x = size_t(1) << 60;
  EXPECT_EQ(__gridspan_cudaMemcpy3D(&Box), cudaErrorInvalidValue);
  // A pitch that is not used may be any.
  EXPECT_EQ(__gridspan_cudaMemset2D(D, SIZE_MAX, 1, 16, 1), cudaSuccess);
  EXPECT_EQ(fromDevice(D, 17)[15], 1);
  // Of rows that are outside in part none is written.
  EXPECT_EQ(__gridspan_cudaMemset2D(D, 2048, 9, 16, 3), cudaErrorInvalidValue);
  EXPECT_EQ(fromDevice(D, 17)[15], 1);
}

TEST_F(CopyApi, AllocationsDoNotWaitForCopiesOfOtherThreads) {
  cudaStream_t Held = nullptr, Other = nullptr;
  ASSERT_EQ(__gridspan_cudaStreamCreateWithFlags(&Held, cudaStreamNonBlocking),
            cudaSuccess);
  ASSERT_EQ(__gridspan_cudaStreamCreateWithFlags(&Other, cudaStreamNonBlocking),
            cudaSuccess);
  unsigned char *D = toDevice(numbers(1 << 20));
  void *Freed = nullptr, *New = nullptr;
  ASSERT_EQ(__gridspan_cudaMallocAsync(&Freed, 1 << 20, Other), cudaSuccess);
  Gate Until;
  Until.close(Held);
  std::vector<unsigned char> H(1 << 20);
  std::thread Copies([&] {
    EXPECT_EQ(__gridspan_cudaMemcpyAsync(H.data(), D, H.size(),
                                         cudaMemcpyDeviceToHost, Held),
              cudaSuccess);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(__gridspan_cudaFreeAsync(Freed, Other), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaStreamSynchronize(Other), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaMalloc(&New, 2 << 20), cudaSuccess);
  Until.open();
  Copies.join();
  EXPECT_EQ(__gridspan_cudaFree(New), cudaSuccess);
}

TEST_F(CopyApi, Boxes) {
  const size_t W = 8, H = 5, D = 4;
  std::vector<unsigned char> In = numbers(W * H * D), Out(In.size());
  unsigned char *Buffer = toDevice(std::vector<unsigned char>(W * H * D));
  cudaMemcpy3DParms P = {};
  P.srcPtr = {In.data(), W, W, H};
  P.dstPtr = {Buffer, W, W, H};
  P.srcPos = {1, 2, 1};
  P.dstPos = {2, 1, 0};
  P.extent = {4, 3, 2};
  P.kind = cudaMemcpyHostToDevice;
  EXPECT_EQ(__gridspan_cudaMemcpy3D(&P), cudaSuccess);
  Out = fromDevice(Buffer, Out.size());
  for (size_t Z = 0; Z < 2; ++Z)
    for (size_t Y = 0; Y < 3; ++Y)
      for (size_t X = 0; X < 4; ++X)
        EXPECT_EQ(Out[(Z * H + Y + 1) * W + X + 2],
                  In[((Z + 1) * H + Y + 2) * W + X + 1]);
  EXPECT_EQ(std::count(Out.begin(), Out.end(), 0), W * H * D - 24);
  P.kind = static_cast<cudaMemcpyKind>(9);
  EXPECT_EQ(__gridspan_cudaMemcpy3D(&P), cudaErrorInvalidMemcpyDirection);
}

TEST_F(CopyApi, BetweenPeers) {
  unsigned char *A = toDevice(numbers(100)),
                *B = toDevice(std::vector<unsigned char>(100));
  EXPECT_EQ(__gridspan_cudaMemcpyPeer(B, 0, A, 0, 100), cudaSuccess);
  EXPECT_EQ(fromDevice(B, 100), numbers(100));
  EXPECT_EQ(__gridspan_cudaMemcpyPeer(B, 1, A, 0, 100), cudaErrorInvalidDevice);
}

TEST_F(CopyApi, ManagedMemoryIsTheHostsToo) {
  void *P = nullptr;
  const int N = 5000;
  ASSERT_EQ(__gridspan_cudaMallocManaged(&P, 4 * N, cudaMemAttachGlobal),
            cudaSuccess);
  auto *M = static_cast<float *>(P);
  float *Ones = toDevice(std::vector<float>(N, 1));
  for (int Round = 0; Round < 3; ++Round) {
    for (int I = 0; I < N; ++I)
      M[I] += static_cast<float>(I);
    ASSERT_EQ(launch(fake::saxpy(), N / 50, 50, 0, nullptr, 1.0f,
                     static_cast<const float *>(Ones), M, N),
              cudaSuccess);
    ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
    for (int I = 0; I < N; ++I)
      ASSERT_EQ(M[I], static_cast<float>((Round + 1) * (I + 1)));
  }
}

TEST_F(CopyApi, ManagedOperandsAreReadAfresh) {
  // Nobody sees the host write B: a replica may not outlive its launch.
  void *P = nullptr;
  const int N = 64;
  ASSERT_EQ(__gridspan_cudaMallocManaged(&P, 4 * N * N, cudaMemAttachGlobal),
            cudaSuccess);
  auto *B = static_cast<float *>(P);
  std::vector<float> Identity(N * N, 0);
  for (int I = 0; I < N; ++I)
    Identity[I * N + I] = 1;
  float *A = toDevice(Identity), *C = toDevice(std::vector<float>(N * N));
  for (int Round = 0; Round < 3; ++Round) {
    std::fill_n(B, N * N, static_cast<float>(Round));
    ASSERT_EQ(launch(fake::matmul(), N / 4, 4, 0, nullptr, C,
                     static_cast<const float *>(A),
                     static_cast<const float *>(B), N),
              cudaSuccess);
    ASSERT_EQ(fromDevice(C, N * N),
              std::vector<float>(N * N, static_cast<float>(Round)));
  }
}

TEST_F(CopyApi, PinnedMemoryIsReadInPlace) {
  void *P = nullptr;
  const int N = 5000;
  ASSERT_EQ(__gridspan_cudaMallocHost(&P, 4 * N), cudaSuccess);
  auto *X = static_cast<float *>(P);
  std::fill_n(X, N, 2.0f);
  float *Y = toDevice(std::vector<float>(N));
  ASSERT_EQ(launch(fake::saxpy(), N / 50, 50, 0, nullptr, 1.0f,
                   static_cast<const float *>(X), Y, N),
            cudaSuccess);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 2));
  EXPECT_EQ(__gridspan_cudaFreeHost(P), cudaSuccess);
}
