//===- CpuAsmInteger.cpp - Integer and logic instructions in PTX ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Integer Arithmetic Instructions", "Extended-Precision Integer
// Arithmetic Instructions" and "Logic and Shift Instructions". Shift amounts
// are clamped, as there.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuAsm.h"
#include "passes/cpu/CpuDivision.h"
#include "passes/cpu/CpuMath.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace gridspan;

namespace {

/// One instruction with its operands read.
struct IntegerOp {
  const PtxStatement &S;
  AsmState &State;
  PtxType Type;
  SmallVector<Value *, 4> Args;

  IRBuilder<> &B() { return State.C.B; }
  llvm::Type *type() { return Type.get(B().getContext()); }
};

} // namespace

//===--- Arithmetic -----------------------------------------------------===//

/// L + R + Carry or L - R - Carry; the new carry goes to the state if wanted.
static Value *addOrSubtract(IntegerOp &I, Value *L, Value *R, bool Subtract,
                            bool UseCarry) {
  IRBuilder<> &B = I.B();
  unsigned Bits = I.Type.Bits;
  llvm::Type *Wide = B.getIntNTy(Bits + 2);
  Value *A = B.CreateZExt(L, Wide), *C = B.CreateZExt(R, Wide);
  Value *Sum = Subtract ? B.CreateSub(A, C) : B.CreateAdd(A, C);
  if (UseCarry && I.State.Carry) {
    Value *Carry = B.CreateZExt(I.State.Carry, Wide);
    Sum = Subtract ? B.CreateSub(Sum, Carry) : B.CreateAdd(Sum, Carry);
  }
  if (I.S.has("cc"))
    I.State.Carry = B.CreateTrunc(B.CreateLShr(Sum, Bits), B.getInt1Ty());
  return B.CreateTrunc(Sum, I.type());
}

