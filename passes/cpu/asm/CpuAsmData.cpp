//===- CpuAsmData.cpp - Moves and comparisons in PTX ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Data Movement and Conversion Instructions" without memory accesses
// and conversions, and "Comparison and Selection Instructions".
//
//===----------------------------------------------------------------------===//

#include "gridspan/CpuCodes.h"
#include "passes/cpu/CpuMath.h"
#include "passes/cpu/CpuRules.h"
#include "passes/cpu/asm/CpuAsmRules.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace gridspan;

/// Distributes a value over {a, b, ...}, the first in the lowest bits.
static bool unpack(const PtxOperand &Vector, Value *V, AsmState &State) {
  IRBuilder<> &B = State.C.B;
  unsigned Width = V->getType()->getPrimitiveSizeInBits();
  unsigned Part = Width / Vector.Elements.size();
  V = B.CreateBitCast(V, B.getIntNTy(Width));
  for (auto [I, Element] : enumerate(Vector.Elements))
    if (!State.write(Element, B.CreateTrunc(B.CreateLShr(V, I * Part),
                                            B.getIntNTy(Part))))
      return false;
  return true;
}

bool asmrules::lowerMove(const PtxStatement &S, AsmState &State) {
  std::optional<PtxType> Type = parsePtxType(S.type());
  if (!Type || S.Operands.size() != 2)
    return false;
  const PtxOperand &Source = S.Operands[1];
  Value *V = nullptr;
  // The memory that CUDA reserves for cooperative groups is shared memory,
  // whose addresses fit into 32 bits.
  if (Source.K == PtxOperand::Kind::Percent &&
      Source.Name.starts_with("reserved_smem_offset"))
    V = State.C.callWithBlock("reserved_shared", State.C.i64(), {});
  else
    V = State.read(Source, *Type);
  if (!V)
    return false;
  if (S.Operands[0].K == PtxOperand::Kind::Vector)
    return unpack(S.Operands[0], V, State);
  return State.write(S.Operands[0], V);
}

/// Returns the comparison that a modifier names.
static std::optional<CmpInst::Predicate> parseComparison(StringRef Name,
                                                         PtxType Type) {
  using P = CmpInst::Predicate;
  if (Type.isFloat())
    return StringSwitch<std::optional<P>>(Name)
        .Case("eq", P::FCMP_OEQ)
        .Case("ne", P::FCMP_ONE)
        .Case("lt", P::FCMP_OLT)
        .Case("le", P::FCMP_OLE)
        .Case("gt", P::FCMP_OGT)
        .Case("ge", P::FCMP_OGE)
        .Case("equ", P::FCMP_UEQ)
        .Case("neu", P::FCMP_UNE)
        .Case("ltu", P::FCMP_ULT)
        .Case("leu", P::FCMP_ULE)
        .Case("gtu", P::FCMP_UGT)
        .Case("geu", P::FCMP_UGE)
        .Case("num", P::FCMP_ORD)
        .Case("nan", P::FCMP_UNO)
        .Default(std::nullopt);
  bool Signed = Type.isSigned();
  return StringSwitch<std::optional<P>>(Name)
      .Case("eq", P::ICMP_EQ)
      .Case("ne", P::ICMP_NE)
      .Case("lt", Signed ? P::ICMP_SLT : P::ICMP_ULT)
      .Case("le", Signed ? P::ICMP_SLE : P::ICMP_ULE)
      .Case("gt", Signed ? P::ICMP_SGT : P::ICMP_UGT)
      .Case("ge", Signed ? P::ICMP_SGE : P::ICMP_UGE)
      .Case("lo", P::ICMP_ULT)
      .Case("ls", P::ICMP_ULE)
      .Case("hi", P::ICMP_UGT)
      .Case("hs", P::ICMP_UGE)
      .Default(std::nullopt);
}

/// Returns the result of set and setp as predicates, one for each element, or
/// that of the opposite comparison. Both are combined with the last operand.
static Value *compare(const PtxStatement &S, PtxType Type, AsmState &State,
                      bool Opposite = false) {
  CpuContext &C = State.C;
  if (S.Modifiers.empty() || S.Operands.size() < 3)
    return nullptr;
  auto Comparison = parseComparison(S.Modifiers[0], Type);
  Value *L = State.read(S.Operands[1], Type);
  Value *R = State.read(S.Operands[2], Type);
  if (!Comparison || !L || !R)
    return nullptr;
  if (S.has("ftz")) {
    L = flushSubnormal(L, C);
    R = flushSubnormal(R, C);
  }
  Value *Result = C.B.CreateCmp(*Comparison, L, R);
  if (Opposite)
    Result = C.B.CreateNot(Result);
  if (S.Operands.size() == 3)
    return Result;
  Value *Other = State.read(S.Operands[3], {'p', 1});
  if (!Other || Type.Count != 1)
    return nullptr;
  if (S.has("and"))
    return C.B.CreateAnd(Result, Other);
  if (S.has("or"))
    return C.B.CreateOr(Result, Other);
  return S.has("xor") ? C.B.CreateXor(Result, Other) : nullptr;
}

