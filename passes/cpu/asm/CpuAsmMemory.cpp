//===- CpuAsmMemory.cpp - Memory instructions in PTX ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ld, st, atom, red and fences. Cache operators, scopes and proxies mean
// nothing on the host; accesses that others may watch are atomic or volatile.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/asm/CpuAsmRules.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace gridspan;

namespace {
struct AccessKind {
  PtxType Number; ///< what the statement names
  PtxType Type;   ///< its bits
  unsigned Vector = 1;
  bool Volatile = false;
  AtomicOrdering Order = AtomicOrdering::NotAtomic;
};
} // namespace

/// More would be a call of a library for atomics, which programs do not link.
constexpr unsigned MaxAtomicBits = 64;

static unsigned vectorOf(const PtxStatement &S) {
  return S.has("v2") ? 2 : S.has("v4") ? 4 : S.has("v8") ? 8 : 1;
}

static std::optional<AccessKind> parseAccess(const PtxStatement &S) {
  AccessKind Kind;
  std::optional<PtxType> Type = parsePtxType(S.type());
  if (!Type)
    return std::nullopt;
  Kind.Number = *Type;
  Kind.Type = {'b', Type->Bits * Type->Count};
  Kind.Vector = vectorOf(S);
  Kind.Volatile = S.has("volatile") || S.has("mmio");
  if (Kind.Vector > 1)
    return Kind;
  if (S.has("acquire"))
    Kind.Order = AtomicOrdering::Acquire;
  else if (S.has("release"))
    Kind.Order = AtomicOrdering::Release;
  else if (S.has("relaxed"))
    Kind.Order = AtomicOrdering::Monotonic;
  if (Kind.Order != AtomicOrdering::NotAtomic && Kind.Type.Bits > MaxAtomicBits)
    return std::nullopt;
  return Kind;
}

static ArrayRef<PtxOperand> elementsOf(const PtxOperand &O) {
  if (O.K == PtxOperand::Kind::Vector)
    return O.Elements;
  return ArrayRef<PtxOperand>(O);
}

bool asmrules::lowerLoad(const PtxStatement &S, AsmState &State) {
  std::optional<AccessKind> Kind = parseAccess(S);
  if (!Kind || S.Operands.size() < 2)
    return false;
  IRBuilder<> &B = State.C.B;
  Value *Address = State.address(S.Operands[1]);
  ArrayRef<PtxOperand> Elements = elementsOf(S.Operands[0]);
  if (!Address || Elements.size() != Kind->Vector)
    return false;
  Type *Ty = Kind->Type.get(B.getContext());
  SmallVector<Value *> Values;
  for (unsigned I = 0, E = Elements.size(); I != E; ++I) {
    LoadInst *Load =
        B.CreateAlignedLoad(Ty, B.CreateConstGEP1_32(Ty, Address, I),
                            Align(Kind->Type.Bits / 8), Kind->Volatile);
    Load->setAtomic(Kind->Order);
    Values.push_back(Load);
  }
  for (auto [Element, V] : zip(Elements, Values))
    if (!State.write(Element, V, Kind->Number.isSigned()))
      return false;
  return true;
}

bool asmrules::lowerStore(const PtxStatement &S, AsmState &State) {
  std::optional<AccessKind> Kind = parseAccess(S);
  if (!Kind || S.Operands.size() < 2)
    return false;
  IRBuilder<> &B = State.C.B;
  Value *Address = State.address(S.Operands[0]);
  ArrayRef<PtxOperand> Elements = elementsOf(S.Operands[1]);
  if (!Address || Elements.size() != Kind->Vector)
    return false;
  Type *Ty = Kind->Type.get(B.getContext());
  for (unsigned I = 0, E = Elements.size(); I != E; ++I) {
    Value *V = State.readBits(Elements[I], Kind->Number);
    if (!V)
      return false;
    StoreInst *Store =
        B.CreateAlignedStore(V, B.CreateConstGEP1_32(Ty, Address, I),
                             Align(Kind->Type.Bits / 8), Kind->Volatile);
    Store->setAtomic(Kind->Order);
  }
  return true;
}

static bool ordersOthers(const PtxStatement &S) {
  return S.has("acquire") || S.has("release") || S.has("acq_rel");
}

