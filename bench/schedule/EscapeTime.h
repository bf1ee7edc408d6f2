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

#include "bench/schedule/ImageRows.h"

constexpr int EscapeLimit = 1000;

static __global__ void escapeTime(unsigned First, int Size, int *Out) {
  int Column = int(blockIdx.x) * ImageSide + threadIdx.x;
  int Row = int(First + blockIdx.y) * ImageSide + threadIdx.y;
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

using EscapeTime = ImageRows<int, escapeTime>;

#endif // GRIDSPAN_BENCH_SCHEDULE_ESCAPETIME_H
