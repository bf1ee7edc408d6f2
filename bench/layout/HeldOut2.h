//===- HeldOut2.h - More programs that the layout model never ---*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second group: quaternions, few warps that gather records, neighbours in
// separate arrays (the present form is the struct of arrays), small matrices,
// prices of options.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_LAYOUT_HELDOUT2_H
#define GRIDSPAN_BENCH_LAYOUT_HELDOUT2_H

#include "Harness.h"
#include <type_traits>

/// Turns a vector (fields 4 to 6) by a unit quaternion (0 to 3), in place.
template <class V> __global__ void turnVectors(V P, unsigned N) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float W = P.get(I, 0), X = P.get(I, 1), Y = P.get(I, 2), Z = P.get(I, 3);
  float A = P.get(I, 4), B = P.get(I, 5), C = P.get(I, 6);
  float TX = 2 * (Y * C - Z * B), TY = 2 * (Z * A - X * C),
        TZ = 2 * (X * B - Y * A);
  P.set(I, 4, A + W * TX + Y * TZ - Z * TY);
  P.set(I, 5, B + W * TY + Z * TX - X * TZ);
  P.set(I, 6, C + W * TZ + X * TY - Y * TX);
}
template <template <class, int> class Layout> struct Quaternions {
  static constexpr const char *Name = "quaternions";
  using View = Layout<float, 7>;
  static constexpr size_t Count = size_t(1) << 24, OutWords = 0;
  __device__ static float initial(size_t I, int Field) {
    return uniform(I, Field) * 0.01f;
  }
  static void run(View P, unsigned *) {
    turnVectors<<<blocksOf(Count, 256), 256>>>(P, Count);
  }
};

/// A warp on each multiprocessor adds up records that it finds by an index.
template <class V>
__global__ void fewGathers(V Cells, unsigned Steps,
                           const float *__restrict__ Index, float *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  float Sum = 0;
  for (unsigned K = 0; K < Steps; ++K) {
    unsigned At =
        unsigned(Index[K * gridDim.x * blockDim.x + I] * float(Cells.Count));
    Sum += Cells.get(At, 0) * Cells.get(At, 1) + Cells.get(At, 2);
  }
  Out[I] = Sum;
}
template <template <class, int> class Layout>
struct FewGathers : UniformRecords {
  static constexpr const char *Name = "fewgathers";
  using View = Layout<float, 4>;
  static constexpr unsigned Blocks = 132, Threads = 32, Steps = 1024;
  static constexpr size_t Count = size_t(1) << 24,
                          OutWords = Blocks * Threads * (Steps + 1);
  static void run(View C, unsigned *Out) {
    fewGathers<<<Blocks, Threads>>>(C, Steps, (float *)Out,
                                    (float *)Out + Blocks * Threads * Steps);
  }
};

/// Potential of eight neighbours each, whose coordinates are in three arrays.
__global__ void neighboursApart(const float *__restrict__ X,
                                const float *__restrict__ Y,
                                const float *__restrict__ Z, unsigned N,
                                const float *__restrict__ Index, float *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float Sum = 0;
  for (unsigned K = 0; K < 8; ++K) {
    unsigned J = unsigned(Index[K * N + I] * float(N));
    float DX = X[J] - 0.5f, DY = Y[J] - 0.5f, DZ = Z[J] - 0.5f;
    Sum += DX * DX + DY * DY + DZ * DZ;
  }
  Out[I] = Sum;
}
template <class V>
__global__ void neighbours(V P, unsigned N, const float *__restrict__ Index,
                           float *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float Sum = 0;
  for (unsigned K = 0; K < 8; ++K) {
    unsigned J = unsigned(Index[K * N + I] * float(N));
    float DX = P.get(J, 0) - 0.5f, DY = P.get(J, 1) - 0.5f,
          DZ = P.get(J, 2) - 0.5f;
    Sum += DX * DX + DY * DY + DZ * DZ;
  }
  Out[I] = Sum;
}
template <template <class, int> class Layout>
struct Neighbours : UniformRecords {
  static constexpr const char *Name = "neighbours";
  using View = Layout<float, 3>;
  static constexpr size_t Count = size_t(1) << 21, OutWords = 9 * Count;
  static void run(View P, unsigned *Out) {
    const float *Index = (float *)Out;
    float *Sums = (float *)Out + 8 * Count;
    if constexpr (std::is_same_v<View, Soa<float, 3>>)
      neighboursApart<<<Count / 256, 256>>>(
          P.Data, P.Data + Count, P.Data + 2 * Count, Count, Index, Sums);
    else
      neighbours<<<Count / 256, 256>>>(P, Count, Index, Sums);
  }
};

/// Small matrices (fields 0 to 8) times their vectors (9 to 11).
template <class V> __global__ void smallProducts(V M, unsigned N, float *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float X = M.get(I, 9), Y = M.get(I, 10), Z = M.get(I, 11);
  Out[3 * I] = M.get(I, 0) * X + M.get(I, 1) * Y + M.get(I, 2) * Z;
  Out[3 * I + 1] = M.get(I, 3) * X + M.get(I, 4) * Y + M.get(I, 5) * Z;
  Out[3 * I + 2] = M.get(I, 6) * X + M.get(I, 7) * Y + M.get(I, 8) * Z;
}
template <template <class, int> class Layout>
struct SmallMatrices : UniformRecords {
  static constexpr const char *Name = "matrices";
  using View = Layout<float, 12>;
  static constexpr size_t Count = size_t(1) << 23, OutWords = 3 * Count;
  static void run(View M, unsigned *Out) {
    smallProducts<<<blocksOf(Count, 256), 256>>>(M, Count, (float *)Out);
  }
};

/// Prices of options (spot, strike, years, rate, volatility) of doubles.
template <class V> __global__ void priceOptions(V P, unsigned N, double *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  double S = P.get(I, 0) + 1, K = P.get(I, 1) + 1, T = P.get(I, 2) + 0.25;
  double R = P.get(I, 3) * 0.05, Q = P.get(I, 4) * 0.3 + 0.1;
  double Root = Q * sqrt(T);
  double D = (log(S / K) + (R + 0.5 * Q * Q) * T) / Root;
  Out[I] = S * normcdf(D) - K * exp(-R * T) * normcdf(D - Root);
}
template <template <class, int> class Layout> struct Options : UniformRecords {
  static constexpr const char *Name = "options";
  using View = Layout<double, 5>;
  static constexpr size_t Count = size_t(1) << 22, OutWords = 2 * Count;
  static void run(View P, unsigned *Out) {
    priceOptions<<<blocksOf(Count, 256), 256>>>(P, Count, (double *)Out);
  }
};

#endif // GRIDSPAN_BENCH_LAYOUT_HELDOUT2_H
