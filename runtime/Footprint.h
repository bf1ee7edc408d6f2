//===- Footprint.h - Which bytes of an allocation are touched - -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The union of access ranges within one allocation. A range is a set of rows;
// few rows are kept one by one, many become one span with a density (the share
// of its bytes that is touched). Where spans overlap the densest counts, so
// that five reads of the same stencil point's neighbourhood count once.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_FOOTPRINT_H
#define GRIDSPAN_RUNTIME_FOOTPRINT_H

#include "HomeMap.h"
#include "gridspan/Runtime/ABI.h"
#include <cstdint>
#include <vector>

namespace gridspan {

/// Bytes [Lo, Hi) of an allocation, the share Density of them touched.
struct Span {
  uint64_t Lo;
  uint64_t Hi;
  double Density;
};

class Footprint {
public:
  explicit Footprint(uint64_t AllocationBytes) : Bytes(AllocationBytes) {}

  /// Adds what R touches, for a pointer to byte Offset of the allocation; cut
  /// to the allocation. An unknown range is the whole allocation.
  void add(const GridspanRange &R, int64_t Offset);
  void add(const Footprint &Other);

  bool empty() const { return Spans.empty(); }
  /// Whether something that was added was unknown.
  bool unknown() const { return Unknown; }
  /// Disjoint and ascending.
  const std::vector<Span> &spans() const;

  double touched() const;
  double touchedAt(const HomeMap &Homes, Location Where) const;
  /// Smallest range that holds all spans; empty when there are none.
  uint64_t lo() const;
  uint64_t hi() const;

private:
  void addSpan(__int128 Lo, __int128 Hi, double Density);

  uint64_t Bytes;
  bool Unknown = false;
  mutable bool Sorted = true;
  mutable std::vector<Span> Spans;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_FOOTPRINT_H
