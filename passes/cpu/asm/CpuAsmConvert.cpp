//===- CpuAsmConvert.cpp - Conversions in PTX -----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cvt in all its forms but those of formats of less than eight bits, and of
// scales, which sm_100 has. PTX ISA, "Data Movement and Conversion
// Instructions: cvt" and "cvt.pack".
//
//===----------------------------------------------------------------------===//

#include "gridspan/CpuCodes.h"
#include "passes/cpu/CpuMath.h"
#include "passes/cpu/arithmetic/SmallFloat.h"
#include "passes/cpu/asm/CpuAsmRules.h"

using namespace llvm;
using namespace gridspan;

static Value *convert(Value *V, PtxType From, PtxType To, Rounding Mode,
                      bool ToIntegral, CpuContext &C) {
  Type *Ty = To.get(C.B.getContext());
  if (!From.isFloat() && !To.isFloat())
    return From.isSigned() ? C.B.CreateSExtOrTrunc(V, Ty)
                           : C.B.CreateZExtOrTrunc(V, Ty);
  if (From.isFloat() && !To.isFloat())
    return emitToInteger(V, Mode, To.isSigned(), Ty, C);
  if (!From.isFloat())
    return emitFromInteger(V, Mode, From.isSigned(), Ty, C);
  if (ToIntegral) {
    auto Id = Mode == Rounding::Nearest ? Intrinsic::rint
              : Mode == Rounding::Zero  ? Intrinsic::trunc
              : Mode == Rounding::Down  ? Intrinsic::floor
                                        : Intrinsic::ceil;
    V = C.B.CreateUnaryIntrinsic(Id, V);
  }
  if (From.Bits < To.Bits)
    return C.B.CreateFPExt(V, Ty);
  if (From.Bits > To.Bits)
    return emitNarrow(V, Mode, Ty, C);
  if (From.Class == To.Class)
    return V;
  return emitNarrow(C.B.CreateFPExt(V, C.B.getFloatTy()), Mode, Ty, C);
}

/// Returns the integer of To that is nearest to V.
static Value *saturate(Value *V, PtxType From, PtxType To, IRBuilder<> &B) {
  const bool Signed = To.isSigned();
  Type *Wide = B.getIntNTy(std::max(From.Bits, To.Bits) + 1);
  const unsigned Bits = Wide->getIntegerBitWidth();
  const APInt Least =
      Signed ? APInt::getSignedMinValue(To.Bits).sext(Bits) : APInt(Bits, 0);
  const APInt Most = Signed ? APInt::getSignedMaxValue(To.Bits).sext(Bits)
                            : APInt::getMaxValue(To.Bits).zext(Bits);
  V = From.isSigned() ? B.CreateSExt(V, Wide) : B.CreateZExt(V, Wide);
  V = B.CreateBinaryIntrinsic(Intrinsic::smax, V, B.getInt(Least));
  V = B.CreateBinaryIntrinsic(Intrinsic::smin, V, B.getInt(Most));
  return B.CreateTrunc(V, B.getIntNTy(To.Bits));
}

/// cvt.mode.tf32.f32: the upper 19 bits of a float; rna rounds halves away from
/// zero.
static bool convertToTf32(const PtxStatement &S, AsmState &State) {
  if (S.Modifiers.size() < 3 || S.type() != "f32" || S.Operands.size() != 2)
    return false;
  IRBuilder<> &B = State.C.B;
  Value *V = State.readBits(S.Operands[1], {'f', 32});
  if (!V)
    return false;
  Value *Up = nullptr; // is added before the lower 13 bits are dropped
  const StringRef Mode = S.Modifiers[0];
  if (Mode == "rna")
    Up = B.getInt32(0x1000);
  else if (Mode == "rn")
    Up = B.CreateAdd(B.getInt32(0xfff), B.CreateAnd(B.CreateLShr(V, 13), 1));
  else if (Mode == "rz")
    Up = B.getInt32(0);
  else
    return false;
  Value *Rounded = B.CreateAnd(B.CreateAdd(V, Up), 0xffffe000);
  Value *Magnitude = B.CreateAnd(V, 0x7fffffff);
  if (S.has("satfinite")) {
    Value *Sign = B.CreateAnd(V, 0x80000000);
    Value *IsInfinite = B.CreateICmpUGE(B.CreateAnd(Rounded, 0x7fffffff),
                                        B.getInt32(0x7f800000));
    Rounded = B.CreateSelect(IsInfinite, B.CreateOr(Sign, 0x7f7fe000), Rounded);
  }
  if (S.has("relu"))
    Rounded = B.CreateSelect(B.CreateICmpSLT(V, B.getInt32(0)), B.getInt32(0),
                             Rounded);
  Value *IsNan = B.CreateICmpUGT(Magnitude, B.getInt32(0x7f800000));
  return State.write(S.Operands[0],
                     B.CreateSelect(IsNan, B.getInt32(0x7fffffff), Rounded));
}

