//===- HostMemoryOps.cpp - Work of the processors on large memory ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reserves anonymous memory aligned for huge pages (madvise(2), MADV_HUGEPAGE),
// and divides copies and fills among threads once they are large enough to pay.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/HostMemoryOps.h"
#include "runtime/support/NonTemporalCopy.h"
#include "runtime/support/ParallelFor.h"
#include "runtime/support/ProcessLimits.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <sys/mman.h>

namespace gridspan {

static constexpr size_t HugePage = size_t(2) << 20;
/// The gap in front of each range, so that no pointer just before it leads to
/// another one (OutOfBoundsPointers.h).
static constexpr size_t Gap = size_t(64) << 10;
static constexpr size_t PieceBytes = size_t(4) << 20;
/// The bytes from which on threads pay: less is done before one has started.
static constexpr uint64_t ParallelBytes = uint64_t(8) << 20;
/// The most threads that help; with more, memory is the limit.
static constexpr unsigned MostThreads = 32;
/// The limit that was asked for; 0: none was.
static std::atomic<unsigned> ThreadLimit{0};

void *reserveHostMemory(size_t Bytes) {
  // More than is wanted, so that it can begin with a huge page.
  const size_t Slack = Bytes >= HugePage ? HugePage : 0;
  void *At = mmap(nullptr, Gap + Bytes + Slack, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (At == MAP_FAILED)
    return nullptr;
  const auto Begin = reinterpret_cast<uintptr_t>(At) + Gap;
  if (!Slack)
    return reinterpret_cast<void *>(Begin);
  const uintptr_t Aligned = (Begin + HugePage - 1) / HugePage * HugePage;
  if (Aligned > Begin)
    munmap(At, Aligned - Begin);
  if (const size_t Behind = Begin + Slack - Aligned)
    munmap(reinterpret_cast<void *>(Aligned + Bytes), Behind);
  // Only a hint: small pages do as well.
  (void)madvise(reinterpret_cast<void *>(Aligned), Bytes, MADV_HUGEPAGE);
  return reinterpret_cast<void *>(Aligned);
}

void releaseHostMemory(void *Address, size_t Bytes) {
  munmap(static_cast<std::byte *>(Address) - Gap, Gap + Bytes);
}

void limitHostThreads(std::optional<unsigned> Most) {
  ThreadLimit = Most ? std::max(1U, *Most) : 0;
}

/// The system would do it as well (MADV_POPULATE_WRITE), but several threads
/// of it wait for each other. Touching is three times as fast with 16 threads.
/// The program may write there meanwhile, of which nothing is lost; sanitizers
/// would call that a race.
__attribute__((disable_sanitizer_instrumentation)) void
makeHostPages(void *Address, size_t Bytes) {
  // Volatile, as to add nothing would be nothing to do.
  auto *At = static_cast<volatile unsigned char *>(Address);
  for (size_t Page = 0; Page < Bytes; Page += HostPage)
    __atomic_fetch_or(At + Page, 0, __ATOMIC_RELAXED);
}

unsigned hostThreads() {
  if (const unsigned Asked = ThreadLimit)
    return Asked;
  return std::min(MostThreads, allowedProcessors());
}

static size_t threadsFor(size_t Count, uint64_t Bytes) {
  return Bytes < ParallelBytes ? 1 : std::min<size_t>(Count, hostThreads());
}

void inParallel(size_t Count, uint64_t Bytes,
                const std::function<void(size_t)> &Work) {
  std::atomic<size_t> Next{0};
  parallelFor(threadsFor(Count, Bytes), [&](size_t) {
    try {
      for (size_t I; (I = Next.fetch_add(1)) < Count;)
        Work(I);
    } catch (...) {
      Next = Count;
      throw;
    }
  });
}

void copyHostBytes(void *Dst, const void *Src, size_t Bytes) {
  auto *To = static_cast<std::byte *>(Dst);
  const auto *From = static_cast<const std::byte *>(Src);
  inParallel((Bytes + PieceBytes - 1) / PieceBytes, Bytes, [=](size_t I) {
    const size_t Lo = I * PieceBytes;
    const size_t Piece = std::min(PieceBytes, Bytes - Lo);
    if (Bytes >= ParallelBytes)
      nonTemporalCopy(To + Lo, From + Lo, Piece);
    else
      std::memcpy(To + Lo, From + Lo, Piece);
  });
}

void fillHostBytes(void *Dst, int Byte, size_t Bytes) {
  auto *To = static_cast<std::byte *>(Dst);
  inParallel((Bytes + PieceBytes - 1) / PieceBytes, Bytes, [=](size_t I) {
    const size_t Lo = I * PieceBytes;
    std::memset(To + Lo, Byte, std::min(PieceBytes, Bytes - Lo));
  });
}

} // namespace gridspan
