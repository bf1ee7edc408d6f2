//===- PagedAllocations.cpp - Allocations that become paged ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of MemoryManager for memory that is paged (Pager.h): from its
// allocation on, or once devices have to make room for frames.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/MemoryManager.h"
#include "runtime/memory/RoomForFrames.h"
#include "runtime/report/Tracing.h"
#include "runtime/support/HostMemoryOps.h"
#include "runtime/support/UntrackedCode.h"
#include <algorithm>
#include <functional>

namespace gridspan {

/// Memory is pinned for a copy in pieces of this many bytes.
static constexpr uint64_t PinnedPiece = uint64_t(128) << 20;

MemoryManager::NewAllocation MemoryManager::allocatePaged(uint64_t Bytes,
                                                          AllocationKind Kind) {
  NewAllocation Out = Frames.create(Bytes, Kind);
  if (!Out)
    return Out;
  ++HostPages;
  // Devices need their memory for frames.
  Pool.empty();
  size_t OnHost = 0, Total = 0;
  B.memoryInfo(Host, OnHost, Total);
  // What is only kept for later allocations would be missed.
  if (Frames.promised() > OnHost)
    Frames.backingPool().trim();
  cudaError_t Error = cudaSuccess;
  PlacementLock::assumeUnshared();
  // Code that is not ours has devices touch it without asking.
  if (mayTouchUnseen())
    Error = Frames.deviceAccess(**Out, 0, Bytes, true);
  if (Error) {
    destroy(std::move(*Out));
    return Error;
  }
  if (Kind == AllocationKind::Device)
    PushedToHost += Bytes;
  return Out;
}

/// Calls Do with each allocation that is paged, and goes on after an error.
template <typename Function>
cudaError_t MemoryManager::forPaged(Function &&Do) {
  if (!Frames.any())
    return cudaSuccess;
  cudaError_t First = cudaSuccess;
  for (const std::shared_ptr<Allocation> &A : Space.all()) {
    const cudaError_t Error = A->Paged ? Do(*A) : cudaSuccess;
    First = First ? First : Error;
  }
  return First;
}

cudaError_t MemoryManager::accessEverything(bool Writes) {
  return forPaged([&](Allocation &A) REQUIRES_SHARED(PlacementLock::Held) {
    return Frames.deviceAccess(A, 0, A.bytes(), Writes);
  });
}

cudaError_t MemoryManager::writeBackAll() {
  const cudaError_t Error =
      forPaged([&](Allocation &A) REQUIRES_SHARED(PlacementLock::Held) {
        return Frames.hostAccess(A, 0, A.bytes(), true);
      });
  Frames.trim();
  return Error;
}

/// Pins or unpins memory of the host, by several threads. Only for speed.
static void setPinned(Backend &B, std::byte *At, uint64_t Bytes, bool Pinned) {
  HostSpan Span(Pinned ? Activity::Pin : Activity::Unpin, Bytes);
  inParallel((Bytes + PinnedPiece - 1) / PinnedPiece, Bytes, [&](size_t I) {
    const uint64_t Lo = I * PinnedPiece;
    (void)(Pinned ? B.hostRegister(At + Lo, std::min(PinnedPiece, Bytes - Lo),
                                   cudaHostRegisterPortable)
                  : B.hostUnregister(At + Lo));
  });
}

/// Gives A, whose contents are elsewhere, pages of the host; on failure it has
/// its own again.
cudaError_t MemoryManager::replacePages(Allocation &A, uint64_t Bytes) {
  if (cudaError_t Error = Frames.convert(A))
    return Error;
  for (const MappedPages &M : A.Mapped)
    (void)B.unmap(A.base() + M.Lo, M.Hi - M.Lo);
  if (cudaError_t Error = Frames.hostAccess(A, 0, Bytes, true)) {
    Frames.detach(A);
    restore(A, 0, Bytes);
    for (const MappedPages &M : A.Mapped)
      A.Homes.set(M.Lo, M.Hi, M.Memory->location());
    return Error;
  }
  A.Mapped.clear();
  ++HostPages;
  return cudaSuccess;
}

/// Copies all of A to the host and gives back what it has on devices.
cudaError_t MemoryManager::makePaged(Allocation &A, Stream &S) {
  const uint64_t Bytes = (A.bytes() + PageSize - 1) / PageSize * PageSize;
  auto *Copy = static_cast<std::byte *>(reserveHostMemory(Bytes));
  if (!Copy)
    return cudaErrorMemoryAllocation;
  Scarce = true;
  setPinned(B, Copy, Bytes, true);
  cudaError_t Error = cudaSuccess;
  for (uint64_t Lo = 0; Lo < Bytes && !Error; Lo += PinnedPiece)
    Error =
        B.copy(S, Copy + Lo, A.base() + Lo, std::min(PinnedPiece, Bytes - Lo));
  cudaError_t Copying = B.synchronize(S);
  setPinned(B, Copy, Bytes, false);
  Error = Error ? Error : Copying;
  if (!Error)
    Error = replacePages(A, Bytes);
  if (!Error) {
    HostSpan Span(Activity::Migration, Bytes);
    copyHostBytes(A.base(), Copy, Bytes);
  }
  releaseHostMemory(Copy, Bytes);
  return Error;
}

void MemoryManager::noteUse(
    const std::vector<std::shared_ptr<Allocation>> &Of) {
  const uint64_t Number = Uses.fetch_add(1, std::memory_order_relaxed) + 1;
  for (const std::shared_ptr<Allocation> &A : Of)
    if (A)
      A->LastUse.store(Number, std::memory_order_relaxed);
}

/// Returns the bytes by which less than half of Device is left.
uint64_t MemoryManager::lackingForFrames(
    int Device, const std::vector<std::shared_ptr<Allocation>> &Of) const {
  const uint64_t Left = Frames.budget(Device) + replicaBytes(Of, Device);
  const uint64_t Half = B.system().Devices[Device].MemoryBytes / 2;
  return Half > Left ? Half - Left : 0;
}

bool MemoryManager::lacksRoomForFrames(
    int Device, const std::vector<std::shared_ptr<Allocation>> &Of) const {
  return lackingForFrames(Device, Of) != 0;
}

/// The same as makeRoomForFrames() on one device. What cannot become paged is
/// not tried again.
cudaError_t
MemoryManager::makeRoomOn(int Device,
                          const std::vector<std::shared_ptr<Allocation>> &All,
                          Stream &S) {
  std::vector<std::shared_ptr<Allocation>> Movable;
  for (const std::shared_ptr<Allocation> &A : All)
    if (A->kind() == AllocationKind::Device && A->isMovable())
      Movable.push_back(A);
  while (const uint64_t Lacking = lackingForFrames(Device, All)) {
    std::vector<RoomCandidate> Of;
    for (const std::shared_ptr<Allocation> &A : Movable)
      Of.push_back({A->LastUse.load(std::memory_order_relaxed),
                    A->Homes.bytesAt(0, A->bytes(), Device)});
    const std::vector<size_t> Leaving = leavingForFrames(Of, Lacking);
    if (Leaving.empty())
      break;
    for (size_t I : Leaving) {
      const cudaError_t Error = makePaged(*Movable[I], S);
      if (!Error)
        homesChanged();
      else if (Error != cudaErrorMemoryAllocation)
        return Error;
    }
    std::vector<size_t> Tried = Leaving;
    std::sort(Tried.begin(), Tried.end(), std::greater<>());
    for (size_t I : Tried)
      Movable.erase(Movable.begin() + static_cast<ptrdiff_t>(I));
  }
  return cudaSuccess;
}

cudaError_t MemoryManager::makeRoomForFrames(Stream &S) {
  Pool.empty();
  const std::vector<std::shared_ptr<Allocation>> All = Space.all();
  for (unsigned D = 0; D < B.system().numDevices(); ++D)
    if (cudaError_t Error = makeRoomOn(static_cast<int>(D), All, S))
      return Error;
  return cudaSuccess;
}

/// Bytes that paged memory really has not taken from the host yet: those that
/// the program filled are taken already.
uint64_t MemoryManager::untouched() {
  PlacementReader Guard(Placement);
  uint64_t Sum = 0;
  (void)forPaged([&](const Allocation &A) {
    Sum += Frames.untouched(A);
    return cudaSuccess;
  });
  return Sum;
}

} // namespace gridspan
