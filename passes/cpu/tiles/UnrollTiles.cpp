//===- UnrollTiles.cpp - Loops over the threads of a tile -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vectorizer hands a loop's hints on to the loop of vectors. A large turn
// is not unrolled: its values are in memory most of the time anyway.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/tiles/UnrollTiles.h"
#include "passes/common/CpuNames.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;
using namespace gridspan;

static constexpr StringLiteral TileHint = "gridspan.tile";
static constexpr StringLiteral NoUnrollHint = "llvm.loop.unroll.disable";

static MDNode *hint(LLVMContext &Context, StringRef Name) {
  return MDNode::get(Context, {MDString::get(Context, Name)});
}

static MDNode *makeLoopId(LLVMContext &Context, ArrayRef<Metadata *> Hints) {
  SmallVector<Metadata *, 4> Operands = {nullptr};
  Operands.append(Hints.begin(), Hints.end());
  MDNode *Loop = MDNode::getDistinct(Context, Operands);
  Loop->replaceOperandWith(0, Loop);
  return Loop;
}

MDNode *gridspan::tileLoopId(LLVMContext &Context, MDNode *Group) {
  SmallVector<Metadata *, 3> Hints = {hint(Context, TileHint),
                                      hint(Context, NoUnrollHint)};
  if (Group)
    Hints.push_back(MDNode::get(
        Context,
        {MDString::get(Context, "llvm.loop.parallel_accesses"), Group}));
  return makeLoopId(Context, Hints);
}

static bool isSmall(const Loop &L) {
  constexpr unsigned MostInstructions = 300;
  size_t Size = 0;
  for (const BasicBlock *BB : L.blocks())
    Size += BB->size();
  return Size <= MostInstructions;
}

PreservedAnalyses UnrollTilesPass::run(Function &F,
                                       FunctionAnalysisManager &AM) {
  if (!F.getName().starts_with(CpuPrefix))
    return PreservedAnalyses::all();
  LLVMContext &Context = F.getContext();
  for (Loop *L : AM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    const MDNode *Id = L->getLoopID();
    if (!Id)
      continue;
    SmallVector<Metadata *, 3> Hints;
    bool IsTile = false;
    for (const MDOperand &Operand : drop_begin(Id->operands())) {
      const auto *Hint = dyn_cast<MDNode>(Operand);
      const auto *Name = Hint && Hint->getNumOperands()
                             ? dyn_cast<MDString>(Hint->getOperand(0))
                             : nullptr;
      if (Name && Name->getString() == TileHint)
        IsTile = true;
      else if (!Name || Name->getString() != NoUnrollHint)
        Hints.push_back(Operand);
    }
    if (!IsTile || !L->isInnermost() || !isSmall(*L))
      continue;
    Hints.push_back(hint(Context, "llvm.loop.unroll.full"));
    L->setLoopID(makeLoopId(Context, Hints));
  }
  return PreservedAnalyses::all();
}
