//===- AssemblyAccess.cpp - Accesses that are inline assembly -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text has to be straight-line code with one instruction that touches
// memory: a load, a store, an atomic or a reduction without a predicate, of a
// type of 8 to 64 bits, alone or as a vector. Its address has to be an operand
// of the call. The bytes behind that pointer are all that it touches: that is
// what the PTX ISA says of these. Other instructions may compute in registers,
// but not the address.
//
//===----------------------------------------------------------------------===//

#include "analysis/nvptx/AssemblyAccess.h"
#include "analysis/nvptx/AssemblyLoad.h"
#include "analysis/ptx/PtxOpcodes.h"
#include "analysis/ptx/PtxSyntax.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gridspan {

/// Returns the mode of an opcode that touches memory by an address; 0 if it
/// touches none. Nothing for what is no single access.
static std::optional<uint32_t> modeOf(PtxEffect Effect) {
  switch (Effect) {
  case PtxEffect::Register:
  case PtxEffect::Lane:
    return 0;
  case PtxEffect::Load:
    return GridspanRead;
  case PtxEffect::Store:
    return GridspanWrite;
  case PtxEffect::Atomic:
  case PtxEffect::Reduction:
    return GridspanAtomic;
  default:
    return std::nullopt;
  }
}

/// Returns the bytes that the instruction moves for a thread, or 0.
static uint32_t bytesOf(const PtxStatement &S) {
  uint32_t Elements = 1;
  for (StringRef Modifier : S.Modifiers)
    Elements = StringSwitch<uint32_t>(Modifier)
                   .Case("v2", 2)
                   .Case("v4", 4)
                   .Case("v8", 8)
                   .Default(Elements);
  uint32_t OfHalves = StringSwitch<uint32_t>(S.type())
                          .Cases("f16", "bf16", 2)
                          .Cases("f16x2", "bf16x2", 4)
                          .Default(0);
  return Elements * (OfHalves ? OfHalves : bytesOfPtxType(S.type()));
}

std::optional<AssemblyAccess> assemblyAccessOf(const CallBase &Call) {
  std::optional<std::vector<PtxStatement>> Code =
      straightLinePtx(cast<InlineAsm>(Call.getCalledOperand())->getAsmString());
  if (!Code)
    return std::nullopt;
  const PtxStatement *Access = nullptr;
  uint32_t Mode = 0;
  for (const PtxStatement &S : *Code) {
    std::optional<uint32_t> Of = modeOf(ptxEffectOf(S.Opcode));
    if (!Of || (*Of && Access))
      return std::nullopt;
    if (*Of) {
      Access = &S;
      Mode = *Of;
    }
  }
  auto IsElsewhere = [](StringRef Modifier) {
    return Modifier.starts_with("shared") || Modifier == "local" ||
           Modifier == "const" || Modifier == "param";
  };
  if (!Access || Access->Guard || !Access->AreOperandsKnown ||
      any_of(Access->Modifiers, IsElsewhere))
    return std::nullopt;
  const PtxOperand *Address = nullptr;
  for (const PtxOperand &Operand : Access->Operands)
    if (Operand.K == PtxOperand::Kind::Address)
      Address = &Operand;
  const uint32_t Size = bytesOf(*Access);
  if (Size == 0 || !Address || Address->Value != 0 ||
      Address->Elements.size() != 1 ||
      Address->Elements.front().K != PtxOperand::Kind::Name)
    return std::nullopt;
  const Value *Pointer = assemblyArgument(Call, Address->Elements.front().Name);
  if (const auto *Number = dyn_cast_or_null<PtrToIntOperator>(Pointer))
    Pointer = Number->getPointerOperand();
  if (!Pointer || !Pointer->getType()->isPointerTy())
    return std::nullopt;
  return {{Pointer, Mode, Size}};
}

} // namespace gridspan
