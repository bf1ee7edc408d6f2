//===- PinnedSlots.cpp - Pinned memory that copies pass -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One allocation that is cut.
//
//===----------------------------------------------------------------------===//

#include "runtime/copy/PinnedSlots.h"
#include "runtime/support/NonTemporalCopy.h"
#include <algorithm>
#include <cstring>

namespace gridspan {

/// The part of a slot that one thread copies at a time.
static constexpr uint64_t ShareBytes = uint64_t(256) << 10;

PinnedSlots::~PinnedSlots() {
  for (Slot &S : All)
    if (S.Crossed)
      (void)B.synchronize(*S.Crossed);
  if (Memory)
    (void)B.hostFree(Memory);
}

cudaError_t PinnedSlots::create(int Device) {
  if (cudaError_t Error =
          B.hostAlloc(Count * Bytes, cudaHostAllocPortable, Memory))
    return Error;
  for (unsigned I = 0; I < Count; ++I) {
    All[I].Memory = static_cast<std::byte *>(Memory) + I * Bytes;
    if (cudaError_t Error =
            B.createEvent(Device, cudaEventDisableTiming, All[I].Crossed))
      return Error;
  }
  return cudaSuccess;
}

void copyByTeam(ThreadTeam &Team, std::byte *Dst, const std::byte *Src,
                uint64_t Bytes, bool Streaming) {
  Team.run((Bytes + ShareBytes - 1) / ShareBytes, [&](size_t I) {
    const uint64_t Lo = I * ShareBytes;
    const uint64_t Size = std::min(ShareBytes, Bytes - Lo);
    if (Streaming)
      nonTemporalCopy(Dst + Lo, Src + Lo, Size);
    else
      std::memcpy(Dst + Lo, Src + Lo, Size);
  });
}

} // namespace gridspan
