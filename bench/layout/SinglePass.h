//===- SinglePass.h - Programs that pass over records once -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Particles, a lattice, pixels, a transform, keys, boxes, stars and cloth: time
// is that of memory.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_LAYOUT_SINGLEPASS_H
#define GRIDSPAN_BENCH_LAYOUT_SINGLEPASS_H

#include "bench/layout/Harness.h"

inline constexpr size_t StreamCount = size_t(1) << 24;

#define STREAM_PROGRAM(Class, Text, T, Fields, Records, Words)                 \
  template <template <class, int> class Layout> struct Class {                 \
    static constexpr const char *Name = Text;                                  \
    using View = Layout<T, Fields>;                                            \
    static constexpr size_t Count = Records, OutWords = Words;                 \
    __device__ static T initial(size_t I, int Field);                          \
    static void run(View Records_, unsigned *Out);                             \
  };                                                                           \
  template <template <class, int> class Layout>                                \
  __device__ T Class<Layout>::initial(size_t I, int Field)

/// Position += velocity * time; mass and charge lie beside them.
template <class V> __global__ void moveParticles(V P, unsigned N, float Time) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float X = P.get(I, 0), Y = P.get(I, 1), Z = P.get(I, 2);
  float VX = P.get(I, 3), VY = P.get(I, 4), VZ = P.get(I, 5);
  P.set(I, 0, X + VX * Time);
  P.set(I, 1, Y + VY * Time);
  P.set(I, 2, Z + VZ * Time);
}
STREAM_PROGRAM(Particles, "particles", float, 8, StreamCount, 0) {
  return uniform(I, Field);
}
template <template <class, int> class Layout>
void Particles<Layout>::run(View P, unsigned *) {
  moveParticles<<<blocksOf(Count, 256), 256>>>(P, Count, 0.01f);
}

/// Lattice Boltzmann: nine densities of a cell, streamed from the neighbours
/// and relaxed. The second half of the records is the next state.
template <class V>
__global__ void latticeUpdate(V F, unsigned Width, unsigned Height) {
  unsigned X = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X < 1 || Y < 1 || X >= Width - 1 || Y >= Height - 1)
    return;
  unsigned At = Y * Width + X, Next = Width * Height + At;
  float A[9];
  A[0] = F.get(At, 0);
  A[1] = F.get(At - 1, 1);
  A[2] = F.get(At + 1, 2);
  A[3] = F.get(At - Width, 3);
  A[4] = F.get(At + Width, 4);
  A[5] = F.get(At - Width - 1, 5);
  A[6] = F.get(At + Width + 1, 6);
  A[7] = F.get(At - Width + 1, 7);
  A[8] = F.get(At + Width - 1, 8);
  float Density = 0;
  for (float D : A)
    Density += D;
  for (int I = 0; I < 9; ++I)
    F.set(Next, I, A[I] + 0.6f * (Density * (1.0f / 9.0f) - A[I]));
}
inline constexpr unsigned LatticeWidth = 4096, LatticeHeight = 2048;
STREAM_PROGRAM(Lattice, "lattice", float, 9,
               size_t(2) * LatticeWidth * LatticeHeight, 0) {
  return uniform(I, Field);
}
template <template <class, int> class Layout>
void Lattice<Layout>::run(View F, unsigned *) {
  latticeUpdate<<<dim3(LatticeWidth / 64, LatticeHeight / 4), dim3(64, 4)>>>(
      F, LatticeWidth, LatticeHeight);
}

/// Luma of pixels of four bytes.
template <class V>
__global__ void luma(V Pixels, unsigned N, unsigned char *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Out[I] = (unsigned char)((Pixels.get(I, 0) * 77u + Pixels.get(I, 1) * 150u +
                              Pixels.get(I, 2) * 29u) >>
                             8);
}
STREAM_PROGRAM(Image, "rgba", unsigned char, 4, StreamCount * 8,
               StreamCount * 2) {
  return (unsigned char)mixed(unsigned(I) * 4u + unsigned(Field));
}
template <template <class, int> class Layout>
void Image<Layout>::run(View Pixels, unsigned *Out) {
  luma<<<blocksOf(Count, 256), 256>>>(Pixels, Count, (unsigned char *)Out);
}

/// Does one step of butterflies of a complex transform, in place.
template <class V> __global__ void butterflies(V Z, unsigned Half, float Turn) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned A = I / Half * (2 * Half) + I % Half, B = A + Half;
  float S = __sinf(Turn * float(I % Half)), C = __cosf(Turn * float(I % Half));
  float AR = Z.get(A, 0), AI = Z.get(A, 1);
  float BR = Z.get(B, 0), BI = Z.get(B, 1);
  float TR = BR * C - BI * S, TI = BR * S + BI * C;
  Z.set(A, 0, (AR + TR) * 0.5f);
  Z.set(A, 1, (AI + TI) * 0.5f);
  Z.set(B, 0, (AR - TR) * 0.5f);
  Z.set(B, 1, (AI - TI) * 0.5f);
}
STREAM_PROGRAM(Fft, "fft", float, 2, StreamCount * 4, 0) {
  return uniform(I, Field);
}
template <template <class, int> class Layout>
void Fft<Layout>::run(View Z, unsigned *) {
  butterflies<<<Count / 2 / 256, 256>>>(Z, 1024, 3.0679616e-3f);
}

