//===- ExchangeGroups.cpp - Shuffles that share a barrier -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shuffle joins one in front of it in the same block if nothing between them
// touches memory, and if what it gets does not depend on the results of the
// group. Then it may exchange its value earlier: nobody can see the difference.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/regions/ExchangeGroups.h"
#include "passes/common/CpuNames.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace gridspan;

/// Collects what V is computed from at or behind First, operands before users.
/// Returns false if that cannot be moved in front of First.
static bool collectBehind(Value *V, const CallBase &First,
                          SetVector<Instruction *> &Out) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || I->getParent() != First.getParent() || I->comesBefore(&First) ||
      Out.contains(I))
    return true;
  if ((isa<CallBase>(I) && !isa<IntrinsicInst>(I)) ||
      I->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(I))
    return false;
  for (Value *Operand : I->operands())
    if (!collectBehind(Operand, First, Out))
      return false;
  Out.insert(I);
  return true;
}

static bool joins(CallBase &Next, const ExchangeGroup &Group, Value *Presence) {
  CallBase &First = *Group.front(), &Last = *Group.back();
  if (runtimeCall(First) != "warp_shuffle" ||
      runtimeCall(Next) != "warp_shuffle" ||
      First.getParent() != Next.getParent())
    return false;
  for (Instruction &I :
       make_range(std::next(Last.getIterator()), Next.getIterator()))
    if (I.mayReadOrWriteMemory() || I.mayHaveSideEffects())
      return false;
  SetVector<Instruction *> Behind;
  for (Value *Argument : Next.args())
    if (!collectBehind(Argument, First, Behind))
      return false;
  if (Presence && !collectBehind(Presence, First, Behind))
    return false;
  for (Instruction *I : Behind)
    I->moveBefore(&First);
  return true;
}

SmallVector<ExchangeGroup, 0>
gridspan::groupExchanges(ArrayRef<CallBase *> Operations,
                         function_ref<Value *(CallBase &)> PresenceOf) {
  SmallVector<ExchangeGroup, 0> Out;
  for (CallBase *Operation : Operations) {
    if (Out.empty() || !joins(*Operation, Out.back(), PresenceOf(*Operation)))
      Out.emplace_back();
    Out.back().push_back(Operation);
  }
  return Out;
}

bool gridspan::mayRepeat(const BasicBlock &BB) {
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *> Work(successors(&BB));
  while (!Work.empty()) {
    const BasicBlock *Next = Work.pop_back_val();
    if (Next == &BB)
      return true;
    if (Seen.insert(Next).second)
      Work.append(succ_begin(Next), succ_end(Next));
  }
  return false;
}
