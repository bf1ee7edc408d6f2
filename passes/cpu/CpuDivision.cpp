//===- CpuDivision.cpp - Integer division on the CPU ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function is in the module once for each operation and width. It divides
// by 1 where the host would trap: for a divisor of 0, and for the least number
// divided by -1.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuDivision.h"

using namespace llvm;
using namespace gridspan;

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
  Value *Traps = B.CreateICmpEQ(R, ConstantInt::get(Ty, 0));
  if (Operation == Instruction::SDiv || Operation == Instruction::SRem) {
    APInt Least = APInt::getSignedMinValue(Ty->getIntegerBitWidth());
    Value *Overflows =
        B.CreateAnd(B.CreateICmpEQ(R, Constant::getAllOnesValue(Ty)),
                    B.CreateICmpEQ(L, ConstantInt::get(Ty, Least)));
    Traps = B.CreateOr(Traps, Overflows);
  }
  Value *Divisor = B.CreateSelect(Traps, ConstantInt::get(Ty, 1), R);
  B.CreateRet(B.CreateBinOp(Operation, L, Divisor));
  return F;
}

Value *gridspan::emitDivision(Instruction::BinaryOps Operation, Value *L,
                              Value *R, CpuContext &C) {
  auto *Constant = dyn_cast<ConstantInt>(R);
  if (Constant && !Constant->isZero() && !Constant->isMinusOne())
    return C.B.CreateBinOp(Operation, L, R);
  return C.B.CreateCall(divisionFunction(Operation, R->getType(), C.module()),
                        {L, R});
}
