//===- MemorySharing.cpp - Allocations that processes share ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most memory is never shared, so it is not made so that it could be. When an
// allocation is shared first, its contents are copied to memory that is, of one
// device, and this takes the place of the old pages at the same addresses. It
// stays there, as the other processes have it mapped.
//
// Nobody knows when other processes write, so that no copy of shared memory is
// good for longer than a launch (Allocation::version).
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/MemoryManager.h"

namespace gridspan {

/// Returns memory with the contents of Bytes at At, of the device Near if it
/// has room. It is mapped nowhere.
Expected<std::unique_ptr<Pages>>
MemoryManager::shareableCopy(const std::byte *At, uint64_t Bytes, Location Near,
                             Stream &S) {
  std::unique_ptr<Pages> New;
  cudaError_t Error = cudaErrorNotSupported;
  for (Location Where : homesFrom(Near)) {
    if (Where == Host)
      break;
    do
      Error = B.createShareablePages(Where, Bytes, New);
    while (Error == cudaErrorMemoryAllocation && Pool.giveBack(Where, Bytes));
    if (Error != cudaErrorMemoryAllocation)
      break;
  }
  if (Error)
    return Error;
  void *Window = nullptr;
  if ((Error = B.reserve(Bytes, Window)))
    return Error;
  if (!(Error = B.map(Window, *New, 0, Bytes))) {
    Error = B.copy(S, Window, At, Bytes);
    const cudaError_t Copying = B.synchronize(S);
    const cudaError_t Unmapping = B.unmap(Window, Bytes);
    Error = Error ? Error : Copying ? Copying : Unmapping;
  }
  B.release(Window, Bytes);
  if (Error)
    return Error;
  return New;
}

/// Makes the Bytes at Base, where Mapped is mapped, one piece of memory that
/// can be shared, and exports it. Only: the one place where it may be.
cudaError_t MemoryManager::shareMapped(std::byte *Base, uint64_t Bytes,
                                       std::optional<Location> Only,
                                       std::vector<MappedPages> &Mapped,
                                       Stream &S, SharedPages &Out) {
  if (Mapped.size() == 1) {
    const cudaError_t Error = B.exportPages(*Mapped[0].Memory, Out);
    if (Error != cudaErrorNotSupported)
      return Error;
  }
  auto New = shareableCopy(Base, Bytes, Only.value_or(0), S);
  if (!New)
    return New.error();
  if (Only && (*New)->location() != *Only)
    return cudaErrorMemoryAllocation;
  if (cudaError_t Error = B.unmap(Base, Bytes))
    return Error;
  if (cudaError_t Error = B.map(Base, **New, 0, Bytes)) {
    // What was there was mapped a moment ago; a driver that refuses it now is
    // broken.
    for (const MappedPages &M : Mapped)
      (void)B.map(Base + M.Lo, *M.Memory, M.From, M.Hi - M.Lo);
    return Error;
  }
  Mapped.clear();
  Mapped.push_back({0, Bytes, 0, std::move(*New)});
  return B.exportPages(*Mapped[0].Memory, Out);
}

Expected<SharedPages> MemoryManager::share(Allocation &A, uint64_t &Offset,
                                           Stream &S) {
  // What another process shares is its to share again.
  if (A.IsImported)
    return cudaErrorInvalidValue;
  if (A.Paged || A.Unified || A.kind() == AllocationKind::Managed)
    return cudaErrorNotSupported;
  SharedPages Out;
  cudaError_t Error;
  if (A.kind() == AllocationKind::SubPage) {
    MutexLock Guard(SubPagesLock);
    MappedRange &Page = SubPages.pageOf(A.base());
    // Homes of the page's other pieces are not known here.
    const Location Home = Page.Homes.at(0);
    if (Home == Host)
      return cudaErrorNotSupported;
    Offset = A.base() - Page.Base;
    Error = shareMapped(Page.Base, Page.Bytes, Home, Page.Mapped, S, Out);
  } else {
    const uint64_t Bytes = (A.bytes() + PageSize - 1) / PageSize * PageSize;
    Offset = 0;
    Error = shareMapped(A.base(), Bytes, std::nullopt, A.Mapped, S, Out);
    if (A.Mapped.size() == 1)
      A.Homes.set(0, Bytes, A.Mapped[0].Memory->location());
    homesChanged();
  }
  if (Error)
    return Error;
  A.IsShared = true;
  homesChanged(); // decisions that rely on its contents are void
  return Out;
}

Expected<void *> MemoryManager::openShared(const SharedPages &From) {
  std::unique_ptr<Pages> Memory;
  if (From.Bytes == 0 || From.Bytes % PageSize != 0)
    return cudaErrorInvalidValue;
  if (cudaError_t Error = B.importPages(From, Memory))
    return Error;
  void *Base = nullptr;
  if (cudaError_t Error = B.reserve(From.Bytes, Base))
    return Error;
  if (cudaError_t Error = B.map(Base, *Memory, 0, From.Bytes)) {
    B.release(Base, From.Bytes);
    return Error;
  }
  auto A = std::make_shared<Allocation>(static_cast<std::byte *>(Base),
                                        From.Bytes, AllocationKind::Device);
  A->Homes.set(0, From.Bytes, Memory->location());
  A->Mapped.push_back({0, From.Bytes, 0, std::move(Memory)});
  A->IsShared = A->IsImported = true;
  Space.insert(std::move(A));
  homesChanged();
  return Base;
}

} // namespace gridspan
