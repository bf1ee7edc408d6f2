//===- BorrowedMemory.cpp - Memory that the program lends -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of MemoryManager that makes paged allocations of memory which the
// program made itself, pinned or not, so that launches run out of core on it
// where it is: no copy of it is made on the host.
//
// The allocation begins with the page that holds the first byte, since pages
// are what drivers pin. No more than the program has lent is ever copied
// (PagedMemory::contents), as other threads may use the rest of the first and
// the last page. Two allocations may not share a page: then nothing is lent.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/MemoryManager.h"
#include "runtime/support/HostMemoryOps.h"

namespace gridspan {

bool MemoryManager::borrow(std::byte *At, uint64_t Bytes, bool Writes) {
  MutexLock Guard(BorrowLock);
  if (const std::shared_ptr<Allocation> A = Space.find(At)) {
    if (!A->Paged || !A->Paged->Adopted || At + Bytes > A->base() + A->bytes())
      return false;
    A->Paged->IsOutput |= Writes;
    ++A->Paged->Borrowers;
    return true;
  }
  if (Bytes < Frames.frameBytes() ||
      !(B.isPinned(At, Bytes) || B.isPageable(At, Bytes)))
    return false;
  const uint64_t First = reinterpret_cast<uintptr_t>(At) % HostPage;
  std::shared_ptr<Allocation> A =
      Frames.adopt(At - First, First, First + Bytes);
  A->Paged->IsOutput = Writes;
  A->Paged->Borrowers = 1;
  if (!Space.insertApart(A)) {
    Frames.detach(*A);
    return false;
  }
  ++HostPages;
  // Devices need their memory for frames.
  Pool.empty();
  homesChanged();
  return true;
}

cudaError_t MemoryManager::giveBack(std::byte *At) {
  MutexLock Guard(BorrowLock);
  std::shared_ptr<Allocation> A = Space.find(At);
  if (!A || !A->Paged || !A->Paged->Adopted)
    return cudaErrorInvalidValue;
  if (--A->Paged->Borrowers != 0)
    return cudaSuccess;
  cudaError_t Error = B.synchronizeAll();
  PlacementWriter Alone(Placement);
  const cudaError_t Saving = Frames.hostAccess(*A, 0, A->bytes(), true);
  Space.remove(A->base());
  destroy(std::move(A));
  return Error ? Error : Saving;
}

} // namespace gridspan
