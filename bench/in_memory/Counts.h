//===- Counts.h - Counts of keys in global memory ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Histograms of so many bins that they do not fit into shared memory: every key
// is one atomic addition in global memory.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_IN_MEMORY_COUNTS_H
#define GRIDSPAN_BENCH_IN_MEMORY_COUNTS_H

#include "bench/common/DeviceData.h"

constexpr int CountsThreads = 256, CountsEach = 16;
constexpr size_t CountsPerBlock = size_t(CountsThreads) * CountsEach;

/// Precondition: the number of bins is Mask + 1, a power of two.
static __global__ void countKeys(const unsigned *Keys, size_t N, unsigned Mask,
                                 unsigned *Counts) {
  size_t First = size_t(blockIdx.x) * CountsPerBlock + threadIdx.x;
  for (int K = 0; K < CountsEach; ++K) {
    size_t I = First + size_t(K) * CountsThreads;
    if (I < N)
      atomicAdd(&Counts[Keys[I] & Mask], 1u);
  }
}

static __global__ void fillKeys(unsigned *Keys, size_t N, size_t First) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < N) {
    unsigned V = unsigned(First + I) * 2654435761u;
    V = (V ^ (V >> 15)) * 2246822519u;
    Keys[I] = V ^ (V >> 13);
  }
}

inline unsigned countsBlocks(size_t N) {
  return unsigned((N + CountsPerBlock - 1) / CountsPerBlock);
}

#endif // GRIDSPAN_BENCH_IN_MEMORY_COUNTS_H
