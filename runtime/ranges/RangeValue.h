//===- RangeValue.h - Bit patterns as sets of integers ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two's complement on top of StridedBox. A stored set stands for bit patterns;
// an operation first reads its operands as signed or as unsigned numbers,
// whichever it means (either, for those that are right modulo 2^w). It computes
// on mathematical integers and stores the result. The result is moved by a
// multiple of 2^w if that makes it fit, and is Top if it fits nowhere. So
// overflow and sign questions answer themselves with the launch's numbers.
//
// Exactness: an operand that is not exact may enclose nothing at all (a guard
// that never holds). So a result is exact only if all operands are, even where
// the value of one does not matter.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_RANGES_RANGEVALUE_H
#define GRIDSPAN_RUNTIME_RANGES_RANGEVALUE_H

#include "runtime/ranges/StridedBox.h"

namespace gridspan {

/// Bits of GridspanValue::Symbols.
constexpr unsigned FirstThreadSymbol = 0, FirstBlockSymbol = 3,
                   FirstLoopSymbol = 6;

/// The way an operation reads bit patterns.
enum class Sign { Signed, Unsigned };

struct Limits {
  Wide Min, Max;
};

Limits limitsOf(unsigned Width, Sign S);
bool fits(const StridedBox &X, Limits L);

/// The set as integers that are right modulo 2^Width.
StridedBox load(const GridspanValue &V);

/// A set read as signed or unsigned numbers: one part, or two when it straddles
/// the point where that reading wraps.
struct Reading {
  StridedBox Parts[2];
  unsigned NumParts = 0;
};
Reading read(const GridspanValue &V, Sign S);

/// One box that contains the set read this way, and no number that this reading
/// does not give.
StridedBox readHull(const GridspanValue &V, Sign S);

/// A reading under which both are one part, preferably signed.
Sign commonSign(const GridspanValue &A, const GridspanValue &B);

void store(GridspanValue *Out, unsigned Width, StridedBox X);
void storeTop(GridspanValue *Out, unsigned Width);
void storeEmpty(GridspanValue *Out, unsigned Width);

/// Moves X by a multiple of 2^Width into a range of the width that a value can
/// hold; false if it fits none.
bool moveIntoRange(StridedBox &X, unsigned Width);

inline bool isEmpty(const GridspanValue *A) {
  return A->State == GridspanValueEmpty;
}

/// The result of an operation on nothing is nothing; false if there is work.
bool storeIfEmpty(GridspanValue *Out, const GridspanValue *A,
                  const GridspanValue *B);

/// X as the result of an operation on A and B. X.Exact says whether it gives
/// just the results of all pairs of their elements.
StridedBox resultOf(StridedBox X, const StridedBox &A, const StridedBox &B);

/// X as a result that no element of another operand would change.
StridedBox decidedBy(StridedBox X, const StridedBox &Other);

inline bool isDense(const StridedBox &X) {
  return X.NumDims == 0 || (X.NumDims == 1 && X.Dims[0].Stride == 1);
}

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_RANGES_RANGEVALUE_H
