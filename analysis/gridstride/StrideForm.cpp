//===- StrideForm.cpp - The form of grid-stride loops ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Obligation 1 of GridStride.cpp. The step of the index is a constant times the
// threads (or blocks) of the grid along an axis. Its start is that constant
// times the number of the thread (or block), plus a base that is the same for
// all. The single exit is at the end, by a comparison of the next index with an
// invariant bound. Step, start and base are compared as polynomials
// (IndexPolynomial.h).
//
//===----------------------------------------------------------------------===//

#include "analysis/gridstride/StrideForm.h"
#include "analysis/symbolic/IndexPolynomial.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gridspan {

/// Factors beyond this would need care with 64 bits.
constexpr int64_t MaxFactor = 1 << 15;
constexpr int64_t MaxConstant = int64_t(1) << 30;
constexpr unsigned MaxBaseTerms = 4;

/// s * nctaid * ntid, or s * nctaid, of one axis.
static bool isGridStep(const Polynomial &Step, AtomTable &Atoms,
                       GridStrideLoop &G) {
  if (Step.overflowed() || Step.terms().size() != 1)
    return false;
  const auto &[Product, Factor] = *Step.terms().begin();
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    AtomId Grid = Atoms.registerAtom(ExprKind::GridDim, Axis);
    AtomId Block = Atoms.registerAtom(ExprKind::BlockDim, Axis);
    Polynomial::Product Threads = {Grid, Block};
    sort(Threads);
    bool PerBlock = Product.size() == 1 && Product[0] == Grid;
    if (!PerBlock && Product != Threads)
      continue;
    G.Axis = Axis;
    G.PerBlock = PerBlock;
    G.Scale = Factor;
    return std::abs(Factor) <= MaxFactor;
  }
  return false;
}

/// Returns true if the loop has an index that moves with the size of the grid.
static bool stridesOverGrid(const Loop *L, AtomTable &Atoms,
                            GridStrideLoop &G) {
  const BasicBlock *Latch = L->getLoopLatch();
  if (!Latch || !L->getLoopPredecessor())
    return false;
  for (PHINode &P : L->getHeader()->phis()) {
    auto *Next = dyn_cast<BinaryOperator>(P.getIncomingValueForBlock(Latch));
    if (!Next || !P.getType()->isIntegerTy() ||
        P.getType()->getIntegerBitWidth() > 64)
      continue;
    bool IsSum = Next->getOpcode() == Instruction::Add;
    bool IsDifference = Next->getOpcode() == Instruction::Sub;
    bool First = Next->getOperand(0) == &P;
    bool Second = Next->getOperand(1) == &P;
    if (!(IsSum && (First || Second)) && !(IsDifference && First))
      continue;
    G.StepOperand = First ? 1 : 0;
    Polynomial Step = Atoms.of(Next->getOperand(G.StepOperand));
    if (IsDifference)
      Step = Polynomial() - Step;
    if (!isGridStep(Step, Atoms, G))
      continue;
    G.L = L;
    G.Index = &P;
    G.Next = Next;
    return true;
  }
  return false;
}

static StrideVerdict matchIndex(GridStrideLoop &G) {
  for (const PHINode &P : G.L->getHeader()->phis())
    if (&P != G.Index)
      return StrideObstacle{StrideRefusalKind::CarriedValue, &P};
  const auto *Step = dyn_cast<Instruction>(G.Next->getOperand(G.StepOperand));
  if (Step && G.L->contains(Step))
    return StrideObstacle{StrideRefusalKind::ExitForm, Step};
  return std::nullopt;
}

static StrideVerdict matchBase(GridStrideLoop &G, AtomTable &Atoms) {
  StrideObstacle TooComplex{StrideRefusalKind::BaseForm};
  const Value *Start =
      G.Index->getIncomingValueForBlock(G.L->getLoopPredecessor());
  AtomId Block = Atoms.registerAtom(ExprKind::BlockIdx, G.Axis);
  Polynomial Position(Block);
  if (!G.PerBlock)
    Position =
        Position * Polynomial(Atoms.registerAtom(ExprKind::BlockDim, G.Axis)) +
        Polynomial(Atoms.registerAtom(ExprKind::ThreadIdx, G.Axis));
  Polynomial Base = Atoms.of(Start) - Polynomial(G.Scale) * Position;
  if (Base.overflowed() || Base.terms().size() > MaxBaseTerms)
    return TooComplex;
  for (const auto &[Product, Factor] : Base.terms()) {
    if (Product.empty()) {
      if (std::abs(Factor) > MaxConstant)
        return TooComplex;
      G.Constant = Factor;
      continue;
    }
    const Atom &Only = Atoms[Product[0]];
    if (Product.size() != 1 || std::abs(Factor) > MaxFactor ||
        Only.Kind != Atom::Other || !Only.V->getType()->isIntegerTy() ||
        Only.V->getType()->getIntegerBitWidth() > 64 ||
        !G.L->isLoopInvariant(Only.V))
      return TooComplex;
    G.Terms.push_back({Factor, const_cast<Value *>(Only.V)});
  }
  return std::nullopt;
}

