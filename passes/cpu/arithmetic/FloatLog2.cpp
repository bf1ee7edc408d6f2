//===- FloatLog2.cpp - Binary logarithms as instructions ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// X is 2^E times M, where M is between sqrt(1/2) and sqrt(2); as a double, no
// float is subnormal. With S = (M - 1) / (M + 1) the logarithm of M is
// S * P(S^2), where P interpolates log2((1 + S) / (1 - S)) / S at the zeros of
// the Chebyshev polynomial of degree 4; its relative error is below 7e-10,
// which is 0.012 units in the last place of a float. E is 0 where M is near 1,
// so that the sum of both keeps that.
//
// E becomes a double by way of the bits of 2^52 + E, as vectors have no such
// conversion before AVX-512.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/arithmetic/FloatLog2.h"
#include "passes/cpu/arithmetic/Polynomial.h"

using namespace llvm;
using namespace gridspan;

Value *gridspan::emitLog2(Value *X, IRBuilder<> &B) {
  assert(X->getType()->isFloatTy() && "not a float");
  constexpr uint64_t Bias = 1023, FractionBits = 52;
  constexpr uint64_t One = Bias << FractionBits;
  constexpr uint64_t SqrtHalf = 0x3FE6A09E667F3BCD;
  constexpr uint64_t TwoTo52 = (Bias + FractionBits) << FractionBits;
  Type *Double = B.getDoubleTy();
  auto Number = [&](double V) { return ConstantFP::get(Double, V); };

  Value *Bits = B.CreateBitCast(B.CreateFPExt(X, Double), B.getInt64Ty());
  Value *Biased =
      B.CreateLShr(B.CreateAdd(Bits, B.getInt64(One - SqrtHalf)), FractionBits);
  Value *E = B.CreateFSub(
      B.CreateBitCast(B.CreateOr(Biased, B.getInt64(TwoTo52)), Double),
      Number(4503599627370496.0 + Bias));
  Value *Scale =
      B.CreateSub(B.CreateShl(Biased, FractionBits), B.getInt64(One));
  Value *M = B.CreateBitCast(B.CreateSub(Bits, Scale), Double);
  Value *S =
      B.CreateFDiv(B.CreateFSub(M, Number(1)), B.CreateFAdd(M, Number(1)));
  Value *P = emitPolynomial(B.CreateFMul(S, S),
                            {2.8853900798033356, 0.9617988388026463,
                             0.5767151859586163, 0.43171769912570196},
                            B);
  Value *Result =
      B.CreateFPTrunc(B.CreateFAdd(E, B.CreateFMul(S, P)), B.getFloatTy());

  Constant *Infinity = ConstantFP::getInfinity(B.getFloatTy());
  Constant *Zero = ConstantFP::get(B.getFloatTy(), 0);
  Result = B.CreateSelect(B.CreateFCmpUEQ(X, Infinity), X, Result);
  Result =
      B.CreateSelect(B.CreateFCmpOEQ(X, Zero),
                     ConstantFP::getInfinity(B.getFloatTy(), true), Result);
  return B.CreateSelect(B.CreateFCmpOLT(X, Zero),
                        ConstantFP::getNaN(B.getFloatTy()), Result);
}
