//===- PageHomes.h - Homes of the pages of an allocation --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maps offsets of an allocation to the one home of the page there, as runs.
// Homes are contiguous shares, so a few runs describe any allocation.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_PAGEHOMES_H
#define GRIDSPAN_RUNTIME_BACKEND_PAGEHOMES_H

#include "runtime/backend/Location.h"
#include <algorithm>
#include <boost/icl/interval_map.hpp>
#include <cstdint>
#include <vector>

namespace gridspan {

class PageHomes {
public:
  /// Bytes [Lo, Hi) with the home Where.
  struct Run {
    uint64_t Lo;
    uint64_t Hi;
    Location Where;
    bool operator==(const Run &) const = default;
  };

  PageHomes() = default;
  PageHomes(uint64_t Bytes, Location Where) { set(0, Bytes, Where); }

  bool operator==(const PageHomes &O) const { return Map == O.Map; }

  void set(uint64_t Lo, uint64_t Hi, Location Where);

  /// Returns the home of the page with this offset. Precondition: it is within
  /// the map.
  Location at(uint64_t Offset) const;

  /// Calls Visit(Run) for the runs within [Lo, Hi), ascending, clipped to it.
  template <typename Function>
  void forRuns(uint64_t Lo, uint64_t Hi, Function &&Visit) const {
    if (Lo >= Hi)
      return;
    for (auto It = Map.lower_bound(
             boost::icl::interval<uint64_t>::right_open(Lo, Hi));
         It != Map.end() && It->first.lower() < Hi; ++It)
      Visit(Run{std::max(Lo, It->first.lower()),
                std::min(Hi, It->first.upper()), It->second});
  }
  std::vector<Run> runs(uint64_t Lo, uint64_t Hi) const;

  /// Returns the number of bytes of [Lo, Hi) whose home is Where.
  uint64_t bytesAt(uint64_t Lo, uint64_t Hi, Location Where) const;

  bool anyAt(Location Where) const;

private:
  // Enriching traits: location 0 is a value like any other, not "nothing".
  boost::icl::interval_map<uint64_t, Location, boost::icl::partial_enricher>
      Map;
};

/// Partitions Bytes into one contiguous, page-aligned share for each of Count
/// owners, and returns Count + 1 ascending offsets from 0 to Bytes. Shares
/// differ by at most a page, so with fewer pages than owners some are empty.
std::vector<uint64_t> equalShares(uint64_t Bytes, uint64_t PageSize,
                                  unsigned Count);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_PAGEHOMES_H
