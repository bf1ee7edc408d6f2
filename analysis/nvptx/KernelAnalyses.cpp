//===- KernelAnalyses.cpp - LLVM's analyses of a kernel -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks the function analysis manager for the analyses of a kernel. The manager
// computes each analysis at most once.
//
//===----------------------------------------------------------------------===//

#include "analysis/nvptx/KernelAnalyses.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace gridspan {

KernelAnalyses KernelAnalyses::get(Function &Kernel,
                                   FunctionAnalysisManager &FAM) {
  return {FAM.getResult<DominatorTreeAnalysis>(Kernel),
          FAM.getResult<PostDominatorTreeAnalysis>(Kernel),
          FAM.getResult<LoopAnalysis>(Kernel),
          FAM.getResult<ScalarEvolutionAnalysis>(Kernel)};
}

} // namespace gridspan
