//===- HostBackingPool.cpp - Host memory of freed allocations -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/HostBackingPool.h"
#include "runtime/report/Tracing.h"
#include "runtime/support/HostMemoryOps.h"
#include <algorithm>

namespace gridspan {

/// Of what the host has free, what is kept counted as free.
static constexpr uint64_t KeptShare = 3;

uint64_t Store::pinnedBytes() const {
  uint64_t Sum = 0;
  for (size_t I = 0; I < Pinned.size(); ++I)
    if (Pinned[I])
      Sum += std::min(FrameBytes, Bytes - I * FrameBytes);
  return Sum;
}

bool HostBackingPool::take(uint64_t Bytes, Store &Out) {
  MutexLock Guard(Lock);
  const auto It = std::find_if(Kept.begin(), Kept.end(), [&](const Store &S) {
    return S.Bytes == Bytes;
  });
  if (It == Kept.end())
    return false;
  KeptBytes -= It->pinnedBytes();
  Out = std::move(*It);
  Kept.erase(It);
  return true;
}

void HostBackingPool::put(Store Freed) {
  const uint64_t Pinned = Freed.pinnedBytes();
  std::vector<Store> Old;
  size_t Free = 0, Total = 0;
  B.memoryInfo(Host, Free, Total);
  {
    MutexLock Guard(Lock);
    // What is about to be kept or freed is not free at present.
    const uint64_t Most = (Free + KeptBytes + Pinned) / KeptShare;
    if (Pinned == 0 || Pinned > Most) {
      Old.push_back(std::move(Freed));
    } else {
      while (KeptBytes + Pinned > Most) {
        KeptBytes -= Kept.back().pinnedBytes();
        Old.push_back(std::move(Kept.back()));
        Kept.pop_back();
      }
      KeptBytes += Pinned;
      Kept.push_front(std::move(Freed));
    }
  }
  for (const Store &S : Old)
    release(S);
}

void HostBackingPool::trim() {
  std::deque<Store> Old;
  {
    MutexLock Guard(Lock);
    Old.swap(Kept);
    KeptBytes = 0;
  }
  for (const Store &S : Old)
    release(S);
}

uint64_t HostBackingPool::bytes() const {
  MutexLock Guard(Lock);
  return KeptBytes;
}

void HostBackingPool::release(const Store &S) {
  HostSpan Span(Activity::Unpin, S.pinnedBytes());
  inParallel(S.Pinned.size(), S.Bytes, [&](size_t I) {
    if (S.Pinned[I])
      (void)B.hostUnregister(S.Base + I * S.FrameBytes);
  });
  releaseHostMemory(S.Base, S.Bytes);
}

} // namespace gridspan
