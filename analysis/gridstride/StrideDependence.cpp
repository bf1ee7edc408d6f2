//===- StrideDependence.cpp - The dependences of an iteration -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Obligations 2 and 3 of GridStride.cpp. Dependence on the thread is followed
// forward from its sources, through data; the indices of the loops in question
// stop it. Control is looked at where it decides whether the loop is entered.
//
//===----------------------------------------------------------------------===//

#include "analysis/gridstride/StrideDependence.h"
#include "analysis/gridstride/StrideEffects.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "analysis/symbolic/ExprBuilder.h"
#include "analysis/symbolic/IndexPolynomial.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gridspan {

/// Returns true if the value is another one in different threads, by itself.
static bool isThreadSource(const Instruction &I, unsigned Axis, bool PerBlock) {
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
    return true;
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isVolatile() || isPrivateMemory(Load->getPointerOperand());
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return false;
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(Call);
  if (!Intrinsic)
    return !Call->doesNotAccessMemory() || Call->isConvergent();
  if (auto Special = specialRegister(Intrinsic->getIntrinsicID())) {
    bool IsBlock = Special->first == ExprKind::BlockIdx;
    bool IsThread = Special->first == ExprKind::ThreadIdx && !PerBlock;
    return (IsBlock || IsThread) && Special->second == Axis;
  }
  StringRef Name = Intrinsic->getCalledFunction()->getName();
  return Intrinsic->isConvergent() ||
         (Name.starts_with("llvm.nvvm.read.ptx.sreg.") &&
          !Name.ends_with(".warpsize"));
}

StrideDependence::StrideDependence(const Function &F, const KernelAnalyses &A,
                                   ArrayRef<GridStrideLoop> Loops,
                                   const GridStrideLoop &For, AtomTable &Atoms)
    : F(F), A(A), Loops(Loops), G(For), Atoms(Atoms) {
  findDependent();
}

bool StrideDependence::isIndex(const Instruction &I) const {
  return any_of(Loops,
                [&](const GridStrideLoop &Other) { return Other.Index == &I; });
}

/// Fills Dependent with all values that are not known to be the same in all
/// threads along the axis. A phi outside the loops may be decided by anything.
void StrideDependence::findDependent() {
  SmallVector<const Instruction *, 32> Work;
  auto Add = [&](const Instruction &I) {
    if (!isIndex(I) && Dependent.insert(&I).second)
      Work.push_back(&I);
  };
  for (const Instruction &I : instructions(F))
    if (isThreadSource(I, G.Axis, G.PerBlock) ||
        (isa<PHINode>(I) && !outermostStrideLoop(Loops, A.LI, I)))
      Add(I);
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users())
      Add(*cast<Instruction>(U));
}

/// Returns true if Condition being Holds is implied for all threads by the
/// loop's first test, together with what is the same in all of them.
bool StrideDependence::isOwnTest(const Value *Condition, bool Holds) {
  if (!Dependent.contains(Condition))
    return true;
  const Value *X, *Y;
  if ((Holds && match(Condition, m_LogicalAnd(m_Value(X), m_Value(Y)))) ||
      (!Holds && match(Condition, m_LogicalOr(m_Value(X), m_Value(Y)))))
    return isOwnTest(X, Holds) && isOwnTest(Y, Holds);
  if (match(Condition, m_Not(m_Value(X))))
    return isOwnTest(X, !Holds);
  const auto *Test = dyn_cast<ICmpInst>(Condition);
  if (!Test || !Test->getOperand(0)->getType()->isIntegerTy())
    return false;
  CmpInst::Predicate Pred =
      Holds ? Test->getPredicate() : Test->getInversePredicate();
  return isImplied(Pred, Test->getOperand(0), Test->getOperand(1)) ||
         isImplied(CmpInst::getSwappedPredicate(Pred), Test->getOperand(1),
                   Test->getOperand(0));
}

