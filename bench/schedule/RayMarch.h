//===- RayMarch.h - Distances to a field of spheres -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Marches rays through a plane with a sphere every four units, by the distance
// to the nearest surface. Rays of the first rows go to the sky after a few
// steps, those near the horizon take all of them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_SCHEDULE_RAYMARCH_H
#define GRIDSPAN_BENCH_SCHEDULE_RAYMARCH_H

#include "bench/schedule/ImageRows.h"

constexpr int RaySteps = 256;
constexpr float RayEnd = 400;

/// Returns the distance to the nearest surface.
static __device__ float distanceAt(float X, float Y, float Z) {
  float Ux = X - 4 * floorf(X * 0.25f + 0.5f);
  float Uz = Z - 4 * floorf(Z * 0.25f + 0.5f);
  float Uy = Y - 1;
  return fminf(Y, sqrtf(Ux * Ux + Uy * Uy + Uz * Uz) - 1);
}

static __global__ void marchRays(unsigned First, int Size, float *Out) {
  int Column = int(blockIdx.x) * ImageSide + threadIdx.x;
  int Row = int(First + blockIdx.y) * ImageSide + threadIdx.y;
  if (Column >= Size || Row >= Size)
    return;
  float Dx = 2.0f * Column / Size - 1, Dy = 0.6f - 1.4f * Row / Size;
  float Scale = rsqrtf(Dx * Dx + Dy * Dy + 1);
  float T = 0;
  for (int Step = 0; Step < RaySteps && T < RayEnd; ++Step) {
    float Along = T * Scale;
    float Near = distanceAt(Dx * Along, 3 + Dy * Along, Along);
    if (Near < 1e-4f * T)
      break;
    T += Near;
  }
  Out[size_t(Row) * Size + Column] = T;
}

using RayMarch = ImageRows<float, marchRays>;

#endif // GRIDSPAN_BENCH_SCHEDULE_RAYMARCH_H
