//===- SmallPool.h - Pieces of pages for small allocations ---- -*- C++ -*-===//
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

#ifndef GRIDSPAN_RUNTIME_SMALLPOOL_H
#define GRIDSPAN_RUNTIME_SMALLPOOL_H

#include "Backend.h"
#include <boost/icl/interval_set.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>

namespace gridspan {

class SmallPool {
public:
  /// Makes one page on some device, or on the host when they are full.
  using PageSource = std::function<cudaError_t(std::unique_ptr<Pages> &Out)>;

  SmallPool(Backend &B, PageSource Source)
      : B(B), Source(std::move(Source)), PageSize(B.system().PageSize) {}
  ~SmallPool();
  SmallPool(const SmallPool &) = delete;
  SmallPool &operator=(const SmallPool &) = delete;

  /// Precondition: 0 < Bytes <= page size. Aligned like cudaMalloc's results.
  cudaError_t allocate(uint64_t Bytes, void *&Out, Location &Where);
  /// Precondition: allocate() returned it with this size, nobody uses it.
  void free(void *Address, uint64_t Bytes);

private:
  struct Slab {
    std::unique_ptr<Pages> Memory;
    boost::icl::interval_set<uint64_t> Free; ///< offsets
    uint64_t Used = 0;
  };

  void destroy(uintptr_t Base, Slab &S);

  Backend &B;
  PageSource Source;
  const uint64_t PageSize;
  std::map<uintptr_t, Slab> Slabs;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SMALLPOOL_H
