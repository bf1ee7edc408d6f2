//===- AtomicSums.h - Sums by atomics ---------------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sum of all numbers, a block at a time, and sums by keys, a number at a
// time. All numbers are multiples of 2^-12, whose sums are exact in any order.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_IN_MEMORY_ATOMICSUMS_H
#define GRIDSPAN_BENCH_IN_MEMORY_ATOMICSUMS_H

#include "bench/in_memory/Counts.h"

constexpr unsigned SumKeys = 4096;

static __global__ void sumAll(const float *Values, size_t N, double *Sum) {
  __shared__ double Parts[CountsThreads];
  size_t First = size_t(blockIdx.x) * CountsPerBlock + threadIdx.x;
  double Mine = 0;
  for (int K = 0; K < CountsEach; ++K) {
    size_t I = First + size_t(K) * CountsThreads;
    if (I < N)
      Mine += Values[I];
  }
  Parts[threadIdx.x] = Mine;
  __syncthreads();
  for (int Half = CountsThreads / 2; Half > 0; Half /= 2) {
    if (threadIdx.x < Half)
      Parts[threadIdx.x] += Parts[threadIdx.x + Half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicAdd(Sum, Parts[0]);
}

static __global__ void sumByKey(const unsigned *Keys, const float *Values,
                                size_t N, double *Sums) {
  size_t First = size_t(blockIdx.x) * CountsPerBlock + threadIdx.x;
  for (int K = 0; K < CountsEach; ++K) {
    size_t I = First + size_t(K) * CountsThreads;
    if (I < N)
      atomicAdd(&Sums[Keys[I] % SumKeys], double(Values[I]));
  }
}

#endif // GRIDSPAN_BENCH_IN_MEMORY_ATOMICSUMS_H
