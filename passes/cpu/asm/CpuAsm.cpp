//===- CpuAsm.cpp - Inline assembly on the CPU ----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA's own headers are written with inline assembly, so the CPU device has to
// understand straight-line PTX: each statement is translated to LLVM
// instructions by the rule that PtxOpcodes.def gives its opcode. A statement
// under a guard gets a block of its own and phis for the registers that it
// writes. Texts with labels are for CpuAsmBranch.cpp.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/asm/CpuAsm.h"
#include "passes/cpu/CpuRules.h"
#include "passes/cpu/asm/CpuAsmRules.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace gridspan;

//===--- Types ----------------------------------------------------------===//

std::optional<PtxType> gridspan::parsePtxType(StringRef Name) {
  PtxType T;
  if (Name == "pred")
    return PtxType{'p', 1};
  if (Name.consume_back("x2"))
    T.Count = 2;
  if (Name == "bf16")
    return PtxType{'h', 16, T.Count};
  if (Name.empty() || !StringRef("usbf").contains(Name[0]) ||
      Name.drop_front().getAsInteger(10, T.Bits) || T.Bits > 128)
    return std::nullopt;
  T.Class = Name[0];
  if (T.Class == 'f' && T.Bits != 16 && T.Bits != 32 && T.Bits != 64)
    return std::nullopt;
  return T;
}

Type *PtxType::get(LLVMContext &Context) const {
  Type *Element = nullptr;
  if (Class == 'h')
    Element = Type::getBFloatTy(Context);
  else if (Class == 'f')
    Element = Bits == 16   ? Type::getHalfTy(Context)
              : Bits == 32 ? Type::getFloatTy(Context)
                           : Type::getDoubleTy(Context);
  else
    Element = IntegerType::get(Context, Bits);
  return Count == 1 ? Element : FixedVectorType::get(Element, Count);
}

//===--- Registers ------------------------------------------------------===//

AsmState::AsmState(CallInst &Call, CpuContext &C) : C(C), Call(Call) {
  auto *Asm = cast<InlineAsm>(Call.getCalledOperand());
  unsigned NextArg = 0, Number = 0;
  for (const InlineAsm::ConstraintInfo &Info : Asm->ParseConstraints()) {
    if (Info.Type == InlineAsm::isClobber)
      continue;
    std::string Name = "$" + std::to_string(Number++);
    if (Info.Type == InlineAsm::isOutput) {
      ++NumOutputs;
      continue;
    }
    // An input that is tied to an output is its initial value.
    bool IsTied = !Info.Codes.empty() && isDigit(Info.Codes[0][0]);
    if (IsTied)
      Name = "$" + Info.Codes[0];
    PtxOperand O;
    O.Name = Names.insert(Name).first->getKey();
    write(O, Call.getArgOperand(NextArg++));
  }
}

/// The name of a register, with its %: a text may declare both a and %a. The %
/// stands before the name in the text; of the special ones, WARP_SZ has none.
static StringRef nameOf(const PtxOperand &O) {
  return O.K == PtxOperand::Kind::Percent && O.Name != "WARP_SZ"
             ? StringRef(O.Name.data() - 1, O.Name.size() + 1)
             : O.Name;
}

bool AsmState::write(const PtxOperand &O, Value *V, bool IsSigned) {
  const bool IsRegister =
      O.K == PtxOperand::Kind::Name || O.K == PtxOperand::Kind::Percent;
  if (!IsRegister || !O.Part.empty() || O.IsMinus)
    return false;
  if (O.Name == "_")
    return true; // a sink
  Type *Ty = V->getType();
  if (Ty->isPointerTy())
    V = C.B.CreatePtrToInt(V, C.i64());
  else if (!Ty->isIntegerTy())
    V = C.B.CreateBitCast(V, C.B.getIntNTy(Ty->getPrimitiveSizeInBits()));
  // Readers take the lower bits, so the width of the register need not be
  // known.
  if (IsSigned && V->getType()->getIntegerBitWidth() < 64)
    V = C.B.CreateSExt(V, C.i64());
  Registers[nameOf(O)] = V;
  return true;
}

