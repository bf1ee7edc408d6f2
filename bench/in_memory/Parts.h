//===- Parts.h - Partial results of several GPUs, by hand -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each GPU has its own results of all bins. They are combined by slices: each
// GPU adds the others' slices to its own one, reading their memory, so that all
// links are busy at once. The slices are the result.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_IN_MEMORY_PARTS_H
#define GRIDSPAN_BENCH_IN_MEMORY_PARTS_H

#include "bench/common/Gpus.h"

template <class T>
static __global__ void addSlice(T *Own, const T *Other, size_t N) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < N)
    Own[I] += Other[I];
}

template <class T> class Parts {
public:
  Parts(const Gpus &G, size_t N) : G(G), N(N) {
    G.each([&](int I) {
      CHECK(cudaMalloc(&Own[I], N * sizeof(T)));
      CHECK(cudaEventCreateWithFlags(&Done[I], cudaEventDisableTiming));
    });
  }
  T *operator[](int I) const { return Own[I]; }

  /// Enqueues zeroes on the current device, which is I.
  void clear(int I) {
    CHECK(cudaMemsetAsync(Own[I], 0, N * sizeof(T), G.stream(I)));
  }
  /// Enqueues the combination behind what the streams hold.
  void combine() {
    G.each([&](int I) { CHECK(cudaEventRecord(Done[I], G.stream(I))); });
    G.each([&](int I) {
      size_t Begin = G.begin(I, N), Count = G.size(I, N);
      for (int J = 0; J < G.count(); ++J) {
        if (J == I || Count == 0)
          continue;
        CHECK(cudaStreamWaitEvent(G.stream(I), Done[J], 0));
        addSlice<<<unsigned((Count + 255) / 256), 256, 0, G.stream(I)>>>(
            Own[I] + Begin, Own[J] + Begin, Count);
      }
    });
  }
  unsigned long long sum() const {
    constexpr size_t Words = sizeof(T) / 4;
    unsigned long long Sum = 0;
    G.each([&](int I) {
      if (size_t Count = G.size(I, N))
        Sum += checksum(Own[I] + G.begin(I, N), Count * Words,
                        G.begin(I, N) * Words);
    });
    return Sum;
  }

private:
  const Gpus &G;
  size_t N;
  T *Own[MaxGpus];
  cudaEvent_t Done[MaxGpus];
};

#endif // GRIDSPAN_BENCH_IN_MEMORY_PARTS_H
