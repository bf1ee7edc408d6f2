//===- CpuLowering.cpp - Device code as host code -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of the parts, each of which has its own file:
//   1. the module takes on the host's target, functions get thread parameters;
//   2. every device operation is replaced by its rule (CpuRules.h); what has
//      none is an unsupported instruction of its function;
//   3. loops that wait for other threads yield (CpuSpin.h);
//   4. variables become offsets (CpuGlobals.h);
//   5. kernels that reach nothing unsupported get a thread loop
//      (CpuThreadLoop.h), and a second one that records accesses
//      (CpuAccessTrace.h); the first one's wider code is asked for
//      (CpuWideCode.h);
//   6. what these loops reach is linked into the host module.
// Pointers keep their address spaces: on the host all of them that devices use
// are one, and casts between them do nothing.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuLowering.h"
#include "gridspan/ABI.h"
#include "passes/common/ModuleBuild.h"
#include "passes/common/Options.h"
#include "passes/cpu/CpuAccessTrace.h"
#include "passes/cpu/CpuGlobals.h"
#include "passes/cpu/CpuMatrix.h"
#include "passes/cpu/CpuMbarrier.h"
#include "passes/cpu/CpuQuickCode.h"
#include "passes/cpu/CpuRules.h"
#include "passes/cpu/CpuSignatures.h"
#include "passes/cpu/CpuSpin.h"
#include "passes/cpu/CpuThreadLoop.h"
#include "passes/cpu/CpuUnsupported.h"
#include "passes/cpu/CpuWaits.h"
#include "passes/cpu/CpuWideCode.h"
#include "passes/cpu/SharedIndices.h"
#include "passes/cpu/regions/CpuRegions.h"
#include "passes/cpu/regions/ParameterCopies.h"
#include "passes/cpu/regions/RegionLoop.h"
#include "passes/cpu/regions/RegionSteps.h"
#include "passes/cpu/regions/WarpExchange.h"
#include "passes/cpu/tiles/ThreadTile.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace gridspan;

const CpuKernelCode *CpuModuleCode::kernel(StringRef Name) const {
  auto It =
      find_if(Kernels, [&](const CpuKernelCode &K) { return K.Name == Name; });
  return It == Kernels.end() ? nullptr : &*It;
}

//===--- 1. The module --------------------------------------------------===//

static SmallVector<Function *> findKernels(Module &M) {
  SetVector<Function *> Kernels;
  if (NamedMDNode *Annotations = M.getNamedMetadata("nvvm.annotations"))
    for (MDNode *Node : Annotations->operands()) {
      if (Node->getNumOperands() < 2)
        continue;
      auto *F = mdconst::dyn_extract_or_null<Function>(Node->getOperand(0));
      auto *Kind = dyn_cast_or_null<MDString>(Node->getOperand(1));
      if (F && !F->isDeclaration() && Kind && Kind->getString() == "kernel")
        Kernels.insert(F);
    }
  SmallVector<Function *> InOrder;
  for (Function &F : M)
    if (!F.isDeclaration() &&
        (Kernels.contains(&F) || F.getCallingConv() == CallingConv::PTX_Kernel))
      InOrder.push_back(&F);
  return InOrder;
}

static void resolveAliases(Module &M) {
  SmallVector<GlobalAlias *> Aliases;
  for (GlobalAlias &A : M.aliases())
    Aliases.push_back(&A);
  for (GlobalAlias *A : Aliases) {
    A->replaceAllUsesWith(A->getAliasee());
    A->eraseFromParent();
  }
}

/// Leaves recording clones the code of sampled blocks only: on CPU devices
/// others run the kernel, or note nothing.
static void keepSampledCode(Module &M) {
  for (Function &F : M) {
    bool Changed = false;
    for (BasicBlock &BB : F)
      if (auto *Branch = dyn_cast_if_present<BranchInst>(BB.getTerminator());
          Branch && Branch->hasMetadata(SampledMetadata)) {
        ReplaceInstWithInst(Branch,
                            BranchInst::Create(Branch->getSuccessor(0)));
        Changed = true;
      }
    if (Changed)
      EliminateUnreachableBlocks(F);
  }
}

