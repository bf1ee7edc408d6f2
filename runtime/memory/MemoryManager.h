//===- MemoryManager.h - The program's device memory ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns cudaMalloc and its kin into reserved addresses with pages at chosen
// places, and moves pages. Where pages go first: contiguous equal shares over
// all devices when some kernel of the program may be split, else device 0;
// where a device is full, the others. What devices have no room for is paged
// (Pager.h). What the host touches too is unified memory of the backend, as
// long as devices have room for it, and then paged as well.
//
// Thread-safe, except where a function asks for the placement lock.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_MEMORY_MEMORYMANAGER_H
#define GRIDSPAN_RUNTIME_MEMORY_MEMORYMANAGER_H

#include "runtime/memory/AddressSpace.h"
#include "runtime/memory/AllocationPolicy.h"
#include "runtime/memory/DeferredFrees.h"
#include "runtime/memory/OwnedBytes.h"
#include "runtime/memory/Pager.h"
#include "runtime/memory/PlacementLock.h"
#include "runtime/memory/RangePool.h"
#include "runtime/memory/SubPageAllocator.h"
#include "runtime/support/Expected.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <deque>
#include <vector>

namespace gridspan {

class MemoryManager {
public:
  /// Stripe returns true if an allocation of that many bytes, a page at least,
  /// is to be spread over the devices.
  /// KeepsFreed: freed memory may stay mapped for later allocations.
  MemoryManager(Backend &B, std::function<bool(uint64_t)> Stripe,
                bool KeepsFreed = true);
  ~MemoryManager();

  /// Bytes is not 0.
  Expected<void *> allocate(uint64_t Bytes, AllocationKind Kind);
  /// Waits for all devices. cudaErrorInvalidValue for what is no allocation's
  /// first byte.
  cudaError_t free(void *Address);

  /// The same for all that there is, but for what Keep returns true.
  cudaError_t freeAll(const std::function<bool(const Allocation &)> &Keep);
  /// Gives back what is only kept for later allocations.
  void releaseKept();

  /// Makes Bytes of the host's memory from At on, which the program lends, an
  /// allocation that is paged, without a copy, until giveBack(). Writes: it may
  /// be written. Lent memory may be lent again, in whole or in part. Returns
  /// false, and does nothing, for less than is worth it, and where its pages
  /// are partly pinned or those of other memory that is lent.
  bool borrow(std::byte *At, uint64_t Bytes, bool Writes);
  /// Brings what is lent at At up to date; for the last who has borrowed it,
  /// after all devices have come here, and it is the program's again, also on
  /// an error. cudaErrorInvalidValue if none is.
  cudaError_t giveBack(std::byte *At);

  /// Allocates in the order of S, a stream of device 0. The memory is free when
  /// S has come here. An allocation of the same size on S before that gets it
  /// again.
  Expected<void *> allocateAsync(uint64_t Bytes, Stream &S);
  cudaError_t freeAsync(void *Address, Stream &S);
  /// Takes back what was freed so and is free now. Nobody uses it.
  void collectFreedLocked() REQUIRES(PlacementLock::Held);
  /// Returns the allocation of Address if it was freed behind work that devices
  /// still have to do.
  std::shared_ptr<Allocation> findFreed(const void *Address) const {
    return Frees.find(Address);
  }
  /// S is about to be destroyed.
  void forget(const Stream &S) { Frees.forget(S); }

  std::shared_ptr<Allocation> find(const void *Address) const {
    return Space.find(Address);
  }
  /// AddressSpace's.
  Allocation *peek(const void *Address) const
      REQUIRES_SHARED(PlacementLock::Held) {
    return Space.peek(Address);
  }

  /// Bytes that went elsewhere than they should have, for lack of room, so far.
  struct Shortage {
    uint64_t
        OtherDevices; ///< to a device other than the one they were meant for
    uint64_t OnHost;  ///< to the host
  };
  Shortage shortage() const {
    return {Displaced.load(std::memory_order_relaxed),
            PushedToHost.load(std::memory_order_relaxed)};
  }

