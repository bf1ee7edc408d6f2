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
// Usage: as of big_primitives; all memory is pageable
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

/// Returns memory for N elements, made once: by the run that warms up.
template <class T> static T *scratch(size_t N) {
  static std::vector<T> Memory;
  Memory.resize(N);
  return Memory.data();
}

/// Sorts equal shares, and merges pairs of them until one is left: by fewer
/// threads in each round.
template <class T, class Compare>
static void sortShares(size_t N, T *X, Compare Less) {
  size_t Shares = 1;
  while (Shares < hostThreads())
    Shares *= 2;
  const auto At = [=](size_t S) { return N * S / Shares; };
  parallelFor(Shares, [=](size_t First, size_t Last) {
    for (size_t S = First; S < Last; ++S)
      std::sort(X + At(S), X + At(S + 1), Less);
  });
  T *From = X, *To = scratch<T>(N);
  for (size_t Run = 1; Run < Shares; Run *= 2, std::swap(From, To))
    parallelFor(Shares / (2 * Run), [=](size_t First, size_t Last) {
      for (size_t P = First; P < Last; ++P) {
        const size_t Lo = At(2 * Run * P), Middle = At(2 * Run * P + Run),
                     Hi = At(2 * Run * (P + 1));
        std::merge(From + Lo, From + Middle, From + Middle, From + Hi, To + Lo,
                   Less);
      }
    });
  if (From != X)
    std::copy(From, From + N, X);
}

namespace {
struct OnCpu {
  template <class Function>
  static void transform(size_t N, const double *X, double *Y, Function F) {
    ::transform(N, X, Y, F);
  }
  static double reduce(size_t N, const double *X) {
    const std::vector<double> All = sums(N, X, hostThreads());
    return std::reduce(All.begin(), All.end());
  }
  static void scan(size_t N, const double *X, double *Y) { ::scan(N, X, Y); }
  static void gather(size_t N, const unsigned long long *Map, const double *X,
                     double *Y) {
    parallelFor(N, [=](size_t Begin, size_t End) {
      for (size_t I = Begin; I < End; ++I)
        Y[I] = X[Map[I]];
    });
  }
  static void scatter(size_t N, const unsigned long long *Map, const double *X,
                      double *Y) {
    parallelFor(N, [=](size_t Begin, size_t End) {
      for (size_t I = Begin; I < End; ++I)
        Y[Map[I]] = X[I];
    });
  }
  static void sort(size_t N, double *X) { sortShares(N, X, std::less<>()); }
  static void sortBy(size_t N, double *X) { sortShares(N, X, Lower()); }
  static void sortPairs(size_t N, double *X, double *Values) {
    struct Pair {
      double Key, Value;
    };
    static std::vector<Pair> Pairs;
    Pairs.resize(N);
    parallelFor(N, [&](size_t Begin, size_t End) {
      for (size_t I = Begin; I < End; ++I)
        Pairs[I] = {X[I], Values[I]};
    });
    sortShares(N, Pairs.data(),
               [](const Pair &L, const Pair &R) { return L.Key < R.Key; });
    parallelFor(N, [&](size_t Begin, size_t End) {
      for (size_t I = Begin; I < End; ++I) {
        X[I] = Pairs[I].Key;
        Values[I] = Pairs[I].Value;
      }
    });
  }
};
} // namespace

int main(int Argc, char **Argv) {
  const PrimitiveArguments A(Argc, Argv);
  TimedPrimitives<OnCpu>(A, "pageable", HostKind::Pageable).run();
}
