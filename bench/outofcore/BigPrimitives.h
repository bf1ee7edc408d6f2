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
#include <numeric>

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

/// Kinds of memory to take, and groups of primitives, each added up.
constexpr size_t PinnedMemory = 1, PageableMemory = 2;
constexpr size_t BasicGroup = 1, PlacesGroup = 2, SortGroup = 4;

struct PrimitiveArguments {
  size_t N;
  int Repetitions;
  size_t Kinds;
  size_t Groups;
  PrimitiveArguments(int Argc, char **Argv)
      : N(argument(Argc, Argv, 1, size_t(1) << 32)),
        Repetitions(argument(Argc, Argv, 2, 3)),
        Kinds(argument(Argc, Argv, 3, PinnedMemory | PageableMemory)),
        Groups(argument(Argc, Argv, 4, BasicGroup)) {}
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

/// Sets Map to a permutation of [0, N) that follows no order.
inline void fillPermutation(unsigned long long *Map, size_t N) {
  size_t Step = size_t(double(N) * 0.6180339887498949) | 1;
  while (std::gcd(Step, N) != 1)
    Step += 2;
  parallelFor(N, [=](size_t Begin, size_t End) {
    for (size_t I = Begin; I < End; ++I)
      Map[I] = size_t((unsigned __int128)(I)*Step % N);
  });
}

/// Times primitives on N doubles in memory of one kind. Those of P are static
/// functions.
template <class P> class TimedPrimitives {
public:
  TimedPrimitives(const PrimitiveArguments &A, const char *KindName, HostKind K)
      : A(A), KindName(KindName), Kind(K), Bytes(double(A.N) * sizeof(double)),
        InMemory(A.N * sizeof(double), K), OutMemory(A.N * sizeof(double), K),
        In(InMemory.as<double>()), Out(OutMemory.as<double>()) {
    fillHost(In, A.N);
    fillHost(Out, A.N);
  }

  void run() {
    if (A.Groups & BasicGroup)
      runBasic();
    if (A.Groups & PlacesGroup)
      runPlaces();
    if (A.Groups & SortGroup)
      runSorts();
  }

  /// Times Region, which makes Out anew from In.
  template <class Function>
  void time(const char *Name, double Moved, Function Region) {
    const double Seconds = medianSeconds(A.Repetitions, Region);
    tell(Name, Seconds, Moved, checksumHost(Out, A.N));
  }

  /// Times Region, which changes what is in Out.
  template <class Function>
  void timeInPlace(const char *Name, double Moved, Function Region) {
    const double Seconds =
        medianSecondsEach(A.Repetitions, [&] { fillHost(Out, A.N); }, Region);
    tell(Name, Seconds, Moved, checksumHost(Out, A.N));
  }

private:
  void tell(const char *Name, double Seconds, double Moved,
            unsigned long long Checksum) {
    report(sectionName(Name, KindName).c_str(), Seconds, Moved, Checksum);
  }

  void runBasic() {
    time("scale", 2 * Bytes, [&] { P::transform(A.N, In, Out, Scaling); });
    time("sincos", 2 * Bytes, [&] { P::transform(A.N, In, Out, SinCos()); });
    double Sum = 0;
    const double Seconds =
        medianSeconds(A.Repetitions, [&] { Sum = P::reduce(A.N, In); });
    tell("reduce", Seconds, Bytes, exactBits(Sum));
    time("scan", 2 * Bytes, [&] { P::scan(A.N, In, Out); });
    timeInPlace("sort", 2 * Bytes, [&] { P::sort(A.N, Out); });
  }

  void runPlaces() {
    HostMemory MapMemory(A.N * sizeof(unsigned long long), Kind);
    auto *const Map = MapMemory.as<unsigned long long>();
    fillPermutation(Map, A.N);
    time("gather", 3 * Bytes, [&] { P::gather(A.N, Map, In, Out); });
    time("scatter", 3 * Bytes, [&] { P::scatter(A.N, Map, In, Out); });
  }

  /// Keys with values of 8 bytes, and keys by a comparison of the program.
  void runSorts() {
    timeInPlace("sort_pairs", 4 * Bytes, [&] { P::sortPairs(A.N, Out, In); });
    timeInPlace("sort_compare", 2 * Bytes, [&] { P::sortBy(A.N, Out); });
  }

  const PrimitiveArguments &A;
  const char *const KindName;
  const HostKind Kind;
  const double Bytes;
  const HostMemory InMemory, OutMemory;
  double *const In, *const Out;
};

/// A comparison that no library knows.
struct Lower {
  __host__ __device__ bool operator()(double L, double R) const {
    return L < R;
  }
};

#endif // GRIDSPAN_BENCH_OUTOFCORE_BIGPRIMITIVES_H
