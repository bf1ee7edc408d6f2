//===- PowerLaw.h - Rows of very different length ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Row I of N has about Scale * (N / (I + 1))^0.6 entries: a few rows have many,
// most have few, and the first half of the rows has three quarters of all.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_SCHEDULE_POWERLAW_H
#define GRIDSPAN_BENCH_SCHEDULE_POWERLAW_H

#include "bench/common/DeviceData.h"
#include <cmath>

/// Returns where each row begins, and the end of the last one. No row is longer
/// than Longest.
inline std::vector<int> powerLawRows(int Rows, double Scale, int Longest) {
  std::vector<int> Begins(size_t(Rows) + 1);
  for (int I = 0; I < Rows; ++I) {
    int Length = int(Scale * std::pow(double(Rows) / (I + 1), 0.6));
    Begins[I + 1] = Begins[I] + std::min(Length, Longest);
  }
  return Begins;
}

/// Writes pseudo-random numbers below Limit.
static __global__ void fillTargets(int *Out, size_t N, unsigned Limit) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < N) {
    unsigned V = unsigned(I) * 2654435761u;
    V = (V ^ (V >> 15)) * 2246822519u;
    Out[I] = int((V ^ (V >> 13)) % Limit);
  }
}

/// Returns a copy on the current device.
template <class T> T *onDevice(const std::vector<T> &Values) {
  T *Copy;
  CHECK(cudaMalloc(&Copy, Values.size() * sizeof(T)));
  CHECK(cudaMemcpy(Copy, Values.data(), Values.size() * sizeof(T),
                   cudaMemcpyHostToDevice));
  return Copy;
}

#endif // GRIDSPAN_BENCH_SCHEDULE_POWERLAW_H
