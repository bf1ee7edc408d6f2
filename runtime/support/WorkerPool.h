//===- WorkerPool.h - Threads that help with work ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that sleep until somebody has work for several. Whoever brings the
// work takes part in it, so that it is done whether or not a thread is free,
// and several threads may bring work at one time. Threads are started when they
// are first of use, and take none of the program's signals.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_WORKERPOOL_H
#define GRIDSPAN_RUNTIME_SUPPORT_WORKERPOOL_H

#include "runtime/support/ThreadSafety.h"
#include <condition_variable>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

namespace gridspan {

class WorkerPool {
public:
  /// Makes a pool for work on up to Threads threads, one of which is the one
  /// that brings the work. Precondition: Threads is not 0.
  explicit WorkerPool(unsigned Threads);
  /// Ends the threads. Precondition: no work is left.
  ~WorkerPool();
  WorkerPool(const WorkerPool &) = delete;
  WorkerPool &operator=(const WorkerPool &) = delete;

  /// Returns the most threads that work at one piece of work.
  unsigned size() const { return MostHelpers + 1; }

  /// Calls Work on the calling thread, and at the same time on up to Threads -
  /// 1 others that are free before the first call returns. Returns when all
  /// calls have. Work must not throw.
  void run(unsigned Threads, const std::function<void()> &Work);

private:
  struct Job {
    const std::function<void()> *Work;
    unsigned Wanted;     ///< helpers that may still begin
    unsigned Active = 0; ///< helpers that have begun and not ended
  };

  void startThreads(unsigned Wanted) REQUIRES(Lock);
  void help();

  const unsigned MostHelpers;
  Mutex Lock;
  std::condition_variable Offered;
  std::condition_variable Ended;
  std::deque<Job *> Jobs GUARDED_BY(Lock); ///< those that want helpers
  std::vector<std::thread> Helpers GUARDED_BY(Lock);
  unsigned Idle GUARDED_BY(Lock) = 0;
  bool Stopping GUARDED_BY(Lock) = false;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_WORKERPOOL_H
