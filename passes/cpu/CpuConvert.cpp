//===- CpuConvert.cpp - Conversions of devices on the CPU -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names: <from>2<to>.<rounding>[.ftz], with i, ui, ll, ull, f, d, h.
// Conversions to integers saturate on devices (PTX ISA, cvt), where the host's
// would be undefined.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuMath.h"
#include "passes/cpu/CpuRules.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace gridspan;

/// Emits a conversion that cuts off the fraction and saturates, NaN being 0, in
/// operations of which processors have forms for vectors; of the intrinsic for
/// it they have none. Precondition: V is of floats or doubles, and To of 16 or
/// 32 bits.
static Value *emitSaturating(Value *V, bool Signed, Type *To, IRBuilder<> &B) {
  Type *From = V->getType();
  const unsigned Bits = To->getScalarSizeInBits();
  const APInt Least =
      Signed ? APInt::getSignedMinValue(Bits) : APInt::getMinValue(Bits);
  const APInt Most =
      Signed ? APInt::getSignedMaxValue(Bits) : APInt::getMaxValue(Bits);
  const auto Number = [&](const APInt &N) {
    return ConstantFP::get(From, N.roundToDouble(Signed));
  };
  Value *const Given = V;
  Value *Lowest = Number(Least);
  V = B.CreateSelect(B.CreateFCmpOGT(V, Lowest), V, Lowest); // also for NaN
  // Signed numbers of 32 bits hold all that 16 bits do.
  Type *Wide = Bits < 32 ? To->getWithNewBitWidth(32) : To;
  const bool IsSigned = Signed || Bits < 32;
  const auto Convert = [&] {
    return IsSigned ? B.CreateFPToSI(V, Wide) : B.CreateFPToUI(V, Wide);
  };
  Value *Result = nullptr;
  if (Bits < 32 || From->getScalarType()->isDoubleTy()) {
    Value *Highest = Number(Most);
    V = B.CreateSelect(B.CreateFCmpOLT(V, Highest), V, Highest);
    Result = Convert();
  } else {
    // The largest integer is no float, but the next one is.
    const double Above = Most.roundToDouble(Signed) + 1.0;
    Value *IsLarge = B.CreateFCmpOGE(V, ConstantFP::get(From, Above));
    V = B.CreateSelect(IsLarge, Constant::getNullValue(From), V);
    Result = B.CreateSelect(IsLarge, ConstantInt::get(To, Most), Convert());
  }
  if (Signed)
    Result = B.CreateSelect(B.CreateFCmpUNO(Given, Given),
                            Constant::getNullValue(Wide), Result);
  return B.CreateTrunc(Result, To);
}

Value *gridspan::emitToInteger(Value *V, Rounding Mode, bool Signed, Type *To,
                               CpuContext &C) {
  // Devices have no conversions to less than 16 bits. What they convert to is
  // cut off, so 300.0f becomes 44 as a byte, and not 255.
  if (To->getScalarSizeInBits() < 16)
    return C.B.CreateTrunc(
        emitToInteger(V, Mode, Signed, To->getWithNewType(C.B.getInt16Ty()), C),
        To);
  auto Id = Mode == Rounding::Nearest ? Intrinsic::rint
            : Mode == Rounding::Down  ? Intrinsic::floor
                                      : Intrinsic::ceil;
  if (Mode != Rounding::Zero)
    V = C.B.CreateUnaryIntrinsic(Id, V);
  const Type *From = V->getType()->getScalarType();
  if (To->getScalarSizeInBits() <= 32 &&
      (From->isFloatTy() || From->isDoubleTy()))
    return emitSaturating(V, Signed, To, C.B);
  return C.B.CreateIntrinsic(Signed ? Intrinsic::fptosi_sat
                                    : Intrinsic::fptoui_sat,
                             {To, V->getType()}, {V});
}

