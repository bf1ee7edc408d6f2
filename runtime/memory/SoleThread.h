//===- SoleThread.h - Whether one thread uses memory ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array in another form belongs to it as a whole (FormedCopy), and so does
// what lies between rows to a place that closes gaps (closeGaps). While a
// launch takes it, another thread may be between asking for a part of it at
// home and writing that, which would be lost. So launches take arrays only as
// long as one thread has asked for memory at all, and a second one waits, once,
// for the launch that is taking one.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_MEMORY_SOLETHREAD_H
#define GRIDSPAN_RUNTIME_MEMORY_SOLETHREAD_H

#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <thread>

namespace gridspan {

/// Thread-safe.
class SoleThread {
public:
  /// Notes that the calling thread uses memory from now on. Not to be called
  /// with the lock held. Costs a load for the first thread.
  void note() EXCLUDES(Lock) {
    const std::thread::id Me = std::this_thread::get_id();
    std::thread::id First = User.load();
    if (First == Me || Several ||
        (First == std::thread::id() && User.compare_exchange_strong(First, Me)))
      return;
    MutexLock Guard(Lock);
    Several = true;
  }

  /// Held by a launch while it takes arrays.
  Mutex &lock() RETURN_CAPABILITY(Lock) { return Lock; }

  /// Returns true if no other thread has been noted.
  bool isSole() const REQUIRES(Lock) { return !Several; }

private:
  mutable Mutex Lock;
  std::atomic<std::thread::id> User;
  std::atomic<bool> Several{false};
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_MEMORY_SOLETHREAD_H
