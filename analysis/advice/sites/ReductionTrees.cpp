//===- ReductionTrees.cpp - Which values threads gather and join ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread gathers in a phi of a loop, whose update adds something loaded to
// it. Threads join by shuffles if a shuffle moves what was gathered or loaded
// and its result is added to something; through shared memory if what was
// gathered is stored there, or if the sum of two numbers of shared memory goes
// back to it, as in a tree that begins with an element a thread.
//
// Def-use chains are walked through registers only and a bounded number of
// steps: what is not found is not claimed.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/sites/ReductionTrees.h"
#include "analysis/nvptx/SharedMemory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gridspan {

static constexpr unsigned MaxSteps = 256;

/// Returns true if Leaf holds for a value that V is computed from in registers;
/// loads are not looked through, and nothing outside of L if it is given.
static bool dependsOn(const Value *V, const Loop *L,
                      function_ref<bool(const Instruction &)> Leaf) {
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 16> Work = {V};
  while (!Work.empty() && Seen.size() < MaxSteps) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !Seen.insert(I).second || (L && !L->contains(I)))
      continue;
    if (Leaf(*I))
      return true;
    if (!isa<LoadInst>(I))
      Work.append(I->op_begin(), I->op_end());
  }
  return false;
}

static bool isLoadOf(const Instruction &I, bool Shared) {
  const auto *Load = dyn_cast<LoadInst>(&I);
  return Load && isSharedMemory(Load->getPointerOperand()) == Shared;
}

/// Returns true if I adds its operands up, or takes the larger one, or the
/// like.
static bool isGathering(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::Add:
  case Instruction::FMul:
  case Instruction::Mul:
  case Instruction::Or:
  case Instruction::And:
  case Instruction::Xor:
    return true;
  case Instruction::Select:
    // The larger of two: the operands of a comparison are chosen from.
    if (const auto *Cmp = dyn_cast<CmpInst>(I.getOperand(0)))
      return is_contained(Cmp->operands(), I.getOperand(1)) &&
             is_contained(Cmp->operands(), I.getOperand(2));
    return false;
  default:
    break;
  }
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  if (!Call)
    return false;
  switch (Call->getIntrinsicID()) {
  case Intrinsic::maxnum:
  case Intrinsic::minnum:
  case Intrinsic::smax:
  case Intrinsic::smin:
  case Intrinsic::umax:
  case Intrinsic::umin:
  case Intrinsic::fmuladd:
  case Intrinsic::fma:
    return true;
  default:
    return false;
  }
}

bool isReduction(const PHINode &Phi, const Loop &L) {
  const BasicBlock *Latch = L.getLoopLatch();
  if (!Latch || Phi.getParent() != L.getHeader())
    return false;
  const auto *Update =
      dyn_cast<Instruction>(Phi.getIncomingValueForBlock(Latch));
  if (!Update || !L.contains(Update) || !isGathering(*Update) ||
      !is_contained(Update->operands(), &Phi))
    return false;
  return any_of(Update->operands(), [&](const Value *Operand) {
    return Operand != &Phi && dependsOn(Operand, &L, [](const Instruction &I) {
             return isLoadOf(I, /*Shared=*/false);
           });
  });
}

/// Returns true if I moves a value between lanes of a warp, other than to the
/// lanes behind: those are steps of a scan.
static bool isShuffle(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  if (!Call)
    return false;
  if (const auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand())) {
    StringRef Text = Asm->getAsmString();
    return (Text.contains("shfl.") && !Text.contains(".up.")) ||
           Text.contains("redux.");
  }
  const Function *Callee = Call->getCalledFunction();
  StringRef Name = Callee ? Callee->getName() : StringRef();
  return Name.contains("nvvm.redux.sync") ||
         (Name.contains("nvvm.shfl.sync") && !Name.contains(".up."));
}

/// Returns true if the result of a shuffle is added to something: behind no
/// more than what puts a wide value together.
static bool isGathered(const Instruction &Shuffle) {
  SmallPtrSet<const Instruction *, 16> Seen;
  SmallVector<const Instruction *, 8> Work = {&Shuffle};
  if (const auto *Call = dyn_cast<CallInst>(&Shuffle))
    if (const Function *Callee = Call->getCalledFunction())
      if (Callee->getName().contains("redux"))
        return true;
  while (!Work.empty() && Seen.size() < MaxSteps) {
    const Instruction *I = Work.pop_back_val();
    if (!Seen.insert(I).second)
      continue;
    for (const User *U : I->users()) {
      const auto *Next = cast<Instruction>(U);
      Type *Ty = Next->getType();
      bool IsWhole = Ty->isFloatingPointTy() ||
                     Next->getOpcode() == Instruction::Add ||
                     isa<SelectInst, IntrinsicInst>(Next);
      if (IsWhole && isGathering(*Next))
        return true;
      if (isa<CastInst, PHINode, InsertElementInst, ExtractElementInst,
              InsertValueInst, ExtractValueInst, SelectInst>(Next) ||
          Next->isShift() || Next->getOpcode() == Instruction::Or)
        Work.push_back(Next);
    }
  }
  return false;
}

JoinKind joinOf(const Function &Kernel, const LoopInfo &LI) {
  auto IsGlobalSource = [&](const Instruction &I) {
    return isLoadOf(I, /*Shared=*/false);
  };
  auto IsGatheredSource = [&](const Instruction &I) {
    const auto *Phi = dyn_cast<PHINode>(&I);
    const Loop *L = Phi ? LI.getLoopFor(Phi->getParent()) : nullptr;
    return L && isReduction(*Phi, *L);
  };
  bool HasGlobalLoad = any_of(instructions(Kernel), IsGlobalSource);
  JoinKind Out = JoinKind::None;
  for (const Instruction &I : instructions(Kernel)) {
    if (isShuffle(I) && isGathered(I) && dependsOn(&I, nullptr, IsGlobalSource))
      return JoinKind::Shuffles;
    const Value *Stored = nullptr, *Pointer = nullptr;
    if (const auto *Store = dyn_cast<StoreInst>(&I)) {
      Stored = Store->getValueOperand();
      Pointer = Store->getPointerOperand();
    } else if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I)) {
      Stored = RMW->getValOperand();
      Pointer = RMW->getPointerOperand();
    }
    if (!Stored || !isSharedMemory(Pointer))
      continue;
    const auto *Sum = dyn_cast<Instruction>(Stored);
    auto IsSharedLoad = [&](const Value *Operand) {
      const auto *Load = dyn_cast<Instruction>(Operand);
      return Load && isLoadOf(*Load, /*Shared=*/true);
    };
    bool IsTree = HasGlobalLoad && Sum && isGathering(*Sum) &&
                  any_of(Sum->operands(), IsSharedLoad);
    if (IsTree || dependsOn(Stored, nullptr, IsGatheredSource))
      Out = JoinKind::SharedMemory;
  }
  return Out;
}

} // namespace gridspan
