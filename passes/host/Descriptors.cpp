//===- Descriptors.cpp - Data of a module for the runtime -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants with internal linkage: kernels of templates are in several modules,
// and each describes its own; the runtime knows kernels by their stub, which
// the linker makes one.
//
//===----------------------------------------------------------------------===//

#include "passes/host/Descriptors.h"
#include "analysis/legality/Legality.h"
#include "passes/host/RangeEmitter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace gridspan;

static Constant *emitParams(AbiConstants &Abi, const KernelSummary &Kernel) {
  SmallVector<descriptor::GridspanParam> Params;
  for (const ParamSummary &P : Kernel.Params)
    Params.push_back({P.Offset, P.Size});
  return Abi.array<descriptor::GridspanParam>("params_" + Kernel.Name, Params);
}

static Constant *emitPointers(AbiConstants &Abi, const KernelSummary &Kernel) {
  SmallVector<descriptor::GridspanPointer> Pointers;
  for (const PointerSummary &P : Kernel.Pointers)
    Pointers.push_back({P.Param, P.ByteOffset, P.Modes,
                        (P.Replicable ? GridspanReplicable : 0U) |
                            (P.Redirectable ? GridspanRedirectable : 0U) |
                            (P.OwnElement ? GridspanOwnElement : 0U) |
                            (P.Packable ? GridspanPackable : 0U) |
                            uint32_t(P.Reduction) << GridspanReductionShift});
  return Abi.array<descriptor::GridspanPointer>("pointers_" + Kernel.Name,
                                                Pointers);
}

static Constant *emitTextures(AbiConstants &Abi, const KernelSummary &Kernel) {
  SmallVector<descriptor::GridspanTexture> Textures;
  for (const TextureSummary &T : Kernel.Textures)
    Textures.push_back({T.Param, T.ByteOffset});
  return Abi.array<descriptor::GridspanTexture>("textures_" + Kernel.Name,
                                                Textures);
}

static Constant *emitAccesses(AbiConstants &Abi, const KernelSummary &Kernel) {
  SmallVector<descriptor::GridspanAccess> Accesses;
  for (const AccessSummary &A : Kernel.Accesses) {
    descriptor::GridspanAccess Access;
    Access.Where = Abi.string(A.Where);
    Access.Why = Abi.stringOrNull(A.Why);
    Access.Pointer = A.Pointer;
    Access.Mode = A.Mode;
    Access.ElementSize = A.ElementSize;
    Access.Site = A.Site;
    Accesses.push_back(Access);
  }
  return Abi.array<descriptor::GridspanAccess>("accesses_" + Kernel.Name,
                                               Accesses);
}

/// Returns why the kernel may not be split, or an empty name. A kernel without
/// a clone needs a reason even if the summary has none.
static RefusalSummary refusalOf(const DescribedKernel &Kernel) {
  if (!Kernel.Summary)
    return {"not-analysed", "the device code carries no summary of the kernel"};
  if (Kernel.Summary->Flags & GridspanNotAnalysed)
    return {"not-analysed", "kernels are not analysed at -O0"};
  if (!Kernel.Summary->Refusals.empty()) {
    // The runtime does not wait for a kernel that may wait for the host. A
    // barrier of the grid is a loop that waits as well, for blocks that run.
    std::vector<RefusalSummary> All = Kernel.Summary->Refusals;
    const auto Find = [&](RefusalKind Kind) {
      return find_if(All, [=](const RefusalSummary &R) {
        return R.Name == refusalName(Kind);
      });
    };
    const auto Wait = Find(RefusalKind::WaitsOnOtherBlock);
    if (Wait != All.end() && Find(RefusalKind::GridBarrier) == All.end())
      std::rotate(All.begin(), Wait, Wait + 1);
    for (const RefusalSummary &More : drop_begin(All))
      All.front().Text += "; " + More.Text;
    return All.front();
  }
  if (!Kernel.TiledStub)
    return {"no-clone", "the device code holds no tiled clone of the kernel"};
  return {};
}

/// Describes a clone that takes Bytes more, in a last parameter.
static descriptor::GridspanKernel describeClone(AbiConstants &Abi,
                                                const DescribedKernel &Kernel,
                                                const std::string &Name,
                                                uint32_t Bytes) {
  const KernelSummary &Summary = *Kernel.Summary;
  SmallVector<descriptor::GridspanParam> Params;
  uint32_t End = 0;
  for (const ParamSummary &P : Summary.Params) {
    Params.push_back({P.Offset, P.Size});
    End = P.Offset + P.Size;
  }
  Params.push_back({uint32_t(alignTo(End, 8)), Bytes});
  descriptor::GridspanKernel Result;
  Result.Name = Abi.string(Name);
  Result.Params =
      Abi.array<descriptor::GridspanParam>("params_" + Name, Params);
  Result.NumParams = Params.size();
  Result.Flags = Summary.Flags;
  Result.MaxThreads = Summary.MaxThreads;
  return Result;
}

