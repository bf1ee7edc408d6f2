//===- rank_launch.cu - A launch over ranks that has nothing to move ------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks that add to their own elements, so that no bytes go from rank to rank:
// the median of a launch that is waited for, and of launches in a row. No GPU
// is needed:
//   GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_SCHEDULE=static GRIDSPAN_CPU_THREADS=1
//     gridspan-run -n 2 rank_launch
//
// Usage: rank_launch [launches] [blocks]
//
//===----------------------------------------------------------------------===//

#include "bench/common/Bench.h"

__global__ void addOne(int *Data) {
  Data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

int main(int Argc, char **Argv) {
  const int Launches = argument(Argc, Argv, 1, 3000);
  const int Blocks = argument(Argc, Argv, 2, 8);
  constexpr int Threads = 64;
  const size_t Bytes = size_t(Blocks) * Threads * sizeof(int);
  int *Data;
  CHECK(cudaMalloc(&Data, Bytes));
  CHECK(cudaMemset(Data, 0, Bytes));
  const auto Launch = [&] { addOne<<<Blocks, Threads>>>(Data); };
  // Decisions are made, and data are where they stay.
  for (int I = 0; I < 200; ++I)
    Launch();
  CHECK(cudaDeviceSynchronize());
  const double Waited = medianSeconds(Launches, [&] {
    Launch();
    CHECK(cudaDeviceSynchronize());
  });
  const double InARow = medianSeconds(3, [&] {
    for (int I = 0; I < Launches; ++I)
      Launch();
    CHECK(cudaDeviceSynchronize());
  });
  int Last = 0;
  CHECK(cudaMemcpy(&Last, Data + Bytes / sizeof(int) - 1, sizeof(int),
                   cudaMemcpyDeviceToHost));
  report("waited for", Waited, 0, Last);
  report("in a row", InARow / Launches, 0, Last);
}
