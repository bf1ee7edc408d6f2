//===- WriteAliases.cpp - Arguments that share written memory -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pointers into different allocations are apart. For those into one, the hulls
// of the access ranges of the whole launch have to be; ranges are evaluated
// only where there are such pointers.
//
//===----------------------------------------------------------------------===//

#include "WriteAliases.h"

namespace gridspan {

using Wide = __int128;

/// Whether two pointers lead to one buffer, to other elements of it.
static bool shareBuffer(const PlanInput &In, int32_t A, int32_t B) {
  if (A == B)
    return false;
  if (A < 0 || B < 0)
    return true;
  const PlacedPointer &P = In.Pointers[A], &Q = In.Pointers[B];
  if (P.Allocation < 0 || P.Allocation != Q.Allocation)
    return false;
  // Of memory that is not ours it is not known where it is.
  if (!In.Allocations[P.Allocation].Homes)
    return true;
  const GridspanPointer *Pointers = In.Kernel->Pointers;
  return P.Offset != Q.Offset || !(Pointers[A].Flags & GridspanOwnElement) ||
         !(Pointers[B].Flags & GridspanOwnElement);
}

namespace {
/// Bytes [Lo, Hi) of an allocation that hold a range.
struct Hull {
  Wide Lo, Hi;
};
} // namespace

static Hull hullOf(const GridspanRange &R, int64_t Offset) {
  if (R.State == GridspanRangeEmpty)
    return {0, 0};
  if (R.State == GridspanRangeUnknown)
    return {INT64_MIN, INT64_MAX};
  const Wide Lo = static_cast<Wide>(R.Lo) + Offset;
  return {Lo, Lo + static_cast<Wide>(R.PlanePitch) * (R.Planes - 1) +
                  static_cast<Wide>(R.Pitch) * (R.RowsPerPlane - 1) +
                  R.RowBytes};
}

bool writesMayAlias(const PlanInput &In) {
  const GridspanKernel &Kernel = *In.Kernel;
  std::vector<GridspanRange> Ranges;
  for (uint32_t W = 0; W < Kernel.NumAccesses; ++W) {
    const GridspanAccess &Write = Kernel.Accesses[W];
    if (Write.Mode == GridspanRead)
      continue;
    for (uint32_t X = 0; X < Kernel.NumAccesses; ++X) {
      const GridspanAccess &Other = Kernel.Accesses[X];
      if (!shareBuffer(In, Write.Pointer, Other.Pointer))
        continue;
      if (Write.Pointer < 0 || Other.Pointer < 0 ||
          !In.Allocations[In.Pointers[Write.Pointer].Allocation].Homes)
        return true;
      if (Ranges.empty()) {
        Ranges.resize(Kernel.NumAccesses);
        Kernel.Ranges(&In.Box, Ranges.data());
      }
      const Hull A = hullOf(Ranges[W], In.Pointers[Write.Pointer].Offset);
      const Hull B = hullOf(Ranges[X], In.Pointers[Other.Pointer].Offset);
      if (A.Lo < B.Hi && B.Lo < A.Hi)
        return true;
    }
  }
  return false;
}

} // namespace gridspan