  /// Numbers of ranges of device memory, so far.
  struct RangeCounts {
    uint64_t Mapped = 0;   ///< that were made
    uint64_t Reused = 0;   ///< that were kept, and then used again
    uint64_t Unmapped = 0; ///< that were kept, and then given back
  };
  RangeCounts ranges() const {
    return {NewRanges.load(std::memory_order_relaxed), Pool.reused(),
            Pool.unmapped()};
  }

  /// Bytes of all devices together.
  struct DeviceBytes {
    size_t Free = 0;
    size_t Total = 0;
  };
  /// What is only kept for later counts as free.
  DeviceBytes info();
  /// Returns the memory of all devices. Programs ask for it often, as one of
  /// many properties, and it gives nothing back.
  size_t totalBytes();
  /// True if kernels may meet pages or registered memory on the host.
  bool hostPagesExist() const { return HostPages.load() != 0; }
  void addHostPages(int Count) { HostPages += Count; }

  /// True if any allocation is unified memory.
  bool anyUnified() const {
    return NumUnified.load(std::memory_order_relaxed) != 0;
  }
  /// The program has waited for devices, so that it may touch unified memory
  /// before the next launch; how often it has.
  void noteHostSync() { HostSyncs.fetch_add(1, std::memory_order_relaxed); }
  uint64_t hostSyncs() const {
    return HostSyncs.load(std::memory_order_relaxed);
  }

  /// Enqueues in S that bytes of A, unified memory, come to their homes, or to
  /// the host. Only for speed.
  void prefetch(const Allocation &A, uint64_t At, uint64_t Bytes, bool ToHost,
                Stream &S) REQUIRES_SHARED(PlacementLock::Held);

  Pager &pager() { return Frames; }
  /// Devices are about to touch all that is paged at its own address: something
  /// runs of which nobody knows what it touches.
  cudaError_t accessEverything(bool Writes)
      REQUIRES_SHARED(PlacementLock::Held);
  /// Saves all frames and takes them off the devices.
  cudaError_t writeBackAll() REQUIRES_SHARED(PlacementLock::Held);
  std::vector<std::shared_ptr<Allocation>> all() const { return Space.all(); }

  /// True if less than half of Device is left for frames and for the replicas
  /// of these allocations.
  bool
  lacksRoomForFrames(int Device,
                     const std::vector<std::shared_ptr<Allocation>> &Of) const
      REQUIRES(PlacementLock::Held);
  /// A launch beside paged memory is about to use these allocations, or nulls.
  void noteUse(const std::vector<std::shared_ptr<Allocation>> &Of);
  /// Makes room for frames: allocations that are on devices for good become
  /// paged, with their contents, until half of each device is left for frames,
  /// those first that launches have not used for the longest time. The epoch
  /// has changed if some did. No work that was enqueued uses any of
  /// them.
  cudaError_t makeRoomForFrames(Stream &S) REQUIRES(PlacementLock::Held);

  /// Held shared while work is enqueued that relies on where pages are, alone
  /// while they are remapped.
  PlacementLock &placementLock() { return Placement; }
  /// Changes whenever addresses get other pages, or another allocation; a
  /// cached decision of another epoch is void.
  uint64_t epoch() const { return Epoch.load(std::memory_order_acquire); }
  void homesChanged() { Epoch.fetch_add(1, std::memory_order_release); }

  /// Gives pages [Lo, Hi) of A a new home, using S for the copy; on failure all
  /// is as before. No work that was enqueued uses A any more.
  cudaError_t move(Allocation &A, uint64_t Lo, uint64_t Hi, Location To,
                   Stream &S) REQUIRES(PlacementLock::Held);