/// Returns true if the loop's own test of its first index implies X Pred Y.
/// That is the same test, or one that is off by one in the direction that lets
/// more threads in. With numbers so close none wraps if index and bound do not.
bool StrideDependence::isImplied(CmpInst::Predicate Pred, const Value *X,
                                 const Value *Y) {
  bool Up = G.Scale > 0;
  if (CmpInst::getStrictPredicate(Pred) != CmpInst::getStrictPredicate(G.Pred))
    return false;
  const Value *Start =
      G.Index->getIncomingValueForBlock(G.L->getLoopPredecessor());
  const Value *Limit = G.Test->getOperand(G.LimitOperand);
  std::optional<int64_t> XShift = (Atoms.of(X) - Atoms.of(Start)).constant();
  std::optional<int64_t> YShift =
      Y == Limit || Y == withoutExtension(Limit)
          ? 0
          : (Atoms.of(Y) - Atoms.of(Limit)).constant();
  if (!XShift || !YShift || std::abs(*XShift) > 1 || std::abs(*YShift) > 1 ||
      Atoms.of(X).overflowed() || Atoms.of(Start).overflowed())
    return false;
  // Away from the bound, the index might leave its type.
  bool IsBehind = Up ? *XShift < 0 : *XShift > 0;
  if (IsBehind && !(Up && G.Terms.empty() && G.Constant >= 1))
    return false;
  // How much farther from its bound X is than the index, both in strict form.
  int64_t Slack = Up ? *YShift - *XShift : *XShift - *YShift;
  Slack += !CmpInst::isStrictPredicate(Pred);
  Slack -= !CmpInst::isStrictPredicate(G.Pred);
  return Slack >= 0;
}

/// Returns the blocks outside of the loop whose branches decide whether BB
/// runs, directly or through others.
SmallVector<const BasicBlock *, 8>
StrideDependence::decidersOf(const BasicBlock *BB) const {
  SmallSetVector<const BasicBlock *, 8> Decided;
  Decided.insert(BB);
  for (unsigned Next = 0; Next != Decided.size(); ++Next)
    for (const BasicBlock &X : F) {
      if (G.L->contains(&X) || X.getTerminator()->getNumSuccessors() < 2 ||
          !A.DT.isReachableFromEntry(&X) ||
          A.PDT.properlyDominates(Decided[Next], &X))
        continue;
      if (any_of(successors(&X), [&](const BasicBlock *S) {
            return A.PDT.dominates(Decided[Next], S);
          }))
        Decided.insert(&X);
    }
  return SmallVector<const BasicBlock *, 8>(drop_begin(Decided));
}

StrideVerdict StrideDependence::checkEntry() {
  const BasicBlock *Header = G.L->getHeader();
  for (const BasicBlock *BB : decidersOf(Header)) {
    const Instruction *End = BB->getTerminator();
    const auto *Branch = dyn_cast<BranchInst>(End);
    const Value *Condition = Branch                  ? Branch->getCondition()
                             : End->getNumOperands() ? End->getOperand(0)
                                                     : nullptr;
    if (Condition && !Dependent.contains(Condition))
      continue;
    auto LeadsThere = [&](unsigned Successor) {
      return Branch &&
             A.DT.dominates(BasicBlockEdge(BB, Branch->getSuccessor(Successor)),
                            Header);
    };
    bool First = LeadsThere(0);
    if ((First || LeadsThere(1)) && isOwnTest(Condition, First))
      continue;
    return StrideObstacle{StrideRefusalKind::EntryDepends, End};
  }
  return std::nullopt;
}

StrideVerdict StrideDependence::checkIteration() const {
  for (const auto &[Factor, Term] : G.Terms)
    if (Dependent.contains(Term))
      return StrideObstacle{StrideRefusalKind::BaseForm, G.Index};
  for (const BasicBlock *BB : G.L->blocks())
    for (const Instruction &I : *BB) {
      if (auto Kind = effectObstacle(I))
        return StrideObstacle{*Kind, &I};
      if (!isIndex(I) && any_of(I.operands(), [&](const Use &Op) {
            return Dependent.contains(Op.get());
          }))
        return StrideObstacle{StrideRefusalKind::ThreadDependence, &I};
    }
  return std::nullopt;
}

} // namespace gridspan
