//===- stencil.cu - Five-point smoothing, one GPU -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: stencil [width] [height] [steps] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/common/Stencil.h"
#include <utility>

int main(int Argc, char **Argv) {
  int Width = argument(Argc, Argv, 1, 16384);
  int Height = argument(Argc, Argv, 2, Width);
  int Steps = argument(Argc, Argv, 3, 100);
  int Repetitions = argument(Argc, Argv, 4, 3);
  size_t N = size_t(Width) * Height;
  float *In, *Out;
  CHECK(cudaMalloc(&In, N * sizeof(float)));
  CHECK(cudaMalloc(&Out, N * sizeof(float)));
  fill(In, N, 1);
  double Seconds = medianSeconds(Repetitions, [&] {
    for (int I = 0; I < Steps; ++I) {
      smooth<<<stencilGrid(Width, Height), stencilBlock()>>>(In, Out, Width,
                                                             Height);
      std::swap(In, Out);
    }
    CHECK(cudaDeviceSynchronize());
  });
  report("stencil", Seconds / Steps, 8.0 * N, checksum(In, N));
  CHECK(cudaFree(In));
  CHECK(cudaFree(Out));
}
