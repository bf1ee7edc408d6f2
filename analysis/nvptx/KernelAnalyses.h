//===- KernelAnalyses.h - LLVM's analyses of a kernel -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The analyses of LLVM that the facts about a kernel are computed from, as one
// argument. References into the analysis manager: valid until it invalidates
// them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_NVPTX_KERNELANALYSES_H
#define GRIDSPAN_ANALYSIS_NVPTX_KERNELANALYSES_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class DominatorTree;
class Function;
class LoopInfo;
class PostDominatorTree;
class ScalarEvolution;
} // namespace llvm

namespace gridspan {

/// Refers to what LLVM knows of one kernel.
struct KernelAnalyses {
  const llvm::DominatorTree &DT;
  const llvm::PostDominatorTree &PDT;
  const llvm::LoopInfo &LI;
  llvm::ScalarEvolution &SE;

  static KernelAnalyses get(llvm::Function &Kernel,
                            llvm::FunctionAnalysisManager &FAM);
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_NVPTX_KERNELANALYSES_H
