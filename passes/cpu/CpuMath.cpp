//===- CpuMath.cpp - Arithmetic of devices on the CPU ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names: <operation>[.<rounding>][.approx][.ftz][.<type>]. Rounding to nearest
// is the host's own; other roundings of floats are computed with doubles where
// that is enough, else by a call that switches the mode for one operation.
// Approximations are computed exactly, or nearly so, which is within every
// bound that CUDA documents. Flushing of subnormal numbers is done by hand,
// where the name asks for it. Meanings: PTX ISA, "Floating Point Instructions".
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuMath.h"
#include "passes/cpu/CpuRules.h"
#include "passes/cpu/arithmetic/FloatExp2.h"
#include "passes/cpu/arithmetic/FloatLog2.h"
#include "passes/cpu/arithmetic/FloatRounding.h"
#include "passes/cpu/arithmetic/FloatSine.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace gridspan;

std::optional<Rounding> gridspan::parseRounding(StringRef Name) {
  return StringSwitch<std::optional<Rounding>>(Name)
      .Cases("rn", "rni", Rounding::Nearest)
      .Cases("rz", "rzi", Rounding::Zero)
      .Cases("rm", "rmi", Rounding::Down)
      .Cases("rp", "rpi", Rounding::Up)
      .Default(std::nullopt);
}

Value *gridspan::flushSubnormal(Value *V, CpuContext &C) {
  Type *Ty = V->getType();
  if (!Ty->getScalarType()->isFloatTy())
    return V;
  if (auto *Constant = dyn_cast<ConstantFP>(V);
      Constant && !Constant->getValueAPF().isDenormal())
    return V;
  Value *Magnitude = C.B.CreateUnaryIntrinsic(Intrinsic::fabs, V);
  Value *Least = ConstantFP::get(
      Ty, APFloat::getSmallestNormalized(APFloat::IEEEsingle()));
  Value *Zero = C.B.CreateBinaryIntrinsic(Intrinsic::copysign,
                                          ConstantFP::getZero(Ty), V);
  return C.B.CreateSelect(C.B.CreateFCmpOLT(Magnitude, Least), Zero, V);
}

Value *gridspan::emitRounded(StringRef Operation, Rounding Mode,
                             ArrayRef<Value *> Args, CpuContext &C) {
  Type *Ty = Args[0]->getType();
  IRBuilder<> &B = C.B;
  if (Mode == Rounding::Nearest || !(Ty->isFloatTy() || Ty->isDoubleTy())) {
    if (Operation == "add")
      return B.CreateFAdd(Args[0], Args[1]);
    if (Operation == "sub")
      return B.CreateFSub(Args[0], Args[1]);
    if (Operation == "mul")
      return B.CreateFMul(Args[0], Args[1]);
    if (Operation == "div")
      return B.CreateFDiv(Args[0], Args[1]);
    if (Operation == "rcp")
      return B.CreateFDiv(ConstantFP::get(Ty, 1.0), Args[0]);
    if (Operation == "sqrt")
      return B.CreateUnaryIntrinsic(Intrinsic::sqrt, Args[0]);
    if (Operation == "fma")
      return B.CreateIntrinsic(Intrinsic::fma, {Ty}, Args);
    return nullptr;
  }
  bool Known =
      StringSwitch<bool>(Operation)
          .Cases("add", "sub", "mul", "div", "rcp", "sqrt", "fma", true)
          .Default(false);
  if (!Known)
    return nullptr;
  if (Ty->isFloatTy()) {
    Value *One = ConstantFP::get(Ty, 1.0);
    if (Operation == "fma")
      return emitRoundedFma(Mode, Args[0], Args[1], Args[2], B);
    if (Operation == "add" || Operation == "sub")
      return emitRoundedFma(
          Mode, Args[0], One,
          Operation == "sub" ? B.CreateFNeg(Args[1]) : Args[1], B);
  }
  SmallVector<Value *> All(Args);
  All.push_back(B.getInt32(unsigned(Mode)));
  return C.call(Operation + (Ty->isFloatTy() ? "_f32" : "_f64"), Ty, All);
}

