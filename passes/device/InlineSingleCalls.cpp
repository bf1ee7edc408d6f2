//===- InlineSingleCalls.cpp - Inline what only a kernel calls ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of an inlined function stays, as other files may call it, and with
// it its calls. So calls by functions that are no kernels and that nothing uses
// do not count. A function on a cycle of calls is called by one that is used,
// and is never inlined: this comes to an end. `noinline` is heeded. A function
// that may be replaced at the link is left alone.
//
//===----------------------------------------------------------------------===//

#include "passes/device/InlineSingleCalls.h"
#include "analysis/nvptx/Kernels.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace gridspan;

/// Instructions of a function that is inlined at most: what simplifies a kernel
/// takes more than twice as long for twice the code.
static constexpr unsigned MaxInstructions = 20000;

/// Returns true if nothing uses Callee but Call and what is never called here.
static bool isOnlyCall(const CallBase &Call, const Function &Callee) {
  return all_of(Callee.uses(), [&](const Use &U) {
    const auto *Other = dyn_cast<CallBase>(U.getUser());
    if (!Other || !Other->isCallee(&U) ||
        Other->getFunctionType() != Callee.getFunctionType())
      return false;
    const Function &Caller = *Other->getFunction();
    return Other == &Call || (Caller.use_empty() && !isKernel(Caller));
  });
}

static bool hasDynamicAlloca(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    const auto *Alloca = dyn_cast<AllocaInst>(&I);
    return Alloca && !Alloca->isStaticAlloca();
  });
}

static bool mayInline(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && !Callee->isDeclaration() && !Callee->isInterposable() &&
         isOnlyCall(Call, *Callee) && !Call.isNoInline() &&
         !Callee->hasFnAttribute(Attribute::NoInline) &&
         !Callee->hasOptNone() && !Callee->doesNotAccessMemory() &&
         AttributeFuncs::areInlineCompatible(*Call.getFunction(), *Callee) &&
         Callee->getInstructionCount() <= MaxInstructions &&
         !hasDynamicAlloca(*Callee);
}

/// Returns true if something was inlined into the kernel.
static bool inlineInto(Function &Kernel, FunctionAnalysisManager &FAM) {
  SmallVector<CallBase *> Calls;
  const auto Add = [&](CallBase *Call) {
    if (mayInline(*Call))
      Calls.push_back(Call);
  };
  for (Instruction &I : instructions(Kernel))
    if (auto *Call = dyn_cast<CallBase>(&I))
      Add(Call);
  const auto AssumptionsOf = [&](Function &F) -> AssumptionCache & {
    return FAM.getResult<AssumptionAnalysis>(F);
  };
  SmallPtrSet<const Function *, 8> Inlined;
  bool Changed = false;
  while (!Calls.empty()) {
    CallBase *Call = Calls.pop_back_val();
    Function &Callee = *Call->getCalledFunction();
    if (!Inlined.insert(&Callee).second || !isInlineViable(Callee).isSuccess())
      continue;
    InlineFunctionInfo Info(AssumptionsOf);
    if (!InlineFunction(*Call, Info, /*MergeAttributes=*/true).isSuccess())
      continue;
    Changed = true;
    for (CallBase *Inner : Info.InlinedCallSites)
      Add(Inner);
  }
  return Changed;
}

PreservedAnalyses InlineSingleCallsPass::run(Module &M,
                                             ModuleAnalysisManager &MAM) {
  if (!Triple(M.getTargetTriple()).isNVPTX())
    return PreservedAnalyses::all();
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  bool Changed = false;
  for (Function *Kernel : kernelsOf(M)) {
    if (Kernel->hasOptNone() || !inlineInto(*Kernel, FAM))
      continue;
    Changed = true;
    FAM.invalidate(*Kernel, PreservedAnalyses::none());
    FAM.invalidate(*Kernel, Simplify.run(*Kernel, FAM));
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