static void retarget(Module &M, const Module &Host) {
  M.setTargetTriple(Host.getTargetTriple());
  M.setDataLayout(Host.getDataLayout());
  SmallVector<NamedMDNode *> Named;
  for (NamedMDNode &Node : M.named_metadata())
    if (Node.getName() != "llvm.dbg.cu")
      Named.push_back(&Node);
  for (NamedMDNode *Node : Named)
    M.eraseNamedMetadata(Node);
  for (StringRef Name : {"llvm.used", "llvm.compiler.used", "llvm.global_ctors",
                         "llvm.global_dtors"})
    if (GlobalVariable *List = M.getNamedGlobal(Name))
      List->eraseFromParent();
  resolveAliases(M);
  for (Function &F : M) {
    F.setCallingConv(CallingConv::C);
    F.setComdat(nullptr);
    F.setSection("");
  }
  for (GlobalVariable &G : M.globals())
    G.setComdat(nullptr);
}

/// Host code runs where the program's own does.
static void copyTargetAttributes(Module &M, const Module &Host) {
  const Function *Model = nullptr;
  for (const Function &F : Host)
    if (!F.isDeclaration() && F.hasFnAttribute("target-cpu")) {
      Model = &F;
      break;
    }
  if (!Model)
    return;
  for (Function &F : M)
    if (!F.isDeclaration())
      for (StringRef Name : {"target-cpu", "target-features", "tune-cpu"})
        if (Model->hasFnAttribute(Name))
          F.addFnAttr(Model->getFnAttribute(Name));
}

/// A frame that is larger than the guard below a stack must not pass over it.
static void probeStacks(Module &M) {
  const Triple Target(M.getTargetTriple());
  if (!Target.isX86() && !Target.isAArch64())
    return;
  for (Function &F : M)
    if (!F.isDeclaration())
      F.addFnAttr("probe-stack", "inline-asm");
}

//===--- 2. Operations --------------------------------------------------===//

static bool isTrap(StringRef Name) {
  return Name == "llvm.trap" || Name == "llvm.debugtrap" ||
         Name == "llvm.ubsantrap";
}

static Lowered lowerCall(CallInst &Call, CpuContext &C) {
  if (Call.isInlineAsm())
    return lowerAsm(Call, C);
  const Function *Callee = Call.getCalledFunction();
  StringRef Name = Callee->getName();
  if (isTrap(Name)) {
    C.callWithBlock("trap", C.B.getVoidTy(), {});
    return nullptr;
  }
  if (!Name.consume_front("llvm.nvvm."))
    return lowerLibrary(Call, Name, C);
  for (auto *Rule : {lowerSync, lowerMbarrier, lowerMatrix, lowerMemory,
                     lowerConversion, lowerMath})
    if (Lowered Result = Rule(Call, Name, C))
      return Result;
  return lowerLibrary(Call, Callee->getName(), C);
}

/// Collects the calls that need a rule: of functions that the device module
/// does not define.
static bool needsRule(const CallInst &Call) {
  if (Call.isInlineAsm())
    return true;
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || !Callee->isDeclaration())
    return false;
  StringRef Name = Callee->getName();
  if (!Name.starts_with("llvm."))
    return !Name.starts_with("__gridspan_cpu_");
  return Name.starts_with("llvm.nvvm.") || isTrap(Name);
}

static void lowerFunction(Function &F, UnsupportedInstructions &Unsupported) {
  SmallVector<Instruction *> Work;
  for (Instruction &I : instructions(F))
    Work.push_back(&I);
  CpuContext C(F);
  for (Instruction *I : Work) {
    C.B.SetInsertPoint(I);
    auto *Call = dyn_cast<CallInst>(I);
    if (!Call) {
      lowerInstruction(*I, C);
      continue;
    }
    if (!needsRule(*Call)) {
      Call->removeFnAttr(Attribute::Convergent);
      continue;
    }
    Lowered Result = lowerCall(*Call, C);
    if (!Result)
      Unsupported.add(*Call);
    if (!Call->getType()->isVoidTy()) {
      Value *V =
          Result && *Result ? *Result : PoisonValue::get(Call->getType());
      Call->replaceAllUsesWith(V);
    }
    Call->eraseFromParent();
  }
}

//===--- 5. Kernels -----------------------------------------------------===//

static ReachedFunctions reachedFrom(Function &Kernel) {
  ReachedFunctions Reached;
  Reached.insert(&Kernel);
  bool Indirect = false;
  for (unsigned I = 0; I != Reached.size(); ++I)
    for (Instruction &Inst : instructions(*Reached[I])) {
      auto *Call = dyn_cast<CallInst>(&Inst);
      if (!Call || Call->isInlineAsm())
        continue;
      Function *Callee = Call->getCalledFunction();
      if (Callee && !Callee->isDeclaration())
        Reached.insert(Callee);
      // A call through a pointer reaches whatever has its address taken.
      if (!Callee && !std::exchange(Indirect, true))
        for (Function &F : *Kernel.getParent())
          if (!F.isDeclaration() && F.hasAddressTaken())
            Reached.insert(&F);
    }
  return Reached;
}

