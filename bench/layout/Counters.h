//===- Counters.h - Programs that count by atomics --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A histogram of one field in many bins, and votes in few counters.
// Part of blind.cu.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_LAYOUT_COUNTERS_H
#define GRIDSPAN_BENCH_LAYOUT_COUNTERS_H

#include "bench/layout/Harness.h"

/// Counts of one field's values: (time, channel, energy, x, y).
template <class V>
__global__ void countEnergies(V Events, unsigned N, unsigned *Bins) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    atomicAdd(&Bins[Events.get(I, 2) & 65535], 1u);
}
template <template <class, int> class Layout> struct EnergyBins {
  static constexpr const char *Name = "bins";
  using View = Layout<unsigned, 5>;
  static constexpr size_t Count = size_t(1) << 24, OutWords = 65536;
  __device__ static unsigned initial(size_t I, int Field) {
    return mixed(unsigned(I) * 8u + unsigned(Field));
  }
  static void run(View Events, unsigned *Out) {
    countEnergies<<<blocksOf(Count, 256), 256>>>(Events, Count, Out);
  }
};

/// Votes of a field of three of eight for one of 96 parties.
template <class V>
__global__ void countVotes(V Ballots, unsigned N, unsigned *Parties) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N && Ballots.get(I, 1) > Ballots.get(I, 6))
    atomicAdd(&Parties[Ballots.get(I, 4) % 96u], 1u);
}
template <template <class, int> class Layout> struct Votes {
  static constexpr const char *Name = "votes";
  using View = Layout<unsigned, 8>;
  static constexpr size_t Count = 12000000, OutWords = 96;
  __device__ static unsigned initial(size_t I, int Field) {
    return mixed(unsigned(I) * 8u + unsigned(Field));
  }
  static void run(View Ballots, unsigned *Out) {
    countVotes<<<blocksOf(Count, 256), 256>>>(Ballots, Count, Out);
  }
};

#endif // GRIDSPAN_BENCH_LAYOUT_COUNTERS_H
