//===- WidenScope.cpp - Atomics and fences for all devices ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocks of a split launch are threads of several devices, so what orders
// or excludes threads of one device (scope .gpu) must do so for the system
// (scope .sys; PTX ISA, "Memory consistency model", scopes). The back end has
// no IR form for atomics at system scope that covers all operations and types,
// so they become inline assembly. That hides them from later passes, which
// could not have moved or merged them anyway.
//
//===----------------------------------------------------------------------===//

#include "passes/device/WidenScope.h"
#include "analysis/nvptx/InlineAssembly.h"
#include "analysis/nvptx/SystemScope.h"
#include "passes/device/clones/TiledClone.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

#define DEBUG_TYPE "gridspan-widen-scope"

using namespace llvm;

STATISTIC(NumWidened, "Atomics and fences widened to system scope");

namespace gridspan {

/// PTX register constraint for a value of Bits bits.
static StringRef constraintFor(unsigned Bits) {
  switch (Bits) {
  case 16:
    return "h";
  case 32:
    return "r";
  default:
    return "l";
  }
}

/// Emits `atom.sys.<Operation> result, [Pointer], Operands...` on the bits of
/// the operands, and returns the result in the type of the first.
static Value *emitAtomic(IRBuilder<> &B, StringRef Operation, Value *Pointer,
                         ArrayRef<Value *> Operands) {
  Type *Ty = Operands[0]->getType();
  unsigned Bits = Ty->getPrimitiveSizeInBits();
  Type *BitsTy = B.getIntNTy(Bits);
  // Generic addresses reach every space.
  Type *GenericTy = B.getPtrTy();
  if (Pointer->getType() != GenericTy)
    Pointer = B.CreateAddrSpaceCast(Pointer, GenericTy);

  std::string Text = ("atom.sys." + Operation + " $0, [$1]").str();
  std::string Constraints = ("=" + constraintFor(Bits) + ",l").str();
  SmallVector<Value *, 3> Args = {Pointer};
  SmallVector<Type *, 3> ArgTys = {GenericTy};
  for (Value *Operand : Operands) {
    Text += ", $" + std::to_string(Args.size() + 1);
    Constraints += ("," + constraintFor(Bits)).str();
    Args.push_back(B.CreateBitCast(Operand, BitsTy));
    ArgTys.push_back(BitsTy);
  }
  Text += ";";
  Constraints += ",~{memory}";
  auto *Asm = InlineAsm::get(FunctionType::get(BitsTy, ArgTys, false), Text,
                             Constraints, /*hasSideEffects=*/true);
  return B.CreateBitCast(B.CreateCall(Asm, Args), Ty);
}

static Value *widen(IRBuilder<> &B, AtomicRMWInst &RMW) {
  Value *Operand = RMW.getValOperand();
  if (RMW.getOperation() == AtomicRMWInst::Sub)
    Operand = B.CreateNeg(Operand);
  return emitAtomic(B, *ptxAtomic(RMW), RMW.getPointerOperand(), {Operand});
}

static Value *widen(IRBuilder<> &B, AtomicCmpXchgInst &Swap) {
  Value *Expected = Swap.getCompareOperand();
  Value *Desired = Swap.getNewValOperand();
  Type *Ty = Expected->getType();
  if (Ty->isPointerTy()) {
    Type *IntTy = B.getInt64Ty();
    Expected = B.CreatePtrToInt(Expected, IntTy);
    Desired = B.CreatePtrToInt(Desired, IntTy);
  }
  unsigned Bits = Expected->getType()->getPrimitiveSizeInBits();
  Value *Old = emitAtomic(B, "cas.b" + std::to_string(Bits),
                          Swap.getPointerOperand(), {Expected, Desired});
  Value *Success = B.CreateICmpEQ(Old, Expected);
  if (Ty->isPointerTy())
    Old = B.CreateIntToPtr(Old, Ty);
  Value *Pair = PoisonValue::get(Swap.getType());
  Pair = B.CreateInsertValue(Pair, Old, 0);
  return B.CreateInsertValue(Pair, Success, 1);
}

static Value *widen(IRBuilder<> &B, CallBase &Call) {
  if (auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand())) {
    auto *Wide = InlineAsm::get(
        Asm->getFunctionType(), widenAssemblyScope(Asm->getAsmString()),
        Asm->getConstraintString(), Asm->hasSideEffects(), Asm->isAlignStack(),
        Asm->getDialect(), Asm->canThrow());
    Call.setCalledOperand(Wide);
    return &Call;
  }
  StringRef Name = Call.getCalledFunction()->getName();
  if (std::optional<std::string> Operation = ptxAtomic(Name))
    return emitAtomic(B, *Operation, Call.getArgOperand(0),
                      {Call.getArgOperand(1)});
  return B.CreateIntrinsic(Intrinsic::nvvm_membar_sys, {}, {});
}

bool widenToSystemScope(Function &F) {
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (!needsSystemScope(I))
      continue;
    assert(canWidenToSystemScope(I) && "legality has not been checked");
    Changed = true;
    ++NumWidened;
    IRBuilder<> B(&I);
    Value *New = nullptr;
    if (auto *RMW = dyn_cast<AtomicRMWInst>(&I))
      New = widen(B, *RMW);
    else if (auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I))
      New = widen(B, *Swap);
    else
      New = widen(B, cast<CallBase>(I));
    if (New == &I)
      continue;
    if (!I.getType()->isVoidTy())
      I.replaceAllUsesWith(New);
    New->takeName(&I);
    I.eraseFromParent();
  }
  return Changed;
}

PreservedAnalyses WidenScopePass::run(Function &F, FunctionAnalysisManager &) {
  if (!isTiledClone(F) || !widenToSystemScope(F))
    return PreservedAnalyses::all();
  PreservedAnalyses Preserved;
  Preserved.preserveSet<CFGAnalyses>();
  return Preserved;
}

} // namespace gridspan
