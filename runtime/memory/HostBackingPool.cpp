//===- HostBackingPool.cpp - Host memory of freed allocations -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A queue of freed memory, the one freed last in front. Memory is reused only
// for exactly the same size, so that the frames that are pinned keep their
// borders. What exceeds the share of the host's free memory is freed from the
// back.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/HostBackingPool.h"
#include "runtime/report/Tracing.h"
#include "runtime/support/HostMemoryOps.h"
#include <algorithm>

namespace gridspan {

/// Share of the host's free memory, pooled memory counted as free.
static constexpr uint64_t IdleShare = 3;

uint64_t HostBacking::pinnedBytes() const {
  uint64_t Sum = 0;
  for (size_t I = 0; I < Pinned.size(); ++I)
    if (Pinned[I])
      Sum += std::min(FrameBytes, Bytes - I * FrameBytes);
  return Sum;
}

std::optional<HostBacking> HostBackingPool::take(uint64_t Bytes) {
  MutexLock Guard(Lock);
  const auto It =
      std::find_if(Idle.begin(), Idle.end(),
                   [&](const HostBacking &S) { return S.Bytes == Bytes; });
  if (It == Idle.end())
    return std::nullopt;
  IdleBytes -= It->pinnedBytes();
  HostBacking Out = std::move(*It);
  Idle.erase(It);
  return Out;
}

void HostBackingPool::put(HostBacking Freed) {
  const uint64_t Pinned = Freed.pinnedBytes();
  std::vector<HostBacking> Old;
  size_t Free = 0, Total = 0;
  B.memoryInfo(Host, Free, Total);
  {
    MutexLock Guard(Lock);
    // What is about to be kept or freed is not free at present.
    const uint64_t Most = (Free + IdleBytes + Pinned) / IdleShare;
    if (Pinned == 0 || Pinned > Most) {
      Old.push_back(std::move(Freed));
    } else {
      while (IdleBytes + Pinned > Most) {
        IdleBytes -= Idle.back().pinnedBytes();
        Old.push_back(std::move(Idle.back()));
        Idle.pop_back();
      }
      IdleBytes += Pinned;
      Idle.push_front(std::move(Freed));
    }
  }
  for (const HostBacking &S : Old)
    release(S);
}

void HostBackingPool::trim() {
  std::deque<HostBacking> Old;
  {
    MutexLock Guard(Lock);
    Old.swap(Idle);
    IdleBytes = 0;
  }
  for (const HostBacking &S : Old)
    release(S);
}

uint64_t HostBackingPool::bytes() const {
  MutexLock Guard(Lock);
  return IdleBytes;
}

void HostBackingPool::release(const HostBacking &S) {
  HostSpan Span(Activity::Unpin, S.pinnedBytes());
  inParallel(S.Pinned.size(), S.Bytes, [&](size_t I) {
    if (S.Pinned[I])
      (void)B.hostUnregister(S.Base + I * S.FrameBytes);
  });
  releaseHostMemory(S.Base, S.Bytes);
}

} // namespace gridspan
