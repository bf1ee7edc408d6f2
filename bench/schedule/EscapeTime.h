//===- EscapeTime.h - A part of the Mandelbrot set --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Iterations until a point escapes, of a picture whose first rows are mostly
// inside of the Mandelbrot set, and whose last ones are outside.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_SCHEDULE_ESCAPETIME_H
#define GRIDSPAN_BENCH_SCHEDULE_ESCAPETIME_H

#include "bench/common/DeviceData.h"

constexpr int EscapeSide = 16, EscapeLimit = 1000;

static __global__ void escapeTime(unsigned First, int Size, int *Out) {
  int Column = int(blockIdx.x) * EscapeSide + threadIdx.x;
  int Row = int(First + blockIdx.y) * EscapeSide + threadIdx.y;
  if (Column >= Size || Row >= Size)
    return;
  float Cx = -2.0f + 2.6f * Column / Size, Cy = -0.2f + 1.4f * Row / Size;
  float X = 0, Y = 0;
  int Steps = 0;
  while (Steps < EscapeLimit && X * X + Y * Y < 4) {
    float Next = X * X - Y * Y + Cx;
    Y = 2 * X * Y + Cy;
    X = Next;
    ++Steps;
  }
  Out[size_t(Row) * Size + Column] = Steps;
}

class EscapeTime {
public:
  explicit EscapeTime(size_t Size) : Size(int(Size)) {
    CHECK(cudaMalloc(&Out, Size * Size * sizeof(int)));
  }
  unsigned blocks() const { return (Size + EscapeSide - 1) / EscapeSide; }
  void launch(unsigned First, unsigned Count, cudaStream_t S) {
    escapeTime<<<dim3(blocks(), Count), dim3(EscapeSide, EscapeSide), 0, S>>>(
        First, Size, Out);
  }
  unsigned long long sum(unsigned First, unsigned Count) const {
    size_t Begin = size_t(First) * EscapeSide;
    size_t End = std::min(size_t(Size), Begin + size_t(Count) * EscapeSide);
    return checksum(Out + Begin * Size, (End - Begin) * Size, Begin * Size);
  }

private:
  int Size;
  int *Out;
};

#endif // GRIDSPAN_BENCH_SCHEDULE_ESCAPETIME_H
