//===- AnalysisManagers.h - Analyses outside a pipeline ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The analysis managers of one module that no pass manager runs over.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_NVPTX_ANALYSISMANAGERS_H
#define GRIDSPAN_ANALYSIS_NVPTX_ANALYSISMANAGERS_H

#include "llvm/Passes/PassBuilder.h"

namespace gridspan {

struct AnalysisManagers {
  /// PB must live as long.
  explicit AnalysisManagers(llvm::PassBuilder &PB) {
    PB.registerModuleAnalyses(Module);
    PB.registerCGSCCAnalyses(CGSCC);
    PB.registerFunctionAnalyses(Function);
    PB.registerLoopAnalyses(Loop);
    PB.crossRegisterProxies(Loop, Function, CGSCC, Module);
  }

  // Managers are destroyed from the module's to the loops'.
  llvm::LoopAnalysisManager Loop;
  llvm::FunctionAnalysisManager Function;
  llvm::CGSCCAnalysisManager CGSCC;
  llvm::ModuleAnalysisManager Module;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_NVPTX_ANALYSISMANAGERS_H