Value *gridspan::emitSaturated(Value *V, CpuContext &C) {
  Type *Ty = V->getType();
  // maxnum returns the number when the other operand is not one.
  Value *Positive = C.B.CreateMaxNum(V, ConstantFP::getZero(Ty));
  return C.B.CreateMinNum(Positive, ConstantFP::get(Ty, 1.0));
}

/// Returns V, or the NaN of devices, all bits of which are set but the sign.
static Value *withCanonicalNan(Value *V, Value *Of, CpuContext &C) {
  const APInt Payload = APInt::getAllOnes(64);
  return C.B.CreateSelect(C.B.CreateFCmpUNO(Of, Of),
                          ConstantFP::getQNaN(V->getType(), /*Negative=*/false,
                                              const_cast<APInt *>(&Payload)),
                          V);
}

Value *gridspan::emitRelu(Value *V, CpuContext &C) {
  Constant *Zero = ConstantFP::getZero(V->getType());
  return withCanonicalNan(C.B.CreateSelect(C.B.CreateFCmpOLE(V, Zero), Zero, V),
                          V, C);
}

Value *gridspan::emitFinite(Value *V, CpuContext &C) {
  Type *Ty = V->getType();
  Constant *Largest = ConstantFP::get(
      Ty, APFloat::getLargest(Ty->getScalarType()->getFltSemantics()));
  Value *Magnitude = C.B.CreateUnaryIntrinsic(Intrinsic::fabs, V);
  Value *Limit = C.B.CreateBinaryIntrinsic(Intrinsic::copysign, Largest, V);
  Value *IsInfinite = C.B.CreateFCmpOEQ(Magnitude, ConstantFP::getInfinity(Ty));
  return withCanonicalNan(C.B.CreateSelect(IsInfinite, Limit, V), V, C);
}

Value *gridspan::emitMinMax(bool IsMin, bool PropagateNan, bool XorSign,
                            Value *L, Value *R, CpuContext &C) {
  Type *Ty = L->getType();
  Value *Sign = nullptr;
  if (XorSign) {
    Sign =
        C.B.CreateFMul(C.B.CreateBinaryIntrinsic(Intrinsic::copysign,
                                                 ConstantFP::get(Ty, 1.0), L),
                       C.B.CreateBinaryIntrinsic(Intrinsic::copysign,
                                                 ConstantFP::get(Ty, 1.0), R));
    L = C.B.CreateUnaryIntrinsic(Intrinsic::fabs, L);
    R = C.B.CreateUnaryIntrinsic(Intrinsic::fabs, R);
  }
  Intrinsic::ID Id = PropagateNan
                         ? (IsMin ? Intrinsic::minimum : Intrinsic::maximum)
                         : (IsMin ? Intrinsic::minnum : Intrinsic::maxnum);
  Value *Result = C.B.CreateBinaryIntrinsic(Id, L, R);
  if (Sign)
    Result = C.B.CreateBinaryIntrinsic(Intrinsic::copysign, Result, Sign);
  return Result;
}

Value *gridspan::emitApproximation(StringRef Operation, Value *V,
                                   CpuContext &C) {
  Type *Ty = V->getType();
  if (Operation == "rsqrt")
    return C.B.CreateFDiv(ConstantFP::get(Ty, 1.0),
                          C.B.CreateUnaryIntrinsic(Intrinsic::sqrt, V));
  if (Operation == "rcp")
    return C.B.CreateFDiv(ConstantFP::get(Ty, 1.0), V);
  if (Operation == "ex2" && Ty->isFloatTy())
    return emitExp2(V, /*FlushesSubnormals=*/false, C.B);
  if (Operation == "lg2" && Ty->isFloatTy())
    return emitLog2(V, C.B);
  if ((Operation == "sin" || Operation == "cos") && Ty->isFloatTy())
    return emitSine(V, /*IsCosine=*/Operation == "cos", C.B);
  if (Operation == "tanh") {
    Type *Float = C.B.getFloatTy();
    if (Ty->isFloatTy())
      return C.call("tanh_f32", Ty, {V});
    return C.B.CreateFPTrunc(
        C.call("tanh_f32", Float, {C.B.CreateFPExt(V, Float)}), Ty);
  }
  auto Id = StringSwitch<Intrinsic::ID>(Operation)
                .Case("ex2", Intrinsic::exp2)
                .Case("sqrt", Intrinsic::sqrt)
                .Default(Intrinsic::not_intrinsic);
  if (Id == Intrinsic::not_intrinsic)
    return nullptr;
  return C.B.CreateUnaryIntrinsic(Id, V);
}