/// cvt.rn.satfinite{.relu}.<e4m3x2 or e5m2x2>.f32 d, upper, lower, and the same
/// of f16x2 with one operand.
static bool convertToBytes(const PtxStatement &S, const SmallFloat &To,
                           AsmState &State) {
  CpuContext &C = State.C;
  Value *Parts[2]; // the upper one first
  if (S.type() == "f32" && S.Operands.size() == 3) {
    Parts[0] = State.read(S.Operands[1], {'f', 32});
    Parts[1] = State.read(S.Operands[2], {'f', 32});
  } else if (S.type() == "f16x2" && S.Operands.size() == 2) {
    Value *Pair = State.read(S.Operands[1], {'f', 16, 2});
    for (unsigned I = 0; I != 2; ++I)
      Parts[I] = Pair ? C.B.CreateFPExt(C.B.CreateExtractElement(Pair, 1 - I),
                                        C.B.getFloatTy())
                      : nullptr;
  } else {
    return false;
  }
  if (!S.has("rn") || !S.has("satfinite"))
    return false;
  for (Value *&V : Parts) {
    if (!V)
      return false;
    if (S.has("relu"))
      V = emitRelu(V, C);
    V = C.B.CreateZExt(emitToSmallFloat(V, To, C.B), C.B.getInt16Ty());
  }
  return State.write(S.Operands[0],
                     C.B.CreateOr(C.B.CreateShl(Parts[0], 8), Parts[1]));
}

/// cvt.rn{.relu}.f16x2.<e4m3x2 or e5m2x2> d, a.
static bool convertFromBytes(const PtxStatement &S, const SmallFloat &From,
                             AsmState &State) {
  CpuContext &C = State.C;
  if (S.Modifiers.end()[-2] != "f16x2" || S.Operands.size() != 2)
    return false;
  Value *Bytes = State.read(S.Operands[1], {'b', 16});
  if (!Bytes)
    return false;
  Value *Pair = emitFromSmallFloat(
      C.B.CreateBitCast(Bytes, FixedVectorType::get(C.B.getInt8Ty(), 2)), From,
      C.B);
  return State.write(S.Operands[0], S.has("relu") ? emitRelu(Pair, C) : Pair);
}

/// cvt.pack.sat.<to>.s32{.b32} d, upper, lower{, c}: two saturated numbers, and
/// above them those that c has lowest, of numbers of eight and fewer bits.
static bool convertAndPack(const PtxStatement &S, AsmState &State) {
  IRBuilder<> &B = State.C.B;
  const bool HasRest = S.Operands.size() == 4;
  if (S.Modifiers.size() != (HasRest ? 5 : 4) || S.Modifiers[1] != "sat" ||
      S.Modifiers[3] != "s32" || (HasRest && S.type() != "b32") ||
      S.Operands.size() < 3)
    return false;
  std::optional<PtxType> To = parsePtxType(S.Modifiers[2]);
  if (!To || To->isFloat() || To->Count != 1 || To->Bits > 16 ||
      HasRest != (To->Bits < 16))
    return false;
  const bool Signed = To->isSigned();
  const APInt Least =
      Signed ? APInt::getSignedMinValue(To->Bits).sext(32) : APInt(32, 0);
  const APInt Most = Signed ? APInt::getSignedMaxValue(To->Bits).sext(32)
                            : APInt::getMaxValue(To->Bits).zext(32);
  const auto Saturated = [&](const PtxOperand &O) -> Value * {
    Value *V = State.read(O, {'s', 32});
    if (!V)
      return nullptr;
    V = B.CreateBinaryIntrinsic(Intrinsic::smax, V, B.getInt(Least));
    V = B.CreateBinaryIntrinsic(Intrinsic::smin, V, B.getInt(Most));
    return B.CreateAnd(V, B.getInt(APInt::getMaxValue(To->Bits).zext(32)));
  };
  Value *Upper = Saturated(S.Operands[1]), *Lower = Saturated(S.Operands[2]);
  if (!Upper || !Lower)
    return false;
  Value *Result = B.CreateOr(B.CreateShl(Upper, To->Bits), Lower);
  if (HasRest) {
    Value *Rest = State.read(S.Operands[3], {'b', 32});
    if (!Rest)
      return false;
    Result = B.CreateOr(Result, B.CreateShl(Rest, 2 * To->Bits));
  }
  return State.write(S.Operands[0], Result);
}

