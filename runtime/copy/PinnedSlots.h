//===- PinnedSlots.h - Pinned memory that copies pass -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A few pieces of pinned memory for the copies of one device that come from
// memory which is not pinned, or go there. To make them takes some 10 ms, so
// they outlive the copies.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_COPY_PINNEDSLOTS_H
#define GRIDSPAN_RUNTIME_COPY_PINNEDSLOTS_H

#include "runtime/backend/Backend.h"
#include "runtime/support/ThreadTeam.h"
#include <array>
#include <cstddef>
#include <memory>

namespace gridspan {

/// For one user at a time. Not thread-safe.
class PinnedSlots {
public:
  static constexpr uint64_t Bytes = uint64_t(8) << 20; ///< of one
  /// Two are not enough, as a copy of the threads' and one of the bus's are not
  /// of one length. All stay in the last cache, so that the one reads from
  /// there what the other has just written.
  static constexpr unsigned Count = 4;

  explicit PinnedSlots(Backend &B) : B(B) {}
  /// Waits for the bus.
  ~PinnedSlots();
  PinnedSlots(const PinnedSlots &) = delete;
  PinnedSlots &operator=(const PinnedSlots &) = delete;

  /// Makes them; an error if there is no memory to pin. Before all else.
  cudaError_t create(int Device);

  struct Slot {
    std::byte *Memory = nullptr;
    std::unique_ptr<Event> Crossed; ///< the bus is done with it
  };
  /// Returns the slots in turn.
  Slot &next() { return All[Next++ % Count]; }

private:
  Backend &B;
  void *Memory = nullptr;
  std::array<Slot, Count> All;
  unsigned Next = 0;
};

/// Copies at most PinnedSlots::Bytes bytes by the threads of a team. Streaming:
/// nobody reads Dst soon.
void copyByTeam(ThreadTeam &Team, std::byte *Dst, const std::byte *Src,
                uint64_t Bytes, bool Streaming);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_COPY_PINNEDSLOTS_H
