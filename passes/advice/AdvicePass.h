//===- AdvicePass.h - Advice while compiling --------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Remarks (-Rpass-analysis=gridspan) for accesses that could cost less, and all
// of them as data (-mllvm -gridspan-advice=file.json or folder/). Without
// either it does nothing. Runs in device compilations, before kernels are
// cloned.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_ADVICE_ADVICEPASS_H
#define GRIDSPAN_PASSES_ADVICE_ADVICEPASS_H

#include "analysis/advice/sites/MeasuredSites.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/JSON.h"

namespace gridspan {

struct AdviceOrigin;

/// Returns the advice on all kernels of the module as data, for the launches
/// that the options describe, with what a run has recorded of them. Changes
/// nothing but the numbers of accesses.
llvm::json::Object adviceOn(llvm::Module &M, llvm::ModuleAnalysisManager &MAM,
                            const AdviceOrigin &Origin,
                            MeasuredKernels Measured = {});

class AdvicePass : public llvm::PassInfoMixin<AdvicePass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_ADVICE_ADVICEPASS_H
