//===- WaitingFunctions.h - Host functions that may wait --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA's driver has one thread for the host functions of all streams: one that
// waits would hold back the others, and for ever if it waits for what they lead
// to. Such a function runs on a thread of its own, and its stream waits for a
// word of memory instead, which is set behind it.
//
// Words only grow, and a stream waits until its word has reached a value. So a
// word is for the next function as soon as it is set.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RANKS_WAITINGFUNCTIONS_H
#define GRIDSPAN_RUNTIME_BACKEND_RANKS_WAITINGFUNCTIONS_H

#include "runtime/backend/cpu/CpuQueue.h"
#include <chrono>
#include <condition_variable>
#include <driver_types.h>
#include <optional>

namespace gridspan::ranks {

/// Thread-safe.
class WaitingFunctions {
public:
  /// Memory that both the host and the streams' devices reach. Allocate returns
  /// zeros, aligned to a word.
  struct WordMemory {
    static constexpr size_t Bytes = 4096;
    std::function<cudaError_t(void *&Out)> Allocate;
    std::function<void(void *Memory)> Free;
  };
  explicit WaitingFunctions(WordMemory Memory) : Memory(std::move(Memory)) {}
  /// Waits for those that have been started.
  ~WaitingFunctions();

  /// The word at Word is at least Value behind a function.
  struct Place {
    uint64_t *Word = nullptr;
    uint64_t Value = 0;
  };
  /// Gives the next function its place.
  cudaError_t take(Place &Out);
  /// Gives back a place whose function is never started.
  void giveBack(const Place &At);
  /// Runs Fn on another thread, and sets the word. Does not wait, unless there
  /// is no thread to be had.
  void start(const Place &At, std::function<void()> Fn);
  /// Returns true if there are functions whose words are not set yet.
  bool areAnyTaken();
  /// Waits until there are none, or until Latest if there is one.
  void waitUntilNone(
      std::optional<std::chrono::steady_clock::time_point> Latest = {});

private:
  bool takeFree(Place &Out);
  std::shared_ptr<CpuQueue> idleThread();
  void run(const Place &At, const std::function<void()> &Fn);

  const WordMemory Memory;
  Mutex Lock;
  std::vector<void *> Blocks GUARDED_BY(Lock);
  std::vector<uint64_t *> FreeWords GUARDED_BY(Lock);
  size_t NumTaken GUARDED_BY(Lock) = 0;
  std::condition_variable NoneTaken;
  std::vector<std::shared_ptr<CpuQueue>> Threads GUARDED_BY(Lock);
  std::vector<std::shared_ptr<CpuQueue>> IdleThreads GUARDED_BY(Lock);
};

} // namespace gridspan::ranks

#endif // GRIDSPAN_RUNTIME_BACKEND_RANKS_WAITINGFUNCTIONS_H
