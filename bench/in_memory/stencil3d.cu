//===- stencil3d.cu - Seven-point diffusion, one GPU ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: stencil3d [cells along each side] [steps] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/common/DeviceData.h"
#include <utility>

__global__ void diffuse(const float *In, float *Out, int N, float C) {
  const int X = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int Y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  const int Z = blockIdx.z * blockDim.z + threadIdx.z + 1;
  if (X >= N - 1 || Y >= N - 1 || Z >= N - 1)
    return;
  const size_t Plane = size_t(N) * N;
  const size_t I = Z * Plane + size_t(Y) * N + X;
  Out[I] = In[I] + C * (In[I - 1] + In[I + 1] + In[I - N] + In[I + N] +
                        In[I - Plane] + In[I + Plane] - 6 * In[I]);
}

int main(int Argc, char **Argv) {
  const int Side = argument(Argc, Argv, 1, 1024);
  const int Steps = argument(Argc, Argv, 2, 100);
  const int Repetitions = argument(Argc, Argv, 3, 3);
  const size_t N = size_t(Side) * Side * Side;
  float *In, *Out;
  CHECK(cudaMalloc(&In, N * sizeof(float)));
  CHECK(cudaMalloc(&Out, N * sizeof(float)));
  fill(In, N, 1);
  fill(Out, N, 1);
  const dim3 Block(32, 4, 4);
  const auto Blocks = [&](unsigned Threads) {
    return (unsigned(Side) - 2 + Threads - 1) / Threads;
  };
  const dim3 Grid(Blocks(Block.x), Blocks(Block.y), Blocks(Block.z));
  const double Seconds = medianSeconds(Repetitions, [&] {
    for (int I = 0; I < Steps; ++I) {
      diffuse<<<Grid, Block>>>(In, Out, Side, 0.125f);
      std::swap(In, Out);
    }
    CHECK(cudaDeviceSynchronize());
  });
  report("stencil3d", Seconds / Steps, 8.0 * N, checksum(In, N));
  CHECK(cudaFree(In));
  CHECK(cudaFree(Out));
}
