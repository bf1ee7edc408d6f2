//===- Stencil.h - Five-point smoothing -------------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of the five-point stencils, in memory and larger than it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_COMMON_STENCIL_H
#define GRIDSPAN_BENCH_COMMON_STENCIL_H

#include "bench/common/DeviceData.h"

/// Computes one step at column X and row Y of a field of Width columns and
/// Height rows, of which In and Out hold the rows from Held on. The edge stays.
static __device__ void smoothRows(const float *In, float *Out, int Width,
                                  int Height, int X, int Y, int Held) {
  size_t I = size_t(Y - Held) * Width + X;
  if (X > 0 && X < Width - 1 && Y > 0 && Y < Height - 1)
    Out[I] = 0.5f * In[I] +
             0.125f * (In[I - 1] + In[I + 1] + In[I - Width] + In[I + Width]);
  else
    Out[I] = In[I];
}

static __global__ void smooth(const float *In, float *Out, int Width,
                              int Height) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X < Width && Y < Height)
    smoothRows(In, Out, Width, Height, X, Y, 0);
}

/// Computes the same on some rows of a share.
static __global__ void smoothPart(const float *In, float *Out, int Width,
                                  int Height, int FirstRow, int EndRow,
                                  int Held) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = FirstRow + blockIdx.y * blockDim.y + threadIdx.y;
  if (X < Width && Y < EndRow)
    smoothRows(In, Out, Width, Height, X, Y, Held);
}

inline dim3 stencilBlock() { return dim3(64, 4); }
inline dim3 stencilGrid(int Width, int Rows) {
  dim3 B = stencilBlock();
  return dim3((Width + B.x - 1) / B.x, (Rows + B.y - 1) / B.y);
}

#endif // GRIDSPAN_BENCH_COMMON_STENCIL_H
