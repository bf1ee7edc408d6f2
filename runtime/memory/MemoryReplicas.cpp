//===- MemoryReplicas.cpp - Buffers for replicas --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of MemoryManager for replicas and for memory of private copies,
// which only make things faster: memory that is short is taken from them.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/MemoryManager.h"
#include <algorithm>
#include <utility>

namespace gridspan {

/// Returns memory of Device at an address of its own, new or used before.
/// Bytes: whole pages.
Expected<MappedRange> MemoryManager::mapCopy(int Device, uint64_t Bytes) {
  if (std::optional<MappedRange> Used =
          Pool.take(Bytes, PageHomes(Bytes, Device))) {
    forgetLast(*Used);
    return std::move(*Used);
  }
  return mapRange(Device, Bytes);
}

Expected<std::unique_ptr<Replica>>
MemoryManager::createReplica(const Allocation &A, int Device) {
  return createReplica(A.bytes(), Device);
}

Expected<std::unique_ptr<Replica>> MemoryManager::createReplica(uint64_t Bytes,
                                                                int Device) {
  auto R = std::make_unique<Replica>();
  R->Device = Device;
  R->MappedBytes = (Bytes + PageSize - 1) / PageSize * PageSize;
  if (cudaError_t Error =
          B.createEvent(Device, cudaEventDisableTiming, R->Ready))
    return Error;
  Expected<MappedRange> Memory = mapCopy(Device, R->MappedBytes);
  if (!Memory)
    return Memory.error();
  R->Base = Memory->Base;
  R->Mapped = std::move(Memory->Mapped);
  return R;
}

void MemoryManager::destroyReplica(Replica &R) { recycle(takeRange(R)); }

Expected<std::unique_ptr<PrivateBuffer>>
MemoryManager::createPrivateBuffer(uint64_t Bytes, int Device) {
  auto P = std::make_unique<PrivateBuffer>();
  P->Device = Device;
  P->MappedBytes = (Bytes + PageSize - 1) / PageSize * PageSize;
  if (cudaError_t Error = B.createEvent(0, cudaEventDisableTiming, P->Combined))
    return Error;
  Expected<MappedRange> Memory = mapCopy(Device, P->MappedBytes);
  if (!Memory)
    return Memory.error();
  P->Base = Memory->Base;
  P->Mapped = std::move(Memory->Mapped);
  return P;
}

void MemoryManager::destroyCopies(Allocation &A) {
  // Waits for what is read there.
  Owned.forget(A);
  for (std::unique_ptr<Replica> &R : A.Replicas)
    if (R)
      destroyReplica(*R);
  A.Replicas.clear();
  if (A.Formed)
    destroyReplica(A.Formed->Memory);
  A.Formed.reset();
  for (auto &Buffers : A.PrivateBuffers)
    for (std::unique_ptr<PrivateBuffer> &P : Buffers)
      recycle(takeRange(*P));
  A.PrivateBuffers.clear();
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
    if (A->IsAway || std::find(Except.begin(), Except.end(), A) != Except.end())
      continue;
    destroyCopies(*A);
  }
}

void MemoryManager::dropReplicas() {
  PlacementWriter Guard(Placement, std::defer_lock);
  if (!Guard.tryLockFor(PressurePatience))
    return;
  const std::vector<std::shared_ptr<Allocation>> All = Space.all();
  if (std::all_of(All.begin(), All.end(), [](const auto &A) {
        return A->Replicas.empty() && A->PrivateBuffers.empty() && !A->Formed;
      }))
    return;
  (void)synchronizeAll();
  (void)Owned.bringNow(All);
  dropReplicasBut({});
}

cudaError_t MemoryManager::bringAllHome(Stream &S) {
  Owned.noteUser();
  if (!Owned.any())
    return cudaSuccess;
  cudaError_t First = cudaSuccess;
  for (const std::shared_ptr<Allocation> &A : Space.all()) {
    const cudaError_t Error = Owned.bring(*A, S);
    First = First ? First : Error;
  }
  return First;
}

} // namespace gridspan
