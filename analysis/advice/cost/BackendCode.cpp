//===- BackendCode.cpp - Kernels as the back end writes them --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of the IR are named by their numbers before the back end runs, which
// writes the names as comments. What a block is split into keeps its name as a
// prefix.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/cost/BackendCode.h"
#include "analysis/machine/RegisterCounts.h"
#include "analysis/nvptx/AnalysisManagers.h"
#include "analysis/nvptx/GlobalArguments.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/nvptx/SharedMemory.h"
#include "analysis/summary/Access.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/NaryReassociate.h"
#include "llvm/Transforms/Scalar/SeparateConstOffsetFromGEP.h"
#include "llvm/Transforms/Scalar/StraightLineStrengthReduce.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"
#include <algorithm>

using namespace llvm;

namespace gridspan {

static constexpr StringLiteral BlockPrefix = "gridspan.block.";

namespace {
struct MarkArgumentsGlobalPass : PassInfoMixin<MarkArgumentsGlobalPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    for (Function *Kernel : kernelsOf(M))
      markArgumentsGlobal(*Kernel);
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};
} // namespace

/// Features are those that the kernels were compiled for: the version of PTX is
/// one, and ptxas refuses instructions that are newer.
static std::unique_ptr<TargetMachine> targetMachine(const Module &M,
                                                    StringRef Arch) {
  std::string Error;
  StringRef Features;
  for (const Function &F : M)
    if (!F.isDeclaration() && F.hasFnAttribute("target-features"))
      Features = F.getFnAttribute("target-features").getValueAsString();
  const Target *T = TargetRegistry::lookupTarget(M.getTargetTriple(), Error);
  if (!T)
    return nullptr;
  TargetOptions Options;
  Options.MCOptions.AsmVerbose = true;
  return std::unique_ptr<TargetMachine>(
      T->createTargetMachine(M.getTargetTriple(), Arch, Features, Options,
                             std::nullopt, std::nullopt));
}

static uint64_t sharedBytesOf(const Function &Kernel) {
  uint64_t Sum = 0;
  for (const GlobalVariable *Variable : sharedVariablesOf(Kernel)) {
    Sum = alignTo(Sum, Variable->getAlign().valueOrOne());
    Sum += Kernel.getDataLayout().getTypeAllocSize(Variable->getValueType());
  }
  return Sum;
}

static void nameBlocks(Function &F) {
  // Twice: a name that is taken gets a number.
  for (BasicBlock &BB : F)
    BB.setName("");
  unsigned Number = 0;
  for (BasicBlock &BB : F)
    BB.setName(BlockPrefix + Twine(Number++) + ".");
}

static std::vector<unsigned> blocksOf(const PtxKernel &Ptx, size_t NumBlocks) {
  std::vector<unsigned> Out;
  unsigned Last = 0;
  for (const PtxBlock &Block : Ptx.Blocks) {
    StringRef Name = Block.Name;
    unsigned Number;
    // What is inserted before a loop is named after it, too.
    if (Name.consume_front(BlockPrefix) && !Name.consumeInteger(10, Number) &&
        Number < NumBlocks && (Name == "." || Name.starts_with("..split")))
      Last = Number;
    Out.push_back(Last);
  }
  return Out;
}

/// Compiles the PTX for the registers of Kernels.
static void countRegisters(StringRef Ptxas, StringRef Arch, StringRef Ptx,
                           MutableArrayRef<BackendKernel> Kernels,
                           std::string &Why) {
  Expected<StringMap<KernelResources>> Resources =
      compileForResources(Ptxas, Arch, Ptx);
  if (!Resources) {
    Why = toString(Resources.takeError());
    return;
  }
  for (BackendKernel &E : Kernels)
    E.Registers = Resources->lookup(E.Sites.Name).Registers;
}

std::vector<BackendKernel> backendKernels(const Module &M, StringRef Arch,
                                          StringRef Ptxas, std::string &Why) {
  std::unique_ptr<TargetMachine> TM = targetMachine(M, Arch);
  if (!TM) {
    Why = "no NVPTX back end";
    return {};
  }
  std::unique_ptr<Module> Copy = CloneModule(M);
  alignSharedVariables(*Copy);

  PassBuilder PB(TM.get());
  AnalysisManagers Managers(PB);
  ModulePassManager MPM = PB.buildModuleOptimizationPipeline(
      OptimizationLevel::O2, ThinOrFullLTOPhase::None);
  MPM.addPass(MarkArgumentsGlobalPass());
  FunctionPassManager FPM;
  // What the back end does before it joins accesses (NVPTXPassConfig).
  FPM.addPass(InferAddressSpacesPass());
  FPM.addPass(SeparateConstOffsetFromGEPPass());
  FPM.addPass(StraightLineStrengthReducePass());
  // With memory: ptxas loads once what nothing can have changed, however many
  // stores elsewhere are between.
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(NaryReassociatePass());
  FPM.addPass(EarlyCSEPass());
  FPM.addPass(InferAlignmentPass());
  FPM.addPass(LoadStoreVectorizerPass());
  // The back end would insert preheaders.
  FPM.addPass(LoopSimplifyPass());
  MPM.addPass(createModuleToFunctionPassAdaptor(std::move(FPM)));
  MPM.run(*Copy, Managers.Module);

  std::vector<BackendKernel> Out;
  for (Function *Kernel : kernelsOf(*Copy)) {
    nameBlocks(*Kernel);
    BackendKernel &E = Out.emplace_back();
    E.Sites = collectMemorySites(
        *Kernel, KernelAnalyses::get(*Kernel, Managers.Function),
        /*WithBlocks=*/true);
    E.SharedBytes = sharedBytesOf(*Kernel);
  }
  StripDebugInfo(*Copy);
  // PTX has no dots in names; the back end replaces those of local ones only.
  for (GlobalVariable &Variable : Copy->globals())
    if (Variable.getName().contains('.')) {
      std::string Name = Variable.getName().str();
      std::replace(Name.begin(), Name.end(), '.', '_');
      Variable.setName(Name);
    }
  SmallString<0> Text;
  raw_svector_ostream OS(Text);
  legacy::PassManager CodeGen;
  if (TM->addPassesToEmitFile(CodeGen, OS, nullptr,
                              CodeGenFileType::AssemblyFile)) {
    Why = "the back end writes no PTX";
    return {};
  }
  CodeGen.run(*Copy);
  for (BackendKernel &E : Out) {
    E.Ptx = parsePtx(Text, E.Sites.Name);
    E.BlockOf = blocksOf(E.Ptx, E.Sites.Blocks.size());
  }
  if (!Ptxas.empty())
    countRegisters(Ptxas, Arch, Text, Out, Why);
  return Out;
}

} // namespace gridspan