Value *AsmState::bits(const PtxOperand &O, unsigned Width) {
  if (!O.Part.empty() || O.IsMinus)
    return nullptr; // what video instructions read themselves
  Type *Ty = C.B.getIntNTy(Width);
  switch (O.K) {
  case PtxOperand::Kind::Integer:
    return ConstantInt::get(Ty, O.Value, /*IsSigned=*/true);
  case PtxOperand::Kind::Float:
  case PtxOperand::Kind::Double:
    // The bits of another width than the number's are another number.
    if (O.Value != 0 && Width != (O.K == PtxOperand::Kind::Float ? 32 : 64))
      return nullptr;
    return ConstantInt::get(Ty, O.Value);
  case PtxOperand::Kind::Percent:
  case PtxOperand::Kind::Name: {
    auto It = Registers.find(nameOf(O));
    Value *V = It != Registers.end()              ? It->second
               : O.K == PtxOperand::Kind::Percent ? readRegister(O.Name, C)
                                                  : nullptr;
    return V ? C.B.CreateZExtOrTrunc(V, Ty) : nullptr;
  }
  case PtxOperand::Kind::Vector: {
    // The first element is the lowest.
    unsigned Part = Width / O.Elements.size();
    Value *V = ConstantInt::get(Ty, 0);
    for (unsigned I = 0, E = O.Elements.size(); I != E; ++I) {
      Value *Element = bits(O.Elements[I], Part);
      if (!Element)
        return nullptr;
      V = C.B.CreateOr(V, C.B.CreateShl(C.B.CreateZExt(Element, Ty), I * Part));
    }
    return V;
  }
  case PtxOperand::Kind::Address:
  case PtxOperand::Kind::List:
    return nullptr;
  }
  return nullptr;
}

/// Returns a constant of the assembly as a number of the type.
static Value *floatConstant(const PtxOperand &O, Type *Ty) {
  const bool IsDouble = O.K == PtxOperand::Kind::Double;
  APFloat Number(IsDouble ? APFloat::IEEEdouble() : APFloat::IEEEsingle(),
                 APInt(IsDouble ? 64 : 32, O.Value));
  bool Loses = false;
  Number.convert(Ty->getScalarType()->getFltSemantics(),
                 APFloat::rmNearestTiesToEven, &Loses);
  return ConstantFP::get(Ty, Number);
}

Value *AsmState::read(const PtxOperand &O, PtxType Type) {
  if (Type.isFloat() &&
      (O.K == PtxOperand::Kind::Float || O.K == PtxOperand::Kind::Double))
    return floatConstant(O, Type.get(C.B.getContext()));
  Value *V = bits(O, Type.Bits * Type.Count);
  if (!V)
    return nullptr;
  if (O.IsNegated)
    V = C.B.CreateNot(V);
  return C.B.CreateBitCast(V, Type.get(C.B.getContext()));
}

Value *AsmState::readBits(const PtxOperand &O, PtxType Type) {
  Value *V = read(O, Type);
  return V ? C.B.CreateBitCast(V, C.B.getIntNTy(Type.Bits * Type.Count))
           : nullptr;
}

bool AsmState::isPredicate(const PtxOperand &O) const {
  const bool IsRegister =
      O.K == PtxOperand::Kind::Name || O.K == PtxOperand::Kind::Percent;
  auto It = IsRegister ? Registers.find(nameOf(O)) : Registers.end();
  return It != Registers.end() && It->second->getType()->isIntegerTy(1);
}

Value *AsmState::address(const PtxOperand &O) {
  if (O.K != PtxOperand::Kind::Address || O.Elements.size() != 1)
    return nullptr;
  Value *Base = bits(O.Elements[0], 64);
  if (!Base)
    return nullptr;
  Value *Address = C.B.CreateAdd(Base, C.B.getInt64(O.Value));
  return C.B.CreateIntToPtr(Address, C.B.getPtrTy());
}

Type *AsmState::outputType(unsigned I) const {
  Type *Ty = Call.getType();
  return NumOutputs == 1 ? Ty : Ty->getStructElementType(I);
}

Value *AsmState::result() {
  Type *Ty = Call.getType();
  auto Output = [&](unsigned I, Type *As) -> Value * {
    auto It = Registers.find("$" + std::to_string(I));
    if (It == Registers.end())
      return nullptr;
    if (As->isPointerTy())
      return C.B.CreateIntToPtr(C.B.CreateZExtOrTrunc(It->second, C.i64()), As);
    Value *Bits = C.B.CreateZExtOrTrunc(
        It->second, C.B.getIntNTy(As->getPrimitiveSizeInBits()));
    return C.B.CreateBitCast(Bits, As);
  };
  if (NumOutputs == 1)
    return Output(0, Ty);
  Value *All = PoisonValue::get(Ty);
  for (unsigned I = 0; I != NumOutputs; ++I) {
    Value *V = Output(I, outputType(I));
    if (!V)
      return nullptr;
    All = C.B.CreateInsertValue(All, V, I);
  }
  return All;
}