/// What was done to a kernel before it is cut into regions.
enum class RegionForm { Plain, Steps, Exchanges, StepsAndExchanges };

static StringRef textOf(RegionForm Form) {
  switch (Form) {
  case RegionForm::Plain:
    return "";
  case RegionForm::Steps:
    return ", loops taken together";
  case RegionForm::Exchanges:
    return ", lanes exchange values at barriers";
  case RegionForm::StepsAndExchanges:
    return ", loops taken together, lanes exchange values at barriers";
  }
  llvm_unreachable("covered");
}

namespace {

class Lowering {
public:
  Lowering(Module &Device, Module &Host, const CpuLoweringOptions &Options)
      : M(Device), Host(Host), Options(Options) {}

  CpuModuleCode run() {
    prepare();
    lowerBodies();
    MapVector<Function *, ReachedFunctions> Reached;
    for (Function *K : Kernels)
      Reached[K] = reachedFrom(*K);
    lowerDeviceVariables(M, Code);
    SharedSizes = lowerSharedVariables(M, Reached);
    for (auto [I, K] : enumerate(Kernels))
      describe(Code.Kernels[I], *K, Reached[K]);
    chooseOptimized(Reached);
    if (Options.Trace)
      traceKernels(Reached);
    for (auto [I, K] : enumerate(Kernels))
      if (Code.Kernels[I].Unsupported.empty())
        makeRun(Code.Kernels[I], *K, Reached[K]);
    if (auto Levels = wideLevels(Host, Options.Vectors); !Levels.empty()) {
      forbidContraction(M);
      for (CpuKernelCode &K : Code.Kernels)
        requestWideCode(K, Levels);
    }
    copyTargetAttributes(M, Host);
    probeStacks(M);
    return std::move(Code);
  }

private:
  void prepare() {
    keepSampledCode(M);
    Kernels = findKernels(M);
    for (Function *K : Kernels) {
      Code.Kernels.emplace_back();
      Code.Kernels.back().Name = K->getName().str();
      Code.Kernels.back().Where = DiagnosticLocation(K->getSubprogram());
    }
    retarget(M, Host);
    Kernels = addThreadParameters(M, Kernels);
  }

  void lowerBodies() {
    // Lowering adds functions, which are host code already.
    SmallVector<Function *> Bodies;
    for (Function &F : M)
      if (!F.isDeclaration())
        Bodies.push_back(&F);
    for (Function *F : Bodies) {
      signSharedIndices(*F);
      lowerFunction(*F, Unsupported);
      if (yieldInSpinLoops(*F))
        Spinning.insert(F);
    }
    Unsupported.addExternalVariables(M);
  }

  void describe(CpuKernelCode &K, Function &F,
                const ReachedFunctions &Reached) {
    K.StaticSharedBytes = SharedSizes[&F];
    for (Function *Callee : Reached) {
      if (waits(*Callee))
        K.Flags |= GridspanCpuNeedsFibers;
      if (Spinning.contains(Callee))
        K.Flags |= GridspanCpuSpins;
      if (K.Unsupported.empty())
        K.Unsupported = Unsupported.message(*Callee);
    }
  }

  /// Chooses the smallest kernels that have MaxOptimized instructions together:
  /// many templates or unrolled loops would take optimizers minutes.
  void chooseOptimized(MapVector<Function *, ReachedFunctions> &Reached) {
    SmallVector<std::pair<uint64_t, size_t>> Sizes; // and the number
    for (auto [I, K] : enumerate(Kernels)) {
      if (!Code.Kernels[I].Unsupported.empty())
        continue;
      uint64_t Size = 0;
      for (const Function *F : Reached[K])
        Size += F->getInstructionCount();
      Sizes.emplace_back(Size, I);
    }
    sort(Sizes);
    uint64_t Sum = 0;
    for (auto [Size, I] : Sizes)
      if ((Sum += Size) <= Options.MaxOptimized)
        Optimized.insert(Kernels[I]);
  }

  /// Returns the regions of a kernel whose threads wait for each other.
  static CpuRegions regionsOf(Function &K, const ReachedFunctions &Reached) {
    if (any_of(Reached, [&](Function *F) { return F != &K && waits(*F); }))
      return {RegionRefusal::BarrierInFunction, {}, false};
    return findRegions(K);
  }

