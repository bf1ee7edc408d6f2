//===- DeviceSummary.cpp - Facts about a device module --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each kernel: legality, then its summary. A kernel that may be split and
// has grid-stride loops to repartition is summarized as its clone will be. The
// loops are rewritten in a copy, and the copy is summarized. That is sound
// because launches use the summary's ranges for tiles, which the clone runs. A
// tile that is all of the grid runs the loops as they were
// (GridStrideRewrite.cpp).
//
//===----------------------------------------------------------------------===//

#include "passes/device/DeviceSummary.h"
#include "analysis/legality/HostVisibility.h"
#include "analysis/legality/RowWalks.h"
#include "analysis/legality/TextureHandles.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/summary/Access.h"
#include "analysis/summary/KernelParams.h"
#include "passes/common/ModuleBuild.h"
#include "passes/common/Options.h"
#include "passes/device/GridStrideRewrite.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MD5.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace gridspan {

/// Returns an id that is unique among the files of a program and the same every
/// time: it is made from the names that the module defines, and its own.
static std::string moduleId(const Module &M) {
  MD5 Hash;
  Hash.update(M.getModuleIdentifier());
  Hash.update(M.getSourceFileName());
  for (const GlobalObject &Object : M.global_objects())
    Hash.update(Object.getName());
  MD5::MD5Result Result;
  Hash.final(Result);
  return Result.digest().str().str();
}

/// Marks the pointers that the kernel reduces into.
static void markReductions(DeviceKernel &K) {
  const Function &F = K.Body ? *K.Body : *K.Original;
  K.Reductions = findReductions(F, K.Summary);
  for (const ReducedArgument &R : K.Reductions)
    K.Summary.Pointers[R.Pointer].Reduction = R.Kind;
}

DeviceSummary describeDevice(Module &M) {
  DeviceSummary Out;
  Out.Id = moduleId(M);
  Out.Build = moduleBuild(M);
  Out.IsAnalysed = false;
  for (Function *Kernel : kernelsOf(M)) {
    DeviceKernel &K = Out.Kernels.emplace_back();
    K.Original = Kernel;
    K.Summary = describeKernel(*Kernel);
    K.Summary.Flags =
        GridspanNotAnalysed | GridspanUnknownRead | GridspanUnknownWrite;
  }
  return Out;
}

/// Gives K a body with its grid-stride loops rewritten, and the body's summary;
/// nothing changes if there is no loop to rewrite.
static void repartitionBody(DeviceKernel &K, FunctionAnalysisManager &FAM) {
  Function &Kernel = *K.Original;
  const GridStrideResult &Found = FAM.getResult<GridStrideAnalysis>(Kernel);
  K.StrideRefusals = Found.Refusals;
  if (Found.Loops.empty())
    return;
  ValueToValueMapTy Map;
  K.Body = CloneFunction(&Kernel, Map);
  K.Body->setLinkage(GlobalValue::InternalLinkage);
  K.Body->setComdat(nullptr);
  // The loops again, in the copy; rewriting invalidates the analysis' own.
  const GridStrideResult InBody = FAM.getResult<GridStrideAnalysis>(*K.Body);
  repartition(*K.Body, InBody, FAM);

  KernelSummary Summary = FAM.getResult<KernelSummaryAnalysis>(*K.Body);
  Summary.Name = K.Summary.Name;
  Summary.MaxThreads = K.Summary.MaxThreads;
  Summary.Flags |= GridspanRepartitioned;
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    if (InBody.Elastic[Axis])
      Summary.Flags |= GridspanElasticX << Axis;
  for (PointerSummary &P : Summary.Pointers)
    P.OwnElement =
        is_contained(InBody.OwnElement,
                     std::pair<unsigned, unsigned>(P.Param, P.ByteOffset));
  K.Summary = std::move(Summary);
}

/// Marks the pointers whose rows may be packed.
static void markPackable(DeviceKernel &K, FunctionAnalysisManager &FAM) {
  Function &F = K.Body ? *K.Body : *K.Original;
  for (unsigned Param : findRowWalks(F, KernelAnalyses::get(F, FAM)))
    for (PointerSummary &P : K.Summary.Pointers)
      P.Packable |= P.Param == Param && P.Replicable;
}

/// Chooses forms for the records of all kernels.
static void formRecords(DeviceSummary &Device, FunctionAnalysisManager &FAM) {
  std::vector<KernelRecords> All;
  for (const DeviceKernel &K : Device.Kernels)
    All.push_back(findRecords(*K.Original,
                              FAM.getResult<KernelSummaryAnalysis>(*K.Original),
                              !K.Refusals.empty()));
  chooseForms(All);
  for (auto [K, Records] : zip(Device.Kernels, All)) {
    for (const RecordPointer &P : Records.Pointers) {
      FormSummary &Form = K.Summary.Pointers[P.Uses.Pointer].Form;
      Form = P.Form;
      if (Form.RecordBytes && LayoutOption == LayoutUse::Auto)
        Form.Flags |= GridspanFormIfItPays;
    }
    K.Records = std::move(Records);
  }
}

DeviceSummary summarizeDevice(Module &M, ModuleAnalysisManager &MAM) {
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  // Before bodies are added: the facts are those of the program.
  const LegalityFacts &Legality = MAM.getResult<LegalityAnalysis>(M);
  const HostSignalFacts &Signals = MAM.getResult<HostSignalAnalysis>(M);
  DeviceSummary Out;
  Out.Id = moduleId(M);
  Out.Build = moduleBuild(M);
  for (Function *Kernel : kernelsOf(M)) {
    DeviceKernel &K = Out.Kernels.emplace_back();
    K.Original = Kernel;
    append_range(K.Refusals, Legality.of(*Kernel));
    K.Summary = FAM.getResult<KernelSummaryAnalysis>(*Kernel);
    K.IsSplit = K.Refusals.empty() && SplitOption;
    if (K.IsSplit) {
      repartitionBody(K, FAM);
      markPackable(K, FAM);
      markReductions(K);
      K.Summary.Textures = findTextureHandles(*Kernel).Received;
    }
    for (const Refusal &R : K.Refusals) {
      K.Summary.Refusals.push_back({refusalName(R.Kind).str(), R.message()});
      if (R.Kind == RefusalKind::GridBarrier)
        K.Summary.Flags |= GridspanGridBarrier;
    }
    if (!Signals.of(*Kernel))
      K.Summary.Flags |= GridspanHostInvisible;
    if (K.Refusals.empty())
      K.InMemory = findNotOutOfCore(K.Summary);
    if (NoAliasOption)
      K.NoAlias = findNoAlias(*Kernel, K.Summary, FAM);
  }
  if (LayoutOption != LayoutUse::Keep)
    formRecords(Out, FAM);
  return Out;
}

} // namespace gridspan
