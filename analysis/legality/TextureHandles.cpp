//===- TextureHandles.cpp - Where kernels get textures from ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From each instruction that reads a texture back to where its handle comes
// from, through phis, selects and freezes. Then from each of these parameters
// forward: all that becomes of it has to be the handle of such instructions.
// Both ways are needed. A select between a parameter and a number passes the
// second, and a handle that is stored as well passes the first.
//
// CUDA's headers read textures by inline assembly: the handle is the operand
// that the text has in brackets, "[$4, {$5, $6}]". An operand that the text has
// anywhere else as well is more than a handle.
//
// Source: PTX ISA, "Texture Instructions"; LLVM's intrinsics for NVPTX.
//
//===----------------------------------------------------------------------===//

#include "analysis/legality/TextureHandles.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/ptx/PtxOpcodes.h"
#include "analysis/ptx/PtxSyntax.h"
#include "analysis/summary/KernelParams.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include <map>
#include <optional>

using namespace llvm;

namespace gridspan {

static bool isTextureOpcode(StringRef Opcode) {
  return Opcode == "tex" || Opcode == "tld4" || Opcode == "txq";
}

/// Returns the name of an intrinsic behind "llvm.nvvm.", or an empty one.
static StringRef nvvmName(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  StringRef Name = Callee ? Callee->getName() : StringRef();
  return Name.consume_front("llvm.nvvm.") ? Name : StringRef();
}

/// Returns true if the assembly has an instruction on a texture or a surface
/// whose opcode Accepts accepts.
template <typename Function>
static bool anyOfTexture(const InlineAsm &Asm, Function Accepts) {
  PtxReader Reader(Asm.getAsmString());
  while (std::optional<PtxStatement> S = Reader.next())
    if (S->isInstruction() && ptxEffectOf(S->Opcode) == PtxEffect::Texture &&
        Accepts(S->Opcode))
      return true;
  return false;
}

bool usesSurface(const CallBase &Call) {
  if (const auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand()))
    return anyOfTexture(
        *Asm, [](StringRef Opcode) { return !isTextureOpcode(Opcode); });
  StringRef Name = nvvmName(Call);
  return Name.starts_with("suld.") || Name.starts_with("sust.") ||
         Name.starts_with("suq.") || Name == "istypep.surface";
}

bool readsTexture(const CallBase &Call) {
  if (usesSurface(Call))
    return false;
  if (const auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand()))
    return anyOfTexture(*Asm, isTextureOpcode);
  StringRef Name = nvvmName(Call);
  return Name.starts_with("tex.") || Name.starts_with("tld4.") ||
         Name.starts_with("txq.") || Name.starts_with("texsurf.") ||
         Name.starts_with("istypep.");
}

/// Returns how often Text has the operand Name, "$4", and no longer number.
static unsigned countOperand(StringRef Text, StringRef Name) {
  unsigned Count = 0;
  for (size_t At = Text.find(Name); At != StringRef::npos;
       At = Text.find(Name, At + 1)) {
    StringRef Behind = Text.drop_front(At + Name.size());
    Count += Behind.empty() || !isDigit(Behind.front());
  }
  return Count;
}

/// Returns which argument of an assembly call is its operand $Number, or
/// nothing for a result.
static std::optional<unsigned> argumentOf(const InlineAsm &Asm,
                                          unsigned Number) {
  unsigned Argument = 0, Operand = 0;
  for (const InlineAsm::ConstraintInfo &C : Asm.ParseConstraints()) {
    if (C.Type == InlineAsm::isClobber)
      continue;
    const bool IsArgument = C.hasArg();
    if (Operand++ == Number)
      return IsArgument ? std::optional(Argument) : std::nullopt;
    Argument += IsArgument;
  }
  return std::nullopt;
}

/// Returns the arguments that are handles of textures and nothing else; nothing
/// if the text has forms that are not known.
static std::optional<SmallSet<unsigned, 2>>
handlesOfAssembly(const InlineAsm &Asm) {
  SmallSet<unsigned, 2> Out;
  std::map<StringRef, unsigned> Names;
  PtxReader Reader(Asm.getAsmString());
  while (std::optional<PtxStatement> S = Reader.next()) {
    if (!S->isInstruction() || ptxEffectOf(S->Opcode) != PtxEffect::Texture)
      continue;
    // Behind the handle: the coordinates, of a query nothing.
    const size_t Elements = S->Opcode == "txq" ? 1 : 2;
    if (!S->AreOperandsKnown || S->Operands.size() < 2)
      return std::nullopt;
    const PtxOperand &Address = S->Operands[1];
    if (Address.K != PtxOperand::Kind::Address || Address.Value != 0 ||
        Address.Elements.size() != Elements ||
        Address.Elements[0].K != PtxOperand::Kind::Name ||
        !Address.Elements[0].Name.starts_with("$"))
      return std::nullopt;
    ++Names[Address.Elements[0].Name];
  }
  for (const auto &[Name, Count] : Names) {
    unsigned Number = 0;
    if (Name.drop_front().getAsInteger(10, Number) ||
        countOperand(Asm.getAsmString(), Name) != Count)
      return std::nullopt;
    const std::optional<unsigned> Argument = argumentOf(Asm, Number);
    if (!Argument)
      return std::nullopt;
    Out.insert(*Argument);
  }
  return Out;
}

