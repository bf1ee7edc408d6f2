//===- MemoryOps.cpp - Accesses of an instruction to memory ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that are known are listed. Of all other calls LLVM's memory
// attributes say whether they may read or write; their extent is unknown.
//
//===----------------------------------------------------------------------===//

#include "analysis/nvptx/MemoryOps.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "analysis/nvptx/AssemblyLoad.h"
#include "analysis/nvptx/InlineAssembly.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gridspan {

static void add(SmallVectorImpl<MemoryOp> &Ops, const Value *Pointer,
                uint32_t Mode, uint32_t Size, StringRef Why = "") {
  if (!Pointer || mayBeGlobal(Pointer))
    Ops.push_back({Pointer, Mode, Size, nullptr, Why.str()});
}

static void addBlock(SmallVectorImpl<MemoryOp> &Ops, const Value *Pointer,
                     uint32_t Mode, const Value *Length) {
  if (!mayBeGlobal(Pointer))
    return;
  const auto *Constant = dyn_cast<ConstantInt>(Length);
  if (Constant && Constant->isZero())
    return;
  if (Constant && Constant->getValue().ult(UINT32_MAX))
    Ops.push_back({Pointer, Mode, uint32_t(Constant->getZExtValue())});
  else
    Ops.push_back({Pointer, Mode, 0, Length});
}

static uint32_t storeSize(const Instruction &I, Type *Ty) {
  TypeSize Size = I.getModule()->getDataLayout().getTypeStoreSize(Ty);
  return Size.isScalable() ? 0 : Size.getFixedValue();
}

/// Adds reads and writes by a call's memory attributes, at Pointer.
static void addByAttributes(SmallVectorImpl<MemoryOp> &Ops,
                            const CallBase &Call, const Value *Pointer,
                            ModRefInfo Effect, StringRef Why) {
  if (isRefSet(Effect))
    add(Ops, Pointer, GridspanRead, 0, Why);
  if (isModSet(Effect))
    add(Ops, Pointer, GridspanWrite, 0, Why);
}

/// Adds the accesses of a call about which nothing but attributes is known.
static void addOpaqueCall(SmallVectorImpl<MemoryOp> &Ops, const CallBase &Call,
                          StringRef Why) {
  MemoryEffects Effects = Call.getMemoryEffects();
  if (isModOrRefSet(Effects.getModRef(IRMemLocation::Other))) {
    addByAttributes(Ops, Call, nullptr, Effects.getModRef(IRMemLocation::Other),
                    Why);
    return;
  }
  for (unsigned Arg = 0; Arg != Call.arg_size(); ++Arg) {
    const Value *Pointer = Call.getArgOperand(Arg);
    if (!Pointer->getType()->isPointerTy() || Call.doesNotAccessMemory(Arg))
      continue;
    ModRefInfo Effect = Effects.getModRef(IRMemLocation::ArgMem);
    if (Call.onlyReadsMemory(Arg))
      Effect &= ModRefInfo::Ref;
    else if (Call.onlyWritesMemory(Arg))
      Effect &= ModRefInfo::Mod;
    addByAttributes(Ops, Call, Pointer, Effect, Why);
  }
}

/// Adds the accesses of assembly. It has none without an operand that could be
/// an address. A texture may lead to any memory, which LLVM is not told.
static void addAssembly(SmallVectorImpl<MemoryOp> &Ops, const CallBase &Call) {
  if (assemblyEffects(cast<InlineAsm>(Call.getCalledOperand())->getAsmString())
          .TextureOrSurface)
    add(Ops, nullptr, GridspanRead, 0, "texture");
  auto MayBeAddress = [](const Use &Arg) {
    return Arg->getType()->isPointerTy() || Arg->getType()->isIntegerTy(64);
  };
  if (Call.doesNotAccessMemory() || none_of(Call.args(), MayBeAddress))
    return;
  if (std::optional<AssemblyLoad> Load = assemblyLoadOf(Call))
    return add(Ops, Load->Pointer, GridspanRead, Load->Size);
  add(Ops, nullptr, GridspanRead, 0, "inline assembly");
  add(Ops, nullptr, GridspanWrite, 0, "inline assembly");
}

/// True for intrinsics that synchronize or print: they access no memory of the
/// program.
static bool isWithoutAccess(const IntrinsicInst &I) {
  switch (I.getIntrinsicID()) {
  case Intrinsic::assume:
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::invariant_start:
  case Intrinsic::invariant_end:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::sideeffect:
  case Intrinsic::trap:
  case Intrinsic::debugtrap:
  case Intrinsic::prefetch:
  case Intrinsic::nvvm_barrier0:
  case Intrinsic::nvvm_barrier0_popc:
  case Intrinsic::nvvm_barrier0_and:
  case Intrinsic::nvvm_barrier0_or:
  case Intrinsic::nvvm_bar_warp_sync:
  case Intrinsic::nvvm_membar_cta:
  case Intrinsic::nvvm_membar_gl:
  case Intrinsic::nvvm_membar_sys:
    return true;
  default:
    break;
  }
  // Barriers, fences, votes, shuffles and special registers: whatever LLVM says
  // of their effects (for ordering), they have no pointer to go through.
  // Textures and surfaces have a handle instead.
  StringRef Name = I.getCalledFunction()->getName();
  return Name.starts_with("llvm.nvvm.") &&
         none_of(I.args(),
                 [](const Use &Arg) { return Arg->getType()->isPointerTy(); });
}

