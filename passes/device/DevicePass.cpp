//===- DevicePass.cpp - The device side of a CUDA file --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In this order, because each step needs the IR as it is then:
//
//   1. numbers for all memory accesses, legality and summary of each kernel; a
//      kernel whose grid-stride loops may be repartitioned is summarized as its
//      clone will be;
//   2. tiled clones of those that may be split, and, if asked for, clones of
//      both for launches whose arguments do not overlap;
//   3. a snapshot as bitcode, with the clones in place of their originals, so
//      that the CPU device runs the IR that was analysed;
//   4. atomics and fences of the clones widened to system scope;
//   5. summary and bitcode embedded for the host compilation.
//
//===----------------------------------------------------------------------===//

#include "passes/device/DevicePass.h"
#include "analysis/gridstride/GridStride.h"
#include "analysis/legality/HostVisibility.h"
#include "analysis/legality/Legality.h"
#include "analysis/legality/NoAlias.h"
#include "analysis/legality/OutOfCoreArguments.h"
#include "analysis/legality/RowWalks.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/summary/Access.h"
#include "passes/common/Options.h"
#include "passes/device/AccessSites.h"
#include "passes/device/DeviceBitcode.h"
#include "passes/device/EmbedPayload.h"
#include "passes/device/GridStrideRewrite.h"
#include "passes/device/NoAliasClone.h"
#include "passes/device/PackRows.h"
#include "passes/device/TiledClone.h"
#include "passes/device/WidenScope.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MD5.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

/// The name of the pass in remarks: -Rpass=gridspan, -Rpass-missed=gridspan.
#define DEBUG_TYPE "gridspan"

namespace gridspan {

/// Marks a module that has been processed.
static constexpr StringLiteral DoneMarker = "gridspan.device";

/// Unique among the files of a program, the same every time: from the names
/// that the module defines, and its own.
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

/// Where a remark about the kernel as a whole belongs.
static DiagnosticLocation locationOf(const Function &Kernel) {
  if (const DISubprogram *Subprogram = Kernel.getSubprogram())
    return DiagnosticLocation(Subprogram);
  return {};
}

static DiagnosticLocation locationOf(const Function &Kernel,
                                     const Refusal &Refusal) {
  if (Refusal.Where)
    if (const DILocation *Loc = userLocation(*Refusal.Where))
      return DiagnosticLocation(DebugLoc(Loc));
  return locationOf(Kernel);
}

namespace {

class DeviceModule {
public:
  DeviceModule(Module &M, ModuleAnalysisManager &MAM)
      : M(M),
        FAM(MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager()),
        NoAliasDeclarer(FAM) {
    Summary.Id = moduleId(M);
  }

  void summarizeUnoptimized();
  void summarize();
  void cloneKernels();
  void embed();

private:
  void remark(const Function &Kernel, ArrayRef<Refusal> Refusals);
  void remarkNotStreamed(const Function &Kernel);
  Function *repartitioned(Function &Kernel);
  void findDistinct(Function &Kernel);
  void cloneForNoAlias(KernelSummary &K);
  void findPackable(Function &Kernel);
  void cloneWithPackedRows(Function &Kernel, KernelSummary &K,
                           TiledCloner &Cloner);
  void removeBodies();