static AtomicRMWInst::BinOp parseUpdate(const PtxStatement &S, PtxType Type) {
  bool Signed = Type.isSigned(), Float = Type.isFloat();
  for (StringRef M : S.Modifiers) {
    auto Op = StringSwitch<AtomicRMWInst::BinOp>(M)
                  .Case("add", Float ? AtomicRMWInst::FAdd : AtomicRMWInst::Add)
                  .Case("min", Float    ? AtomicRMWInst::FMin
                               : Signed ? AtomicRMWInst::Min
                                        : AtomicRMWInst::UMin)
                  .Case("max", Float    ? AtomicRMWInst::FMax
                               : Signed ? AtomicRMWInst::Max
                                        : AtomicRMWInst::UMax)
                  .Case("and", AtomicRMWInst::And)
                  .Case("or", AtomicRMWInst::Or)
                  .Case("xor", AtomicRMWInst::Xor)
                  .Case("exch", AtomicRMWInst::Xchg)
                  .Case("inc", AtomicRMWInst::UIncWrap)
                  .Case("dec", AtomicRMWInst::UDecWrap)
                  .Default(AtomicRMWInst::BAD_BINOP);
    if (Op != AtomicRMWInst::BAD_BINOP)
      return Op;
  }
  return AtomicRMWInst::BAD_BINOP;
}

/// red and atom of v2, v4 and v8: each element on its own, as PTX says.
static bool lowerAtomicVector(const PtxStatement &S, PtxType Type,
                              unsigned Count, AsmState &State) {
  const bool HasResult = S.Opcode == "atom";
  const unsigned First = HasResult ? 1 : 0;
  IRBuilder<> &B = State.C.B;
  Value *Address = State.address(S.Operands[First]);
  const ArrayRef<PtxOperand> Given = elementsOf(S.Operands[First + 1]);
  const AtomicRMWInst::BinOp Op = parseUpdate(S, Type);
  if (!Address || Given.size() != Count || Op == AtomicRMWInst::BAD_BINOP ||
      (HasResult && elementsOf(S.Operands[0]).size() != Count))
    return false;
  llvm::Type *Ty = Type.get(B.getContext());
  SmallVector<Value *> Old;
  for (unsigned I = 0; I != Count; ++I) {
    Value *Operand = State.read(Given[I], Type);
    if (!Operand)
      return false;
    Old.push_back(B.CreateAtomicRMW(Op, B.CreateConstGEP1_32(Ty, Address, I),
                                    Operand, Align(Type.Bits * Type.Count / 8),
                                    ordersOthers(S)
                                        ? AtomicOrdering::SequentiallyConsistent
                                        : AtomicOrdering::Monotonic));
  }
  if (HasResult)
    for (auto [Element, V] : zip(elementsOf(S.Operands[0]), Old))
      if (!State.write(Element, V))
        return false;
  return true;
}

bool asmrules::lowerAtomic(const PtxStatement &S, AsmState &State) {
  bool HasResult = S.Opcode == "atom";
  unsigned First = HasResult ? 1 : 0;
  std::optional<PtxType> Type = parsePtxType(S.type());
  if (!Type || Type->Bits * Type->Count > MaxAtomicBits ||
      S.Operands.size() < First + 2)
    return false;
  if (const unsigned Count = vectorOf(S); Count != 1)
    return lowerAtomicVector(S, *Type, Count, State);
  IRBuilder<> &B = State.C.B;
  Value *Address = State.address(S.Operands[First]);
  Value *Operand = State.read(S.Operands[First + 1], *Type);
  if (!Address || !Operand)
    return false;
  auto Order = ordersOthers(S) ? AtomicOrdering::SequentiallyConsistent
                               : AtomicOrdering::Monotonic;
  Align Alignment(Type->Bits * Type->Count / 8);
  Value *Old = nullptr;
  if (S.has("cas")) {
    if (S.Operands.size() < First + 3)
      return false;
    Value *New = State.read(S.Operands[First + 2], *Type);
    if (!New)
      return false;
    Old = B.CreateExtractValue(
        B.CreateAtomicCmpXchg(Address, Operand, New, Alignment, Order, Order),
        0);
  } else {
    auto Op = parseUpdate(S, *Type);
    if (Op == AtomicRMWInst::BAD_BINOP)
      return false;
    Old = B.CreateAtomicRMW(Op, Address, Operand, Alignment, Order);
  }
  return !HasResult || State.write(S.Operands[0], Old);
}

bool asmrules::lowerFence(const PtxStatement &S, AsmState &State) {
  State.C.B.CreateFence(AtomicOrdering::SequentiallyConsistent);
  return true;
}

bool asmrules::lowerNothing(const PtxStatement &S, AsmState &State) {
  return true;
}
