//===- HostVisibility.cpp - Signals from a kernel to the host -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In PTX's memory model a write is seen by a thread that has not synchronized
// with the writer only if both accesses are strong (volatile, relaxed and
// wider; PTX ISA, section 8): what the host finds of an ordinary store, while
// the kernel runs, is a data race and means nothing. So a kernel without strong
// accesses, fences, and code that is not seen tells the host nothing. Memory of
// the block or the thread is not the host's. Nor is an atomic on memory that
// the host does not reach, which the launch knows.
//
// Where textures lead no launch knows, so they count as if they told something:
// what they read has to be in the program's memory too.
//
// A failed assertion ends everything, so that nothing is left to be told.
//
//===----------------------------------------------------------------------===//

#include "analysis/legality/HostVisibility.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "analysis/nvptx/InlineAssembly.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/nvptx/TilePosition.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gridspan {

static constexpr struct {
  StringLiteral Name, Text;
} Signals[] = {
#define GRIDSPAN_HOST_SIGNAL(Kind, Name, Text) {Name, Text},
#include "analysis/legality/HostVisibility.def"
};

StringRef hostSignalName(HostSignalKind Kind) {
  return Signals[unsigned(Kind)].Name;
}

StringRef hostSignalText(HostSignalKind Kind) {
  return Signals[unsigned(Kind)].Text;
}

static std::optional<HostSignalKind> signalOfAssembly(StringRef Text) {
  const AssemblyEffects Effects = assemblyEffects(Text);
  if (Effects.TextureOrSurface)
    return HostSignalKind::Texture;
  if (!Effects.Known || Effects.Stores || Effects.Atomics || Effects.Fences)
    return HostSignalKind::Assembly;
  return std::nullopt;
}

static std::optional<HostSignalKind> signalOfIntrinsic(const CallBase &Call,
                                                       StringRef Name) {
  if (const auto *Memory = dyn_cast<MemIntrinsic>(&Call))
    return Memory->isVolatile()
               ? std::optional<HostSignalKind>(HostSignalKind::Volatile)
               : std::nullopt;
  if (!Name.consume_front("llvm.nvvm."))
    return std::nullopt;
  if (Name.starts_with("membar.cta"))
    return std::nullopt;
  if (Name.starts_with("membar") || Name.contains("fence"))
    return HostSignalKind::Fence;
  for (StringRef Prefix : {"tex.", "tld4.", "suld.", "sust."})
    if (Name.starts_with(Prefix))
      return HostSignalKind::Texture;
  return std::nullopt;
}

static std::optional<HostSignalKind> signalOfCall(const CallBase &Call) {
  if (const auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand()))
    return signalOfAssembly(Asm->getAsmString());
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return HostSignalKind::Call;
  if (Callee->isIntrinsic())
    return signalOfIntrinsic(Call, Callee->getName());
  // Functions with bodies are walked on their own.
  if (!Callee->isDeclaration() || tilePositionOf(Call) ||
      Callee->getName() == "__assertfail")
    return std::nullopt;
  return HostSignalKind::Call;
}

static std::optional<HostSignalKind> signalOf(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I)) {
    if ((Load->isVolatile() || Load->isAtomic()) &&
        !isPrivateMemory(Load->getPointerOperand()))
      return HostSignalKind::Volatile;
  } else if (const auto *Store = dyn_cast<StoreInst>(&I)) {
    if ((Store->isVolatile() || Store->isAtomic()) &&
        !isPrivateMemory(Store->getPointerOperand()))
      return HostSignalKind::Volatile;
  } else if (isa<FenceInst>(&I)) {
    return HostSignalKind::Fence;
  } else if (const auto *Call = dyn_cast<CallBase>(&I)) {
    return signalOfCall(*Call);
  }
  return std::nullopt;
}

std::optional<HostSignal> findHostSignal(const Function &Kernel) {
  for (const Function *F : reachableFunctions(Kernel))
    for (const Instruction &I : instructions(F))
      if (std::optional<HostSignalKind> Kind = signalOf(I))
        return HostSignal{*Kind, &I};
  return std::nullopt;
}

AnalysisKey HostSignalAnalysis::Key;

HostSignalFacts HostSignalAnalysis::run(Module &M, ModuleAnalysisManager &) {
  HostSignalFacts Facts;
  for (const Function *Kernel : kernelsOf(M))
    Facts.set(*Kernel, findHostSignal(*Kernel));
  return Facts;
}

PreservedAnalyses HostSignalsPrinterPass::run(Module &M,
                                              ModuleAnalysisManager &MAM) {
  const HostSignalFacts &Facts = MAM.getResult<HostSignalAnalysis>(M);
  for (const Function *Kernel : kernelsOf(M)) {
    OS << "kernel " << Kernel->getName() << ": ";
    if (const std::optional<HostSignal> &Found = Facts.of(*Kernel))
      OS << hostSignalName(Found->Kind) << ": " << hostSignalText(Found->Kind)
         << ":" << *Found->Where << '\n';
    else
      OS << "silent\n";
  }
  return PreservedAnalyses::all();
}

} // namespace gridspan
