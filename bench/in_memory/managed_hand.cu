//===- managed_hand.cu - Managed memory spread over GPUs by hand ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// managed.cu for several GPUs: each is the preferred location of its share of
// both arrays, prefetches it after the host has filled it, and reads its
// neighbours' elements over the link.
//
// Usage: managed_hand [elements] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/common/Gpus.h"
#include "bench/in_memory/Managed.h"

int main(int Argc, char **Argv) {
  const size_t N = argument(Argc, Argv, 1, size_t(1) << 28);
  const int Repetitions = argument(Argc, Argv, 2, 3);
  const Gpus All;
  float *X, *Y;
  CHECK(cudaMallocManaged(&X, N * sizeof(float)));
  CHECK(cudaMallocManaged(&Y, N * sizeof(float)));
  auto Place = [](int G) {
    cudaMemLocation Out = {};
    Out.type = cudaMemLocationTypeDevice;
    Out.id = G;
    return Out;
  };
  for (float *P : {X, Y})
    All.each([&](int G) {
      CHECK(cudaMemAdvise(P + All.begin(G, N), All.size(G, N) * sizeof(float),
                          cudaMemAdviseSetPreferredLocation, Place(G)));
    });
  auto Step = [&] {
    All.each([&](int G) {
      smooth<<<unsigned((All.size(G, N) + 255) / 256), 256, 0, All.stream(G)>>>(
          X, Y, All.begin(G, N), All.begin(G + 1, N), N);
    });
    All.synchronize();
    std::swap(X, Y);
  };
  auto Bring = [&] {
    for (float *P : {X, Y})
      All.each([&](int G) {
        CHECK(cudaMemPrefetchAsync(P + All.begin(G, N),
                                   All.size(G, N) * sizeof(float), Place(G), 0,
                                   All.stream(G)));
      });
    All.synchronize(); // neighbours read each other's elements
  };
  measureManaged(X, N, Repetitions, Bring, Step);
  CHECK(cudaFree(X));
  CHECK(cudaFree(Y));
}
