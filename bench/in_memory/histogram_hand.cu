//===- histogram_hand.cu - Counts of byte values over several GPUs by hand ===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each GPU counts its share; the host adds the counts.
//
//===----------------------------------------------------------------------===//

#include "bench/common/Gpus.h"
#include "bench/in_memory/Histogram.h"

int main(int Argc, char **Argv) {
  size_t N = argument(Argc, Argv, 1, size_t(1) << 30);
  int Repetitions = argument(Argc, Argv, 2, 7);
  Gpus G;
  unsigned char *Data[MaxGpus];
  unsigned *Counts[MaxGpus], *Parts, Result[Bins];
  CHECK(cudaMallocHost(&Parts, MaxGpus * sizeof(Result)));
  auto First = [&](int I) { return G.begin(I, N, HistogramPerBlock); };
  auto Part = [&](int I) { return G.size(I, N, HistogramPerBlock); };
  G.each([&](int I) {
    CHECK(cudaMalloc(&Data[I], Part(I)));
    CHECK(cudaMalloc(&Counts[I], sizeof(Result)));
    fillBytes<<<(Part(I) + 255) / 256, 256>>>(Data[I], Part(I), First(I));
    CHECK(cudaDeviceSynchronize());
  });
  double Seconds = medianSeconds(Repetitions, [&] {
    G.each([&](int I) {
      CHECK(cudaMemsetAsync(Counts[I], 0, sizeof(Result), G.stream(I)));
      histogram<<<histogramBlocks(Part(I)), 256, 0, G.stream(I)>>>(
          Data[I], Part(I), Counts[I]);
      CHECK(cudaMemcpyAsync(Parts + I * Bins, Counts[I], sizeof(Result),
                            cudaMemcpyDeviceToHost, G.stream(I)));
    });
    G.synchronize();
    for (int B = 0; B < Bins; ++B) {
      Result[B] = 0;
      for (int I = 0; I < G.count(); ++I)
        Result[B] += Parts[I * Bins + B];
    }
  });
  report("histogram", Seconds, N, sumOfCounts(Result));
}
