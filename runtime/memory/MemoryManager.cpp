//===- MemoryManager.cpp - The program's device memory --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocating, freeing and moving pages. An allocation reserves addresses once
// and for all; only the pages behind them change. Pages are made in pieces, so
// that a range that moves gives its memory back.
//
// move() makes the new pages, copies, and maps them in place of the old ones.
// It needs the placement lock alone and idle devices, because a range cannot be
// given other pages at one stroke (CUDA Driver API, cuMemMap). When a step
// fails the old pages are mapped again.
//
// Memory that is short is taken, in this order, from freed allocations that
// still wait, from replicas, from ranges that are kept for later, and from
// pages that the pager keeps.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/MemoryManager.h"
#include "runtime/report/Tracing.h"
#include "runtime/support/ChosenDevice.h"
#include <algorithm>

namespace gridspan {

/// Physical memory is made in pieces, so that a part that moves away gives its
/// memory back: of this many pages at least, and not more than this many pieces
/// for one share, since each costs a few calls.
static constexpr uint64_t PagesPerPiece = 32;
static constexpr uint64_t PiecesPerShare = 64;

MemoryManager::MemoryManager(Backend &Devices,
                             std::function<bool(uint64_t)> Stripe,
                             bool KeepsFreed)
    : B(Devices), Stripe(std::move(Stripe)), KeepsFreed(KeepsFreed),
      PageSize(B.system().PageSize), Frames(B),
      Pool(B.system(), [this](MappedRange R) { unmapRange(std::move(R)); }),
      Owned(B),
      SubPages(PageSize,
               [this](MappedRange Page) { recycleSlab(std::move(Page)); }),
      Frees(B) {}

MemoryManager::~MemoryManager() {
  collectFreed(true);
  for (std::shared_ptr<Allocation> &A : Space.all())
    destroy(std::move(A));
  releasePieces();
}

/// Returns the places to try for pages, First before all others. Devices that
/// cannot be reached are not among them.
std::vector<Location> MemoryManager::homesFrom(Location First) const {
  std::vector<Location> Out = {First};
  if (First == Host)
    return Out;
  const SystemInfo &System = B.system();
  for (int D = 0; D < static_cast<int>(System.numDevices()); ++D)
    if (D != First && System.mayHoldPages(D))
      Out.push_back(D);
  Out.push_back(Host);
  return Out;
}

//===--- Allocating -----------------------------------------------------===//

/// Takes pages from those that are only kept for later, if need be.
Expected<std::unique_ptr<Pages>> MemoryManager::createPages(Location Where,
                                                            uint64_t Bytes) {
  std::unique_ptr<Pages> Out;
  cudaError_t Error = B.createPages(Where, Bytes, Out);
  while (Error == cudaErrorMemoryAllocation && Where != Host &&
         Pool.giveBack(Where, Bytes))
    Error = B.createPages(Where, Bytes, Out);
  while (Error == cudaErrorMemoryAllocation && Where != Host &&
         Frames.trim(Where, Bytes))
    Error = B.createPages(Where, Bytes, Out);
  if (Error)
    return Error;
  return Out;
}

MemoryManager::NewAllocation
MemoryManager::allocateSubPage(uint64_t Bytes,
                               const SubPageAllocator::PageSource &Source) {
  MutexLock Guard(SubPagesLock);
  const Expected<SubPageAllocator::Piece> Piece =
      SubPages.allocate(Bytes, Source);
  Guard.unlock();
  if (!Piece)
    return Piece.error();
  auto A = std::make_shared<Allocation>(
      static_cast<std::byte *>(Piece->Address), Bytes, AllocationKind::SubPage);
  A->Homes.set(0, Bytes, Piece->Where);
  return A;
}

/// Makes and maps pages [Lo, Hi) at Where, as many pieces as there is room for.
/// A holds what was mapped, also on failure.
cudaError_t MemoryManager::mapAt(uint64_t Lo, uint64_t Hi, Location Where,
                                 Allocation &A) {
  const uint64_t Piece =
      std::max(PagesPerPiece, (Hi - Lo) / PageSize / PiecesPerShare) * PageSize;
  while (Lo < Hi) {
    uint64_t Bytes = std::min(Hi - Lo, Piece);
    Expected<std::unique_ptr<Pages>> Memory = createPages(Where, Bytes);
    if (Memory.error() == cudaErrorMemoryAllocation && Bytes > PageSize) {
      Bytes = PageSize;
      Memory = createPages(Where, Bytes);
    }
    if (!Memory)
      return Memory.error();
    if (cudaError_t Error = B.map(A.base() + Lo, **Memory, 0, Bytes))
      return Error;
    A.Mapped.push_back({Lo, Lo + Bytes, 0, std::move(*Memory)});
    A.Homes.set(Lo, Lo + Bytes, Where);
    Lo += Bytes;
  }
  return cudaSuccess;
}

/// Maps pages [Lo, Hi) and returns the bytes that First had no room for. A
/// holds what was mapped, also on failure.
Expected<uint64_t> MemoryManager::mapFrom(uint64_t Lo, uint64_t Hi,
                                          Location First, Allocation &A) {
  uint64_t NotFirst = 0;
  for (Location Where : homesFrom(First)) {
    if (Where == Host)
      continue;
    const cudaError_t Error = mapAt(Lo, Hi, Where, A);
    const uint64_t Placed =
        A.Mapped.empty() ? Lo : std::max(Lo, A.Mapped.back().Hi);
    if (Where != First)
      NotFirst += Placed - Lo;
    if (!Error)
      return NotFirst;
    if (Error != cudaErrorMemoryAllocation)
      return Error;
    Lo = Placed;
  }
  return cudaErrorMemoryAllocation;
}

/// Room says what devices have.
MemoryManager::NewAllocation MemoryManager::tryAllocate(uint64_t Bytes,
                                                        AllocationKind Kind,
                                                        MemoryRoom Room) {
  if (Kind == AllocationKind::Device && Bytes < PageSize) {
    NewAllocation A = allocateSubPage(Bytes, [this] { return createSlab(); });
    // Where the host has no pages either, it has memory that can be paged.
    if (A.error() != cudaErrorMemoryAllocation)
      return A;
  }

  const bool Managed = Kind == AllocationKind::Managed;
  auto OnDevices = [&] {
    return Managed ? allocateUnified(Bytes) : allocateOnDevices(Bytes, Kind);
  };
  const bool LeavesRoom =
      Managed ? leavesRoomUnified(Bytes, Room) : leavesRoom(Bytes, Room);
  if (LeavesRoom) {
    NewAllocation A = OnDevices();
    // The room may be in too small pieces, or gone meanwhile.
    if (A.error() != cudaErrorMemoryAllocation)
      return A;
  }
  // What the host has takes long to find out, and what is promised in detail
  // longer; both seldom decide.
  addHost(Room);
  if (!hostHolds(Bytes, Room))
    Room.Promised = untouched();
  if (!LeavesRoom &&
      chooseHome(Bytes, Managed, Room) == AllocationHome::OnDevices) {
    NewAllocation A = OnDevices();
    if (A.error() != cudaErrorMemoryAllocation)
      return A;
  }
  if (!hostHolds(Bytes, Room))
    return cudaErrorMemoryAllocation;
  return allocatePaged(Bytes, Kind);
}

MemoryManager::NewAllocation
MemoryManager::allocateOnDevices(uint64_t Bytes, AllocationKind Kind) {
  const uint64_t Mapped = (Bytes + PageSize - 1) / PageSize * PageSize;
  void *Base = nullptr;
  if (cudaError_t Error = B.reserve(Mapped, Base))
    return Error;
  auto A =
      std::make_shared<Allocation>(static_cast<std::byte *>(Base), Bytes, Kind);
  const Expected<uint64_t> Elsewhere = mapOnDevices(Mapped, Bytes, *A);
  if (!Elsewhere) {
    destroy(std::move(A));
    return Elsewhere.error();
  }
  Displaced += *Elsewhere;
  NewRanges.fetch_add(1, std::memory_order_relaxed);
  return A;
}

MemoryRoom MemoryManager::roomOnDevices() {
  MemoryRoom Out;
  for (const DeviceInfo &D : B.system().Devices)
    Out.AllDevices += D.MemoryBytes;
  for (Location Where : homesFrom(0)) {
    size_t Free = 0, Total = 0;
    if (Where == Host)
      continue;
    B.memoryInfo(Where, Free, Total);
    Out.OnDevices += Free + Frames.idle(Where) + Pool.bytes(Where);
  }
  Out.Scarce = Scarce;
  return Out;
}

/// Adds what the host has.
void MemoryManager::addHost(MemoryRoom &Room) {
  size_t OnHost = 0, Total = 0;
  B.memoryInfo(Host, OnHost, Total);
  Room.OnHost = OnHost;
  Room.Pooled = Frames.backingPool().bytes();
  Room.Promised = Frames.promised();
}

/// Returns the home of the share of a new allocation that is Device's.
Location MemoryManager::firstHome(unsigned Device) const {
  return B.system().mayHoldPages(Device) ? static_cast<Location>(Device) : 0;
}

/// Returns where a new allocation of Mapped bytes in pages is divided: its
/// first share is meant for device 0, the next one for device 1, and so on.
std::vector<uint64_t> MemoryManager::sharesOf(uint64_t Mapped,
                                              uint64_t Bytes) const {
  const unsigned Devices = B.system().numDevices();
  if (Devices <= 1)
    return {0, Mapped};
  if (const std::optional<int> Whole = wholeDevice();
      Whole && *Whole < static_cast<int>(Devices)) {
    std::vector<uint64_t> Bounds(static_cast<size_t>(*Whole) + 1);
    Bounds.push_back(Mapped);
    return Bounds;
  }
  if (Mapped / PageSize < Devices ||
      !(chosenDevice() == EveryDevice || Stripe(Bytes)))
    return {0, Mapped};
  return equalShares(Mapped, PageSize, Devices);
}

/// Places a new allocation whose size is Mapped bytes in pages. Returns the
/// bytes that are not where they should be.
Expected<uint64_t> MemoryManager::mapOnDevices(uint64_t Mapped, uint64_t Bytes,
                                               Allocation &A) {
  uint64_t Elsewhere = 0;
  const std::vector<uint64_t> Bounds = sharesOf(Mapped, Bytes);
  for (unsigned D = 0; D + 1 < Bounds.size(); ++D) {
    const Expected<uint64_t> NotFirst =
        mapFrom(Bounds[D], Bounds[D + 1], firstHome(D), A);
    if (!NotFirst)
      return NotFirst;
    Elsewhere += *NotFirst;
  }
  return Elsewhere;
}

Expected<void *> MemoryManager::allocate(uint64_t Bytes, AllocationKind Kind) {
  collectFreed(false);
  std::shared_ptr<Allocation> A;
  if (Kind == AllocationKind::Device)
    A = Bytes < PageSize ? reusePiece(Bytes) : reuse(Bytes);
  if (!A) {
    NewAllocation New = allocateNew(Bytes, Kind);
    if (!New)
      return New.error();
    A = std::move(*New);
  }
  A->IsWhereChosen = chosenDevice() != NoChosenDevice;
  return handOut(std::move(A));
}

/// Has the address space know a new allocation, which the program is about to
/// use. Returns its address.
void *MemoryManager::handOut(std::shared_ptr<Allocation> A) {
  A->LastUse.store(Uses.fetch_add(1, std::memory_order_relaxed) + 1,
                   std::memory_order_relaxed);
  std::byte *const Base = A->base();
  Space.insert(std::move(A));
  return Base;
}

/// Allocates what no range that was kept can be.
MemoryManager::NewAllocation MemoryManager::allocateNew(uint64_t Bytes,
                                                        AllocationKind Kind) {
  NewAllocation A = cudaErrorMemoryAllocation;
  if (Kind == AllocationKind::Device && Bytes < PageSize)
    A = allocateSubPage(Bytes, [this] { return pooledSlab(); });
  if (A.error() == cudaErrorMemoryAllocation) {
    MemoryRoom Room = roomOnDevices();
    if (Kind == AllocationKind::Device && Bytes > Room.OnDevices) {
      // What is only waiting to be freed, or only makes things faster, goes.
      collectFreed(true);
      dropReplicas();
      releasePieces();
      Room = roomOnDevices();
    }
    A = tryAllocate(Bytes, Kind, Room);
  }
  homesChanged();
  return A;
}

//===--- Freeing --------------------------------------------------------===//

/// Precondition: nobody finds it any more. Decisions about what is not kept
/// for later are void.
void MemoryManager::destroy(std::shared_ptr<Allocation> Freed) {
  Allocation &A = *Freed;
  destroyCopies(A);
  A.Forms = {};
  if (A.kind() == AllocationKind::SubPage) {
    recyclePiece(std::move(Freed));
    return;
  }
  if (A.Unified) {
    homesChanged();
    destroyUnified(A);
    return;
  }
  const bool IsOfHost = A.Paged && (A.Paged->Anonymous || A.Paged->Adopted);
  if (A.Paged) {
    Frames.detach(A);
    --HostPages;
    homesChanged();
  }
  if (!IsOfHost)
    recyclePages(std::move(Freed));
}

cudaError_t MemoryManager::synchronizeAll() {
  cudaError_t First = cudaSuccess;
  for (unsigned D = 0; D < B.system().numDevices(); ++D) {
    cudaError_t Error = B.synchronizeDevice(static_cast<int>(D));
    First = First ? First : Error;
  }
  return First;
}

cudaError_t MemoryManager::free(void *Address) {
  std::shared_ptr<Allocation> A = Space.remove(Address);
  if (!A)
    return cudaErrorInvalidValue;
  const cudaError_t Error = B.synchronizeAll();
  // A launch of another thread may be reading where the pages are; it cannot be
  // using them.
  PlacementWriter Guard(Placement);
  destroy(std::move(A));
  return Error;
}

cudaError_t
MemoryManager::freeAll(const std::function<bool(const Allocation &)> &Keep) {
  cudaError_t First = cudaSuccess;
  for (const std::shared_ptr<Allocation> &A : Space.all()) {
    if (Keep(*A))
      continue;
    cudaError_t Error = free(A->base());
    First = First ? First : Error;
  }
  return First;
}

//===--- In stream order ------------------------------------------------===//

Expected<void *> MemoryManager::allocateAsync(uint64_t Bytes, Stream &S) {
  // Memory that is wanted at a place is not taken from elsewhere.
  const uint64_t Mapped = (Bytes + PageSize - 1) / PageSize * PageSize;
  std::shared_ptr<Allocation> A =
      Frees.reuse(Bytes, S, [&](const Allocation &Of) {
        return chosenDevice() == NoChosenDevice || Bytes < PageSize ||
               Of.Homes == newHomes(Mapped, Bytes);
      });
  if (!A)
    return allocate(Bytes, AllocationKind::Device);
  A->written();
  return handOut(std::move(A));
}

cudaError_t MemoryManager::freeAsync(void *Address, Stream &S) {
  return Frees.add([&] { return Space.remove(Address); }, S);
}

void MemoryManager::collectFreed(bool Wait) {
  if (!Frees.any())
    return;
  if (!Wait) {
    // A copy of another thread may hold the lock until the caller has done what
    // that waits for. What is free stays for the next call then.
    PlacementWriter Guard(Placement, std::defer_lock);
    if (!Guard.tryLock())
      return;
    collectFreedLocked();
    return;
  }
  std::vector<std::shared_ptr<Allocation>> Ready = Frees.collect(true);
  PlacementWriter Guard(Placement, std::defer_lock);
  if (!Guard.tryLockFor(PressurePatience)) {
    Frees.putBack(std::move(Ready));
    return;
  }
  for (std::shared_ptr<Allocation> &A : Ready)
    destroy(std::move(A));
}

void MemoryManager::collectFreedLocked() {
  for (std::shared_ptr<Allocation> &A : Frees.collect(false))
    destroy(std::move(A));
}

//===--- Moving and copying ---------------------------------------------===//

/// Maps pages [Lo, Hi) of A, where nothing is mapped, as A has it written down.
void MemoryManager::restore(Allocation &A, uint64_t Lo, uint64_t Hi) {
  for (const MappedPages &M : A.Mapped) {
    const uint64_t From = std::max(M.Lo, Lo), To = std::min(M.Hi, Hi);
    // They were mapped a moment ago; a driver that refuses them now is broken.
    if (From < To)
      (void)B.map(A.base() + From, *M.Memory, M.From + (From - M.Lo),
                  To - From);
  }
}

cudaError_t MemoryManager::move(Allocation &A, uint64_t Lo, uint64_t Hi,
                                Location To, Stream &S) {
  Lo = Lo / PageSize * PageSize;
  Hi = (Hi + PageSize - 1) / PageSize * PageSize;
  if (A.Unified)
    return moveUnified(A, Lo, Hi, To, S);
  TraceScope Scope(Activity::Migration);
  // The new pages are filled at an address of their own first.
  void *Address = nullptr;
  if (cudaError_t Error = B.reserve(Hi - Lo, Address))
    return Error;
  Allocation Moved(static_cast<std::byte *>(Address), Hi - Lo,
                   AllocationKind::Device);
  cudaError_t Error = mapAt(0, Hi - Lo, To, Moved);
  if (!Error)
    Error = B.copy(S, Address, A.base() + Lo, Hi - Lo);
  if (!Error)
    Error = B.synchronize(S);
  for (const MappedPages &M : Moved.Mapped)
    (void)B.unmap(Moved.base() + M.Lo, M.Hi - M.Lo);
  B.release(Address, Hi - Lo);
  if (Error)
    return Error;

  // Divide what is mapped at the edges, take the middle out, put the new pages
  // in.
  std::vector<MappedPages> Remaining;
  for (const MappedPages &M : A.Mapped) {
    if (M.Lo < Lo)
      Remaining.push_back({M.Lo, std::min(M.Hi, Lo), M.From, M.Memory});
    if (M.Hi > Hi) {
      const uint64_t From = std::max(M.Lo, Hi);
      Remaining.push_back({From, M.Hi, M.From + (From - M.Lo), M.Memory});
    }
  }
  (void)B.unmap(A.base() + Lo, Hi - Lo);
  for (MappedPages &M : Moved.Mapped) {
    Error = B.map(A.base() + Lo + M.Lo, *M.Memory, 0, M.Hi - M.Lo);
    if (Error) {
      if (M.Lo != 0)
        (void)B.unmap(A.base() + Lo, M.Lo);
      restore(A, Lo, Hi);
      return Error;
    }
    Remaining.push_back({Lo + M.Lo, Lo + M.Hi, 0, std::move(M.Memory)});
  }
  A.IsWhereChosen = false;
  std::sort(
      Remaining.begin(), Remaining.end(),
      [](const MappedPages &L, const MappedPages &R) { return L.Lo < R.Lo; });
  A.Mapped = std::move(Remaining);
  A.Homes.set(Lo, Hi, To);
  Epoch.fetch_add(1, std::memory_order_release);
  return Error;
}

MemoryManager::DeviceBytes MemoryManager::info() {
  collectFreed(false);
  releasePieces();
  DeviceBytes Out;
  for (unsigned D = 0; D < B.system().numDevices(); ++D) {
    size_t F = 0, T = 0;
    B.memoryInfo(static_cast<Location>(D), F, T);
    Out.Free +=
        F + Frames.idle(static_cast<int>(D)) + Pool.bytes(static_cast<int>(D));
    Out.Total += T;
  }
  return Out;
}

size_t MemoryManager::totalBytes() {
  size_t Out = TotalBytes.load(std::memory_order_relaxed);
  if (Out)
    return Out;
  for (unsigned D = 0; D < B.system().numDevices(); ++D) {
    size_t F = 0, T = 0;
    B.memoryInfo(static_cast<Location>(D), F, T);
    Out += T;
  }
  TotalBytes.store(Out, std::memory_order_relaxed);
  return Out;
}

} // namespace gridspan
