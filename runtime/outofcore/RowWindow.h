//===- RowWindow.h - Pieces of rows that are read packed --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chunk that walks down some columns of a matrix touches a short piece of
// every row, and with them all frames of it. The window is these pieces, and
// the packing tells the clone with packed rows where they lie when they are
// copied next to each other. Plain data.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_ROWWINDOW_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_ROWWINDOW_H

#include "gridspan/ABI.h"
#include <cstdint>
#include <optional>

namespace gridspan {

/// Bytes [Lo + r * Pitch, Lo + r * Pitch + Width) of an allocation for
/// 0 <= r < Rows. The first piece may begin before the allocation and the last
/// one end behind it, where nothing is touched.
struct RowWindow {
  int64_t Lo = 0;
  uint64_t Width = 0;
  uint64_t Pitch = 1; ///< at least Width
  uint64_t Rows = 0;
  bool operator==(const RowWindow &) const = default;

  /// Returns the distance between packed rows. Addresses keep their place in 16
  /// bytes, so that vectors stay aligned. Those of long pieces keep it in 256,
  /// so that requests stay coalesced.
  uint64_t packedPitch() const;
  /// Returns the bytes of the packed rows, from an address that is a multiple
  /// of 256.
  uint64_t packedBytes() const;
  /// Returns the offset of the window's first byte behind such an address.
  uint64_t packedOffset(uint64_t AllocationBase) const;
};

/// The window that holds both; false if they are no pieces of the same rows, or
/// too wide for it. A range for a pointer to byte Offset of the allocation.
class RowWindowUnion {
public:
  bool add(const GridspanRange &R, int64_t Offset);
  /// Nothing when nothing was added.
  std::optional<RowWindow> get() const;

private:
  /// Rows of one pitch; of a single row it is not known yet.
  struct Rows {
    int64_t Lo, RowBytes, Count;
  };
  bool join(const Rows &R);

  int64_t Pitch = 0; ///< 0: not known
  std::optional<Rows> All;
};

/// True if the clone can find the rows: there are limits to what 32 bits hold
/// (RowWindow.cpp), far above most matrices.
bool isPackable(const RowWindow &W);

/// Returns what the clone gets to find the allocation at
/// AllocationBase, of which W is packed at Packed: a multiple of 256 plus
/// W.packedOffset().
GridspanPacking packingFor(const RowWindow &W, uint64_t AllocationBase,
                           uint64_t Packed);

/// Returns the packing of a pointer whose memory is where it leads.
GridspanPacking noPacking();

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_ROWWINDOW_H
