//===- RowWalks.cpp - Pointers that step from row to row ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses are followed through address arithmetic, casts, phis and selects. The
// step of an address is looked for in every recurrence that ScalarEvolution
// finds in it, as an extended index hides its own from the address's. A step
// that is taken for long and is not costs nothing: whether rows are packed is
// decided at the launch, from the ranges.
//
//===----------------------------------------------------------------------===//

#include "gridspan/Analysis/RowWalks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gridspan {

/// In bytes or elements. Steps below it stay within a row for long.
static constexpr int64_t ShortStep = 1024;

static bool isLoadAddress(const Use &U) {
  if (isa<LoadInst>(U.getUser()))
    return true;
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(U.getUser());
  if (!Intrinsic || U.getOperandNo() != 0)
    return false;
  StringRef Name = Intrinsic->getCalledFunction()->getName();
  return Name.starts_with("llvm.nvvm.ldg.global.") ||
         Name.starts_with("llvm.nvvm.ldu.global.");
}

/// Whether all that V, a phi or select, chooses from is in Derived.
static bool choosesFrom(const User &V,
                        const SmallSetVector<Value *, 16> &Derived) {
  const unsigned First = isa<SelectInst>(V) ? 1 : 0;
  return all_of(drop_begin(V.operands(), First), [&](const Use &U) {
    return Derived.contains(U.get()) || isa<UndefValue>(U.get());
  });
}

SmallVector<Use *, 8> onlyLoadsOf(Argument &A) {
  SmallSetVector<Value *, 16> Derived;
  SmallVector<Use *, 8> Loads;
  Derived.insert(&A);
  for (unsigned Next = 0; Next != Derived.size(); ++Next)
    for (Use &U : Derived[Next]->uses()) {
      auto *I = dyn_cast<Instruction>(U.getUser());
      if (!I)
        return {};
      const bool Moves = isa<AddrSpaceCastInst, BitCastInst, PHINode>(I) ||
                         (isa<GetElementPtrInst>(I) && U.getOperandNo() == 0) ||
                         (isa<SelectInst>(I) && U.getOperandNo() != 0);
      if (Moves && !I->getType()->isVectorTy())
        Derived.insert(I);
      else if (!Moves && isLoadAddress(U))
        Loads.push_back(&U);
      else
        return {};
    }
  for (Value *V : Derived)
    if (isa<PHINode, SelectInst>(V) && !choosesFrom(*cast<User>(V), Derived))
      return {};
  return Loads;
}

/// Whether Address may take long steps in a loop around it.
static bool stepsFar(const Use &Address, const KernelAnalyses &Analyses) {
  const auto *User = cast<Instruction>(Address.getUser());
  if (!Analyses.LI.getLoopFor(User->getParent()) ||
      !Analyses.SE.isSCEVable(Address->getType()))
    return false;
  return SCEVExprContains(
      Analyses.SE.getSCEV(Address.get()), [&](const SCEV *S) {
        const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(S);
        if (!Recurrence)
          return false;
        const auto *Step =
            dyn_cast<SCEVConstant>(Recurrence->getStepRecurrence(Analyses.SE));
        return !Step || Step->getAPInt().abs().uge(ShortStep);
      });
}

SmallVector<unsigned, 4> findRowWalks(Function &Kernel,
                                      const KernelAnalyses &Analyses) {
  SmallVector<unsigned, 4> Found;
  for (Argument &A : Kernel.args()) {
    if (!A.getType()->isPointerTy() || A.hasByValAttr() ||
        A.getType()->getPointerAddressSpace() > 1)
      continue;
    if (any_of(onlyLoadsOf(A),
               [&](const Use *U) { return stepsFar(*U, Analyses); }))
      Found.push_back(A.getArgNo());
  }
  return Found;
}

} // namespace gridspan
