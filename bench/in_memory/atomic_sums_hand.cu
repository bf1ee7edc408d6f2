//===- atomic_sums_hand.cu - Sums by atomics over several GPUs by hand ----===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each GPU has its share of the numbers and its own sums, which are combined.
//
//===----------------------------------------------------------------------===//

#include "bench/in_memory/AtomicSums.h"
#include "bench/in_memory/Parts.h"

int main(int Argc, char **Argv) {
  size_t N = argument(Argc, Argv, 1, size_t(1) << 30);
  int Repetitions = argument(Argc, Argv, 2, 21);
  Gpus G;
  Parts<double> Sum(G, 1), Sums(G, SumKeys);
  unsigned *Keys[MaxGpus];
  float *Values[MaxGpus];
  auto First = [&](int I) { return G.begin(I, N, CountsPerBlock); };
  auto Part = [&](int I) { return G.size(I, N, CountsPerBlock); };
  G.each([&](int I) {
    CHECK(cudaMalloc(&Keys[I], Part(I) * sizeof(unsigned)));
    CHECK(cudaMalloc(&Values[I], Part(I) * sizeof(float)));
    fillKeys<<<unsigned((Part(I) + 255) / 256), 256>>>(Keys[I], Part(I),
                                                       First(I));
    fill(Values[I], Part(I), 1, First(I));
    CHECK(cudaDeviceSynchronize());
  });
  double Seconds = medianSeconds(Repetitions, [&] {
    G.each([&](int I) {
      Sum.clear(I);
      sumAll<<<countsBlocks(Part(I)), CountsThreads, 0, G.stream(I)>>>(
          Values[I], Part(I), Sum[I]);
    });
    Sum.combine();
    G.synchronize();
  });
  report("sum_all", Seconds, 4.0 * N, Sum.sum());
  Seconds = medianSeconds(Repetitions, [&] {
    G.each([&](int I) {
      Sums.clear(I);
      sumByKey<<<countsBlocks(Part(I)), CountsThreads, 0, G.stream(I)>>>(
          Keys[I], Values[I], Part(I), Sums[I]);
    });
    Sums.combine();
    G.synchronize();
  });
  report("sum_by_key", Seconds, 8.0 * N, Sums.sum());
}