/// Marks records with a key in a range: one field of eight.
template <class V>
__global__ void scanKeys(V Table, unsigned N, unsigned Low, unsigned High,
                         unsigned *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Key = I < N ? Table.get(I, 0) : 0;
  unsigned Found = __ballot_sync(~0u, Key >= Low && Key < High);
  if (threadIdx.x % 32 == 0)
    Out[I / 32] = Found;
}
STREAM_PROGRAM(KeyValue, "keyvalue", unsigned, 8, StreamCount,
               StreamCount / 32) {
  return mixed(unsigned(I) * 8u + unsigned(Field));
}
template <template <class, int> class Layout>
void KeyValue<Layout>::run(View Table, unsigned *Out) {
  scanKeys<<<blocksOf(Count, 256), 256>>>(Table, Count, 1u << 20, 1u << 28,
                                          Out);
}

/// Does a ray hit the boxes? All six fields are used.
template <class V>
__global__ void hitBoxes(V Boxes, unsigned N, float OX, float OY, float OZ,
                         float *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float NearX = (Boxes.get(I, 0) - OX) * 1.25f;
  float FarX = (Boxes.get(I, 3) - OX) * 1.25f;
  float NearY = (Boxes.get(I, 1) - OY) * 1.5f;
  float FarY = (Boxes.get(I, 4) - OY) * 1.5f;
  float NearZ = (Boxes.get(I, 2) - OZ) * 2.0f;
  float FarZ = (Boxes.get(I, 5) - OZ) * 2.0f;
  float Near =
      fmaxf(fmaxf(fminf(NearX, FarX), fminf(NearY, FarY)), fminf(NearZ, FarZ));
  float Far =
      fminf(fminf(fmaxf(NearX, FarX), fmaxf(NearY, FarY)), fmaxf(NearZ, FarZ));
  Out[I] = Near <= Far ? Near : -1.0f;
}
STREAM_PROGRAM(Boxes, "boxes", float, 6, StreamCount, StreamCount) {
  return uniform(I, Field);
}
template <template <class, int> class Layout>
void Boxes<Layout>::run(View B, unsigned *Out) {
  hitBoxes<<<blocksOf(Count, 256), 256>>>(B, Count, 0.5f, 0.5f, 0.5f,
                                          (float *)Out);
}

/// Stars with seven doubles of which an energy needs four.
template <class V> __global__ void energies(V Stars, unsigned N, double *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  double VX = Stars.get(I, 3), VY = Stars.get(I, 4), VZ = Stars.get(I, 5);
  Out[I] = 0.5 * Stars.get(I, 6) * (VX * VX + VY * VY + VZ * VZ);
}
STREAM_PROGRAM(Stars, "stars", double, 7, StreamCount, StreamCount * 2) {
  return uniform(I, Field);
}
template <template <class, int> class Layout>
void Stars<Layout>::run(View S, unsigned *Out) {
  energies<<<blocksOf(Count, 256), 256>>>(S, Count, (double *)Out);
}

/// Cloth: a vertex (x, y, z, w) pulled towards its four neighbours.
template <class V>
__global__ void relaxCloth(V Now, unsigned Width, unsigned Height, float *Out) {
  unsigned X = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X < 1 || Y < 1 || X >= Width - 1 || Y >= Height - 1)
    return;
  unsigned At = Y * Width + X;
  float Sum = 0;
  for (int Axis = 0; Axis < 3; ++Axis) {
    float Mean =
        0.25f * (Now.get(At - 1, Axis) + Now.get(At + 1, Axis) +
                 Now.get(At - Width, Axis) + Now.get(At + Width, Axis)) -
        Now.get(At, Axis);
    Sum += Mean * Mean;
  }
  Out[At] = Sum;
}
STREAM_PROGRAM(Cloth, "cloth", float, 4, size_t(4096) * 4096,
               size_t(4096) * 4096) {
  return uniform(I, Field);
}
template <template <class, int> class Layout>
void Cloth<Layout>::run(View Now, unsigned *Out) {
  relaxCloth<<<dim3(4096 / 32, 4096 / 8), dim3(32, 8)>>>(Now, 4096, 4096,
                                                         (float *)Out);
}

#undef STREAM_PROGRAM

#endif // GRIDSPAN_BENCH_LAYOUT_SINGLEPASS_H
