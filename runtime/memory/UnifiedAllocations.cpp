//===- UnifiedAllocations.cpp - Allocations whose pages the vendor moves --===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of MemoryManager for cudaMallocManaged memory that devices have room
// for: the backend's unified memory, whose pages have homes like any others but
// are moved by a word to the backend.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/MemoryManager.h"
#include "runtime/report/Tracing.h"
#include <algorithm>

namespace gridspan {

/// Gives each share of a new allocation a home that has room for it.
cudaError_t MemoryManager::preferHomes(Allocation &A) {
  const uint64_t Mapped = (A.bytes() + PageSize - 1) / PageSize * PageSize;
  const std::vector<uint64_t> Bounds = sharesOf(Mapped, A.bytes());
  for (unsigned D = 0; D + 1 < Bounds.size(); ++D) {
    const uint64_t Lo = Bounds[D], Hi = std::min(Bounds[D + 1], A.bytes());
    const Location First = firstHome(D);
    cudaError_t Error = cudaErrorMemoryAllocation;
    for (Location Where : homesFrom(First)) {
      if (Where == Host || Error != cudaErrorMemoryAllocation)
        break;
      Error = B.preferHome(A.base() + Lo, Hi - Lo, Host, Where);
      if (Error == cudaErrorMemoryAllocation && Pool.giveBack(Where, Hi - Lo))
        Error = B.preferHome(A.base() + Lo, Hi - Lo, Host, Where);
      if (Error)
        continue;
      A.Homes.set(Lo, Bounds[D + 1], Where);
      Displaced += Where == First ? 0 : Hi - Lo;
    }
    if (Error)
      return Error;
  }
  return cudaSuccess;
}

/// Returns cudaErrorMemoryAllocation also where the backend has no unified
/// memory: it can be paged.
MemoryManager::NewAllocation MemoryManager::allocateUnified(uint64_t Bytes) {
  void *Base = nullptr;
  cudaError_t Error = B.unifiedAlloc(Bytes, Base);
  if (Error)
    return Error == cudaErrorNotSupported ? cudaErrorMemoryAllocation : Error;
  auto A = std::make_shared<Allocation>(static_cast<std::byte *>(Base), Bytes,
                                        AllocationKind::Managed);
  A->Unified = true;
  ++NumUnified;
  Error = preferHomes(*A);
  if (Error) {
    destroy(std::move(A));
    return Error;
  }
  return A;
}

void MemoryManager::destroyUnified(Allocation &A) {
  for (const PageHomes::Run &Run : A.Homes.runs(0, A.bytes()))
    (void)B.preferHome(A.base() + Run.Lo, Run.Hi - Run.Lo, Run.Where, Host);
  (void)B.unifiedFree(A.base());
  --NumUnified;
}

void MemoryManager::prefetch(const Allocation &A, uint64_t At, uint64_t Bytes,
                             bool ToHost, Stream &S) {
  TraceScope Scope(Activity::Migration);
  for (const PageHomes::Run &Run : A.Homes.runs(At, At + Bytes))
    (void)B.prefetch(S, A.base() + Run.Lo, Run.Hi - Run.Lo,
                     ToHost ? Host : Run.Where);
}

cudaError_t MemoryManager::moveUnified(Allocation &A, uint64_t Lo, uint64_t Hi,
                                       Location To, Stream &S) {
  for (const PageHomes::Run &Run : A.Homes.runs(Lo, Hi)) {
    std::byte *At = A.base() + Run.Lo;
    const uint64_t Bytes = std::min(Run.Hi, A.bytes()) - Run.Lo;
    if (Run.Where == To)
      continue;
    cudaError_t Error = B.preferHome(At, Bytes, Run.Where, To);
    if (Error == cudaErrorMemoryAllocation && Pool.giveBack(To, Bytes))
      Error = B.preferHome(At, Bytes, Run.Where, To);
    if (Error)
      return Error;
    A.Homes.set(Run.Lo, Run.Hi, To);
    Epoch.fetch_add(1, std::memory_order_release);
    (void)B.prefetch(S, At, Bytes, To);
  }
  return cudaSuccess;
}

} // namespace gridspan
