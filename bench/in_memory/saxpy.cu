//===- saxpy.cu - y = a x + y, one GPU ------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: saxpy [elements] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/in_memory/Saxpy.h"

int main(int Argc, char **Argv) {
  size_t N = argument(Argc, Argv, 1, size_t(1) << 30);
  int Repetitions = argument(Argc, Argv, 2, 7);
  float *X, *Y;
  CHECK(cudaMalloc(&X, N * sizeof(float)));
  CHECK(cudaMalloc(&Y, N * sizeof(float)));
  fill(X, N, 1);
  fill(Y, N, 2);
  double Seconds = medianSeconds(Repetitions, [&] {
    for (int I = 0; I < SaxpyRounds; ++I)
      saxpy<<<saxpyBlocks(N), 256>>>(N, SaxpyA, X, Y);
    CHECK(cudaDeviceSynchronize());
  });
  report("saxpy", Seconds / SaxpyRounds, 12.0 * N, checksum(Y, N));
  CHECK(cudaFree(X));
  CHECK(cudaFree(Y));
}
