//===- VectorCopies.cpp - Copies of one vector as load and store ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// It is sound for memmove as well, since all is loaded before it is stored.
//
//===----------------------------------------------------------------------===//

#include "passes/device/VectorCopies.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

#define DEBUG_TYPE "gridspan-vector-copies"

using namespace llvm;

STATISTIC(NumCopies, "Copies made a load and a store");

namespace gridspan {

/// Returns true for a copy of 16 bytes whose words are aligned.
static bool isVectorCopy(const Instruction &I) {
  const auto *Copy = dyn_cast<MemTransferInst>(&I);
  if (!Copy || Copy->isVolatile())
    return false;
  const auto *Length = dyn_cast<ConstantInt>(Copy->getLength());
  return Length && Length->equalsInt(16) &&
         std::min(Copy->getSourceAlign().valueOrOne(),
                  Copy->getDestAlign().valueOrOne()) >= Align(4);
}

static void replace(MemTransferInst &Copy) {
  IRBuilder<> B(&Copy);
  const Align From = Copy.getSourceAlign().valueOrOne();
  const Align To = Copy.getDestAlign().valueOrOne();
  // As wide elements as both sides are aligned for.
  Type *Vector = std::min(From, To) >= Align(8)
                     ? FixedVectorType::get(B.getInt64Ty(), 2)
                     : FixedVectorType::get(B.getInt32Ty(), 4);
  LoadInst *Value = B.CreateAlignedLoad(Vector, Copy.getRawSource(), From);
  StoreInst *Stored = B.CreateAlignedStore(Value, Copy.getRawDest(), To);
  const AAMDNodes Aliases = Copy.getAAMetadata();
  for (Instruction *I : {cast<Instruction>(Value), cast<Instruction>(Stored)}) {
    I->setMetadata(LLVMContext::MD_alias_scope, Aliases.Scope);
    I->setMetadata(LLVMContext::MD_noalias, Aliases.NoAlias);
  }
  Copy.eraseFromParent();
  ++NumCopies;
}

PreservedAnalyses VectorCopiesPass::run(Function &F,
                                        FunctionAnalysisManager &) {
  if (!Triple(F.getParent()->getTargetTriple()).isNVPTX())
    return PreservedAnalyses::all();
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (isVectorCopy(I)) {
      replace(cast<MemTransferInst>(I));
      Changed = true;
    }
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Preserved;
  Preserved.preserveSet<CFGAnalyses>();
  return Preserved;
}

} // namespace gridspan
