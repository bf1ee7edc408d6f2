//===- CpuQueue.h - An asynchronous in-order queue --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream of a CPU device. Tasks run one after the other on the queue's
// thread, each after the points of other queues that it was told to wait for.
// Points lie in the past of the task that waits for them, so there are no
// cycles, and every queue has its own thread, so a queue that waits keeps
// nobody else.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_CPUQUEUE_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_CPUQUEUE_H

#include "runtime/backend/SpinningCondition.h"
#include "runtime/support/ThreadSafety.h"
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace gridspan {

class CpuQueue;

/// The point behind the first Sequence tasks of a queue.
struct QueuePoint {
  std::shared_ptr<CpuQueue> Queue;
  uint64_t Sequence = 0;

  bool reached() const;
  void wait() const;
};

class CpuQueue : public std::enable_shared_from_this<CpuQueue> {
public:
  CpuQueue() = default;
  ~CpuQueue();
  CpuQueue(const CpuQueue &) = delete;
  CpuQueue &operator=(const CpuQueue &) = delete;

  /// Appends a task that runs after all of After, and returns the point behind
  /// it. Precondition: stop() was not called.
  QueuePoint push(std::vector<QueuePoint> After, std::function<void()> Task);

  /// Returns the point behind all tasks so far.
  QueuePoint last();

  /// Waits for all tasks and ends the thread.
  void stop();

private:
  friend struct QueuePoint;
  struct Entry {
    std::vector<QueuePoint> After;
    std::function<void()> Task;
  };

  void work();

  Mutex Lock;
  SpinningCondition Pushed;
  SpinningCondition Finished;
  std::deque<Entry> Tasks GUARDED_BY(Lock);
  uint64_t Submitted GUARDED_BY(Lock) = 0;
  uint64_t Done GUARDED_BY(Lock) = 0;
  bool Stopping GUARDED_BY(Lock) = false;
  std::thread Worker GUARDED_BY(Lock);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_CPUQUEUE_H
