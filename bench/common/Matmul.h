//===- Matmul.h - Two matrix products ---------------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of the matrix products, in memory and larger than it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_COMMON_MATMUL_H
#define GRIDSPAN_BENCH_COMMON_MATMUL_H

#include "bench/common/DeviceData.h"

constexpr int MatmulTile = 32;

/// Computes C = A B for Rows rows of A, one thread an element, by a single
/// index.
static __global__ void matmulNaive(const float *A, const float *B, float *C,
                                   int Rows, int N) {
  int Id = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = Id / N;
  int X = Id % N;
  if (Y >= Rows)
    return;
  float Sum = 0;
  for (int K = 0; K < N; ++K)
    Sum += A[Y * N + K] * B[K * N + X];
  C[Y * N + X] = Sum;
}

/// Computes the same through tiles in shared memory. Precondition: all sizes
/// are multiples of a tile.
static __global__ void matmulTiled(const float *A, const float *B, float *C,
                                   int N) {
  __shared__ float TileA[MatmulTile][MatmulTile];
  __shared__ float TileB[MatmulTile][MatmulTile];
  int X = blockIdx.x * MatmulTile + threadIdx.x;
  int Y = blockIdx.y * MatmulTile + threadIdx.y;
  float Sum = 0;
  for (int K = 0; K < N; K += MatmulTile) {
    TileA[threadIdx.y][threadIdx.x] = A[Y * N + K + threadIdx.x];
    TileB[threadIdx.y][threadIdx.x] = B[(K + threadIdx.y) * N + X];
    __syncthreads();
    for (int J = 0; J < MatmulTile; ++J)
      Sum += TileA[threadIdx.y][J] * TileB[J][threadIdx.x];
    __syncthreads();
  }
  C[Y * N + X] = Sum;
}

inline void launchMatmul(bool Tiled, const float *A, const float *B, float *C,
                         int Rows, int N, cudaStream_t S = 0) {
  if (Tiled)
    matmulTiled<<<dim3(N / MatmulTile, Rows / MatmulTile),
                  dim3(MatmulTile, MatmulTile), 0, S>>>(A, B, C, N);
  else
    matmulNaive<<<(size_t(Rows) * N + 255) / 256, 256, 0, S>>>(A, B, C, Rows,
                                                               N);
}

#endif // GRIDSPAN_BENCH_COMMON_MATMUL_H