bool asmrules::lowerSetPredicate(const PtxStatement &S, AsmState &State) {
  std::optional<PtxType> Type = parsePtxType(S.type());
  Value *Result = Type ? compare(S, *Type, State) : nullptr;
  if (!Result)
    return false;
  IRBuilder<> &B = State.C.B;
  PtxOperand First = S.Operands[0];
  Value *Second = nullptr;
  if (Type->Count == 2) {
    Second = B.CreateExtractElement(Result, 1);
    Result = B.CreateExtractElement(Result, uint64_t(0));
  } else if (!First.Elements.empty()) {
    Second = compare(S, *Type, State, /*Opposite=*/true);
  }
  if (Second && !First.Elements.empty() &&
      !State.write(First.Elements[0], Second))
    return false;
  return State.write(First, Result);
}

bool asmrules::lowerSet(const PtxStatement &S, AsmState &State) {
  if (S.Modifiers.size() < 3)
    return false;
  IRBuilder<> &B = State.C.B;
  std::optional<PtxType> Source = parsePtxType(S.Modifiers.back());
  std::optional<PtxType> To = parsePtxType(S.Modifiers.end()[-2]);
  Value *Result = Source && To ? compare(S, *Source, State) : nullptr;
  if (!Result)
    return false;
  Type *Ty = To->get(B.getContext());
  Constant *True =
      To->isFloat() ? ConstantFP::get(Ty, 1.0) : Constant::getAllOnesValue(Ty);
  // set.u32.f16x2 has one mask of 16 bits for each element.
  if (Source->Count == 2 && To->Count == 1)
    return State.write(S.Operands[0],
                       B.CreateSExt(Result, FixedVectorType::get(
                                                B.getIntNTy(To->Bits / 2), 2)));
  return State.write(S.Operands[0],
                     B.CreateSelect(Result, True, Constant::getNullValue(Ty)));
}

bool asmrules::lowerSelect(const PtxStatement &S, AsmState &State) {
  if (S.Operands.size() != 4)
    return false;
  IRBuilder<> &B = State.C.B;
  bool BySign = S.Opcode == "slct";
  std::optional<PtxType> Type = parsePtxType(
      BySign && S.Modifiers.size() > 1 ? S.Modifiers.end()[-2] : S.type());
  std::optional<PtxType> Selector =
      BySign ? parsePtxType(S.type()) : PtxType{'p', 1};
  if (!Type || !Selector)
    return false;
  Value *L = State.read(S.Operands[1], *Type);
  Value *R = State.read(S.Operands[2], *Type);
  Value *By = State.read(S.Operands[3], *Selector);
  if (!L || !R || !By)
    return false;
  if (BySign)
    By = Selector->isFloat()
             ? B.CreateFCmpOGE(By, ConstantFP::getZero(By->getType()))
             : B.CreateICmpSGE(By, ConstantInt::get(By->getType(), 0));
  return State.write(S.Operands[0], B.CreateSelect(By, L, R));
}

bool asmrules::lowerPolicy(const PtxStatement &S, AsmState &State) {
  return !S.Operands.empty() &&
         State.write(S.Operands[0], State.C.B.getInt64(0));
}

bool asmrules::lowerClusterAddress(const PtxStatement &S, AsmState &State) {
  std::optional<PtxType> Type = parsePtxType(S.type());
  if (!Type || S.Operands.size() != 3)
    return false;
  Value *Address = State.read(S.Operands[1], *Type);
  return Address && State.write(S.Operands[0], Address);
}

bool asmrules::lowerClusterRank(const PtxStatement &S, AsmState &State) {
  return S.Operands.size() == 2 &&
         State.write(S.Operands[0], State.C.B.getInt32(0));
}

bool asmrules::lowerSpaceQuery(const PtxStatement &S, AsmState &State) {
  auto Space = StringSwitch<std::optional<MemorySpace>>(S.type())
                   .Case("global", MemorySpace::Global)
                   .Cases("shared", "shared::cta", "shared::cluster",
                          MemorySpace::Shared)
                   .Case("local", MemorySpace::Local)
                   .Default(std::nullopt);
  if (!Space || S.Operands.size() != 2)
    return false;
  CpuContext &C = State.C;
  Value *Bits = State.read(S.Operands[1], {'b', 64});
  if (!Bits)
    return false;
  Value *Actual = C.callWithBlock("memory_space", C.i32(),
                                  {C.B.CreateIntToPtr(Bits, C.B.getPtrTy())});
  return State.write(S.Operands[0],
                     C.B.CreateICmpEQ(Actual, C.B.getInt32(unsigned(*Space))));
}
