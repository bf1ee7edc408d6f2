//===- LaunchCache.h - Launches that were decided before ------ -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs launch the same kernel with the same arguments again and again. The
// key is all that a decision depends on: the kernel, the shape, the bytes of
// the arguments; the epoch of the placement is checked by whoever uses the
// decision.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCHCACHE_H
#define GRIDSPAN_RUNTIME_LAUNCHCACHE_H

#include "Allocation.h"
#include "Backend.h"
#include "Planner.h"
#include "Report.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace gridspan {

/// A plan with what its indices stand for.
struct Decision {
  Plan What;
  /// For Plan::Effects and TilePlan::Replicas; null where it is not ours.
  std::vector<std::shared_ptr<Allocation>> Allocations;
  std::vector<PlacedPointer> Pointers;
  uint64_t Epoch = 0;
  uint64_t LocalBytes = 0;
  uint64_t RemoteBytes = 0;
  KernelCounters *Counters = nullptr;
  /// Some access was misplaced, so that pages may be worth moving later.
  bool MayMove = false;
  /// Launches so far.
  mutable std::atomic<uint64_t> Uses{0};
};

/// The key of a launch as bytes, with their hash.
class LaunchKey {
public:
  /// Args is null when the decision does not depend on them.
  LaunchKey(const GridspanKernel &Kernel, const LaunchShape &Shape,
            void *const *Args);
  uint64_t hash() const { return Hash; }
  const std::vector<std::byte> &bytes() const { return Bytes; }

private:
  void append(const void *Data, size_t Size);
  std::vector<std::byte> &Bytes; ///< the calling thread's, reused
  uint64_t Hash = 0;
};

/// Thread-safe.
class LaunchCache {
public:
  std::shared_ptr<const Decision> find(const LaunchKey &Key);
  void insert(const LaunchKey &Key, std::shared_ptr<const Decision> D);
  void clear();

private:
  struct Entry {
    std::vector<std::byte> Key;
    std::shared_ptr<const Decision> What;
  };
  std::mutex Lock;
  std::unordered_map<uint64_t, Entry> Table; ///< by hash; the last one wins
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCHCACHE_H
