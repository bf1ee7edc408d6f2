//===- InlineAssembly.cpp - Effects of PTX inline assembly ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The effects are those of the opcodes (PtxOpcodes.def) and of the special
// registers that the text names. Modifiers say more: an access of shared memory
// stays within the block, ".cluster" reaches beyond it. Whatever is not known
// makes the text unknown, so that an instruction of later versions of PTX is
// refused, not misread.
//
// A text at system scope has the same statements with other opcodes, put in
// place.
//
// Source: PTX ISA 9.0, "Instruction Set", "Special Registers", "Memory
// Consistency Model".
//
//===----------------------------------------------------------------------===//

#include "analysis/nvptx/InlineAssembly.h"
#include "analysis/ptx/PtxOpcodes.h"
#include "analysis/ptx/PtxSyntax.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace gridspan {

/// Special registers that mean the same on every device.
static const StringSet<> &safeRegisters() {
  static const StringSet<> Set = {"%tid",
                                  "%ntid",
                                  "%laneid",
                                  "%warpid",
                                  "%lanemask_eq",
                                  "%lanemask_le",
                                  "%lanemask_lt",
                                  "%lanemask_ge",
                                  "%lanemask_gt",
                                  "%clock",
                                  "%clock_hi",
                                  "%clock64",
                                  "%globaltimer",
                                  "%globaltimer_lo",
                                  "%globaltimer_hi",
                                  "%total_smem_size",
                                  "%dynamic_smem_size",
                                  "%aggr_smem_size",
                                  "%pm0",
                                  "%pm1",
                                  "%pm2",
                                  "%pm3"};
  return Set;
}

/// Records the meaning of the special registers that Text names.
static void readSpecialRegisters(StringRef Text, AssemblyEffects &Out) {
  for (size_t At = Text.find('%'); At != StringRef::npos;
       At = Text.find('%', At + 1)) {
    StringRef Name = Text.drop_front(At).take_while(
        [](char C) { return C == '%' || C == '_' || isAlnum(C); });
    if (Name.starts_with("%envreg")) {
      // %envreg1 and 2 hold the address of the grid group's workspace.
      Out.GridBarrier = true;
      continue;
    }
    if (Name.contains("cluster")) {
      Out.BlockCluster = true;
      continue;
    }
    if (Name == "%smid" || Name == "%nsmid" || Name == "%gridid" ||
        Name == "%nwarpid") {
      Out.MultiprocessorIdentity = true;
      continue;
    }
    // Names that the text declares itself; %ctaid and %nctaid would have to be
    // renumbered inside the text.
    bool IsDeclared =
        Text.contains(".reg") && Name != "%ctaid" && Name != "%nctaid";
    if (!safeRegisters().contains(Name) && !IsDeclared)
      Out.Known = false;
  }
}

/// Returns true if S, which belongs to asynchronous copies, may be one: others
/// end a group of them, or wait for one.
static bool isCopy(const PtxStatement &S) {
  return !S.AreOperandsKnown || S.Operands.size() > 1;
}

/// Adds what an instruction does to memory that only the block, or the thread,
/// may have.
static void addOwnAccess(const PtxStatement &S, PtxEffect Effect,
                         AssemblyEffects &Out) {
  if (S.has("global") && !S.Mnemonic.contains(".shared"))
    return;
  const bool IsAtomic =
      Effect == PtxEffect::Atomic || Effect == PtxEffect::Reduction;
  Out.OwnLoads |=
      IsAtomic || S.Opcode == "ldmatrix" ||
      (S.Opcode == "wmma" && S.has("load")) ||
      (Effect == PtxEffect::Load && !isConstantBankAccess(S.Mnemonic));
  Out.OwnStores |= IsAtomic || Effect == PtxEffect::Store ||
                   (Effect == PtxEffect::AsyncCopy && isCopy(S)) ||
                   S.Opcode == "stmatrix" ||
                   (S.Opcode == "wmma" && S.has("store"));
}