/// Returns a float that is between the same neighbours of 16 bits as V, or that
/// is V: rounding it is rounding V. Where V has more bits than a float, those
/// far below its highest one become one bit that tells whether any of them is
/// set (rounding to odd: Boldo and Melquiond, "Emulation of FMA and Correctly
/// Rounded Sums", 2008). A number of 2^N and above is halfway between two of
/// half precision or bfloat16 only at multiples of 2^(N - 8).
static Value *emitStickyFloat(Value *V, bool Signed, IRBuilder<> &B) {
  struct Step {
    unsigned Least; ///< from 2^Least on
    unsigned Lost;  ///< lower bits become one
  };
  // Each leaves at most 24 bits up to where the next one begins.
  constexpr Step Steps[] = {{24, 11}, {34, 26}, {49, 41}};
  Type *Ty = V->getType();
  const unsigned Bits = Ty->getScalarSizeInBits();
  const auto Number = [&](const APInt &N) { return ConstantInt::get(Ty, N); };
  Value *Result = V;
  for (const Step &S : Steps) {
    if (S.Least + 1 >= Bits)
      break;
    const APInt Least = APInt::getOneBitSet(Bits, S.Least);
    Value *IsLarge = Signed ? B.CreateICmpUGT(B.CreateAdd(V, Number(Least)),
                                              Number(Least.shl(1)))
                            : B.CreateICmpUGE(V, Number(Least));
    const APInt Lower = APInt::getLowBitsSet(Bits, S.Lost);
    Value *IsAnySet = B.CreateIsNotNull(B.CreateAnd(V, Number(Lower)));
    Value *Sticky =
        B.CreateSelect(IsAnySet, Number(APInt::getOneBitSet(Bits, S.Lost - 1)),
                       Constant::getNullValue(Ty));
    Value *Shorter = B.CreateOr(B.CreateAnd(V, Number(~Lower)), Sticky);
    Result = B.CreateSelect(IsLarge, Shorter, Result);
  }
  return Signed ? B.CreateSIToFP(Result, B.getFloatTy())
                : B.CreateUIToFP(Result, B.getFloatTy());
}

Value *gridspan::emitFromInteger(Value *V, Rounding Mode, bool Signed, Type *To,
                                 CpuContext &C) {
  if (To->isHalfTy() || To->isBFloatTy())
    return emitNarrow(emitStickyFloat(V, Signed, C.B), Mode, To, C);
  if (Mode == Rounding::Nearest)
    return Signed ? C.B.CreateSIToFP(V, To) : C.B.CreateUIToFP(V, To);
  Value *Wide =
      Signed ? C.B.CreateSExt(V, C.i64()) : C.B.CreateZExt(V, C.i64());
  return C.call(Twine(Signed ? "s64" : "u64") +
                    (To->isFloatTy() ? "_to_f32" : "_to_f64"),
                To, {Wide, C.B.getInt32(unsigned(Mode))});
}

/// Rounds V to the nearest of To, which has 16 bits, and goes to the next
/// number where that is on the wrong side of V. Numbers of one sign are in the
/// order of their bits, with infinity behind the largest one.
static Value *emitNarrowToHalf(Value *V, Rounding Mode, Type *To,
                               CpuContext &C) {
  IRBuilder<> &B = C.B;
  Value *Nearest = B.CreateFPTrunc(V, To);
  if (Mode == Rounding::Nearest)
    return Nearest;
  Value *Back = B.CreateFPExt(Nearest, V->getType());
  Value *Bits = B.CreateBitCast(Nearest, B.getInt16Ty());
  Value *Sign = B.CreateAnd(Bits, 0x8000);
  Value *IsNegative = B.CreateICmpNE(Sign, B.getInt16(0));
  Value *TooLow = B.CreateFCmpOLT(Back, V), *TooHigh = B.CreateFCmpOGT(Back, V);
  Value *Larger = B.CreateAdd(Bits, B.getInt16(1));
  Value *Smaller = B.CreateSub(Bits, B.getInt16(1));
  // A zero has the sign of V, so it is never on a side from which it would have
  // to become smaller.
  Value *Next = nullptr;
  if (Mode == Rounding::Zero)
    Next = B.CreateSelect(B.CreateSelect(IsNegative, TooLow, TooHigh), Smaller,
                          Bits);
  else if (Mode == Rounding::Down)
    Next = B.CreateSelect(TooHigh, B.CreateSelect(IsNegative, Larger, Smaller),
                          Bits);
  else
    Next = B.CreateSelect(TooLow, B.CreateSelect(IsNegative, Smaller, Larger),
                          Bits);
  return B.CreateBitCast(Next, To);
}

