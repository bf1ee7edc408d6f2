//===- CpuAsmBranch.cpp - Inline assembly with labels ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops that wait for an mbarrier are written like this. The text becomes basic
// blocks between the two halves of that of the asm. Registers are variables
// while blocks are translated, each loading all it may read and storing what it
// has written; mem2reg makes them values again. A register needs a type for
// that: the one that it is declared with, or that of the operand.
//
// Not supported are labels or registers that scopes declare anew with another
// meaning, and branches to elsewhere.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/asm/CpuAsm.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace gridspan;

namespace {

/// Statements with one entry and one exit.
struct Part {
  SmallVector<const PtxStatement *> Statements;
  const PtxStatement *Branch = nullptr; ///< with which it ends, if it does
  std::optional<unsigned> Target;       ///< the part that Branch goes to
  bool FallsThrough = true;
  bool IsReached = false;
};

class BranchingAsm {
public:
  BranchingAsm(CallInst &Call, CpuContext &C)
      : Call(Call), C(C), State(Call, C) {}

  Lowered lower(const PtxCode &Code) {
    if (!split(Code) || !makeSlots(Code))
      return std::nullopt;
    findReached();
    makeBlocks();
    for (unsigned I = 0, E = Parts.size(); I != E; ++I)
      if (Parts[I].IsReached && !translate(I))
        return std::nullopt;
    return finish();
  }

private:
  bool split(const PtxCode &Code);
  bool makeSlots(const PtxCode &Code);
  AllocaInst *makeSlot(Type *Ty);
  void addSlot(StringRef Name, Type *Ty);
  void findReached();
  void makeBlocks();
  bool translate(unsigned I);
  Lowered finish();

  /// The block of part I; behind the last one is the end.
  BasicBlock *block(unsigned I) const {
    return I < Blocks.size() ? Blocks[I] : End;
  }
  void loadRegisters() {
    State.registers().clear();
    for (auto &[Name, Slot] : Slots)
      State.registers()[Name] = C.B.CreateLoad(Slot->getAllocatedType(), Slot);
    if (CarrySlot)
      State.Carry = C.B.CreateLoad(CarrySlot->getAllocatedType(), CarrySlot);
  }

  CallInst &Call;
  CpuContext &C;
  AsmState State;
  std::vector<Part> Parts;
  SmallVector<BasicBlock *> Blocks; ///< null where no branch goes
  BasicBlock *End = nullptr;
  MapVector<StringRef, AllocaInst *> Slots;
  AllocaInst *CarrySlot = nullptr; ///< null if no statement writes the carry
  StringSet<> OutputNames;         ///< which keys of Slots refer to
};

} // namespace

/// Returns false for labels that are there twice or not at all.
bool BranchingAsm::split(const PtxCode &Code) {
  StringMap<unsigned> Labels;
  Parts.emplace_back();
  for (const PtxStatement &S : Code.Statements) {
    if (S.K == PtxStatement::Kind::Label) {
      Parts.emplace_back();
      if (!Labels.try_emplace(S.Mnemonic, Parts.size() - 1).second)
        return false;
      continue;
    }
    if (S.Opcode != "bra") {
      Parts.back().Statements.push_back(&S);
      continue;
    }
    Parts.back().Branch = &S;
    Parts.back().FallsThrough = S.Guard.has_value();
    Parts.emplace_back();
  }
  for (Part &P : Parts) {
    if (!P.Branch)
      continue;
    const std::vector<PtxOperand> &Operands = P.Branch->Operands;
    auto It =
        Operands.size() == 1 ? Labels.find(Operands[0].Name) : Labels.end();
    if (It == Labels.end())
      return false;
    P.Target = It->second;
  }
  return true;
}

AllocaInst *BranchingAsm::makeSlot(Type *Ty) {
  BasicBlock &Entry = Call.getFunction()->getEntryBlock();
  return IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(Ty);
}

void BranchingAsm::addSlot(StringRef Name, Type *Ty) {
  AllocaInst *&Slot = Slots[Name];
  if (!Slot)
    Slot = makeSlot(Ty);
}

