//===- CpuLowerPass.cpp - A device module as a host module ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device module moves away, the pass's own module is emptied and becomes a
// host module of this machine, and the result is exported.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuLowerPass.h"
#include "passes/common/AbiConstants.h"
#include "passes/cpu/CpuDescriptors.h"
#include "passes/cpu/CpuLowering.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace gridspan;

static cl::opt<std::string>
    HostFeatures("gridspan-cpu-host-features", cl::Hidden,
                 cl::desc("Features of the host that gridspan-cpu-lower has"));

static void clear(Module &M) {
  M.dropAllReferences();
  while (!M.empty())
    M.begin()->eraseFromParent();
  while (!M.global_empty())
    M.global_begin()->eraseFromParent();
  while (!M.alias_empty())
    M.alias_begin()->eraseFromParent();
  while (!M.named_metadata_empty())
    M.eraseNamedMetadata(&*M.named_metadata_begin());
}

static void becomeHost(Module &M) {
  M.setTargetTriple("x86_64-pc-linux-gnu");
  M.setDataLayout(
      "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-"
      "n8:16:32:64-S128");
}

/// Adds a function that has the features of the option, as a program's have.
static void addModel(Module &M) {
  if (HostFeatures.empty())
    return;
  LLVMContext &Context = M.getContext();
  auto *F = Function::Create(
      FunctionType::get(Type::getVoidTy(Context), /*isVarArg=*/false),
      GlobalValue::ExternalLinkage, "__gridspan_cpu.host", M);
  F->addFnAttr("target-cpu", "x86-64");
  F->addFnAttr("target-features", HostFeatures);
  ReturnInst::Create(Context, BasicBlock::Create(Context, "", F));
}

static void exportConstant(Module &M, const Twine &Name, Constant *Value) {
  auto *G = new GlobalVariable(M, Value->getType(), /*isConstant=*/true,
                               GlobalValue::ExternalLinkage, Value, Name);
  G->setAlignment(Align(8));
}

static void exportCode(Module &M, const CpuModuleCode &Code) {
  AbiConstants Abi(M);
  for (const CpuKernelCode &K : Code.Kernels)
    exportConstant(M, K.Name + ".cpu", describeCpuKernel(Abi, &K));
  exportConstant(M, "__gridspan_cpu_module", describeCpuModule(Abi, Code));
}

PreservedAnalyses CpuLowerPass::run(Module &M, ModuleAnalysisManager &) {
  if (!Triple(M.getTargetTriple()).isNVPTX())
    return PreservedAnalyses::all();
  std::unique_ptr<Module> Device = CloneModule(M);
  clear(M);
  becomeHost(M);
  addModel(M);
  Expected<CpuModuleCode> Code =
      lowerForCpu(std::move(Device), M, cpuLoweringOptions());
  if (!Code)
    report_fatal_error(Code.takeError(), /*gen_crash_diag=*/false);
  exportCode(M, *Code);
  return PreservedAnalyses::none();
}

PreservedAnalyses CpuPrinterPass::run(Module &M, ModuleAnalysisManager &) {
  if (!Triple(M.getTargetTriple()).isNVPTX())
    return PreservedAnalyses::all();
  Module Host("host", M.getContext());
  becomeHost(Host);
  CpuLoweringOptions Options;
  Options.Trace = false;
  (Facts == CpuFacts::Regions ? Options.Regions : Options.Tiles) = &OS;
  if (Error E = lowerForCpu(CloneModule(M), Host, Options).takeError())
    report_fatal_error(std::move(E), /*gen_crash_diag=*/false);
  return PreservedAnalyses::all();
}
