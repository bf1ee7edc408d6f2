//===- unsplittable.cu - A program without a kernel that can be split -----===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks take their work from a counter in device memory, so they depend on one
// another. Copies, memsets and launches must cost as much as plainly.
//
// Usage: unsplittable [elements] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/common/Bench.h"
#include <cstring>

__device__ unsigned long long NextChunk;

constexpr int ChunkElements = 4096;

__global__ void scaleChunks(float *Data, size_t N, float A) {
  __shared__ size_t Chunk;
  for (;;) {
    if (threadIdx.x == 0)
      Chunk = atomicAdd(&NextChunk, 1ull);
    __syncthreads();
    size_t Begin = Chunk * ChunkElements;
    if (Begin >= N)
      return;
    for (size_t I = Begin + threadIdx.x; I < Begin + ChunkElements && I < N;
         I += blockDim.x)
      Data[I] = A * Data[I] + 1;
    __syncthreads();
  }
}

int main(int Argc, char **Argv) {
  size_t N = argument(Argc, Argv, 1, size_t(1) << 28);
  int Repetitions = argument(Argc, Argv, 2, 5);
  size_t Bytes = N * sizeof(float);
  float *Data, *OnHost;
  CHECK(cudaMalloc(&Data, Bytes));
  CHECK(cudaMallocHost(&OnHost, Bytes));
  for (size_t I = 0; I < N; ++I)
    OnHost[I] = float(I % 1000);
  double In = medianSeconds(Repetitions, [&] {
    CHECK(cudaMemcpy(Data, OnHost, Bytes, cudaMemcpyHostToDevice));
  });
  int Rounds = 10;
  double Kernels = medianSeconds(Repetitions, [&] {
    for (int I = 0; I < Rounds; ++I) {
      unsigned long long Zero = 0;
      CHECK(cudaMemcpyToSymbol(NextChunk, &Zero, sizeof(Zero)));
      scaleChunks<<<1056, 256>>>(Data, N, 0.5f);
    }
    CHECK(cudaDeviceSynchronize());
  });
  double Out = medianSeconds(Repetitions, [&] {
    CHECK(cudaMemcpy(OnHost, Data, Bytes, cudaMemcpyDeviceToHost));
  });
  double Sum = 0;
  for (size_t I = 0; I < N; I += 997)
    Sum += OnHost[I] * double(I % 13 + 1);
  unsigned long long Bits;
  static_assert(sizeof(Bits) == sizeof(Sum));
  memcpy(&Bits, &Sum, sizeof(Bits));
  report("unsplit_h2d", In, Bytes, 0);
  report("unsplit_kernels", Kernels / Rounds, 2.0 * Bytes, Bits);
  report("unsplit_d2h", Out, Bytes, 0);
  CHECK(cudaFree(Data));
  CHECK(cudaFreeHost(OnHost));
}
