//===- CpuDivision.cpp - Integer division on the CPU ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the host would trap, for a divisor of 0 and for the least number
// divided by -1, the divisor is 1 instead.
//
// The quotient of doubles is exact enough: for integers of at most 32 bits, a
// quotient L / R that is no integer is at least 1 / |R| away from the next one.
// Rounding changes it by no more than |L / R| / 2^53, which is less. So it
// never gets to that integer, and one that is an integer is a double.
//
// The function for others is in the module once for each operation and width.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuDivision.h"

using namespace llvm;
using namespace gridspan;

/// Returns R, or 1 where the host's division of L by R would trap.
static Value *safeDivisor(bool IsSigned, Value *L, Value *R, IRBuilder<> &B) {
  Type *Ty = R->getType();
  Value *Traps = B.CreateICmpEQ(R, ConstantInt::get(Ty, 0));
  if (IsSigned) {
    APInt Least = APInt::getSignedMinValue(Ty->getIntegerBitWidth());
    Value *Overflows =
        B.CreateAnd(B.CreateICmpEQ(R, Constant::getAllOnesValue(Ty)),
                    B.CreateICmpEQ(L, ConstantInt::get(Ty, Least)));
    Traps = B.CreateOr(Traps, Overflows);
  }
  return B.CreateSelect(Traps, ConstantInt::get(Ty, 1), R);
}

static bool isSigned(Instruction::BinaryOps Operation) {
  return Operation == Instruction::SDiv || Operation == Instruction::SRem;
}

/// Divides numbers of at most 32 bits.
static Value *divideAsDoubles(Instruction::BinaryOps Operation, Value *L,
                              Value *R, IRBuilder<> &B) {
  const bool IsSigned = isSigned(Operation);
  Value *Divisor = safeDivisor(IsSigned, L, R, B);
  auto ToDouble = [&](Value *V) {
    return IsSigned ? B.CreateSIToFP(V, B.getDoubleTy())
                    : B.CreateUIToFP(V, B.getDoubleTy());
  };
  Value *Exact = B.CreateFDiv(ToDouble(L), ToDouble(Divisor));
  Value *Quotient = IsSigned ? B.CreateFPToSI(Exact, L->getType())
                             : B.CreateFPToUI(Exact, L->getType());
  if (Operation == Instruction::SDiv || Operation == Instruction::UDiv)
    return Quotient;
  return B.CreateSub(L, B.CreateMul(Quotient, Divisor));
}

static Function *divisionFunction(Instruction::BinaryOps Operation, Type *Ty,
                                  Module &M) {
  std::string Name = (CpuPrefix + Instruction::getOpcodeName(Operation) + ".i" +
                      Twine(Ty->getIntegerBitWidth()))
                         .str();
  if (Function *Known = M.getFunction(Name))
    return Known;
  auto *F = Function::Create(FunctionType::get(Ty, {Ty, Ty}, false),
                             GlobalValue::InternalLinkage, Name, M);
  for (Attribute::AttrKind Kind :
       {Attribute::NoInline, Attribute::NoUnwind, Attribute::WillReturn,
        Attribute::NoSync, Attribute::NoFree, Attribute::Speculatable})
    F->addFnAttr(Kind);
  F->setMemoryEffects(MemoryEffects::none());

  IRBuilder<> B(BasicBlock::Create(M.getContext(), "", F));
  Value *L = F->getArg(0), *R = F->getArg(1);
  Value *Divisor = safeDivisor(isSigned(Operation), L, R, B);
  B.CreateRet(B.CreateBinOp(Operation, L, Divisor));
  return F;
}

Value *gridspan::emitDivision(Instruction::BinaryOps Operation, Value *L,
                              Value *R, CpuContext &C) {
  auto *Constant = dyn_cast<ConstantInt>(R);
  if (Constant && !Constant->isZero() && !Constant->isMinusOne())
    return C.B.CreateBinOp(Operation, L, R);
  if (R->getType()->getIntegerBitWidth() <= 32)
    return divideAsDoubles(Operation, L, R, C.B);
  return C.B.CreateCall(divisionFunction(Operation, R->getType(), C.module()),
                        {L, R});
}