/// Makes variables of the operands and the declared registers, and stores the
/// inputs. Returns false for a register of several types.
bool BranchingAsm::makeSlots(const PtxCode &Code) {
  LLVMContext &Context = Call.getContext();
  for (unsigned I = 0, E = State.numOutputs(); I != E; ++I) {
    Type *Ty = State.outputType(I);
    const DataLayout &Layout = Call.getModule()->getDataLayout();
    addSlot(OutputNames.insert("$" + utostr(I)).first->getKey(),
            IntegerType::get(Context, Layout.getTypeSizeInBits(Ty)));
  }
  for (auto &[Name, V] : State.registers())
    addSlot(Name, V->getType());
  // In the order of names, so that outputs do not differ.
  SmallVector<StringRef> Names(Code.Registers.keys());
  llvm::sort(Names);
  for (const StringRef Name : Names) {
    const std::optional<PtxType> Declared =
        parsePtxType(Code.Registers.lookup(Name));
    if (!Declared)
      return false;
    addSlot(Name, IntegerType::get(Context, Declared->Bits * Declared->Count));
  }
  if (any_of(Code.Statements,
             [](const PtxStatement &S) { return S.has("cc"); })) {
    CarrySlot = makeSlot(Type::getInt1Ty(Context));
    C.B.CreateStore(C.B.getFalse(), CarrySlot);
  }
  for (auto &[Name, V] : State.registers()) {
    AllocaInst *Slot = Slots.lookup(Name);
    C.B.CreateStore(C.B.CreateZExtOrTrunc(V, Slot->getAllocatedType()), Slot);
  }
  return true;
}

/// Statements behind a branch without a guard and a label are not reached.
void BranchingAsm::findReached() {
  SmallVector<unsigned> Work = {0};
  while (!Work.empty()) {
    const unsigned I = Work.pop_back_val();
    if (I == Parts.size() || std::exchange(Parts[I].IsReached, true))
      continue;
    if (Parts[I].FallsThrough)
      Work.push_back(I + 1);
    if (Parts[I].Target)
      Work.push_back(*Parts[I].Target);
  }
}

/// All blocks go to the end until they are translated, so that the function is
/// well-formed if one cannot be.
void BranchingAsm::makeBlocks() {
  BasicBlock *Head = Call.getParent();
  End = Head->splitBasicBlock(&Call);
  for (const Part &P : Parts) {
    Blocks.push_back(nullptr);
    if (!P.IsReached)
      continue;
    Blocks.back() =
        BasicBlock::Create(Call.getContext(), "", Call.getFunction(), End);
    BranchInst::Create(End, Blocks.back());
  }
  Head->getTerminator()->setSuccessor(0, Blocks[0]);
}

bool BranchingAsm::translate(unsigned I) {
  const Part &P = Parts[I];
  C.B.SetInsertPoint(Blocks[I]->getTerminator());
  loadRegisters();
  Value *CarryBefore = State.Carry;
  const MapVector<StringRef, Value *> Before = State.registers();
  for (const PtxStatement *S : P.Statements)
    if (!translateStatement(*S, State))
      return false;
  Value *Guard = nullptr;
  if (P.Branch && P.Branch->Guard) {
    Guard = State.read(*P.Branch->Guard, {'p', 1});
    if (!Guard)
      return false;
  }
  for (auto &[Name, V] : State.registers()) {
    AllocaInst *Slot = Slots.lookup(Name);
    if (!Slot)
      return false; // not declared
    if (V != Before.lookup(Name))
      C.B.CreateStore(C.B.CreateZExtOrTrunc(V, Slot->getAllocatedType()), Slot);
  }
  if (State.Carry != CarryBefore)
    C.B.CreateStore(State.Carry, CarrySlot);
  auto *Last = cast<BranchInst>(&*C.B.GetInsertPoint());
  BasicBlock *Next = P.FallsThrough ? block(I + 1) : nullptr;
  if (Guard)
    C.B.CreateCondBr(Guard, block(*P.Target), Next);
  else
    C.B.CreateBr(P.Target ? block(*P.Target) : Next);
  Last->eraseFromParent();
  return true;
}

Lowered BranchingAsm::finish() {
  C.B.SetInsertPoint(&Call);
  loadRegisters();
  const bool IsVoid = Call.getType()->isVoidTy();
  Value *Result = IsVoid ? nullptr : State.result();
  if (!IsVoid && !Result)
    return std::nullopt;
  // The result may be a load that a value replaces.
  WeakTrackingVH Tracked(Result);
  SmallVector<AllocaInst *> Variables(make_second_range(Slots));
  if (CarrySlot)
    Variables.push_back(CarrySlot);
  DominatorTree Dominators(*Call.getFunction());
  PromoteMemToReg(Variables, Dominators);
  return static_cast<Value *>(Tracked);
}

Lowered gridspan::lowerBranchingAsm(CallInst &Call, const PtxCode &Code,
                                    CpuContext &C) {
  return BranchingAsm(Call, C).lower(Code);
}
