//===- counts_hand.cu - Histogram of many bins over several GPUs by hand --===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each GPU counts its share of the keys; counts are combined by slices.
//
//===----------------------------------------------------------------------===//

#include "bench/in_memory/Counts.h"
#include "bench/in_memory/Parts.h"

int main(int Argc, char **Argv) {
  size_t N = argument(Argc, Argv, 1, size_t(1) << 30);
  size_t Bins = argument(Argc, Argv, 2, 1 << 16);
  int Repetitions = argument(Argc, Argv, 3, 21);
  Gpus G;
  Parts<unsigned> Counts(G, Bins);
  unsigned *Keys[MaxGpus];
  auto Part = [&](int I) { return G.size(I, N, CountsPerBlock); };
  G.each([&](int I) {
    CHECK(cudaMalloc(&Keys[I], Part(I) * sizeof(unsigned)));
    fillKeys<<<unsigned((Part(I) + 255) / 256), 256>>>(
        Keys[I], Part(I), G.begin(I, N, CountsPerBlock));
    CHECK(cudaDeviceSynchronize());
  });
  double Seconds = medianSeconds(Repetitions, [&] {
    G.each([&](int I) {
      Counts.clear(I);
      countKeys<<<countsBlocks(Part(I)), CountsThreads, 0, G.stream(I)>>>(
          Keys[I], Part(I), unsigned(Bins - 1), Counts[I]);
    });
    Counts.combine();
    G.synchronize();
  });
  report("counts", Seconds, 4.0 * N, Counts.sum());
}