/// Returns the clone with packed rows, which has one more parameter.
static Constant *emitPacked(AbiConstants &Abi, const DescribedKernel &Kernel) {
  if (!Kernel.PackedStub || !Kernel.TiledStub)
    return nullptr;
  const KernelSummary &Summary = *Kernel.Summary;
  const std::string &Name = Summary.PackedName;
  const auto Packable = uint32_t(count_if(
      Summary.Pointers, [](const PointerSummary &P) { return P.Packable; }));
  descriptor::GridspanKernel Result =
      describeClone(Abi, Kernel, Name, Packable * sizeof(GridspanPacking));
  Result.HostStub = Result.TiledStub = Kernel.PackedStub;
  Result.Cpu = Kernel.PackedCpu;
  return Abi.global("kernel_" + Name, Abi.make(Result));
}

/// Returns the clone that records, which has one more parameter.
static Constant *emitRecording(AbiConstants &Abi,
                               const DescribedKernel &Kernel) {
  if (!Kernel.RecordingStub)
    return nullptr;
  const std::string &Name = Kernel.Summary->RecordingName;
  descriptor::GridspanKernel Result =
      describeClone(Abi, Kernel, Name, sizeof(GridspanRecorder));
  Result.HostStub = Kernel.RecordingStub;
  Result.TiledStub = Kernel.TiledStub ? Kernel.RecordingStub : nullptr;
  Result.Cpu = Kernel.RecordingCpu;
  SmallVector<descriptor::GridspanAccess> Probes;
  for (const ProbeSummary &P : Kernel.Summary->Probes) {
    descriptor::GridspanAccess Probe;
    Probe.Where = Abi.string("");
    Probe.Pointer = -1;
    Probe.Mode = P.Mode;
    Probe.ElementSize = P.Bytes;
    Probe.Site = P.Site;
    Probes.push_back(Probe);
  }
  Result.Accesses =
      Abi.array<descriptor::GridspanAccess>("probes_" + Name, Probes);
  Result.NumAccesses = Probes.size();
  return Abi.global("kernel_" + Name, Abi.make(Result));
}

static SmallVector<descriptor::GridspanRecordForm>
describeForms(Module &M, AbiConstants &Abi, const KernelSummary &Summary) {
  SmallVector<descriptor::GridspanRecordForm> Forms;
  for (auto [Number, P] : enumerate(Summary.Pointers)) {
    if (P.Form.RecordBytes == 0)
      continue;
    descriptor::GridspanRecordForm Form;
    Form.Fields =
        Abi.global(("fields_" + Twine(Number) + "_" + Summary.Name).str(),
                   ConstantDataArray::get(M.getContext(), P.Form.Fields));
    Form.NumFields = P.Form.Fields.size();
    Form.RecordBytes = P.Form.RecordBytes;
    Form.Pointer = Number;
    Form.Flags = P.Form.Flags;
    Form.SavedBytes = P.Form.SavedBytes;
    Forms.push_back(Form);
  }
  return Forms;
}

/// Gives Result the clone for records in other forms, which has one more
/// parameter, and the forms.
static void addForms(Module &M, AbiConstants &Abi,
                     const DescribedKernel &Kernel,
                     descriptor::GridspanKernel &Result) {
  if (!Kernel.FormedStub)
    return;
  const std::string &Name = Kernel.Summary->FormedName;
  const SmallVector<descriptor::GridspanRecordForm> Forms =
      describeForms(M, Abi, *Kernel.Summary);
  descriptor::GridspanKernel Clone = describeClone(
      Abi, Kernel, Name, uint32_t(Forms.size() * sizeof(GridspanFormed)));
  Clone.HostStub = Kernel.FormedStub;
  Clone.NoAliasStub = Kernel.FormedNoAliasStub;
  Clone.Cpu = Kernel.FormedCpu;
  Clone.CpuNoAlias = Kernel.FormedCpuNoAlias;
  Result.Formed = Abi.global("kernel_" + Name, Abi.make(Clone));
  Result.Forms =
      Abi.array<descriptor::GridspanRecordForm>("forms_" + Name, Forms);
  Result.NumForms = Forms.size();
}

