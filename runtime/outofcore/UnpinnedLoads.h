//===- UnpinnedLoads.h - Memory that is not pinned, to a device -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies memory of the host that is not pinned to one device, through pinned
// slots that a team of threads fills.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_UNPINNEDLOADS_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_UNPINNEDLOADS_H

#include "runtime/backend/Backend.h"
#include "runtime/support/ThreadTeam.h"
#include <array>
#include <cstddef>
#include <memory>

namespace gridspan {

/// Not thread-safe.
class UnpinnedLoads {
public:
  UnpinnedLoads(Backend &B, ThreadTeam &Team) : B(B), Team(Team) {}
  /// Waits for the bus.
  ~UnpinnedLoads();
  UnpinnedLoads(const UnpinnedLoads &) = delete;
  UnpinnedLoads &operator=(const UnpinnedLoads &) = delete;

  /// Makes the slots; an error if there is no memory to pin. Before all else.
  cudaError_t create(int Device);
  /// Copies in the order of Bus. Src has been read when this returns, which
  /// waits for slots.
  cudaError_t copy(Stream &Bus, void *Dst, const std::byte *Src,
                   uint64_t Bytes);

private:
  /// Two are not enough, as a copy of the threads' and one of the bus's are not
  /// of one length. All stay in the last cache, so that the bus reads from
  /// there what threads have just written.
  static constexpr unsigned NumSlots = 4;
  struct Slot {
    std::byte *Memory = nullptr;
    std::unique_ptr<Event> Crossed; ///< the bus is done with it
  };

  Backend &B;
  ThreadTeam &Team;
  void *Memory = nullptr;
  std::array<Slot, NumSlots> Slots;
  unsigned Next = 0;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_UNPINNEDLOADS_H
