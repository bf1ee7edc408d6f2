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
//
//===----------------------------------------------------------------------===//

#include "bench/outofcore/BigPrimitives.h"
#include <gridspan/algorithm.h>

static void onKind(const PrimitiveArguments &A, const char *Kind, HostKind K) {
  const size_t Bytes = A.N * sizeof(double);
  HostMemory InMemory(Bytes, K), OutMemory(Bytes, K);
  double *const In = InMemory.as<double>(), *const Out = OutMemory.as<double>();
  fillHost(In, A.N);
  fillHost(Out, A.N);
  const auto Time = [&](const char *Name, double Moved, auto Region) {
    const double Seconds = medianSeconds(A.Repetitions, Region);
    report(sectionName(Name, Kind).c_str(), Seconds, Moved,
           checksumHost(Out, A.N));
  };
  Time("scale", 2.0 * Bytes,
       [&] { CHECK(gridspan::transform(In, In + A.N, Out, Scaling)); });
  Time("sincos", 2.0 * Bytes,
       [&] { CHECK(gridspan::transform(In, In + A.N, Out, SinCos())); });
  double Sum = 0;
  const double Seconds = medianSeconds(
      A.Repetitions, [&] { CHECK(gridspan::reduce(In, In + A.N, 0.0, &Sum)); });
  report(sectionName("reduce", Kind).c_str(), Seconds, Bytes, exactBits(Sum));
  Time("scan", 2.0 * Bytes,
       [&] { CHECK(gridspan::inclusive_scan(In, In + A.N, Out)); });
  const double Sorting = medianSecondsEach(
      A.Repetitions, [&] { fillHost(Out, A.N); },
      [&] { CHECK(gridspan::sort(Out, Out + A.N)); });
  report(sectionName("sort", Kind).c_str(), Sorting, 2.0 * Bytes,
         checksumHost(Out, A.N));
}

int main(int Argc, char **Argv) {
  const PrimitiveArguments A(Argc, Argv);
  forKinds(A, [&](const char *Name, HostKind K) { onKind(A, Name, K); });
}
