//===- HostBackingPool.h - Host memory of freed allocations -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Making host memory and pinning it costs more than moving its contents over
// the bus, and giving it back costs again. So the memory behind paged
// allocations that were freed is kept, pinned as it is, for the next of the
// same size: a program that allocates in a loop pays once. What is kept is
// bounded by a share of what the host has left, and goes as soon as an
// allocation would fail for it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_MEMORY_HOSTBACKINGPOOL_H
#define GRIDSPAN_RUNTIME_MEMORY_HOSTBACKINGPOOL_H

#include "runtime/backend/Backend.h"
#include "runtime/support/ThreadSafety.h"
#include <deque>
#include <optional>
#include <vector>

namespace gridspan {

/// Anonymous memory of the host (HostMemoryOps.h), in frames of which
/// some are pinned.
struct HostBacking {
  std::byte *Base = nullptr;
  uint64_t Bytes = 0;
  uint64_t FrameBytes = 0;
  std::vector<bool> Pinned; ///< by frame
  uint64_t pinnedBytes() const;
};

/// Thread-safe.
class HostBackingPool {
public:
  explicit HostBackingPool(Backend &B) : B(B) {}
  ~HostBackingPool() { trim(); }

  /// Takes memory of Bytes bytes, with any contents, if there is any.
  std::optional<HostBacking> take(uint64_t Bytes);
  /// Keeps it or frees it.
  void put(HostBacking Freed);
  /// Frees all.
  void trim();
  /// Returns the bytes that it keeps from others.
  uint64_t bytes() const;

private:
  void release(const HostBacking &S);

  Backend &B;
  mutable Mutex Lock;
  std::deque<HostBacking>
      Idle GUARDED_BY(Lock);               ///< the one put last is in front
  uint64_t IdleBytes GUARDED_BY(Lock) = 0; ///< pinned
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_MEMORY_HOSTBACKINGPOOL_H
