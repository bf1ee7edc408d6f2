//===- CpuAsmBits.cpp - Logic, shifts and bits in PTX ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Logic and Shift Instructions", and those of "Integer Arithmetic
// Instructions" that count and move bits. Amounts of shifts are clamped to the
// width, as there; LLVM's are not defined beyond it.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/asm/CpuAsmRules.h"

using namespace llvm;
using namespace gridspan;

/// A shift by an amount of 32 bits that may be the width or more.
Value *asmrules::shift(IntegerOp &I) {
  IRBuilder<> &B = I.B();
  Value *Amount = I.State.read(I.S.Operands[2], {'u', 32});
  if (!Amount)
    return nullptr;
  unsigned Bits = I.Type.Bits;
  Value *TooFar = B.CreateICmpUGE(Amount, B.getInt32(Bits));
  Value *Last = B.CreateSelect(TooFar, B.getInt32(Bits - 1), Amount);
  Value *By = B.CreateZExtOrTrunc(Last, I.type());
  if (I.S.Opcode == "shr" && I.Type.isSigned())
    return B.CreateAShr(I.Args[0], By);
  Value *V = I.S.Opcode == "shl" ? B.CreateShl(I.Args[0], By)
                                 : B.CreateLShr(I.Args[0], By);
  return B.CreateSelect(TooFar, ConstantInt::get(I.type(), 0), V);
}

/// shf.l and shf.r: the upper or lower word of hi:lo, shifted.
Value *asmrules::funnelShift(IntegerOp &I) {
  IRBuilder<> &B = I.B();
  bool Left = I.S.has("l");
  Value *Amount = I.Args[2];
  if (I.S.has("clamp")) {
    // Clamped to 32, which the intrinsic would take for 0.
    Value *All = B.CreateICmpUGE(Amount, B.getInt32(32));
    Value *V = B.CreateIntrinsic(Left ? Intrinsic::fshl : Intrinsic::fshr,
                                 {I.type()}, {I.Args[1], I.Args[0], Amount});
    return B.CreateSelect(All, Left ? I.Args[0] : I.Args[1], V);
  }
  return B.CreateIntrinsic(Left ? Intrinsic::fshl : Intrinsic::fshr, {I.type()},
                           {I.Args[1], I.Args[0], Amount});
}

/// Any function of three bits: the table has the result for each.
Value *asmrules::logicTable(IntegerOp &I) {
  IRBuilder<> &B = I.B();
  if (I.S.Operands.size() != 5 ||
      I.S.Operands[4].K != PtxOperand::Kind::Integer)
    return nullptr;
  uint64_t Table = I.S.Operands[4].Value;
  Value *Result = ConstantInt::get(I.type(), 0);
  for (unsigned Row = 0; Row != 8; ++Row) {
    if (!(Table >> Row & 1))
      continue;
    Value *Term = Constant::getAllOnesValue(I.type());
    for (unsigned Input = 0; Input != 3; ++Input) {
      bool IsSet = Row >> (2 - Input) & 1;
      Term =
          B.CreateAnd(Term, IsSet ? I.Args[Input] : B.CreateNot(I.Args[Input]));
    }
    Result = B.CreateOr(Result, Term);
  }
  return Result;
}

/// bfe: Length bits from Start on, extended.
Value *asmrules::extractBits(IntegerOp &I) {
  IRBuilder<> &B = I.B();
  Value *Start = I.State.read(I.S.Operands[2], {'u', 32});
  Value *Length = I.State.read(I.S.Operands[3], {'u', 32});
  if (!Start || !Length)
    return nullptr;
  Value *Low = B.getInt32(255);
  SmallVector<Value *> Args = {
      I.Type.isSigned() ? B.CreateSExt(I.Args[0], B.getInt64Ty())
                        : B.CreateZExt(I.Args[0], B.getInt64Ty()),
      B.CreateAnd(Start, Low), B.CreateAnd(Length, Low),
      B.getInt32(I.Type.Bits), B.getInt32(I.Type.isSigned())};
  return B.CreateTrunc(I.State.C.call("bfe", B.getInt64Ty(), Args), I.type());
}

/// bfi: the low Length bits of a in b, from Start on.
Value *asmrules::insertBits(IntegerOp &I) {
  IRBuilder<> &B = I.B();
  Value *Start = I.State.read(I.S.Operands[3], {'u', 32});
  Value *Length = I.State.read(I.S.Operands[4], {'u', 32});
  if (!Start || !Length)
    return nullptr;
  Value *Low = B.getInt32(255);
  SmallVector<Value *> Args = {
      B.CreateZExt(I.Args[0], B.getInt64Ty()),
      B.CreateZExt(I.Args[1], B.getInt64Ty()), B.CreateAnd(Start, Low),
      B.CreateAnd(Length, Low), B.getInt32(I.Type.Bits)};
  return B.CreateTrunc(I.State.C.call("bfi", B.getInt64Ty(), Args), I.type());
}

