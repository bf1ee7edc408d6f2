//===- Indices.h - Gather and scatter by indices of some kinds --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Index arrays that are sorted, banded or scattered, and how their gathers are
// timed: after launches that let the pages find their homes.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_IN_MEMORY_INDICES_H
#define GRIDSPAN_BENCH_IN_MEMORY_INDICES_H

#include "bench/common/DeviceData.h"
#include "bench/common/Gather.h"

/// Sorted: the element itself. Banded: any of its 4096. Scattered: any.
enum IndexKind { Sorted, Banded, Scattered };
constexpr const char *IndexKinds[] = {"sorted", "banded", "scattered"};
constexpr unsigned IndexBand = 4096;

/// Makes different indices below N, a power of two, for elements [First, First
/// + n).
static __global__ void fillIndices(size_t n, size_t First, size_t N, int Kind,
                                   unsigned *Index) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I >= n)
    return;
  unsigned At = unsigned(First + I), Mixed = At * 2654435761u + 12345u;
  Index[I] = Kind == Sorted ? At
             : Kind == Banded
                 ? (At & ~(IndexBand - 1)) | (Mixed & (IndexBand - 1))
                 : Mixed & unsigned(N - 1);
}

static __global__ void fillFloats(size_t n, size_t First, float *Out) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < n)
    Out[I] = float((First + I) % 8191);
}

static __global__ void update(size_t n, float *A) {
  size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < n)
    A[I] = A[I] * 0.5f + 1;
}

inline unsigned blocksOf(size_t N) { return unsigned((N + 255) / 256); }

/// Number of elements, a power of two; of launches before the timed ones, and
/// of these.
struct IndexArguments {
  size_t N;
  int Before, Repetitions;
  IndexArguments(int Argc, char **Argv)
      : N(argument(Argc, Argv, 1, size_t(1) << 28)),
        Before(int(argument(Argc, Argv, 2, 40))),
        Repetitions(int(argument(Argc, Argv, 3, 9))) {}
};

/// Returns the median seconds of Region after some untimed launches.
template <class Fn> double steadySeconds(const IndexArguments &A, Fn Region) {
  for (int I = 0; I < A.Before; ++I)
    Region();
  return medianSeconds(A.Repetitions, Region);
}

inline void reportOf(const char *What, int Kind, double Seconds, size_t N,
                     unsigned long long Checksum) {
  char Section[64];
  snprintf(Section, sizeof(Section), "%s-%s", What, IndexKinds[Kind]);
  report(Section, Seconds, 12.0 * double(N), Checksum);
}

#endif // GRIDSPAN_BENCH_IN_MEMORY_INDICES_H
