//===- transpose.cu - Matrix transposition, one GPU -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: transpose [n] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/in_memory/Transpose.h"

int main(int Argc, char **Argv) {
  int N = argument(Argc, Argv, 1, 32768);
  int Repetitions = argument(Argc, Argv, 2, 5);
  size_t Elements = size_t(N) * N;
  float *In, *Out;
  CHECK(cudaMalloc(&In, Elements * sizeof(float)));
  CHECK(cudaMalloc(&Out, Elements * sizeof(float)));
  fill(In, Elements, 1);
  int Blocks = (N + TransposeTile - 1) / TransposeTile;
  double Seconds = medianSeconds(Repetitions, [&] {
    transpose<<<dim3(Blocks, Blocks), dim3(TransposeTile, TransposeRows)>>>(
        In, Out, N);
    CHECK(cudaDeviceSynchronize());
  });
  report("transpose", Seconds, 8.0 * Elements, checksum(Out, Elements));
  CHECK(cudaFree(In));
  CHECK(cudaFree(Out));
}
