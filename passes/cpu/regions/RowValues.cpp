//===- RowValues.cpp - Values of the threads of a row ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goes through the operands of a value. Those that can be computed outside have
// no phi among them, so that this ends.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/regions/RowValues.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

bool gridspan::isComputableOutside(const Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return isa<Constant, Argument>(V);
  if (isa<PHINode>(I) || !isSafeToSpeculativelyExecute(I))
    return false;
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    // By-value parameters that a kernel changes have a copy.
    const Value *Object = getUnderlyingObject(Load->getPointerOperand());
    auto *A = dyn_cast<Argument>(Object);
    bool IsInput = A && (A->hasByValAttr() ||
                         Load->hasMetadata(LLVMContext::MD_invariant_load));
    if (!IsInput)
      return false;
  } else if (I->mayReadOrWriteMemory()) {
    return false;
  }
  return all_of(I->operands(),
                [](const Use &U) { return isComputableOutside(U); });
}

bool gridspan::dependsOn(const Value *V, const Argument *Thread) {
  if (V == Thread)
    return true;
  auto *I = dyn_cast<Instruction>(V);
  return I && any_of(I->operands(),
                     [&](const Use &U) { return dependsOn(U, Thread); });
}

bool gridspan::isIndex(const Value *V, const Argument *Thread,
                       bool MayBeFrozen) {
  if (V == Thread)
    return true;
  const auto Is = [&](const Value *Of) {
    return isIndex(Of, Thread, MayBeFrozen);
  };
  const Value *L, *R;
  if (match(V, m_Add(m_Value(L), m_Value(R))) ||
      match(V, m_DisjointOr(m_Value(L), m_Value(R))))
    return (Is(L) && !dependsOn(R, Thread)) || (Is(R) && !dependsOn(L, Thread));
  if (match(V, m_Sub(m_Value(L), m_Value(R))))
    return Is(L) && !dependsOn(R, Thread);
  return (MayBeFrozen && match(V, m_Freeze(m_Value(L))) && Is(L)) ||
         match(V, m_ZExtOrSExt(m_Specific(Thread)));
}
