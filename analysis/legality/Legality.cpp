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
// A loop waits if a condition that leaves it depends on a volatile or atomic
// read, made inside the loop, of memory that is not provably the block's own. A
// compare-and-swap whose expected value changes with the loop is no wait: it
// fails only because another thread has succeeded. With an expected value that
// does not change it is a lock.
//
//===----------------------------------------------------------------------===//

#include "analysis/legality/Legality.h"
#include "analysis/legality/TextureHandles.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "analysis/nvptx/InlineAssembly.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/nvptx/SystemScope.h"
#include "analysis/nvptx/TilePosition.h"
#include "analysis/summary/KernelParams.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
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
// Waiting
//===----------------------------------------------------------------------===//

/// Returns true if another block may write where Pointer leads.
static bool mayOthersWrite(const Value *Pointer) {
  return !isPrivateMemory(Pointer) && !isConstantMemory(Pointer);
}

/// Returns true if I reads what another block may have written since, on
/// purpose: an atomic or volatile read. Expected receives a compare-and-swap's
/// operand.
static bool isSynchronizingRead(const Instruction &I, const Value *&Expected) {
  Expected = nullptr;
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return (Load->isVolatile() || Load->isAtomic()) &&
           mayOthersWrite(Load->getPointerOperand());
  if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
    return mayOthersWrite(RMW->getPointerOperand());
  if (const auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I)) {
    Expected = Swap->getCompareOperand();
    return mayOthersWrite(Swap->getPointerOperand());
  }
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return false;
  if (const auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand())) {
    AssemblyEffects Effects = assemblyEffects(Asm->getAsmString());
    return Effects.Atomics || (Effects.Loads && Asm->hasSideEffects());
  }
  const Function *Callee = Call->getCalledFunction();
  if (!Callee || !Callee->getName().starts_with("llvm.nvvm.atomic."))
    return false;
  if (Callee->getName().starts_with("llvm.nvvm.atomic.cas"))
    Expected = Call->getArgOperand(1);
  return mayOthersWrite(Call->getArgOperand(0));
}

/// Returns true if a call of F may return what a synchronizing read in it, or
/// in what it calls, has read. A swap that expects what was read there tries
/// again and waits for nobody.
static bool mayReturnSynchronizingRead(const Function &F) {
  SmallVector<const Function *, 4> Work = {&F};
  SmallPtrSet<const Function *, 4> Seen = {&F};
  while (!Work.empty())
    for (const Instruction &I : instructions(*Work.pop_back_val())) {
      const Value *Expected = nullptr;
      if (isSynchronizingRead(I, Expected) && !I.use_empty() &&
          !isa_and_nonnull<Instruction>(Expected))
        return true;
      const auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (Callee && !Callee->isDeclaration() && Seen.insert(Callee).second)
        Work.push_back(Callee);
    }
  return false;
}

/// Returns true if the pointers lead to different variables.
static bool areApart(const Value *L, const Value *R) {
  L = getUnderlyingObject(L);
  R = getUnderlyingObject(R);
  return L != R && isa<GlobalVariable, AllocaInst>(L) &&
         isa<GlobalVariable, AllocaInst>(R);
}

/// Appends what L stores where only threads of the block, or the thread, can
/// read it, and where a load from From may be.
static void appendStoredWithinBlock(const Loop &L, const Value *From,
                                    SmallVectorImpl<const Value *> &Out) {
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block)
      if (const auto *Store = dyn_cast<StoreInst>(&I))
        if (isPrivateMemory(Store->getPointerOperand()) &&
            !areApart(Store->getPointerOperand(), From))
          Out.push_back(Store->getValueOperand());
}

/// Returns the synchronizing read on which a condition that leaves L depends,
/// or null. What a thread has read may come to the others, or back to itself,
/// through a variable in shared or private memory that the loop stores to.
static const Instruction *findWait(const Loop &L) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  SmallVector<const Value *, 16> Work;
  for (const BasicBlock *Block : Exiting)
    for (const Value *Op : Block->getTerminator()->operands())
      Work.push_back(Op);
  SmallPtrSet<const Value *, 16> Seen;
  while (!Work.empty()) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !L.contains(I) || !Seen.insert(I).second)
      continue;
    const Value *Expected = nullptr;
    if (isSynchronizingRead(*I, Expected)) {
      const auto *Origin = dyn_cast_or_null<Instruction>(Expected);
      bool IsRetry = Origin && L.contains(Origin);
      if (!IsRetry)
        return I;
    }
    if (const auto *Load = dyn_cast<LoadInst>(I);
        Load && isPrivateMemory(Load->getPointerOperand()))
      appendStoredWithinBlock(L, Load->getPointerOperand(), Work);
    if (const auto *Call = dyn_cast<CallBase>(I))
      if (const Function *Callee = Call->getCalledFunction();
          Callee && !Callee->isDeclaration() &&
          mayReturnSynchronizingRead(*Callee))
        return I;
    // What decides between the values of a phi decides the exit as well. Any
    // branch of the loop may: this errs on the side of refusing.
    const auto *Phi = dyn_cast<PHINode>(I);
    if (Phi && count_if(Phi->blocks(), [&](const BasicBlock *Block) {
                 return L.contains(Block);
               }) > 1)
      for (const BasicBlock *Block : L.blocks())
        for (const Value *Op : Block->getTerminator()->operands())
          Work.push_back(Op);
    for (const Value *Op : I->operands())
      Work.push_back(Op);
  }
  return nullptr;
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
  void visitLoops(const LoopInfo &Loops);
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

void Checker::visitLoops(const LoopInfo &Loops) {
  for (const Loop *L : Loops.getLoopsInPreorder())
    if (const Instruction *Wait = findWait(*L))
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
    C.visitLoops(FAM.getResult<LoopAnalysis>(const_cast<Function &>(*F)));
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