  /// Makes memory that other processes can map of the pages of A, which stay
  /// where they are from then on. Uses S for copies. Returns how they get them,
  /// and the offset of A in them; cudaErrorNotSupported for memory that is not
  /// on a device. No work that was enqueued uses A or what is in the same page.
  Expected<SharedPages> share(Allocation &A, uint64_t &Offset, Stream &S)
      REQUIRES(PlacementLock::Held);
  /// Makes an allocation of memory that another process shares. Ends by free().
  Expected<void *> openShared(const SharedPages &From);

  /// A copy of A on Device without contents; cudaErrorMemoryAllocation when
  /// there is no room.
  Expected<std::unique_ptr<Replica>> createReplica(const Allocation &A,
                                                   int Device);
  /// Memory on Device for Bytes bytes of a copy, without contents.
  Expected<std::unique_ptr<Replica>> createReplica(uint64_t Bytes, int Device);
  /// Nobody may use it any more.
  void destroyReplica(Replica &R);
  /// Memory on Device for private copies, of undefined contents;
  /// cudaErrorMemoryAllocation when there is no room.
  Expected<std::unique_ptr<PrivateBuffer>> createPrivateBuffer(uint64_t Bytes,
                                                               int Device);
  /// What replicas own of allocations, and the lock of all replicas.
  OwnedBytes &owned() { return Owned; }
  const OwnedBytes &owned() const { return Owned; }
  /// Lets what comes next in S find everything at home: something runs of which
  /// nobody knows what it touches.
  cudaError_t bringAllHome(Stream &S) REQUIRES_SHARED(PlacementLock::Held);
  /// Takes away the replicas and private buffers of A. Nobody uses them any
  /// more.
  void destroyCopies(Allocation &A);
  /// Bytes of the replicas that these allocations, or nulls, have on Device.
  static uint64_t
  replicaBytes(const std::vector<std::shared_ptr<Allocation>> &Of, int Device);
  /// Takes away the replicas, and private buffers, of all allocations but
  /// these, and but those that own bytes. No work that was enqueued uses them
  /// any more.
  void dropReplicasBut(const std::vector<std::shared_ptr<Allocation>> &Except)
      REQUIRES(PlacementLock::Held);

private:
  using NewAllocation = Expected<std::shared_ptr<Allocation>>;

