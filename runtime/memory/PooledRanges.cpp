//===- PooledRanges.cpp - Allocations that reuse mapped ranges ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of MemoryManager for ranges that stay mapped (RangePool.h): of
// allocations, of pages that small allocations share, and of replicas.
//
// A range is kept if a new allocation of its size would get the homes that it
// has, or if somebody chose these (ChosenDevice.h), and is taken out only for
// one that gets them. So an allocation is where it would be without the pool.
//
// An allocation of the same size as the one before is the same object: then
// cached decisions about it hold on, as they would if the program had written
// all of it. It has lost its replicas, and its version went up, so that nothing
// that was known of its contents holds. Otherwise it is a new object and a new
// epoch, and so it is when a range is unmapped.
//
// Small allocations are kept the same way, a few of them, as parts of pages
// that are not free meanwhile.
//
// While anything is paged, devices need all of their memory for frames, and
// nothing is kept.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/MemoryManager.h"
#include <algorithm>

namespace gridspan {

/// Small allocations that are kept at most: what a loop uses, and few pages.
static constexpr size_t MostPieces = 64;
static constexpr uint64_t MostPiecePages = 16;

/// Returns the homes that a new allocation gets where there is room, whose size
/// is Mapped bytes in pages.
PageHomes MemoryManager::newHomes(uint64_t Mapped, uint64_t Bytes) const {
  PageHomes Out;
  const std::vector<uint64_t> Bounds = sharesOf(Mapped, Bytes);
  for (unsigned D = 0; D + 1 < Bounds.size(); ++D)
    Out.set(Bounds[D], Bounds[D + 1], firstHome(D));
  return Out;
}

/// Forgets the allocation that was in R last. A launch may have been given a
/// pointer to it since, which its kernel does not use, and have made copies.
void MemoryManager::forgetLast(MappedRange &R) {
  const std::shared_ptr<Allocation> Last = std::exchange(R.Last, nullptr);
  if (!Last)
    return;
  std::vector<MappedRange> Copies;
  for (const std::unique_ptr<Replica> &Copy : Last->Replicas)
    if (Copy)
      Copies.push_back(takeRange(*Copy));
  for (const auto &Buffers : Last->PrivateBuffers)
    for (const std::unique_ptr<PrivateBuffer> &Copy : Buffers)
      Copies.push_back(takeRange(*Copy));
  if (Last->Formed)
    Copies.push_back(takeRange(Last->Formed->Memory));
  if (Copies.empty())
    return;
  (void)synchronizeAll();
  for (MappedRange &Copy : Copies)
    unmapRange(std::move(Copy));
}

/// Unmaps R, which no work that was enqueued uses. Decisions that know its
/// addresses are void.
void MemoryManager::unmapRange(MappedRange R) {
  forgetLast(R);
  for (const MappedPages &M : R.Mapped)
    (void)B.unmap(R.Base + M.Lo, M.Hi - M.Lo);
  R.Mapped.clear();
  B.release(R.Base, R.Bytes);
  homesChanged();
}

/// Gives R back, or keeps it for later. No work that was enqueued uses it.
void MemoryManager::recycle(MappedRange R) {
  if (!KeepsFreed || R.Homes.anyAt(Host) || Scarce || Frames.any())
    unmapRange(std::move(R));
  else
    Pool.put(std::move(R));
}

/// Returns an allocation of Bytes bytes in a range that was kept; null if there
/// is none.
std::shared_ptr<Allocation> MemoryManager::reuse(uint64_t Bytes) {
  // Bytes may be close to 2^64; there is no range of size 0.
  const uint64_t Mapped = (Bytes + PageSize - 1) / PageSize * PageSize;
  if (!Pool.has(Mapped))
    return nullptr;
  std::optional<MappedRange> R = Pool.take(Mapped, newHomes(Mapped, Bytes));
  if (!R)
    return nullptr;
  if (R->Last && R->Last->bytes() != Bytes)
    forgetLast(*R);
  std::shared_ptr<Allocation> A = std::move(R->Last);
  if (!A) {
    A = std::make_shared<Allocation>(R->Base, Bytes, AllocationKind::Device);
    homesChanged();
  }
  A->written();
  A->Homes = std::move(R->Homes);
  A->Mapped = std::move(R->Mapped);
  return A;
}

/// Returns true if all of the memory behind a range is mapped there. A part of
/// it that is left behind a move holds all of it.
static bool isWhole(const std::vector<MappedPages> &Mapped) {
  return std::all_of(Mapped.begin(), Mapped.end(), [](const MappedPages &M) {
    return M.Hi - M.Lo == M.Memory->bytes();
  });
}

/// Takes the pages of A, which nobody uses any more, out of it and gives them
/// back, or keeps them for later.
void MemoryManager::recyclePages(std::shared_ptr<Allocation> A) {
  const uint64_t Mapped = (A->bytes() + PageSize - 1) / PageSize * PageSize;
  MappedRange R = {A->base(), Mapped, std::move(A->Homes), std::move(A->Mapped),
                   nullptr};
  A->Homes = {};
  A->Mapped.clear();
  // Other processes may still have shared memory mapped.
  if (A->IsShared || !isWhole(R.Mapped) ||
      !(A->IsWhereChosen || R.Homes == newHomes(Mapped, A->bytes())))
    return unmapRange(std::move(R));
  A->written();
  A->resetMisplaced();
  A->Moves = 0;
  R.Last = std::move(A);
  recycle(std::move(R));
}

/// Returns a small allocation of Bytes bytes that was kept, the one with the
/// lowest address; null if there is none.
std::shared_ptr<Allocation> MemoryManager::reusePiece(uint64_t Bytes) {
  MutexLock Guard(SubPagesLock);
  auto Found = FreedPieces.end();
  for (auto It = FreedPieces.begin(); It != FreedPieces.end(); ++It)
    if ((*It)->bytes() == Bytes &&
        (Found == FreedPieces.end() || (*It)->base() < (*Found)->base()))
      Found = It;
  if (Found == FreedPieces.end())
    return nullptr;
  std::shared_ptr<Allocation> A = std::move(*Found);
  FreedPieces.erase(Found);
  FreedPieceBytes -= Bytes;
  A->written();
  return A;
}

/// Keeps a small allocation, which nobody uses any more, for later.
void MemoryManager::recyclePiece(std::shared_ptr<Allocation> A) {
  A->written();
  A->resetMisplaced();
  MutexLock Guard(SubPagesLock);
  FreedPieceBytes += A->bytes();
  FreedPieces.push_back(std::move(A));
  // Other processes may still have shared memory mapped: it goes with its page.
  const bool Keeps = KeepsFreed && !FreedPieces.back()->IsShared;
  freePieces(Keeps ? MostPieces : 0, MostPiecePages * PageSize);
}

/// Frees small allocations that are kept until there are so few.
void MemoryManager::freePieces(size_t Most, uint64_t MostBytes) {
  while (FreedPieces.size() > Most || FreedPieceBytes > MostBytes) {
    const std::shared_ptr<Allocation> A = std::move(FreedPieces.front());
    FreedPieces.pop_front();
    FreedPieceBytes -= A->bytes();
    homesChanged();
    SubPages.free(A->base(), A->bytes());
  }
}

/// Maps new pages at a new address.
Expected<MappedRange> MemoryManager::mapRange(Location Where, uint64_t Bytes) {
  Expected<std::unique_ptr<Pages>> Memory = createPages(Where, Bytes);
  if (!Memory)
    return Memory.error();
  void *Address = nullptr;
  if (cudaError_t Error = B.reserve(Bytes, Address))
    return Error;
  if (cudaError_t Error = B.map(Address, **Memory, 0, Bytes)) {
    B.release(Address, Bytes);
    return Error;
  }
  MappedRange Out = {static_cast<std::byte *>(Address),
                     Bytes,
                     PageHomes(Bytes, Where),
                     {},
                     nullptr};
  Out.Mapped.push_back({0, Bytes, 0, std::move(*Memory)});
  NewRanges.fetch_add(1, std::memory_order_relaxed);
  return Out;
}

/// Returns a page for small allocations that was kept.
Expected<MappedRange> MemoryManager::pooledSlab() {
  std::optional<MappedRange> Out = Pool.take(PageSize, PageHomes(PageSize, 0));
  if (!Out)
    return cudaErrorMemoryAllocation;
  forgetLast(*Out);
  return std::move(*Out);
}

Expected<MappedRange> MemoryManager::createSlab() {
  for (Location Where : homesFrom(0)) {
    Expected<MappedRange> Out = mapRange(Where, PageSize);
    if (Out && Where == Host) {
      ++HostPages;
      PushedToHost += PageSize;
    } else if (Out && Where != 0) {
      Displaced += PageSize;
    }
    if (Out.error() != cudaErrorMemoryAllocation)
      return Out;
  }
  return cudaErrorMemoryAllocation;
}

/// Takes back a page that no small allocation is in.
void MemoryManager::recycleSlab(MappedRange Page) {
  if (Page.Homes.anyAt(Host))
    --HostPages;
  recycle(std::move(Page));
}

/// Frees all small allocations that are kept, and pages that nothing else is
/// in.
void MemoryManager::releasePieces() {
  MutexLock Guard(SubPagesLock);
  freePieces(0, 0);
}

void MemoryManager::releaseKept() {
  collectFreed(true);
  releasePieces();
  {
    MutexLock Guard(SubPagesLock);
    SubPages.releaseEmpty();
  }
  Pool.empty();
}

} // namespace gridspan
