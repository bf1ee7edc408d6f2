//===- saxpy_hand.cu - y = a x + y over several GPUs by hand --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each GPU has its part of both arrays and works on it alone.
//
//===----------------------------------------------------------------------===//

#include "bench/common/Gpus.h"
#include "bench/in_memory/Saxpy.h"

int main(int Argc, char **Argv) {
  size_t N = argument(Argc, Argv, 1, size_t(1) << 30);
  int Repetitions = argument(Argc, Argv, 2, 7);
  Gpus G;
  float *X[MaxGpus], *Y[MaxGpus];
  G.each([&](int I) {
    size_t Part = G.size(I, N, 256);
    CHECK(cudaMalloc(&X[I], Part * sizeof(float)));
    CHECK(cudaMalloc(&Y[I], Part * sizeof(float)));
    fill(X[I], Part, 1, G.begin(I, N, 256));
    fill(Y[I], Part, 2, G.begin(I, N, 256));
    CHECK(cudaDeviceSynchronize());
  });
  double Seconds = medianSeconds(Repetitions, [&] {
    for (int Round = 0; Round < SaxpyRounds; ++Round)
      G.each([&](int I) {
        size_t Part = G.size(I, N, 256);
        saxpy<<<saxpyBlocks(Part), 256, 0, G.stream(I)>>>(Part, SaxpyA, X[I],
                                                          Y[I]);
      });
    G.synchronize();
  });
  unsigned long long Sum = 0;
  G.each([&](int I) {
    Sum += checksum(Y[I], G.size(I, N, 256), G.begin(I, N, 256));
  });
  report("saxpy", Seconds / SaxpyRounds, 12.0 * N, Sum);
}
