//===- HeldOut.h - Programs that the layout model never saw -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts of these programs were chosen, and the choices written down
// (held_out_1.txt, held_out_2.txt), before they ran for the first time. The
// first group: a lattice in three dimensions, a histogram of one field, springs
// between indexed vertices, pixels to planes, a stencil over vectors of
// doubles.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_LAYOUT_HELDOUT_H
#define GRIDSPAN_BENCH_LAYOUT_HELDOUT_H

#include "Harness.h"

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

/// Counts of one field's values: (time, channel, energy, x, y).
template <class V>
__global__ void countEnergies(V Events, unsigned N, unsigned *Bins) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    atomicAdd(&Bins[Events.get(I, 2) & 65535], 1u);
}
template <template <class, int> class Layout> struct EnergyBins {
  static constexpr const char *Name = "bins";
  using View = Layout<unsigned, 5>;
  static constexpr size_t Count = size_t(1) << 24, OutWords = 65536;
  __device__ static unsigned initial(size_t I, int Field) {
    return mixed(unsigned(I) * 8u + unsigned(Field));
  }
  static void run(View Events, unsigned *Out) {
    countEnergies<<<blocksOf(Count, 256), 256>>>(Events, Count, Out);
  }
};

/// Forces of springs between vertices (x, y, z, mass, charge, age) that an
/// index array names.
template <class V>
__global__ void springForces(V Vertices, unsigned N,
                             const float *__restrict__ Ends, float *Force) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  unsigned A = unsigned(Ends[2 * I] * float(Vertices.Count));
  unsigned B = unsigned(Ends[2 * I + 1] * float(Vertices.Count));
  float DX = Vertices.get(A, 0) - Vertices.get(B, 0);
  float DY = Vertices.get(A, 1) - Vertices.get(B, 1);
  float DZ = Vertices.get(A, 2) - Vertices.get(B, 2);
  Force[I] = sqrtf(DX * DX + DY * DY + DZ * DZ) - 1.0f;
}
template <template <class, int> class Layout> struct Springs : UniformRecords {
  static constexpr const char *Name = "springs";
  using View = Layout<float, 6>;
  static constexpr unsigned Edges = 1 << 22;
  static constexpr size_t Count = size_t(1) << 20, OutWords = 3 * Edges;
  static void run(View P, unsigned *Out) {
    springForces<<<blocksOf(Edges, 256), 256>>>(P, Edges, (float *)Out,
                                                (float *)Out + 2 * Edges);
  }
};

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

#endif // GRIDSPAN_BENCH_LAYOUT_HELDOUT_H
