//===- Budget.h - A bound on bytes that wait somewhere ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Credits: who sends data to a rank takes their bytes from the rank's budget,
// and the rank gives them back when they are where they belong. So a rank that
// sends faster than another one takes fills no memory.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RANKS_BUDGET_H
#define GRIDSPAN_RUNTIME_BACKEND_RANKS_BUDGET_H

#include "runtime/support/ThreadSafety.h"
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <utility>
#include <vector>

namespace gridspan::ranks {

/// Thread-safe.
class Budget {
public:
  Budget(int NumRanks, uint64_t Most)
      : Most(Most), Taken(static_cast<size_t>(NumRanks)) {}

  /// Returns false if there are not so many bytes left.
  bool tryTake(int Rank, uint64_t Bytes) {
    MutexLock Guard(Lock);
    uint64_t &Now = Taken[static_cast<size_t>(Rank)];
    if (!IsOpen && (Bytes > Most || Now > Most - Bytes))
      return false;
    Now += Bytes;
    return true;
  }
  /// Blocks until there are. Precondition: there ever will be.
  void take(int Rank, uint64_t Bytes) {
    MutexLock Guard(Lock);
    uint64_t &Now = Taken[static_cast<size_t>(Rank)];
    while (!IsOpen && Now > Most - Bytes)
      Guard.wait(GivenBack);
    Now += Bytes;
  }
  /// Messages may claim anything: what was not taken does not count.
  void giveBack(int Rank, uint64_t Bytes) {
    MutexLock Guard(Lock);
    if (Rank < 0 || static_cast<size_t>(Rank) >= Taken.size())
      return;
    uint64_t &Now = Taken[static_cast<size_t>(Rank)];
    Now -= std::min(Now, Bytes);
    GivenBack.notify_all();
  }
  /// From now on there is no bound: nothing will be given back any more.
  void open() {
    MutexLock Guard(Lock);
    IsOpen = true;
    GivenBack.notify_all();
  }

private:
  const uint64_t Most;
  Mutex Lock;
  std::condition_variable GivenBack;
  std::vector<uint64_t> Taken GUARDED_BY(Lock); ///< by rank
  bool IsOpen GUARDED_BY(Lock) = false;
};

/// Gathers what is to be given back to each rank, so that there are few
/// messages. Thread-safe.
class Debts {
public:
  Debts(int NumRanks, uint64_t Enough)
      : Enough(Enough), Owed(static_cast<size_t>(NumRanks)) {}

  /// Adds Bytes; returns what is to be given back now.
  uint64_t add(int Rank, uint64_t Bytes) {
    MutexLock Guard(Lock);
    if (Rank < 0 || static_cast<size_t>(Rank) >= Owed.size())
      return 0;
    uint64_t &Now = Owed[static_cast<size_t>(Rank)];
    Now += Bytes;
    return Now < Enough ? 0 : std::exchange(Now, 0);
  }

private:
  const uint64_t Enough;
  Mutex Lock;
  std::vector<uint64_t> Owed GUARDED_BY(Lock); ///< by rank
};

} // namespace gridspan::ranks

#endif // GRIDSPAN_RUNTIME_BACKEND_RANKS_BUDGET_H
