//===- LaunchCache.h - Launches that were decided before --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs launch the same kernel with the same arguments again and again. The
// key is all that a decision depends on: the kernel, the shape, the bytes of
// the arguments, or only the allocations that its pointers lead to when the
// decision holds for all others too; the epoch of the placement is checked by
// whoever uses the decision.
//
// Finding takes no lock of its own: decisions that were replaced live on until
// the placement lock is held alone, and whoever uses one holds it shared.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_LAUNCHCACHE_H
#define GRIDSPAN_RUNTIME_LAUNCH_LAUNCHCACHE_H

#include "runtime/launch/Decision.h"
#include "runtime/memory/MemoryManager.h"
#include "runtime/support/ThreadSafety.h"
#include <array>
#include <atomic>
#include <boost/container/small_vector.hpp>
#include <memory>
#include <span>
#include <vector>

namespace gridspan {

/// The words, with their hash, that a launch is found by.
class LaunchKey {
public:
  /// Makes the key of a launch whose decision does not depend on its arguments.
  LaunchKey(const GridspanKernel &Kernel, const LaunchShape &Shape);
  /// Makes the key of a launch whose decision depends on all of its arguments.
  LaunchKey(const GridspanKernel &Kernel, const LaunchShape &Shape,
            void *const *Args);
  /// Makes the key of a launch whose decision depends on the allocations that
  /// its pointers lead to.
  LaunchKey(const GridspanKernel &Kernel, const LaunchShape &Shape,
            void *const *Args, const MemoryManager &Memory)
      REQUIRES_SHARED(PlacementLock::Held);
  /// Returns the key of a launch whose decision depends on its pointers, and
  /// not on its other arguments.
  static LaunchKey ofPointers(const GridspanKernel &Kernel,
                              const LaunchShape &Shape, void *const *Args);
  uint64_t hash() const { return Hash; }
  std::span<const uint64_t> words() const {
    return {Words.data(), Words.size()};
  }

private:
  enum Kind : unsigned { ShapeOnly, AllArguments, Allocations, Pointers };
  LaunchKey() = default;
  void begin(const GridspanKernel &Kernel, const LaunchShape &Shape, Kind K);
  void append(uint64_t Word) { Words.push_back(Word); }
  /// Appends bytes, with zeros behind them up to a whole word.
  void append(const void *Data, size_t Bytes);
  /// Sets Hash; to be called once all words are there.
  void finish();
  /// The words; on the stack for all but huge parameters.
  boost::container::small_vector<uint64_t, 32> Words;
  /// Keys are compared in full, so that collisions only cost time.
  uint64_t Hash = 0;
};

/// Thread-safe.
class LaunchCache {
public:
  LaunchCache();
  ~LaunchCache();

  /// The decision is good as long as the placement lock is held.
  const Decision *find(const LaunchKey &Key) const
      REQUIRES_SHARED(PlacementLock::Held);
  void insert(const LaunchKey &Key, std::shared_ptr<const Decision> D);
  /// Makes find() return null for all keys.
  void clear();

  /// Returns true if enough replaced decisions are held back that reclaim()
  /// pays.
  bool wantsReclaim() const;
  void reclaim() REQUIRES(PlacementLock::Held);

private:
  struct Entry {
    uint64_t Hash;
    std::vector<uint64_t> Key;
    std::shared_ptr<const Decision> Value;
  };
  /// The entries of one hash. An entry is at any index of its set.
  static constexpr size_t Sets = 1024, Ways = 4;
  using Set = std::array<std::atomic<const Entry *>, Ways>;

  static bool matches(const Entry &E, const LaunchKey &Key);
  Set &setOf(uint64_t Hash) const { return Table[Hash % Sets]; }

  std::unique_ptr<Set[]> Table;
  Mutex Lock; ///< for changes
  std::vector<std::unique_ptr<const Entry>> Replaced GUARDED_BY(Lock);
  std::atomic<size_t> NumReplaced{0};
  unsigned NextVictim GUARDED_BY(Lock) = 0;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_LAUNCHCACHE_H
