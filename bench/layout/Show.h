//===- Show.h - A line for each measured version ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line of output for evaluate_sums.py.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_LAYOUT_SHOW_H
#define GRIDSPAN_BENCH_LAYOUT_SHOW_H

#include "bench/common/EventTime.h"

/// Launches once, measures batches of Batch launches, and prints "version shape
/// size milliseconds". Shape is the block, or the number of blocks.
template <class Fn>
static void show(const char *Name, const char *Shape, size_t Size, Fn Launch,
                 int Batch = 1) {
  Launch();
  printf("%s %s %zu %.5f\n", Name, Shape, Size,
         medianMilliseconds(9, Launch, Batch));
  fflush(stdout);
}

#endif // GRIDSPAN_BENCH_LAYOUT_SHOW_H
