//===- average_versions.cu - Three moving averages ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The naive one, the same with __restrict__, and one that keeps a tile and its
// halo in shared memory. Prints "version window milliseconds".
//
//===----------------------------------------------------------------------===//

#include "bench/common/Bench.h"
#include <cmath>

extern "C" __global__ void averageNaive(const float *In, float *Out, unsigned N,
                                        unsigned Window) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float Sum = 0;
  for (unsigned K = 0; K < Window; ++K)
    Sum += In[I + K];
  Out[I] = Sum / float(Window);
}

extern "C" __global__ void averageRestrict(const float *__restrict__ In,
                                           float *__restrict__ Out, unsigned N,
                                           unsigned Window) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float Sum = 0;
  for (unsigned K = 0; K < Window; ++K)
    Sum += In[I + K];
  Out[I] = Sum / float(Window);
}

extern "C" __global__ void averageShared(const float *__restrict__ In,
                                         float *__restrict__ Out, unsigned N,
                                         unsigned Window) {
  extern __shared__ float Tile[];
  unsigned First = blockIdx.x * blockDim.x;
  for (unsigned K = threadIdx.x; K < blockDim.x + Window - 1; K += blockDim.x)
    if (First + K < N + Window - 1)
      Tile[K] = In[First + K];
  __syncthreads();
  unsigned I = First + threadIdx.x;
  if (I >= N)
    return;
  float Sum = 0;
  for (unsigned K = 0; K < Window; ++K)
    Sum += Tile[threadIdx.x + K];
  Out[I] = Sum / float(Window);
}

template <class Fn> static double milliseconds(Fn Launch) {
  return 1e3 * medianSeconds(9, [&] {
           Launch();
           CHECK(cudaDeviceSynchronize());
         });
}

int main() {
  const unsigned N = 1u << 27, MaxWindow = 256;
  float *In, *Out;
  CHECK(cudaMalloc(&In, (size_t(N) + MaxWindow) * sizeof(float)));
  CHECK(cudaMalloc(&Out, size_t(N) * sizeof(float)));
  CHECK(cudaMemset(In, 0, (size_t(N) + MaxWindow) * sizeof(float)));
  for (unsigned Window : {4u, 16u, 64u, 256u}) {
    printf("averageNaive %u %.5f\n", Window, milliseconds([&] {
             averageNaive<<<N / 256, 256>>>(In, Out, N, Window);
           }));
    printf("averageRestrict %u %.5f\n", Window, milliseconds([&] {
             averageRestrict<<<N / 256, 256>>>(In, Out, N, Window);
           }));
    printf("averageShared %u %.5f\n", Window, milliseconds([&] {
             averageShared<<<N / 256, 256, (256 + Window) * sizeof(float)>>>(
                 In, Out, N, Window);
           }));
  }
  CHECK(cudaFree(In));
  CHECK(cudaFree(Out));
}
