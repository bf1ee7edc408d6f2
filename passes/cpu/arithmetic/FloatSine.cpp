//===- FloatSine.cpp - Sines and cosines as instructions ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// X * 2 / pi is an integer N and a rest R of at most 1/2, in double precision.
// The sine of R quarters of a turn is R * S(R^2), its cosine C(R^2), where S
// and C interpolate at the zeros of Chebyshev polynomials, with relative errors
// below 3.5e-9 and 7e-11. N says which of them to take, and with which sign.
//
// The product is rounded to 53 bits: what is lost of R is X * 2^-53 or so. N is
// found by adding 3 * 2^51, which has no bits left for a fraction, if X is not
// so large that R is lost altogether; then R is 0, or a NaN for an infinity.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/arithmetic/FloatSine.h"
#include "passes/cpu/arithmetic/Polynomial.h"

using namespace llvm;
using namespace gridspan;

Value *gridspan::emitSine(Value *X, bool IsCosine, IRBuilder<> &B) {
  assert(X->getType()->isFloatTy() && "not a float");
  Type *Double = B.getDoubleTy();
  auto Number = [&](double V) { return ConstantFP::get(Double, V); };
  constexpr double Shift = 6755399441055744.0; // 3 * 2^51
  constexpr double Limit = 1125899906842624.0; // 2^50

  Value *Wide = B.CreateFPExt(X, Double);
  Value *IsSmall = B.CreateFCmpOLT(
      B.CreateUnaryIntrinsic(Intrinsic::fabs, Wide), Number(Limit));
  Value *Quarters =
      B.CreateSelect(IsSmall, B.CreateFMul(Wide, Number(0.6366197723675814)),
                     B.CreateFMul(Wide, Number(0)));
  Value *Shifted = B.CreateFAdd(Quarters, Number(Shift));
  Value *R = B.CreateFSub(Quarters, B.CreateFSub(Shifted, Number(Shift)));

  Value *Square = B.CreateFMul(R, R);
  Value *Sine = B.CreateFMul(
      R, emitPolynomial(Square,
                        {1.5707963219532364, -0.6459634776648009,
                         0.07968021764765923, -0.004602149212579833},
                        B));
  Value *Cosine = emitPolynomial(Square,
                                 {0.9999999999524894, -1.2337005406331634,
                                  0.253669203655139, -0.020860069500449278,
                                  0.0009036280667591915},
                                 B);

  Value *N = B.CreateBitCast(Shifted, B.getInt64Ty());
  if (IsCosine)
    N = B.CreateAdd(N, B.getInt64(1));
  Value *IsOdd = B.CreateICmpNE(B.CreateAnd(N, 1), B.getInt64(0));
  Value *Result =
      B.CreateBitCast(B.CreateSelect(IsOdd, Cosine, Sine), B.getInt64Ty());
  constexpr unsigned SignBit = 63;
  Value *Sign = B.CreateShl(B.CreateAnd(N, 2), SignBit - 1);
  return B.CreateFPTrunc(B.CreateBitCast(B.CreateXor(Result, Sign), Double),
                         B.getFloatTy());
}
