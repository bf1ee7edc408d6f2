//===- MayAccess.h - Bytes that a launch may access -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The union of access ranges within one allocation. A range is a set of rows;
// few rows are held one by one, many become one span with a density (the share
// of its bytes that is touched). Where they overlap, rows at the same places
// count once (the reads of a stencil point's neighbours), rows at other places
// of the same pitch add up (the fields of a structure).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_MAYACCESS_H
#define GRIDSPAN_RUNTIME_PLAN_MAYACCESS_H

#include "gridspan/ABI.h"
#include "runtime/backend/PageHomes.h"
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <utility>
#include <vector>

namespace gridspan {

/// Bytes [Lo, Hi) of an allocation, the share Density of them touched. Memory
/// is fetched in larger pieces than rows may be: the share Moved.
struct Span {
  uint64_t Lo;
  uint64_t Hi;
  double Density;
  double Moved;
};

class MayAccess {
public:
  /// Few pieces are the rule, and launches are planned often: they need no
  /// allocation.
  using SpanList = boost::container::small_vector<Span, 4>;

  explicit MayAccess(uint64_t AllocationBytes) : Bytes(AllocationBytes) {}

  /// Adds what R touches, for a pointer to byte Offset of the allocation,
  /// clamped to the allocation. An unknown range is the entire allocation.
  void add(const GridspanRange &R, int64_t Offset);
  void add(const MayAccess &Other);

  bool empty() const { return Pieces.empty(); }
  /// Returns true if something that was added was unknown.
  bool unknown() const { return Unknown; }
  /// Returns what was added, disjoint and ascending.
  const SpanList &spans() const;

  double touched() const;
  double touchedAt(const PageHomes &Homes, Location Where) const;
  /// Returns the first byte of all spans; 0 if there are none.
  uint64_t lo() const;
  uint64_t hi() const;

private:
  /// Rows of RowBytes bytes that fill [Lo, Hi); dense when Pitch is RowBytes.
  struct Piece {
    uint64_t Lo;
    uint64_t Hi;
    uint64_t Pitch;
    uint64_t RowBytes;

    bool dense() const { return Pitch == RowBytes; }
    /// Returns the ends of a row from the start of its pitch, in whole units of
    /// FetchBytes.
    std::pair<uint64_t, uint64_t> placeInPitch(uint64_t FetchBytes) const {
      const uint64_t From = Lo % Pitch, To = From + RowBytes + FetchBytes - 1;
      return {From / FetchBytes * FetchBytes, To / FetchBytes * FetchBytes};
    }
  };

  void addPiece(__int128 Lo, __int128 Hi, uint64_t Pitch, uint64_t RowBytes);
  static double densityOf(const std::vector<const Piece *> &Open,
                          uint64_t FetchBytes);

  uint64_t Bytes;
  bool Unknown = false;
  boost::container::small_vector<Piece, 4> Pieces;
  /// Made from Pieces when they are asked for.
  mutable bool Sorted = true;
  mutable SpanList Spans;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_MAYACCESS_H
