//===- AdvicePass.cpp - Advice while compiling ----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Analyzes the module as written for the launch, then the vectorized copy and
// the back end's code for what differs there. The code of the module stays as
// it is; accesses that a run is to record get metadata, which the device pass
// makes clones by.
//
//===----------------------------------------------------------------------===//

#include "passes/advice/AdvicePass.h"
#include "analysis/advice/AdviceFile.h"
#include "analysis/advice/coalescing/Coalescing.h"
#include "analysis/advice/coalescing/SiteMatching.h"
#include "analysis/advice/coalescing/VectorizedCopy.h"
#include "analysis/advice/cost/Cost.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/nvptx/MemoryOps.h"
#include "analysis/nvptx/SourceLocation.h"
#include "analysis/summary/Access.h"
#include "passes/advice/AdviceCode.h"
#include "passes/advice/AdviceOptions.h"
#include "passes/advice/AdviceStore.h"
#include "passes/common/ModuleBuild.h"
#include "passes/common/Warning.h"
#include "passes/device/AccessSites.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

#define DEBUG_TYPE "gridspan"

namespace gridspan {

static cl::opt<std::string>
    AdviceOption("gridspan-advice", cl::value_desc("file.json or folder/"),
                 cl::desc("Write what is known of memory accesses to a file, "
                          "in which other compilations keep their part"));
static cl::opt<bool>
    CodeOption("gridspan-advice-code", cl::init(true),
               cl::desc("Write the device code beside the advice, so that "
                        "gridspan-advice can look at other launches"));

static cl::opt<bool> RecordOption(
    "gridspan-record", cl::init(true),
    cl::desc("With advice: give kernels whose accesses or branches "
             "follow from data a clone that records them for "
             "profiles"));

/// An instruction of Kernel at the place, for the remark to point to.
static const Instruction *instructionAt(const Function &Kernel,
                                        StringRef Where) {
  for (const Instruction &I : instructions(Kernel))
    if (I.mayReadOrWriteMemory() && sourceLocation(I) == Where)
      return &I;
  return &Kernel.getEntryBlock().front();
}

static void remarkAt(const Function &Kernel, StringRef Rule, StringRef Where,
                     StringRef Problem, StringRef Advice,
                     OptimizationRemarkEmitter &ORE) {
  const Instruction *At = instructionAt(Kernel, Where);
  const DILocation *Loc = userLocation(*At);
  ORE.emit(OptimizationRemarkAnalysis(DEBUG_TYPE, Rule,
                                      Loc ? DiagnosticLocation(DebugLoc(Loc))
                                          : DiagnosticLocation(),
                                      At->getParent())
           << "kernel " << ore::NV("Kernel", demangle(Kernel.getName())) << ": "
           << ore::NV("Problem", Problem) << ": " << ore::NV("Advice", Advice));
}

static void remark(const Function &Kernel, const KernelFacts &Facts,
                   OptimizationRemarkEmitter &ORE) {
  const KernelCoalescing &K = Facts.Coalescing;
  // Unrolled copies of one access are one to the reader.
  StringSet<> Said;
  for (size_t I = 0; I != K.Sites.size(); ++I) {
    StringRef Rule = adviceRule(K, I);
    if (Rule.empty() ||
        !Said.insert(K.Kernel.Sites[I].Where + adviceMessage(K, I)).second)
      continue;
    remarkAt(Kernel, Rule, K.Kernel.Sites[I].Where,
             Facts.Names.inText(adviceMessage(K, I)),
             Facts.Names.inText(coalescingAdvice(K, I)), ORE);
  }
  std::string Assumed = Facts.Launch.text();
  for (const KernelAdvice &A : kernelAdvice(Facts))
    remarkAt(Kernel, A.Rule, A.Where,
             Facts.Names.inText(A.Message) +
                 (Assumed.empty() ? "" : ", in " + Assumed),
             Facts.Names.inText(A.Advice), ORE);
}

/// Counts of what the optimized code, if there is any, does otherwise are not
/// exact.
static void withdrawClaims(KernelCoalescing &Written, KernelSites Executed,
                           const LaunchAssumptions &Known) {
  if (Executed.Name.empty() ||
      none_of(Written.Sites,
              [](const SiteCoalescing &S) { return S.Traffic.IsExact; }))
    return;
  for (size_t I :
       sitesThatDiffer(Written, analyzeCoalescing(std::move(Executed), Known,
                                                  trafficOptions())))
    Written.Sites[I].Traffic.IsExact = false;
}

static AdviceOrigin originOf(const Module &M) {
  AdviceOrigin Origin;
  Origin.Source = M.getSourceFileName();
  SmallString<128> Directory;
  if (!sys::fs::current_path(Directory))
    Origin.Directory = Directory.str();
  for (const Function &F : M)
    if (Origin.Target.empty())
      Origin.Target = architectureOf(F);
  return Origin;
}

namespace {
/// The kernels of a module that advice is wanted on, and what is known of them.
struct ModuleFacts {
  std::vector<Function *> Kernels;
  std::vector<KernelFacts> Facts; ///< of each of them
  LaunchAssumptions Launches;     ///< all that was assumed of any
};
} // namespace

/// Finds everything but times by the back end's code.
static ModuleFacts factsOf(Module &M, FunctionAnalysisManager &FAM,
                           MeasuredKernels Measured = {}) {
  ModuleFacts Out;
  SmallVector<Function *, 8> Originals = kernelsOf(M);
  if (Originals.empty())
    return Out;
  // The same numbers as in the summaries.
  numberAccessSites(M);
  LaunchAssumptions Given = launchAssumptions();
  Given.Measured = std::move(Measured);
  LaunchAssumptions &All = Out.Launches;
  All = Given;
  VectorizedCopy Copy(M, FAM);
  for (auto [Original, Kernel] :
       zip_equal(Originals, kernelsOf(Copy.module()))) {
    if (!isKernelSelected(*Original))
      continue;
    Out.Kernels.push_back(Original);
    const MachineModel &Machine =
        machineModelFor(architectureOf(*Kernel), givenMachine());
    KernelFacts Facts;
    Facts.Arch = Machine.Arch;
    Facts.Machine = &Machine;
    Facts.IsShared = Original->isWeakForLinker();
    Facts.Names = ParameterNames(*Original);
    KernelSites Sites =
        collectMemorySites(*Original, KernelAnalyses::get(*Original, FAM));
    Facts.Launch = representativeLaunch(Sites, Given, Machine);
    All = withLaunch(std::move(All), Sites.Name, Facts.Launch.Launch,
                     Facts.Launch.AssumedParams);
    Facts.Coalescing = analyzeCoalescing(
        collectMemorySites(*Kernel, KernelAnalyses::get(*Kernel, FAM)), All,
        trafficOptions());
    if (auto It = Given.Measured.find(Sites.Name); It != Given.Measured.end())
      applyMeasurements(Facts.Coalescing, MeasuredSites(It->second, Sites));
    Facts.Layout =
        analyzeLayout(std::move(Sites), All, Machine, layoutOptions());
    const KernelLayout &L = Facts.Layout;
    Facts.Reuse = analyzeReuse(L.Kernel, L.Trace, L.Launch, Machine);
    Facts.Reductions = analyzeReductions(L.Kernel, L.Trace, L.Launch, Machine);
    Out.Facts.push_back(std::move(Facts));
  }
  return Out;
}

/// Adds the predicted times, and returns everything as data.
static json::Object withCosts(Module &M, FunctionAnalysisManager &FAM,
                              ModuleFacts Of, const AdviceOrigin &Origin) {
  if (!Of.Kernels.empty())
    for (KernelCost &Cost : predictCosts(M, FAM, Of.Launches, costOptions()))
      for (KernelFacts &Facts : Of.Facts)
        if (Facts.Coalescing.Kernel.Name == Cost.Name) {
          withdrawClaims(Facts.Coalescing, std::move(Cost.Executed),
                         Of.Launches);
          Facts.Cost = std::move(Cost);
          break;
        }
  return adviceToJSON(Origin, Of.Facts);
}

static FunctionAnalysisManager &functionManager(Module &M,
                                                ModuleAnalysisManager &MAM) {
  return MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
}

json::Object adviceOn(Module &M, ModuleAnalysisManager &MAM,
                      const AdviceOrigin &Origin, MeasuredKernels Measured) {
  FunctionAnalysisManager &FAM = functionManager(M, MAM);
  return withCosts(M, FAM, factsOf(M, FAM, std::move(Measured)), Origin);
}

/// Marks the accesses of the kernel that a run is to record. One that was
/// joined from several stands for all that are at its place.
static void markForRecording(Function &Kernel, const KernelFacts &Facts) {
  const KernelCoalescing &K = Facts.Coalescing;
  DenseSet<uint32_t> Wanted;
  for (size_t I = 0; I != K.Sites.size(); ++I) {
    const MemorySite &Site = K.Kernel.Sites[I];
    if (!mayFollowFromData(K.Kernel.Exprs, Site, K.Sites[I]))
      continue;
    if (Site.Site != NoSite)
      Wanted.insert(Site.Site);
    else
      for (const MemorySite &Written : Facts.Layout.Kernel.Sites)
        if (!Site.Where.empty() && Written.Where == Site.Where &&
            Written.Kind == Site.Kind)
          Wanted.insert(Written.Site);
  }
  for (Instruction &I : instructions(Kernel))
    if (std::optional<uint32_t> Site = siteOf(I);
        Site && Wanted.contains(*Site))
      I.setMetadata(RecordMetadata, MDNode::get(I.getContext(), {}));
}

PreservedAnalyses AdvicePass::run(Module &M, ModuleAnalysisManager &MAM) {
  if (!Triple(M.getTargetTriple()).isNVPTX())
    return PreservedAnalyses::all();
  FunctionAnalysisManager &FAM = functionManager(M, MAM);
  SmallVector<Function *, 8> Kernels = kernelsOf(M);
  const bool Remarks =
      !Kernels.empty() &&
      FAM.getResult<OptimizationRemarkEmitterAnalysis>(*Kernels.front())
          .allowExtraAnalysis(DEBUG_TYPE);
  if (!Remarks && AdviceOption.empty())
    return PreservedAnalyses::all();

  for (const std::string &Option : optionsOfOtherKernels(Kernels))
    warn(M, Option + " has no effect: there is no such kernel in this file");
  AdviceOrigin Origin = originOf(M);
  if (!AdviceOption.empty())
    Origin.Build = moduleBuild(M);
  // As it is here, so that it can be looked at again from here on.
  json::Array Code;
  if (!AdviceOption.empty() && CodeOption && !Kernels.empty())
    Code.push_back(adviceCode(M, Origin));
  ModuleFacts Of = factsOf(M, FAM);
  if (Remarks)
    for (auto [Kernel, K] : zip_equal(Of.Kernels, Of.Facts))
      remark(*Kernel, K,
             FAM.getResult<OptimizationRemarkEmitterAnalysis>(*Kernel));
  if (AdviceOption.empty())
    return PreservedAnalyses::all();
  if (RecordOption)
    for (auto [Kernel, K] : zip_equal(Of.Kernels, Of.Facts))
      markForRecording(*Kernel, K);
  SmallString<128> Path(AdviceOption);
  if (!sys::fs::make_absolute(Path))
    setAdvicePath(M, Path);
  // Also for a source that has no kernels any more.
  json::Object Advice = withCosts(M, FAM, std::move(Of), Origin);
  Advice["modules"] = std::move(Code);
  if (Error Failed = storeAdvice(AdviceOption, std::move(Advice)))
    M.getContext().emitError("cannot write " + AdviceOption + ": " +
                             toString(std::move(Failed)));
  return PreservedAnalyses::all();
}

} // namespace gridspan
