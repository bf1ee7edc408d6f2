//===- PlacementLock.h - The lock on where pages are ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One lock guards which physical pages are behind the program's addresses.
// Whoever enqueues work that relies on the homes of pages holds it shared, from
// the look at the homes until the work is enqueued. Whoever remaps pages, or
// runs a launch larger than memory, holds it alone.
//
// Functions in many classes need it held, and most of them have no way to name
// the memory manager's member. So attributes name PlacementLock::Held, which
// stands for the lock of the one memory manager that a process has.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_MEMORY_PLACEMENTLOCK_H
#define GRIDSPAN_RUNTIME_MEMORY_PLACEMENTLOCK_H

#include "runtime/support/ThreadSafety.h"
#include <chrono>
#include <thread>

namespace gridspan {

class PlacementLock {
public:
  struct CAPABILITY("placement lock") Capability {};
  /// A name for attributes only: REQUIRES(PlacementLock::Held) means held
  /// alone, REQUIRES_SHARED(PlacementLock::Held) means held.
  static inline Capability Held;

  /// Tells the analysis that no other thread knows of an allocation yet, or
  /// knows of it any longer. Nobody can then hold the lock to look at it.
  static void assumeUnshared() ASSERT_CAPABILITY(Held) {}

private:
  friend class PlacementReader;
  friend class PlacementWriter;
  std::shared_mutex Native;
};

/// Holds the placement lock together with other readers for as long as it
/// lives.
class SCOPED_CAPABILITY PlacementReader {
public:
  explicit PlacementReader(PlacementLock &L) ACQUIRE_SHARED(PlacementLock::Held)
      : Guard(L.Native) {}
  ~PlacementReader() RELEASE() = default;
  PlacementReader(const PlacementReader &) = delete;
  PlacementReader &operator=(const PlacementReader &) = delete;

  void unlock() RELEASE() { Guard.unlock(); }

private:
  std::shared_lock<std::shared_mutex> Guard;
};

/// Holds the placement lock alone for as long as it lives.
class SCOPED_CAPABILITY PlacementWriter {
public:
  explicit PlacementWriter(PlacementLock &L) ACQUIRE(PlacementLock::Held)
      : Guard(L.Native) {}
  /// Does not lock yet.
  PlacementWriter(PlacementLock &L, std::defer_lock_t)
      EXCLUDES(PlacementLock::Held)
      : Guard(L.Native, std::defer_lock) {}
  ~PlacementWriter() RELEASE() = default;
  PlacementWriter(const PlacementWriter &) = delete;
  PlacementWriter &operator=(const PlacementWriter &) = delete;

  bool tryLock() TRY_ACQUIRE(true, PlacementLock::Held) {
    return Guard.try_lock();
  }
  /// Asks again and again until Patience is over. Does not queue: a thread that
  /// holds the lock may itself wait for this one.
  bool tryLockFor(std::chrono::milliseconds Patience)
      TRY_ACQUIRE(true, PlacementLock::Held) {
    const auto Deadline = std::chrono::steady_clock::now() + Patience;
    while (!Guard.try_lock()) {
      if (std::chrono::steady_clock::now() >= Deadline)
        return false;
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    return true;
  }
  void unlock() RELEASE() { Guard.unlock(); }

private:
  std::unique_lock<std::shared_mutex> Guard;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_MEMORY_PLACEMENTLOCK_H
