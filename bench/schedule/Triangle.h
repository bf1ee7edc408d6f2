//===- Triangle.h - Rows that are longer and longer -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Row I adds up what the points up to I do to point I, so that the work of a
// row grows with its number. A block has a few rows, since each point that it
// reads is used for all of them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_SCHEDULE_TRIANGLE_H
#define GRIDSPAN_BENCH_SCHEDULE_TRIANGLE_H

#include "bench/common/DeviceData.h"

constexpr int TriangleThreads = 128, TriangleRows = 8;

static __global__ void triangle(unsigned First, int N, const float4 *Points,
                                float *Out) {
  __shared__ float Parts[TriangleRows][TriangleThreads];
  int Row = int(First + blockIdx.x) * TriangleRows;
  float Sums[TriangleRows] = {};
  for (int J = threadIdx.x; J < Row + TriangleRows && J < N;
       J += TriangleThreads) {
    float4 Q = Points[J];
#pragma unroll
    for (int R = 0; R < TriangleRows; ++R) {
      float4 P = Points[min(Row + R, N - 1)];
      float Dx = Q.x - P.x, Dy = Q.y - P.y, Dz = Q.z - P.z;
      float S = Q.w * rsqrtf(Dx * Dx + Dy * Dy + Dz * Dz + 0.01f);
      Sums[R] += J <= Row + R ? S : 0;
    }
  }
  for (int R = 0; R < TriangleRows; ++R)
    Parts[R][threadIdx.x] = Sums[R];
  __syncthreads();
  for (int Half = TriangleThreads / 2; Half > 0; Half /= 2) {
    if (threadIdx.x < Half)
      for (int R = 0; R < TriangleRows; ++R)
        Parts[R][threadIdx.x] += Parts[R][threadIdx.x + Half];
    __syncthreads();
  }
  if (threadIdx.x < TriangleRows && Row + threadIdx.x < N)
    Out[Row + threadIdx.x] = Parts[threadIdx.x][0];
}

/// On the device that is current when it is made. So are the others of its
/// kind.
class Triangle {
public:
  explicit Triangle(size_t Size) : N(int(Size)) {
    CHECK(cudaMalloc(&Points, N * sizeof(float4)));
    CHECK(cudaMalloc(&Out, N * sizeof(float)));
    fill(&Points->x, size_t(4) * N, 1);
  }
  /// Returns the blocks along the axis that shares are cut along.
  unsigned blocks() const { return (N + TriangleRows - 1) / TriangleRows; }
  /// Enqueues Count of these blocks.
  void launch(unsigned First, unsigned Count, cudaStream_t S) {
    triangle<<<Count, TriangleThreads, 0, S>>>(First, N, Points, Out);
  }
  /// Returns the checksum of what such blocks wrote.
  unsigned long long sum(unsigned First, unsigned Count) const {
    size_t Begin = size_t(First) * TriangleRows;
    size_t End = std::min(size_t(N), Begin + size_t(Count) * TriangleRows);
    return checksum(Out + Begin, End - Begin, Begin);
  }

private:
  int N;
  float4 *Points;
  float *Out;
};

#endif // GRIDSPAN_BENCH_SCHEDULE_TRIANGLE_H
