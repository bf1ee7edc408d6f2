//===- Transpose.h - Matrix transposition -----------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of transpose.cu and transpose_hand.cu.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_IN_MEMORY_TRANSPOSE_H
#define GRIDSPAN_BENCH_IN_MEMORY_TRANSPOSE_H

#include "bench/common/DeviceData.h"

constexpr int TransposeTile = 32, TransposeRows = 8;

/// Transposes through a padded tile in shared memory (Ruetsch and Micikevicius,
/// "Optimizing Matrix Transpose in CUDA", 2009).
static __global__ void transpose(const float *In, float *Out, int N) {
  __shared__ float Tile[TransposeTile][TransposeTile + 1];
  int X = blockIdx.x * TransposeTile + threadIdx.x;
  int Y = blockIdx.y * TransposeTile + threadIdx.y;
  for (int J = 0; J < TransposeTile; J += TransposeRows)
    if (X < N && Y + J < N)
      Tile[threadIdx.y + J][threadIdx.x] = In[size_t(Y + J) * N + X];
  __syncthreads();
  X = blockIdx.y * TransposeTile + threadIdx.x;
  Y = blockIdx.x * TransposeTile + threadIdx.y;
  for (int J = 0; J < TransposeTile; J += TransposeRows)
    if (X < N && Y + J < N)
      Out[size_t(Y + J) * N + X] = Tile[threadIdx.x][threadIdx.y + J];
}

#endif // GRIDSPAN_BENCH_IN_MEMORY_TRANSPOSE_H
