//===- RangeValue.cpp - Bit patterns as sets of integers ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads a stored set as mathematical integers and stores results: a result
// moves by a multiple of 2^w into the range of its width, or becomes Top.
//
//===----------------------------------------------------------------------===//

#include "runtime/ranges/RangeValue.h"
#include <algorithm>

using namespace gridspan;

Limits gridspan::limitsOf(unsigned Width, Sign S) {
  if (S == Sign::Signed)
    return {-(Wide(1) << (Width - 1)), (Wide(1) << (Width - 1)) - 1};
  return {0, (Wide(1) << Width) - 1};
}

bool gridspan::fits(const StridedBox &X, Limits L) {
  return X.Lo >= L.Min && X.hi() <= L.Max;
}

StridedBox gridspan::load(const GridspanValue &V) {
  if (V.State == GridspanValueTop) {
    Limits L = limitsOf(V.Width, Sign::Signed);
    return StridedBox::interval(L.Min, L.Max);
  }
  StridedBox X;
  X.Lo = V.Lo;
  X.NumDims = V.NumDims;
  copyDims(X.Dims, V.Dims, V.NumDims);
  X.Exact = V.Exact;
  X.Symbols = V.Symbols;
  X.Guarded = V.Guarded;
  X.Digits = V.Digits;
  return X;
}

Reading gridspan::read(const GridspanValue &V, Sign S) {
  Reading Result;
  Limits L = limitsOf(V.Width, S);
  if (V.State == GridspanValueTop) {
    Result.Parts[Result.NumParts++] = StridedBox::interval(L.Min, L.Max);
    return Result;
  }
  StridedBox X = load(V);
  if (fits(X, L)) {
    Result.Parts[Result.NumParts++] = X;
    return Result;
  }
  Wide Modulus = Wide(1) << V.Width;
  for (Wide Shift : {Wide(0), Modulus, -Modulus}) {
    StridedBox Part = X;
    Part.Lo += Shift;
    Part.Digits.Pure = false;
    if (Part.Lo > L.Max || Part.hi() < L.Min || !clip(Part, L.Min, L.Max))
      continue;
    if (!fits(Part, L))
      Part = StridedBox::interval(std::max(Part.Lo, L.Min),
                                  std::min(Part.hi(), L.Max));
    Result.Parts[Result.NumParts++] = Part;
  }
  return Result;
}

StridedBox gridspan::readHull(const GridspanValue &V, Sign S) {
  StridedBox X = load(V);
  // What is Top is loaded as signed numbers.
  if (fits(X, limitsOf(V.Width, S)))
    return X;
  Reading R = read(V, S);
  if (R.NumParts == 1)
    return R.Parts[0];
  // One box for both may reach beyond the ends of the reading.
  StridedBox Both = unite(R.Parts[0], R.Parts[1]);
  Limits L = limitsOf(V.Width, S);
  return fits(Both, L) ? Both : StridedBox::interval(L.Min, L.Max);
}

Sign gridspan::commonSign(const GridspanValue &A, const GridspanValue &B) {
  auto IsOnePart = [](const GridspanValue &V, Sign S) {
    return fits(load(V), limitsOf(V.Width, S)) || read(V, S).NumParts == 1;
  };
  auto AreOnePart = [&](Sign S) { return IsOnePart(A, S) && IsOnePart(B, S); };
  return !AreOnePart(Sign::Signed) && AreOnePart(Sign::Unsigned)
             ? Sign::Unsigned
             : Sign::Signed;
}

void gridspan::storeTop(GridspanValue *Out, unsigned Width) {
  Out->Lo = 0;
  Out->Symbols = 0;
  Out->Guarded = 0;
  Out->Digits = {0, 0, 0, 0, 0};
  Out->Width = Width;
  Out->State = GridspanValueTop;
  Out->NumDims = 0;
  Out->Exact = false;
  Out->Reserved = 0;
}

void gridspan::storeEmpty(GridspanValue *Out, unsigned Width) {
  storeTop(Out, Width);
  Out->State = GridspanValueEmpty;
}

bool gridspan::moveIntoRange(StridedBox &X, unsigned Width) {
  // An int64_t start cannot express the upper half of the unsigned 64-bit
  // range.
  auto Fits = [&] {
    return fits(X, limitsOf(Width, Sign::Signed)) ||
           (Width < 64 && fits(X, limitsOf(Width, Sign::Unsigned)));
  };
  if (Fits())
    return true;
  Wide Modulus = Wide(1) << Width;
  X.Lo = X.Lo & (Modulus - 1);
  if (Fits())
    return true;
  X.Lo -= Modulus;
  return Fits();
}

void gridspan::store(GridspanValue *Out, unsigned Width, StridedBox X) {
  X.simplify();
  if (X.Overflow || !moveIntoRange(X, Width))
    return storeTop(Out, Width);
  if (X.NumDims == 0 && !fits(X, limitsOf(Width, Sign::Signed))) {
    X.Lo -= Wide(1) << Width;
    X.Digits.Pure = false;
  }
  Out->Lo = int64_t(X.Lo);
  copyDims(Out->Dims, X.Dims, X.NumDims);
  // One value in all threads depends on nothing but on who gets there.
  Out->Symbols = X.NumDims == 0 ? X.Guarded : X.Symbols;
  Out->Guarded = X.Guarded;
  Out->Digits = X.Digits;
  if (Out->Symbols == 0)
    Out->Digits = {0, 0, 0, 0, 0};
  Out->Width = Width;
  Out->State = GridspanValueBox;
  Out->NumDims = X.NumDims;
  Out->Exact = X.Exact;
  Out->Reserved = 0;
}

bool gridspan::storeIfEmpty(GridspanValue *Out, const GridspanValue *A,
                            const GridspanValue *B) {
  if (!isEmpty(A) && !isEmpty(B))
    return false;
  storeEmpty(Out, A->Width);
  return true;
}

StridedBox gridspan::resultOf(StridedBox X, const StridedBox &A,
                              const StridedBox &B) {
  X.Exact = X.Exact && A.Exact && B.Exact && areIndependent(A, B);
  X.dependOn(A);
  X.dependOn(B);
  return X;
}

StridedBox gridspan::decidedBy(StridedBox X, const StridedBox &Other) {
  X.Exact = X.Exact && Other.Exact && (X.Symbols & Other.Guarded) == 0;
  StridedBox Guard;
  Guard.Symbols = Guard.Guarded = Other.Guarded;
  X.dependOn(Guard);
  return X;
}
