//===- DeferredFrees.h - Memory that a stream still uses --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocations that the program has freed in the order of a stream, until the
// stream has come there.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_MEMORY_DEFERREDFREES_H
#define GRIDSPAN_RUNTIME_MEMORY_DEFERREDFREES_H

#include "runtime/backend/Backend.h"
#include "runtime/memory/Allocation.h"
#include "runtime/support/ThreadSafety.h"
#include <functional>
#include <memory>
#include <vector>

namespace gridspan {

/// Thread-safe.
class DeferredFrees {
public:
  explicit DeferredFrees(Backend &B) : B(B) {}

  /// Takes what Take returns, which is free when S, a stream of device 0, has
  /// come here; cudaErrorInvalidValue if that is null. Who looks for it finds
  /// it where Take takes it from or here.
  cudaError_t add(const std::function<std::shared_ptr<Allocation>()> &Take,
                  Stream &S);
  /// Takes out an allocation of Bytes bytes that was freed in S and Fits, so
  /// that later work in S may use it at once; null if there is none.
  std::shared_ptr<Allocation>
  reuse(uint64_t Bytes, const Stream &S,
        const std::function<bool(const Allocation &)> &Fits);
  /// Returns the allocation that holds Address, if there is one whose free the
  /// devices have not come to yet.
  std::shared_ptr<Allocation> find(const void *Address) const;
  /// Returns true if anything has been freed in the order of a stream and not
  /// been taken out.
  bool any() const;
  /// Notes that S is about to be destroyed.
  void forget(const Stream &S);
  /// Takes out the allocations that are free now; with Wait, waits until all
  /// are.
  std::vector<std::shared_ptr<Allocation>> collect(bool Wait);

  /// Takes back what collect gave, which nobody could free.
  void putBack(std::vector<std::shared_ptr<Allocation>> Free);

private:
  struct Entry {
    std::shared_ptr<Allocation> A;
    std::unique_ptr<Event> After; ///< null: over
    const Stream *FreedIn;        ///< null: destroyed
  };

  Backend &B;
  mutable Mutex Lock;
  std::vector<Entry> Entries GUARDED_BY(Lock);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_MEMORY_DEFERREDFREES_H
