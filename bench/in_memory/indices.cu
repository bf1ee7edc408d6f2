//===- indices.cu - Gather and scatter by indices, one GPU ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "changing": a kernel updates the gathered array before each launch.
// "reindexed": a kernel writes the indices before each.
//
// Usage: indices [elements] [launches before] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/in_memory/Indices.h"

int main(int Argc, char **Argv) {
  IndexArguments Args(Argc, Argv);
  const size_t N = Args.N;
  const unsigned Blocks = blocksOf(N);
  unsigned *Index;
  float *A, *List;
  CHECK(cudaMalloc(&Index, N * sizeof(unsigned)));
  CHECK(cudaMalloc(&A, N * sizeof(float)));
  CHECK(cudaMalloc(&List, N * sizeof(float)));
  for (int Kind : {Sorted, Banded, Scattered}) {
    auto Reset = [&] {
      fillIndices<<<Blocks, 256>>>(N, 0, N, Kind, Index);
      fillFloats<<<Blocks, 256>>>(N, 0, A);
    };
    Reset();
    double Seconds = steadySeconds(Args, [&] {
      gather<<<Blocks, 256>>>(N, Index, A, List);
      CHECK(cudaDeviceSynchronize());
    });
    reportOf("gather", Kind, Seconds, N, checksum(List, N));
    Reset();
    Seconds = steadySeconds(Args, [&] {
      update<<<Blocks, 256>>>(N, A);
      gather<<<Blocks, 256>>>(N, Index, A, List);
      CHECK(cudaDeviceSynchronize());
    });
    reportOf("gather-changing", Kind, Seconds, N, checksum(List, N));
    Reset();
    Seconds = steadySeconds(Args, [&] {
      fillIndices<<<Blocks, 256>>>(N, 0, N, Kind, Index);
      gather<<<Blocks, 256>>>(N, Index, A, List);
      CHECK(cudaDeviceSynchronize());
    });
    reportOf("gather-reindexed", Kind, Seconds, N, checksum(List, N));
    Reset();
    fillFloats<<<Blocks, 256>>>(N, 0, List);
    Seconds = steadySeconds(Args, [&] {
      scatter<<<Blocks, 256>>>(N, Index, List, A);
      CHECK(cudaDeviceSynchronize());
    });
    reportOf("scatter", Kind, Seconds, N, checksum(A, N));
  }
  CHECK(cudaFree(Index));
  CHECK(cudaFree(A));
  CHECK(cudaFree(List));
}
