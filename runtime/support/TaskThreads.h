//===- TaskThreads.h - Threads for tasks that may wait ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each task has a thread of its own for as long as it runs, so that tasks may
// wait for whatever the program does next. Threads that are idle are used
// again.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_TASKTHREADS_H
#define GRIDSPAN_RUNTIME_SUPPORT_TASKTHREADS_H

#include "runtime/support/ThreadSafety.h"
#include <condition_variable>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

namespace gridspan {

/// Thread-safe.
class TaskThreads {
public:
  TaskThreads() = default;
  /// Waits for all tasks.
  ~TaskThreads();
  TaskThreads(const TaskThreads &) = delete;
  TaskThreads &operator=(const TaskThreads &) = delete;

  /// Runs the task on another thread. Returns false, and does not run it, if
  /// the process gets no more threads. Precondition: the task does not throw.
  bool run(std::function<void()> Task);

private:
  void work();

  Mutex Lock;
  std::condition_variable Wake;
  std::deque<std::function<void()>> Tasks GUARDED_BY(Lock);
  size_t Idle GUARDED_BY(Lock) = 0; ///< threads that wait for a task
  bool Stopping GUARDED_BY(Lock) = false;
  std::vector<std::thread> Threads GUARDED_BY(Lock);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_TASKTHREADS_H
