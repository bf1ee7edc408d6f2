//===- WaitReads.cpp - Reads of what other blocks write -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory is not of others if it provably is the block's, the thread's or
// constant. Assembly is taken for what the opcodes in it may do.
//
//===----------------------------------------------------------------------===//

#include "analysis/nvptx/WaitReads.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "analysis/nvptx/AssemblyLoad.h"
#include "analysis/nvptx/InlineAssembly.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/ptx/PtxSyntax.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gridspan {

/// Returns true if another block may write where Pointer leads.
static bool mayOthersWrite(const Value *Pointer) {
  return !isPrivateMemory(Pointer) && !isConstantMemory(Pointer);
}

const InlineAsm *assemblyOf(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  return Call ? dyn_cast<InlineAsm>(Call->getCalledOperand()) : nullptr;
}

/// Returns the only statement of the assembly that I is, if it is one that is
/// always executed, and has the opcode.
static std::optional<PtxStatement> onlyStatement(const Instruction &I,
                                                 StringRef Opcode) {
  const InlineAsm *Asm = assemblyOf(I);
  if (!Asm)
    return std::nullopt;
  PtxReader Reader(Asm->getAsmString());
  std::optional<PtxStatement> S = Reader.next();
  if (!S || !S->isInstruction() || S->Opcode != Opcode || S->Guard ||
      !S->AreOperandsKnown || Reader.next())
    return std::nullopt;
  return S;
}

/// Returns the pointer that Call is given, if Operand is the address of where
/// it leads; null otherwise.
static const Value *pointerAt(const CallBase &Call, const PtxOperand &Operand) {
  if (Operand.K != PtxOperand::Kind::Address || Operand.Value != 0 ||
      Operand.Elements.size() != 1)
    return nullptr;
  const Value *Pointer = assemblyArgument(Call, Operand.Elements.front().Name);
  return Pointer && Pointer->getType()->isPointerTy() ? Pointer : nullptr;
}

/// Returns the place of a compare-and-swap that is assembly, as those of
/// cuda::atomic are, and what it expects.
static std::optional<std::pair<const Value *, const Value *>>
swapInAssembly(const Instruction &I) {
  const std::optional<PtxStatement> Swap = onlyStatement(I, "atom");
  if (!Swap || !is_contained(Swap->Modifiers, "cas") ||
      Swap->Operands.size() != 4 ||
      Swap->Operands[2].K != PtxOperand::Kind::Name)
    return std::nullopt;
  const auto &Call = cast<CallBase>(I);
  const Value *Place = pointerAt(Call, Swap->Operands[1]);
  const Value *Expected = assemblyArgument(Call, Swap->Operands[2].Name);
  if (!Place || !Expected)
    return std::nullopt;
  return {{Place, Expected}};
}

const Value *placeOfLoad(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return Load->getPointerOperand();
  const std::optional<PtxStatement> Load = onlyStatement(I, "ld");
  return Load && Load->Operands.size() == 2 &&
                 Load->Operands[0].K == PtxOperand::Kind::Name
             ? pointerAt(cast<CallBase>(I), Load->Operands[1])
             : nullptr;
}

/// Returns an argument of I, if it is an intrinsic whose name begins so; null
/// otherwise.
static const Value *argumentOf(const Instruction &I, StringRef Prefix,
                               unsigned Number) {
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  return Intrinsic &&
                 Intrinsic->getCalledFunction()->getName().starts_with(Prefix)
             ? Intrinsic->getArgOperand(Number)
             : nullptr;
}

const Value *placeOfAtomic(const Instruction &I) {
  if (const auto Swap = swapInAssembly(I))
    return Swap->first;
  if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
    return RMW->getPointerOperand();
  if (const auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I))
    return Swap->getPointerOperand();
  return argumentOf(I, "llvm.nvvm.atomic.", 0);
}

namespace {
/// Which operand of an instruction is an address.
struct AddressOperand {
  StringLiteral Opcode;
  unsigned Number;
};
} // namespace

/// Returns a pointer into the object whose address is an operand of the
/// assembly, if that is one statement with one of the opcodes; null otherwise.
static const Value *baseInAssembly(const Instruction &I,
                                   ArrayRef<AddressOperand> Opcodes) {
  for (const AddressOperand &Address : Opcodes) {
    const std::optional<PtxStatement> S = onlyStatement(I, Address.Opcode);
    if (!S)
      continue;
    if (Address.Number >= S->Operands.size())
      return nullptr;
    const PtxOperand &At = S->Operands[Address.Number];
    if (At.K != PtxOperand::Kind::Address || At.Elements.size() != 1)
      return nullptr;
    const Value *Base =
        assemblyArgument(cast<CallBase>(I), At.Elements.front().Name);
    return Base && Base->getType()->isIntegerTy() ? baseOfAddress(Base) : Base;
  }
  return nullptr;
}

const Value *writtenBy(const Instruction &I) {
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return Store->getPointerOperand();
  if (const auto *Memory = dyn_cast<MemIntrinsic>(&I))
    return Memory->getDest();
  if (assemblyOf(I))
    return baseInAssembly(
        I, {{"st", 0}, {"red", 0}, {"atom", 1}, {"stmatrix", 0}, {"cp", 0}});
  return placeOfAtomic(I);
}

const Value *readBy(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return Load->getPointerOperand();
  if (const auto *Copy = dyn_cast<MemTransferInst>(&I))
    return Copy->getSource();
  if (assemblyOf(I))
    return baseInAssembly(I,
                          {{"ld", 1}, {"atom", 1}, {"ldmatrix", 1}, {"cp", 1}});
  return placeOfAtomic(I);
}

/// Returns true if assembly with these effects may read memory.
static bool mayRead(const AssemblyEffects &Effects) {
  return Effects.Loads || Effects.OwnLoads || Effects.Atomics;
}

