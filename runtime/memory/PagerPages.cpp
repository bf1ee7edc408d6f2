//===- PagerPages.cpp - Pages of frames -----------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of Pager for the pages that frames are on: those of frames that left
// are kept for others, and slots without a frame give way when pages are short.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/Pager.h"
#include "runtime/support/ResidentPages.h"

namespace gridspan {

uint64_t Pager::untouched(const Allocation &A) const {
  MutexLock Guard(Lock);
  uint64_t Sum = 0;
  for (const PagedMemory::Frame &F : A.Paged->Frames)
    if (!F.Ready && A.Paged->Anonymous)
      Sum += F.Bytes - residentBytes(A.base() + F.Lo, F.Bytes);
  return Sum;
}

void Pager::giveBack(std::shared_ptr<Pages> Memory) {
  const Location Where = Memory->location();
  if (Where != Host)
    Unused[Where].emplace(Memory->bytes(), std::move(Memory));
}

Expected<std::shared_ptr<Pages>> Pager::takePages(int Device, uint64_t Bytes) {
  auto &Idle = Unused[Device];
  if (!Idle.count(Bytes) && Held[Device] + Bytes > budgetLocked(Device))
    freeFrameSlot(Device);
  if (auto It = Idle.find(Bytes); It != Idle.end()) {
    std::shared_ptr<Pages> Used = std::move(It->second);
    Idle.erase(It);
    return Used;
  }
  std::unique_ptr<Pages> New;
  cudaError_t Error = B.createPages(Device, Bytes, New);
  // Pages of other sizes are in the way.
  while (Error == cudaErrorMemoryAllocation &&
         (!Idle.empty() || freeFrameSlot(Device))) {
    (void)dropOneUnused(Device);
    Error = B.createPages(Device, Bytes, New);
  }
  if (Error)
    return Error;
  Held[Device] += Bytes;
  return New;
}

void Pager::trim() {
  MutexLock Guard(Lock);
  trimLocked();
}

void Pager::trimLocked() {
  for (size_t D = 0; D < Unused.size(); ++D)
    while (freeFrameSlot(static_cast<int>(D)))
      ;
  dropUnused();
}

/// Gives back some pages that are neither a frame's nor a ring's. Returns their
/// bytes.
uint64_t Pager::dropOneUnused(int Device) {
  auto &Idle = Unused[Device];
  if (Idle.empty())
    return 0;
  const uint64_t Bytes = Idle.begin()->first;
  Held[Device] -= Bytes;
  Idle.erase(Idle.begin());
  return Bytes;
}

bool Pager::trim(int Device, uint64_t Bytes) {
  MutexLock Guard(Lock);
  uint64_t Done = 0;
  while (Done < Bytes && (!Unused[Device].empty() || freeFrameSlot(Device)))
    Done += dropOneUnused(Device);
  return Done != 0;
}

void Pager::dropUnused() {
  for (size_t D = 0; D < Unused.size(); ++D) {
    for (const auto &[Bytes, Memory] : Unused[D])
      Held[D] -= Bytes;
    Unused[D].clear();
  }
}

uint64_t Pager::idle(int Device) const {
  MutexLock Guard(Lock);
  uint64_t Sum = 0;
  for (const auto &[Bytes, Memory] : Unused[Device])
    Sum += Bytes;
  auto Count = [&](const PagedMemory::Ring &R) {
    for (const PagedMemory::Ring::FrameSlot &S : R.Slots)
      if (S.Memory && !S.Taken)
        Sum += S.Memory->bytes();
  };
  for (const PagedMemory::Ring &R : IdleRings[Device])
    Count(R);
  for (const PagedMemory *P : All)
    Count(P->Rings[Device]);
  return Sum;
}

} // namespace gridspan
