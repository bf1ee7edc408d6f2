//===- Nbody.h - All pairs of bodies --------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_NBODY_H
#define GRIDSPAN_BENCH_NBODY_H

#include "DeviceData.h"

constexpr float Softening = 0.01f, TimeStep = 0.001f;

/// Changes the velocities of Count bodies from First on; Velocity begins there.
static __global__ void forces(int First, int Count, int N,
                              const float4 *Position, float4 *Velocity) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  float4 P = Position[First + I];
  float X = 0, Y = 0, Z = 0;
  for (int J = 0; J < N; ++J) {
    float4 Q = Position[J];
    float Dx = Q.x - P.x, Dy = Q.y - P.y, Dz = Q.z - P.z;
    float R = rsqrtf(Dx * Dx + Dy * Dy + Dz * Dz + Softening);
    float S = Q.w * R * R * R;
    X += S * Dx;
    Y += S * Dy;
    Z += S * Dz;
  }
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

#endif // GRIDSPAN_BENCH_NBODY_H
