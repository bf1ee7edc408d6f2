//===- UnpinnedSaves.h - To memory that is not pinned --------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies what a device has to memory of the host that is not pinned, through
// pinned slots that a team of threads empties. A thread of its own follows the
// bus, so that whoever has something saved goes on at once.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_COPY_UNPINNEDSAVES_H
#define GRIDSPAN_RUNTIME_COPY_UNPINNEDSAVES_H

#include "runtime/copy/PinnedSlots.h"
#include "runtime/support/ThreadSafety.h"
#include <deque>
#include <thread>
#include <vector>

namespace gridspan {

/// For one thread.
class UnpinnedSaves {
public:
  UnpinnedSaves(Backend &B, ThreadTeam &Team, PinnedSlots &Slots)
      : B(B), Team(Team), Slots(Slots) {}
  /// Waits for all copies.
  ~UnpinnedSaves();
  UnpinnedSaves(const UnpinnedSaves &) = delete;
  UnpinnedSaves &operator=(const UnpinnedSaves &) = delete;

  /// Makes the stream and the thread. Before all else.
  cudaError_t create(int Device);

  /// Has bytes, at least one, copied behind the events, which must have been
  /// recorded. These, and Src, stay as they are until waitFor() the number that
  /// is returned.
  uint64_t copy(std::byte *Dst, const std::byte *Src, uint64_t Bytes,
                std::vector<Event *> After);
  /// Blocks until the copies up to that number are complete. Returns the first
  /// error of all, after which nothing more is copied.
  cudaError_t waitFor(uint64_t Number);

private:
  struct Copy {
    uint64_t Number;
    std::byte *Dst;
    const std::byte *Src;
    uint64_t Bytes;
    std::vector<Event *> After;
  };
  /// A slot on its way over the bus, or there.
  struct Crossing {
    PinnedSlots::Slot *Slot;
    std::byte *Dst;
    uint64_t Bytes;
    uint64_t Completes; ///< the copy whose last piece it is, or 0
  };
  void run();
  cudaError_t start(const Copy &C);
  cudaError_t finishOldest();
  void noteDone(uint64_t Number, cudaError_t This);

  Backend &B;
  ThreadTeam &Team;
  PinnedSlots &Slots;
  std::unique_ptr<Stream> Bus;
  std::deque<Crossing> Under; ///< the thread's

  Mutex Lock;
  std::condition_variable Changed;
  std::deque<Copy> Queue GUARDED_BY(Lock);
  uint64_t Last GUARDED_BY(Lock) = 0;
  uint64_t Done GUARDED_BY(Lock) = 0;
  cudaError_t Error GUARDED_BY(Lock) = cudaSuccess;
  bool Stopping GUARDED_BY(Lock) = false;
  std::thread Thread;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_COPY_UNPINNEDSAVES_H
