//===- Pointwise.h - Programs that work on one record a thread --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pixels to planes, rotations by quaternions, small matrices, prices of
// options, channels that a loop selects, and sound in frames. Part of blind.cu.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_LAYOUT_POINTWISE_H
#define GRIDSPAN_BENCH_LAYOUT_POINTWISE_H

#include "bench/layout/Harness.h"

/// Pixels of four bytes to three planes.
template <class V>
__global__ void splitPlanes(V Pixels, unsigned N, unsigned char *Planes) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  Planes[I] = Pixels.get(I, 0);
  Planes[N + I] = Pixels.get(I, 1);
  Planes[2 * N + I] = Pixels.get(I, 2);
}
template <template <class, int> class Layout> struct Planes {
  static constexpr const char *Name = "planes";
  using View = Layout<unsigned char, 4>;
  static constexpr size_t Count = size_t(1) << 26, OutWords = Count / 4 * 3;
  __device__ static unsigned char initial(size_t I, int Field) {
    return (unsigned char)mixed(unsigned(I) * 4u + unsigned(Field));
  }
  static void run(View Pixels, unsigned *Out) {
    splitPlanes<<<blocksOf(Count, 256), 256>>>(Pixels, Count,
                                               (unsigned char *)Out);
  }
};

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

/// Weighted sum of the middle channels of each of a sensor's readings (12).
template <class V>
__global__ void weighChannels(V Readings, unsigned N, float *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float Sum = 0, Weight = 1;
#pragma unroll 1
  for (int Channel = 3; Channel < 9; ++Channel) {
    Sum += Weight * Readings.get(I, Channel);
    Weight *= 0.75f;
  }
  Out[I] = Sum;
}
template <template <class, int> class Layout> struct Channels {
  static constexpr const char *Name = "channels";
  using View = Layout<float, 12>;
  static constexpr size_t Count = 9000000, OutWords = Count;
  __device__ static float initial(size_t I, int Field) {
    return uniform(I, Field);
  }
  static void run(View R, unsigned *Out) {
    weighChannels<<<blocksOf(Count, 192), 192>>>(R, Count, (float *)Out);
  }
};

/// Six channels of sound to two.
template <class V>
__global__ void mixDown(V Frames, unsigned N, short *Left, short *Right) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  int Middle = Frames.get(I, 2) + Frames.get(I, 3) / 2;
  Left[I] = short((Frames.get(I, 0) + Middle + Frames.get(I, 4) / 2) / 4);
  Right[I] = short((Frames.get(I, 1) + Middle + Frames.get(I, 5) / 2) / 4);
}
template <template <class, int> class Layout> struct Sound {
  static constexpr const char *Name = "sound";
  using View = Layout<short, 6>;
  static constexpr size_t Count = 40000000, OutWords = Count;
  __device__ static short initial(size_t I, int Field) {
    return short(mixed(unsigned(I) * 8u + unsigned(Field)));
  }
  static void run(View Frames, unsigned *Out) {
    mixDown<<<blocksOf(Count, 512), 512>>>(Frames, Count, (short *)Out,
                                           (short *)Out + Count);
  }
};

#endif // GRIDSPAN_BENCH_LAYOUT_POINTWISE_H
