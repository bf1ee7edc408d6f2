//===- CpuAsmFloat.cpp - Floating point instructions in PTX ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Floating-Point Instructions" and "Half Precision Floating-Point
// Instructions", and the reading of operands for all rules of numbers.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuMath.h"
#include "passes/cpu/asm/CpuAsmRules.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace gridspan;

static FPClassTest propertyOf(StringRef Name) {
  return StringSwitch<FPClassTest>(Name)
      .Case("finite", fcFinite)
      .Case("infinite", fcInf)
      .Case("number", ~fcNan & fcAllFlags)
      .Case("notanumber", fcNan)
      .Case("normal", fcNormal)
      .Case("subnormal", fcSubnormal)
      .Default(fcNone);
}

bool asmrules::lowerTestProperty(const PtxStatement &S, AsmState &State) {
  std::optional<PtxType> Type = parsePtxType(S.type());
  if (!Type || !Type->isFloat() || S.Operands.size() != 2)
    return false;
  const FPClassTest Property = propertyOf(S.Modifiers[0]);
  Value *V = State.read(S.Operands[1], *Type);
  if (Property == fcNone || !V)
    return false;
  return State.write(S.Operands[0], State.C.B.createIsFPClass(V, Property));
}

Value *asmrules::extremum(FloatOp &F) {
  const bool IsMin = F.S.Opcode == "min", PropagatesNan = F.S.has("NaN");
  CpuContext &C = F.State.C;
  Value *V = emitMinMax(IsMin, PropagatesNan, F.S.has("xorsign"), F.Args[0],
                        F.Args[1], C);
  return F.Args.size() == 3
             ? emitMinMax(IsMin, PropagatesNan, false, V, F.Args[2], C)
             : V;
}

Value *asmrules::absoluteFloat(FloatOp &F) {
  return F.State.C.B.CreateUnaryIntrinsic(Intrinsic::fabs, F.Args[0]);
}

Value *asmrules::negateFloat(FloatOp &F) {
  return F.State.C.B.CreateFNeg(F.Args[0]);
}

/// The sign of the first operand goes to the second.
Value *asmrules::copySign(FloatOp &F) {
  return F.State.C.B.CreateBinaryIntrinsic(Intrinsic::copysign, F.Args[1],
                                           F.Args[0]);
}

Value *asmrules::rounded(FloatOp &F) {
  const StringRef Operation = F.S.Opcode == "mad" ? "fma" : F.S.Opcode;
  if (F.S.has("approx") && Operation != "div")
    return emitApproximation(Operation, F.Args[0], F.State.C);
  return emitRounded(Operation, F.Mode, F.Args, F.State.C);
}

static bool translateFloat(const AsmRule &Rule, const PtxStatement &S,
                           PtxType Type, AsmState &State) {
  CpuContext &C = State.C;
  const size_t NumOperands = S.Operands.size() - 1;
  if (!Rule.Float || NumOperands < Rule.MinOperands ||
      NumOperands > Rule.MaxOperands)
    return false;
  FloatOp F{S, State, {}};
  for (const PtxOperand &O : drop_begin(S.Operands)) {
    Value *V = State.read(O, Type);
    if (!V)
      return false;
    F.Args.push_back(S.has("ftz") ? flushSubnormal(V, C) : V);
  }
  for (StringRef M : S.Modifiers)
    if (std::optional<Rounding> R = parseRounding(M))
      F.Mode = *R;
  Value *Result = Rule.Float(F);
  if (!Result)
    return false;
  if (S.has("sat"))
    Result = emitSaturated(Result, C);
  if (S.has("relu"))
    Result = emitRelu(Result, C);
  if (S.has("ftz"))
    Result = flushSubnormal(Result, C);
  return State.write(S.Operands[0], Result);
}

static bool translateInteger(const AsmRule &Rule, const PtxStatement &S,
                             PtxType Type, AsmState &State) {
  if (!Rule.Integer)
    return false;
  IntegerOp I{S, State, Type, {}};
  for (const PtxOperand &O : drop_begin(S.Operands)) {
    Value *V = State.read(O, Type);
    if (!V)
      return false;
    I.Args.push_back(V);
  }
  if (I.Args.size() < Rule.MinOperands)
    return false;
  Value *Result = Rule.Integer(I);
  if (Result && S.has("relu")) {
    if (!Type.isSigned())
      return false;
    Result = I.B().CreateBinaryIntrinsic(
        Intrinsic::smax, Result, Constant::getNullValue(Result->getType()));
  }
  return Result && State.write(S.Operands[0], Result);
}

bool gridspan::translateNumber(const AsmRule &Rule, const PtxStatement &S,
                               AsmState &State) {
  // max.s32.relu: the only modifier behind a type.
  const bool IsLast = S.type() == "relu" && S.Modifiers.size() > 1;
  std::optional<PtxType> Type =
      parsePtxType(IsLast ? S.Modifiers.end()[-2] : S.type());
  if (!Type || S.Operands.size() < 2)
    return false;
  return Type->isFloat() ? translateFloat(Rule, S, *Type, State)
                         : translateInteger(Rule, S, *Type, State);
}
