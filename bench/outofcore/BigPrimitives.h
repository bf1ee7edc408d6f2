//===- BigPrimitives.h - Primitives larger than memory -------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions and arguments of the primitives on doubles in memory of the host.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_OUTOFCORE_BIGPRIMITIVES_H
#define GRIDSPAN_BENCH_OUTOFCORE_BIGPRIMITIVES_H

#include "bench/common/HostData.h"

struct ScaleBy {
  double Factor;
  __host__ __device__ double operator()(double X) const { return Factor * X; }
};
struct SinCos {
  __host__ __device__ double operator()(double X) const {
    const double S = sin(X), C = cos(X);
    return S * S + C * C;
  }
};
constexpr ScaleBy Scaling = {3};

/// Elements are multiples of 2^-18 below 4. So are sums of fewer than 2^33 of
/// them, below 2^35: exact, in whatever order.
inline unsigned long long exactBits(double Sum) {
  return static_cast<unsigned long long>(Sum * 0x1p18);
}

/// Returns the median seconds of Region, which works on what Prepare makes anew
/// each time, after one run that warms up.
template <class First, class Second>
double medianSecondsEach(int Repetitions, First Prepare, Second Region) {
  std::vector<double> Times;
  for (int I = 0; I <= std::max(Repetitions, 1); ++I) {
    Prepare();
    const double Begin = now();
    Region();
    if (I > 0)
      Times.push_back(now() - Begin);
  }
  return median(Times);
}

/// Kinds of memory to take, added up, and the primitives.
constexpr size_t PinnedMemory = 1, PageableMemory = 2;

struct PrimitiveArguments {
  size_t N;
  int Repetitions;
  size_t Kinds;
  PrimitiveArguments(int Argc, char **Argv)
      : N(argument(Argc, Argv, 1, size_t(1) << 32)),
        Repetitions(argument(Argc, Argv, 2, 3)),
        Kinds(argument(Argc, Argv, 3, PinnedMemory | PageableMemory)) {}
};

/// Calls Each(name, kind) for each kind of memory.
template <class Function>
void forKinds(const PrimitiveArguments &A, Function Each) {
  if (A.Kinds & PinnedMemory)
    Each("pinned", HostKind::Pinned);
  if (A.Kinds & PageableMemory)
    Each("pageable", HostKind::Pageable);
}

inline std::string sectionName(const char *Primitive, const char *Kind) {
  return std::string(Primitive) + "_" + Kind;
}

#endif // GRIDSPAN_BENCH_OUTOFCORE_BIGPRIMITIVES_H
