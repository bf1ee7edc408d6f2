//===- DeferredLaunches.h - Launches that wait for others -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch larger than memory goes through all of its data. So it waits until
// the program can observe something: launches of the same stream that come
// meanwhile go through the data together with it (ChainPlanner.h).
//
// Events that the program records behind launches that wait, wait with them:
// recording tells it nothing. They are recorded as soon as all launches before
// them have run, so that the times between them add up.
//
// The queue is emptied before anything else that touches memory or orders
// work: all entry points do so but those that only look at things of the host
// (api/ApiCall.h), and launches that cannot be members of the chain. It is also
// emptied when it is full. What a deferred launch touches is then where it was
// when it was launched: nothing has happened in between.
//
// A program that computes on the host for long meanwhile wants its launches to
// run beside that. So a thread empties the queue when no launch has come, and
// none is being looked at, for some time. An error of these launches is
// returned by the next call that would have had them run.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_STREAM_DEFERREDLAUNCHES_H
#define GRIDSPAN_RUNTIME_STREAM_DEFERREDLAUNCHES_H

#include "runtime/stream/DeferredLaunch.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace gridspan {

class Allocation;

/// An event, recorded behind the first After of the launches that wait.
struct DeferredEvent {
  std::shared_ptr<Event> Of;
  size_t After;
};

/// Thread-safe. Its lock is taken before the placement lock.
class DeferredLaunches {
public:
  /// The most that wait; the most beside opaque operations, whose chain is
  /// planned in one order only (ChainPlanner.h).
  static constexpr size_t Most = 64;
  static constexpr size_t MostBesideOpaque = 1024;
  /// Runs launches in their order, in their stream, and records events, which
  /// ascend by After.
  /// Freed, or null, is freed next: what they leave there goes nowhere.
  using Run = std::function<cudaError_t(const std::vector<DeferredLaunch> &,
                                        const std::vector<DeferredEvent> &,
                                        const Allocation *Freed)>;

  /// RunAll may be called by another thread. Idle: the time without a launch
  /// after which those that wait run, if MayRun(), or else after as much again;
  /// 0: they wait for a call. More for long ones, see LongestIdle.
  DeferredLaunches(Run RunAll, std::function<bool()> MayRun,
                   std::chrono::milliseconds Idle)
      : RunAll(std::move(RunAll)), MayRun(std::move(MayRun)), Idle(Idle) {}
  ~DeferredLaunches() { endThread(); }
  DeferredLaunches(const DeferredLaunches &) = delete;
  DeferredLaunches &operator=(const DeferredLaunches &) = delete;

  /// True if some may wait, or there is an error of some that have run.
  bool any() const { return Any.load(std::memory_order_acquire); }

  /// From now on launches wait for a call.
  void endThread();

  /// A launch is being looked at while it lives: none runs for lack of others.
  class Arrival {
  public:
    explicit Arrival(DeferredLaunches &At) : At(At) { ++At.Arriving; }
    ~Arrival() { --At.Arriving; }
    Arrival(const Arrival &) = delete;
    Arrival &operator=(const Arrival &) = delete;

  private:
    DeferredLaunches &At;
  };

  /// Has the launch wait behind those that do, if it is of their stream; else,
  /// or when they are too many, these run first. Returns their error, and has
  /// nothing wait then. Seconds: that the launch would take by itself.
  cudaError_t add(DeferredLaunch L, double Seconds);

  /// Has the event recorded behind the launches that wait, if they are of the
  /// stream, and returns success. Others run first; their error is returned.
  /// Returns nothing if the caller is to record the event.
  std::optional<cudaError_t> record(std::shared_ptr<Event> E,
                                    const ProgramStream &S);

  /// Runs all that wait.
  cudaError_t finish(const Allocation *Freed = nullptr);

private:
  using Clock = std::chrono::steady_clock;

  cudaError_t finishLocked(const Allocation *Freed = nullptr,
                           bool KeepsError = false) REQUIRES(Lock);
  void startThread() REQUIRES(Lock);
  void runWhenIdle();
  void runByThread() REQUIRES(Lock);

  const Run RunAll;
  const std::function<bool()> MayRun;
  const std::chrono::milliseconds Idle;
  std::atomic<bool> Any{false};
  std::atomic<unsigned> Arriving{0};
  Mutex Lock;
  std::vector<DeferredLaunch> Waiting GUARDED_BY(Lock);
  std::vector<DeferredEvent> Events GUARDED_BY(Lock);
  bool AnyOpaque GUARDED_BY(Lock) = false; ///< among those that wait
  /// Of launches that the thread has run.
  cudaError_t Failed GUARDED_BY(Lock) = cudaSuccess;
  Clock::time_point LastAdded GUARDED_BY(Lock);
  /// The time without a launch that those which wait are given.
  Clock::duration Wait GUARDED_BY(Lock) = {};
  bool Ends GUARDED_BY(Lock) = false;
  std::condition_variable Changed; ///< the first one waits, or it Ends
  std::thread IdleThread;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_STREAM_DEFERREDLAUNCHES_H
