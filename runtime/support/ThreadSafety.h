//===- ThreadSafety.h - Locks that the compiler checks ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang's attributes for thread safety, and the locks and guards of the
// standard library with these attributes: libstdc++'s have none. A member says
// by which lock it is guarded, a function which locks its caller holds, and the
// compiler rejects (-Werror=thread-safety) an access or a call without them.
//
// The analysis works on one function at a time and compares locks by the
// expressions that name them. It does not see into std::function: a lambda that
// runs under a lock says so itself, behind its parameters. Constructors and
// destructors are not checked.
//
// https://clang.llvm.org/docs/ThreadSafetyAnalysis.html
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_THREADSAFETY_H
#define GRIDSPAN_RUNTIME_SUPPORT_THREADSAFETY_H

#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#if defined(__clang__)
#define GRIDSPAN_THREAD_ATTRIBUTE(X) __attribute__((X))
#else
#define GRIDSPAN_THREAD_ATTRIBUTE(X)
#endif

// Of classes.
#define CAPABILITY(Name) GRIDSPAN_THREAD_ATTRIBUTE(capability(Name))
#define SCOPED_CAPABILITY GRIDSPAN_THREAD_ATTRIBUTE(scoped_lockable)
// Of members: to be read with the lock held, written with it held alone. PT_ is
// for what a pointer leads to.
#define GUARDED_BY(X) GRIDSPAN_THREAD_ATTRIBUTE(guarded_by(X))
#define PT_GUARDED_BY(X) GRIDSPAN_THREAD_ATTRIBUTE(pt_guarded_by(X))
// Of functions: locks that the caller holds, alone or at least shared, or that
// it must not hold.
#define REQUIRES(...)                                                          \
  GRIDSPAN_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define REQUIRES_SHARED(...)                                                   \
  GRIDSPAN_THREAD_ATTRIBUTE(requires_shared_capability(__VA_ARGS__))
#define EXCLUDES(...) GRIDSPAN_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
// Of functions: locks that they take or give back.
#define ACQUIRE(...) GRIDSPAN_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define ACQUIRE_SHARED(...)                                                    \
  GRIDSPAN_THREAD_ATTRIBUTE(acquire_shared_capability(__VA_ARGS__))
#define RELEASE(...) GRIDSPAN_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define RELEASE_SHARED(...)                                                    \
  GRIDSPAN_THREAD_ATTRIBUTE(release_shared_capability(__VA_ARGS__))
#define RELEASE_GENERIC(...)                                                   \
  GRIDSPAN_THREAD_ATTRIBUTE(release_generic_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...)                                                       \
  GRIDSPAN_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
#define TRY_ACQUIRE_SHARED(...)                                                \
  GRIDSPAN_THREAD_ATTRIBUTE(try_acquire_shared_capability(__VA_ARGS__))
// Of functions: the analysis takes the lock for held from the call on.
#define ASSERT_CAPABILITY(X) GRIDSPAN_THREAD_ATTRIBUTE(assert_capability(X))
#define ASSERT_SHARED_CAPABILITY(X)                                            \
  GRIDSPAN_THREAD_ATTRIBUTE(assert_shared_capability(X))
// Of functions: the lock that the result is.
#define RETURN_CAPABILITY(X) GRIDSPAN_THREAD_ATTRIBUTE(lock_returned(X))
// Of functions that the analysis cannot follow. A comment says why.
#define NO_THREAD_SAFETY_ANALYSIS                                              \
  GRIDSPAN_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace gridspan {

/// A std::mutex.
class CAPABILITY("mutex") Mutex {
public:
  void lock() ACQUIRE() { Native.lock(); }
  bool try_lock() TRY_ACQUIRE(true) { return Native.try_lock(); }
  void unlock() RELEASE() { Native.unlock(); }

  std::mutex &native() { return Native; }

private:
  std::mutex Native;
};

/// A std::shared_mutex.
class CAPABILITY("mutex") SharedMutex {
public:
  void lock() ACQUIRE() { Native.lock(); }
  bool try_lock() TRY_ACQUIRE(true) { return Native.try_lock(); }
  void unlock() RELEASE() { Native.unlock(); }
  void lock_shared() ACQUIRE_SHARED() { Native.lock_shared(); }
  bool try_lock_shared() TRY_ACQUIRE_SHARED(true) {
    return Native.try_lock_shared();
  }
  void unlock_shared() RELEASE_SHARED() { Native.unlock_shared(); }

private:
  std::shared_mutex Native;
};

/// Holds a Mutex for as long as it lives. May be given back early and taken
/// again.
class SCOPED_CAPABILITY MutexLock {
public:
  explicit MutexLock(Mutex &M) ACQUIRE(M) : Guard(M.native()) {}
  /// Does not lock yet.
  MutexLock(Mutex &M, std::defer_lock_t) EXCLUDES(M)
      : Guard(M.native(), std::defer_lock) {}
  ~MutexLock() RELEASE() = default;
  MutexLock(const MutexLock &) = delete;
  MutexLock &operator=(const MutexLock &) = delete;

  void lock() ACQUIRE() { Guard.lock(); }
  bool tryLock() TRY_ACQUIRE(true) { return Guard.try_lock(); }
  void unlock() RELEASE() { Guard.unlock(); }

  /// Waits for C; the lock is held before and after. Wakes up without a reason
  /// too, so that callers look at their condition in a loop.
  void wait(std::condition_variable &C) { C.wait(Guard); }
  /// The same until Time at the latest.
  template <typename TimePoint>
  void waitUntil(std::condition_variable &C, const TimePoint &Time) {
    C.wait_until(Guard, Time);
  }

private:
  std::unique_lock<std::mutex> Guard;
};

/// Holds a SharedMutex alone for as long as it lives.
class SCOPED_CAPABILITY WriterLock {
public:
  explicit WriterLock(SharedMutex &M) ACQUIRE(M) : Guard(M) {}
  /// Does not lock yet.
  WriterLock(SharedMutex &M, std::defer_lock_t) EXCLUDES(M)
      : Guard(M, std::defer_lock) {}
  ~WriterLock() RELEASE() = default;
  WriterLock(const WriterLock &) = delete;
  WriterLock &operator=(const WriterLock &) = delete;

  void lock() ACQUIRE() { Guard.lock(); }
  bool tryLock() TRY_ACQUIRE(true) { return Guard.try_lock(); }
  void unlock() RELEASE() { Guard.unlock(); }

private:
  std::unique_lock<SharedMutex> Guard;
};

/// Holds a SharedMutex together with other readers for as long as it lives.
class SCOPED_CAPABILITY ReaderLock {
public:
  explicit ReaderLock(SharedMutex &M) ACQUIRE_SHARED(M) : Guard(M) {}
  ~ReaderLock() RELEASE() = default;
  ReaderLock(const ReaderLock &) = delete;
  ReaderLock &operator=(const ReaderLock &) = delete;

  void lock() ACQUIRE_SHARED() { Guard.lock(); }
  void unlock() RELEASE() { Guard.unlock(); }

private:
  std::shared_lock<SharedMutex> Guard;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_THREADSAFETY_H
