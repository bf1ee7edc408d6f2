//===- Histogram.h - Counts of byte values ----------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts in shared memory, added to those of the device at the end of a block.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_IN_MEMORY_HISTOGRAM_H
#define GRIDSPAN_BENCH_IN_MEMORY_HISTOGRAM_H

#include "bench/common/Bench.h"

constexpr int Bins = 256, HistogramEach = 64;
constexpr size_t HistogramPerBlock = size_t(256) * HistogramEach;

static __global__ void histogram(const unsigned char *Data, size_t N,
                                 unsigned *Counts) {
  __shared__ unsigned Local[Bins];
  for (int B = threadIdx.x; B < Bins; B += blockDim.x)
    Local[B] = 0;
  __syncthreads();
  size_t First = size_t(blockIdx.x) * HistogramPerBlock + threadIdx.x;
  for (int K = 0; K < HistogramEach; ++K) {
    size_t I = First + size_t(K) * blockDim.x;
    if (I < N)
      atomicAdd(&Local[Data[I]], 1u);
  }
  __syncthreads();
  for (int B = threadIdx.x; B < Bins; B += blockDim.x)
    if (Local[B])
      atomicAdd(&Counts[B], Local[B]);
}

static __global__ void fillBytes(unsigned char *Data, size_t N, size_t First) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < N)
    Data[I] = (unsigned(First + I) * 2654435761u) >> 24;
}

inline unsigned histogramBlocks(size_t N) {
  return (N + HistogramPerBlock - 1) / HistogramPerBlock;
}

/// Returns the checksum of counts on the host.
inline unsigned long long sumOfCounts(const unsigned *Counts) {
  unsigned long long Sum = 0;
  for (int B = 0; B < Bins; ++B)
    Sum = Sum * 1000003 + Counts[B];
  return Sum;
}

#endif // GRIDSPAN_BENCH_IN_MEMORY_HISTOGRAM_H
