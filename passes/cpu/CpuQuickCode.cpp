//===- CpuQuickCode.cpp - Code that is compiled quickly -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FastISel takes a block from its end, one instruction after the other. At one
// that it does not know it leaves all that is above to the selection by graphs,
// whose time is quadratic in their size. So casts between address spaces, which
// it does not know, are written as conversions, and blocks are short.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuQuickCode.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace gridspan;

/// Bounds the graphs of what FastISel does not know, such as halves.
static constexpr unsigned MaxBlockSize = 64;

static void convertAddressSpaceCasts(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Cast = dyn_cast<AddrSpaceCastInst>(&I);
    if (!Cast || !Cast->getType()->isPointerTy())
      continue;
    IRBuilder<> B(Cast);
    Value *Address =
        B.CreatePtrToInt(Cast->getPointerOperand(), B.getInt64Ty());
    Value *New = B.CreateIntToPtr(Address, Cast->getType());
    New->takeName(Cast);
    Cast->replaceAllUsesWith(New);
    Cast->eraseFromParent();
  }
}

/// Cuts BB behind its first instructions. Returns what comes behind, or null if
/// it is short. Stack slots stay where they are, so that the frame has them.
static BasicBlock *cut(BasicBlock &BB) {
  unsigned Size = 0;
  for (Instruction &I : BB) {
    if (isa<PHINode, AllocaInst>(I)) {
      Size = 0;
      continue;
    }
    if (++Size > MaxBlockSize && !I.isTerminator() && !I.isDebugOrPseudoInst())
      return SplitBlock(&BB, &I);
  }
  return nullptr;
}

void gridspan::leaveUnoptimized(Function &F) {
  F.removeFnAttr(Attribute::AlwaysInline);
  F.removeFnAttr(Attribute::InlineHint);
  F.addFnAttr(Attribute::NoInline);
  F.addFnAttr(Attribute::OptimizeNone);
}

void gridspan::makeQuickToCompile(Function &F) {
  convertAddressSpaceCasts(F);
  SmallVector<BasicBlock *> Blocks(make_pointer_range(F));
  for (BasicBlock *BB : Blocks)
    while (BB)
      BB = cut(*BB);
}