/// Adds the effects of one instruction.
static void addInstruction(const PtxStatement &S, AssemblyEffects &Out) {
  StringRef Mnemonic = S.Mnemonic;
  PtxEffect Effect = ptxEffectOf(S.Opcode);
  bool IsAsyncCopy =
      Effect == PtxEffect::AsyncCopy && Mnemonic.starts_with("cp.async");
  if (IsAsyncCopy && S.has("bulk")) {
    Out.Known = false;
    return;
  }
  Out.Fences |= Effect == PtxEffect::Fence;
  Out.WideFences |= Effect == PtxEffect::Fence && !S.has("cta");
  Out.Pauses |= S.Opcode == "nanosleep";
  if (Mnemonic.contains("cluster")) {
    Out.BlockCluster = true;
    return;
  }
  addOwnAccess(S, Effect, Out);
  bool IsShared = Mnemonic.contains(".shared");
  bool IsLocal = Mnemonic.contains(".local");
  switch (Effect) {
  case PtxEffect::Register:
  case PtxEffect::Lane:
  case PtxEffect::Jump:
  case PtxEffect::Barrier:
  case PtxEffect::Fence:
    break;
  case PtxEffect::Load:
    if (IsShared || IsLocal || isConstantBankAccess(Mnemonic))
      break;
    Out.Loads = true;
    Out.OrderedLoads |= S.has("volatile") || S.has("relaxed") ||
                        S.has("acquire") || S.has("mmio") || S.has("cv") ||
                        S.has("cg");
    break;
  case PtxEffect::Store:
    Out.Stores |= !IsShared && !IsLocal;
    break;
  case PtxEffect::Atomic:
  case PtxEffect::Reduction:
    Out.Atomics |= !IsShared;
    break;
  case PtxEffect::AsyncCopy:
    Out.Loads |= IsAsyncCopy && isCopy(S);
    Out.Known &= IsAsyncCopy;
    break;
  case PtxEffect::Texture:
    Out.TextureOrSurface = true;
    break;
  case PtxEffect::Cluster:
    Out.BlockCluster = true;
    break;
  case PtxEffect::Leave:
  case PtxEffect::Unknown:
    Out.Known = false;
    break;
  }
}

AssemblyEffects assemblyEffects(StringRef Text) {
  AssemblyEffects Out;
  readSpecialRegisters(Text, Out);
  PtxReader Reader(Text);
  StringSet<> Labels;
  bool JumpsBack = false;
  while (std::optional<PtxStatement> S = Reader.next()) {
    if (S->K == PtxStatement::Kind::Label)
      Labels.insert(S->Mnemonic);
    JumpsBack |= S->isInstruction() && any_of(S->Operands, [&](const auto &O) {
                   return Labels.contains(O.Name);
                 });
    if (S->isInstruction())
      addInstruction(*S, Out);
    else if (S->K == PtxStatement::Kind::Unknown)
      Out.Known = false;
  }
  Out.Waits = JumpsBack && (Out.Loads || Out.Atomics);
  return Out;
}

/// Returns the mnemonic of S at system scope.
static std::string widenMnemonic(const PtxStatement &S) {
  const PtxEffect Effect = ptxEffectOf(S.Opcode);
  const bool IsAtomic =
      Effect == PtxEffect::Atomic || Effect == PtxEffect::Reduction;
  const bool IsScoped = IsAtomic || Effect == PtxEffect::Fence ||
                        Effect == PtxEffect::Load || Effect == PtxEffect::Store;
  if (!IsScoped || S.Mnemonic.contains(".shared"))
    return S.Mnemonic.str();
  SmallVector<StringRef, 8> Parts;
  S.Mnemonic.split(Parts, '.');
  for (StringRef &Part : Parts)
    // membar's name of the scope .gpu is .gl.
    if (Part == "gpu" || (S.Opcode == "membar" && Part == "gl")) {
      Part = "sys";
      return join(Parts, ".");
    }
  bool HasScope = is_contained(Parts, "cta") || is_contained(Parts, "sys") ||
                  is_contained(Parts, "cluster");
  if (HasScope || !IsAtomic)
    return S.Mnemonic.str();
  // The scope follows the optional semantics.
  auto IsSemantics = [](StringRef Part) {
    return Part == "relaxed" || Part == "acquire" || Part == "release" ||
           Part == "acq_rel";
  };
  unsigned At = Parts.size() > 1 && IsSemantics(Parts[1]) ? 2 : 1;
  Parts.insert(Parts.begin() + At, "sys");
  return join(Parts, ".");
}

std::string widenAssemblyScope(StringRef Text) {
  std::string Out;
  size_t Done = 0;
  PtxReader Reader(Text);
  while (std::optional<PtxStatement> S = Reader.next()) {
    if (!S->isInstruction())
      continue;
    const size_t At = S->Mnemonic.data() - Text.data();
    Out += Text.slice(Done, At);
    Out += widenMnemonic(*S);
    Done = At + S->Mnemonic.size();
  }
  Out += Text.drop_front(Done);
  return Out;
}

} // namespace gridspan
