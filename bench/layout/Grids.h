//===- Grids.h - Programs on regular grids ----------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lattice in three dimensions, a stencil over vectors of doubles, and the
// stress of a seismic wave.
// Part of blind.cu.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_LAYOUT_GRIDS_H
#define GRIDSPAN_BENCH_LAYOUT_GRIDS_H

#include "bench/layout/Harness.h"

/// Lattice Boltzmann with 19 densities of a cell; the second half of the
/// records is the next state.
template <class V> __global__ void lattice3d(V F, unsigned Side) {
  unsigned X = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Y = blockIdx.y * blockDim.y + threadIdx.y;
  unsigned Z = blockIdx.z;
  if (X < 1 || Y < 1 || Z < 1 || X >= Side - 1 || Y >= Side - 1 ||
      Z >= Side - 1)
    return;
  unsigned Plane = Side * Side, At = Z * Plane + Y * Side + X;
  unsigned Next = Side * Plane + At;
  float A[19];
  A[0] = F.get(At, 0);
  A[1] = F.get(At - 1, 1);
  A[2] = F.get(At + 1, 2);
  A[3] = F.get(At - Side, 3);
  A[4] = F.get(At + Side, 4);
  A[5] = F.get(At - Plane, 5);
  A[6] = F.get(At + Plane, 6);
  A[7] = F.get(At - 1 - Side, 7);
  A[8] = F.get(At + 1 + Side, 8);
  A[9] = F.get(At - 1 + Side, 9);
  A[10] = F.get(At + 1 - Side, 10);
  A[11] = F.get(At - 1 - Plane, 11);
  A[12] = F.get(At + 1 + Plane, 12);
  A[13] = F.get(At - 1 + Plane, 13);
  A[14] = F.get(At + 1 - Plane, 14);
  A[15] = F.get(At - Side - Plane, 15);
  A[16] = F.get(At + Side + Plane, 16);
  A[17] = F.get(At - Side + Plane, 17);
  A[18] = F.get(At + Side - Plane, 18);
  float Density = 0;
  for (float D : A)
    Density += D;
  for (int I = 0; I < 19; ++I)
    F.set(Next, I, A[I] + 0.6f * (Density * (1.0f / 19.0f) - A[I]));
}
template <template <class, int> class Layout>
struct Lattice3d : UniformRecords {
  static constexpr const char *Name = "lattice3d";
  using View = Layout<float, 19>;
  static constexpr unsigned Side = 160;
  static constexpr size_t Count = size_t(2) * Side * Side * Side, OutWords = 0;
  static void run(View F, unsigned *) {
    lattice3d<<<dim3(Side / 32, Side / 4, Side), dim3(32, 4)>>>(F, Side);
  }
};

/// Seven points of a field of vectors of three doubles.
template <class V>
__global__ void vectorStencil(V Field, unsigned Side, double *Out) {
  unsigned X = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Y = blockIdx.y * blockDim.y + threadIdx.y;
  unsigned Z = blockIdx.z;
  if (X < 1 || Y < 1 || Z < 1 || X >= Side - 1 || Y >= Side - 1 ||
      Z >= Side - 1)
    return;
  unsigned Plane = Side * Side, At = Z * Plane + Y * Side + X;
  double Sum = 0;
  for (int C = 0; C < 3; ++C) {
    double Mean = Field.get(At - 1, C) + Field.get(At + 1, C) +
                  Field.get(At - Side, C) + Field.get(At + Side, C) +
                  Field.get(At - Plane, C) + Field.get(At + Plane, C) -
                  6.0 * Field.get(At, C);
    Sum += Mean * Mean;
  }
  Out[At] = Sum;
}
template <template <class, int> class Layout>
struct VectorStencil : UniformRecords {
  static constexpr const char *Name = "vectors";
  using View = Layout<double, 3>;
  static constexpr unsigned Side = 256;
  static constexpr size_t Count = size_t(Side) * Side * Side,
                          OutWords = 2 * Count;
  static void run(View F, unsigned *Out) {
    vectorStencil<<<dim3(Side / 32, Side / 8, Side), dim3(32, 8)>>>(
        F, Side, (double *)Out);
  }
};

/// Stress of a two-dimensional seismic wave from velocities and moduli (vx, vy,
/// sxx, syy, sxy, lambda, mu), in place.
template <class V>
__global__ void updateStress(V C, unsigned Width, unsigned Height, float Step) {
  unsigned X = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X < 1 || Y < 1 || X >= Width - 1 || Y >= Height - 1)
    return;
  unsigned At = Y * Width + X;
  float VXX = C.get(At, 0) - C.get(At - 1, 0);
  float VYY = C.get(At, 1) - C.get(At - Width, 1);
  float VXY =
      C.get(At + Width, 0) - C.get(At, 0) + C.get(At + 1, 1) - C.get(At, 1);
  float Lambda = C.get(At, 5), Mu = C.get(At, 6);
  C.set(At, 2, C.get(At, 2) + Step * (Lambda * (VXX + VYY) + 2 * Mu * VXX));
  C.set(At, 3, C.get(At, 3) + Step * (Lambda * (VXX + VYY) + 2 * Mu * VYY));
  C.set(At, 4, C.get(At, 4) + Step * Mu * VXY);
}
template <template <class, int> class Layout> struct Seismic {
  static constexpr const char *Name = "seismic";
  using View = Layout<float, 7>;
  static constexpr unsigned Width = 3072, Height = 2000;
  static constexpr size_t Count = size_t(Width) * Height, OutWords = 0;
  __device__ static float initial(size_t I, int Field) {
    return uniform(I, Field);
  }
  static void run(View C, unsigned *) {
    updateStress<<<dim3(Width / 64, Height / 4), dim3(64, 4)>>>(C, Width,
                                                                Height, 1e-3f);
  }
};

#endif // GRIDSPAN_BENCH_LAYOUT_GRIDS_H
