//===- StrideExtension.cpp - Kernels for grids of any size ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Iterations that may be run by any thread (GridStride.cpp) may be run by more
// threads than the program asked for. A kernel does not see how long the grid
// is along an axis if
//
//   1. all its effects are in such loops over that axis,
//   2. the length of the grid goes into nothing but the steps of these loops,
//   3. no index wraps in the longer grid. Steps are of one thread or block, and
//      start and bound are a constant and at most one parameter each, which the
//      launch compares with the ends of its type (GridspanElasticX in ABI.h).
//      An unsigned index goes up, and starts from no less than zero.
//
//===----------------------------------------------------------------------===//

#include "analysis/gridstride/StrideExtension.h"
#include "analysis/gridstride/StrideForm.h"
#include "analysis/symbolic/ExprBuilder.h"
#include "analysis/symbolic/IndexPolynomial.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Argument.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gridspan {

/// The constant that the launch's margin has room for besides the threads of a
/// grid.
static constexpr int64_t MaxConstant = 1 << 20;

/// Returns true if V is a parameter of no more bits than an index of type Ty.
static bool isParameter(const Value *V, const Type *Ty) {
  V = withoutExtension(V);
  return isa<Argument>(V) && V->getType()->isIntegerTy() &&
         V->getType()->getIntegerBitWidth() <= Ty->getIntegerBitWidth();
}

static bool isPlain(const GridStrideLoop &G, AtomTable &Atoms) {
  const Type *Ty = G.Index->getType();
  if (std::abs(G.Scale) != 1 || Ty->getIntegerBitWidth() < 32)
    return false;
  bool Signed = CmpInst::isSigned(G.Pred);
  if (!Signed && (G.Scale < 0 || G.Constant < 0))
    return false;
  if (std::abs(G.Constant) > MaxConstant || G.Terms.size() > 1)
    return false;
  for (const auto &[Factor, Term] : G.Terms)
    if (Factor != 1 || !isParameter(Term, Ty))
      return false;
  unsigned NumParameters = 0;
  const Polynomial Limit = Atoms.of(G.Test->getOperand(G.LimitOperand));
  for (const auto &[Product, Factor] : Limit.terms()) {
    if (Product.empty()) {
      if (std::abs(Factor) > MaxConstant || (!Signed && Factor < 0))
        return false;
      continue;
    }
    const Atom &Only = Atoms[Product[0]];
    if (Product.size() != 1 || Factor != 1 || Only.Kind != Atom::Other ||
        !isParameter(Only.V, Ty) || ++NumParameters > 1)
      return false;
  }
  return !Limit.overflowed();
}

/// Returns true if all effects are in loops over Axis.
static bool hasEffectsInLoopsOnly(const Function &F, const KernelAnalyses &A,
                                  ArrayRef<GridStrideLoop> Loops,
                                  unsigned Axis) {
  auto IsInLoop = [&](const BasicBlock *BB) {
    for (const Loop *L = A.LI.getLoopFor(BB); L; L = L->getParentLoop())
      if (const GridStrideLoop *G = findStrideLoop(Loops, L);
          G && G->Axis == Axis)
        return true;
    return false;
  };
  for (const BasicBlock &BB : F) {
    if (!A.DT.isReachableFromEntry(&BB) || IsInLoop(&BB))
      continue;
    for (const Instruction &I : BB) {
      const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
      if (I.mayHaveSideEffects() &&
          !(Intrinsic && Intrinsic->isAssumeLikeIntrinsic()))
        return false;
    }
  }
  return true;
}

/// Returns true if the length of the grid along Axis is used for steps only.
static bool isLengthForSteps(const Function &F, ArrayRef<GridStrideLoop> Loops,
                             unsigned Axis) {
  SmallPtrSet<const Instruction *, 8> Seen;
  SmallVector<const Instruction *, 8> Work;
  for (const Instruction &I : instructions(F))
    if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I))
      if (auto Special = specialRegister(Intrinsic->getIntrinsicID());
          Special && Special->first == ExprKind::GridDim &&
          Special->second == Axis)
        Work.push_back(&I);
  while (!Work.empty())
    for (const Use &U : Work.pop_back_val()->uses()) {
      const auto *User = cast<Instruction>(U.getUser());
      bool IsStep = any_of(Loops, [&](const GridStrideLoop &G) {
        return G.Axis == Axis && G.Next == User &&
               G.StepOperand == U.getOperandNo();
      });
      if (IsStep)
        continue;
      if (!isa<BinaryOperator, CastInst>(User))
        return false;
      if (Seen.insert(User).second)
        Work.push_back(User);
    }
  return true;
}

std::array<bool, 3> elasticAxes(const Function &F, const KernelAnalyses &A,
                                ArrayRef<GridStrideLoop> Loops,
                                AtomTable &Atoms) {
  std::array<bool, 3> Result = {};
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    bool Any = false, Plain = true;
    for (const GridStrideLoop &G : Loops)
      if (G.Axis == Axis) {
        Any = true;
        Plain &= isPlain(G, Atoms);
      }
    Result[Axis] = Any && Plain && hasEffectsInLoopsOnly(F, A, Loops, Axis) &&
                   isLengthForSteps(F, Loops, Axis);
  }
  return Result;
}

} // namespace gridspan