/// Adds the access of an intrinsic by the handle of a texture or a surface, and
/// returns true if it is one.
static bool addByHandle(SmallVectorImpl<MemoryOp> &Ops,
                        const IntrinsicInst &I) {
  StringRef Name = I.getCalledFunction()->getName();
  if (!Name.consume_front("llvm.nvvm."))
    return false;
  if (Name.starts_with("tex.") || Name.starts_with("tld4.")) {
    add(Ops, nullptr, GridspanRead, 0, "texture");
    return true;
  }
  if (Name.starts_with("suld.") || Name.starts_with("sust.")) {
    add(Ops, nullptr, Name.starts_with("suld.") ? GridspanRead : GridspanWrite,
        0, "surface");
    return true;
  }
  return false;
}

static void addIntrinsic(SmallVectorImpl<MemoryOp> &Ops,
                         const IntrinsicInst &I) {
  if (addByHandle(Ops, I))
    return;
  if (isa<DbgInfoIntrinsic>(I) || I.doesNotAccessMemory() || isWithoutAccess(I))
    return;
  if (const auto *Transfer = dyn_cast<AnyMemTransferInst>(&I)) {
    addBlock(Ops, Transfer->getRawSource(), GridspanRead,
             Transfer->getLength());
    addBlock(Ops, Transfer->getRawDest(), GridspanWrite, Transfer->getLength());
    return;
  }
  if (const auto *Set = dyn_cast<AnyMemSetInst>(&I)) {
    addBlock(Ops, Set->getRawDest(), GridspanWrite, Set->getLength());
    return;
  }
  StringRef Name = I.getCalledFunction()->getName();
  if (Name.starts_with("llvm.nvvm.ldg.global.") ||
      Name.starts_with("llvm.nvvm.ldu.global.")) {
    add(Ops, I.getArgOperand(0), GridspanRead, storeSize(I, I.getType()));
    return;
  }
  if (Name.starts_with("llvm.nvvm.atomic.")) {
    add(Ops, I.getArgOperand(0), GridspanAtomic, storeSize(I, I.getType()));
    return;
  }
  uint32_t Bytes = 0;
  if (Name.starts_with("llvm.nvvm.cp.async.") &&
      Name.contains(".shared.global.") &&
      !Name.rsplit('.').second.getAsInteger(10, Bytes)) {
    add(Ops, I.getArgOperand(1), GridspanRead, Bytes);
    return;
  }
  std::string Why = "intrinsic " + Name.str();
  bool Any = false;
  for (unsigned Arg = 0; Arg != I.arg_size(); ++Arg) {
    if (!I.getArgOperand(Arg)->getType()->isPointerTy())
      continue;
    Any = true;
    if (!I.onlyWritesMemory() && !I.onlyWritesMemory(Arg))
      add(Ops, I.getArgOperand(Arg), GridspanRead, 0, Why);
    if (!I.onlyReadsMemory() && !I.onlyReadsMemory(Arg))
      add(Ops, I.getArgOperand(Arg), GridspanWrite, 0, Why);
  }
  if (!Any)
    addOpaqueCall(Ops, I, Why);
}

static void addCall(SmallVectorImpl<MemoryOp> &Ops, const CallBase &Call) {
  if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&Call))
    return addIntrinsic(Ops, *Intrinsic);
  if (Call.isInlineAsm())
    return addAssembly(Ops, Call);
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return addOpaqueCall(Ops, Call, "indirect call");
  // One formats its arguments from the thread's own memory, the other ends the
  // program with texts of its own.
  if (Callee->getName() == "vprintf" || Callee->getName() == "__assertfail")
    return;
  addOpaqueCall(Ops, Call,
                "call of " + Callee->getName().str() + ", not inlined");
}

SmallVector<MemoryOp, 2> memoryOpsOf(const Instruction &I) {
  SmallVector<MemoryOp, 2> Ops;
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    add(Ops, Load->getPointerOperand(), GridspanRead,
        storeSize(I, Load->getType()));
  else if (const auto *Store = dyn_cast<StoreInst>(&I))
    add(Ops, Store->getPointerOperand(), GridspanWrite,
        storeSize(I, Store->getValueOperand()->getType()));
  else if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
    add(Ops, RMW->getPointerOperand(), GridspanAtomic,
        storeSize(I, RMW->getType()));
  else if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    add(Ops, Exchange->getPointerOperand(), GridspanAtomic,
        storeSize(I, Exchange->getCompareOperand()->getType()));
  else if (const auto *Call = dyn_cast<CallBase>(&I))
    addCall(Ops, *Call);
  return Ops;
}

std::optional<uint32_t> siteOf(const Instruction &I) {
  const MDNode *Node = I.getMetadata(SiteMetadata);
  if (!Node || Node->getNumOperands() != 1)
    return std::nullopt;
  const auto *Number =
      mdconst::dyn_extract_or_null<ConstantInt>(Node->getOperand(0));
  if (!Number)
    return std::nullopt;
  return Number->getZExtValue();
}

} // namespace gridspan
