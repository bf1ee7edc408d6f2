//===- Polynomial.cpp - Polynomials as instructions -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Horner's scheme over the square, of pairs of terms: fewer operations wait for
// each other.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/arithmetic/Polynomial.h"

using namespace llvm;
using namespace gridspan;

Value *gridspan::emitPolynomial(Value *X, ArrayRef<double> Coefficients,
                                IRBuilder<> &B) {
  assert(X->getType()->isDoubleTy() && "not a double");
  assert(Coefficients.size() > 1 && "no polynomial");
  const auto Number = [&](double V) {
    return ConstantFP::get(X->getType(), V);
  };
  const auto Pair = [&](size_t Low) {
    return B.CreateFAdd(B.CreateFMul(X, Number(Coefficients[Low + 1])),
                        Number(Coefficients[Low]));
  };
  Value *Square = B.CreateFMul(X, X);
  // One term, or two, begin.
  size_t At = (Coefficients.size() - 1) / 2 * 2;
  Value *Sum = Coefficients.size() % 2 ? Number(Coefficients.back()) : Pair(At);
  while (At != 0) {
    At -= 2;
    Sum = B.CreateFAdd(B.CreateFMul(Square, Sum), Pair(At));
  }
  return Sum;
}