static StrideVerdict matchExit(GridStrideLoop &G) {
  const BasicBlock *Latch = G.L->getLoopLatch();
  StrideObstacle Other{StrideRefusalKind::ExitForm, Latch->getTerminator()};
  if (G.L->getExitingBlock() != Latch)
    return Other;
  const auto *Branch = dyn_cast<BranchInst>(Latch->getTerminator());
  if (!Branch || !Branch->isConditional())
    return Other;
  auto *Test = dyn_cast<ICmpInst>(Branch->getCondition());
  if (!Test || !Test->hasOneUse())
    return Other;
  bool First = Test->getOperand(0) == G.Next;
  if (!First && Test->getOperand(1) != G.Next)
    return Other;
  CmpInst::Predicate Pred = G.L->contains(Branch->getSuccessor(0))
                                ? Test->getPredicate()
                                : Test->getInversePredicate();
  G.Test = Test;
  G.LimitOperand = First ? 1 : 0;
  G.Pred = First ? Pred : CmpInst::getSwappedPredicate(Pred);
  bool Up = G.Pred == CmpInst::ICMP_SLT || G.Pred == CmpInst::ICMP_SLE ||
            G.Pred == CmpInst::ICMP_ULT || G.Pred == CmpInst::ICMP_ULE;
  if (!CmpInst::isRelational(G.Pred) || Up != (G.Scale > 0))
    return Other;
  const auto *Limit = dyn_cast<Instruction>(Test->getOperand(G.LimitOperand));
  if (Limit && G.L->contains(Limit))
    return Other;
  for (const BasicBlock *BB : G.L->blocks())
    for (const Instruction &I : *BB)
      for (const User *U : I.users())
        if (!G.L->contains(cast<Instruction>(U)))
          return StrideObstacle{StrideRefusalKind::UsedAfter, &I};
  return std::nullopt;
}

std::optional<StrideMatch> matchGridStride(const Loop *L, AtomTable &Atoms) {
  StrideMatch M;
  if (!stridesOverGrid(L, Atoms, M.Loop))
    return std::nullopt;
  M.Missing = matchIndex(M.Loop);
  if (!M.Missing)
    M.Missing = matchBase(M.Loop, Atoms);
  if (!M.Missing)
    M.Missing = matchExit(M.Loop);
  return M;
}

void numberIndices(ArrayRef<GridStrideLoop> Loops, ScalarEvolution &SE,
                   AtomTable &Atoms) {
  Atoms.forgetIndices();
  std::vector<unsigned> Signatures;
  for (unsigned I = 0, E = Loops.size(); I != E; ++I) {
    const GridStrideLoop &G = Loops[I];
    auto LimitOf = [&](const GridStrideLoop &Of) {
      return SE.getSCEV(Of.Test->getOperand(Of.LimitOperand));
    };
    unsigned Same = 0;
    for (; Same != I; ++Same) {
      const GridStrideLoop &Other = Loops[Same];
      if (Other.Axis == G.Axis && Other.PerBlock == G.PerBlock &&
          Other.Scale == G.Scale && Other.Pred == G.Pred &&
          Other.Constant == G.Constant && Other.Terms == G.Terms &&
          Other.Index->getType() == G.Index->getType() &&
          LimitOf(Other) == LimitOf(G) && !Other.L->contains(G.L))
        break;
    }
    Signatures.push_back(Same == I ? I : Signatures[Same]);
    Atoms.setIndex(G.Index, Signatures.back());
  }
}

const GridStrideLoop *findStrideLoop(ArrayRef<GridStrideLoop> Loops,
                                     const Loop *L) {
  const auto *It =
      find_if(Loops, [&](const GridStrideLoop &G) { return G.L == L; });
  return It == Loops.end() ? nullptr : It;
}

const Loop *outermostStrideLoop(ArrayRef<GridStrideLoop> Loops,
                                const LoopInfo &LI, const Instruction &I) {
  const Loop *Outermost = nullptr;
  for (const Loop *L = LI.getLoopFor(I.getParent()); L; L = L->getParentLoop())
    if (findStrideLoop(Loops, L))
      Outermost = L;
  return Outermost;
}

} // namespace gridspan
