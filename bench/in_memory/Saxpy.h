//===- Saxpy.h - y = a x + y ------------------------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of saxpy.cu and saxpy_hand.cu.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_IN_MEMORY_SAXPY_H
#define GRIDSPAN_BENCH_IN_MEMORY_SAXPY_H

#include "bench/common/DeviceData.h"

constexpr float SaxpyA = 0.5f;
constexpr int SaxpyRounds = 10;

static __global__ void saxpy(size_t N, float A, const float *X, float *Y) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < N)
    Y[I] = A * X[I] + Y[I];
}

inline unsigned saxpyBlocks(size_t N) { return (N + 255) / 256; }

#endif // GRIDSPAN_BENCH_IN_MEMORY_SAXPY_H
