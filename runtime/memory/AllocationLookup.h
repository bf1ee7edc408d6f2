//===- AllocationLookup.h - Addresses and allocations -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says for messages which allocation an address is in, behind or before, also
// of allocations that have been freed lately.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_MEMORY_ALLOCATIONLOOKUP_H
#define GRIDSPAN_RUNTIME_MEMORY_ALLOCATIONLOOKUP_H

#include "runtime/backend/MemoryLookup.h"
#include "runtime/support/ThreadSafety.h"
#include <deque>

namespace gridspan {

class Backend;
class MemoryManager;

/// Thread-safe. Answers for the process while it lives.
class AllocationLookup : public MemoryLookup {
public:
  AllocationLookup(MemoryManager &Memory, Backend &B);
  ~AllocationLookup() override;

  bool holds(const void *Address, uint64_t Bytes) const override;
  std::string describe(const void *Address, uint64_t Bytes) const override;

  /// Remembers an allocation that is being freed.
  void noteFreed(const void *Base, uint64_t Bytes);

private:
  struct Range {
    uintptr_t Lo;
    uint64_t Bytes;
  };
  /// Returns the text if Address was in memory that has been freed.
  std::string describeFreed(uintptr_t Address) const;

  MemoryManager &Memory;
  Backend &B;
  mutable Mutex Lock;
  std::deque<Range> Freed GUARDED_BY(Lock); ///< the latest first
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_MEMORY_ALLOCATIONLOOKUP_H
