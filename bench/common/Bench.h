//===- Bench.h - Common parts of the benchmark programs ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wall-clock medians around synchronised regions, and one line of JSON per
// section for run.py. Ordinary CUDA without any kernel: the same source is
// compiled plainly and with Gridspan.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_COMMON_BENCH_H
#define GRIDSPAN_BENCH_COMMON_BENCH_H

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(Call)                                                            \
  do {                                                                         \
    cudaError_t Error = (Call);                                                \
    if (Error != cudaSuccess) {                                                \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                       \
              cudaGetErrorString(Error));                                      \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

/// Returns argument I as a number, or Default.
inline size_t argument(int Argc, char **Argv, int I, size_t Default) {
  return Argc > I ? strtoull(Argv[I], nullptr, 0) : Default;
}

inline double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Returns the median. Precondition: Times is not empty.
inline double median(std::vector<double> Times) {
  std::sort(Times.begin(), Times.end());
  return Times[Times.size() / 2];
}

/// Returns the median seconds of Region, which must end synchronised, after one
/// run that warms up.
template <class Fn> double medianSeconds(int Repetitions, Fn Region) {
  Region();
  std::vector<double> Times;
  do {
    double Begin = now();
    Region();
    Times.push_back(now() - Begin);
  } while (Times.size() < size_t(std::max(Repetitions, 1)));
  return median(Times);
}

/// Prints the line that run.py reads. Bytes or operations per call may be 0.
inline void report(const char *Section, double Seconds, double Bytes,
                   unsigned long long Checksum) {
  printf("RESULT {\"section\": \"%s\", \"seconds\": %.9g, \"bytes\": %.0f, "
         "\"checksum\": \"%016llx\"}\n",
         Section, Seconds, Bytes, Checksum);
}

#endif // GRIDSPAN_BENCH_COMMON_BENCH_H
