//===- PagedMemory.h - Frames and rings of an allocation --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of one paged allocation: its frames, where they are, and the rings
// of frame slots that devices have for it (FrameRings.h). The pager changes it;
// others read it with the placement lock held.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_MEMORY_PAGEDMEMORY_H
#define GRIDSPAN_RUNTIME_MEMORY_PAGEDMEMORY_H

#include "runtime/backend/Backend.h"
#include "runtime/support/ThreadSafety.h"
#include <algorithm>
#include <boost/icl/interval_set.hpp>
#include <cstddef>
#include <memory>
#include <vector>

namespace gridspan {

/// The physical side of a paged allocation.
struct PagedMemory {
  struct Frame {
    uint64_t Lo;
    uint64_t Bytes;
    /// Its pages on a device; null: it is on none. On the host when devices
    /// were unexpectedly full. Shared with the ring, if it is in one.
    std::shared_ptr<Pages> Device;
    std::byte *Window = nullptr; ///< where it is in its device's ring
    bool Shadowed = false;       ///< mapped in the shadow
    /// The pages behind the address when it is no anonymous memory.
    std::unique_ptr<Pages> Converted;
    bool Ready = false;  ///< pinned, so that devices reach the host's copy
    bool Pinned = false; ///< by the pager, of adopted memory
    bool Filled = false; ///< holds something
    bool Dirty = false;  ///< Device holds what the host's copy does not
    bool LoadedUnpinned = false; ///< once, as pinning did not pay yet
  };
  /// Slots I and I + size() at Base are the same pages.
  struct Ring {
    struct FrameSlot {
      std::shared_ptr<Pages> Memory; ///< null: not made yet, or taken away
      bool Taken = false;            ///< by a frame
    };
    std::byte *Base = nullptr;
    std::vector<FrameSlot> Slots;
  };
  uint64_t FrameBytes = 0;
  uint64_t Bytes = 0;     ///< of all frames
  bool Anonymous = false; ///< the address is reserveHostMemory()'s
  bool Adopted = false;   ///< the address is memory that the program has lent
  bool IsOutput = false;  ///< of adopted memory: it may be written
  unsigned Borrowers = 0; ///< that use it (MemoryManager::borrow)
  /// The bytes that are the allocation's: all, but for memory that was lent,
  /// whose first and last pages may hold what is the program's alone.
  uint64_t ContentsLo = 0;
  uint64_t ContentsHi = UINT64_MAX;
  /// Bytes of managed memory that the host leaves alone until it knows that
  /// kernels are over. See ResidentFrames.h.
  boost::icl::interval_set<uint64_t> Accessed;
  /// A lock that is shared by readers of frames in place. Whoever takes frames
  /// away while copies may be under way holds it alone. Taken before the
  /// pager's lock.
  SharedMutex Visitors;
  std::byte *Shadow = nullptr;
  std::vector<Frame> Frames;
  std::vector<Ring> Rings; ///< by device

  /// True if the host's copy is there without being pinned.
  bool isOrdinary() const { return Anonymous || Adopted; }
  /// Bytes [Lo, Hi) of a frame, from its beginning on.
  struct Part {
    uint64_t Lo;
    uint64_t Hi;
  };
  /// Returns the bytes of the frame that are copied when it comes or goes.
  Part contents(const Frame &F) const {
    return {std::max(F.Lo, ContentsLo) - F.Lo,
            std::min(F.Lo + F.Bytes, ContentsHi) - F.Lo};
  }

  /// The last frame has room for a whole one, as its slot has.
  uint64_t shadowBytes() const { return Frames.size() * FrameBytes; }
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_MEMORY_PAGEDMEMORY_H
