//===- Nbody.h - All pairs of bodies ----------------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forces as in L. Nyland, M. Harris, J. Prins, "Fast N-Body Simulation with
// CUDA", GPU Gems 3, chapter 31: a block brings one body per thread into shared
// memory at a time, and each thread adds up the forces of those on its own
// body, unrolled so that the arithmetic is the limit and not its latency.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_IN_MEMORY_NBODY_H
#define GRIDSPAN_BENCH_IN_MEMORY_NBODY_H

#include "bench/common/DeviceData.h"

constexpr float Softening = 0.01f, TimeStep = 0.001f;
/// Threads of a block, and bodies in shared memory at a time.
constexpr int BodyTile = 256;

/// Changes the velocities of Count bodies from First on; Velocity begins there.
static __global__ void forces(int First, int Count, int N,
                              const float4 *Position, float4 *Velocity) {
  __shared__ float4 Tile[BodyTile];
  int I = blockIdx.x * BodyTile + threadIdx.x;
  float4 P = I < Count ? Position[First + I] : make_float4(0, 0, 0, 0);
  float X = 0, Y = 0, Z = 0;
  for (int Begin = 0; Begin < N; Begin += BodyTile) {
    int J = Begin + threadIdx.x;
    // Threads without a body have one without mass.
    Tile[threadIdx.x] = J < N ? Position[J] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 32
    for (int K = 0; K < BodyTile; ++K) {
      float4 Q = Tile[K];
      float Dx = Q.x - P.x, Dy = Q.y - P.y, Dz = Q.z - P.z;
      float R = rsqrtf(Dx * Dx + Dy * Dy + Dz * Dz + Softening);
      float S = Q.w * R * R * R;
      X += S * Dx;
      Y += S * Dy;
      Z += S * Dz;
    }
    __syncthreads();
  }
  if (I >= Count)
    return;
  float4 V = Velocity[I];
  Velocity[I] = make_float4(V.x + TimeStep * X, V.y + TimeStep * Y,
                            V.z + TimeStep * Z, 0);
}

static __global__ void moveBodies(int First, int Count, float4 *Position,
                                  const float4 *Velocity) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  float4 P = Position[First + I], V = Velocity[I];
  Position[First + I] = make_float4(P.x + TimeStep * V.x, P.y + TimeStep * V.y,
                                    P.z + TimeStep * V.z, P.w);
}

#endif // GRIDSPAN_BENCH_IN_MEMORY_NBODY_H
