//===- DevicePass.cpp - The device side of a CUDA file --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three acts, apart from each other: DeviceSummary.h finds out, DeviceRemarks.h
// prints, DeviceClones.h changes the module. Before them all memory accesses
// are numbered, as summary, bitcode and clones have to agree on the numbers;
// after them the summary is embedded for the host compilation.
//
//===----------------------------------------------------------------------===//

#include "passes/device/DevicePass.h"
#include "analysis/nvptx/Kernels.h"
#include "passes/common/ModuleBuild.h"
#include "passes/device/AccessSites.h"
#include "passes/device/DeviceClones.h"
#include "passes/device/DeviceRemarks.h"
#include "passes/device/DeviceSummary.h"
#include "passes/device/EmbedPayload.h"
#include "passes/device/ManagedPointers.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace gridspan {

/// Marks a module that has been processed.
static constexpr StringLiteral DoneMarker = "gridspan.device";

/// Numbers the accesses; summaries with other numbers are forgotten.
static void numberSites(Module &M, FunctionAnalysisManager &FAM) {
  PreservedAnalyses Preserved = numberAccessSites(M);
  for (Function *Kernel : kernelsOf(M))
    FAM.invalidate(*Kernel, Preserved);
}

/// Leaves the summaries of Device in M, for the host compilation.
static void embedSummary(Module &M, DeviceSummary Device) {
  ModuleSummary Summary;
  Summary.Id = Device.Id;
  Summary.Build = std::move(Device.Build);
  Summary.Advice = advicePath(M);
  Summary.Managed = managedVariables(M);
  for (DeviceKernel &K : Device.Kernels)
    Summary.Kernels.push_back(std::move(K.Summary));
  embedPayload(M, PayloadKind::Summary, Summary.Id,
               formatv("{0}", toJSON(Summary)).str(), /*Compress=*/true);
}

PreservedAnalyses DevicePass::run(Module &M, ModuleAnalysisManager &MAM) {
  if (!Triple(M.getTargetTriple()).isNVPTX() || M.getNamedMetadata(DoneMarker))
    return PreservedAnalyses::all();
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  M.getOrInsertNamedMetadata(DoneMarker);
  numberSites(M, FAM);
  DeviceSummary Device =
      Unoptimized ? describeDevice(M) : summarizeDevice(M, MAM);
  emitRemarks(Device, FAM);
  makeClones(M, Device, FAM);
  embedSummary(M, std::move(Device));
  // Functions and variables are added; those that were there are as they were.
  PreservedAnalyses Preserved;
  Preserved.preserve<FunctionAnalysisManagerModuleProxy>();
  Preserved.preserveSet<AllAnalysesOn<Function>>();
  return Preserved;
}

} // namespace gridspan
