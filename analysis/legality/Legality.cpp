//===- Legality.cpp - Conditions for splitting a grid ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory is one address space in which every device reaches every page, so the
// blocks of a launch may run anywhere unless they can tell, or need each other.
// CUDA gives blocks of an ordinary launch no order and no promise to run at the
// same time; what a correct kernel may still rely on is listed in Legality.def:
//
//   * it synchronizes or waits (grid barrier, clusters, a spinning loop);
//   * it uses state that exists once per device (mutable variables, surfaces,
//     textures but those of its parameters, the device's heap, device-side
//     launches);
//   * it asks where it runs (%smid ...);
//   * it does something that is not seen (assembly, unknown or indirect calls).
//
// Atomics and fences of device scope are widened in the clone, which needs a
// form at system scope.
//
//===----------------------------------------------------------------------===//

#include "analysis/legality/Legality.h"
#include "analysis/legality/TextureHandles.h"
#include "analysis/legality/Waits.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "analysis/nvptx/InlineAssembly.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/nvptx/SourceLocation.h"
#include "analysis/nvptx/SystemScope.h"
#include "analysis/nvptx/TilePosition.h"
#include "analysis/summary/KernelParams.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;

namespace gridspan {

static constexpr struct {
  StringLiteral Name, Text;
} Refusals[] = {
#define GRIDSPAN_REFUSAL(Kind, Name, Text) {Name, Text},
#include "analysis/legality/Legality.def"
};

StringRef refusalName(RefusalKind Kind) {
  return Refusals[unsigned(Kind)].Name;
}

StringRef refusalText(RefusalKind Kind) {
  return Refusals[unsigned(Kind)].Text;
}

std::string Refusal::message() const {
  std::string Out = formatv("cannot be split: {0}", refusalText(Kind));
  if (!Detail.empty())
    Out += formatv(" ({0})", Detail);
  if (Where)
    if (std::string Place = sourceLocation(*Where); !Place.empty())
      Out += " at " + Place;
  return Out;
}

//===----------------------------------------------------------------------===//
// Device variables
//===----------------------------------------------------------------------===//

/// Returns true if the variable's contents can change while kernels run:
/// something in the module writes it, or its address goes where it cannot be
/// followed.
static bool isWrittenOrEscapes(const GlobalVariable &Variable) {
  SmallVector<const Use *, 16> Work;
  SmallPtrSet<const Value *, 16> Seen;
  auto Push = [&](const Value *V) {
    if (Seen.insert(V).second)
      for (const Use &U : V->uses())
        Work.push_back(&U);
  };
  Push(&Variable);
  while (!Work.empty()) {
    const Use *U = Work.pop_back_val();
    const User *By = U->getUser();
    if (isa<GEPOperator>(By) || isa<AddrSpaceCastOperator>(By) ||
        isa<PHINode>(By) || isa<SelectInst>(By) || isa<BitCastOperator>(By)) {
      Push(By);
      continue;
    }
    if (const auto *Load = dyn_cast<LoadInst>(By))
      if (!Load->isVolatile())
        continue;
    if (const auto *Copy = dyn_cast<MemTransferInst>(By))
      if (U->getOperandNo() == 1 && !Copy->isVolatile())
        continue;
    if (const auto *Call = dyn_cast<CallBase>(By)) {
      const Function *Callee = Call->getCalledFunction();
      if (Callee && (Callee->getName().starts_with("llvm.nvvm.ldg") ||
                     Callee->getName().starts_with("llvm.nvvm.ldu") ||
                     Callee->getName() == "vprintf" ||
                     Callee->getName() == "__assertfail"))
        continue;
    }
    // llvm.used and the like keep it alive and do nothing else.
    if (const auto *Array = dyn_cast<ConstantArray>(By)) {
      if (all_of(Array->users(), [](const User *Owner) {
            const auto *List = dyn_cast<GlobalVariable>(Owner);
            return List && List->getName().starts_with("llvm.");
          }))
        continue;
    }
    return true;
  }
  return false;
}

/// The __device__ variables that operand V names, through constants.
static void collectVariables(const Value *V,
                             SmallPtrSetImpl<const GlobalVariable *> &Out) {
  SmallVector<const Value *, 8> Work = {V};
  SmallPtrSet<const Value *, 8> Seen;
  while (!Work.empty()) {
    const Value *Next = Work.pop_back_val();
    if (!isa<Constant>(Next) || !Seen.insert(Next).second)
      continue;
    if (const auto *Variable = dyn_cast<GlobalVariable>(Next)) {
      Out.insert(Variable);
      continue;
    }
    if (isa<ConstantExpr>(Next) || isa<ConstantAggregate>(Next))
      for (const Value *Op : cast<Constant>(Next)->operands())
        Work.push_back(Op);
  }
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

namespace {
class Checker {
public:
  void visit(const Instruction &I);
  void visitCycles(const CycleInfo &Cycles);
  void visitRecursion(const Function &F);
  void visitTextures(const Function &Kernel);
  void add(RefusalKind Kind, const Instruction *Where,
           const Twine &Detail = "") {
    Found.try_emplace(Kind, Refusal{Kind, Where, Detail.str()});
  }
  SmallVector<Refusal, 2> take() {
    SmallVector<Refusal, 2> Out;
    for (auto &[Kind, R] : Found)
      Out.push_back(std::move(R));
    return Out;
  }

private:
  void visitCall(const CallBase &Call);
  void visitAssembly(const CallBase &Call, const InlineAsm &Asm);
  void visitIntrinsic(const CallBase &Call, StringRef Name);
  void visitVariables(const Instruction &I);

  // Ordered by kind, which is the order of Legality.def.
  std::map<RefusalKind, Refusal> Found;
  std::map<const GlobalVariable *, bool> Mutable;
};
} // namespace

void Checker::visitAssembly(const CallBase &Call, const InlineAsm &Asm) {
  AssemblyEffects Effects = assemblyEffects(Asm.getAsmString());
  if (Effects.GridBarrier)
    add(RefusalKind::GridBarrier, &Call);
  if (Effects.BlockCluster)
    add(RefusalKind::BlockCluster, &Call);
  if (usesSurface(Call))
    add(RefusalKind::Surface, &Call);
  if (Effects.MultiprocessorIdentity)
    add(RefusalKind::MultiprocessorIdentity, &Call, Asm.getAsmString());
  if (Effects.Waits)
    add(RefusalKind::WaitsOnOtherBlock, &Call);
  if (!Effects.Known)
    add(RefusalKind::InlineAssembly, &Call, Asm.getAsmString());
}

void Checker::visitIntrinsic(const CallBase &Call, StringRef Name) {
  if (!Name.consume_front("llvm.nvvm."))
    return;
  if (Name.contains("cluster") || Name.starts_with("mapa") ||
      Name.starts_with("getctarank") || Name.contains("shared.cluster")) {
    add(RefusalKind::BlockCluster, &Call);
    return;
  }
  if (usesSurface(Call)) {
    add(RefusalKind::Surface, &Call);
    return;
  }
  if (Name.starts_with("read.ptx.sreg.smid") ||
      Name.starts_with("read.ptx.sreg.nsmid") ||
      Name.starts_with("read.ptx.sreg.gridid") ||
      Name.starts_with("read.ptx.sreg.nwarpid")) {
    add(RefusalKind::MultiprocessorIdentity, &Call);
    return;
  }
  if (Name.starts_with("read.ptx.sreg.envreg"))
    add(RefusalKind::GridBarrier, &Call);
}

void Checker::visitCall(const CallBase &Call) {
  if (const auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand())) {
    visitAssembly(Call, *Asm);
    return;
  }
  const Function *Callee = Call.getCalledFunction();
  if (!Callee) {
    add(RefusalKind::IndirectCall, &Call);
    return;
  }
  StringRef Name = Callee->getName();
  if (Callee->isIntrinsic()) {
    visitIntrinsic(Call, Name);
    return;
  }
  if (!Callee->isDeclaration() || tilePositionOf(Call))
    return; // walked on its own, or the clone's
  if (Name == "vprintf" || Name == "__assertfail" || Name == "abort")
    return;
  if (Name == "malloc" || Name == "free" || Name == "_Znwm" ||
      Name == "_ZdlPv") {
    add(RefusalKind::DeviceHeap, &Call, Name);
    return;
  }
  if (Name.starts_with("cudaCGGetIntrinsicHandle") ||
      Name.starts_with("cudaCGSynchronize")) {
    add(RefusalKind::GridBarrier, &Call);
    return;
  }
  if (Name.starts_with("cudaLaunchDevice") ||
      Name.starts_with("cudaGetParameterBuffer") ||
      Name.starts_with("cudaDeviceSynchronize") ||
      Name.starts_with("__cudaCDP")) {
    add(RefusalKind::DeviceLaunch, &Call, Name);
    return;
  }
  add(RefusalKind::UnknownFunction, &Call, Name);
}

void Checker::visitVariables(const Instruction &I) {
  SmallPtrSet<const GlobalVariable *, 4> Named;
  for (const Value *Op : I.operands())
    collectVariables(Op, Named);
  SmallVector<const GlobalVariable *, 4> Changed;
  for (const GlobalVariable *Variable : Named) {
    if (!mayBeGlobalSpace(Variable->getAddressSpace()) ||
        Variable->isConstant())
      continue;
    auto [It, IsNew] = Mutable.try_emplace(Variable, false);
    if (IsNew)
      It->second = isWrittenOrEscapes(*Variable);
    if (It->second)
      Changed.push_back(Variable);
  }
  if (Changed.empty())
    return;
  const GlobalVariable *First = *min_element(
      Changed, [](const GlobalVariable *L, const GlobalVariable *R) {
        return L->getName() < R->getName();
      });
  add(RefusalKind::MutableDeviceVariable, &I, First->getName());
}

void Checker::visit(const Instruction &I) {
  visitVariables(I);
  if (const auto *Call = dyn_cast<CallBase>(&I))
    visitCall(*Call);
  if (needsSystemScope(I) && !canWidenToSystemScope(I))
    add(RefusalKind::AtomicWithoutSystemScope, &I);
}

void Checker::visitCycles(const CycleInfo &Cycles) {
  if (const Instruction *Wait = findWait(Cycles))
    add(RefusalKind::WaitsOnOtherBlock, Wait);
}

void Checker::visitRecursion(const Function &F) {
  if (const Instruction *Wait = findRecursiveWait(F))
    add(RefusalKind::WaitsOnOtherBlock, Wait);
}

void Checker::visitTextures(const Function &Kernel) {
  const TextureHandles Handles = findTextureHandles(Kernel);
  if (Handles.FromMemory)
    add(RefusalKind::TextureHandleFromMemory, Handles.FromMemory);
  if (Handles.Computed)
    add(RefusalKind::TextureHandleComputed, Handles.Computed);
}

/// Size of the parameter buffer of a kernel.
static uint64_t parameterBytes(const Function &Kernel) {
  const KernelSummary Description = describeKernel(Kernel);
  if (Description.Params.empty())
    return 0;
  const ParamSummary &Last = Description.Params.back();
  return uint64_t(Last.Offset) + Last.Size;
}

SmallVector<Refusal, 2> checkLegality(const Function &Kernel,
                                      FunctionAnalysisManager &FAM) {
  Checker C;
  C.visitTextures(Kernel);
  if (parameterBytes(Kernel) + TileBytes > MaxParameterBytes)
    C.add(RefusalKind::ParametersTooLarge, nullptr);
  for (const Function *F : reachableFunctions(Kernel)) {
    for (const Instruction &I : instructions(F))
      C.visit(I);
    C.visitRecursion(*F);
    C.visitCycles(FAM.getResult<CycleAnalysis>(const_cast<Function &>(*F)));
  }
  return C.take();
}

AnalysisKey LegalityAnalysis::Key;

LegalityFacts LegalityAnalysis::run(Module &M, ModuleAnalysisManager &MAM) {
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  LegalityFacts Facts;
  for (const Function *Kernel : kernelsOf(M))
    Facts.set(*Kernel, checkLegality(*Kernel, FAM));
  return Facts;
}

PreservedAnalyses LegalityPrinterPass::run(Module &M,
                                           ModuleAnalysisManager &MAM) {
  const LegalityFacts &Facts = MAM.getResult<LegalityAnalysis>(M);
  for (const Function *Kernel : kernelsOf(M)) {
    ArrayRef<Refusal> Refusals = Facts.of(*Kernel);
    OS << "kernel " << Kernel->getName()
       << (Refusals.empty() ? ": may be split\n" : ":\n");
    for (const Refusal &R : Refusals)
      OS << "  " << refusalName(R.Kind) << ": " << R.message() << '\n';
  }
  return PreservedAnalyses::all();
}

} // namespace gridspan
