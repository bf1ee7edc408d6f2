//===- latency.cu - Costs of a launch -------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times launches of an empty kernel in a row, launches with a wait after each,
// and launches with the arguments of a real kernel that is too small to be
// split.
//
// Usage: latency [launches] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/common/DeviceData.h"

__global__ void empty() {}

__global__ void small(float *Out, const float *In, size_t N, float A) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < N)
    Out[I] = A * In[I] + 1;
}

int main(int Argc, char **Argv) {
  int Launches = argument(Argc, Argv, 1, 100000);
  int Repetitions = argument(Argc, Argv, 2, 3);
  auto Each = [&](int Count, auto Launch) {
    return medianSeconds(Repetitions,
                         [&] {
                           for (int I = 0; I < Count; ++I)
                             Launch();
                           CHECK(cudaDeviceSynchronize());
                         }) /
           Count;
  };
  report("launch_empty", Each(Launches, [] { empty<<<1, 1>>>(); }), 0, 0);
  report("launch_and_wait",
         Each(Launches / 20,
              [] {
                empty<<<1, 1>>>();
                CHECK(cudaDeviceSynchronize());
              }),
         0, 0);

  size_t N = 4096;
  float *In, *Out;
  CHECK(cudaMalloc(&In, N * sizeof(float)));
  CHECK(cudaMalloc(&Out, N * sizeof(float)));
  fill(In, N, 1);
  report("launch_small",
         Each(Launches, [&] { small<<<16, 256>>>(Out, In, N, 0.5f); }), 8.0 * N,
         checksum(Out, N));
  float A = 0;
  report("launch_changing",
         Each(Launches / 10,
              [&] {
                A += 1;
                small<<<16, 256>>>(Out, In, N, A);
              }),
         8.0 * N, checksum(Out, N));
  CHECK(cudaFree(In));
  CHECK(cudaFree(Out));
}
