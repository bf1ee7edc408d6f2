//===- ThreadTeam.h - Threads that wait awake -------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads for many short pieces of work close behind each other. To wake a
// thread takes longer than to copy a megabyte, so they stay awake for a while
// behind each piece, and go to sleep when nothing comes. For as long as
// something large is under way: an idle program should have no team.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_THREADTEAM_H
#define GRIDSPAN_RUNTIME_SUPPORT_THREADTEAM_H

#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace gridspan {

/// Thread-safe; work that comes while other work is done waits for it.
class ThreadTeam {
public:
  /// Starts Threads - 1 threads, or as many as there are to be had: whoever
  /// brings work takes part in it. They take none of the program's signals.
  explicit ThreadTeam(unsigned Threads);
  /// Ends the threads. Precondition: no work is left.
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam &) = delete;
  ThreadTeam &operator=(const ThreadTeam &) = delete;

  /// Calls Work(0) ... Work(Count - 1), by all threads, and returns when all
  /// calls have. Work must not throw.
  void run(size_t Count, const std::function<void(size_t)> &Work);

private:
  void help();
  void takePart();

  Mutex Turn; ///< held by whoever has work done
  std::vector<std::thread> Helpers;
  /// The work; read inside while IsOpen, written while it is not.
  const std::function<void(size_t)> *Work = nullptr;
  size_t Count = 0;
  std::atomic<size_t> Next{0};
  std::atomic<bool> IsOpen{false};     ///< there may be calls to make
  std::atomic<uint32_t> Inside{0};     ///< helpers that may see the work
  std::atomic<uint32_t> Generation{0}; ///< changes when there is work, or none
  std::atomic<bool> Stopping{false};
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_THREADTEAM_H
