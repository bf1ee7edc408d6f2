//===- ByteInterval.h - First and last byte of a range ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two ends of an access range, and if it is of the allocation that its
// pointer leads to. A kernel that numbers elements from 1 is given a
// pointer just before what it is for (x - 1), and there another allocation may
// end.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_BYTEINTERVAL_H
#define GRIDSPAN_RUNTIME_PLAN_BYTEINTERVAL_H

#include "gridspan/ABI.h"

namespace gridspan {

/// Bytes [Lo, Hi); wide enough for any sum of a range and an address.
struct ByteInterval {
  __int128 Lo, Hi;

  bool overlaps(const ByteInterval &Other) const {
    return Lo < Other.Hi && Other.Lo < Hi;
  }
  bool isWithin(const ByteInterval &Other) const {
    return Other.Lo <= Lo && Hi <= Other.Hi;
  }
};

/// Returns the interval of a range that begins at Offset. Empty is [0, 0),
/// unknown is everything.
inline ByteInterval byteIntervalOf(const GridspanRange &R, __int128 Offset) {
  if (R.State == GridspanRangeEmpty)
    return {0, 0};
  if (R.State == GridspanRangeUnknown)
    return {INT64_MIN, INT64_MAX};
  const __int128 Lo = Offset + R.Lo;
  return {Lo, Lo + static_cast<__int128>(R.PlanePitch) * (R.Planes - 1) +
                  static_cast<__int128>(R.Pitch) * (R.RowsPerPlane - 1) +
                  R.RowBytes};
}

/// The size of the largest element.
constexpr uint64_t LargestElement = 256;

/// Returns true if a pointer to byte Offset of an allocation of Bytes bytes may
/// be just before what it is for.
inline bool isAtEnd(uint64_t Offset, uint64_t Bytes) {
  return Offset > 0 && Offset < Bytes && Bytes - Offset <= LargestElement;
}

/// Returns true if a range touches something else than Own, which its pointer
/// leads to, at Offset. A range that is not exact may reach beyond just because
/// it is not. An unknown one is taken to be within, but from the end of Own.
inline bool leadsOutside(const GridspanRange &R, __int128 Offset,
                         const ByteInterval &Own) {
  if (R.State == GridspanRangeEmpty)
    return false;
  if (R.State == GridspanRangeUnknown)
    return isAtEnd(static_cast<uint64_t>(Offset - Own.Lo),
                   static_cast<uint64_t>(Own.Hi - Own.Lo));
  const ByteInterval Touched = byteIntervalOf(R, Offset);
  return R.State == GridspanRangeExact ? !Touched.isWithin(Own)
                                       : !Touched.overlaps(Own);
}

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_BYTEINTERVAL_H
