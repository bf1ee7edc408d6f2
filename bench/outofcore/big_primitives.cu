//===- big_primitives.cu - gridspan/algorithm.h ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Primitives on doubles that are in memory of the host before and after, pinned
// or not.
//
// Usage: big_primitives [elements] [repetitions] [1: pinned, 2: pageable, 3]
//          [groups added up; 1: transforms, reduce, scan, sort;
//           2: gather, scatter; 4: sorting of pairs and by a comparison]
//
//===----------------------------------------------------------------------===//

#include "bench/outofcore/BigPrimitives.h"
#include <gridspan/algorithm.h>

namespace {
struct OnDevices {
  template <class Function>
  static void transform(size_t N, const double *X, double *Y, Function F) {
    CHECK(gridspan::transform(X, X + N, Y, F));
  }
  static double reduce(size_t N, const double *X) {
    double Sum = 0;
    CHECK(gridspan::reduce(X, X + N, 0.0, &Sum));
    return Sum;
  }
  static void scan(size_t N, const double *X, double *Y) {
    CHECK(gridspan::inclusive_scan(X, X + N, Y));
  }
  static void gather(size_t N, const unsigned long long *Map, const double *X,
                     double *Y) {
    CHECK(gridspan::gather(Map, Map + N, X, X + N, Y));
  }
  static void scatter(size_t N, const unsigned long long *Map, const double *X,
                      double *Y) {
    CHECK(gridspan::scatter(X, X + N, Map, Y, Y + N));
  }
  static void sort(size_t N, double *X) { CHECK(gridspan::sort(X, X + N)); }
  static void sortBy(size_t N, double *X) {
    CHECK(gridspan::sort(X, X + N, Lower()));
  }
  static void sortPairs(size_t N, double *X, double *Values) {
    CHECK(gridspan::sort_by_key(X, X + N, Values));
  }
};
} // namespace

int main(int Argc, char **Argv) {
  const PrimitiveArguments A(Argc, Argv);
  forKinds(A, [&](const char *Name, HostKind K) {
    TimedPrimitives<OnDevices>(A, Name, K).run();
  });
}
