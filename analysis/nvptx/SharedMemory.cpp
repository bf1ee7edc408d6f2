//===- SharedMemory.cpp - Shared memory in NVPTX IR -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel uses the variables that its own instructions name, directly or
// within constant expressions. Calls are inlined before this is asked.
//
//===----------------------------------------------------------------------===//

#include "analysis/nvptx/SharedMemory.h"
#include "analysis/machine/WarpRequest.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gridspan {

/// True if a constant expression or an instruction of F uses V.
static bool isUsedIn(const Value &V, const Function &F) {
  return any_of(V.users(), [&](const User *U) {
    if (const auto *I = dyn_cast<Instruction>(U))
      return I->getFunction() == &F;
    return isa<Constant>(U) && isUsedIn(*U, F);
  });
}

SmallVector<const GlobalVariable *, 4>
sharedVariablesOf(const Function &Kernel) {
  SmallVector<const GlobalVariable *, 4> Out;
  for (const GlobalVariable &Variable : Kernel.getParent()->globals())
    if (Variable.getAddressSpace() == SharedSpace && isUsedIn(Variable, Kernel))
      Out.push_back(&Variable);
  return Out;
}

bool isDynamicShared(const GlobalVariable &Variable) {
  const DataLayout &DL = Variable.getDataLayout();
  return Variable.getAddressSpace() == SharedSpace &&
         Variable.isDeclaration() &&
         DL.getTypeAllocSize(Variable.getValueType()) == 0;
}

void alignSharedVariables(Module &M) {
  for (GlobalVariable &Variable : M.globals())
    if (Variable.getAddressSpace() == SharedSpace &&
        Variable.getAlign().valueOrOne() < Align(MaxLaneBytes))
      Variable.setAlignment(Align(MaxLaneBytes));
}

} // namespace gridspan
