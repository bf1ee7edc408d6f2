//===- Pager.h - Memory whose home is the host ------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An allocation that the devices cannot hold, or that the host touches too, is
// paged. Its address is memory of the host, and stays that: always valid, for
// the host at any time, for devices and foreign code from ensureReady() on,
// which pins it. So an address that nobody predicted works, over the bus.
//
// Devices hold frames of it, equal parts, as a cache, and a launch whose
// pointers may be moved (GridspanRedirectable) gets addresses that lead there.
// What a chunk of it touches is loaded before. A frame is in a slot of its
// device's ring, which is mapped for good (FrameRings.h), or has pages of its
// own; where frames that a chunk touches are not contiguous in a ring, they are
// mapped at their own offsets of a second range of addresses, the shadow.
//
// A frame that a launch wrote is dirty: the host's copy is old until it is
// saved. Only out-of-core launches touch frames, and they are complete when
// they return, so between launches frames rest.
//
// Whoever lets something touch the allocation's own address says so first with
// hostAccess(), which saves what is dirty there and, when it is about to be
// written, forgets the frames.
//
// Why not pages of the host at the addresses of frames that are away, so that
// one range is enough: mapping host memory through the driver costs 75 ms a GiB
// and unmapping 35, against 20 for a copy and 1 for mapping memory of a device
// (bench/results). Memory of the program's kind is also made ten times as
// fast as the driver's.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_MEMORY_PAGER_H
#define GRIDSPAN_RUNTIME_MEMORY_PAGER_H

#include "runtime/memory/Allocation.h"
#include "runtime/memory/HostBackingPool.h"
#include "runtime/memory/PagedMemory.h"
#include "runtime/memory/PagedView.h"
#include "runtime/memory/PlacementLock.h"
#include "runtime/support/Expected.h"
#include "runtime/support/ThreadSafety.h"
#include <deque>
#include <map>
#include <set>
#include <span>

namespace gridspan {

/// A frame that was given pages on a device for what a copy brings.
struct EarlyFrame {
  uint32_t Frame;
  int Device;
};

/// Thread-safe, except where a function asks for the placement lock.
class Pager {
public:
  explicit Pager(Backend &B);
  ~Pager();

  /// A new allocation at an address of the host for which nothing is made yet.
  Expected<std::shared_ptr<Allocation>> create(uint64_t Bytes,
                                               AllocationKind Kind);
  /// Makes A paged, whose address the backend reserved: pages are made that
  /// take the place of what is mapped there when they are made ready.
  cudaError_t convert(Allocation &A);
  /// An allocation at memory that the program has, and lends: Bytes from the
  /// first byte of a page of the system on, of which those before First are not
  /// its own. Nothing is copied; detach() leaves the memory to the program.
  std::shared_ptr<Allocation> adopt(std::byte *Page, uint64_t First,
                                    uint64_t Bytes);
  /// Frees everything but an address that the backend reserved. Nobody uses A
  /// any more.
  void detach(Allocation &A);
  /// True if any allocation is paged.
  bool any() const { return Count.load(std::memory_order_acquire) != 0; }
  /// The size of a frame.
  uint64_t frameBytes() const { return FrameBytes; }
  /// Bytes that paged memory may take from the host yet, at most.
  uint64_t promised() const { return Promised; }
  /// Returns the bytes that A really may take: looks at every page.
  uint64_t untouched(const Allocation &A) const;
  /// Bytes on Device that no frame uses: trim() gives them back.
  uint64_t idle(int Device) const;
  /// Gives back as many of them as Bytes, or all if there are fewer; false
  /// without any. Those in no ring go first, as the others are mapped.
  bool trim(int Device, uint64_t Bytes);
  /// Gives back pages that no frame uses.
  void trim();

  /// Something is about to touch bytes [Lo, Hi) at A's own address.
  cudaError_t hostAccess(Allocation &A, uint64_t Lo, uint64_t Hi, bool Writes)
      REQUIRES_SHARED(PlacementLock::Held);
  /// The host is about to write all of them.
  cudaError_t overwrite(Allocation &A, uint64_t Lo, uint64_t Hi)
      REQUIRES_SHARED(PlacementLock::Held);
  /// The same by devices, which the memory is pinned for.
  cudaError_t deviceAccess(Allocation &A, uint64_t Lo, uint64_t Hi, bool Writes)
      REQUIRES_SHARED(PlacementLock::Held);
  /// A part of an allocation as somebody reads it.
  struct Source {
    uint64_t Lo;
    uint64_t Hi;
    const std::byte *From; ///< of Lo
    Location Where;
  };
  /// Returns the places of bytes [Lo, Hi) of A, ascending. Dirty frames are
  /// read on their device, the rest on the host. A's Visitors are held until
  /// they are read.
  std::vector<Source> sources(const Allocation &A, uint64_t Lo, uint64_t Hi)
      REQUIRES_SHARED(PlacementLock::Held);

