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
  Expected<std::unique_ptr<Pages>> Memory = createPages(Device, R->MappedBytes);
  if (!Memory)
    return Memory.error();
  void *Address = nullptr;
  if (cudaError_t Error = B.reserve(R->MappedBytes, Address))
    return Error;
  cudaError_t Error = B.createEvent(Device, cudaEventDisableTiming, R->Ready);
  if (!Error)
    Error = B.map(Address, **Memory, 0, R->MappedBytes);
  if (Error) {
    B.release(Address, R->MappedBytes);
    return Error;
  }
  R->Base = static_cast<std::byte *>(Address);
  R->Memory = std::move(*Memory);
  return R;
}

void MemoryManager::destroyReplica(Replica &R) {
  (void)B.unmap(R.Base, R.MappedBytes);
  B.release(R.Base, R.MappedBytes);
  R.Memory.reset();
}

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
