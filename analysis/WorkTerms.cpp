//===- WorkTerms.cpp - How much a thread of a kernel does ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions of each loop's own blocks times the trip counts of the loops
// around them. Every block of a loop counts as executed: this weighs blocks of
// a grid against each other, where only what differs between them matters, and
// loops make the difference.
//
//===----------------------------------------------------------------------===//

#include "WorkTerms.h"
#include "ExprBuilder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gridspan {

/// A trip count that nobody knows.
static constexpr int64_t GuessedTrips = 16;

std::vector<WorkTerm> workTermsOf(const Function &Kernel, const LoopInfo &LI,
                                  ExprBuilder &Builder, ExprPool &Pool,
                                  bool &Guessed) {
  MapVector<const Loop *, double> Instructions;
  for (const BasicBlock &BB : Kernel)
    for (const Instruction &I : BB)
      if (!isa<PHINode>(I) && !I.isDebugOrPseudoInst())
        Instructions[LI.getLoopFor(&BB)] += 1;

  std::vector<WorkTerm> Terms;
  for (const auto &[Innermost, Count] : Instructions) {
    WorkTerm Term;
    Term.Instructions = Count;
    for (const Loop *L = Innermost; L; L = L->getParentLoop()) {
      ContextId Context = Builder.guards().ofBlock(L->getHeader());
      ExprId Taken = Builder.backedgeTakenAt(L, Context);
      Guessed |= Taken == NoExpr;
      ExprId Trips =
          Taken == NoExpr
              ? Pool.constant(64, GuessedTrips)
              : Pool.binary(ExprKind::Add, Pool.cast(ExprKind::ZExt, Taken, 64),
                            Pool.constant(64, 1));
      Term.TripCounts.push_back(Trips);
    }
    std::reverse(Term.TripCounts.begin(), Term.TripCounts.end());
    Terms.push_back(std::move(Term));
  }
  return Terms;
}

} // namespace gridspan
