//===- CpuAsmFloat.cpp - Floating point instructions in PTX ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Floating-Point Instructions" and "Half Precision Floating-Point
// Instructions".
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuAsm.h"
#include "passes/cpu/CpuMath.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace gridspan;

/// Whether V is NaN: what testp asks, and others of its questions.
static Value *testProperty(StringRef Property, Value *V, CpuContext &C) {
  auto Mask = StringSwitch<unsigned>(Property)
                  .Case("finite", fcFinite)
                  .Case("infinite", fcInf)
                  .Case("number", ~unsigned(fcNan) & fcAllFlags)
                  .Case("notanumber", fcNan)
                  .Case("normal", fcNormal)
                  .Case("subnormal", fcSubnormal)
                  .Default(0);
  return Mask ? C.B.createIsFPClass(V, Mask) : nullptr;
}

static Value *compute(const PtxStatement &S, ArrayRef<Value *> Args,
                      Rounding Mode, CpuContext &C) {
  StringRef Op = S.Opcode;
  IRBuilder<> &B = C.B;
  if (Op == "min" || Op == "max") {
    Value *V = emitMinMax(Op == "min", S.has("NaN"), S.has("xorsign"), Args[0],
                          Args[1], C);
    return Args.size() == 3
               ? emitMinMax(Op == "min", S.has("NaN"), false, V, Args[2], C)
               : V;
  }
  if (Op == "abs")
    return B.CreateUnaryIntrinsic(Intrinsic::fabs, Args[0]);
  if (Op == "neg")
    return B.CreateFNeg(Args[0]);
  if (Op == "copysign") // of the first operand, onto the second
    return B.CreateBinaryIntrinsic(Intrinsic::copysign, Args[1], Args[0]);
  if (Op == "mad")
    Op = "fma";
  if (S.has("approx") && Op != "div")
    return emitApproximation(Op, Args[0], C);
  return emitRounded(Op, Mode, Args, C);
}

bool gridspan::translateFloat(const PtxStatement &S, AsmState &State) {
  CpuContext &C = State.C;
  std::optional<PtxType> Type = parsePtxType(S.type());
  if (!Type || !Type->isFloat() || S.Operands.size() < 2)
    return false;
  unsigned Expected = StringSwitch<unsigned>(S.Opcode)
                          .Cases("add", "sub", "mul", "div", "copysign", 2)
                          .Cases("min", "max", S.Operands.size() - 1)
                          .Cases("fma", "mad", 3)
                          .Cases("abs", "neg", "sqrt", "rcp", "rsqrt", 1)
                          .Cases("sin", "cos", "ex2", "lg2", "tanh", "testp", 1)
                          .Default(0);
  if (Expected == 0 || S.Operands.size() != Expected + 1)
    return false;
  SmallVector<Value *> Args;
  for (const PtxOperand &O : drop_begin(S.Operands)) {
    Value *V = State.read(O, *Type);
    if (!V)
      return false;
    Args.push_back(S.has("ftz") ? flushSubnormal(V, C) : V);
  }
  Rounding Mode = Rounding::Nearest;
  for (StringRef M : S.Modifiers)
    if (std::optional<Rounding> R = parseRounding(M))
      Mode = *R;
  if (S.Opcode == "testp") {
    Value *Result = testProperty(S.Modifiers[0], Args[0], C);
    return Result && State.write(S.Operands[0], Result);
  }
  Value *Result = compute(S, Args, Mode, C);
  if (!Result)
    return false;
  if (S.has("sat"))
    Result = emitSaturated(Result, C);
  if (S.has("relu"))
    Result = C.B.CreateMaxNum(Result, ConstantFP::getZero(Result->getType()));
  if (S.has("ftz"))
    Result = flushSubnormal(Result, C);
  return State.write(S.Operands[0], Result);
}
