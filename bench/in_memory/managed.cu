//===- managed.cu - Managed memory that GPU and host touch ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stencil in cudaMallocManaged memory: the first launch after the host has
// filled it, steps that the host waits for one by one, steps between which it
// writes one element, and the host's reading of the result.
//
// Usage: managed [elements] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/common/Bench.h"
#include "bench/in_memory/Managed.h"

int main(int Argc, char **Argv) {
  const size_t N = argument(Argc, Argv, 1, size_t(1) << 28);
  const int Repetitions = argument(Argc, Argv, 2, 3);
  float *X, *Y;
  CHECK(cudaMallocManaged(&X, N * sizeof(float)));
  CHECK(cudaMallocManaged(&Y, N * sizeof(float)));
  auto Step = [&] {
    smooth<<<unsigned((N + 255) / 256), 256>>>(X, Y, 0, N, N);
    CHECK(cudaDeviceSynchronize());
    std::swap(X, Y);
  };
  measureManaged(X, N, Repetitions, [] {}, Step);
  CHECK(cudaFree(X));
  CHECK(cudaFree(Y));
}
