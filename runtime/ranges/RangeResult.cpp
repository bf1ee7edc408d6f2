//===- RangeResult.cpp - Sets of values: what a launch asks ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a set of offsets into bytes in rows and planes. A box of bytes with the
// dimensions (element, column, row, plane, ...) is described by two pitches.
// Some inner dimensions are taken as the row, the next ones as rows, and the
// rest as planes. All ways to do so are tried. A row is filled up, and the
// others are repeated at the pitch of their innermost one. The description with
// the fewest bytes is taken.
//
//===----------------------------------------------------------------------===//

#include "gridspan/RangeOps.h"
#include "runtime/ranges/RangeValue.h"
#include <algorithm>

using namespace gridspan;

namespace {

/// Iterations that a loop of unknown length is taken to do, in estimates only.
constexpr double UnknownTripCount = 16;

/// Rows and planes of bytes. They span what the box of bytes does, so that 64
/// bits hold all of it.
struct Shape {
  int64_t RowBytes, Pitch = 0, Rows = 1, PlanePitch = 0, Planes = 1;
  /// No byte was added to those of the box.
  bool Lossless;

  int64_t planeBytes() const { return (Rows - 1) * Pitch + RowBytes; }
  int64_t span() const { return (Planes - 1) * PlanePitch + planeBytes(); }
  double bytes() const {
    return double(RowBytes) * double(Rows) * double(Planes);
  }
};

Shape oneRow(const StridedBox &Bytes) {
  Shape Result;
  Result.RowBytes = int64_t(Bytes.span()) + 1;
  Result.Lossless = isDense(Bytes);
  return Result;
}

/// Dimensions [From, To) as steps of the first one's stride; false if the
/// others are in no step with it.
bool stepsAlong(const StridedBox &Bytes, unsigned From, unsigned To,
                int64_t &Pitch, int64_t &Count) {
  uint64_t Stride = Bytes.Dims[From].Stride;
  Pitch = int64_t(Stride);
  Count = int64_t(Bytes.Dims[From].Last) + 1;
  for (unsigned I = From + 1; I != To; ++I) {
    if (Bytes.Dims[I].Stride % Stride != 0)
      return false;
    Count += int64_t(Bytes.Dims[I].Stride / Stride * Bytes.Dims[I].Last);
  }
  return true;
}

/// Rows along the dimensions [Inner, Outer), planes along those from Outer;
/// false if that cannot be said, or if rows or planes overlap.
bool shapeAlong(const StridedBox &Bytes, unsigned Inner, unsigned Outer,
                Shape &Result) {
  Result = Shape();
  Result.RowBytes = 1;
  for (unsigned I = 0; I != Inner; ++I)
    Result.RowBytes += int64_t(Bytes.Dims[I].Stride * Bytes.Dims[I].Last);
  if (!stepsAlong(Bytes, Inner, Outer, Result.Pitch, Result.Rows) ||
      Result.RowBytes >= Result.Pitch)
    return false;
  if (Outer != Bytes.NumDims &&
      (!stepsAlong(Bytes, Outer, Bytes.NumDims, Result.PlanePitch,
                   Result.Planes) ||
       Result.planeBytes() >= Result.PlanePitch))
    return false;
  bool DenseRow = Inner == 0 || (Inner == 1 && Bytes.Dims[0].Stride == 1);
  Result.Lossless =
      DenseRow && Outer == Inner + 1 && Bytes.NumDims <= Outer + 1;
  return true;
}

/// Requires a span of less than 2^63.
Shape fewestBytes(const StridedBox &Bytes) {
  Shape Best = oneRow(Bytes);
  if (Best.Lossless)
    return Best;
  // The only one that may add nothing: dense rows, one dimension for each
  // pitch.
  if (Shape Direct; shapeAlong(Bytes, Bytes.Dims[0].Stride == 1,
                               1 + (Bytes.Dims[0].Stride == 1), Direct) &&
                    Direct.Lossless)
    return Direct;
  // The simpler shapes first.
  for (unsigned Outer = Bytes.NumDims; Outer != 0; --Outer)
    for (unsigned Inner = 0; Inner != Outer; ++Inner) {
      Shape SplitCandidate;
      if (!shapeAlong(Bytes, Inner, Outer, SplitCandidate))
        continue;
      if (SplitCandidate.bytes() < Best.bytes())
        Best = SplitCandidate;
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

/// The bytes of Element bytes at each of Offsets, simplified as they are.
void addElement(StridedBox &Offsets, Wide Element) {
  uint64_t First = Offsets.NumDims ? Offsets.Dims[0].Stride : UINT64_MAX;
  uint64_t Last = Offsets.NumDims ? Offsets.Dims[0].Last : 0;
  if (Wide(First) == Element && Wide(Last) < INT64_MAX / Element &&
      (Offsets.NumDims == 1 ||
       Wide(Offsets.Dims[1].Stride) > Element * (Wide(Last) + 1))) {
    // Neighbours, with nothing else to merge with.
    Offsets.Dims[0] = {1, uint64_t(Element) * (Last + 1) - 1};
    return;
  }
  Offsets.add(1, uint64_t(Element) - 1);
  Offsets.simplify(StridedBox::Capacity);
}

} // namespace

void __gridspan_range_finish(GridspanRange *Out, const GridspanValue *Offset,
                             const GridspanValue *Length, uint32_t ElementSize,
                             uint32_t MayBeExact) noexcept {
  *Out = {0, 1, 0, 1, 0, 1, GridspanRangeUnknown, 0};
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
  // 64 bits are in the signed range.
  StridedBox Bytes =
      Offset->Width == 64 ? load(*Offset) : readHull(*Offset, Sign::Signed);
  addElement(Bytes, Element);
  // Both ends may fit and the length may not.
  if (Bytes.span() >= Wide(INT64_MAX))
    return;
  if (Bytes.Overflow || Bytes.hi() > Wide(INT64_MAX))
    return;
  Shape Best = fewestBytes(Bytes);
  if (Bytes.Lo + Best.span() > Wide(INT64_MAX))
    return;
  Out->Lo = int64_t(Bytes.Lo);
  Out->RowBytes = Best.RowBytes;
  Out->Pitch = Best.Pitch;
  Out->RowsPerPlane = Best.Rows;
  Out->PlanePitch = Best.PlanePitch;
  Out->Planes = Best.Planes;
  Out->State = Exact && Bytes.Exact && Best.Lossless ? GridspanRangeExact
                                                     : GridspanRangeMay;
}

void __gridspan_range_need(GridspanRange *Out,
                           const GridspanValue *Loaded) noexcept {
  if (Loaded->State == GridspanValueTop && Out->State != GridspanRangeEmpty)
    Out->State = GridspanRangeUnknown;
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
  // Half of all numbers of 32 bits are the type's bounds, not the program's.
  if (double(X.span()) >= 0x1p31) {
    ++Guesses;
    return UnknownTripCount;
  }
  return std::max(0.0, double(X.Lo) + double(X.span()) / 2);
}

double __gridspan_range_threads(const GridspanBox *Box) noexcept {
  double Threads = 1;
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    Threads *= double(Box->BlockCount[Axis]) * double(Box->BlockDim[Axis]);
  return Threads;
}
