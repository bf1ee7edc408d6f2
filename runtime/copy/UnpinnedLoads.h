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

#ifndef GRIDSPAN_RUNTIME_COPY_UNPINNEDLOADS_H
#define GRIDSPAN_RUNTIME_COPY_UNPINNEDLOADS_H

#include "runtime/copy/PinnedSlots.h"

namespace gridspan {

/// Not thread-safe.
class UnpinnedLoads {
public:
  UnpinnedLoads(Backend &B, ThreadTeam &Team, PinnedSlots &Slots)
      : B(B), Team(Team), Slots(Slots) {}

  /// Copies in the order of Bus. Src has been read when this returns, which
  /// waits for slots.
  cudaError_t copy(Stream &Bus, std::byte *Dst, const std::byte *Src,
                   uint64_t Bytes);

private:
  Backend &B;
  ThreadTeam &Team;
  PinnedSlots &Slots;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_COPY_UNPINNEDLOADS_H
