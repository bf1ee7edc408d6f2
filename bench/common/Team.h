//===- Team.h - Threads that wait for work ----------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that spin for their next work, as in a good program for the cores of
// the host: a call costs the time in which cores see each other's writes.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_COMMON_TEAM_H
#define GRIDSPAN_BENCH_COMMON_TEAM_H

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

/// One thread of the caller and Cores - 1 others. Calls come from one thread.
class Team {
public:
  explicit Team(unsigned Cores) : Count(Cores) {
    for (unsigned I = 1; I < Count; ++I)
      Threads.emplace_back([this, I] {
        for (unsigned Seen = 0; true;) {
          unsigned At = Round.load(std::memory_order_acquire);
          if (At == Seen)
            continue;
          Seen = At;
          if (IsDone)
            return;
          Work(I);
          Finished.fetch_add(1, std::memory_order_release);
        }
      });
  }
  ~Team() {
    IsDone = true;
    Round.fetch_add(1, std::memory_order_release);
    for (std::thread &T : Threads)
      T.join();
  }
  /// Calls Function(I) for each I below size(), and returns when all are done.
  void run(std::function<void(unsigned)> Function) {
    Work = std::move(Function);
    Finished = 0;
    Round.fetch_add(1, std::memory_order_release);
    Work(0);
    while (Finished.load(std::memory_order_acquire) != Count - 1)
      ;
  }
  unsigned size() const { return Count; }

private:
  unsigned Count;
  std::vector<std::thread> Threads;
  std::function<void(unsigned)> Work;
  std::atomic<unsigned> Round = 0, Finished = 0;
  bool IsDone = false;
};

/// Returns the sum of N numbers, with enough sums in flight to be bound by
/// memory.
inline double sumOf(const double *A, size_t N) {
  double Sum[16] = {};
  size_t K = 0;
  for (; K + 16 <= N; K += 16)
    for (int I = 0; I < 16; ++I)
      Sum[I] += A[K + I];
  for (; K < N; ++K)
    Sum[0] += A[K];
  double All = 0;
  for (double S : Sum)
    All += S;
  return All;
}

#endif // GRIDSPAN_BENCH_COMMON_TEAM_H