/// Lowers floating point operations; Parts are the name's components.
static Lowered lowerFloat(CallInst &Call, ArrayRef<StringRef> Parts,
                          CpuContext &C) {
  StringRef Operation = Parts[0];
  bool Ftz = is_contained(Parts, "ftz");
  SmallVector<Value *> Args(Call.args());
  if (Args.empty() || !Args[0]->getType()->isFPOrFPVectorTy())
    return std::nullopt;
  // A subnormal argument gives 1 in any case.
  if (Operation == "ex2" && Args[0]->getType()->isFloatTy())
    return emitExp2(Args[0], Ftz, C.B);
  if (Ftz)
    for (Value *&Arg : Args)
      Arg = flushSubnormal(Arg, C);

  Value *Result = nullptr;
  std::optional<Rounding> Mode =
      Parts.size() > 1 ? parseRounding(Parts[1]) : std::nullopt;
  if (Mode)
    Result = emitRounded(Operation, *Mode, Args, C);
  else if (Operation == "div")
    Result = C.B.CreateFDiv(Args[0], Args[1]);
  else if (is_contained(Parts, "approx") || Operation == "sqrt")
    Result = emitApproximation(Operation, Args[0], C);
  else if (Operation == "fmin" || Operation == "fmax")
    Result = emitMinMax(Operation == "fmin", is_contained(Parts, "nan"),
                        is_contained(Parts, "xorsign"), Args[0], Args[1], C);
  else if (Operation == "saturate")
    Result = emitSaturated(Args[0], C);
  else if (Operation == "neg")
    Result = C.B.CreateFNeg(Args[0]);
  else if (auto Id = StringSwitch<Intrinsic::ID>(Operation)
                         .Cases("fabs", "abs", Intrinsic::fabs)
                         .Case("ceil", Intrinsic::ceil)
                         .Case("floor", Intrinsic::floor)
                         .Case("trunc", Intrinsic::trunc)
                         .Case("round", Intrinsic::rint)
                         .Default(Intrinsic::not_intrinsic))
    Result = C.B.CreateUnaryIntrinsic(Id, Args[0]);
  if (!Result)
    return std::nullopt;
  if (is_contained(Parts, "sat"))
    Result = emitSaturated(Result, C);
  if (is_contained(Parts, "relu"))
    Result = emitRelu(Result, C);
  return Ftz ? flushSubnormal(Result, C) : Result;
}

Value *gridspan::emitMulHigh(Value *L, Value *R, bool Signed, CpuContext &C) {
  unsigned Bits = L->getType()->getIntegerBitWidth();
  Type *Wide = C.B.getIntNTy(2 * Bits);
  auto Extend = [&](Value *V) {
    return Signed ? C.B.CreateSExt(V, Wide) : C.B.CreateZExt(V, Wide);
  };
  Value *Product = C.B.CreateMul(Extend(L), Extend(R));
  return C.B.CreateTrunc(C.B.CreateLShr(Product, Bits), L->getType());
}

Value *gridspan::emitAbsDifference(Value *L, Value *R, Value *Addend,
                                   bool Signed, CpuContext &C) {
  Value *Larger = C.B.CreateBinaryIntrinsic(
      Signed ? Intrinsic::smax : Intrinsic::umax, L, R);
  Value *Smaller = C.B.CreateBinaryIntrinsic(
      Signed ? Intrinsic::smin : Intrinsic::umin, L, R);
  return C.B.CreateAdd(C.B.CreateSub(Larger, Smaller), Addend);
}