//===--- Statements -----------------------------------------------------===//

/// Returns the rules of PtxOpcodes.def by opcode, without those that are None.
static const StringMap<AsmRule> &asmRules() {
  static const StringMap<AsmRule> Rules = [] {
    using namespace asmrules;
    const std::pair<StringLiteral, AsmRule> Rows[] = {
#define GRIDSPAN_PTX(Opcode, Effect, Fp32, Fp64, Int, Imad, Sfu, Control,      \
                     Latency, Steps, Rule)                                     \
  {Opcode, Rule},
#include "analysis/ptx/PtxOpcodes.def"
    };
    StringMap<AsmRule> Out;
    for (const auto &[Opcode, Rule] : Rows)
      if (Rule.Statement || Rule.Float || Rule.Integer)
        Out[Opcode] = Rule;
    return Out;
  }();
  return Rules;
}

const AsmRule *gridspan::findAsmRule(StringRef Opcode) {
  auto It = asmRules().find(Opcode);
  return It == asmRules().end() ? nullptr : &It->second;
}

static bool translate(const PtxStatement &S, AsmState &State) {
  const AsmRule *Rule = findAsmRule(S.Opcode);
  if (!Rule)
    return false;
  return Rule->Statement ? Rule->Statement(S, State)
                         : translateNumber(*Rule, S, State);
}

/// Emits the statement into a block that only runs if the guard holds.
static bool translateGuarded(const PtxStatement &S, AsmState &State) {
  CpuContext &C = State.C;
  Value *Guard = State.read(*S.Guard, {'p', 1});
  if (!Guard)
    return false;
  MapVector<StringRef, Value *> Before = State.registers();
  Value *CarryBefore = State.Carry;
  Instruction *After = &*C.B.GetInsertPoint();
  BasicBlock *Head = After->getParent();
  Instruction *Then = SplitBlockAndInsertIfThen(Guard, After, false);
  C.B.SetInsertPoint(Then);
  bool Done = translate(S, State);
  C.B.SetInsertPoint(After);
  if (!Done)
    return false;
  for (auto &[Name, V] : State.registers()) {
    auto Old = Before.find(Name);
    if (Old != Before.end() && Old->second == V)
      continue;
    IRBuilder<> Top(After->getParent(), After->getParent()->begin());
    // The wider one, since the register may hold that many bits.
    Type *Ty = V->getType();
    if (Old != Before.end() &&
        Old->second->getType()->getIntegerBitWidth() > Ty->getIntegerBitWidth())
      Ty = Old->second->getType();
    PHINode *Phi = Top.CreatePHI(Ty, 2);
    Value *Otherwise = PoisonValue::get(Ty);
    if (Old != Before.end())
      Otherwise =
          IRBuilder<>(Head->getTerminator()).CreateZExtOrTrunc(Old->second, Ty);
    Phi->addIncoming(IRBuilder<>(Then).CreateZExt(V, Ty), Then->getParent());
    Phi->addIncoming(Otherwise, Head);
    V = Phi;
  }
  if (State.Carry != CarryBefore) {
    IRBuilder<> Top(After->getParent(), After->getParent()->begin());
    PHINode *Phi = Top.CreatePHI(Top.getInt1Ty(), 2);
    Phi->addIncoming(State.Carry, Then->getParent());
    Phi->addIncoming(CarryBefore ? CarryBefore : Top.getFalse(), Head);
    State.Carry = Phi;
  }
  return true;
}

bool gridspan::translateStatement(const PtxStatement &S, AsmState &State) {
  return S.Guard ? translateGuarded(S, State) : translate(S, State);
}

Lowered gridspan::lowerAsm(CallInst &Call, CpuContext &C) {
  auto *Asm = cast<InlineAsm>(Call.getCalledOperand());
  const std::optional<PtxCode> Code = readPtxCode(Asm->getAsmString());
  if (!Code)
    return std::nullopt;
  if (Code->hasLabels())
    return lowerBranchingAsm(Call, *Code, C);
  AsmState State(Call, C);
  for (const PtxStatement &S : Code->Statements)
    if (!translateStatement(S, State))
      return std::nullopt;
  if (Call.getType()->isVoidTy())
    return nullptr;
  Value *Result = State.result();
  return Result ? Lowered(Result) : std::nullopt;
}
