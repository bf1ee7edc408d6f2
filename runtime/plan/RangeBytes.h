//===- RangeBytes.h - The bytes that a range covers -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of an access range as runs of bytes of one allocation. What lies in
// the gaps between rows may be left out or not, as the caller likes.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_RANGEBYTES_H
#define GRIDSPAN_RUNTIME_PLAN_RANGEBYTES_H

#include "gridspan/ABI.h"
#include <algorithm>
#include <cstdint>

namespace gridspan {

/// Calls Visit(Lo, Hi) for the bytes of the allocation that R covers. Rows
/// closer together than Apart are joined. An unknown range is the whole
/// allocation.
template <typename Function>
void forBytes(const GridspanRange &R, int64_t Offset, uint64_t Bytes,
              uint64_t Apart, Function &&Visit) {
  using Wide = __int128;
  auto Clip = [&](Wide Lo, Wide Hi) {
    Lo = std::max<Wide>(Lo, 0);
    Hi = std::min<Wide>(Hi, Bytes);
    if (Lo < Hi)
      Visit(static_cast<uint64_t>(Lo), static_cast<uint64_t>(Hi));
  };
  if (R.State == GridspanRangeEmpty)
    return;
  if (R.State == GridspanRangeUnknown)
    return Clip(0, Bytes);
  const Wide First = static_cast<Wide>(R.Lo) + Offset;
  // Calls Each with the starts of Count pieces, Pitch apart, of Length bytes
  // each, but for those before and behind the allocation.
  auto Pieces = [&](Wide Lo, int64_t Count, Wide Pitch, Wide Length,
                    auto &&Each) {
    const Wide Skip = Lo + Length > 0 ? 0 : -(Lo + Length) / Pitch + 1;
    for (Wide I = Skip; I < Count && Lo + I * Pitch < Wide(Bytes); ++I)
      Each(Lo + I * Pitch);
  };
  const bool Joined =
      R.RowsPerPlane == 1 || static_cast<uint64_t>(R.Pitch) <= Apart;
  const Wide PlaneBytes =
      R.RowBytes +
      (R.RowsPerPlane == 1 ? 0 : Wide(R.RowsPerPlane - 1) * R.Pitch);
  auto Plane = [&](Wide Lo) {
    if (Joined)
      return Clip(Lo, Lo + PlaneBytes);
    Pieces(Lo, R.RowsPerPlane, R.Pitch, R.RowBytes,
           [&](Wide Row) { Clip(Row, Row + R.RowBytes); });
  };
  if (R.Planes == 1)
    return Plane(First);
  if (Joined && static_cast<uint64_t>(R.PlanePitch) <= Apart)
    return Clip(First, First + Wide(R.Planes - 1) * R.PlanePitch + PlaneBytes);
  Pieces(First, R.Planes, R.PlanePitch, PlaneBytes, Plane);
}

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_RANGEBYTES_H
