//===- FixReduxOperands.cpp - Operands of warp reductions -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function is the header's if its name says so and its intrinsic gets its two
// parameters in their order; a header that passes them the other way round is
// left alone. At -O0 the parameters arrive through memory of the stack.
//
//===----------------------------------------------------------------------===//

#include "passes/device/FixReduxOperands.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace gridspan;

static bool isHeaderFunction(const Function &F) {
  StringRef Name = F.getName();
  return Name.starts_with("_Z") && Name.contains("__reduce_") &&
         Name.contains("_sync") && F.arg_size() == 2;
}

/// Returns the parameter that V is, also if it was stored to the stack
/// first.
static const Argument *parameterOf(const Value *V) {
  if (auto *Load = dyn_cast<LoadInst>(V))
    if (auto *Variable = dyn_cast<AllocaInst>(Load->getPointerOperand()))
      for (const User *U : Variable->users())
        if (auto *Store = dyn_cast<StoreInst>(U))
          return dyn_cast<Argument>(Store->getValueOperand());
  return dyn_cast<Argument>(V);
}

static bool swapOperands(Function &F) {
  bool Changed = false;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallInst>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !Callee->getName().starts_with("llvm.nvvm.redux.sync."))
      continue;
    Value *First = Call->getArgOperand(0), *Second = Call->getArgOperand(1);
    if (parameterOf(First) != F.getArg(0) || parameterOf(Second) != F.getArg(1))
      continue;
    Call->setArgOperand(0, Second);
    Call->setArgOperand(1, First);
    Changed = true;
  }
  return Changed;
}

PreservedAnalyses FixReduxOperandsPass::run(Module &M,
                                            ModuleAnalysisManager &) {
  if (!Triple(M.getTargetTriple()).isNVPTX())
    return PreservedAnalyses::all();
  bool Changed = false;
  for (Function &F : M)
    if (isHeaderFunction(F))
      Changed |= swapOperands(F);
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Preserved;
  Preserved.preserveSet<CFGAnalyses>();
  return Preserved;
}
