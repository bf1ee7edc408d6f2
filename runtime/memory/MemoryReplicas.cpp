//===- MemoryReplicas.cpp - Buffers for replicas --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of MemoryManager for replicas, which only make things faster: memory
// that is short is taken from them.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/MemoryManager.h"
#include <algorithm>

namespace gridspan {

Expected<std::unique_ptr<Replica>>
MemoryManager::createReplica(const Allocation &A, int Device) {
  auto R = std::make_unique<Replica>();
  R->Device = Device;
  R->MappedBytes = (A.bytes() + PageSize - 1) / PageSize * PageSize;
  if (cudaError_t Error =
          B.createEvent(Device, cudaEventDisableTiming, R->Ready))
    return Error;
  std::optional<MappedRange> Memory =
      Pool.take(R->MappedBytes, PageHomes(R->MappedBytes, Device));
  if (!Memory) {
    Expected<MappedRange> New = mapRange(Device, R->MappedBytes);
    if (!New)
      return New.error();
    Memory = std::move(*New);
  }
  R->Base = Memory->Base;
  R->Mapped = std::move(Memory->Mapped);
  return R;
}

/// Takes the memory of a replica out of it.
MappedRange MemoryManager::rangeOf(Replica &R) {
  return {R.Base, R.MappedBytes, PageHomes(R.MappedBytes, R.Device),
          std::exchange(R.Mapped, {}), nullptr};
}

void MemoryManager::destroyReplica(Replica &R) { recycle(rangeOf(R)); }

uint64_t
MemoryManager::replicaBytes(const std::vector<std::shared_ptr<Allocation>> &Of,
                            int Device) {
  uint64_t Sum = 0;
  for (const std::shared_ptr<Allocation> &A : Of)
    if (A && static_cast<size_t>(Device) < A->Replicas.size() &&
        A->Replicas[Device])
      Sum += A->Replicas[Device]->MappedBytes;
  return Sum;
}

void MemoryManager::dropReplicasBut(
    const std::vector<std::shared_ptr<Allocation>> &Except) {
  for (const std::shared_ptr<Allocation> &A : Space.all()) {
    if (std::find(Except.begin(), Except.end(), A) != Except.end())
      continue;
    for (std::unique_ptr<Replica> &R : A->Replicas)
      if (R)
        destroyReplica(*R);
    A->Replicas.clear();
  }
}

void MemoryManager::dropReplicas() {
  PlacementWriter Guard(Placement);
  const std::vector<std::shared_ptr<Allocation>> All = Space.all();
  if (std::none_of(All.begin(), All.end(),
                   [](const auto &A) { return !A->Replicas.empty(); }))
    return;
  (void)synchronizeAll();
  dropReplicasBut({});
}

} // namespace gridspan