Value *gridspan::emitNarrow(Value *V, Rounding Mode, Type *To, CpuContext &C) {
  if (To->isHalfTy() || To->isBFloatTy())
    return emitNarrowToHalf(V, Mode, To, C);
  if (Mode != Rounding::Nearest && V->getType()->isDoubleTy() &&
      To->isFloatTy())
    return C.call("f64_to_f32", To, {V, C.B.getInt32(unsigned(Mode))});
  return C.B.CreateFPTrunc(V, To);
}

namespace {
struct NumberType {
  bool Float, Signed;
};
} // namespace

static std::optional<NumberType> parseType(StringRef Name) {
  return StringSwitch<std::optional<NumberType>>(Name)
      .Cases("i", "ll", NumberType{false, true})
      .Cases("ui", "ull", NumberType{false, false})
      .Cases("f", "d", NumberType{true, true})
      .Default(std::nullopt);
}

/// Halves of a double, and reinterpretations.
static Lowered lowerReinterpretation(CallInst &Call, StringRef Name,
                                     CpuContext &C) {
  Value *V = Call.getArgOperand(0);
  if (Name.starts_with("bitcast."))
    return C.B.CreateBitCast(V, Call.getType());
  if (Name == "lohi.i2d") {
    Value *Low = C.B.CreateZExt(V, C.i64());
    Value *High = C.B.CreateZExt(Call.getArgOperand(1), C.i64());
    return C.B.CreateBitCast(C.B.CreateOr(C.B.CreateShl(High, 32), Low),
                             Call.getType());
  }
  if (Name != "d2i.lo" && Name != "d2i.hi")
    return std::nullopt;
  Value *Bits = C.B.CreateBitCast(V, C.i64());
  if (Name == "d2i.hi")
    Bits = C.B.CreateLShr(Bits, 32);
  return C.B.CreateTrunc(Bits, C.i32());
}

/// Pairs of half precision numbers: ff2f16x2, ff2bf16x2; the first argument is
/// the upper element.
static Lowered lowerPair(CallInst &Call, StringRef Name, CpuContext &C) {
  if (!Name.consume_front("ff2f16x2.") && !Name.consume_front("ff2bf16x2."))
    return std::nullopt;
  auto *Pair = dyn_cast<FixedVectorType>(Call.getType());
  const std::optional<Rounding> Mode = parseRounding(Name.split('.').first);
  if (!Pair || !Mode)
    return std::nullopt;
  Value *Result = PoisonValue::get(Pair);
  for (unsigned I = 0; I != 2; ++I) {
    Value *Element =
        emitNarrow(Call.getArgOperand(1 - I), *Mode, Pair->getElementType(), C);
    if (Name.ends_with("relu"))
      Element = emitRelu(Element, C);
    Result = C.B.CreateInsertElement(Result, Element, I);
  }
  return Result;
}

Lowered gridspan::lowerConversion(CallInst &Call, StringRef Name,
                                  CpuContext &C) {
  for (auto *Rule : {lowerReinterpretation, lowerPair})
    if (Lowered Result = Rule(Call, Name, C))
      return Result;

  SmallVector<StringRef, 4> Parts;
  Name.split(Parts, '.');
  auto [FromName, ToName] = Parts[0].split('2');
  std::optional<Rounding> Mode =
      Parts.size() > 1 ? parseRounding(Parts[1]) : std::nullopt;
  std::optional<NumberType> From = parseType(FromName);
  if (!Mode || !From)
    return std::nullopt;
  Value *V = Call.getArgOperand(0);
  bool Ftz = is_contained(Parts, "ftz");
  if (Ftz)
    V = flushSubnormal(V, C);
  if (From->Float && (ToName == "h" || ToName == "bf16")) {
    Type *Narrow = ToName == "h" ? C.B.getHalfTy() : C.B.getBFloatTy();
    V = emitNarrow(V, *Mode, Narrow, C);
    if (is_contained(Parts, "relu"))
      V = emitRelu(V, C);
    return C.B.CreateBitCast(V, Call.getType());
  }
  std::optional<NumberType> To = parseType(ToName);
  if (!To)
    return std::nullopt;
  if (From->Float && !To->Float)
    return emitToInteger(V, *Mode, To->Signed, Call.getType(), C);
  if (!From->Float && To->Float)
    return emitFromInteger(V, *Mode, From->Signed, Call.getType(), C);
  if (!From->Float || !V->getType()->isDoubleTy())
    return std::nullopt;
  Value *Result = emitNarrow(V, *Mode, Call.getType(), C);
  return Ftz ? flushSubnormal(Result, C) : Result;
}
