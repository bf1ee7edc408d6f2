//===- Guards.cpp - Conditions known to hold in a block -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks up the dominator tree from a block and collects the conditions of edges
// that dominate it. A conjunction gives a fact for each operand, and a fact
// about an operation with a constant gives one about its operand. Contexts are
// interned, so that equal lists of facts have one number.
//
//===----------------------------------------------------------------------===//

#include "analysis/symbolic/Guards.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gridspan {

/// Returns the operand of an operation with a constant that can be undone, or
/// null. A fact about the operation is then one about its operand. So `i >= 1
/// && i < n - 1`, which becomes `i - 1 <u n - 2`, bounds i.
static const Value *invertibleOperand(const Value *V) {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return nullptr;
  switch (I->getOpcode()) {
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::Freeze:
    return I->getOperand(0);
  case Instruction::Add:
    return isa<ConstantInt>(I->getOperand(1)) ? I->getOperand(0) : nullptr;
  case Instruction::Or:
    return isa<ConstantInt>(I->getOperand(1)) &&
                   cast<PossiblyDisjointInst>(I)->isDisjoint()
               ? I->getOperand(0)
               : nullptr;
  case Instruction::Sub:
    return isa<ConstantInt>(I->getOperand(0)) ? I->getOperand(1) : nullptr;
  default:
    return nullptr;
  }
}

static constexpr unsigned MaxSteps = 4;

static void addRestrictions(SmallVectorImpl<Restriction> &Out, const Value *X,
                            CmpInst::Predicate Pred, const Value *Y) {
  SmallVector<const Instruction *, 2> Steps;
  for (const Value *V = X; V && !isa<Constant>(V); V = invertibleOperand(V)) {
    SmallVector<const Instruction *, 2> Forward(reverse(Steps));
    Out.push_back({V, std::move(Forward), Pred, Y});
    if (!isa<Instruction>(V) || Steps.size() == MaxSteps)
      return;
    Steps.push_back(cast<Instruction>(V));
  }
}

ContextId Guards::extend(ContextId Context, const Value *X,
                         CmpInst::Predicate Pred, const Value *Y) {
  auto [It, Inserted] =
      Index.try_emplace({Context, X, Pred, Y}, ContextId(Nodes.size()));
  if (!Inserted)
    return It->second;
  for (ContextId C = Context; C != NoContext; C = Nodes[C].Parent)
    if (Nodes[C].X == X && Nodes[C].Pred == Pred && Nodes[C].Y == Y)
      return It->second = Context;
  Guard New;
  New.Parent = Context;
  New.X = X;
  New.Pred = Pred;
  New.Y = Y;
  if (X->getType()->isIntegerTy()) {
    addRestrictions(New.Restrictions, X, Pred, Y);
    addRestrictions(New.Restrictions, Y, CmpInst::getSwappedPredicate(Pred), X);
  }
  Nodes.push_back(std::move(New));
  return It->second;
}

ContextId Guards::with(ContextId Context, const Value *Condition, bool Holds) {
  const Value *A, *B;
  if (match(Condition, m_Not(m_Value(A))))
    return with(Context, A, !Holds);
  if (match(Condition, m_Freeze(m_Value(A))))
    return with(Context, A, Holds);
  if (Holds && match(Condition, m_LogicalAnd(m_Value(A), m_Value(B))))
    return with(with(Context, A, true), B, true);
  if (!Holds && match(Condition, m_LogicalOr(m_Value(A), m_Value(B))))
    return with(with(Context, A, false), B, false);
  if (const auto *Compare = dyn_cast<ICmpInst>(Condition))
    return extend(Context, Compare->getOperand(0),
                  Holds ? Compare->getPredicate()
                        : Compare->getInversePredicate(),
                  Compare->getOperand(1));
  if (isa<Constant>(Condition) || !Condition->getType()->isIntegerTy(1))
    return Context;
  return extend(Context, Condition, CmpInst::ICMP_EQ,
                ConstantInt::getBool(Condition->getContext(), Holds));
}

