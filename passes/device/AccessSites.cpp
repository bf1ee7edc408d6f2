//===- AccessSites.cpp - Numbers for memory accesses ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers follow the order of functions and instructions in the module, so that
// they are the same in every compilation of a file.
//
//===----------------------------------------------------------------------===//

#include "passes/device/AccessSites.h"
#include "analysis/nvptx/MemoryOps.h"
#include "analysis/summary/Access.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gridspan {

PreservedAnalyses numberAccessSites(Module &M) {
  LLVMContext &Context = M.getContext();
  Type *I32 = Type::getInt32Ty(Context);
  uint32_t Next = 0;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (!memoryOpsOf(I).empty())
        I.setMetadata(SiteMetadata,
                      MDNode::get(Context, ConstantAsMetadata::get(
                                               ConstantInt::get(I32, Next++))));
  // The metadata is read by summaries alone.
  PreservedAnalyses Preserved = PreservedAnalyses::all();
  Preserved.abandon<KernelSummaryAnalysis>();
  return Preserved;
}

PreservedAnalyses AccessSitesPass::run(Module &M, ModuleAnalysisManager &) {
  return numberAccessSites(M);
}

} // namespace gridspan
