//===- counts.cu - Histogram of many bins, one GPU ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: counts [keys] [bins, a power of two] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/in_memory/Counts.h"

int main(int Argc, char **Argv) {
  size_t N = argument(Argc, Argv, 1, size_t(1) << 30);
  size_t Bins = argument(Argc, Argv, 2, 1 << 16);
  int Repetitions = argument(Argc, Argv, 3, 21);
  unsigned *Keys, *Counts;
  CHECK(cudaMalloc(&Keys, N * sizeof(unsigned)));
  CHECK(cudaMalloc(&Counts, Bins * sizeof(unsigned)));
  fillKeys<<<unsigned((N + 255) / 256), 256>>>(Keys, N, 0);
  CHECK(cudaDeviceSynchronize());
  double Seconds = medianSeconds(Repetitions, [&] {
    CHECK(cudaMemset(Counts, 0, Bins * sizeof(unsigned)));
    countKeys<<<countsBlocks(N), CountsThreads>>>(Keys, N, unsigned(Bins - 1),
                                                  Counts);
    CHECK(cudaDeviceSynchronize());
  });
  report("counts", Seconds, 4.0 * N, checksum(Counts, Bins));
  CHECK(cudaFree(Keys));
  CHECK(cudaFree(Counts));
}
