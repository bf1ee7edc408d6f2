//===- SmallFloat.cpp - Floating point numbers of eight bits --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A normal number's exponent and fraction are those of the float but for the
// bias, so its upper bits are rounded, and the difference of the biases is
// subtracted. A carry of the fraction goes to the exponent, as it should.
//
// A subnormal number is a multiple of one step. Added to 2^23 steps, whose last
// bit is one step, it is rounded by the addition, and the low bits of the sum
// are the number of steps. The largest one may be that of the least normal
// number, whose bits these are.
//
// The other way, the bits of a normal number are those of a float but for the
// bias, and a subnormal one is its bits times the step.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/arithmetic/SmallFloat.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;
using namespace gridspan;

constexpr unsigned FloatFractionBits = 23, FloatBias = 127;

const SmallFloat *gridspan::findSmallFloat(StringRef Name) {
  // E4M3 has no infinity: all ones are its only NaN.
  static constexpr SmallFloat Formats[] = {{"e4m3", 3, 7, 0x7e, false},
                                           {"e5m2", 2, 15, 0x7b, true}};
  const auto *It =
      find_if(Formats, [&](const SmallFloat &F) { return F.Name == Name; });
  return It == std::end(Formats) ? nullptr : It;
}

/// Returns the value of a positive finite number.
static double valueOf(unsigned Bits, const SmallFloat &F) {
  const int Exponent = std::max(1, int(Bits >> F.FractionBits));
  const unsigned Fraction = Bits & ((1U << F.FractionBits) - 1);
  const unsigned One = Bits >> F.FractionBits ? 1U << F.FractionBits : 0;
  return std::ldexp(One + Fraction,
                    Exponent - int(F.Bias) - int(F.FractionBits));
}

Value *gridspan::emitToSmallFloat(Value *V, const SmallFloat &To,
                                  IRBuilder<> &B) {
  Type *Float = V->getType();
  Type *Word = Float->getWithNewType(B.getInt32Ty());
  const auto Number = [&](double N) { return ConstantFP::get(Float, N); };
  const auto Bits = [&](uint64_t N) { return ConstantInt::get(Word, N); };
  Value *const Given = B.CreateBitCast(V, Word);
  Value *Magnitude = B.CreateUnaryIntrinsic(Intrinsic::fabs, V);
  Value *Largest = Number(valueOf(To.Largest, To));
  Value *IsNan = B.CreateFCmpUNO(V, V);
  Magnitude =
      B.CreateSelect(B.CreateFCmpOLT(Magnitude, Largest), Magnitude, Largest);

  const unsigned Dropped = FloatFractionBits - To.FractionBits;
  Value *Normal = B.CreateBitCast(Magnitude, Word);
  Value *Odd = B.CreateAnd(B.CreateLShr(Normal, Dropped), 1);
  Normal = B.CreateAdd(B.CreateAdd(Normal, Odd),
                       Bits((uint64_t(1) << (Dropped - 1)) - 1));
  Normal = B.CreateSub(B.CreateLShr(Normal, Dropped),
                       Bits(uint64_t(FloatBias - To.Bias) << To.FractionBits));

  Constant *Steps = Number(std::ldexp(valueOf(1, To), FloatFractionBits));
  Value *Subnormal =
      B.CreateSub(B.CreateBitCast(B.CreateFAdd(Magnitude, Steps), Word),
                  B.CreateBitCast(Steps, Word));

  Value *IsNormal =
      B.CreateFCmpOGE(Magnitude, Number(valueOf(1U << To.FractionBits, To)));
  Value *Code = B.CreateSelect(IsNormal, Normal, Subnormal);
  Value *Sign = B.CreateAnd(B.CreateLShr(Given, 24), 0x80);
  Code = B.CreateSelect(IsNan, Bits(0x7f), B.CreateOr(Code, Sign));
  return B.CreateTrunc(Code, Word->getWithNewBitWidth(8));
}

Value *gridspan::emitFromSmallFloat(Value *V, const SmallFloat &From,
                                    IRBuilder<> &B) {
  Type *Word = V->getType()->getWithNewBitWidth(32);
  Type *Float = Word->getWithNewType(B.getFloatTy());
  Type *Half = Word->getWithNewType(B.getHalfTy());
  Value *Wide = B.CreateZExt(V, Word);
  Value *Magnitude = B.CreateAnd(Wide, 0x7f);
  Value *Normal =
      B.CreateAdd(B.CreateShl(Magnitude, FloatFractionBits - From.FractionBits),
                  ConstantInt::get(Word, uint64_t(FloatBias - From.Bias)
                                             << FloatFractionBits));
  Value *Subnormal = B.CreateFMul(B.CreateUIToFP(Magnitude, Float),
                                  ConstantFP::get(Float, valueOf(1, From)));
  Value *Number = B.CreateSelect(
      B.CreateICmpULT(Magnitude,
                      ConstantInt::get(Word, uint64_t(1) << From.FractionBits)),
      Subnormal, B.CreateBitCast(Normal, Float));
  Value *Bits = B.CreateBitCast(B.CreateFPTrunc(Number, Half),
                                Word->getWithNewBitWidth(16));
  Type *Short = Bits->getType();
  Value *IsNan = B.CreateICmpUGT(
      Magnitude, ConstantInt::get(Word, From.Largest + From.HasInfinity));
  if (From.HasInfinity)
    Bits = B.CreateSelect(
        B.CreateICmpEQ(Magnitude, ConstantInt::get(Word, From.Largest + 1)),
        ConstantInt::get(Short, 0x7c00), Bits);
  Value *Sign = B.CreateTrunc(B.CreateShl(B.CreateAnd(Wide, 0x80), 8), Short);
  Bits = B.CreateSelect(IsNan, ConstantInt::get(Short, 0x7fff),
                        B.CreateOr(Bits, Sign));
  return B.CreateBitCast(Bits, Half);
}
