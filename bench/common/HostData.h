//===- HostData.h - Large data on the host ----------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers of every kind for benchmarks on data larger than a GPU's memory,
// filled and checked by all processors.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_COMMON_HOSTDATA_H
#define GRIDSPAN_BENCH_COMMON_HOSTDATA_H

#include "bench/common/Bench.h"
#include <atomic>
#include <cmath>
#include <string>
#include <thread>

enum class HostKind { Pageable, Pinned, Managed };

/// Memory that the host may read and write. Pages exist once it is filled.
class HostMemory {
public:
  HostMemory(size_t Bytes, HostKind Kind) : Kind(Kind) {
    if (Kind == HostKind::Pinned)
      CHECK(cudaMallocHost(&Memory, Bytes));
    else if (Kind == HostKind::Managed)
      CHECK(cudaMallocManaged(&Memory, Bytes));
    else
      Memory = malloc(Bytes);
    if (!Memory)
      abort();
  }
  ~HostMemory() {
    if (Kind == HostKind::Pinned)
      CHECK(cudaFreeHost(Memory));
    else if (Kind == HostKind::Managed)
      CHECK(cudaFree(Memory));
    else
      free(Memory);
  }
  HostMemory(const HostMemory &) = delete;
  HostMemory &operator=(const HostMemory &) = delete;

  template <class T> T *as() const { return static_cast<T *>(Memory); }

private:
  void *Memory = nullptr;
  HostKind Kind;
};

/// Returns BENCH_THREADS, or the number of processors.
inline unsigned hostThreads() {
  const char *Text = getenv("BENCH_THREADS");
  unsigned Count = Text ? atoi(Text) : std::thread::hardware_concurrency();
  return std::max(1u, Count);
}

/// Calls F(Begin, End) on every thread's share of [0, N).
template <class Fn>
void parallelFor(size_t N, Fn F, unsigned Threads = hostThreads()) {
  std::vector<std::thread> Others;
  auto At = [&](unsigned T) { return size_t((__int128)N * T / Threads); };
  for (unsigned T = 1; T < Threads; ++T)
    Others.emplace_back(F, At(T), At(T + 1));
  F(At(0), At(1));
  for (std::thread &T : Others)
    T.join();
}

/// Returns element I of all inputs: in [0, 4), exact in float.
inline double valueAt(size_t I) {
  return double((unsigned(I) * 2654435761u) >> 12) * 0x1p-18;
}

template <class T> void fillHost(T *Out, size_t N) {
  parallelFor(
      N,
      [=](size_t Begin, size_t End) {
        for (size_t I = Begin; I < End; ++I)
          Out[I] = T(valueAt(I));
      },
      std::thread::hardware_concurrency());
}

/// Returns a rounded sum, so that other orders of addition agree.
template <class T>
unsigned long long checksumHost(const T *Values, size_t N,
                                double Scale = 0x1p16) {
  std::atomic<unsigned long long> Sum{0};
  parallelFor(
      N,
      [=, &Sum](size_t Begin, size_t End) {
        unsigned long long Mine = 0;
        for (size_t I = Begin; I < End; ++I) {
          unsigned long long V =
              I * 0x9E3779B97F4A7C15ull +
              (unsigned long long)std::llrint(double(Values[I]) * Scale);
          V = (V ^ (V >> 31)) * 0xff51afd7ed558ccdull;
          Mine += V ^ (V >> 33);
        }
        Sum += Mine;
      },
      std::thread::hardware_concurrency());
  return Sum;
}

#endif // GRIDSPAN_BENCH_COMMON_HOSTDATA_H
