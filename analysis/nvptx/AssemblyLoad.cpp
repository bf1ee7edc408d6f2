//===- AssemblyLoad.cpp - Loads that are inline assembly ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text has to be one instruction without a predicate, `ld.global` with
// modifiers that only hint at caches, a type of 8 to 64 bits, alone or as a
// vector, and an address that is an operand of the call and a pointer. Then the
// bytes behind that pointer are read, and nothing else of memory is touched:
// that is what the PTX ISA says of ld. Volatile, ordered and scoped loads are
// left out, since others may be ordered by them.
//
//===----------------------------------------------------------------------===//

#include "analysis/nvptx/AssemblyLoad.h"
#include "analysis/ptx/PtxSyntax.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace gridspan {

unsigned bytesOfPtxType(StringRef Type) {
  return StringSwitch<unsigned>(Type)
      .Cases("b8", "u8", "s8", 1)
      .Cases("b16", "u16", "s16", 2)
      .Cases("b32", "u32", "s32", "f32", 4)
      .Cases("b64", "u64", "s64", "f64", 8)
      .Default(0);
}

/// Returns the bytes that a load of global memory without an order moves, by
/// its modifiers; 0 for any other one.
static unsigned bytesLoaded(const PtxStatement &S) {
  unsigned Elements = 1;
  ArrayRef<StringRef> Modifiers = S.Modifiers;
  if (Modifiers.size() < 2 || Modifiers.front() != "global")
    return 0;
  for (StringRef Modifier : Modifiers.drop_front().drop_back()) {
    if (Modifier == "v2" || Modifier == "v4")
      Elements = Modifier[1] - '0';
    else if (!StringSwitch<bool>(Modifier)
                  .Cases("nc", "ca", "cg", "cs", "lu", true)
                  .Default(false))
      return 0;
  }
  return Elements * bytesOfPtxType(Modifiers.back());
}

const Value *assemblyArgument(const CallBase &Call, StringRef Operand) {
  unsigned Number;
  if (!Operand.consume_front("$") || Operand.getAsInteger(10, Number))
    return nullptr;
  // Outputs come first; one that is an input as well has no argument here.
  InlineAsm::ConstraintInfoVector Constraints =
      cast<InlineAsm>(Call.getCalledOperand())->ParseConstraints();
  unsigned Outputs = 0;
  for (const InlineAsm::ConstraintInfo &C : Constraints) {
    if (C.isIndirect || C.hasMatchingInput())
      return nullptr;
    Outputs += C.Type == InlineAsm::isOutput;
  }
  if (Number < Outputs || Number - Outputs >= Call.arg_size())
    return nullptr;
  return Call.getArgOperand(Number - Outputs);
}

std::optional<AssemblyLoad> assemblyLoadOf(const CallBase &Call) {
  PtxReader Reader(cast<InlineAsm>(Call.getCalledOperand())->getAsmString());
  std::optional<PtxStatement> Load = Reader.next();
  if (!Load || !Load->isInstruction() || Load->Opcode != "ld" || Load->Guard ||
      !Load->AreOperandsKnown || Load->Operands.size() != 2 || Reader.next())
    return std::nullopt;
  unsigned Size = bytesLoaded(*Load);
  const PtxOperand &From = Load->Operands[1];
  if (Size == 0 || From.K != PtxOperand::Kind::Address || From.Value != 0 ||
      From.Elements.size() != 1 ||
      From.Elements.front().K != PtxOperand::Kind::Name)
    return std::nullopt;
  const Value *Pointer = assemblyArgument(Call, From.Elements.front().Name);
  if (!Pointer || !Pointer->getType()->isPointerTy())
    return std::nullopt;
  return {{Pointer, Size}};
}

} // namespace gridspan
