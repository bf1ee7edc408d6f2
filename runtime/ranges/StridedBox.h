//===- StridedBox.h - Arithmetic of sets of integers ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strided boxes { Lo + sum of Stride_i * k_i : 0 <= k_i <= Last_i } over the
// mathematical integers: no widths, no wrapping (RangeOps.cpp adds those).
// Every operation gives a set that contains all results; Exact is kept only
// where the set contains nothing else and each element is attained.
//
// Index expressions of kernels are sums of products of independent counters, so
// they ARE strided boxes, and rows, columns and tiles keep their shape through
// every addition and multiplication by a constant. Division and remainder by a
// constant split a box into the dimensions above and below it, as in a mixed
// radix number, which is what `id / N, id % N` means.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_RANGES_STRIDEDBOX_H
#define GRIDSPAN_RUNTIME_RANGES_STRIDEDBOX_H

#include "gridspan/RangeOps.h"

namespace gridspan {

/// Holds any 64-bit value of either sign, and products of two of them that do
/// not exceed 2^126; operations that could say so with Overflow.
using Wide = __int128;

/// Written out for the few there mostly are: a loop becomes a call of memmove.
/// To may be below From in one array.
inline void copyDims(GridspanDim *To, const GridspanDim *From,
                     unsigned NumDims) {
  if (NumDims > 0)
    To[0] = From[0];
  if (NumDims > 1)
    To[1] = From[1];
  if (NumDims > 2)
    To[2] = From[2];
  if (NumDims > 3)
    To[3] = From[3];
  for (unsigned I = 4; I < NumDims; ++I)
    To[I] = From[I];
}

struct StridedBox {
  /// Room for the dimensions of two values, or of one and a few more.
  static constexpr unsigned Capacity = 10;

  Wide Lo = 0;
  uint64_t Symbols = 0; ///< see GridspanValue
  uint64_t Guarded = 0; ///< see GridspanValue
  GridspanDigits Digits = {0, 0, 0, 0, 0};
  unsigned NumDims = 0;
  bool Exact = true;
  /// Nothing is known: the true set may exceed what Dims can say.
  bool Overflow = false;
  GridspanDim Dims[Capacity];

  StridedBox() = default;
  // Most boxes use one or two of the dimensions.
  StridedBox(const StridedBox &Other) { *this = Other; }
  StridedBox &operator=(const StridedBox &Other) {
    if (this == &Other)
      return *this;
    Lo = Other.Lo;
    Symbols = Other.Symbols;
    Guarded = Other.Guarded;
    Digits = Other.Digits;
    NumDims = Other.NumDims;
    Exact = Other.Exact;
    Overflow = Other.Overflow;
    copyDims(Dims, Other.Dims, NumDims);
    return *this;
  }

  static StridedBox constant(Wide Value);
  /// { Lo, Lo + Stride, ... } up to Hi at most. Not exact. Requires Lo <= Hi.
  static StridedBox interval(Wide Lo, Wide Hi, uint64_t Stride = 1);

  bool isConstant() const { return NumDims == 0 && !Overflow; }
  /// Distance from the smallest to the largest element.
  Wide span() const {
    Wide Result = 0;
    for (unsigned I = 0; I != NumDims; ++I)
      Result += Wide(Dims[I].Stride) * Dims[I].Last;
    return Result;
  }
  Wide hi() const { return Lo + span(); }
  /// Greatest common divisor of all differences; 0 for a constant.
  uint64_t stride() const;
  /// Number of elements, not counting coincidences; approximate.
  double size() const;

  void add(uint64_t Stride, uint64_t Last);
  /// Adds the symbols of an operand.
  void dependOn(const StridedBox &Operand);
  /// Puts the dimensions in order, merges those that make one, and gives up
  /// shape until at most Limit are left.
  void simplify(unsigned Limit = GridspanMaxDims);
};

/// True if the values combine freely: no symbol in common, or only through
/// different digits of one value.
bool areIndependent(const StridedBox &A, const StridedBox &B);

StridedBox addBoxes(const StridedBox &A, const StridedBox &B);
StridedBox negate(const StridedBox &A);
StridedBox mulBoxes(const StridedBox &A, const StridedBox &B);

/// X = Divisor * Quotient + Remainder with 0 <= Remainder < Divisor. Requires
/// a simplified X and Divisor > 0. The two results are correlated.
struct Division {
  StridedBox Quotient;
  StridedBox Remainder;
  /// Quotient and remainder are digits of X: an exact X takes all pairs.
  bool WithoutCarry = false;
};
Division floorDivide(const StridedBox &X, uint64_t Divisor);

/// Says that Result depends on the digits from the place value Lo up to Hi of
/// X, which was divided without carry and is identified by Node.
void markDigits(StridedBox &Result, const StridedBox &X, uint32_t Node,
                uint64_t Lo, uint64_t Hi);

/// Restricts X to [Min, Max] as far as boxes can say; false: nothing is left.
bool clip(StridedBox &X, Wide Min, Wide Max);

/// Contains both. Not exact, except for equal constants.
StridedBox unite(const StridedBox &A, const StridedBox &B);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_RANGES_STRIDEDBOX_H
