//===- IrOpcodes.cpp - PTX opcodes of IR instructions ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction has the opcode of its operation and type, intrinsics of NVVM
// have it in their names. What ptxas joins (PtxJoin.h) counts where the join
// ends: products with sums, logic of three. Divisions by constants are products
// with reciprocals.
//
//===----------------------------------------------------------------------===//

#include "analysis/machine/IrOpcodes.h"
#include "analysis/ptx/PtxSyntax.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gridspan {

using Opcodes = SmallVector<std::string, 2>;

/// A special register is read by the pipe that loads constants are read by.
static constexpr StringLiteral ReadSpecial = "ld.const";

static StringRef suffixOf(const Type *Ty, bool IsSigned = true) {
  if (Ty->isDoubleTy())
    return ".f64";
  if (Ty->isFloatingPointTy())
    return ".f32";
  if (Ty->isPointerTy() || Ty->getScalarSizeInBits() > 32)
    return IsSigned ? ".s64" : ".u64";
  return IsSigned ? ".s32" : ".u32";
}

static Opcodes one(const Twine &Opcode) { return {Opcode.str()}; }

//===----------------------------------------------------------------------===//
// Joins
//===----------------------------------------------------------------------===//

static bool isProduct(const Value *V, bool IsFloat) {
  const auto *I = dyn_cast<BinaryOperator>(V);
  if (!I || !I->hasOneUse())
    return false;
  if (IsFloat)
    return I->getOpcode() == Instruction::FMul;
  return I->getOpcode() == Instruction::Mul ||
         (I->getOpcode() == Instruction::Shl &&
          isa<ConstantInt>(I->getOperand(1)));
}

/// Returns the product that becomes one instruction with the sum, or null.
static const Instruction *joinedProduct(const Instruction &Sum) {
  bool IsFloat = Sum.getType()->isFPOrFPVectorTy();
  switch (Sum.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
    if (!Sum.hasAllowContract())
      return nullptr;
    break;
  case Instruction::Add:
    break;
  default:
    return nullptr;
  }
  for (const Value *Operand : Sum.operands())
    if (isProduct(Operand, IsFloat))
      return cast<Instruction>(Operand);
  return nullptr;
}

static bool isLogic(const Value *V) {
  const auto *I = dyn_cast<BinaryOperator>(V);
  return I && I->isBitwiseLogicOp() && !I->getType()->isIntOrIntVectorTy(1);
}