/// Returns the arguments of Call, which reads a texture, that are handles;
/// nothing if that is not known.
static std::optional<SmallSet<unsigned, 2>> handlesOf(const CallBase &Call) {
  if (const auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand()))
    return handlesOfAssembly(*Asm);
  StringRef Name = nvvmName(Call);
  // Others take a sampler too, or name a texture of the module.
  if (!Name.starts_with("tex.unified.") && !Name.starts_with("tld4.unified.") &&
      !Name.starts_with("txq."))
    return std::nullopt;
  SmallSet<unsigned, 2> Out;
  Out.insert(0);
  return Out;
}

/// Returns true if U is the handle by which its user reads a texture, and only
/// that.
static bool isHandle(const Use &U) {
  const auto *Call = dyn_cast<CallBase>(U.getUser());
  if (!Call || !readsTexture(*Call) || !Call->isArgOperand(&U))
    return false;
  const std::optional<SmallSet<unsigned, 2>> Handles = handlesOf(*Call);
  return Handles && Handles->contains(Call->getArgOperandNo(&U));
}

namespace {
class HandleFinder {
public:
  explicit HandleFinder(const Function &Kernel) : Kernel(Kernel) {}
  TextureHandles run();

private:
  void trace(const Value &Handle, const Instruction &By);
  void noteSource(const Value &V, const Instruction &By);
  void noteComputed(const Instruction &By) {
    if (!Out.Computed)
      Out.Computed = &By;
  }

  const Function &Kernel;
  TextureHandles Out;
  SmallPtrSet<const Value *, 16> Seen;
  /// Parameter and offset, and the first instruction that reads it.
  std::map<std::pair<unsigned, uint64_t>, const Instruction *> Sources;
};
} // namespace

/// Notes where a handle comes from, which By uses.
void HandleFinder::noteSource(const Value &V, const Instruction &By) {
  if (const auto *A = dyn_cast<Argument>(&V);
      A && A->getParent() == &Kernel && A->getType()->isIntegerTy(64)) {
    Sources.try_emplace({A->getArgNo(), 0}, &By);
    return;
  }
  const auto *Load = dyn_cast<LoadInst>(&V);
  if (!Load) {
    noteComputed(By);
    return;
  }
  const DataLayout &DL = Kernel.getParent()->getDataLayout();
  const Value *Pointer = Load->getPointerOperand();
  APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
  const auto *Base =
      dyn_cast<Argument>(Pointer->stripAndAccumulateConstantOffsets(
          DL, Offset, /*AllowNonInbounds=*/true));
  if (Base && Base->getParent() == &Kernel && Base->hasByValAttr() &&
      Load->getType()->isIntegerTy(64) && !Offset.isNegative())
    Sources.try_emplace({Base->getArgNo(), Offset.getZExtValue()}, &By);
  else if (!Out.FromMemory)
    Out.FromMemory = &By;
}

/// Finds all that Handle, which By reads a texture with, may be.
void HandleFinder::trace(const Value &Handle, const Instruction &By) {
  SmallVector<const Value *, 4> Work = {&Handle};
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    if (isa<UndefValue>(V) || !Seen.insert(V).second)
      continue;
    if (const auto *Phi = dyn_cast<PHINode>(V))
      append_range(Work, Phi->incoming_values());
    else if (const auto *Select = dyn_cast<SelectInst>(V))
      Work.append({Select->getTrueValue(), Select->getFalseValue()});
    else if (const auto *Freeze = dyn_cast<FreezeInst>(V))
      Work.push_back(Freeze->getOperand(0));
    else
      noteSource(*V, By);
  }
}

TextureHandles HandleFinder::run() {
  for (const Function *F : reachableFunctions(Kernel))
    for (const Instruction &I : instructions(F)) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || !readsTexture(*Call))
        continue;
      const std::optional<SmallSet<unsigned, 2>> Handles = handlesOf(*Call);
      if (!Handles) {
        noteComputed(I);
        continue;
      }
      for (unsigned Argument = 0; Argument != Call->arg_size(); ++Argument)
        if (Handles->contains(Argument))
          trace(*Call->getArgOperand(Argument), I);
    }
  for (const auto &[Source, By] : Sources) {
    const auto &[Param, Offset] = Source;
    PointerSummary Where;
    Where.Param = Param;
    Where.ByteOffset = Offset;
    if (!isUsedOnlyFor(Kernel, Where, isHandle))
      noteComputed(*By);
    Out.Received.push_back({Param, uint32_t(Offset)});
  }
  return std::move(Out);
}

TextureHandles findTextureHandles(const Function &Kernel) {
  return HandleFinder(Kernel).run();
}

} // namespace gridspan
