//===- BigReduction.h - Partial sums of blocks ------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of the partial sums, and the number of its blocks.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_OUTOFCORE_BIGREDUCTION_H
#define GRIDSPAN_BENCH_OUTOFCORE_BIGREDUCTION_H

#include "bench/common/HostData.h"

constexpr unsigned SumThreads = 256;
constexpr size_t SumPerBlock = 16 * SumThreads;

static __global__ void blockSums(size_t N, const double *X, double *Sums) {
  __shared__ double Parts[SumThreads];
  size_t Begin = size_t(blockIdx.x) * SumPerBlock;
  double Mine = 0;
  for (unsigned K = 0; K < SumPerBlock / SumThreads; ++K) {
    size_t I = Begin + K * SumThreads + threadIdx.x;
    if (I < N)
      Mine += X[I];
  }
  Parts[threadIdx.x] = Mine;
  __syncthreads();
  for (unsigned Half = SumThreads / 2; Half > 0; Half /= 2) {
    if (threadIdx.x < Half)
      Parts[threadIdx.x] += Parts[threadIdx.x + Half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    Sums[blockIdx.x] = Parts[0];
}

inline size_t sumBlocks(size_t N) {
  return (N + SumPerBlock - 1) / SumPerBlock;
}

#endif // GRIDSPAN_BENCH_OUTOFCORE_BIGREDUCTION_H