/// The format of x2 numbers that a modifier names; null if it names none.
static const SmallFloat *smallFloatPair(StringRef Name) {
  return Name.consume_back("x2") ? findSmallFloat(Name) : nullptr;
}

bool asmrules::lowerConversion(const PtxStatement &S, AsmState &State) {
  if (S.Modifiers.size() < 2)
    return false;
  if (S.Modifiers.end()[-2] == "tf32")
    return convertToTf32(S, State);
  if (S.Modifiers[0] == "pack")
    return convertAndPack(S, State);
  if (const SmallFloat *To = smallFloatPair(S.Modifiers.end()[-2]))
    return convertToBytes(S, *To, State);
  if (const SmallFloat *From = smallFloatPair(S.type()))
    return convertFromBytes(S, *From, State);
  CpuContext &C = State.C;
  std::optional<PtxType> From = parsePtxType(S.Modifiers.back());
  std::optional<PtxType> To = parsePtxType(S.Modifiers.end()[-2]);
  if (!From || !To || From->Class == 'b')
    return false;
  Rounding Mode = Rounding::Nearest;
  bool ToIntegral = false;
  for (StringRef M : S.Modifiers)
    if (std::optional<Rounding> R = parseRounding(M)) {
      Mode = *R;
      ToIntegral = M.ends_with("i");
    }
  // Stochastic rounding takes random bits from an operand.
  if (S.has("rs") || (S.has("satfinite") && To->Bits != 16))
    return false;
  // What devices convert floats to has 16 bits at least, and is cut off.
  if (S.has("sat") && From->isFloat() && !To->isFloat() && To->Bits < 16)
    return false;
  auto One = [&](const PtxOperand &O, PtxType Target) -> Value * {
    Value *V = State.read(O, *From);
    if (!V)
      return nullptr;
    if (S.has("sat") && !From->isFloat() && !Target.isFloat())
      return saturate(V, *From, Target, C.B);
    if (S.has("ftz"))
      V = flushSubnormal(V, C);
    V = convert(V, *From, Target, Mode, ToIntegral, C);
    if (S.has("ftz"))
      V = flushSubnormal(V, C);
    if (S.has("satfinite"))
      V = emitFinite(V, C);
    if (S.has("relu"))
      V = emitRelu(V, C);
    if (S.has("sat") && Target.isFloat())
      V = emitSaturated(V, C);
    return V;
  };
  if (To->Count == 1)
    return S.Operands.size() == 2 && [&] {
      Value *V = One(S.Operands[1], *To);
      return V && State.write(S.Operands[0], V, To->isSigned());
    }();
  if (S.Operands.size() != 3)
    return false;
  PtxType Element = *To;
  Element.Count = 1;
  Value *High = One(S.Operands[1], Element), *Low = One(S.Operands[2], Element);
  if (!High || !Low)
    return false;
  Value *Pair = PoisonValue::get(To->get(C.B.getContext()));
  Pair = C.B.CreateInsertElement(Pair, Low, uint64_t(0));
  return State.write(S.Operands[0], C.B.CreateInsertElement(Pair, High, 1));
}
