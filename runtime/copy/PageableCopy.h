//===- PageableCopy.h - Pageable copies by several threads ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A driver copies pageable memory with one thread through a small pinned
// buffer, at a fifth of what the bus can do. Here several threads do it: each
// drives a lane of a device, which is a stream and two pinned buffers, so that
// it fills or empties one buffer while the bus works on the other. Lanes are
// made by the first copies and kept; the threads live as long as a copy, so
// that an idle program has none, and neither fork nor exit can meet one.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_COPY_PAGEABLECOPY_H
#define GRIDSPAN_RUNTIME_COPY_PAGEABLECOPY_H

#include "runtime/backend/Backend.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <optional>
#include <vector>

namespace gridspan {

/// A rectangle of bytes, one end of which is pageable and the other in one
/// place. A row is contiguous; rows begin a pitch apart.
struct CopyRect {
  std::byte *Dst;
  size_t DstPitch;
  const std::byte *Src;
  size_t SrcPitch;
  size_t Width;
  size_t Height;
  /// The place of the other end; Host: the threads copy it directly.
  Location Where;
};

/// The end of a copy that is pageable.
enum class PageableEnd { Source, Destination };

/// Divides a rectangle into such of at most Bytes bytes each, in order: of
/// whole rows where a row is not larger.
std::vector<CopyRect> divideRect(const CopyRect &Part, size_t Bytes);

/// Thread-safe.
class PageableCopy {
public:
  struct Options {
    unsigned Threads = 0; ///< of one copy, for all devices; 0: never pays()
    unsigned ThreadsPerDevice = 8;
    size_t BufferBytes = size_t(4) << 20;
    size_t LeastBytes = size_t(8) << 20; ///< below, the driver is as fast
  };

  PageableCopy(Backend &B, const Options &O);
  ~PageableCopy();

  /// True if a copy of Bytes pageable bytes should come here.
  bool pays(uint64_t Bytes) const {
    return Settings.Threads != 0 && Bytes >= Settings.LeastBytes;
  }

  /// Copies all parts, of which none overlaps another. When it returns, the
  /// pageable end is done with: a source may be written, a destination is
  /// complete. Later work in S waits for what is still on its way to devices.
  /// Returns no error code when there is no pinned memory to be had: then
  /// nothing was done. Whatever the copy must come after has been done.
  std::optional<cudaError_t> copy(const std::vector<CopyRect> &Parts,
                                  PageableEnd Pageable, Stream &S);

private:
  class Lane;
  struct Group;

  std::unique_ptr<Lane> createLane(int Device);
  size_t lanesWorthIt() const;
  std::vector<std::unique_ptr<Lane>> borrow(int Device, size_t Wanted);
  void giveBack(int Device, std::vector<std::unique_ptr<Lane>> Lanes);
  size_t chunkBytes(const std::vector<CopyRect> &Parts,
                    PageableEnd Pageable) const;
  std::vector<Group> plan(const std::vector<CopyRect> &Parts,
                          PageableEnd Pageable) const;
  bool borrowAll(std::vector<Group> &Groups);
  void workTogether(std::vector<Group> &Groups, PageableEnd Pageable,
                    std::atomic<cudaError_t> &Failure);
  static void work(Backend &B, Group &G, size_t Worker, PageableEnd Pageable,
                   std::atomic<cudaError_t> &Failure);

  struct Pool {
    std::vector<std::unique_ptr<Lane>> Idle;
    unsigned Made = 0;
  };

  Backend &B;
  const Options Settings;
  std::atomic<size_t> Copied{0}; ///< bytes, with those of running copies
  Mutex Lock;
  std::condition_variable Returned;
  std::vector<Pool> Pools GUARDED_BY(Lock); ///< by device
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_COPY_PAGEABLECOPY_H
