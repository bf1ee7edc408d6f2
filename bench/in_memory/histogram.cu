//===- histogram.cu - Counts of byte values, one GPU ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: histogram [bytes] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/in_memory/Histogram.h"

int main(int Argc, char **Argv) {
  size_t N = argument(Argc, Argv, 1, size_t(1) << 30);
  int Repetitions = argument(Argc, Argv, 2, 7);
  unsigned char *Data;
  unsigned *Counts, Result[Bins];
  CHECK(cudaMalloc(&Data, N));
  CHECK(cudaMalloc(&Counts, sizeof(Result)));
  fillBytes<<<(N + 255) / 256, 256>>>(Data, N, 0);
  double Seconds = medianSeconds(Repetitions, [&] {
    CHECK(cudaMemset(Counts, 0, sizeof(Result)));
    histogram<<<histogramBlocks(N), 256>>>(Data, N, Counts);
    CHECK(cudaMemcpy(Result, Counts, sizeof(Result), cudaMemcpyDeviceToHost));
  });
  report("histogram", Seconds, N, sumOfCounts(Result));
  CHECK(cudaFree(Data));
  CHECK(cudaFree(Counts));
}
