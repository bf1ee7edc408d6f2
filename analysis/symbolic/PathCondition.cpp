//===- PathCondition.cpp - Conditions for reaching a block ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// condition(BB) is that of its immediate dominator if BB post-dominates it,
// else the disjunction over the entering edges of condition(predecessor) and
// the branch's own. Reducible control flow only: with back edges left out, the
// walk ends at the entry block.
//
//===----------------------------------------------------------------------===//

#include "analysis/symbolic/PathCondition.h"
#include "analysis/nvptx/KernelAnalyses.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gridspan {

ExprId PathConditions::ofEdge(const BasicBlock *From, const BasicBlock *To) {
  const Instruction *End = From->getTerminator();
  if (const auto *Branch = dyn_cast<BranchInst>(End)) {
    if (!Branch->isConditional() ||
        Branch->getSuccessor(0) == Branch->getSuccessor(1))
      return boolean(true);
    ExprId Condition = Builder.valueAt(Branch->getCondition(), NoContext);
    if (Branch->getSuccessor(0) == To)
      return Condition;
    return Graph.binary(ExprKind::Xor, Condition, boolean(true));
  }
  const auto *Switch = dyn_cast<SwitchInst>(End);
  if (!Switch || Switch->getCondition()->getType()->getIntegerBitWidth() > 64)
    return Graph.unknown(1, "a branch that is not understood");
  ExprId Value = Builder.valueAt(Switch->getCondition(), NoContext);
  ExprId Taken = boolean(false), Others = boolean(true);
  for (const auto &Case : Switch->cases()) {
    ExprId Label = Builder.valueAt(Case.getCaseValue(), NoContext);
    if (Case.getCaseSuccessor() == To)
      Taken = Graph.binary(ExprKind::Or, Taken,
                           Graph.icmp(CmpInst::ICMP_EQ, Value, Label));
    Others = Graph.binary(ExprKind::And, Others,
                          Graph.icmp(CmpInst::ICMP_NE, Value, Label));
  }
  if (Switch->getDefaultDest() == To)
    Taken = Graph.binary(ExprKind::Or, Taken, Others);
  return Taken;
}

ExprId PathConditions::conditionOf(const BasicBlock *BB) {
  if (auto It = Memo.find(BB); It != Memo.end())
    return It->second;
  // Until it is known: only irreducible control flow comes back here.
  Memo[BB] = Graph.unknown(1, "irreducible control flow");
  return Memo[BB] = compute(BB);
}

ExprId PathConditions::compute(const BasicBlock *BB) {
  const DomTreeNode *Node = A.DT.getNode(BB);
  if (!Node || !Node->getIDom())
    return boolean(Node != nullptr);
  const BasicBlock *Above = Node->getIDom()->getBlock();
  // Past a loop: everyone who entered it left it, if there is one way out.
  const Loop *Left = A.LI.getLoopFor(Above);
  while (Left && !Left->contains(BB)) {
    const Loop *Outer = Left->getParentLoop();
    if (!Outer || Outer->contains(BB)) {
      const BasicBlock *Exiting = Left->getExitingBlock();
      if (Exiting == Above && Left->getExitBlock() == BB)
        return conditionOf(Left->getHeader());
      break;
    }
    Left = Outer;
  }
  if (A.PDT.dominates(BB, Above) && (!Left || Left->contains(BB)))
    return conditionOf(Above);
  ExprId Reached = boolean(false);
  for (const BasicBlock *Pred : predecessors(BB)) {
    if (!A.DT.isReachableFromEntry(Pred) || A.DT.dominates(BB, Pred))
      continue;
    const Loop *From = A.LI.getLoopFor(Pred);
    if (From && !From->contains(BB)) {
      // Which iteration it is left in does not matter, unless there are others
      // that leave elsewhere.
      const Loop *Outermost = From;
      while (Outermost->getParentLoop() &&
             !Outermost->getParentLoop()->contains(BB))
        Outermost = Outermost->getParentLoop();
      ExprId Edge = Outermost->getUniqueExitBlock() == BB
                        ? conditionOf(Outermost->getHeader())
                        : Graph.unknown(1, "which way a loop is left");
      Reached = Graph.binary(ExprKind::Or, Reached, Edge);
      continue;
    }
    Reached = Graph.binary(
        ExprKind::Or, Reached,
        Graph.binary(ExprKind::And, conditionOf(Pred), ofEdge(Pred, BB)));
  }
  return Reached;
}

/// Adds the parts of a conjunction.
static void addParts(const ExprGraph &Graph, ExprId Id,
                     SmallVectorImpl<ExprId> &Out) {
  SmallVector<ExprId, 8> Work = {Id};
  while (!Work.empty()) {
    ExprId Next = Work.pop_back_val();
    const ExprNode &Node = Graph[Next];
    if (Node.Kind == ExprKind::And) {
      Work.append({Node.Ops[1], Node.Ops[0]});
      continue;
    }
    // a && b
    if (Node.Kind == ExprKind::Select &&
        Graph.constantValue(Node.Ops[2]) == 0) {
      Work.append({Node.Ops[1], Node.Ops[0]});
      continue;
    }
    if (Graph.constantValue(Next) != -1 && !is_contained(Out, Next))
      Out.push_back(Next);
  }
}

SmallVector<ExprId, 4> PathConditions::of(const BasicBlock *BB) {
  SmallVector<ExprId, 4> Out;
  addParts(Graph, conditionOf(BB), Out);
  for (const Loop *L = A.LI.getLoopFor(BB); L; L = L->getParentLoop())
    if (!L->getExitingBlock())
      Out.push_back(Graph.unknown(1, "a loop that may be left early"));
  return Out;
}

} // namespace gridspan