  Module &M;
  FunctionAnalysisManager &FAM;
  ModuleSummary Summary;
  /// Kernels that are to be cloned, and then those that have a clone.
  SmallPtrSet<const Function *, 8> Splittable;
  /// What the clones of some kernels are made from, until they are.
  DenseMap<const Function *, Function *> Bodies;
  /// Of the kernels that profit from distinct arguments.
  DenseMap<const Function *, NoAliasFacts> Distinct;
  KernelDeclarer NoAliasDeclarer;
  /// Clones for distinct arguments of which the tiled one is enough for the CPU
  /// device.
  SmallPtrSet<const Function *, 8> NotForCpu;
  /// What clones with packed rows are made from, until they are.
  SmallVector<Function *, 4> PackedBodies;
};

} // namespace

void DeviceModule::summarizeUnoptimized() {
  for (const Function *Kernel : kernelsOf(M)) {
    Summary.Kernels.push_back(describeKernel(*Kernel));
    Summary.Kernels.back().Flags =
        GridspanNotAnalysed | GridspanUnknownRead | GridspanUnknownWrite;
  }
  if (Summary.Kernels.empty())
    return;
  const Function &First = *kernelsOf(M).front();
  auto &ORE = FAM.getResult<OptimizationRemarkEmitterAnalysis>(
      const_cast<Function &>(First));
  ORE.emit(OptimizationRemarkMissed(DEBUG_TYPE, "not-analysed",
                                    locationOf(First), &First.getEntryBlock())
           << "kernels are not analysed at -O0, nothing is split");
}

static StringRef inspectionRefusalText(StringRef Name) {
  return StringSwitch<StringRef>(Name)
#define GRIDSPAN_INSPECTION_REFUSAL(Id, Name, Text) .Case(Name, Text)
#include "analysis/symbolic/Inspection.def"
      .Default("");
}

void DeviceModule::remark(const Function &Kernel, ArrayRef<Refusal> Refusals) {
  auto &ORE = FAM.getResult<OptimizationRemarkEmitterAnalysis>(
      const_cast<Function &>(Kernel));
  const BasicBlock *Region = &Kernel.getEntryBlock();
  std::string Name = demangle(Kernel.getName());
  if (Refusals.empty()) {
    const KernelSummary &K = Summary.Kernels.back();
    StringSet<> Said;
    for (const AccessSummary &A : K.Accesses)
      if (!A.WhyNotInspected.empty() && Said.insert(A.WhyNotInspected).second)
        ORE.emit(
            OptimizationRemarkMissed(DEBUG_TYPE, A.WhyNotInspected,
                                     locationOf(Kernel), Region)
            << "kernel " << ore::NV("Kernel", Name)
            << " loads indices that are not inspected: "
            << ore::NV("Reason", inspectionRefusalText(A.WhyNotInspected)));
    unsigned Unknown = count_if(
        K.Accesses, [](const AccessSummary &A) { return !A.Why.empty(); });
    ORE.emit(
        OptimizationRemark(DEBUG_TYPE, "splittable", locationOf(Kernel), Region)
        << "kernel " << ore::NV("Kernel", Name)
        << " can be split over devices: "
        << ore::NV("Accesses", unsigned(K.Accesses.size()))
        << " global memory accesses, " << ore::NV("Unknown", Unknown)
        << " with an unknown range");
    return;
  }
  for (const Refusal &R : Refusals)
    ORE.emit(OptimizationRemarkMissed(DEBUG_TYPE, refusalName(R.Kind),
                                      locationOf(Kernel, R), Region)
             << "kernel " << ore::NV("Kernel", Name) << " "
             << ore::NV("Reason", R.message()));
}

/// "argument 2 (name)", "the pointer at byte 8 of argument 1".
static std::string nameOf(const Function &Kernel, const PointerSummary &P) {
  const Argument &A = *Kernel.getArg(P.Param);
  std::string Out = A.hasByValAttr()
                        ? formatv("the pointer at byte {0} of ", P.ByteOffset)
                        : std::string();
  Out += formatv("argument {0}", P.Param + 1);
  return A.hasName() ? formatv("{0} ({1})", Out, A.getName()) : Out;
}

/// Of the last of Summary.Kernels, which may be split: what keeps launches from
/// being streamed.
void DeviceModule::remarkNotStreamed(const Function &Kernel) {
  const KernelSummary &K = Summary.Kernels.back();
  auto &ORE = FAM.getResult<OptimizationRemarkEmitterAnalysis>(
      const_cast<Function &>(Kernel));
  for (const NotStreamed &N : findNotStreamed(K)) {
    OptimizationRemarkMissed Remark(DEBUG_TYPE, streamingRefusalName(N.Why),
                                    locationOf(Kernel),
                                    &Kernel.getEntryBlock());
    Remark << "kernel " << ore::NV("Kernel", demangle(Kernel.getName()));
    if (N.Pointer < 0)
      Remark << " cannot be streamed: ";
    else
      Remark << " cannot stream "
             << ore::NV("Argument", nameOf(Kernel, K.Pointers[N.Pointer]))
             << ": ";
    Remark << ore::NV("Reason", streamingRefusalText(N.Why));
    if (N.Access < K.Accesses.size()) {
      const AccessSummary &A = K.Accesses[N.Access];
      if (!A.Where.empty())
        Remark << " at " << ore::NV("Where", A.Where);
      if (!A.Why.empty())
        Remark << " (" << ore::NV("Why", A.Why) << ")";
    }
    ORE.emit(Remark);
  }
}

/// A copy of Kernel with its grid-stride loops rewritten, and its summary as
/// the last of Summary.Kernels; null if there is nothing to rewrite.
Function *DeviceModule::repartitioned(Function &Kernel) {
  GridStrideResult Found =
      findGridStrideLoops(Kernel, KernelAnalyses::get(Kernel, FAM));
  auto &ORE = FAM.getResult<OptimizationRemarkEmitterAnalysis>(Kernel);
  for (const StrideRefusal &R : Found.Refusals)
    ORE.emit(OptimizationRemarkMissed(
                 DEBUG_TYPE, strideRefusalName(R.Kind),
                 R.Where && userLocation(*R.Where)
                     ? DiagnosticLocation(DebugLoc(userLocation(*R.Where)))
                     : locationOf(Kernel),
                 R.L->getHeader())
             << "kernel " << ore::NV("Kernel", demangle(Kernel.getName()))
             << ": " << ore::NV("Reason", R.message()));
  if (Found.Loops.empty())
    return nullptr;
  ValueToValueMapTy Map;
  Function *Body = CloneFunction(&Kernel, Map);
  Body->setLinkage(GlobalValue::InternalLinkage);
  Body->setComdat(nullptr);
  // The loops again, in the copy.
  GridStrideResult InBody =
      findGridStrideLoops(*Body, KernelAnalyses::get(*Body, FAM));
  repartition(*Body, InBody, FAM);

  KernelSummary K = summarizeKernel(*Body, KernelAnalyses::get(*Body, FAM));
  KernelSummary &Old = Summary.Kernels.back();
  K.Name = Old.Name;
  K.MaxThreads = Old.MaxThreads;
  K.Flags |= GridspanRepartitioned;
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    if (InBody.Elastic[Axis])
      K.Flags |= GridspanElasticX << Axis;
  for (PointerSummary &P : K.Pointers)
    P.OwnElement =
        is_contained(InBody.OwnElement,
                     std::pair<unsigned, unsigned>(P.Param, P.ByteOffset));
  Old = std::move(K);
  return Body;
}

/// Marks the pointers of the last of Summary.Kernels whose rows may be packed.
void DeviceModule::findPackable(Function &Kernel) {
  Function *Body = Bodies.lookup(&Kernel);
  Function &F = Body ? *Body : Kernel;
  for (unsigned Param : findRowWalks(F, KernelAnalyses::get(F, FAM)))
    for (PointerSummary &P : Summary.Kernels.back().Pointers)
      P.Packable |= P.Param == Param && P.Replicable;
}

void DeviceModule::summarize() {
  for (Function *Kernel : kernelsOf(M)) {
    KernelSummary &K = Summary.Kernels.emplace_back(
        summarizeKernel(*Kernel, KernelAnalyses::get(*Kernel, FAM)));
    SmallVector<Refusal, 2> Refusals = checkLegality(*Kernel, FAM);
    if (Refusals.empty() && SplitOption) {
      Splittable.insert(Kernel);
      if (Function *Body = repartitioned(*Kernel))
        Bodies[Kernel] = Body;
      findPackable(*Kernel);
    }
    for (const Refusal &R : Refusals) {
      K.Refusals.push_back({refusalName(R.Kind).str(), R.message()});
      if (R.Kind == RefusalKind::GridBarrier)
        K.Flags |= GridspanGridBarrier;
    }
    if (!findHostSignal(*Kernel))
      K.Flags |= GridspanSilent;
    remark(*Kernel, Refusals);
    if (Refusals.empty())
      remarkNotStreamed(*Kernel);
    if (NoAliasOption)
      findDistinct(*Kernel);
  }
}

/// For the last of Summary.Kernels.
void DeviceModule::findDistinct(Function &Kernel) {
  NoAliasFacts Facts = findNoAlias(Kernel, Summary.Kernels.back(), FAM);
  auto &ORE = FAM.getResult<OptimizationRemarkEmitterAnalysis>(Kernel);
  const BasicBlock *Entry = &Kernel.getEntryBlock();
  std::string Name = demangle(Kernel.getName());
  if (Facts.Refusal) {
    // Nothing is missed, for most kernels: only who asks for clones wants to
    // know.
    if (*Facts.Refusal == NoAliasRefusal::NoClobberedLoad &&
        !NoAliasOption.getNumOccurrences())
      return;
    ORE.emit(OptimizationRemarkMissed(DEBUG_TYPE,
                                      noAliasRefusalName(*Facts.Refusal),
                                      locationOf(Kernel), Entry)
             << "kernel " << ore::NV("Kernel", Name)
             << " has no clone for distinct arguments: "
             << ore::NV("Reason", noAliasRefusalText(*Facts.Refusal)));
    return;
  }
  ORE.emit(
      OptimizationRemark(DEBUG_TYPE, "noalias-clone", locationOf(Kernel), Entry)
      << "kernel " << ore::NV("Kernel", Name)
      << " has a clone for arguments that do not overlap");
  Distinct[&Kernel] = std::move(Facts);
}

void DeviceModule::cloneForNoAlias(KernelSummary &K) {
  Function *Kernel = M.getFunction(K.Name);
  auto It = Distinct.find(Kernel);
  if (It == Distinct.end())
    return;
  Function &Whole =
      gridspan::cloneForNoAlias(*Kernel, It->second, NoAliasDeclarer);
  K.NoAliasName = Whole.getName().str();
  if (K.CloneName.empty())
    return;
  NotForCpu.insert(&Whole);
  Function &Tiled = gridspan::cloneForNoAlias(*M.getFunction(K.CloneName),
                                              It->second, NoAliasDeclarer);
  K.TiledNoAliasName = Tiled.getName().str();
}

/// Gives the kernel its clone with packed rows, if it has pointers for it.
void DeviceModule::cloneWithPackedRows(Function &Kernel, KernelSummary &K,
                                       TiledCloner &Cloner) {
  SmallVector<unsigned, 4> Packable;
  for (const PointerSummary &P : K.Pointers)
    if (P.Packable)
      Packable.push_back(P.Param);
  if (Packable.empty())
    return;
  Function *Body = Bodies.lookup(&Kernel);
  PackedBodies.push_back(packRows(Body ? *Body : Kernel, Packable, FAM));
  K.PackedName =
      Cloner.clone(Kernel, PackedBodies.back(), PackedKind).getName().str();
}

void DeviceModule::cloneKernels() {
  TiledCloner Cloner(M, FAM);
  for (KernelSummary &K : Summary.Kernels) {
    Function *Kernel = M.getFunction(K.Name);
    if (Splittable.contains(Kernel)) {
      Function *Body = Bodies.lookup(Kernel);
      K.CloneName = Cloner.clone(*Kernel, Body).getName().str();
      cloneWithPackedRows(*Kernel, K, Cloner);
    }
    cloneForNoAlias(K);
  }
  removeBodies();
  if (CpuOption) {
    // Each kernel once: the clone where there is one.
    SmallVector<char, 0> Bitcode = deviceBitcode(M, [&](const Function &F) {
      return !Splittable.contains(&F) && !NotForCpu.contains(&F);
    });
    embedPayload(M, PayloadKind::Bitcode, Summary.Id,
                 StringRef(Bitcode.data(), Bitcode.size()), /*Compress=*/true);
  }
  for (Function *Clone : Cloner.created())
    widenToSystemScope(*Clone);
  for (const KernelSummary &K : Summary.Kernels)
    if (!K.TiledNoAliasName.empty())
      widenToSystemScope(*M.getFunction(K.TiledNoAliasName));
}

void DeviceModule::removeBodies() {
  for (Function *Body : PackedBodies)
    Body->eraseFromParent();
  for (Function &F : make_early_inc_range(M)) {
    bool IsBody = any_of(Bodies, [&](const auto &B) { return B.second == &F; });
    if (!IsBody)
      continue;
    FAM.clear(F, F.getName());
    F.eraseFromParent();
  }
  for (Function &F : make_early_inc_range(M))
    if (F.isDeclaration() && F.use_empty() &&
        F.getName().starts_with("gridspan.tile."))
      F.eraseFromParent();
}

void DeviceModule::embed() {
  embedPayload(M, PayloadKind::Summary, Summary.Id,
               formatv("{0}", toJSON(Summary)).str(), /*Compress=*/true);
}

PreservedAnalyses DevicePass::run(Module &M, ModuleAnalysisManager &MAM) {
  if (!Triple(M.getTargetTriple()).isNVPTX() || M.getNamedMetadata(DoneMarker))
    return PreservedAnalyses::all();
  M.getOrInsertNamedMetadata(DoneMarker);
  numberAccessSites(M);
  DeviceModule Device(M, MAM);
  if (Unoptimized)
    Device.summarizeUnoptimized();
  else
    Device.summarize();
  Device.cloneKernels();
  Device.embed();
  return PreservedAnalyses::none();
}

} // namespace gridspan
