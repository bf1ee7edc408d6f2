//===- EventTime.h - Time of kernels between events -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times launches by events, without the time of the host.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_COMMON_EVENTTIME_H
#define GRIDSPAN_BENCH_COMMON_EVENTTIME_H

#include "bench/common/Bench.h"
#include <algorithm>
#include <cuda_runtime.h>
#include <vector>

/// Returns the median milliseconds of Launch on the device. Each time is the
/// mean of Batch launches in a row, as a single short one is mostly events.
template <class Function>
static double medianMilliseconds(int Repetitions, Function Launch,
                                 int Batch = 1) {
  cudaEvent_t Begin, End;
  CHECK(cudaEventCreate(&Begin));
  CHECK(cudaEventCreate(&End));
  std::vector<float> Times;
  for (int I = 0; I < Repetitions; ++I) {
    CHECK(cudaEventRecord(Begin));
    for (int One = 0; One < Batch; ++One)
      Launch();
    CHECK(cudaEventRecord(End));
    CHECK(cudaEventSynchronize(End));
    float Milliseconds = 0;
    CHECK(cudaEventElapsedTime(&Milliseconds, Begin, End));
    Times.push_back(Milliseconds / float(Batch));
  }
  CHECK(cudaEventDestroy(Begin));
  CHECK(cudaEventDestroy(End));
  std::sort(Times.begin(), Times.end());
  return Times[Times.size() / 2];
}

#endif // GRIDSPAN_BENCH_COMMON_EVENTTIME_H
