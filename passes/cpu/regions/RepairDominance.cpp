//===- RepairDominance.cpp - Values behind new ways ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values that no longer dominate their uses become stack slots, and these
// values again. On ways without the definition they are 0, and not undefined:
// of a phi with an undefined operand it is said that all threads have what some
// have (Uniformity.h).
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/regions/RepairDominance.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace gridspan;

void gridspan::repairDominance(Function &F) {
  SmallVector<AllocaInst *> Slots;
  {
    DominatorTree Tree(F);
    SmallVector<Instruction *> Broken;
    for (Instruction &I : instructions(F))
      if (any_of(I.uses(),
                 [&](const Use &U) { return !Tree.dominates(&I, U); }))
        Broken.push_back(&I);
    for (Instruction *I : Broken) {
      AllocaInst *Slot = DemoteRegToStack(*I);
      IRBuilder<>(Slot->getNextNode())
          .CreateStore(Constant::getNullValue(Slot->getAllocatedType()), Slot);
      Slots.push_back(Slot);
    }
  }
  DominatorTree Tree(F);
  PromoteMemToReg(Slots, Tree);
}
