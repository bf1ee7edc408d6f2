//===- Fiber.h - Threads of a device as fibers ------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fiber runs one job after another on a stack of its own and can stop in the
// middle of one. Device code has nothing to clean up, so a job may also be left
// for good. Fibers belong to the host thread that made them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_FIBER_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_FIBER_H

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <memory>
#include <vector>

namespace gridspan {

class Fiber {
public:
  using JobFn = void (*)(void *Data);

  /// Uses [Lo, Hi) as its stack.
  Fiber(char *Lo, char *Hi);
  /// Abandons a job that has not ended.
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// Sets the job that the next resume() starts. Abandons one that has not
  /// ended.
  void setJob(JobFn Fn, void *Data);
  /// Runs the job until it suspends or ends.
  void resume();
  /// Returns to the caller of resume(). Precondition: called by the job.
  void suspend();

  const char *stackLo() const { return Lo; }
  const char *stackHi() const { return Hi; }

private:
  void start();
  void leave();
  void runJobs(boost::context::fiber &&Caller);

  char *Lo, *Hi;
  JobFn Fn = nullptr;
  void *Data = nullptr;
  bool Busy = false;
  // Not destroyed while it is suspended: Boost would unwind the stack, and
  // device code cannot be unwound.
  union Handle {
    Handle() {}
    ~Handle() {}
    boost::context::fiber Fiber;
  } Self, Caller;
  bool Started = false;
  // Facts for the sanitizers when stacks are switched.
  void *ThreadState = nullptr; ///< the thread sanitizer's
  void *CallerThreadState = nullptr;
  void *CallerFake = nullptr;
  const void *CallerStack = nullptr;
  size_t CallerSize = 0;
};

/// Fibers for the launches of a host thread, used again by later ones.
class FiberPool {
public:
  /// Returns the pool of the calling thread.
  static FiberPool &get();

  FiberPool() = default;
  ~FiberPool();
  FiberPool(const FiberPool &) = delete;

  /// Returns a free fiber, or null without memory for its stack.
  Fiber *acquire();
  void release(Fiber *F) { Free.push_back(F); }

  /// Bytes of a stack. A device gives a thread less (cudaLimitStackSize is 1
  /// KiB by default); pages that are not touched cost nothing.
  static constexpr size_t StackBytes = 256 << 10;
  /// The most fibers. A stack takes two of the 65530 mappings of a process.
  static constexpr size_t MaxFibers = 28000;

private:
  bool addSlab();

  struct Slab {
    char *Base;
    size_t Bytes;
  };
  std::vector<Slab> Slabs;
  std::vector<std::unique_ptr<Fiber>> All;
  std::vector<Fiber *> Free;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_FIBER_H
