//===- big_primitives_cpu.cu - Primitives by loops on the CPU -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data never leave the host: BENCH_THREADS threads, otherwise all
// processors. The scan reads its input twice: sums of shares first, then each
// share behind those before it.
//
// Usage: big_primitives_cpu [elements] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/outofcore/BigPrimitives.h"
#include <algorithm>
#include <numeric>

template <class Function>
static void transform(size_t N, const double *X, double *Y, Function F) {
  parallelFor(N, [=](size_t Begin, size_t End) {
    for (size_t I = Begin; I < End; ++I)
      Y[I] = F(X[I]);
  });
}

/// Returns the sum of each of Shares equal shares.
static std::vector<double> sums(size_t N, const double *X, unsigned Shares) {
  std::vector<double> Out(Shares);
  parallelFor(Shares, [&, N](size_t First, size_t Last) {
    for (size_t S = First; S < Last; ++S)
      Out[S] = std::reduce(X + N * S / Shares, X + N * (S + 1) / Shares);
  });
  return Out;
}

static void scan(size_t N, const double *X, double *Y) {
  const unsigned Shares = hostThreads();
  std::vector<double> Before = sums(N, X, Shares);
  std::exclusive_scan(Before.begin(), Before.end(), Before.begin(), 0.0);
  parallelFor(Shares, [&, N](size_t First, size_t Last) {
    for (size_t S = First; S < Last; ++S) {
      const size_t Lo = N * S / Shares, Hi = N * (S + 1) / Shares;
      std::inclusive_scan(X + Lo, X + Hi, Y + Lo, std::plus<>(), Before[S]);
    }
  });
}

/// Sorts equal shares, and merges pairs of them until one is left: by fewer
/// threads in each round.
static void sort(size_t N, double *X, double *Other) {
  size_t Shares = 1;
  while (Shares < hostThreads())
    Shares *= 2;
  const auto At = [=](size_t S) { return N * S / Shares; };
  parallelFor(Shares, [=](size_t First, size_t Last) {
    for (size_t S = First; S < Last; ++S)
      std::sort(X + At(S), X + At(S + 1));
  });
  double *From = X, *To = Other;
  for (size_t Run = 1; Run < Shares; Run *= 2, std::swap(From, To))
    parallelFor(Shares / (2 * Run), [=](size_t First, size_t Last) {
      for (size_t P = First; P < Last; ++P) {
        const size_t Lo = At(2 * Run * P), Middle = At(2 * Run * P + Run),
                     Hi = At(2 * Run * (P + 1));
        std::merge(From + Lo, From + Middle, From + Middle, From + Hi, To + Lo);
      }
    });
  if (From != X)
    std::copy(From, From + N, X);
}

int main(int Argc, char **Argv) {
  const PrimitiveArguments A(Argc, Argv);
  const size_t Bytes = A.N * sizeof(double);
  HostMemory InMemory(Bytes, HostKind::Pageable),
      OutMemory(Bytes, HostKind::Pageable);
  double *const In = InMemory.as<double>(), *const Out = OutMemory.as<double>();
  fillHost(In, A.N);
  fillHost(Out, A.N);
  const auto Time = [&](const char *Name, auto Region) {
    const double Seconds = medianSeconds(A.Repetitions, Region);
    report(sectionName(Name, "pageable").c_str(), Seconds, 2.0 * Bytes,
           checksumHost(Out, A.N));
  };
  Time("scale", [&] { transform(A.N, In, Out, Scaling); });
  Time("sincos", [&] { transform(A.N, In, Out, SinCos()); });
  double Sum = 0;
  const double Seconds = medianSeconds(A.Repetitions, [&] {
    const std::vector<double> All = sums(A.N, In, hostThreads());
    Sum = std::reduce(All.begin(), All.end());
  });
  report("reduce_pageable", Seconds, Bytes, exactBits(Sum));
  Time("scan", [&] { scan(A.N, In, Out); });
  const double Sorting = medianSecondsEach(
      A.Repetitions, [&] { fillHost(Out, A.N); }, [&] { sort(A.N, Out, In); });
  report("sort_pageable", Sorting, 2.0 * Bytes, checksumHost(Out, A.N));
}
