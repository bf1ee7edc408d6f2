//===- Plugin.cpp - Registration of the passes with clang and opt ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration only: names for opt (PassRegistry.def), and the two places in
// the pipelines of clang's two compilations of a CUDA file.
//
//===----------------------------------------------------------------------===//

#include "gridspan/Analysis/Access.h"
#include "gridspan/Analysis/Coalescing.h"
#include "gridspan/Analysis/Cost.h"
#include "gridspan/Analysis/GridStride.h"
#include "gridspan/Analysis/HostSignals.h"
#include "gridspan/Analysis/Layout.h"
#include "gridspan/Analysis/Legality.h"
#include "gridspan/Analysis/Reuse.h"
#include "gridspan/Passes/AccessSites.h"
#include "gridspan/Passes/AdviceOptions.h"
#include "gridspan/Passes/AdvicePass.h"
#include "gridspan/Passes/CpuLowerPass.h"
#include "gridspan/Passes/DevicePass.h"
#include "gridspan/Passes/GridStrideRewrite.h"
#include "gridspan/Passes/HostPass.h"
#include "gridspan/Passes/ReduxOrder.h"
#include "gridspan/Passes/TiledClone.h"
#include "gridspan/Passes/WidenScope.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"

using namespace llvm;
using namespace gridspan;

static bool parseModulePass(StringRef PassName, ModulePassManager &MPM,
                            ArrayRef<PassBuilder::PipelineElement>) {
#define GRIDSPAN_MODULE_PASS(Name, Create)                                     \
  if (PassName == Name) {                                                      \
    MPM.addPass(Create);                                                       \
    return true;                                                               \
  }
#define GRIDSPAN_MODULE_ANALYSIS(Name, Create)                                 \
  if (parseAnalysisUtilityPasses<decltype(Create), Module>(Name, PassName,     \
                                                           MPM))               \
    return true;
#include "PassRegistry.def"
  return false;
}

static bool parseFunctionPass(StringRef PassName, FunctionPassManager &FPM,
                              ArrayRef<PassBuilder::PipelineElement>) {
#define GRIDSPAN_FUNCTION_PASS(Name, Create)                                   \
  if (PassName == Name) {                                                      \
    FPM.addPass(Create);                                                       \
    return true;                                                               \
  }
#define GRIDSPAN_FUNCTION_ANALYSIS(Name, Create)                               \
  if (parseAnalysisUtilityPasses<decltype(Create), Function>(Name, PassName,   \
                                                             FPM))             \
    return true;
#include "PassRegistry.def"
  return false;
}

static void registerModuleAnalyses(ModuleAnalysisManager &MAM) {
#define GRIDSPAN_MODULE_ANALYSIS(Name, Create)                                 \
  MAM.registerPass([] { return Create; });
#include "PassRegistry.def"
}

static void registerFunctionAnalyses(FunctionAnalysisManager &FAM) {
#define GRIDSPAN_FUNCTION_ANALYSIS(Name, Create)                               \
  FAM.registerPass([] { return Create; });
#include "PassRegistry.def"
}

static void registerCallbacks(PassBuilder &PB) {
  PB.registerPipelineParsingCallback(parseModulePass);
  PB.registerPipelineParsingCallback(parseFunctionPass);
  PB.registerAnalysisRegistrationCallback(registerModuleAnalyses);
  PB.registerAnalysisRegistrationCallback(registerFunctionAnalyses);
  // Host side: the fat binary is in the module from the start, and what the
  // pass emits should be optimized like any code. Leaves device modules alone.
  PB.registerPipelineStartEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) {
        MPM.addPass(HostPass());
        MPM.addPass(ReduxOrderPass());
      });
  // Device side: after inlining and SROA, before vectorization and unrolling.
  PB.registerOptimizerEarlyEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel Level) {
        if (Level != OptimizationLevel::O0)
          MPM.addPass(AdvicePass());
        MPM.addPass(DevicePass(Level == OptimizationLevel::O0));
      });
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Gridspan", GRIDSPAN_VERSION_STRING,
          registerCallbacks};
}
