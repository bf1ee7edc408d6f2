//===- FloatExp2.cpp - Powers of two as instructions ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// X is an integer N and a rest R of at most 1/2. 2^R is 1 + R * P(R) in double
// precision, where P interpolates (2^R - 1) / R at the zeros of the Chebyshev
// polynomial of degree 6 (in [-1/2, 1/2]); its relative error is below 5.1e-9,
// which is 0.05 units in the last place of a float. 2^N is a double's exponent;
// what is too small for a float is so by far less than for a double, so that
// rounding to a float makes a subnormal number of it.
//
// N is found by adding 3 * 2^51, which has no bits left for a fraction. It is
// wrong where X is so large or small that the result is replaced, and a NaN
// makes R one.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/arithmetic/FloatExp2.h"
#include "passes/cpu/arithmetic/Polynomial.h"

using namespace llvm;
using namespace gridspan;

Value *gridspan::emitExp2(Value *X, bool FlushesSubnormals, IRBuilder<> &B) {
  assert(X->getType()->isFloatTy() && "not a float");
  Type *Double = B.getDoubleTy();
  auto Number = [&](double V) { return ConstantFP::get(Double, V); };
  Value *Wide = B.CreateFPExt(X, Double);
  constexpr double Shift = 6755399441055744.0; // 3 * 2^51
  Value *Shifted = B.CreateFAdd(Wide, Number(Shift));
  Value *R = B.CreateFSub(Wide, B.CreateFSub(Shifted, Number(Shift)));
  Value *Power = emitPolynomial(R,
                                {1.0, 0.6931471880262288, 0.2402265076056811,
                                 0.05550357114218854, 0.009618082557271831,
                                 0.0013390863364767345, 0.00015453162947998183},
                                B);
  Value *Exponent =
      B.CreateAdd(B.CreateShl(B.CreateBitCast(Shifted, B.getInt64Ty()), 52),
                  B.getInt64(uint64_t(1023) << 52));
  Value *Result = B.CreateFPTrunc(
      B.CreateFMul(Power, B.CreateBitCast(Exponent, Double)), B.getFloatTy());
  // The least results are 2^-126, and 2^-149, of which the half is rounded.
  auto Limit = [&](double V) { return ConstantFP::get(B.getFloatTy(), V); };
  Value *IsZero =
      B.CreateFCmpOLT(X, Limit(FlushesSubnormals ? -126.0 : -150.0));
  Result = B.CreateSelect(IsZero, Limit(0), Result);
  return B.CreateSelect(B.CreateFCmpOGE(X, Limit(128)),
                        ConstantFP::getInfinity(B.getFloatTy()), Result);
}
