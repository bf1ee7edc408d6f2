//===- UnpinnedLoads.cpp - Memory that is not pinned, to a device ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To pin memory costs as much as several trips over the bus, so what crosses it
// once is better copied on the host, a few slots before the bus. The calling
// thread waits for slots, whose copies wait for nothing but work that was
// enqueued before.
//
// Measured on H200s and not done: functions of the host in a stream, which need
// no waiting thread, but each of which comes half a millisecond late.
//
//===----------------------------------------------------------------------===//

#include "runtime/copy/UnpinnedLoads.h"
#include <algorithm>

namespace gridspan {

cudaError_t UnpinnedLoads::copy(Stream &Bus, std::byte *Dst,
                                const std::byte *Src, uint64_t Bytes) {
  for (uint64_t At = 0; At < Bytes; At += PinnedSlots::Bytes) {
    const uint64_t Piece = std::min(PinnedSlots::Bytes, Bytes - At);
    PinnedSlots::Slot &S = Slots.next();
    if (cudaError_t Error = B.synchronize(*S.Crossed))
      return Error;
    copyByTeam(Team, S.Memory, Src + At, Piece, /*Streaming=*/false);
    if (cudaError_t Error = B.copy(Bus, Dst + At, S.Memory, Piece))
      return Error;
    if (cudaError_t Error = B.record(*S.Crossed, Bus))
      return Error;
  }
  return cudaSuccess;
}

} // namespace gridspan