  Expected<std::unique_ptr<Pages>> createPages(Location Where, uint64_t Bytes);
  Expected<MappedRange> mapRange(Location Where, uint64_t Bytes);
  Expected<MappedRange> mapCopy(int Device, uint64_t Bytes);
  Expected<MappedRange> pooledSlab();
  Expected<MappedRange> createSlab();
  void recycleSlab(MappedRange Page);
  void recycle(MappedRange R);
  void recyclePages(std::shared_ptr<Allocation> A);
  void unmapRange(MappedRange R);
  void forgetLast(MappedRange &R);
  void *handOut(std::shared_ptr<Allocation> A);
  uint64_t
  lackingForFrames(int Device,
                   const std::vector<std::shared_ptr<Allocation>> &Of) const
      REQUIRES(PlacementLock::Held);
  cudaError_t makeRoomOn(int Device,
                         const std::vector<std::shared_ptr<Allocation>> &All,
                         Stream &S) REQUIRES(PlacementLock::Held);
  std::shared_ptr<Allocation> reuse(uint64_t Bytes);
  std::shared_ptr<Allocation> reusePiece(uint64_t Bytes);
  void recyclePiece(std::shared_ptr<Allocation> A);
  void releasePieces();
  void freePieces(size_t Most, uint64_t MostBytes) REQUIRES(SubPagesLock);
  NewAllocation allocateSubPage(uint64_t Bytes,
                                const SubPageAllocator::PageSource &Source);
  NewAllocation allocateNew(uint64_t Bytes, AllocationKind Kind);
  NewAllocation tryAllocate(uint64_t Bytes, AllocationKind Kind,
                            MemoryRoom Room);
  Expected<uint64_t> mapFrom(uint64_t Lo, uint64_t Hi, Location First,
                             Allocation &A);
  Expected<uint64_t> mapOnDevices(uint64_t Mapped, uint64_t Bytes,
                                  Allocation &A);
  MemoryRoom roomOnDevices();
  void addHost(MemoryRoom &Room);
  uint64_t untouched();
  NewAllocation allocateOnDevices(uint64_t Bytes, AllocationKind Kind);
  NewAllocation allocatePaged(uint64_t Bytes, AllocationKind Kind);
  template <typename Function>
  cudaError_t forPaged(Function &&Do) REQUIRES_SHARED(PlacementLock::Held);
  NewAllocation allocateUnified(uint64_t Bytes);
  cudaError_t preferHomes(Allocation &A);
  cudaError_t moveUnified(Allocation &A, uint64_t Lo, uint64_t Hi, Location To,
                          Stream &S) REQUIRES(PlacementLock::Held);
  void destroyUnified(Allocation &A);
  std::vector<uint64_t> sharesOf(uint64_t Mapped, uint64_t Bytes) const;
  PageHomes newHomes(uint64_t Mapped, uint64_t Bytes) const;
  Location firstHome(unsigned Device) const;
  cudaError_t makePaged(Allocation &A, Stream &S) REQUIRES(PlacementLock::Held);
  cudaError_t replacePages(Allocation &A, uint64_t Bytes)
      REQUIRES(PlacementLock::Held);
  Expected<std::unique_ptr<Pages>>
  shareableCopy(const std::byte *At, uint64_t Bytes, Location Near, Stream &S);
  cudaError_t shareMapped(std::byte *Base, uint64_t Bytes,
                          std::optional<Location> Only,
                          std::vector<MappedPages> &Mapped, Stream &S,
                          SharedPages &Out);
  void unmapAll(Allocation &A);
  cudaError_t mapAt(uint64_t Lo, uint64_t Hi, Location Where, Allocation &A);
  std::vector<Location> homesFrom(Location First) const;
  void destroy(std::shared_ptr<Allocation> Freed);
  void restore(Allocation &A, uint64_t Lo, uint64_t Hi);
  void collectFreed(bool Wait);
  /// How long an allocation that lacks room waits for copies of other threads,
  /// which may wait for this one.
  static constexpr std::chrono::seconds PressurePatience{10};
  cudaError_t synchronizeAll();
  void dropReplicas();

  Backend &B;
  const std::function<bool(uint64_t)> Stripe;
  const bool KeepsFreed;
  const uint64_t PageSize;
  AddressSpace Space;
  Pager Frames;
  PlacementLock Placement;
  std::atomic<uint64_t> Epoch{1};
  std::atomic<int> HostPages{0};
  std::atomic<int> NumUnified{0};
  std::atomic<uint64_t> HostSyncs{1};
  std::atomic<size_t> TotalBytes{0}; ///< 0: not asked yet
  std::atomic<uint64_t> Uses{0};     ///< noted so far
  std::atomic<uint64_t> Displaced{0};
  std::atomic<uint64_t> PushedToHost{0};
  /// Some allocation had to leave the devices for others.
  std::atomic<bool> Scarce{false};
  std::atomic<uint64_t> NewRanges{0};
  RangePool Pool;
  OwnedBytes Owned;

  Mutex SubPagesLock;
  SubPageAllocator SubPages GUARDED_BY(SubPagesLock);
  /// Small allocations that were freed, for others of their sizes; the first to
  /// come is in front.
  std::deque<std::shared_ptr<Allocation>> FreedPieces GUARDED_BY(SubPagesLock);
  uint64_t FreedPieceBytes GUARDED_BY(SubPagesLock) = 0;

  DeferredFrees Frees;
  Mutex BorrowLock; ///< guards the counts of borrowers
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_MEMORY_MEMORYMANAGER_H