/// bfind: the position of the highest bit that differs from the sign; with
/// .shiftamt how far it is from the top. ~0 without one.
Value *asmrules::findBit(IntegerOp &I) {
  IRBuilder<> &B = I.B();
  Value *V = I.Args[0];
  if (I.Type.isSigned())
    V = B.CreateXor(V, B.CreateAShr(V, I.Type.Bits - 1));
  Value *Zeros = B.CreateZExtOrTrunc(
      B.CreateIntrinsic(Intrinsic::ctlz, {I.type()}, {V, B.getFalse()}),
      B.getInt32Ty());
  Value *None = B.CreateICmpEQ(V, ConstantInt::get(I.type(), 0));
  Value *Position = I.S.has("shiftamt")
                        ? Zeros
                        : B.CreateSub(B.getInt32(I.Type.Bits - 1), Zeros);
  return B.CreateSelect(None, B.getInt32(~0u), Position);
}

Value *asmrules::bitAnd(IntegerOp &I) {
  return I.B().CreateAnd(I.Args[0], I.Args[1]);
}

Value *asmrules::bitOr(IntegerOp &I) {
  return I.B().CreateOr(I.Args[0], I.Args[1]);
}

Value *asmrules::bitXor(IntegerOp &I) {
  return I.B().CreateXor(I.Args[0], I.Args[1]);
}

/// Returns a position or number of bits as 64 bits. Above 32 it is 32, or wraps
/// around.
static Value *limited(IntegerOp &I, Value *V) {
  IRBuilder<> &B = I.B();
  V = I.S.has("wrap")
          ? B.CreateAnd(V, B.getInt32(31))
          : B.CreateBinaryIntrinsic(Intrinsic::umin, V, B.getInt32(32));
  return B.CreateZExt(V, B.getInt64Ty());
}

/// A number of ones from a position up.
Value *asmrules::bitMask(IntegerOp &I) {
  IRBuilder<> &B = I.B();
  if (I.Type.Bits != 32)
    return nullptr;
  Value *From = limited(I, I.Args[0]), *Count = limited(I, I.Args[1]);
  Value *Ones = B.CreateSub(B.CreateShl(B.getInt64(1), Count), B.getInt64(1));
  return B.CreateTrunc(B.CreateShl(Ones, From), I.type());
}

/// The lowest bits, extended by their sign or by zeros.
Value *asmrules::extendBits(IntegerOp &I) {
  IRBuilder<> &B = I.B();
  if (I.Type.Bits != 32)
    return nullptr;
  // In 64 bits, where the shift is by 32 to 64. Twice, so that it is by less
  // than 64 each time.
  Value *By = B.CreateSub(B.getInt64(32), limited(I, I.Args[1]));
  Value *V = B.CreateShl(B.CreateZExt(I.Args[0], B.getInt64Ty()), 32);
  V = B.CreateShl(V, By);
  V = I.Type.isSigned() ? B.CreateAShr(V, By) : B.CreateLShr(V, By);
  return B.CreateTrunc(B.CreateLShr(V, 32), I.type());
}

Value *asmrules::bitNot(IntegerOp &I) { return I.B().CreateNot(I.Args[0]); }

Value *asmrules::logicalNot(IntegerOp &I) {
  IRBuilder<> &B = I.B();
  return B.CreateZExt(B.CreateICmpEQ(I.Args[0], ConstantInt::get(I.type(), 0)),
                      I.type());
}

Value *asmrules::reverseBits(IntegerOp &I) {
  return I.B().CreateUnaryIntrinsic(Intrinsic::bitreverse, I.Args[0]);
}

Value *asmrules::countOnes(IntegerOp &I) {
  IRBuilder<> &B = I.B();
  return B.CreateZExtOrTrunc(
      B.CreateUnaryIntrinsic(Intrinsic::ctpop, I.Args[0]), B.getInt32Ty());
}

Value *asmrules::countZeros(IntegerOp &I) {
  IRBuilder<> &B = I.B();
  return B.CreateZExtOrTrunc(
      B.CreateIntrinsic(Intrinsic::ctlz, {I.type()}, {I.Args[0], B.getFalse()}),
      B.getInt32Ty());
}

/// Modes of prmt besides the general one are not translated.
Value *asmrules::permuteBytes(IntegerOp &I) {
  return I.S.Modifiers.size() == 1
             ? I.State.C.call("prmt", I.B().getInt32Ty(), I.Args)
             : nullptr;
}

Value *asmrules::findSetBit(IntegerOp &I) {
  return I.State.C.call("fns", I.B().getInt32Ty(), I.Args);
}
