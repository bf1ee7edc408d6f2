//===- matmul_hand.cu - Two matrix products over several GPUs by hand -----===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each GPU holds a share of the rows of A and C, and all of B.
//
//===----------------------------------------------------------------------===//

#include "bench/common/Gpus.h"
#include "bench/common/Matmul.h"

int main(int Argc, char **Argv) {
  int N = argument(Argc, Argv, 1, 8192);
  int Repetitions = argument(Argc, Argv, 2, 3);
  size_t Elements = size_t(N) * N;
  Gpus G;
  float *A[MaxGpus], *B[MaxGpus], *C[MaxGpus];
  auto Rows = [&](int I) { return G.size(I, N, MatmulTile); };
  auto First = [&](int I) { return G.begin(I, N, MatmulTile) * N; };
  G.each([&](int I) {
    CHECK(cudaMalloc(&A[I], Rows(I) * N * sizeof(float)));
    CHECK(cudaMalloc(&B[I], Elements * sizeof(float)));
    CHECK(cudaMalloc(&C[I], Rows(I) * N * sizeof(float)));
    fill(A[I], Rows(I) * N, 1, First(I));
    fill(B[I], Elements, 2);
    CHECK(cudaDeviceSynchronize());
  });
  for (bool Tiled : {false, true}) {
    double Seconds = medianSeconds(Repetitions, [&] {
      G.each([&](int I) {
        launchMatmul(Tiled, A[I], B[I], C[I], Rows(I), N, G.stream(I));
      });
      G.synchronize();
    });
    unsigned long long Sum = 0;
    G.each([&](int I) { Sum += checksum(C[I], Rows(I) * N, First(I)); });
    report(Tiled ? "matmul_tiled" : "matmul_naive", Seconds, 12.0 * Elements,
           Sum);
  }
}
