//===- CpuInstructions.cpp - Instructions that differ on the host ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most LLVM instructions mean the same everywhere. These do not: conversions to
// integers saturate on devices and are undefined on the host; integer division
// never traps on devices; scopes of atomics are the device's own.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuDivision.h"
#include "passes/cpu/CpuMath.h"
#include "passes/cpu/CpuRules.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace gridspan;

static void replace(Instruction &I, Value *V) {
  V->takeName(&I);
  I.replaceAllUsesWith(V);
  I.eraseFromParent();
}

static void widenScope(Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isAtomic())
    Load->setSyncScopeID(SyncScope::System);
  if (auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isAtomic())
    Store->setSyncScopeID(SyncScope::System);
  if (auto *Update = dyn_cast<AtomicRMWInst>(&I))
    Update->setSyncScopeID(SyncScope::System);
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    Exchange->setSyncScopeID(SyncScope::System);
  if (auto *Fence = dyn_cast<FenceInst>(&I))
    Fence->setSyncScopeID(SyncScope::System);
}

bool gridspan::lowerInstruction(Instruction &I, CpuContext &C) {
  switch (I.getOpcode()) {
  case Instruction::FPToSI:
  case Instruction::FPToUI:
    replace(I, emitToInteger(I.getOperand(0), Rounding::Zero,
                             I.getOpcode() == Instruction::FPToSI, I.getType(),
                             C));
    return true;
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem:
    if (!I.getType()->isIntegerTy())
      return false;
    replace(I, emitDivision(cast<BinaryOperator>(I).getOpcode(),
                            I.getOperand(0), I.getOperand(1), C));
    return true;
  default:
    widenScope(I);
    return false;
  }
}
