//===- average.cu - Moving average, one GPU -------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: average [outputs] [window] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/common/Average.h"

int main(int Argc, char **Argv) {
  size_t N = argument(Argc, Argv, 1, size_t(1) << 29);
  int Window = argument(Argc, Argv, 2, 64);
  int Repetitions = argument(Argc, Argv, 3, 5);
  size_t Inputs = N + Window - 1;
  float *In, *Out;
  CHECK(cudaMalloc(&In, Inputs * sizeof(float)));
  CHECK(cudaMalloc(&Out, N * sizeof(float)));
  fill(In, Inputs, 1);
  double Seconds = medianSeconds(Repetitions, [&] {
    for (int I = 0; I < AverageRounds; ++I)
      average<<<(N + 255) / 256, 256>>>(N, Window, In, Out);
    CHECK(cudaDeviceSynchronize());
  });
  report("average", Seconds / AverageRounds, 8.0 * N, checksum(Out, N));
  CHECK(cudaFree(In));
  CHECK(cudaFree(Out));
}