/// mul and mad with .lo, .hi or .wide; mad adds the third operand.
static Value *multiply(IntegerOp &I) {
  IRBuilder<> &B = I.B();
  bool Signed = I.Type.isSigned();
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

static Value *divide(IntegerOp &I) {
  bool Signed = I.Type.isSigned();
  Instruction::BinaryOps Operation =
      I.S.Opcode == "rem" ? (Signed ? Instruction::SRem : Instruction::URem)
                          : (Signed ? Instruction::SDiv : Instruction::UDiv);
  return emitDivision(Operation, I.Args[0], I.Args[1], I.State.C);
}

static Value *arithmetic(IntegerOp &I) {
  IRBuilder<> &B = I.B();
  StringRef Op = I.S.Opcode;
  bool Signed = I.Type.isSigned();
  auto Binary = [&](Intrinsic::ID Id) {
    return B.CreateBinaryIntrinsic(Id, I.Args[0], I.Args[1]);
  };
  if (Op == "add" || Op == "sub") {
    if (I.S.has("sat"))
      return Binary(Op == "add" ? Intrinsic::sadd_sat : Intrinsic::ssub_sat);
    if (I.Type.Count == 2)
      return Op == "add" ? B.CreateAdd(I.Args[0], I.Args[1])
                         : B.CreateSub(I.Args[0], I.Args[1]);
    return addOrSubtract(I, I.Args[0], I.Args[1], Op == "sub", false);
  }
  if (Op == "addc" || Op == "subc")
    return addOrSubtract(I, I.Args[0], I.Args[1], Op == "subc", true);
  if (Op == "mul" || Op == "mad" || Op == "madc")
    return multiply(I);
  if (Op == "div" || Op == "rem")
    return divide(I);
  if (Op == "min")
    return Binary(Signed ? Intrinsic::smin : Intrinsic::umin);
  if (Op == "max")
    return Binary(Signed ? Intrinsic::smax : Intrinsic::umax);
  if (Op == "neg")
    return B.CreateNeg(I.Args[0]);
  if (Op == "abs")
    return B.CreateIntrinsic(Intrinsic::abs, {I.type()},
                             {I.Args[0], B.getFalse()});
  if (Op == "sad")
    return emitAbsDifference(I.Args[0], I.Args[1], I.Args[2], Signed,
                             I.State.C);
  return nullptr;
}

//===--- Bits -----------------------------------------------------------===//

/// A shift by an amount of 32 bits that may be the width or more.
static Value *shift(IntegerOp &I) {
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
static Value *funnelShift(IntegerOp &I) {
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
static Value *lookUp(IntegerOp &I) {
  IRBuilder<> &B = I.B();
  if (I.S.Operands.size() != 5 ||
      I.S.Operands[4].K != PtxOperand::Kind::Integer)
    return nullptr;
  uint64_t Table = I.S.Operands[4].Value;
  Value *Result = ConstantInt::get(I.type(), 0);
  for (unsigned Row = 0; Row < 8; ++Row) {
    if (!(Table >> Row & 1))
      continue;
    Value *Term = Constant::getAllOnesValue(I.type());
    for (unsigned Input = 0; Input < 3; ++Input) {
      bool IsSet = Row >> (2 - Input) & 1;
      Term =
          B.CreateAnd(Term, IsSet ? I.Args[Input] : B.CreateNot(I.Args[Input]));
    }
    Result = B.CreateOr(Result, Term);
  }
  return Result;
}

/// bfe: Length bits from Start on, extended.
static Value *extractBits(IntegerOp &I) {
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
static Value *insertBits(IntegerOp &I) {
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
static Value *findBit(IntegerOp &I) {
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

static Value *bitOperation(IntegerOp &I) {
  IRBuilder<> &B = I.B();
  StringRef Op = I.S.Opcode;
  auto Narrow = [&](Value *V) {
    return B.CreateZExtOrTrunc(V, B.getInt32Ty());
  };
  if (Op == "and")
    return B.CreateAnd(I.Args[0], I.Args[1]);
  if (Op == "or")
    return B.CreateOr(I.Args[0], I.Args[1]);
  if (Op == "xor")
    return B.CreateXor(I.Args[0], I.Args[1]);
  if (Op == "not")
    return B.CreateNot(I.Args[0]);
  if (Op == "cnot")
    return B.CreateZExt(
        B.CreateICmpEQ(I.Args[0], ConstantInt::get(I.type(), 0)), I.type());
  if (Op == "shl" || Op == "shr")
    return shift(I);
  if (Op == "shf")
    return funnelShift(I);
  if (Op == "lop3")
    return lookUp(I);
  if (Op == "bfe")
    return extractBits(I);
  if (Op == "bfi")
    return insertBits(I);
  if (Op == "bfind")
    return findBit(I);
  if (Op == "brev")
    return B.CreateUnaryIntrinsic(Intrinsic::bitreverse, I.Args[0]);
  if (Op == "popc")
    return Narrow(B.CreateUnaryIntrinsic(Intrinsic::ctpop, I.Args[0]));
  if (Op == "clz")
    return Narrow(B.CreateIntrinsic(Intrinsic::ctlz, {I.type()},
                                    {I.Args[0], B.getFalse()}));
  if (Op == "prmt" && I.S.Modifiers.size() == 1)
    return I.State.C.call("prmt", B.getInt32Ty(), I.Args);
  if (Op == "fns")
    return I.State.C.call("fns", B.getInt32Ty(), I.Args);
  return nullptr;
}

/// dp4a.atype.btype and dp2a.mode.atype.btype.
static bool translateDotProduct(const PtxStatement &S, AsmState &State) {
  bool Four = S.Opcode == "dp4a";
  if ((!Four && S.Opcode != "dp2a") || S.Modifiers.size() < 2 ||
      S.Operands.size() != 4)
    return false;
  Value *Args[3];
  for (unsigned I = 0; I < 3; ++I)
    if (!(Args[I] = State.read(S.Operands[I + 1], {'b', 32})))
      return false;
  return State.write(S.Operands[0],
                     emitDotProduct(Four ? 4 : 2,
                                    S.Modifiers.end()[-2] == "s32",
                                    S.Modifiers.back() == "s32", S.has("hi"),
                                    Args[0], Args[1], Args[2], State.C));
}

bool gridspan::translateInteger(const PtxStatement &S, AsmState &State) {
  if (translateDotProduct(S, State))
    return true;
  std::optional<PtxType> Type = parsePtxType(S.type());
  if (!Type || Type->isFloat() || S.Operands.size() < 2)
    return false;
  IntegerOp I{S, State, *Type, {}};
  for (const PtxOperand &O : drop_begin(S.Operands)) {
    Value *V = State.read(O, *Type);
    if (!V)
      return false;
    I.Args.push_back(V);
  }
  unsigned Needed = StringSwitch<unsigned>(S.Opcode)
                        .Cases("neg", "abs", "not", "cnot", "brev", 1)
                        .Cases("popc", "clz", "bfind", 1)
                        .Cases("mad", "madc", "sad", "shf", "lop3", 3)
                        .Cases("bfe", "prmt", "fns", 3)
                        .Case("bfi", 4)
                        .Default(2);
  if (I.Args.size() < Needed)
    return false;
  Value *Result = arithmetic(I);
  if (!Result)
    Result = bitOperation(I);
  return Result && State.write(S.Operands[0], Result);
}
