//===- average_hand.cu - Moving average over several GPUs by hand ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each GPU holds its inputs and the Window - 1 behind them.
//
//===----------------------------------------------------------------------===//

#include "bench/common/Average.h"
#include "bench/common/Gpus.h"

int main(int Argc, char **Argv) {
  size_t N = argument(Argc, Argv, 1, size_t(1) << 29);
  int Window = argument(Argc, Argv, 2, 64);
  int Repetitions = argument(Argc, Argv, 3, 5);
  Gpus G;
  float *In[MaxGpus], *Out[MaxGpus];
  G.each([&](int I) {
    size_t Part = G.size(I, N, 256), Inputs = Part + Window - 1;
    CHECK(cudaMalloc(&In[I], Inputs * sizeof(float)));
    CHECK(cudaMalloc(&Out[I], Part * sizeof(float)));
    fill(In[I], Inputs, 1, G.begin(I, N, 256));
    CHECK(cudaDeviceSynchronize());
  });
  double Seconds = medianSeconds(Repetitions, [&] {
    for (int Round = 0; Round < AverageRounds; ++Round)
      G.each([&](int I) {
        size_t Part = G.size(I, N, 256);
        average<<<(Part + 255) / 256, 256, 0, G.stream(I)>>>(Part, Window,
                                                             In[I], Out[I]);
      });
    G.synchronize();
  });
  unsigned long long Sum = 0;
  G.each([&](int I) {
    Sum += checksum(Out[I], G.size(I, N, 256), G.begin(I, N, 256));
  });
  report("average", Seconds / AverageRounds, 8.0 * N, Sum);
}