static descriptor::GridspanKernel emitKernel(Module &M, AbiConstants &Abi,
                                             const DescribedKernel &Kernel) {
  descriptor::GridspanKernel Result;
  Result.HostStub = Kernel.HostStub;
  Result.TiledStub = Kernel.TiledStub;
  Result.NoAliasStub = Kernel.NoAliasStub;
  Result.TiledNoAliasStub = Kernel.TiledNoAliasStub;
  Result.Name = Abi.string(Kernel.Name);
  RefusalSummary Refusal = refusalOf(Kernel);
  Result.Refusal = Abi.stringOrNull(Refusal.Name);
  Result.RefusalText = Abi.stringOrNull(Refusal.Text);
  Result.Cpu = Kernel.Cpu;
  Result.CpuNoAlias = Kernel.CpuNoAlias;
  if (!Kernel.Summary) {
    Result.Flags =
        GridspanNotAnalysed | GridspanUnknownRead | GridspanUnknownWrite;
    return Result;
  }
  const KernelSummary &Summary = *Kernel.Summary;
  Result.Packed = emitPacked(Abi, Kernel);
  Result.Recording = emitRecording(Abi, Kernel);
  addForms(M, Abi, Kernel, Result);
  Result.Params = emitParams(Abi, Summary);
  Result.Pointers = emitPointers(Abi, Summary);
  Result.Textures = emitTextures(Abi, Summary);
  Result.Accesses = emitAccesses(Abi, Summary);
  Result.Ranges = emitRangeFunction(M, Summary);
  Result.Work = emitWorkFunction(M, Summary);
  Result.Atomics = emitAtomicsFunction(M, Summary);
  Result.NumParams = Summary.Params.size();
  Result.NumPointers = Summary.Pointers.size();
  Result.NumAccesses = Summary.Accesses.size();
  Result.Flags = Summary.Flags;
  Result.MaxThreads = Summary.MaxThreads;
  Result.NumTextures = Summary.Textures.size();
  return Result;
}

GlobalVariable *gridspan::emitDescriptors(Module &M, AbiConstants &Abi,
                                          ArrayRef<DescribedKernel> Kernels,
                                          const ModuleSummary *Device,
                                          Constant *CpuModule) {
  SmallVector<descriptor::GridspanKernel> Descriptors;
  for (const DescribedKernel &Kernel : Kernels)
    Descriptors.push_back(emitKernel(M, Abi, Kernel));
  descriptor::GridspanModule Module;
  Module.Name = Abi.string(M.getSourceFileName());
  Module.Kernels =
      Abi.array<descriptor::GridspanKernel>("kernels", Descriptors);
  Module.Cpu = CpuModule;
  if (Device) {
    Module.Builds = Abi.stringOrNull(Device->Build);
    Module.Advice = Abi.stringOrNull(Device->Advice);
  }
  Module.Version = GRIDSPAN_ABI_VERSION;
  Module.NumKernels = Descriptors.size();
  return Abi.global("module", Abi.make(Module));
}

/// Returns an internal function without parameters that passes Descriptor to
/// Callee.
static Function *emitCaller(Module &M, StringRef Name, StringRef Callee,
                            GlobalVariable *Descriptor) {
  Type *Void = Type::getVoidTy(M.getContext());
  auto *F = Function::Create(FunctionType::get(Void, false),
                             GlobalValue::InternalLinkage, Name, M);
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "entry", F));
  B.CreateCall(M.getOrInsertFunction(Callee, Void, B.getPtrTy()), {Descriptor});
  B.CreateRetVoid();
  return F;
}

void gridspan::registerFatbinEarly(Module &M) {
  GlobalVariable *Ctors = M.getNamedGlobal("llvm.global_ctors");
  if (!Ctors || !Ctors->hasInitializer())
    return;
  auto *List = dyn_cast<ConstantArray>(Ctors->getInitializer());
  if (!List)
    return;
  SmallVector<Constant *> Entries;
  for (const Use &U : List->operands()) {
    auto *Entry = cast<ConstantStruct>(U.get());
    auto *F = dyn_cast<Function>(Entry->getOperand(1)->stripPointerCasts());
    if (F && F->getName() == "__cuda_module_ctor") {
      // Behind the modules, and before the runtime serves other processes.
      constexpr int Priority = 102;
      Constant *Fields[] = {
          ConstantInt::get(Entry->getOperand(0)->getType(), Priority),
          Entry->getOperand(1), Entry->getOperand(2)};
      Entry =
          cast<ConstantStruct>(ConstantStruct::get(Entry->getType(), Fields));
    }
    Entries.push_back(Entry);
  }
  Ctors->setInitializer(ConstantArray::get(List->getType(), Entries));
}

void gridspan::emitModuleConstructor(Module &M, GlobalVariable *Descriptor) {
  // Before all constructors of ordinary priority, clang's own among them: those
  // of the program may already launch kernels.
  constexpr int Priority = 101;
  Function *Ctor = emitCaller(M, "__gridspan_module_ctor",
                              "__gridspan_register_module", Descriptor);
  Function *Dtor = emitCaller(M, "__gridspan_module_dtor",
                              "__gridspan_unregister_module", Descriptor);
  // By atexit, as clang's own: a destructor of the program may still use CUDA,
  // and what is registered first is undone last.
  IRBuilder<> B(Ctor->getEntryBlock().getTerminator());
  B.CreateCall(M.getOrInsertFunction("atexit", B.getInt32Ty(), B.getPtrTy()),
               {Dtor});
  appendToGlobalCtors(M, Ctor, Priority);
}
