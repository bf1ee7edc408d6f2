//===- RangeNumbers.cpp - Sets of values and one number -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stored set is simplified, and stays so when it is moved or scaled. Its span
// is less than 2^64, so that unsigned 64-bit arithmetic has it; that its ends
// fit the signed range of a width is checked with overflow.
//
//===----------------------------------------------------------------------===//

#include "runtime/ranges/RangeNumbers.h"
#include "runtime/ranges/StridedBox.h"

using namespace gridspan;

/// Distance from the smallest to the largest element of a stored set.
static uint64_t spanOf(const GridspanValue &V) {
  uint64_t Span = 0;
  for (unsigned I = 0; I != V.NumDims; ++I)
    Span += V.Dims[I].Stride * V.Dims[I].Last;
  return Span;
}

/// True if Lo and Lo + Span are in the signed range of Width.
static bool fitsSigned(int64_t Lo, uint64_t Span, unsigned Width) {
  const int64_t Most = INT64_MAX >> (64 - Width);
  return Lo >= -Most - 1 && Lo <= Most && Span <= uint64_t(Most) - uint64_t(Lo);
}

/// All but Lo and the dimensions.
static void copyRest(GridspanValue *Out, const GridspanValue &A,
                     unsigned Width) {
  Out->Symbols = A.Symbols;
  Out->Guarded = A.Guarded;
  Out->Digits = A.Digits;
  Out->Width = Width;
  Out->State = GridspanValueBox;
  Out->NumDims = A.NumDims;
  Out->Exact = A.Exact;
  Out->Reserved = 0;
}

void gridspan::storeNumber(GridspanValue *Out, unsigned Width, int64_t Number) {
  Out->Lo = Number;
  Out->Symbols = Out->Guarded = 0;
  Out->Digits = {0, 0, 0, 0, 0};
  Out->Width = Width;
  Out->State = GridspanValueBox;
  Out->NumDims = 0;
  Out->Exact = true;
  Out->Reserved = 0;
}

bool gridspan::storeShifted(GridspanValue *Out, const GridspanValue &A,
                            int64_t Number) {
  int64_t Lo;
  if (A.State != GridspanValueBox ||
      __builtin_add_overflow(A.Lo, Number, &Lo) ||
      !fitsSigned(Lo, spanOf(A), A.Width))
    return false;
  Out->Lo = Lo;
  copyDims(Out->Dims, A.Dims, A.NumDims);
  copyRest(Out, A, A.Width);
  Out->Digits.Pure = false;
  return true;
}

bool gridspan::storeScaled(GridspanValue *Out, const GridspanValue &A,
                           int64_t Factor) {
  int64_t Lo;
  uint64_t Span;
  if (A.State != GridspanValueBox || Factor <= 0 ||
      __builtin_mul_overflow(A.Lo, Factor, &Lo) ||
      __builtin_mul_overflow(spanOf(A), uint64_t(Factor), &Span) ||
      !fitsSigned(Lo, Span, A.Width))
    return false;
  Out->Lo = Lo;
  for (unsigned I = 0; I != A.NumDims; ++I)
    Out->Dims[I] = {A.Dims[I].Stride * uint64_t(Factor), A.Dims[I].Last};
  copyRest(Out, A, A.Width);
  Out->Digits.Pure = false;
  return true;
}

bool gridspan::storeResized(GridspanValue *Out, const GridspanValue &A,
                            unsigned Width) {
  const unsigned Narrow = Width < A.Width ? Width : A.Width;
  if (A.State != GridspanValueBox || !fitsSigned(A.Lo, spanOf(A), Narrow))
    return false;
  Out->Lo = A.Lo;
  copyDims(Out->Dims, A.Dims, A.NumDims);
  copyRest(Out, A, Width);
  return true;
}

bool gridspan::storeIfBeyond(GridspanValue *Out, const GridspanValue &A,
                             uint32_t Pred, int64_t Number) {
  const uint64_t Span = A.State == GridspanValueBox ? spanOf(A) : 0;
  if (A.State != GridspanValueBox || !fitsSigned(A.Lo, Span, A.Width))
    return false;
  const bool Signed = Pred >= GridspanSGT;
  if (!Signed && (A.Lo < 0 || Number < 0))
    return false;
  const int64_t Hi = int64_t(uint64_t(A.Lo) + Span);
  bool Holds = false;
  switch (Pred) {
  case GridspanULT:
  case GridspanSLT:
    Holds = Hi < Number;
    break;
  case GridspanULE:
  case GridspanSLE:
    Holds = Hi <= Number;
    break;
  case GridspanUGT:
  case GridspanSGT:
    Holds = A.Lo > Number;
    break;
  case GridspanUGE:
  case GridspanSGE:
    Holds = A.Lo >= Number;
    break;
  default:
    break;
  }
  if (!Holds)
    return false;
  Out->Lo = A.Lo;
  copyDims(Out->Dims, A.Dims, A.NumDims);
  copyRest(Out, A, A.Width);
  Out->Digits.Pure = false;
  return true;
}
