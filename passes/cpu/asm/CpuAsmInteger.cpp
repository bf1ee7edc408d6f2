//===- CpuAsmInteger.cpp - Integer arithmetic in PTX ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Integer Arithmetic Instructions" and "Extended-Precision Integer
// Arithmetic Instructions". The carry (CC.CF) is the bit above a sum of two
// more bits than its type.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuDivision.h"
#include "passes/cpu/CpuMath.h"
#include "passes/cpu/asm/CpuAsmRules.h"

using namespace llvm;
using namespace gridspan;

/// Returns L + R + Carry or L - R - Carry; the new carry goes to the state if
/// wanted. Null where the carry would be another asm's.
static Value *addOrSubtract(IntegerOp &I, Value *L, Value *R, bool IsDifference,
                            bool HasCarry) {
  IRBuilder<> &B = I.B();
  unsigned Bits = I.Type.Bits;
  llvm::Type *Wide = B.getIntNTy(Bits + 2);
  Value *A = B.CreateZExt(L, Wide), *C = B.CreateZExt(R, Wide);
  Value *Sum = IsDifference ? B.CreateSub(A, C) : B.CreateAdd(A, C);
  if (HasCarry && !I.State.Carry)
    return nullptr;
  if (HasCarry) {
    Value *Carry = B.CreateZExt(I.State.Carry, Wide);
    Sum = IsDifference ? B.CreateSub(Sum, Carry) : B.CreateAdd(Sum, Carry);
  }
  if (I.S.has("cc"))
    I.State.Carry = B.CreateTrunc(B.CreateLShr(Sum, Bits), B.getInt1Ty());
  return B.CreateTrunc(Sum, I.type());
}

/// mul and mad with .lo, .hi or .wide; mad adds the third operand.
Value *asmrules::product(IntegerOp &I) {
  IRBuilder<> &B = I.B();
  bool Signed = I.Type.isSigned();
  if (I.S.has("sat"))
    return nullptr;
  Value *Product = nullptr;
  if (I.S.has("wide")) {
    llvm::Type *Wide = B.getIntNTy(2 * I.Type.Bits);
    auto Extend = [&](Value *V) {
      return Signed ? B.CreateSExt(V, Wide) : B.CreateZExt(V, Wide);
    };
    Product = B.CreateMul(Extend(I.Args[0]), Extend(I.Args[1]));
    if (I.Args.size() < 3)
      return Product;
    Value *Addend =
        I.State.read(I.S.Operands[3], {I.Type.Class, 2 * I.Type.Bits});
    return Addend ? B.CreateAdd(Product, Addend) : nullptr;
  }
  Product = I.S.has("hi") ? emitMulHigh(I.Args[0], I.Args[1], Signed, I.State.C)
                          : B.CreateMul(I.Args[0], I.Args[1]);
  if (I.Args.size() < 3)
    return Product;
  return addOrSubtract(I, Product, I.Args[2], false, I.S.Opcode == "madc");
}

Value *asmrules::product24(IntegerOp &I) {
  IRBuilder<> &B = I.B();
  const bool Signed = I.Type.isSigned();
  Type *Wide = B.getInt64Ty();
  const auto Extended = [&](Value *V) {
    V = B.CreateShl(B.CreateZExt(V, Wide), 40);
    return Signed ? B.CreateAShr(V, 40) : B.CreateLShr(V, 40);
  };
  if (I.Type.Bits != 32 || I.S.has("sat"))
    return nullptr;
  Value *Product = B.CreateMul(Extended(I.Args[0]), Extended(I.Args[1]));
  if (I.S.has("hi"))
    Product = B.CreateLShr(Product, 16);
  Value *Result = B.CreateTrunc(Product, I.type());
  return I.Args.size() < 3 ? Result : B.CreateAdd(Result, I.Args[2]);
}

Value *asmrules::quotient(IntegerOp &I) {
  bool Signed = I.Type.isSigned();
  Instruction::BinaryOps Operation =
      I.S.Opcode == "rem" ? (Signed ? Instruction::SRem : Instruction::URem)
                          : (Signed ? Instruction::SDiv : Instruction::UDiv);
  return emitDivision(Operation, I.Args[0], I.Args[1], I.State.C);
}

Value *asmrules::sum(IntegerOp &I) {
  IRBuilder<> &B = I.B();
  const bool IsDifference = I.S.Opcode == "sub";
  if (I.S.has("sat"))
    return B.CreateBinaryIntrinsic(IsDifference ? Intrinsic::ssub_sat
                                                : Intrinsic::sadd_sat,
                                   I.Args[0], I.Args[1]);
  if (I.Type.Count == 2)
    return IsDifference ? B.CreateSub(I.Args[0], I.Args[1])
                        : B.CreateAdd(I.Args[0], I.Args[1]);
  return addOrSubtract(I, I.Args[0], I.Args[1], IsDifference, false);
}

Value *asmrules::sumWithCarry(IntegerOp &I) {
  return addOrSubtract(I, I.Args[0], I.Args[1], I.S.Opcode == "subc", true);
}

Value *asmrules::minimum(IntegerOp &I) {
  return I.B().CreateBinaryIntrinsic(I.Type.isSigned() ? Intrinsic::smin
                                                       : Intrinsic::umin,
                                     I.Args[0], I.Args[1]);
}

Value *asmrules::maximum(IntegerOp &I) {
  return I.B().CreateBinaryIntrinsic(I.Type.isSigned() ? Intrinsic::smax
                                                       : Intrinsic::umax,
                                     I.Args[0], I.Args[1]);
}

Value *asmrules::negate(IntegerOp &I) { return I.B().CreateNeg(I.Args[0]); }

Value *asmrules::absolute(IntegerOp &I) {
  return I.B().CreateIntrinsic(Intrinsic::abs, {I.type()},
                               {I.Args[0], I.B().getFalse()});
}

Value *asmrules::absoluteDifference(IntegerOp &I) {
  return emitAbsDifference(I.Args[0], I.Args[1], I.Args[2], I.Type.isSigned(),
                           I.State.C);
}

/// dp4a.atype.btype and dp2a.mode.atype.btype.
bool asmrules::lowerDotProduct(const PtxStatement &S, AsmState &State) {
  if (S.Modifiers.size() < 2 || S.Operands.size() != 4)
    return false;
  Value *Args[3];
  for (unsigned I = 0; I != 3; ++I)
    if (!(Args[I] = State.read(S.Operands[I + 1], {'b', 32})))
      return false;
  return State.write(S.Operands[0],
                     emitDotProduct(S.Opcode == "dp4a" ? 4 : 2,
                                    S.Modifiers.end()[-2] == "s32",
                                    S.Modifiers.back() == "s32", S.has("hi"),
                                    Args[0], Args[1], Args[2], State.C));
}
