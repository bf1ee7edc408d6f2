//===- SystemScope.cpp - Operations that order one device only ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM 19's NVPTX back end ignores the syncscope of atomicrmw and cmpxchg and
// emits PTX without a scope, which means .gpu (PTX ISA, atom). Operations that
// are atomic within the block only (shared memory, .cta) need not be widened,
// since a block runs on one device.
//
//===----------------------------------------------------------------------===//

#include "analysis/nvptx/SystemScope.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "analysis/nvptx/InlineAssembly.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"

using namespace llvm;

namespace gridspan {

bool needsSystemScope(const Instruction &I) {
  if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
    return !isSharedMemory(RMW->getPointerOperand());
  if (const auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I))
    return !isSharedMemory(Swap->getPointerOperand());
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return false;
  if (const auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand()))
    return widenAssemblyScope(Asm->getAsmString()) != Asm->getAsmString();
  const Function *Callee = Call->getCalledFunction();
  if (!Callee)
    return false;
  StringRef Name = Callee->getName();
  if (Name == "llvm.nvvm.membar.gl")
    return true;
  // The names with ".cta." and ".sys." say their scope.
  return Name.starts_with("llvm.nvvm.atomic.load.") &&
         !isSharedMemory(Call->getArgOperand(0));
}

std::optional<std::string> ptxAtomic(const AtomicRMWInst &RMW) {
  Type *Ty = RMW.getType();
  unsigned Bits = Ty->getPrimitiveSizeInBits();
  std::string Width = std::to_string(Bits);
  if (Ty->isFloatingPointTy()) {
    if (RMW.getOperation() == AtomicRMWInst::FAdd && Bits == 16 &&
        Ty->isHalfTy())
      return "add.noftz.f16";
    if (RMW.getOperation() == AtomicRMWInst::FAdd && (Bits == 32 || Bits == 64))
      return "add.f" + Width;
    if (RMW.getOperation() == AtomicRMWInst::Xchg && (Bits == 32 || Bits == 64))
      return "exch.b" + Width;
    return std::nullopt;
  }
  if (Bits != 32 && Bits != 64)
    return std::nullopt;
  switch (RMW.getOperation()) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
    return "add.u" + Width;
  case AtomicRMWInst::And:
    return "and.b" + Width;
  case AtomicRMWInst::Or:
    return "or.b" + Width;
  case AtomicRMWInst::Xor:
    return "xor.b" + Width;
  case AtomicRMWInst::Xchg:
    return "exch.b" + Width;
  case AtomicRMWInst::Max:
    return "max.s" + Width;
  case AtomicRMWInst::Min:
    return "min.s" + Width;
  case AtomicRMWInst::UMax:
    return "max.u" + Width;
  case AtomicRMWInst::UMin:
    return "min.u" + Width;
  case AtomicRMWInst::UIncWrap:
    return Bits == 32 ? std::optional<std::string>("inc.u32") : std::nullopt;
  case AtomicRMWInst::UDecWrap:
    return Bits == 32 ? std::optional<std::string>("dec.u32") : std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<std::string> ptxAtomic(StringRef IntrinsicName) {
  if (IntrinsicName.starts_with("llvm.nvvm.atomic.load.inc.32"))
    return "inc.u32";
  if (IntrinsicName.starts_with("llvm.nvvm.atomic.load.dec.32"))
    return "dec.u32";
  return std::nullopt;
}

bool canWidenToSystemScope(const Instruction &I) {
  if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
    return ptxAtomic(*RMW).has_value();
  if (const auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I)) {
    unsigned Bits =
        Swap->getCompareOperand()->getType()->getPrimitiveSizeInBits();
    return Bits == 16 || Bits == 32 || Bits == 64;
  }
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return false;
  if (isa<InlineAsm>(Call->getCalledOperand()))
    return true;
  StringRef Name = Call->getCalledFunction()->getName();
  return Name == "llvm.nvvm.membar.gl" || ptxAtomic(Name);
}

} // namespace gridspan
