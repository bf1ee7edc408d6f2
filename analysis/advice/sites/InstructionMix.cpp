//===- InstructionMix.cpp - Instructions of each loop level ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A count from IR of what the back end makes of it: products join the sums that
// use them, extensions and most address arithmetic disappear into wide
// multiplications.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/sites/InstructionMix.h"
#include "analysis/advice/sites/ReductionTrees.h"
#include "analysis/expr/LaunchDefaults.h"
#include "analysis/symbolic/ExprBuilder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace gridspan {

/// Instructions of a loop that ptxas unrolls, at most.
static constexpr double UnrolledIssue = 12;

/// A division of integers is a short subroutine.
static constexpr double IntDivision32 = 16, IntDivision64 = 60;

static void countCall(const CallInst &Call, WorkLevel &Level) {
  bool IsDouble = Call.getType()->getScalarType()->isDoubleTy();
  StringRef Name = Call.getCalledFunction()
                       ? Call.getCalledFunction()->getName()
                       : StringRef();
  if (Call.isInlineAsm()) {
    Level.Issue += 1;
    return;
  }
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&Call);
  if (!Intrinsic) {
    // A library function that was not inlined.
    Level.Issue += 20;
    return;
  }
  if (Intrinsic->isAssumeLikeIntrinsic())
    return;
  Level.Issue += 1;
  if (Name.contains("sreg")) {
    Level.Issue -= 1;
    return;
  }
  bool IsSfu = Name.contains("rsqrt") || Name.contains("sqrt") ||
               Name.contains("sin") || Name.contains("cos") ||
               Name.contains("ex2") || Name.contains("lg2") ||
               Name.contains("rcp") || Name.contains("div.approx");
  if (IsSfu && !IsDouble) {
    Level.Sfu += 1;
    Level.Issue += Name.contains("sqrt") && Name.contains("rn") ? 7 : 1;
  } else if (Call.getType()->isFPOrFPVectorTy()) {
    (IsDouble ? Level.Fp64 : Level.Fp32) += 1;
  }
}

static void count(const Instruction &I, WorkLevel &Level) {
  Type *Ty = I.getType()->getScalarType();
  bool Is64 = Ty->isIntegerTy(64);
  switch (I.getOpcode()) {
  case Instruction::FMul:
    // Joined with the sum.
    if (I.hasOneUse() && isa<BinaryOperator>(*I.user_begin()))
      if (unsigned Op = cast<Instruction>(*I.user_begin())->getOpcode();
          Op == Instruction::FAdd || Op == Instruction::FSub)
        return;
    [[fallthrough]];
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FCmp:
    Level.Issue += 1;
    (Ty->isDoubleTy() ? Level.Fp64 : Level.Fp32) += 1;
    return;
  case Instruction::FDiv:
  case Instruction::FRem:
    Level.Issue += Ty->isDoubleTy() ? 20 : 9;
    (Ty->isDoubleTy() ? Level.Fp64 : Level.Fp32) += 8;
    Level.Sfu += 1;
    return;
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    if (isa<ConstantInt>(I.getOperand(1)))
      Level.Issue += 3;
    else
      Level.Issue += Is64 ? IntDivision64 : IntDivision32;
    return;
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::Trunc:
  case Instruction::BitCast:
  case Instruction::FNeg:
  case Instruction::AddrSpaceCast:
  case Instruction::Ret:
  case Instruction::PHI:
    return;
  case Instruction::GetElementPtr:
    // Constant steps are in the instruction.
    Level.Issue += cast<GetElementPtrInst>(I).hasAllConstantIndices() ? 0 : 1;
    return;
  case Instruction::Br:
    Level.Issue += cast<BranchInst>(I).isConditional() ? 1 : 0;
    return;
  case Instruction::Call:
    countCall(cast<CallInst>(I), Level);
    return;
  default:
    Level.Issue += Is64 ? 2 : 1;
  }
}

/// Returns true if the address comes from a load of the same loop.
static bool dependsOnLoadIn(const Value *Pointer, const Loop *L) {
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 16> Work = {Pointer};
  while (!Work.empty()) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !Seen.insert(I).second || (L && !L->contains(I)))
      continue;
    if (isa<LoadInst>(I))
      return true;
    if (Seen.size() > 64)
      return false;
    for (const Value *Op : I->operands())
      Work.push_back(Op);
  }
  return false;
}

std::vector<WorkLevel> workLevelsOf(const Function &Kernel, const LoopInfo &LI,
                                    ExprBuilder &Builder) {
  MapVector<const Loop *, WorkLevel> Levels;
  for (const BasicBlock &BB : Kernel) {
    const Loop *L = LI.getLoopFor(&BB);
    WorkLevel &Level = Levels[L];
    for (const Instruction &I : BB) {
      count(I, Level);
      if (const auto *Load = dyn_cast<LoadInst>(&I))
        Level.HasDependentLoads |=
            dependsOnLoadIn(Load->getPointerOperand(), L);
      if (const auto *Phi = dyn_cast<PHINode>(&I))
        Level.HasReduction |= L && isReduction(*Phi, *L);
      if (const auto *Call = dyn_cast<IntrinsicInst>(&I))
        Level.HasBarrier |= Call->getIntrinsicID() == Intrinsic::nvvm_barrier0;
    }
  }
  std::vector<WorkLevel> Out;
  for (auto &[Innermost, Level] : Levels) {
    // Compare, branch and increment are shared by unrolled iterations.
    if (Innermost && Innermost->isInnermost() && Level.Issue <= UnrolledIssue)
      Level.Issue =
          std::max(1.0, Level.Issue - 3 * (1 - 1.0 / UnrolledIterations));
    for (const Loop *L = Innermost; L; L = L->getParentLoop())
      Level.Loops.insert(Level.Loops.begin(),
                         {Builder.numberOf(L),
                          Builder.backedgeTakenAt(L, NoContext),
                          Builder.hasExactCount(L)});
    Out.push_back(std::move(Level));
  }
  return Out;
}

} // namespace gridspan
