//===- Matrices.h - Inverse distances, matrix products ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs that layout choosers are judged on: inverse-distance weighting,
// and 2MM, 3MM, SYR2K and CORR of PolyBench with their matrices side by side in
// records.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_LAYOUT_MATRICES_H
#define GRIDSPAN_BENCH_LAYOUT_MATRICES_H

#include "bench/layout/Harness.h"

/// Value at each point of a grid from scattered points (x, y, value).
template <class V>
__global__ void inverseDistance(V Points, unsigned NumPoints, unsigned Width,
                                float *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  float X = float(I % Width) / float(Width);
  float Y = float(I / Width) / float(Width);
  float Weights = 0, Sum = 0;
  for (unsigned J = 0; J < NumPoints; ++J) {
    float DX = X - Points.get(J, 0), DY = Y - Points.get(J, 1);
    float Weight = __fdividef(1.0f, DX * DX + DY * DY + 1e-6f);
    Weights += Weight;
    Sum += Weight * Points.get(J, 2);
  }
  Out[I] = Sum / Weights;
}

template <template <class, int> class Layout>
struct InverseDistance : UniformRecords {
  static constexpr const char *Name = "idw";
  using View = Layout<float, 3>;
  static constexpr unsigned Width = 1024;
  static constexpr size_t Count = 4096, OutWords = size_t(Width) * Width;
  static void run(View Records, unsigned *Out) {
    inverseDistance<<<OutWords / 256, 256>>>(Records, Count, Width,
                                             (float *)Out);
  }
};

/// One product of two matrices that are fields, into a third.
template <int A, int B, int C, class V>
__global__ void product(V M, unsigned N) {
  unsigned Column = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Row = blockIdx.y * blockDim.y + threadIdx.y;
  float Sum = 0;
  for (unsigned K = 0; K < N; ++K)
    Sum += M.get(Row * N + K, A) * M.get(K * N + Column, B);
  M.set(Row * N + Column, C, Sum);
}

inline constexpr unsigned MatrixSize = 1024;

inline dim3 matrixGrid() { return {MatrixSize / 32, MatrixSize / 8}; }

/// T = A * B, D = T * C.
template <template <class, int> class Layout>
struct TwoProducts : UniformRecords {
  static constexpr const char *Name = "2mm";
  using View = Layout<float, 5>;
  static constexpr size_t Count = size_t(MatrixSize) * MatrixSize, OutWords = 0;
  static void run(View M, unsigned *) {
    product<0, 1, 3><<<matrixGrid(), dim3(32, 8)>>>(M, MatrixSize);
    product<3, 2, 4><<<matrixGrid(), dim3(32, 8)>>>(M, MatrixSize);
  }
};

/// E = A * B, F = C * D, G = E * F.
template <template <class, int> class Layout>
struct ThreeProducts : UniformRecords {
  static constexpr const char *Name = "3mm";
  using View = Layout<float, 7>;
  static constexpr size_t Count = size_t(MatrixSize) * MatrixSize, OutWords = 0;
  static void run(View M, unsigned *) {
    product<0, 1, 4><<<matrixGrid(), dim3(32, 8)>>>(M, MatrixSize);
    product<2, 3, 5><<<matrixGrid(), dim3(32, 8)>>>(M, MatrixSize);
    product<4, 5, 6><<<matrixGrid(), dim3(32, 8)>>>(M, MatrixSize);
  }
};

/// C = A * B' + B * A'.
template <class V> __global__ void rank2Update(V M, unsigned N, float *C) {
  unsigned Column = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Row = blockIdx.y * blockDim.y + threadIdx.y;
  float Sum = 0;
  for (unsigned K = 0; K < N; ++K) {
    Sum += M.get(Row * N + K, 0) * M.get(Column * N + K, 1);
    Sum += M.get(Row * N + K, 1) * M.get(Column * N + K, 0);
  }
  C[Row * N + Column] = Sum;
}

template <template <class, int> class Layout>
struct Rank2Update : UniformRecords {
  static constexpr const char *Name = "syr2k";
  using View = Layout<float, 2>;
  static constexpr size_t Count = size_t(MatrixSize) * MatrixSize,
                          OutWords = Count;
  static void run(View M, unsigned *Out) {
    rank2Update<<<matrixGrid(), dim3(32, 8)>>>(M, MatrixSize, (float *)Out);
  }
};

/// Correlation of pairs of columns: data, and its mean and deviation beside.
template <class V>
__global__ void correlation(V M, unsigned N, unsigned Samples, float *Out) {
  unsigned J = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned I = blockIdx.y * blockDim.y + threadIdx.y;
  float Sum = 0;
  for (unsigned K = 0; K < Samples; ++K)
    Sum += (M.get(K * N + I, 0) - M.get(K * N + I, 1)) * M.get(K * N + I, 2) *
           (M.get(K * N + J, 0) - M.get(K * N + J, 1)) * M.get(K * N + J, 2);
  Out[I * N + J] = Sum;
}

template <template <class, int> class Layout>
struct Correlation : UniformRecords {
  static constexpr const char *Name = "corr";
  using View = Layout<float, 3>;
  static constexpr size_t Count = size_t(MatrixSize) * MatrixSize,
                          OutWords = Count;
  static void run(View M, unsigned *Out) {
    correlation<<<matrixGrid(), dim3(32, 8)>>>(M, MatrixSize, MatrixSize,
                                               (float *)Out);
  }
};

#endif // GRIDSPAN_BENCH_LAYOUT_MATRICES_H
