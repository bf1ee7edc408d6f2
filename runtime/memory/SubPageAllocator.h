//===- SubPageAllocator.h - Pieces of pages ---------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An allocation smaller than a page shares one with others, so that thousands
// of tiny buffers cost neither a page nor a driver call each. Not thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_MEMORY_SUBPAGEALLOCATOR_H
#define GRIDSPAN_RUNTIME_MEMORY_SUBPAGEALLOCATOR_H

#include "runtime/memory/RangePool.h"
#include "runtime/support/Expected.h"
#include <boost/icl/interval_set.hpp>
#include <cstdint>
#include <functional>
#include <map>

namespace gridspan {

class SubPageAllocator {
public:
  /// Returns one mapped page on some device, or on the host when they are full.
  using PageSource = std::function<Expected<MappedRange>()>;
  /// Takes a page back that nobody uses.
  using PageSink = std::function<void(MappedRange)>;
  /// Bytes of a page that is at Where.
  struct Piece {
    void *Address;
    Location Where;
  };

  SubPageAllocator(uint64_t PageSize, PageSink GiveBack)
      : PageSize(PageSize), GiveBack(std::move(GiveBack)) {}
  ~SubPageAllocator();
  SubPageAllocator(const SubPageAllocator &) = delete;
  SubPageAllocator &operator=(const SubPageAllocator &) = delete;

  /// Takes 0 < Bytes <= page size bytes, of a page of Source's if no other has
  /// room. Aligned like cudaMalloc's results.
  Expected<Piece> allocate(uint64_t Bytes, const PageSource &Source);
  /// Gives back what allocate() returned with this size. Nobody uses it.
  void free(void *Address, uint64_t Bytes);
  /// Gives back the page that is kept though nothing is in it.
  void releaseEmpty();

  /// Returns the page that a piece is in. Whoever maps other memory there says
  /// so in it. Precondition: allocate() returned Address.
  MappedRange &pageOf(const void *Address);

private:
  struct Slab {
    MappedRange Page;
    boost::icl::interval_set<uint64_t> Free; ///< offsets
    uint64_t Used = 0;
    /// No free range is longer; a bound that is made exact by a search.
    uint64_t MostFree = 0;
  };

  void erase(std::map<uintptr_t, Slab>::iterator It);
  static std::optional<Piece> takeFrom(Slab &S, uint64_t Size);

  const uint64_t PageSize;
  const PageSink GiveBack;
  std::map<uintptr_t, Slab> Slabs;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_MEMORY_SUBPAGEALLOCATOR_H