  /// Bytes [Lo, Hi) of A are about to be written on the host. Gives frames
  /// within, with which launches on Devices devices may begin, pages in rings
  /// there; the caller fills them, or takes them away with toHost(). In the
  /// order of their places in each device's part. A's Visitors are held until
  /// they are filled, and no frame in the range is on a device.
  std::vector<EarlyFrame> admit(Allocation &A, uint64_t Lo, uint64_t Hi,
                                unsigned Devices)
      REQUIRES_SHARED(PlacementLock::Held);

  /// Notes that memory may be written at its address without notice from now
  /// on. No frame is then brought before it is asked for.
  void expectUnseenWrites() { UnseenWrites = true; }

  //===--- With the placement lock held ---------------------------------===//

  /// Bytes that frames may take on Device, with those that do already.
  uint64_t budget(int Device) const;
  /// Frames of managed memory are to be written back, but for those whose bytes
  /// are all marked as accessed.
  PagedView view(const Allocation &A) const
      REQUIRES_SHARED(PlacementLock::Held);
  /// Marks more bytes of A so. Those behind its end do not count.
  void markAccessed(Allocation &A,
                    const boost::icl::interval_set<uint64_t> &Bytes)
      REQUIRES(PlacementLock::Held);
  void forgetAccessed(Allocation &A) REQUIRES_SHARED(PlacementLock::Held);
  std::vector<RingView> rings(const Allocation &A) const
      REQUIRES_SHARED(PlacementLock::Held);
  cudaError_t ensureReady(Allocation &A, uint64_t Lo, uint64_t Hi)
      REQUIRES_SHARED(PlacementLock::Held);
  /// A frame of a paged allocation.
  struct FrameOf {
    Allocation *Of;
    uint32_t Frame;
  };
  cudaError_t ensureReady(const std::vector<FrameOf> &Frames)
      REQUIRES_SHARED(PlacementLock::Held);
  /// True if the frame is pinned. Whoever asks holds the placement lock.
  bool isReady(const Allocation &A, PagedMemory::Frame &F) const;
  /// True if all of A is on the host and nowhere else, pinned.
  bool isPinnedAtHome(const Allocation &A) const
      REQUIRES_SHARED(PlacementLock::Held);
  /// Pins frames that are not, by several threads, which first make the pages
  /// that are missing. Returns the error of each; of those without, noteReady()
  /// tells the others. Any thread may, while another holds the placement lock.
  static std::vector<cudaError_t> pin(Backend &B,
                                      std::span<const FrameOf> Frames);
  /// Notes that it was pinned.
  void noteReady(const Allocation &A, PagedMemory::Frame &F)
      REQUIRES(PlacementLock::Held);
  /// Gives A a ring of Slots slots on Device, for frames that come; 0: none.
  /// Frames in one of another size stay, with pages of their own.
  cudaError_t setRing(Allocation &A, int Device, uint32_t Slots)
      REQUIRES(PlacementLock::Held);
  /// True if the frame's slot on Device is free and has pages, so that
  /// toDevice() maps nothing.
  bool hasFreeFrameSlot(const Allocation &A, uint32_t Frame, int Device) const
      REQUIRES_SHARED(PlacementLock::Held);
  /// Gives a frame pages on Device, with undefined contents: of the ring, if
  /// there is one with a free slot and it may, or of its own.
  cudaError_t toDevice(Allocation &A, uint32_t Frame, int Device,
                       bool InRing = true) REQUIRES_SHARED(PlacementLock::Held);
  /// Returns the frame's address on its device, for copies.
  static std::byte *address(const Allocation &A, uint32_t Frame);
  /// Returns the distance that moves a pointer into A to lead to frames
  /// [Lo, Hi), which are on devices, for work on Device.
  Expected<ptrdiff_t> distance(Allocation &A, uint32_t Lo, uint32_t Hi,
                               int Device) REQUIRES(PlacementLock::Held);
  /// Takes a frame's pages away again. Nobody uses them, or they stay mapped:
  /// keepsPages().
  cudaError_t toHost(Allocation &A, uint32_t Frame)
      REQUIRES_SHARED(PlacementLock::Held);
  /// Takes away all frames of A that hold nothing but what the host's copy
  /// does; false without any. Nobody uses them.
  bool forgetClean(Allocation &A) REQUIRES_SHARED(PlacementLock::Held);
  /// True if toHost() unmaps nothing.
  static bool keepsPages(const PagedMemory::Frame &F) {
    return F.Window && !F.Shadowed;
  }
  /// Memory of the host that is only kept for later allocations.
  HostBackingPool &backingPool() { return Backings; }

private:
  uint64_t budgetLocked(int Device) const REQUIRES(Lock);
  struct Range {
    uint32_t First, Last;
  };
  void attach(Allocation &A, std::unique_ptr<PagedMemory> P);
  std::unique_ptr<PagedMemory> makeFrames(uint64_t Bytes, AllocationKind Kind,
                                          bool Anonymous) const;
  static Range framesOf(const PagedMemory &P, uint64_t Lo, uint64_t Hi);
  void noteReadyLocked(const Allocation &A, PagedMemory::Frame &F)
      REQUIRES(Lock);
  cudaError_t readyLocked(const std::vector<FrameOf> &Frames) REQUIRES(Lock);
  cudaError_t readyLocked(Allocation &A, uint64_t Lo, uint64_t Hi)
      REQUIRES(Lock);
  enum class Access { Reads, Writes, Overwrites };
  cudaError_t accessLocked(Allocation &A, uint64_t Lo, uint64_t Hi, Access How)
      REQUIRES(Lock);
  cudaError_t hostAccess(Allocation &A, uint64_t Lo, uint64_t Hi, Access How)
      REQUIRES_SHARED(PlacementLock::Held);
  cudaError_t shadow(PagedMemory &P, PagedMemory::Frame &F) REQUIRES(Lock);
  cudaError_t toFrameSlot(PagedMemory &P, uint32_t Frame, int Device)
      REQUIRES(Lock);
  cudaError_t toHostLocked(Allocation &A, uint32_t Frame) REQUIRES(Lock);
  cudaError_t unmapFrameSlot(PagedMemory::Ring &R, size_t Slot) REQUIRES(Lock);
  cudaError_t emptyFrameSlot(PagedMemory::Ring &R, uint32_t Slot)
      REQUIRES(Lock);
  void releaseRing(PagedMemory::Ring &R) REQUIRES(Lock);
  cudaError_t makeRing(PagedMemory::Ring &R, int Device, uint32_t Slots)
      REQUIRES(Lock);
  uint32_t slotsForEarly(int Device) const REQUIRES(Lock);
  cudaError_t dropRing(PagedMemory &P, int Device) REQUIRES(Lock);
  bool freeFrameSlot(int Device) REQUIRES(Lock);
  void giveBack(std::shared_ptr<Pages> Memory) REQUIRES(Lock);
  void trimLocked() REQUIRES(Lock);
  void dropUnused() REQUIRES(Lock);
  uint64_t dropOneUnused(int Device) REQUIRES(Lock);
  Expected<std::shared_ptr<Pages>> takePages(int Device, uint64_t Bytes)
      REQUIRES(Lock);

  Backend &B;
  const uint64_t PageSize;
  const uint64_t FrameBytes;
  const uint64_t ChunkBytes;
  std::atomic<int> Count{0};
  std::atomic<uint64_t> Promised{0};
  std::atomic<bool> UnseenWrites{false};
  mutable Mutex Lock; ///< guards the frames of all allocations
  std::unique_ptr<Stream> Saves GUARDED_BY(Lock); ///< of device 0
  /// Pages that no frame uses: by device, by size.
  std::vector<std::multimap<uint64_t, std::shared_ptr<Pages>>>
      Unused GUARDED_BY(Lock);
  /// Bytes of frames, of rings and of Unused, by device.
  std::vector<uint64_t> Held GUARDED_BY(Lock);
  /// Rings without frames, by device; the one put last is behind.
  std::vector<std::deque<PagedMemory::Ring>> IdleRings GUARDED_BY(Lock);
  std::set<PagedMemory *> All GUARDED_BY(Lock);
  HostBackingPool Backings;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_MEMORY_PAGER_H