/// Multiplies the low 24 bits of each factor, extended.
static Value *emitMul24(Value *L, Value *R, bool Signed, CpuContext &C) {
  auto Cut = [&](Value *V) {
    Value *High = C.B.CreateShl(V, 8);
    return Signed ? C.B.CreateAShr(High, 8) : C.B.CreateLShr(High, 8);
  };
  return C.B.CreateMul(Cut(L), Cut(R));
}

/// Returns element I, of Width bits, of a 32-bit word, extended to 32 bits.
static Value *extractField(Value *Word, unsigned I, unsigned Width, bool Signed,
                           CpuContext &C) {
  Value *Top = C.B.CreateShl(Word, 32 - Width * (I + 1));
  return Signed ? C.B.CreateAShr(Top, 32 - Width)
                : C.B.CreateLShr(Top, 32 - Width);
}

Value *gridspan::emitDotProduct(unsigned Terms, bool SignedL, bool SignedR,
                                bool High, Value *L, Value *R, Value *Sum,
                                CpuContext &C) {
  unsigned Width = Terms == 4 ? 8 : 16;
  for (unsigned I = 0; I != Terms; ++I) {
    Value *A = extractField(L, I, Width, SignedL, C);
    Value *B = extractField(R, Terms == 2 && High ? I + 2 : I, 8, SignedR, C);
    Sum = C.B.CreateAdd(Sum, C.B.CreateMul(A, B));
  }
  return Sum;
}

/// idp4a.<s|u>.<s|u>, idp2a.<s|u>.<s|u>.
static Lowered lowerDotProduct(CallInst &Call, ArrayRef<StringRef> Parts,
                               CpuContext &C) {
  if (Parts.size() < 3 || (Parts[0] != "idp4a" && Parts[0] != "idp2a"))
    return std::nullopt;
  bool Four = Parts[0] == "idp4a";
  bool High = !Four && !cast<ConstantInt>(Call.getArgOperand(2))->isZero();
  return emitDotProduct(Four ? 4 : 2, Parts[1] == "s", Parts[2] == "s", High,
                        Call.getArgOperand(0), Call.getArgOperand(1),
                        Call.getArgOperand(Four ? 2 : 3), C);
}

static Lowered lowerInteger(CallInst &Call, ArrayRef<StringRef> Parts,
                            CpuContext &C) {
  StringRef Operation = Parts[0], Type = Parts.back();
  bool Signed = !Type.starts_with("u");
  auto Arg = [&](unsigned I) { return Call.getArgOperand(I); };
  auto Rotate = [&](Intrinsic::ID Id, Value *Amount) {
    Value *V = Arg(0);
    return C.B.CreateIntrinsic(
        Id, {V->getType()},
        {V, V, C.B.CreateZExtOrTrunc(Amount, V->getType())});
  };
  if (Operation == "mulhi")
    return emitMulHigh(Arg(0), Arg(1), Type != "us" && Signed, C);
  if (Operation == "mul24")
    return emitMul24(Arg(0), Arg(1), Signed, C);
  if (Operation == "sad")
    return emitAbsDifference(Arg(0), Arg(1), Arg(2), Signed, C);
  if (Operation == "prmt")
    return C.call("prmt", C.i32(), {Arg(0), Arg(1), Arg(2)});
  if (Operation == "fns")
    return C.call("fns", C.i32(), {Arg(0), Arg(1), Arg(2)});
  if (Operation == "rotate")
    return Rotate(Parts[1] == "right" ? Intrinsic::fshr : Intrinsic::fshl,
                  Arg(1));
  if (Operation == "swap")
    return Rotate(Intrinsic::fshl, C.B.getInt32(32));
  if (Operation == "move")
    return Arg(0);
  return std::nullopt;
}

Lowered gridspan::lowerMath(CallInst &Call, StringRef Name, CpuContext &C) {
  SmallVector<StringRef, 6> Parts;
  Name.split(Parts, '.');
  for (auto *Rule : {lowerFloat, lowerDotProduct, lowerInteger})
    if (Lowered Result = Rule(Call, Parts, C))
      return Result;
  return std::nullopt;
}
