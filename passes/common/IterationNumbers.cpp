//===- IterationNumbers.cpp - Tells iterations of loops apart -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each loop gets a count of the returns to its header since it was entered; the
// number of a block joins the counts of the loops around it.
//
//===----------------------------------------------------------------------===//

#include "passes/common/IterationNumbers.h"
#include "llvm/IR/CFG.h"

using namespace llvm;

namespace gridspan {

/// Counts the returns to the header since the loop was entered.
PHINode *IterationNumbers::countOf(Loop *L) {
  PHINode *&Count = Counts[L];
  if (Count)
    return Count;
  BasicBlock *Header = L->getHeader();
  B.SetInsertPoint(Header, Header->begin());
  Count = B.CreatePHI(B.getInt64Ty(), pred_size(Header), "iteration");
  B.SetInsertPoint(Header, Header->getFirstInsertionPt());
  Value *Next = B.CreateAdd(Count, B.getInt64(1), "iteration.next");
  for (BasicBlock *Pred : predecessors(Header))
    Count->addIncoming(L->contains(Pred) ? Next : B.getInt64(0), Pred);
  return Count;
}

Value *IterationNumbers::of(Loop *L) {
  if (!L)
    return B.getInt64(0);
  if (auto It = Numbers.find(L); It != Numbers.end())
    return It->second;
  unsigned Depth = L->getLoopDepth();
  uint64_t Factor = Depth == 1 ? 0 : uint64_t(1) << (64 / Depth);
  SmallVector<Value *> Around;
  for (Loop *Outer = L; Outer; Outer = Outer->getParentLoop())
    Around.push_back(countOf(Outer));
  // Behind the counts: the innermost header may be an outer one's.
  B.SetInsertPoint(L->getHeader(), L->getHeader()->getFirstInsertionPt());
  Value *Number = Around.pop_back_val();
  while (!Around.empty())
    Number = B.CreateAdd(B.CreateMul(Number, B.getInt64(Factor)),
                         Around.pop_back_val());
  return Numbers[L] = Number;
}

} // namespace gridspan
