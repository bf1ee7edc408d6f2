//===- Average.h - Moving average -------------------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of the moving averages, in memory and larger than it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_COMMON_AVERAGE_H
#define GRIDSPAN_BENCH_COMMON_AVERAGE_H

#include "bench/common/DeviceData.h"

constexpr int AverageRounds = 3;

/// Out[I] = mean of In[I .. I + Window), for the N outputs.
static __global__ void average(size_t N, int Window,
                               const float *__restrict__ In,
                               float *__restrict__ Out) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float Sum = 0;
  for (int J = 0; J < Window; ++J)
    Sum += In[I + J];
  Out[I] = Sum / Window;
}

#endif // GRIDSPAN_BENCH_COMMON_AVERAGE_H
