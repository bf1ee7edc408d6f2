//===- FloatRounding.cpp - Products and sums rounded otherwise ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The product of two floats is a double, exactly. Its sum with the third, s,
// has an error e that is a double too (Knuth's TwoSum; The Art of Computer
// Programming, volume 2, 4.2.2). The float nearest to s is right, or its
// neighbour is: the difference of s and that float is exact and, unless it is
// 0, larger than e, so its sign, else that of e, says on which side the exact
// result is. Infinities and NaNs make NaNs of these differences, which compare
// as false; a float that overflowed becomes the largest number.
//
// CUDA's expf rounds a * 252 + 12582913 down, with a in [0, 1], to get an
// integer part. Floats from 2^23 to 2^24 are the integers, in order of their
// bits, so that is an addition to the bits of the third number.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/arithmetic/FloatRounding.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace gridspan;

/// Returns the next float toward zero of F, which is not 0.
static Value *towardZero(Value *Bits, IRBuilder<> &B) {
  return B.CreateSub(Bits, B.getInt32(1));
}

/// Returns the next float away from zero.
static Value *fromZero(Value *Bits, IRBuilder<> &B) {
  return B.CreateAdd(Bits, B.getInt32(1));
}

/// Returns true if V is in [0, 1], as what is saturated is, also where
/// subnormal numbers became 0.
static bool isSaturated(Value *V) {
  Value *Flushed;
  while (match(
      V, m_Select(m_Value(),
                  m_Intrinsic<Intrinsic::copysign>(m_AnyZeroFP(), m_Value()),
                  m_Value(Flushed))))
    V = Flushed;
  return match(V, m_Intrinsic<Intrinsic::minnum>(
                      m_Intrinsic<Intrinsic::maxnum>(m_Value(), m_AnyZeroFP()),
                      m_FPOne()));
}

/// Returns the result where it is an integer as the comment above has them,
/// else null.
static Value *emitIntegerPart(Value *A, Value *B, Value *C, IRBuilder<> &I) {
  const APFloat *Factor, *Base;
  if (!isSaturated(A) || !match(B, m_APFloat(Factor)) ||
      !match(C, m_APFloat(Base)))
    return nullptr;
  const double Least = Base->convertToFloat(), Most = Factor->convertToFloat();
  if (!(Least >= 0x1p23 && Most >= 0 && Least + Most < 0x1p24))
    return nullptr;
  Value *Product = I.CreateFMul(I.CreateFPExt(A, I.getDoubleTy()),
                                I.CreateFPExt(B, I.getDoubleTy()));
  Value *Bits = I.CreateAdd(I.CreateFPToSI(Product, I.getInt32Ty()),
                            I.CreateBitCast(C, I.getInt32Ty()));
  return I.CreateBitCast(Bits, I.getFloatTy());
}

Value *gridspan::emitRoundedFma(Rounding Mode, Value *A, Value *B, Value *C,
                                IRBuilder<> &Builder) {
  assert(Mode != Rounding::Nearest && "the host's own");
  IRBuilder<> &I = Builder;
  if (Mode == Rounding::Down || Mode == Rounding::Zero)
    if (Value *Result = emitIntegerPart(A, B, C, I))
      return Result;
  Type *Double = I.getDoubleTy();
  Value *Product =
      I.CreateFMul(I.CreateFPExt(A, Double), I.CreateFPExt(B, Double));
  Value *Addend = I.CreateFPExt(C, Double);
  Value *Sum = I.CreateFAdd(Product, Addend);
  Value *Part = I.CreateFSub(Sum, Product);
  Value *Error = I.CreateFAdd(I.CreateFSub(Product, I.CreateFSub(Sum, Part)),
                              I.CreateFSub(Addend, Part));
  Value *Nearest = I.CreateFPTrunc(Sum, I.getFloatTy());
  Value *Difference = I.CreateFSub(Sum, I.CreateFPExt(Nearest, Double));
  Value *Zero = ConstantFP::getZero(Double);
  // 0 of either sign compares as 0 as well.
  Value *Side =
      I.CreateSelect(I.CreateFCmpOEQ(Difference, Zero), Error, Difference);
  Value *IsBelow = I.CreateFCmpOLT(Side, Zero);
  Value *IsAbove = I.CreateFCmpOGT(Side, Zero);
  Value *Bits = I.CreateBitCast(Nearest, I.getInt32Ty());
  Value *IsNegative = I.CreateICmpSLT(Bits, I.getInt32(0));
  Value *IsZero = I.CreateIsNull(I.CreateShl(Bits, 1));
  Value *Out = nullptr;
  switch (Mode) {
  case Rounding::Zero: {
    Value *IsTooLarge = I.CreateSelect(IsNegative, IsAbove, IsBelow);
    // A sum that is not 0 but too small for a float is 0 already.
    IsTooLarge = I.CreateAnd(IsTooLarge, I.CreateNot(IsZero));
    Out = I.CreateSelect(IsTooLarge, towardZero(Bits, I), Bits);
    break;
  }
  case Rounding::Down: {
    Value *Lower =
        I.CreateSelect(IsNegative, fromZero(Bits, I), towardZero(Bits, I));
    Lower = I.CreateSelect(IsZero, I.getInt32(0x80000001U), Lower);
    Out = I.CreateSelect(IsBelow, Lower, Bits);
    // A sum that is exactly 0 is negative unless both terms are positive.
    Value *Signs = I.CreateOr(I.CreateBitCast(Product, I.getInt64Ty()),
                              I.CreateBitCast(Addend, I.getInt64Ty()));
    Value *OfZero =
        I.CreateTrunc(I.CreateShl(I.CreateLShr(Signs, 63), 31), I.getInt32Ty());
    Out = I.CreateSelect(I.CreateFCmpOEQ(Sum, Zero), OfZero, Out);
    break;
  }
  case Rounding::Up: {
    Value *Higher =
        I.CreateSelect(IsNegative, towardZero(Bits, I), fromZero(Bits, I));
    Higher = I.CreateSelect(IsZero, I.getInt32(1), Higher);
    Out = I.CreateSelect(IsAbove, Higher, Bits);
    break;
  }
  case Rounding::Nearest:
    llvm_unreachable("the host's own");
  }
  return I.CreateBitCast(Out, I.getFloatTy());
}
