//===- SeparateAddresses.cpp - Indices that are values as well ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In each block of an innermost loop: what leads to addresses of its accesses
// is found as the vectorizer finds it, by way of operands in the same block. Of
// that, an instruction that something else uses gets a copy beside it, as have
// those that it is computed from. Addresses use the copies.
//
// A copy computes what the original does, at the same place, so nothing can
// change. Loads are not copied. Where the loop is not vectorized, the code
// generator merges copies again (MachineCSE).
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/vector/SeparateAddresses.h"
#include "passes/common/CpuNames.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace gridspan;

namespace {

class AddressSeparation {
public:
  explicit AddressSeparation(BasicBlock &BB) : BB(BB) {}
  bool run();

private:
  void findAddresses();
  void findShared();
  bool isAddress(const Use &U) const;

  BasicBlock &BB;
  /// What addresses are computed from, users before operands.
  SetVector<Instruction *> Leading;
  SetVector<Instruction *> Shared; ///< of these, what something else uses
};

} // namespace

static bool canCopy(const Instruction &I) {
  return isa<BinaryOperator, CastInst, GetElementPtrInst, SelectInst, ICmpInst>(
      I);
}

void AddressSeparation::findAddresses() {
  for (Instruction &I : BB)
    if (auto *Pointer =
            dyn_cast_or_null<Instruction>(getLoadStorePointerOperand(&I));
        Pointer && Pointer->getParent() == &BB && !isa<PHINode>(Pointer))
      Leading.insert(Pointer);
  for (unsigned Done = 0; Done != Leading.size(); ++Done)
    for (Value *Operand : Leading[Done]->operands())
      if (auto *I = dyn_cast<Instruction>(Operand);
          I && I->getParent() == &BB && !isa<PHINode>(I))
        Leading.insert(I);
}

/// Returns true if U serves to compute an address.
bool AddressSeparation::isAddress(const Use &U) const {
  auto *User = cast<Instruction>(U.getUser());
  return Leading.contains(User) || getLoadStorePointerOperand(User) == U.get();
}

void AddressSeparation::findShared() {
  SmallVector<Instruction *> Work;
  for (Instruction *I : Leading)
    if (canCopy(*I) &&
        any_of(I->uses(), [&](const Use &U) { return !isAddress(U); }))
      Work.push_back(I);
  while (!Work.empty()) {
    Instruction *I = Work.pop_back_val();
    if (!Shared.insert(I))
      continue;
    for (Value *Operand : I->operands())
      if (auto *From = dyn_cast<Instruction>(Operand);
          From && Leading.contains(From) && canCopy(*From))
        Work.push_back(From);
  }
}

bool AddressSeparation::run() {
  findAddresses();
  findShared();
  DenseMap<Instruction *, Instruction *> Copies;
  const auto UseCopies = [&](Instruction &I) {
    for (Use &U : I.operands())
      if (auto *Operand = dyn_cast<Instruction>(U.get()))
        if (Instruction *Copy = Copies.lookup(Operand))
          U.set(Copy);
  };
  for (Instruction &I : make_early_inc_range(BB)) {
    if (Shared.contains(&I)) {
      Instruction *Copy = I.clone();
      Copy->insertAfter(&I);
      UseCopies(*Copy);
      Copies[&I] = Copy;
    } else if (Leading.contains(&I)) {
      UseCopies(I);
    } else if (auto *Pointer = dyn_cast_or_null<Instruction>(
                   getLoadStorePointerOperand(&I))) {
      if (Instruction *Copy = Copies.lookup(Pointer))
        I.setOperand(isa<LoadInst>(I) ? LoadInst::getPointerOperandIndex()
                                      : StoreInst::getPointerOperandIndex(),
                     Copy);
    }
  }
  return !Copies.empty();
}

PreservedAnalyses SeparateAddressesPass::run(Function &F,
                                             FunctionAnalysisManager &AM) {
  if (!F.getName().starts_with(CpuPrefix) ||
      AM.getResult<TargetIRAnalysis>(F).prefersVectorizedAddressing())
    return PreservedAnalyses::all();
  bool Changed = false;
  for (Loop *L : AM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    if (L->isInnermost())
      for (BasicBlock *BB : L->blocks())
        Changed |= AddressSeparation(*BB).run();
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}