  /// Makes Run a loop over the threads of each region, if F has regions.
  /// Returns false if it does not.
  bool makeRegions(CpuKernelCode &Kernel, Function &F, RegionForm Form,
                   const ReachedFunctions &Reached) {
    CpuRegions Regions = regionsOf(F, Reached);
    const bool Exchanges =
        Form == RegionForm::Exchanges || Form == RegionForm::StepsAndExchanges;
    if (Exchanges && Regions.SomeEnd)
      Regions.Refusal = RegionRefusal::EndedLanes;
    // Without its steps a kernel is asked again.
    const bool HasSteps =
        Form == RegionForm::Steps || Form == RegionForm::StepsAndExchanges;
    if (Options.Regions && !(HasSteps && Regions.Refusal))
      printRegions(*Options.Regions, Kernel.Name, textOf(Form), Regions);
    if (Kernel.Flags & GridspanCpuNeedsFibers)
      Kernel.WhyFibers = Regions.Refusal;
    if (Regions.Refusal)
      return false;
    Kernel.Flags |= GridspanCpuHasRegions;
    const auto MakeTile = [&](Function &Region, ArrayRef<unsigned> Growing) {
      return makeThreadTile(Region, Growing, Region.getName(), Options.Tiles);
    };
    Kernel.Run = makeRegionLoop(F, runName(Kernel), {TileWidth, MakeTile});
    return true;
  }

  /// The same for a copy of F that Change has changed. Returns nothing if it
  /// had nothing to change, or could not.
  std::optional<bool> makeChanged(CpuKernelCode &Kernel, Function &F,
                                  RegionForm Form, bool (*Change)(Function &),
                                  ReachedFunctions Reached) {
    if (F.hasFnAttribute(Attribute::OptimizeNone))
      return std::nullopt;
    ValueToValueMapTy Map;
    Function *Copy = CloneFunction(&F, Map);
    Reached.remove(&F);
    Reached.insert(Copy);
    copyChangedParameters(*Copy);
    std::optional<bool> Made;
    if (Change(*Copy))
      Made = makeRegions(Kernel, *Copy, Form, Reached);
    Copy->eraseFromParent();
    return Made;
  }

  /// The same for F with barriers in loops that threads are to take together,
  /// else, if threads wait, in place of its warp operations, else as it is.
  bool makeAnyRegions(CpuKernelCode &Kernel, Function &F, bool Waits,
                      const ReachedFunctions &Reached) {
    for (auto *Insert : {insertSteps, insertStridedSteps})
      if (makeChanged(Kernel, F, RegionForm::Steps, Insert, Reached)
              .value_or(false))
        return true;
    if (!Waits)
      return false;
    const auto InsertAndReplace = [](Function &Copy) {
      return insertStridedSteps(Copy) && replaceWarpOperations(Copy);
    };
    if (makeChanged(Kernel, F, RegionForm::StepsAndExchanges, InsertAndReplace,
                    Reached)
            .value_or(false))
      return true;
    if (std::optional<bool> Made = makeChanged(Kernel, F, RegionForm::Exchanges,
                                               replaceWarpOperations, Reached))
      return *Made;
    copyChangedParameters(F);
    return makeRegions(Kernel, F, RegionForm::Plain, Reached);
  }

  static std::string runName(const CpuKernelCode &Kernel) {
    return (CpuPrefix + "run." + Kernel.Name).str();
  }

  /// Returns true if F, a fiber for each thread, would not be faster with code
  /// of its own. Calls that record an access return at once when nothing does.
  static bool isTracedGoodEnough(Function &F, const ReachedFunctions &Reached) {
    return mostlyWaits(F) && none_of(Reached, [&](Function *Callee) {
             return Callee != &F && hasLoop(*Callee);
           });
  }

  void makeRun(CpuKernelCode &Kernel, Function &F,
               const ReachedFunctions &Reached) {
    const bool Waits = Kernel.Flags & GridspanCpuNeedsFibers;
    if (!Optimized.contains(&F)) {
      makeUnoptimizedRun(Kernel, F);
      return;
    }
    if (makeAnyRegions(Kernel, F, Waits, Reached))
      return;
    if (Kernel.RunTraced && isTracedGoodEnough(F, Reached))
      Kernel.Run = Kernel.RunTraced;
    else
      Kernel.Run = makeThreadLoop(F, runName(Kernel), !Waits, Options.Tiles);
  }

