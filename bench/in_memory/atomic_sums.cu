//===- atomic_sums.cu - Sums by atomics, one GPU --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: atomic_sums [numbers] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/in_memory/AtomicSums.h"

int main(int Argc, char **Argv) {
  size_t N = argument(Argc, Argv, 1, size_t(1) << 30);
  int Repetitions = argument(Argc, Argv, 2, 21);
  unsigned *Keys;
  float *Values;
  double *Sums;
  CHECK(cudaMalloc(&Keys, N * sizeof(unsigned)));
  CHECK(cudaMalloc(&Values, N * sizeof(float)));
  CHECK(cudaMalloc(&Sums, SumKeys * sizeof(double)));
  fillKeys<<<unsigned((N + 255) / 256), 256>>>(Keys, N, 0);
  fill(Values, N, 1);
  CHECK(cudaDeviceSynchronize());
  double Seconds = medianSeconds(Repetitions, [&] {
    CHECK(cudaMemset(Sums, 0, sizeof(double)));
    sumAll<<<countsBlocks(N), CountsThreads>>>(Values, N, Sums);
    CHECK(cudaDeviceSynchronize());
  });
  report("sum_all", Seconds, 4.0 * N, checksum(Sums, 2));
  Seconds = medianSeconds(Repetitions, [&] {
    CHECK(cudaMemset(Sums, 0, SumKeys * sizeof(double)));
    sumByKey<<<countsBlocks(N), CountsThreads>>>(Keys, Values, N, Sums);
    CHECK(cudaDeviceSynchronize());
  });
  report("sum_by_key", Seconds, 8.0 * N, checksum(Sums, SumKeys * 2));
  CHECK(cudaFree(Keys));
  CHECK(cudaFree(Values));
  CHECK(cudaFree(Sums));
}
