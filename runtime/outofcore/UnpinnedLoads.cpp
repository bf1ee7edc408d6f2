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
// no waiting thread, but each of which comes half a millisecond late; and the
// same for the way back, whose pages have to be made first, which takes about
// as long as to pin them as well.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/UnpinnedLoads.h"
#include <algorithm>
#include <cstring>

namespace gridspan {

static constexpr uint64_t SlotBytes = uint64_t(8) << 20;
/// The part of a slot that one thread fills at a time.
static constexpr uint64_t ShareBytes = uint64_t(256) << 10;

UnpinnedLoads::~UnpinnedLoads() {
  for (Slot &S : Slots)
    if (S.Crossed)
      (void)B.synchronize(*S.Crossed);
  if (Memory)
    (void)B.hostFree(Memory);
}

cudaError_t UnpinnedLoads::create(int Device) {
  if (cudaError_t Error =
          B.hostAlloc(NumSlots * SlotBytes, cudaHostAllocPortable, Memory))
    return Error;
  for (unsigned I = 0; I < NumSlots; ++I) {
    Slots[I].Memory = static_cast<std::byte *>(Memory) + I * SlotBytes;
    if (cudaError_t Error =
            B.createEvent(Device, cudaEventDisableTiming, Slots[I].Crossed))
      return Error;
  }
  return cudaSuccess;
}

cudaError_t UnpinnedLoads::copy(Stream &Bus, void *Dst, const std::byte *Src,
                                uint64_t Bytes) {
  for (uint64_t At = 0; At < Bytes; At += SlotBytes) {
    const uint64_t Piece = std::min(SlotBytes, Bytes - At);
    Slot &S = Slots[Next++ % NumSlots];
    if (cudaError_t Error = B.synchronize(*S.Crossed))
      return Error;
    Team.run((Piece + ShareBytes - 1) / ShareBytes, [&](size_t I) {
      const uint64_t Lo = I * ShareBytes;
      std::memcpy(S.Memory + Lo, Src + At + Lo,
                  std::min(ShareBytes, Piece - Lo));
    });
    if (cudaError_t Error =
            B.copy(Bus, static_cast<std::byte *>(Dst) + At, S.Memory, Piece))
      return Error;
    if (cudaError_t Error = B.record(*S.Crossed, Bus))
      return Error;
  }
  return cudaSuccess;
}

} // namespace gridspan
