//===- BackgroundPins.h - Memory pinned beside other work -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pins frames in the order in which they are wanted, by a thread of its own,
// while the bus works on those that are pinned.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_MEMORY_BACKGROUNDPINS_H
#define GRIDSPAN_RUNTIME_MEMORY_BACKGROUNDPINS_H

#include "runtime/memory/Pager.h"
#include "runtime/support/ThreadSafety.h"
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace gridspan {

/// For one thread, which holds the placement lock all the time: so nobody else
/// changes what a frame is.
class BackgroundPins {
public:
  /// Begins. The frames are such of ordinary memory, each once, and are not
  /// pinned.
  BackgroundPins(Backend &B, Pager &Frames, std::vector<Pager::FrameOf> Order);
  /// Stops as finish() does.
  ~BackgroundPins();
  BackgroundPins(const BackgroundPins &) = delete;
  BackgroundPins &operator=(const BackgroundPins &) = delete;

  /// Blocks until the first Count frames are ready; returns the first error,
  /// after which some may not be.
  cudaError_t waitFor(size_t Count) REQUIRES(PlacementLock::Held);
  /// Stops: frames that come later are not pinned. Those that are, are ready.
  void finish() REQUIRES(PlacementLock::Held);

private:
  void run();
  void pin(size_t First, size_t Last);
  void join();
  void notePinned(size_t Last) REQUIRES(Lock) REQUIRES(PlacementLock::Held);
  PagedMemory::Frame &frame(size_t I) const {
    return Order[I].Of->Paged->Frames[Order[I].Frame];
  }

  Backend &B;
  Pager &Frames;
  const std::vector<Pager::FrameOf> Order;
  Mutex Lock;
  std::condition_variable Changed;
  std::vector<bool> Pinned GUARDED_BY(Lock);
  size_t Done GUARDED_BY(Lock) = 0;  ///< frames that were tried
  size_t Noted GUARDED_BY(Lock) = 0; ///< those that the pager knows of
  cudaError_t Error GUARDED_BY(Lock) = cudaSuccess;
  bool Stopping GUARDED_BY(Lock) = false;
  std::thread Thread;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_MEMORY_BACKGROUNDPINS_H
