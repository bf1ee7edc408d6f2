//===- RangeResult.cpp - Sets of values: what a launch asks ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a set of offsets to bytes in rows. A box of bytes with the dimensions
// (element, column, row, plane, ...) is described by one pitch; every dimension
// is tried as the one that makes rows, the inner ones filled up and the outer
// ones repeated at the same pitch, and the description with the fewest bytes is
// taken.
//
//===----------------------------------------------------------------------===//

#include "RangeValue.h"
#include "gridspan/Runtime/RangeOps.h"
#include <algorithm>

using namespace gridspan;

namespace {

/// What a loop of unknown length is taken to do, in estimates only.
constexpr double UnknownTripCount = 16;

/// Rows of bytes, not yet checked against 64 bits.
struct Rows {
  Wide RowBytes, Pitch, Count;
  bool Exact;
};

Rows oneRow(const StridedBox &Bytes) {
  return {Bytes.span() + 1, 0, 1, Bytes.Exact && isDense(Bytes)};
}

/// Dimension Outer as rows; false if the dimensions outside it are in no step
/// with it, or if the rows overlap.
bool rowsAlong(const StridedBox &Bytes, unsigned Outer, Rows &Result) {
  Wide RowBytes = 1;
  for (unsigned I = 0; I != Outer; ++I)
    RowBytes += Wide(Bytes.Dims[I].Stride) * Bytes.Dims[I].Last;
  uint64_t Pitch = Bytes.Dims[Outer].Stride;
  Wide Count = Wide(Bytes.Dims[Outer].Last) + 1;
  for (unsigned I = Outer + 1; I != Bytes.NumDims; ++I) {
    if (Bytes.Dims[I].Stride % Pitch != 0)
      return false;
    Count += Wide(Bytes.Dims[I].Stride / Pitch) * Bytes.Dims[I].Last;
  }
  bool IsAll = Bytes.NumDims == Outer + 1 &&
               (Outer == 0 || (Outer == 1 && Bytes.Dims[0].Stride == 1));
  Result = {RowBytes, Wide(Pitch), Count, Bytes.Exact && IsAll};
  return RowBytes < Wide(Pitch);
}

Rows fewestBytes(const StridedBox &Bytes) {
  Rows Best = oneRow(Bytes);
  for (unsigned I = 0; I != Bytes.NumDims; ++I) {
    Rows Candidate;
    if (rowsAlong(Bytes, I, Candidate) &&
        double(Candidate.RowBytes) * double(Candidate.Count) <
            double(Best.RowBytes) * double(Best.Count))
      Best = Candidate;
  }
  return Best;
}

/// Bytes at each offset: the largest length; 0 if nothing is touched. Exact is
/// cleared if not every length is that long.
Wide elementBytes(const GridspanValue *Length, uint32_t ElementSize,
                  bool &Exact) {
  if (!Length)
    return ElementSize;
  StridedBox Bytes = readHull(*Length, Sign::Unsigned);
  Exact &= Bytes.isConstant() && Bytes.Exact;
  return Bytes.hi();
}

} // namespace

void __gridspan_range_finish(GridspanRange *Out, const GridspanValue *Offset,
                             const GridspanValue *Length, uint32_t ElementSize,
                             uint32_t MayBeExact) noexcept {
  *Out = {0, 1, 0, 1, GridspanRangeUnknown, 0};
  if (isEmpty(Offset) || (Length && isEmpty(Length))) {
    Out->State = GridspanRangeEmpty;
    return;
  }
  bool Exact = MayBeExact;
  Wide Element = elementBytes(Length, ElementSize, Exact);
  if (Element == 0) {
    Out->State = GridspanRangeEmpty;
    return;
  }
  if (Offset->State == GridspanValueTop || Element > Wide(INT64_MAX))
    return;
  StridedBox Bytes = readHull(*Offset, Sign::Signed);
  Bytes.add(1, uint64_t(Element) - 1);
  Bytes.simplify(StridedBox::Capacity);
  // Both ends may fit and the length may not.
  if (Bytes.span() >= Wide(INT64_MAX))
    return;
  if (Bytes.Overflow || Bytes.hi() > Wide(INT64_MAX))
    return;
  Rows Best = fewestBytes(Bytes);
  Wide Span = (Best.Count - 1) * Best.Pitch + Best.RowBytes;
  if (Bytes.Lo + Span > Wide(INT64_MAX))
    return;
  Out->Lo = int64_t(Bytes.Lo);
  Out->RowBytes = int64_t(Best.RowBytes);
  Out->Pitch = int64_t(Best.Pitch);
  Out->Rows = int64_t(Best.Count);
  Out->State = Exact && Best.Exact ? GridspanRangeExact : GridspanRangeMay;
}

static constinit thread_local uint64_t Guesses = 0;

uint64_t __gridspan_range_guesses() noexcept { return Guesses; }

double __gridspan_range_mean(const GridspanValue *A) noexcept {
  if (A->State == GridspanValueEmpty)
    return 0;
  if (A->State == GridspanValueTop) {
    ++Guesses;
    return UnknownTripCount;
  }
  StridedBox X = load(*A);
  return std::max(0.0, double(X.Lo) + double(X.span()) / 2);
}

double __gridspan_range_threads(const GridspanBox *Box) noexcept {
  double Threads = 1;
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    Threads *= double(Box->BlockCount[Axis]) * double(Box->BlockDim[Axis]);
  return Threads;
}
