//===- DeviceData.h - Data made and checked on the device -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes and checks gigabytes on the device, which takes the host too long.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_COMMON_DEVICEDATA_H
#define GRIDSPAN_BENCH_COMMON_DEVICEDATA_H

#include "bench/common/Bench.h"

//--------------------------------===//

constexpr unsigned ChecksumThreads = 256;
constexpr unsigned ChecksumEach = 16;

/// Sums a mixture of every word and its position, so that the order of addition
/// does not matter and a misplaced word does.
static __global__ void checksumKernel(const unsigned *Words, size_t N,
                                      size_t First, unsigned long long *Sum) {
  __shared__ unsigned long long Parts[ChecksumThreads];
  size_t Begin = size_t(blockIdx.x) * ChecksumThreads * ChecksumEach;
  unsigned long long Mine = 0;
  for (unsigned K = 0; K < ChecksumEach; ++K) {
    size_t I = Begin + K * ChecksumThreads + threadIdx.x;
    if (I < N) {
      unsigned long long V = (First + I) * 0x9E3779B97F4A7C15ull + Words[I] + 1;
      V = (V ^ (V >> 31)) * 0xff51afd7ed558ccdull;
      Mine += V ^ (V >> 33);
    }
  }
  Parts[threadIdx.x] = Mine;
  __syncthreads();
  for (unsigned Half = ChecksumThreads / 2; Half > 0; Half /= 2) {
    if (threadIdx.x < Half)
      Parts[threadIdx.x] += Parts[threadIdx.x + Half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicAdd(Sum, Parts[0]);
}

/// Returns the sum of N words on the current device, the first of which is
/// number First.
inline unsigned long long checksum(const void *Words, size_t N,
                                   size_t First = 0) {
  unsigned long long *Sum, Result;
  CHECK(cudaMalloc(&Sum, sizeof(*Sum)));
  CHECK(cudaMemset(Sum, 0, sizeof(*Sum)));
  size_t PerBlock = ChecksumThreads * ChecksumEach;
  checksumKernel<<<(N + PerBlock - 1) / PerBlock, ChecksumThreads>>>(
      static_cast<const unsigned *>(Words), N, First, Sum);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&Result, Sum, sizeof(Result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(Sum));
  return Result;
}

/// Fills with small numbers whose sums are exact in float.
static __global__ void fillKernel(float *Out, size_t N, size_t First,
                                  unsigned Seed) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < N) {
    unsigned V = (unsigned(First + I) + Seed) * 2654435761u;
    Out[I] = float(V >> 20) * (1.0f / 4096);
  }
}

inline void fill(float *Out, size_t N, unsigned Seed, size_t First = 0) {
  fillKernel<<<(N + 255) / 256, 256>>>(Out, N, First, Seed);
  CHECK(cudaGetLastError());
}

#endif // GRIDSPAN_BENCH_COMMON_DEVICEDATA_H
