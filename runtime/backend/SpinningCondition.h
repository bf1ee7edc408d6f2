//===- SpinningCondition.h - Waits that look before they sleep --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A condition variable for what often comes soon. To wake a thread takes tens
// of microseconds on a virtual machine, whose processors go to sleep as well;
// what one rank asks of another goes through up to ten threads. Where there are
// processors enough a waiting thread looks for notices for a while, without the
// lock, before it sleeps.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_SPINNINGCONDITION_H
#define GRIDSPAN_RUNTIME_BACKEND_SPINNINGCONDITION_H

#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <chrono>
#include <optional>

namespace gridspan {

/// Sets for how long threads of this process look before they sleep, from now
/// on, and how many may do so at the same time. At first none does.
void setSpinning(std::chrono::nanoseconds Time, unsigned MostThreads);
std::chrono::nanoseconds spinTime();

/// Has the processor look less often, so that it takes less of what its
/// neighbours share with it.
void relaxProcessor();

class SpinningCondition {
public:
  void notifyAll() {
    ++Notices;
    Sleepers.notify_all();
  }

  /// Waits until Holds() is true, which is asked with the lock held. Whoever
  /// makes it true holds the lock for that, and notifies then. Which lock that
  /// is the analysis cannot see here.
  template <typename Fn>
  void wait(MutexLock &Guard, Fn Holds) NO_THREAD_SAFETY_ANALYSIS {
    // Notices that are for others do not make it spin longer.
    std::optional<Clock::time_point> End;
    for (bool MaySpin = true; !Holds();)
      if (MaySpin)
        MaySpin = spin(Guard, End);
      else
        Guard.wait(Sleepers);
  }

private:
  using Clock = std::chrono::steady_clock;
  /// Waits for a notice with the lock given back meanwhile, until End, which
  /// the first call sets. Returns false if none has come.
  bool spin(MutexLock &Guard,
            std::optional<Clock::time_point> &End) NO_THREAD_SAFETY_ANALYSIS;

  std::atomic<unsigned> Notices{0};
  std::condition_variable Sleepers;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_SPINNINGCONDITION_H
