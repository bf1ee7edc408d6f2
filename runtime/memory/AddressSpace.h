//===- AddressSpace.h - From an address to its allocation -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All allocations by their addresses. A pointer into the middle of a buffer
// finds it in O(log n). Thread-safe; an allocation that was found stays alive
// while its pointer is held, also when the program frees it meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_MEMORY_ADDRESSSPACE_H
#define GRIDSPAN_RUNTIME_MEMORY_ADDRESSSPACE_H

#include "runtime/memory/Allocation.h"
#include "runtime/memory/PlacementLock.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <map>
#include <memory>

namespace gridspan {

class AddressSpace {
public:
  /// Adds an allocation whose range overlaps no other.
  void insert(std::shared_ptr<Allocation> A);

  /// The same if that is so; else returns false and adds nothing.
  bool insertApart(std::shared_ptr<Allocation> A);

  /// The allocation that holds Address, or null.
  std::shared_ptr<Allocation> find(const void *Address) const;
  /// The same without a lock when the thread has asked for the allocation
  /// before. The pointer is good as long as the placement lock is held: no
  /// allocation that is removed is destroyed meanwhile.
  Allocation *peek(const void *Address) const
      REQUIRES_SHARED(PlacementLock::Held);

  /// Takes out the allocation that begins at Address; null when none does.
  std::shared_ptr<Allocation> remove(const void *Address);

  /// A copy of the list, by ascending address.
  std::vector<std::shared_ptr<Allocation>> all() const;

private:
  mutable SharedMutex Lock;
  std::map<uintptr_t, std::shared_ptr<Allocation>> ByBase GUARDED_BY(Lock);
  /// Another one whenever ByBase changes, and in every address space: what
  /// threads remember of other generations is void.
  std::atomic<uint64_t> Generation{NextGeneration++};
  static inline std::atomic<uint64_t> NextGeneration{1};
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_MEMORY_ADDRESSSPACE_H