  void makeUnoptimizedRun(CpuKernelCode &Kernel, Function &F) {
    Kernel.IsUnoptimized = true;
    if (Kernel.Flags & GridspanCpuNeedsFibers)
      Kernel.WhyFibers = RegionRefusal::Unoptimized;
    if (Kernel.RunTraced) {
      Kernel.Run = Kernel.RunTraced;
      return;
    }
    leaveUnoptimized(F);
    makeQuickToCompile(F);
    Kernel.Run = makeThreadLoop(F, runName(Kernel), /*Independent=*/false);
  }

  /// Not of fibers, whose kernels are not inlined into Run.
  static void requestWideCode(CpuKernelCode &Kernel,
                              ArrayRef<VectorLevel> Levels) {
    const bool IsFibers = (Kernel.Flags & GridspanCpuNeedsFibers) &&
                          !(Kernel.Flags & GridspanCpuHasRegions);
    if (Kernel.Run && Kernel.Run != Kernel.RunTraced && !IsFibers)
      gridspan::requestWideCode(*Kernel.Run, Levels);
  }

  void traceKernels(MapVector<Function *, ReachedFunctions> &Reached) {
    SetVector<Function *> Wanted;
    for (auto [I, K] : enumerate(Kernels))
      if (Code.Kernels[I].Unsupported.empty())
        Wanted.insert(Reached[K].begin(), Reached[K].end());
    MapVector<Function *, Function *> Traced = makeTracedVersions(Wanted);
    for (auto [I, K] : enumerate(Kernels))
      if (Code.Kernels[I].Unsupported.empty())
        Code.Kernels[I].RunTraced = makeThreadLoop(
            *Traced[K], (CpuPrefix + "trace." + Code.Kernels[I].Name).str(),
            /*Independent=*/false);
  }

  Module &M;
  Module &Host;
  const CpuLoweringOptions &Options;
  CpuModuleCode Code;
  SmallVector<Function *> Kernels; ///< parallel to Code.Kernels
  SetVector<Function *> Spinning;
  SmallPtrSet<Function *, 16> Optimized; ///< kernels
  UnsupportedInstructions Unsupported;
  MapVector<Function *, uint64_t> SharedSizes;
};

} // namespace

//===--- 6. Linking -----------------------------------------------------===//

/// Applies Fn to a pointer to every function and variable that Code names.
template <typename Fn> static void forEachRoot(CpuModuleCode &Code, Fn Apply) {
  for (CpuKernelCode &K : Code.Kernels) {
    Apply(K.Run);
    Apply(K.RunTraced);
  }
  Apply(Code.Image);
  Apply(Code.Relocate);
}

/// Keeps names, because linking replaces the objects. Only what is reached from
/// an external symbol is linked.
static Error linkInto(Module &Host, std::unique_ptr<Module> Device,
                      CpuModuleCode &Code) {
  std::vector<std::string> Names;
  forEachRoot(Code, [&](auto *Root) {
    if (Root)
      Root->setLinkage(GlobalValue::ExternalLinkage);
    Names.push_back(Root ? Root->getName().str() : "");
  });
  if (Linker::linkModules(Host, std::move(Device)))
    return createStringError("device code could not be linked into the host "
                             "module");
  size_t Next = 0;
  forEachRoot(Code, [&](auto *&Root) {
    const std::string &Name = Names[Next++];
    if (Name.empty())
      return;
    using Kind = std::remove_pointer_t<std::remove_reference_t<decltype(Root)>>;
    Root = cast<Kind>(Host.getNamedValue(Name));
    Root->setLinkage(GlobalValue::InternalLinkage);
    Root->setDSOLocal(true);
  });
  return Error::success();
}

CpuLoweringOptions gridspan::cpuLoweringOptions() {
  CpuLoweringOptions Out;
  Out.Trace = CpuTraceOption;
  Out.MaxOptimized = CpuLimitOption;
  if (CpuAvx512Option)
    Out.Vectors = VectorLevel::Avx512;
  return Out;
}

Expected<CpuModuleCode>
gridspan::lowerForCpu(std::unique_ptr<Module> Device, Module &Host,
                      const CpuLoweringOptions &Options) {
  if (!Triple(Device->getTargetTriple()).isNVPTX())
    return createStringError("device code for '%s', not for a GPU of NVIDIA",
                             Device->getTargetTriple().c_str());
  CpuModuleCode Code = Lowering(*Device, Host, Options).run();
  if (!Host.getModuleFlag("Debug Info Version"))
    StripDebugInfo(*Device);
  std::string Problem;
  raw_string_ostream Stream(Problem);
  if (verifyModule(*Device, &Stream))
    return createStringError("lowering device code made bad IR: %s",
                             Problem.c_str());
  if (Error E = linkInto(Host, std::move(Device), Code))
    return std::move(E);
  return Code;
}
