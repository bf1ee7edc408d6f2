//===- RangeNumbers.h - Sets of values and one number -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most operations of a range function have a number for an operand: they move a
// set, scale it, or give it another width, and change nothing else. These are
// shortcuts for that, without 128-bit arithmetic and without looking at the
// dimensions again. Each gives just what the general operation would, or
// returns false and has done nothing: where a value might not fit, or when the
// operand is no set or no number.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_RANGES_RANGENUMBERS_H
#define GRIDSPAN_RUNTIME_RANGES_RANGENUMBERS_H

#include "gridspan/RangeOps.h"

namespace gridspan {

/// One value, whoever computes it.
inline bool isNumber(const GridspanValue &V) {
  return V.State == GridspanValueBox && V.NumDims == 0 && V.Symbols == 0 &&
         V.Guarded == 0 && V.Exact;
}

/// Number is in the signed range of Width.
void storeNumber(GridspanValue *Out, unsigned Width, int64_t Number);

/// A + Number.
bool storeShifted(GridspanValue *Out, const GridspanValue &A, int64_t Number);

/// A * Factor, for a positive Factor.
bool storeScaled(GridspanValue *Out, const GridspanValue &A, int64_t Factor);

/// The same numbers in another width, if they are in the signed range of both.
bool storeResized(GridspanValue *Out, const GridspanValue &A, unsigned Width);

/// A, if all of it is on the side of Number that Pred says.
bool storeIfBeyond(GridspanValue *Out, const GridspanValue &A, uint32_t Pred,
                   int64_t Number);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_RANGES_RANGENUMBERS_H
