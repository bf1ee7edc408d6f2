//===- ParameterCopies.cpp - By-value parameters of threads ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever asks whether threads agree on a value must see the copies: what is
// loaded from one is a thread's own. So they are made before anything is
// decided.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/regions/ParameterCopies.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;
using namespace gridspan;

/// Returns true if nothing is done with the parameter but loads and copies from
/// it, by whatever address.
static bool isOnlyRead(const Argument &A) {
  SmallVector<const Value *, 8> Work = {&A};
  SmallPtrSet<const Value *, 8> Seen = {&A};
  while (!Work.empty())
    for (const Use &U : Work.pop_back_val()->uses()) {
      const User *By = U.getUser();
      if (isa<GetElementPtrInst, BitCastInst, AddrSpaceCastInst, SelectInst,
              PHINode>(By)) {
        if (Seen.insert(By).second)
          Work.push_back(By);
        continue;
      }
      if (const auto *Load = dyn_cast<LoadInst>(By);
          Load && !Load->isVolatile())
        continue;
      if (const auto *Copy = dyn_cast<MemTransferInst>(By);
          Copy && !Copy->isVolatile() && U.getOperandNo() == 1)
        continue;
      return false;
    }
  return true;
}

static void copyParameter(Argument &A) {
  Function &F = *A.getParent();
  const DataLayout &DL = F.getParent()->getDataLayout();
  Type *Ty = A.getParamByValType();
  BasicBlock &Entry = F.getEntryBlock();
  IRBuilder<> B(&Entry, Entry.begin());
  AllocaInst *Copy = B.CreateAlloca(Ty);
  Copy->setAlignment(
      std::max(A.getParamAlign().valueOrOne(), DL.getABITypeAlign(Ty)));
  Value *Pointer = B.CreatePointerBitCastOrAddrSpaceCast(Copy, A.getType());
  A.replaceAllUsesWith(Pointer);
  if (auto *Cast = dyn_cast<Instruction>(Pointer); Cast && Cast != Copy)
    B.SetInsertPoint(Cast->getNextNode());
  B.CreateMemCpy(Copy, Copy->getAlign(), &A, A.getParamAlign().valueOrOne(),
                 DL.getTypeAllocSize(Ty));
}

void gridspan::copyChangedParameters(Function &F) {
  for (Argument &A : F.args())
    if (A.hasByValAttr() && !isOnlyRead(A))
      copyParameter(A);
}

void gridspan::shareParameters(Function &F) {
  for (Argument &A : F.args()) {
    if (!A.hasByValAttr())
      continue;
    if (!isOnlyRead(A))
      report_fatal_error("threads would change a parameter for each other");
    F.removeParamAttr(A.getArgNo(), Attribute::ByVal);
    // What the optimizer has found of the caller's memory was of a copy.
    for (Attribute::AttrKind Kind : {Attribute::ReadNone, Attribute::WriteOnly})
      F.removeParamAttr(A.getArgNo(), Kind);
    A.addAttr(Attribute::NoAlias);
    A.addAttr(Attribute::ReadOnly);
  }
}