ContextId Guards::withEdge(ContextId Context, const BasicBlock *From,
                           const BasicBlock *To) {
  const Instruction *End = From->getTerminator();
  if (const auto *Branch = dyn_cast<BranchInst>(End)) {
    if (!Branch->isConditional() ||
        Branch->getSuccessor(0) == Branch->getSuccessor(1))
      return Context;
    return with(Context, Branch->getCondition(), Branch->getSuccessor(0) == To);
  }
  const auto *Switch = dyn_cast<SwitchInst>(End);
  if (!Switch)
    return Context;
  const ConstantInt *Single = nullptr;
  unsigned NumCases = 0;
  for (const auto &Case : Switch->cases())
    if (Case.getCaseSuccessor() == To) {
      Single = Case.getCaseValue();
      ++NumCases;
    }
  bool IsDefault = Switch->getDefaultDest() == To;
  if (!IsDefault && NumCases == 1)
    return extend(Context, Switch->getCondition(), CmpInst::ICMP_EQ, Single);
  if (IsDefault && NumCases == 0) {
    for (const auto &Case : Switch->cases())
      Context = extend(Context, Switch->getCondition(), CmpInst::ICMP_NE,
                       Case.getCaseValue());
  }
  return Context;
}

/// Adds the facts of llvm.assume in BB. They hold in all of the block where
/// everything before them passes control on.
ContextId Guards::withAssumptions(ContextId Context, const BasicBlock &BB) {
  for (const Instruction &I : BB) {
    if (const auto *Assume = dyn_cast<AssumeInst>(&I))
      Context = with(Context, Assume->getArgOperand(0), true);
    if (!isGuaranteedToTransferExecutionToSuccessor(&I))
      break;
  }
  return Context;
}

/// Returns the predecessor whose edge dominates BB, if there is one: all others
/// come from behind BB.
static const BasicBlock *dominatingPredecessor(const BasicBlock *BB,
                                               const DominatorTree &DT) {
  const BasicBlock *Only = nullptr;
  for (const BasicBlock *Pred : predecessors(BB)) {
    if (DT.dominates(BB, Pred) || Pred == Only)
      continue;
    if (Only)
      return nullptr;
    Only = Pred;
  }
  return Only;
}

ContextId Guards::ofBlock(const BasicBlock *BB) {
  // Up the dominator tree without recursion: it may be deep.
  SmallVector<const BasicBlock *, 16> Path;
  ContextId Context = NoContext;
  for (const BasicBlock *B = BB; B;) {
    if (auto It = OfBlock.find(B); It != OfBlock.end()) {
      Context = It->second;
      break;
    }
    Path.push_back(B);
    const DomTreeNode *Node = DT.getNode(B);
    const DomTreeNode *Up = Node ? Node->getIDom() : nullptr;
    B = Up ? Up->getBlock() : nullptr;
  }
  for (const BasicBlock *B : reverse(Path)) {
    if (const BasicBlock *Pred = dominatingPredecessor(B, DT))
      Context = withEdge(Context, Pred, B);
    Context = withAssumptions(Context, *B);
    OfBlock[B] = Context;
  }
  return Context;
}

ContextId Guards::ofEdge(const BasicBlock *From, const BasicBlock *To) {
  return withEdge(ofBlock(From), From, To);
}

ContextId Guards::join(ContextId Context, ContextId Other) {
  for (ContextId C : chain(Other))
    Context = extend(Context, Nodes[C].X, Nodes[C].Pred, Nodes[C].Y);
  return Context;
}

SmallVector<ContextId, 16> Guards::chain(ContextId Context) const {
  SmallVector<ContextId, 16> Out;
  for (; Context != NoContext; Context = Nodes[Context].Parent)
    Out.push_back(Context);
  std::reverse(Out.begin(), Out.end());
  return Out;
}

} // namespace gridspan