/// True if the only user of I has it for free.
static bool isJoined(const Instruction &I) {
  if (!I.hasOneUse())
    return false;
  const auto *User = cast<Instruction>(*I.user_begin());
  if (joinedProduct(*User) == &I)
    return true;
  // Two operations on three values; the first of two operands.
  return isLogic(&I) && isLogic(User) &&
         (User->getOperand(0) == &I || !isLogic(User->getOperand(0)));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static Opcodes divisionOf(const Instruction &I) {
  bool IsSigned =
      I.getOpcode() == Instruction::SDiv || I.getOpcode() == Instruction::SRem;
  bool IsRest =
      I.getOpcode() == Instruction::URem || I.getOpcode() == Instruction::SRem;
  StringRef Suffix = suffixOf(I.getType()->getScalarType(), IsSigned);
  const auto *Divisor = dyn_cast<ConstantInt>(I.getOperand(1));
  if (!Divisor)
    return one((IsRest ? "rem" : "div") + Suffix);
  Opcodes Out = one("shr" + Suffix);
  if (!Divisor->getValue().abs().isPowerOf2())
    Out.push_back(("mul.hi" + Suffix).str());
  if (IsSigned)
    Out.push_back(("add" + Suffix).str());
  if (IsRest)
    Out.push_back(("mad.lo" + Suffix).str());
  return Out;
}

static Opcodes floatDivisionOf(const Instruction &I) {
  const Type *Ty = I.getType()->getScalarType();
  const auto *Dividend = dyn_cast<ConstantFP>(I.getOperand(0));
  StringRef Name = Dividend && Dividend->isExactlyValue(1.0) ? "rcp" : "div";
  if (Ty->isDoubleTy())
    return one(Name + ".rn.f64");
  // As the back end reads them: fast, 2 ulp, or rounded.
  if (I.hasApproxFunc() || I.hasAllowReciprocal())
    return one(Name + ".approx.f32");
  if (cast<FPMathOperator>(I).getFPAccuracy() >= 2)
    return one("div.full.f32");
  return one(Name + ".rn.f32");
}

static bool isForAddresses(const Instruction &I) {
  return all_of(I.users(),
                [](const User *U) { return isa<GetElementPtrInst>(U); });
}

static Opcodes castOf(const CastInst &I) {
  const Type *From = I.getSrcTy()->getScalarType();
  const Type *To = I.getDestTy()->getScalarType();
  switch (I.getOpcode()) {
  case Instruction::ZExt:
    return From->isIntegerTy(1) ? one("selp.s32") : Opcodes();
  case Instruction::SExt:
    if (From->isIntegerTy(1))
      return one("selp.s32");
    return isForAddresses(I) ? Opcodes() : one("cvt.s64.s32");
  case Instruction::FPExt:
    return one(To->isDoubleTy() ? "cvt.f64.f32" : "cvt.f32.f16");
  case Instruction::FPTrunc:
    return one(From->isDoubleTy() ? "cvt.rn.f32.f64" : "cvt.rn.f16.f32");
  case Instruction::SIToFP:
  case Instruction::UIToFP:
    return one("cvt.rn" + suffixOf(To) + ".s32");
  case Instruction::FPToSI:
  case Instruction::FPToUI:
    return one("cvt.rzi.s32" + suffixOf(From));
  default:
    return {};
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static Opcodes assemblyOf(const InlineAsm &Asm) {
  Opcodes Out;
  PtxReader Reader(Asm.getAsmString());
  while (std::optional<PtxStatement> S = Reader.next())
    if (S->isInstruction())
      Out.push_back(S->Mnemonic.str());
  return Out;
}

/// llvm.nvvm.f2i.rz and the like.
static std::optional<std::string> conversionOf(StringRef Name) {
  auto [From, Rest] = Name.split('2');
  StringRef To = Rest.take_until([](char C) { return C == '.'; });
  static constexpr StringLiteral Types[] = {"f", "d", "i", "ui", "ll", "ull"};
  if (!is_contained(Types, From) || !is_contained(Types, To))
    return std::nullopt;
  bool FromFloat = From == "f" || From == "d", ToFloat = To == "f" || To == "d";
  if (FromFloat && !ToFloat)
    return "cvt.rzi";
  if (From == "f")
    return "cvt.f64.f32";
  if (From == "d")
    return "cvt.rn.f32.f64";
  return To == "d" ? "cvt.rn.f64.s32" : "cvt.rn.f32.s32";
}

/// Returns the opcodes of llvm.nvvm.<Name>: names are opcodes but for types and
/// older spellings.
static Opcodes nvvmOpcodes(StringRef Name) {
  if (Name.starts_with("read.ptx.sreg."))
    return Name.ends_with("warpsize") ? Opcodes() : one(ReadSpecial);
  static constexpr StringLiteral Free[] = {"fabs.", "lohi.", "d2i.hi", "d2i.lo",
                                           "bitcast."};
  if (any_of(Free, [&](StringRef F) { return Name.starts_with(F); }))
    return {};
  if (std::optional<std::string> Conversion = conversionOf(Name))
    return one(*Conversion);
  static constexpr std::pair<StringLiteral, StringLiteral> Spellings[] = {
      {"mulhi.", "mul.hi."},  {"mul24.", "mul.lo."},  {"fmin.", "min."},
      {"fmax.", "max."},      {"floor.", "cvt.rmi."}, {"ceil.", "cvt.rpi."},
      {"trunc.", "cvt.rzi."}, {"round.", "cvt.rni."}, {"saturate.", "add."},
      {"barrier", "bar."},    {"match.", "vote."},    {"fns", "call"}};
  std::string Opcode = Name.str();
  for (const auto &[From, To] : Spellings)
    if (Name.starts_with(From)) {
      Opcode = (To + Name.drop_front(From.size())).str();
      break;
    }
  auto [Front, Type] = StringRef(Opcode).rsplit('.');
  StringRef Suffix = StringSwitch<StringRef>(Type)
                         .Case("f", "f32")
                         .Case("d", "f64")
                         .Cases("i", "s", "s32")
                         .Cases("ui", "us", "u32")
                         .Case("ll", "s64")
                         .Case("ull", "u64")
                         .Default("");
  return one(Suffix.empty() ? Opcode : (Front + "." + Suffix).str());
}

static Opcodes intrinsicOpcodes(const IntrinsicInst &I) {
  StringRef Suffix = suffixOf(I.getType()->getScalarType());
  bool IsFast = I.getType()->isFPOrFPVectorTy() && I.hasApproxFunc();
  switch (I.getIntrinsicID()) {
  case Intrinsic::sqrt:
    return one((IsFast ? "sqrt.approx" : "sqrt.rn") + Suffix);
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
    return one("fma.rn" + Suffix);
  case Intrinsic::minnum:
  case Intrinsic::minimum:
  case Intrinsic::smin:
  case Intrinsic::umin:
    return one("min" + Suffix);
  case Intrinsic::maxnum:
  case Intrinsic::maximum:
  case Intrinsic::smax:
  case Intrinsic::umax:
    return one("max" + Suffix);
  case Intrinsic::fabs:
  case Intrinsic::copysign:
    return {};
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
  case Intrinsic::round:
  case Intrinsic::roundeven:
    return one("cvt.rmi");
  case Intrinsic::sin:
    return one("sin.approx.f32");
  case Intrinsic::cos:
    return one("cos.approx.f32");
  case Intrinsic::exp2:
    return one("ex2.approx.f32");
  case Intrinsic::log2:
    return one("lg2.approx.f32");
  case Intrinsic::ctpop:
    return one("popc");
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
    return one("clz");
  case Intrinsic::bitreverse:
    return one("brev");
  case Intrinsic::bswap:
    return one("prmt");
  case Intrinsic::fshl:
  case Intrinsic::fshr:
    return one("shf");
  case Intrinsic::abs:
    return one("abs" + Suffix);
  default:
    break;
  }
  StringRef Name = I.getCalledFunction()->getName();
  if (Name.consume_front("llvm.nvvm."))
    return nvvmOpcodes(Name);
  return one("add.s32");
}

static Opcodes callOpcodes(const CallBase &Call) {
  if (const auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand()))
    return assemblyOf(*Asm);
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&Call);
  if (!Intrinsic)
    return one("call");
  if (Intrinsic->isAssumeLikeIntrinsic() || isa<AnyMemIntrinsic>(Intrinsic) ||
      Intrinsic->getCalledFunction()->getName().contains(".ldg.") ||
      Intrinsic->getCalledFunction()->getName().contains(".ldu."))
    return {};
  return intrinsicOpcodes(*Intrinsic);
}

//===----------------------------------------------------------------------===//
// Everything
//===----------------------------------------------------------------------===//

static Opcodes scalarOpcodes(const Instruction &I) {
  const Type *Ty = I.getType()->getScalarType();
  bool IsBit = Ty->isIntegerTy(1), Is64 = Ty->getScalarSizeInBits() > 32;
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
    return one((joinedProduct(I) ? "fma.rn" : "add.rn") + suffixOf(Ty));
  case Instruction::FMul:
    return one("mul.rn" + suffixOf(Ty));
  case Instruction::FDiv:
    return floatDivisionOf(I);
  case Instruction::FRem: {
    Opcodes Out = floatDivisionOf(I);
    Out.push_back(("fma.rn" + suffixOf(Ty)).str());
    return Out;
  }
  case Instruction::Add:
    if (const Instruction *Product = joinedProduct(I);
        Product && Product->getOpcode() == Instruction::Mul)
      return one("mad.lo" + suffixOf(Ty));
    return one("add" + suffixOf(Ty));
  case Instruction::Sub:
    return one("sub" + suffixOf(Ty));
  case Instruction::Mul:
    return one("mul.lo" + suffixOf(Ty));
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem:
    return divisionOf(I);
  case Instruction::Shl:
    return one(Is64 ? "shl.b64" : "shl.b32");
  case Instruction::LShr:
  case Instruction::AShr:
    return one("shr" + suffixOf(Ty, I.getOpcode() == Instruction::AShr));
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return one(IsBit ? "and.pred" : Is64 ? "and.b64" : "and.b32");
  case Instruction::ICmp: {
    const Type *Operand = I.getOperand(0)->getType()->getScalarType();
    bool IsWide = Operand->isPointerTy() || Operand->getScalarSizeInBits() > 32;
    return one(IsWide ? "setp.lt.s64" : "setp.lt.s32");
  }
  case Instruction::FCmp:
    return one("setp.lt" +
               suffixOf(I.getOperand(0)->getType()->getScalarType()));
  case Instruction::Select:
    return one(IsBit              ? "and.pred"
               : Ty->isDoubleTy() ? "selp.f64"
               : Is64             ? "selp.b64"
                                  : "selp.b32");
  case Instruction::Br:
    return cast<BranchInst>(I).isConditional() ? one("bra") : Opcodes();
  case Instruction::Switch:
    return Opcodes(std::max(1u, I.getNumSuccessors() - 1), "bra");
  case Instruction::Ret:
    return one("ret");
  case Instruction::Fence:
    return one("fence");
  default:
    if (const auto *Cast = dyn_cast<CastInst>(&I))
      return castOf(*Cast);
    if (const auto *Call = dyn_cast<CallBase>(&I))
      return callOpcodes(*Call);
    return {};
  }
}

Opcodes opcodesOf(const Instruction &I) {
  if (I.isDebugOrPseudoInst() || isJoined(I))
    return {};
  return scalarOpcodes(I);
}

PipeCounts pipeCountsOf(const Instruction &I) {
  double Elements = 1;
  const Type *Ty = isa<CmpInst>(I) ? I.getOperand(0)->getType() : I.getType();
  if (const auto *Vector = dyn_cast<FixedVectorType>(Ty))
    Elements = Vector->getNumElements();
  PipeCounts Out = {};
  for (const std::string &Opcode : opcodesOf(I)) {
    PipeCounts Counts = ptxCostOf(Opcode).Count;
    for (unsigned P = 0; P != NumPipes; ++P)
      Out[P] += Elements * Counts[P];
  }
  return Out;
}

} // namespace gridspan
