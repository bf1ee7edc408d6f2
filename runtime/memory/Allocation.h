//===- Allocation.h - One buffer of the program -----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Holds what a cudaMalloc of the program became: a range of addresses, the
// physical pages behind it, and copies of it that other devices hold.
//
// Everything but the counters is guarded by the placement lock of the runtime:
// launches and copies read it shared, whoever remaps pages holds it alone.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_MEMORY_ALLOCATION_H
#define GRIDSPAN_RUNTIME_MEMORY_ALLOCATION_H

#include "runtime/backend/CopyDirectory.h"
#include "runtime/backend/DeviceObjects.h"
#include "runtime/backend/PageHomes.h"
#include "runtime/backend/RecordForm.h"
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace gridspan {

enum class AllocationKind {
  Device,  ///< cudaMalloc: pages of its own
  SubPage, ///< cudaMalloc, smaller than a page: a piece of a slab
  Managed, ///< cudaMallocManaged: the host touches it too; paged or unified
};

/// Bytes [Lo, Hi) of an allocation are bytes of Memory from From on. Memory is
/// shared when a part of it was replaced after a move.
struct MappedPages {
  uint64_t Lo;
  uint64_t Hi;
  uint64_t From;
  std::shared_ptr<Pages> Memory;
};

/// A device's copy of an allocation, or of parts of it, at an address of its
/// own. Allocation::Copies says which bytes of it are good.
struct Replica {
  int Device;
  std::byte *Base = nullptr;
  uint64_t MappedBytes = 0;
  std::vector<MappedPages> Mapped;
  /// The event after the copies that filled it, and the launches whose writes
  /// it keeps, for work in other streams.
  std::unique_ptr<Event> Ready;
};

/// Memory of a device for private copies of parts of an allocation.
struct PrivateBuffer {
  int Device = 0;
  std::byte *Base = nullptr;
  uint64_t MappedBytes = 0;
  std::vector<MappedPages> Mapped;
  /// The event of device 0 after the last combination.
  std::unique_ptr<Event> Combined;
};

/// The bytes of an allocation in another order, in memory of device 0.
struct FormedCopy {
  RecordForm Form;
  Replica Memory;
  /// The contents that it has; nothing: none.
  std::optional<ContentsVersion> Of;
  /// True if the allocation's own memory does not have these contents.
  bool IsOwner = false;
};

class FormTimes;

/// What became of attempts to keep an allocation in another order.
struct FormHistory {
  uint64_t Conversions = 0;
  uint64_t Launches = 0; ///< that found it so
  double Saved = 0;      ///< bytes that launches would have saved, or have
  bool IsGivenUp = false;
  std::shared_ptr<FormTimes> Times; ///< null: none are taken
};

struct PagedMemory;
struct InspectedContents;

class Allocation {
public:
  /// Bytes before First belong to others, as may those of adopted memory's
  /// first page.
  Allocation(std::byte *Base, uint64_t Bytes, AllocationKind Kind,
             uint64_t First = 0);
  ~Allocation();

  std::byte *base() const { return Base; }
  /// Returns the size that the program asked for; at least 1.
  uint64_t bytes() const { return Bytes; }
  AllocationKind kind() const { return Kind; }
  /// Returns true if the byte at Address is its own.
  bool holds(uintptr_t Address) const {
    const uintptr_t At = Address - reinterpret_cast<uintptr_t>(Base);
    return At >= First && At < Bytes;
  }
  uint64_t first() const { return First; }

  /// True if its pages may get another home.
  bool isMovable() const {
    return Kind != AllocationKind::SubPage && !Paged && !IsShared;
  }

  /// Counts the writes that were enqueued: a replica of an older version is
  /// stale. What other processes may write has a new version each time. Who
  /// sees a version sees what was done before it was counted.
  uint64_t version() const {
    return IsShared ? Version.fetch_add(1, std::memory_order_acq_rel) + 1
                    : Version.load(std::memory_order_acquire);
  }
  /// Returns the version before.
  uint64_t written() { return Version.fetch_add(1, std::memory_order_acq_rel); }

  /// Seconds that another place of its pages would have saved launches since
  /// the last move. Updated without a lock: an estimate.
  double misplaced() const { return Misplaced.load(std::memory_order_relaxed); }
  void addMisplaced(double Seconds) {
    Misplaced.store(std::max(0.0, misplaced() + Seconds),
                    std::memory_order_relaxed);
  }
  void resetMisplaced() { Misplaced.store(0, std::memory_order_relaxed); }

  /// MemoryManager::noteUse()'s number of its last use, or of the time when it
  /// was made.
  std::atomic<uint64_t> LastUse{0};

  /// Homes of [0, Bytes rounded up to pages), or of [0, Bytes) for SubPage.
  PageHomes Homes;
  /// The mapped pages, ascending; empty for SubPage, and if paged or unified.
  std::vector<MappedPages> Mapped;
  /// Set for an allocation that devices cannot hold; else null. See Pager.h.
  std::unique_ptr<PagedMemory> Paged;
  /// The backend's unified memory. Homes says where its pages are to be when
  /// devices touch them; the host may have them meanwhile.
  bool Unified = false;
  /// The value of MemoryManager::hostSyncs() when launches last looked whether
  /// the host has some of it. Unified memory only.
  std::atomic<uint64_t> Looked{0};
  /// Other processes may read and write it. See MemorySharing.cpp.
  bool IsShared = false;
  /// Who made it has chosen its homes (ChosenDevice.h), and it is there still.
  bool IsWhereChosen = false;
  /// Another process has made it.
  bool IsImported = false;
  /// Ends with the allocation: what other processes get it by.
  std::shared_ptr<const void> Offer;
  /// Number of times that pages were moved, or could not be.
  unsigned Moves = 0;

  /// Replicas by device, null where there is none. These and the directory of
  /// what they hold are guarded by OwnedBytes::lock().
  std::vector<std::unique_ptr<Replica>> Replicas;
  CopyDirectory Copies;
  /// The event after the copies that gave bytes to the home; null: none did.
  std::unique_ptr<Event> HomeReady;
  /// Set if replicas own some bytes, or some may be on their way home.
  std::atomic<bool> IsAway{false};
  /// The bytes that were brought home since a launch last left some away, and
  /// whether most of what the one before had left was.
  uint64_t Brought = 0;
  bool GoesHome = false;

  /// Another order that launches find it in; null: none. It and its history are
  /// guarded as Replicas are.
  std::unique_ptr<FormedCopy> Formed;
  FormHistory Forms;

  /// Buffers by device, by ascending size; the last is in use. Guarded as
  /// Replicas are.
  std::vector<std::vector<std::unique_ptr<PrivateBuffer>>> PrivateBuffers;

  /// Its known contents, as indices; null: nothing. Guarded by the
  /// inspector's lock. See Inspector.h.
  std::shared_ptr<InspectedContents> Inspected;

private:
  std::byte *Base;
  uint64_t Bytes;
  uint64_t First;
  AllocationKind Kind;
  mutable std::atomic<uint64_t> Version{1};
  std::atomic<double> Misplaced{0};
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_MEMORY_ALLOCATION_H
