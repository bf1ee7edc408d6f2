//===- RangePool.h - Mapped ranges for later allocations --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Making, mapping and unmapping pages costs a driver a hundred microseconds and
// more. So ranges that were freed stay mapped, by their size and their homes,
// for the next allocation that would get just that.
//
// The pool is bounded: it keeps at most a share of each device's memory, as
// code that Gridspan does not see, such as a library's, allocates as well and
// cannot ask the pool to give way. Gridspan's own allocations can, and do.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_MEMORY_RANGEPOOL_H
#define GRIDSPAN_RUNTIME_MEMORY_RANGEPOOL_H

#include "runtime/backend/SystemInfo.h"
#include "runtime/memory/Allocation.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gridspan {

/// Reserved addresses with pages behind all of them, owned by whoever holds
/// this.
struct MappedRange {
  std::byte *Base = nullptr;
  uint64_t Bytes = 0; ///< a multiple of the page size
  PageHomes Homes;
  std::vector<MappedPages> Mapped; ///< ascending
  /// The allocation that was there last, without its pages; null: none.
  std::shared_ptr<Allocation> Last;
};

/// Takes the memory of C, a Replica or PrivateBuffer, out of it.
template <typename CopyT> MappedRange takeRange(CopyT &C) {
  return {C.Base, C.MappedBytes, PageHomes(C.MappedBytes, C.Device),
          std::exchange(C.Mapped, {}), nullptr};
}

/// Thread-safe.
class RangePool {
public:
  /// Unmaps a range that no work uses, and gives its pages and addresses back.
  using Unmapping = std::function<void(MappedRange)>;

  RangePool(const SystemInfo &System, Unmapping Unmap);
  ~RangePool() { empty(); }
  RangePool(const RangePool &) = delete;
  RangePool &operator=(const RangePool &) = delete;

  /// Returns true if there is a range of Bytes bytes, wherever its pages are.
  bool has(uint64_t Bytes) const;
  /// Takes out the range of Bytes bytes with these homes that has the lowest
  /// address: a loop gets the addresses of the round before.
  std::optional<MappedRange> take(uint64_t Bytes, const PageHomes &Homes);
  /// Keeps R, all of which is on devices, and gives back those that came first
  /// for it if need be; or gives R back if it is too large. No work that was
  /// enqueued uses R.
  void put(MappedRange R);

  /// Gives back ranges with pages on Device, those that came first before
  /// others, until Bytes bytes there are free. Returns false if there was none.
  bool giveBack(int Device, uint64_t Bytes);
  /// Gives back all.
  void empty();

  /// Returns the bytes on Device that are kept.
  uint64_t bytes(int Device) const;
  /// Returns the most bytes of Device that are kept.
  uint64_t bound(int Device) const { return Bounds[Device]; }

  /// Returns the number of ranges that were taken out, so far.
  uint64_t reused() const { return Reused.load(std::memory_order_relaxed); }
  /// Returns the number of ranges that were given back, so far.
  uint64_t unmapped() const { return Unmapped.load(std::memory_order_relaxed); }

private:
  using Ranges = std::list<MappedRange>;

  void takeOut(Ranges::iterator It, Ranges &Out) REQUIRES(Lock);
  bool exceedsBounds(const MappedRange &R) const;
  bool exceedsBounds() const REQUIRES(Lock);
  void destroy(Ranges All);

  const Unmapping Unmap;
  const std::vector<uint64_t> Bounds; ///< bytes, by device
  mutable Mutex Lock;
  Ranges Kept GUARDED_BY(Lock); ///< the one that came first is in front
  /// The same by bytes, and by address.
  std::unordered_map<uint64_t, std::map<std::byte *, Ranges::iterator>>
      BySize GUARDED_BY(Lock);
  std::vector<uint64_t> Held GUARDED_BY(Lock); ///< bytes, by device
  std::atomic<uint64_t> Reused{0};
  std::atomic<uint64_t> Unmapped{0};
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_MEMORY_RANGEPOOL_H