bool mayReadAnywhere(const Instruction &I) {
  if (readBy(I))
    return false;
  if (const InlineAsm *Asm = assemblyOf(I)) {
    const AssemblyEffects Effects = assemblyEffects(Asm->getAsmString());
    return mayRead(Effects) || !Effects.Known;
  }
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  return Intrinsic && I.mayReadFromMemory() &&
         any_of(Intrinsic->args(), [](const Value *Argument) {
           return Argument->getType()->isPointerTy();
         });
}

/// Returns true if I starts a copy from global to shared memory.
static bool isAsyncCopy(const Instruction &I) {
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  return Intrinsic &&
         Intrinsic->getCalledFunction()->getName().starts_with(
             "llvm.nvvm.cp.async.") &&
         Intrinsic->arg_size() > 1;
}

bool writesWhatItReads(const Instruction &I) {
  if (isa<MemTransferInst>(I) || isAsyncCopy(I))
    return true;
  const InlineAsm *Asm = assemblyOf(I);
  if (!Asm)
    return placeOfAtomic(I);
  const AssemblyEffects Effects = assemblyEffects(Asm->getAsmString());
  return mayRead(Effects) &&
         (Effects.Stores || Effects.OwnStores || Effects.Atomics);
}

std::optional<Addition> additionBy(const Instruction &I) {
  if (const auto *Add = dyn_cast<AtomicRMWInst>(&I)) {
    const bool IsSubtraction = Add->getOperation() == AtomicRMWInst::Sub;
    if (!IsSubtraction && Add->getOperation() != AtomicRMWInst::Add)
      return std::nullopt;
    return {{Add->getPointerOperand(), Add->getValOperand(), IsSubtraction}};
  }
  const std::optional<PtxStatement> Add = onlyStatement(I, "atom");
  if (!Add || !Add->has("add") || Add->Operands.size() != 3 ||
      Add->Operands[2].K != PtxOperand::Kind::Name)
    return std::nullopt;
  const auto &Call = cast<CallBase>(I);
  const Value *Place = pointerAt(Call, Add->Operands[1]);
  const Value *By = assemblyArgument(Call, Add->Operands[2].Name);
  // Of floating-point numbers nothing is asked.
  const StringRef Type = Add->type();
  if (!Place || !By || By->getType() != I.getType() ||
      !By->getType()->isIntegerTy(bytesOfPtxType(Type) * 8) ||
      (!Type.starts_with("s") && !Type.starts_with("u")))
    return std::nullopt;
  return {{Place, By, false}};
}

const Value *expectedBy(const Instruction &I) {
  if (const auto Swap = swapInAssembly(I))
    return Swap->second;
  if (const auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I))
    return Swap->getCompareOperand();
  return argumentOf(I, "llvm.nvvm.atomic.cas", 1);
}

bool isWritingAssembly(const Instruction &I) {
  const InlineAsm *Asm = assemblyOf(I);
  if (!Asm)
    return false;
  const AssemblyEffects Effects = assemblyEffects(Asm->getAsmString());
  return Effects.Stores || Effects.Atomics || !Effects.Known;
}

bool isOwnWritingAssembly(const Instruction &I) {
  const InlineAsm *Asm = assemblyOf(I);
  return Asm && assemblyEffects(Asm->getAsmString()).OwnStores;
}

bool isSynchronizingRead(const Instruction &I) {
  if (const auto *Copy = dyn_cast<MemTransferInst>(&I))
    return Copy->isVolatile() && mayOthersWrite(Copy->getSource());
  if (isAsyncCopy(I))
    return true;
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return (Load->isVolatile() || Load->isAtomic()) &&
           mayOthersWrite(Load->getPointerOperand());
  if (const Value *Place = placeOfAtomic(I))
    return mayOthersWrite(Place);
  const InlineAsm *Asm = assemblyOf(I);
  if (!Asm)
    return false;
  // One that is said to change memory stays where it is, and in each turn.
  const AssemblyEffects Effects = assemblyEffects(Asm->getAsmString());
  return Effects.Atomics || Effects.OrderedLoads ||
         (Effects.Loads && (Asm->hasSideEffects() || I.mayWriteToMemory()));
}

bool mayReadOfOthers(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return mayOthersWrite(Load->getPointerOperand()) &&
           !Load->hasMetadata(LLVMContext::MD_invariant_load);
  if (const auto *Copy = dyn_cast<MemTransferInst>(&I))
    return mayOthersWrite(Copy->getSource());
  const InlineAsm *Asm = assemblyOf(I);
  return Asm && assemblyEffects(Asm->getAsmString()).Loads;
}

const Function *calledBody(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && !Callee->isDeclaration() ? Callee : nullptr;
}

bool reachesAny(const Function &F,
                function_ref<bool(const Instruction &)> Wanted) {
  return any_of(reachableFunctions(F), [&](const Function *Reached) {
    return any_of(instructions(Reached), [&](const Instruction &I) {
      return !calledBody(I) && Wanted(I);
    });
  });
}

bool isFenceOrPause(const Instruction &I) {
  if (isa<FenceInst>(I))
    return true;
  if (const Function *Callee = calledBody(I))
    return reachesAny(*Callee, isFenceOrPause);
  if (const InlineAsm *Asm = assemblyOf(I)) {
    const AssemblyEffects Effects = assemblyEffects(Asm->getAsmString());
    return Effects.WideFences || Effects.Pauses;
  }
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  const StringRef Name =
      Intrinsic ? Intrinsic->getCalledFunction()->getName() : "";
  return Name == "llvm.nvvm.membar.gl" || Name == "llvm.nvvm.membar.sys" ||
         Name == "llvm.nvvm.nanosleep";
}

} // namespace gridspan
