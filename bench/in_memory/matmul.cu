//===- matmul.cu - Two matrix products, one GPU ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: matmul [n, a multiple of 32] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/common/Matmul.h"

int main(int Argc, char **Argv) {
  int N = argument(Argc, Argv, 1, 8192);
  int Repetitions = argument(Argc, Argv, 2, 3);
  size_t Elements = size_t(N) * N;
  float *A, *B, *C;
  CHECK(cudaMalloc(&A, Elements * sizeof(float)));
  CHECK(cudaMalloc(&B, Elements * sizeof(float)));
  CHECK(cudaMalloc(&C, Elements * sizeof(float)));
  fill(A, Elements, 1);
  fill(B, Elements, 2);
  for (bool Tiled : {false, true}) {
    double Seconds = medianSeconds(Repetitions, [&] {
      launchMatmul(Tiled, A, B, C, N, N);
      CHECK(cudaDeviceSynchronize());
    });
    report(Tiled ? "matmul_tiled" : "matmul_naive", Seconds, 12.0 * Elements,
           checksum(C, Elements));
  }
  CHECK(cudaFree(A));
  CHECK(cudaFree(B));
  CHECK(cudaFree(C));
}
