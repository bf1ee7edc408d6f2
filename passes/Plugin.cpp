//===- Plugin.cpp - Registration of the passes with clang and opt ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration only: names for opt (PassRegistry.def), and the
// places in the pipelines of clang's two compilations of a CUDA file.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/ReusePrinter.h"
#include "analysis/advice/coalescing/Coalescing.h"
#include "analysis/advice/cost/Cost.h"
#include "analysis/advice/layout/Layout.h"
#include "analysis/gridstride/GridStride.h"
#include "analysis/legality/HostVisibility.h"
#include "analysis/legality/Legality.h"
#include "analysis/legality/RecordForms.h"
#include "analysis/legality/Reductions.h"
#include "analysis/summary/Access.h"
#include "passes/advice/AdviceOptions.h"
#include "passes/advice/AdvicePass.h"
#include "passes/cpu/CpuLowerPass.h"
#include "passes/cpu/CpuWideCode.h"
#include "passes/cpu/tiles/UnrollTiles.h"
#include "passes/cpu/vector/FreezeWrappedIndices.h"
#include "passes/cpu/vector/SeparateAddresses.h"
#include "passes/device/AccessSites.h"
#include "passes/device/BuiltinVariables.h"
#include "passes/device/DevicePass.h"
#include "passes/device/FixReduxOperands.h"
#include "passes/device/GridStrideRewrite.h"
#include "passes/device/InductionWidth.h"
#include "passes/device/InlineSingleCalls.h"
#include "passes/device/KernelAttributes.h"
#include "passes/device/ManagedPointers.h"
#include "passes/device/PureVirtuals.h"
#include "passes/device/VectorCopies.h"
#include "passes/device/WidenScope.h"
#include "passes/device/clones/TiledClone.h"
#include "passes/host/HostPass.h"
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
#include "passes/PassRegistry.def"
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
#include "passes/PassRegistry.def"
  return false;
}

static void registerModuleAnalyses(ModuleAnalysisManager &MAM) {
#define GRIDSPAN_MODULE_ANALYSIS(Name, Create)                                 \
  MAM.registerPass([] { return Create; });
#include "passes/PassRegistry.def"
}

static void registerFunctionAnalyses(FunctionAnalysisManager &FAM) {
#define GRIDSPAN_FUNCTION_ANALYSIS(Name, Create)                               \
  FAM.registerPass([] { return Create; });
#include "passes/PassRegistry.def"
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
        MPM.addPass(BuiltinVariablesPass());
        MPM.addPass(HostPass());
        MPM.addPass(KernelAttributesPass());
        MPM.addPass(FixReduxOperandsPass());
        MPM.addPass(ManagedPointersPass());
        MPM.addPass(PureVirtualsPass());
      });
  PB.registerVectorizerStartEPCallback(
      [](FunctionPassManager &FPM, OptimizationLevel) {
        FPM.addPass(FreezeWrappedIndicesPass());
        FPM.addPass(SeparateAddressesPass());
        FPM.addPass(UnrollTilesPass());
      });
  // Both sides: after inlining and SROA, before vectorization and unrolling.
  PB.registerOptimizerEarlyEPCallback([&PB](ModulePassManager &MPM,
                                            OptimizationLevel Level) {
    if (Level != OptimizationLevel::O0) {
      MPM.addPass(InlineSingleCallsPass(PB.buildFunctionSimplificationPipeline(
          Level, ThinOrFullLTOPhase::None)));
      MPM.addPass(createModuleToFunctionPassAdaptor(InductionWidthPass()));
      MPM.addPass(createModuleToFunctionPassAdaptor(VectorCopiesPass()));
      MPM.addPass(AdvicePass());
    }
    MPM.addPass(DevicePass(Level == OptimizationLevel::O0));
    MPM.addPass(CpuWideCodePass());
  });
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Gridspan", GRIDSPAN_VERSION_STRING,
          registerCallbacks};
}
