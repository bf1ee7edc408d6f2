//===- GlobalArguments.cpp - Arguments point to global memory -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts a pair of casts, into the global space and back, between each pointer
// and its uses. LLVM's inference of address spaces (InferAddressSpaces) then
// does the rest. Sound because CUDA passes no pointers to other memory to
// kernels.
//
//===----------------------------------------------------------------------===//

#include "analysis/nvptx/GlobalArguments.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace gridspan {

/// Replaces all uses of a pointer but those by the casts, which begin at At.
static void markGlobal(Value &Pointer, BasicBlock::iterator At) {
  if (Pointer.getType()->getPointerAddressSpace() != GenericSpace)
    return;
  IRBuilder<> Builder(At->getParent(), At);
  auto *In = cast<Instruction>(Builder.CreateAddrSpaceCast(
      &Pointer, PointerType::get(Pointer.getContext(), GlobalSpace)));
  Value *Out = Builder.CreateAddrSpaceCast(In, Pointer.getType());
  Pointer.replaceUsesWithIf(Out, [&](Use &U) { return U.getUser() != In; });
}

void markArgumentsGlobal(Function &Kernel) {
  for (Argument &A : Kernel.args())
    if (A.getType()->isPointerTy() && !A.hasByValAttr())
      markGlobal(A, Kernel.getEntryBlock().getFirstInsertionPt());
  SmallVector<LoadInst *, 8> Loads;
  for (Instruction &I : instructions(Kernel))
    if (auto *Load = dyn_cast<LoadInst>(&I))
      if (const auto *A = dyn_cast<Argument>(
              getUnderlyingObject(Load->getPointerOperand()));
          A && A->hasByValAttr() && Load->getType()->isPointerTy())
        Loads.push_back(Load);
  for (LoadInst *Load : Loads)
    markGlobal(*Load, std::next(Load->getIterator()));
}

} // namespace gridspan
