//===- RowWalks.cpp - Pointers that step from row to row ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses are followed through address arithmetic, casts, phis and selects. The
// step of an address is looked for in every recurrence that ScalarEvolution
// finds in it, as an extended index hides its own from the address's. A step
// that is taken for long and is not costs nothing: whether rows are packed is
// decided at the launch, from the ranges.
//
// For the exact form of an address, arithmetic of fewer bits that may not wrap
// ("nsw") is done in 64 bits. A load from an address that would be poison is
// undefined behaviour (LLVM Language Reference, "Poison Values"). So where the
// load is executed nothing has wrapped. Where it is not, nobody asks.
//
//===----------------------------------------------------------------------===//

#include "analysis/legality/RowWalks.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gridspan {

/// Steps of fewer bytes or elements stay within a row for long.
static constexpr int64_t ShortStep = 1024;

static bool isLoadAddress(const Use &U) {
  if (isa<LoadInst>(U.getUser()))
    return true;
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(U.getUser());
  if (!Intrinsic || U.getOperandNo() != 0)
    return false;
  StringRef Name = Intrinsic->getCalledFunction()->getName();
  return Name.starts_with("llvm.nvvm.ldg.global.") ||
         Name.starts_with("llvm.nvvm.ldu.global.");
}

/// Returns true if all that V, a phi or select, chooses from is in Derived.
static bool choosesFrom(const User &V,
                        const SmallSetVector<Value *, 16> &Derived) {
  const unsigned First = isa<SelectInst>(V) ? 1 : 0;
  return all_of(drop_begin(V.operands(), First), [&](const Use &U) {
    return Derived.contains(U.get()) || isa<UndefValue>(U.get());
  });
}

SmallVector<Use *, 8> onlyLoadsOf(Argument &A) {
  SmallSetVector<Value *, 16> Derived;
  SmallVector<Use *, 8> Loads;
  Derived.insert(&A);
  for (unsigned Next = 0; Next != Derived.size(); ++Next)
    for (Use &U : Derived[Next]->uses()) {
      auto *I = dyn_cast<Instruction>(U.getUser());
      if (!I)
        return {};
      const bool Moves = isa<AddrSpaceCastInst, BitCastInst, PHINode>(I) ||
                         (isa<GetElementPtrInst>(I) && U.getOperandNo() == 0) ||
                         (isa<SelectInst>(I) && U.getOperandNo() != 0);
      if (Moves && !I->getType()->isVectorTy())
        Derived.insert(I);
      else if (!Moves && isLoadAddress(U))
        Loads.push_back(&U);
      else
        return {};
    }
  for (Value *V : Derived)
    if (isa<PHINode, SelectInst>(V) && !choosesFrom(*cast<User>(V), Derived))
      return {};
  return Loads;
}

/// Returns true if Address may take long steps in a loop around it.
static bool stepsFar(const Use &Address, const KernelAnalyses &Analyses) {
  const auto *User = cast<Instruction>(Address.getUser());
  if (!Analyses.LI.getLoopFor(User->getParent()) ||
      !Analyses.SE.isSCEVable(Address->getType()))
    return false;
  return SCEVExprContains(
      Analyses.SE.getSCEV(Address.get()), [&](const SCEV *S) {
        const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(S);
        if (!Recurrence)
          return false;
        const auto *Step =
            dyn_cast<SCEVConstant>(Recurrence->getStepRecurrence(Analyses.SE));
        return !Step || Step->getAPInt().abs().uge(ShortStep);
      });
}

SmallVector<unsigned, 4> findRowWalks(Function &Kernel,
                                      const KernelAnalyses &Analyses) {
  SmallVector<unsigned, 4> Found;
  for (Argument &A : Kernel.args()) {
    if (!A.getType()->isPointerTy() || A.hasByValAttr() ||
        !mayBeGlobalSpace(A.getType()->getPointerAddressSpace()))
      continue;
    if (any_of(onlyLoadsOf(A),
               [&](const Use *U) { return stepsFar(*U, Analyses); }))
      Found.push_back(A.getArgNo());
  }
  return Found;
}

namespace {

/// Addresses as sums in 64 bits.
class ExactAddress {
public:
  ExactAddress(ScalarEvolution &SE, const DataLayout &Layout)
      : SE(SE), Layout(Layout) {}
  const SCEV *pointer(Value *Pointer, unsigned Depth = 0);

private:
  const SCEV *index(Value *V, unsigned Depth);
  Type *type() const { return Type::getInt64Ty(SE.getContext()); }

  static constexpr unsigned MostDepth = 32;
  ScalarEvolution &SE;
  const DataLayout &Layout;
};

} // namespace

/// V, of at most 64 bits, as a signed number.
const SCEV *ExactAddress::index(Value *V, unsigned Depth) {
  const auto Operand = [&](unsigned I) {
    return index(cast<Instruction>(V)->getOperand(I), Depth + 1);
  };
  const auto Plain = [&] {
    return SE.getNoopOrSignExtend(SE.getSCEV(V), type());
  };
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth == MostDepth)
    return Plain();
  switch (I->getOpcode()) {
  case Instruction::SExt:
    return Operand(0);
  case Instruction::ZExt:
    return I->hasNonNeg() ? Operand(0) : Plain();
  case Instruction::Or:
    if (cast<PossiblyDisjointInst>(I)->isDisjoint())
      return SE.getAddExpr(Operand(0), Operand(1));
    return Plain();
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::Shl:
    break;
  default:
    return Plain();
  }
  // In 64 bits, sums that wrap are sums of this form, too.
  if (!I->hasNoSignedWrap() && !I->getType()->isIntegerTy(64))
    return Plain();
  if (I->getOpcode() == Instruction::Add)
    return SE.getAddExpr(Operand(0), Operand(1));
  if (I->getOpcode() == Instruction::Sub)
    return SE.getMinusSCEV(Operand(0), Operand(1));
  if (I->getOpcode() == Instruction::Mul)
    return SE.getMulExpr(Operand(0), Operand(1));
  const auto *By = dyn_cast<ConstantInt>(I->getOperand(1));
  if (!By || By->uge(std::min(63U, I->getType()->getIntegerBitWidth() - 1)))
    return Plain();
  return SE.getMulExpr(
      Operand(0), SE.getConstant(type(), uint64_t(1) << By->getZExtValue()));
}

const SCEV *ExactAddress::pointer(Value *Pointer, unsigned Depth) {
  auto *Gep = dyn_cast<GetElementPtrInst>(Pointer);
  if (!Gep || Depth == MostDepth)
    return SE.getSCEV(Pointer);
  APInt Constant(64, 0);
  MapVector<Value *, APInt> Variable;
  if (!Gep->collectOffset(Layout, 64, Variable, Constant))
    return SE.getSCEV(Pointer);
  const SCEV *Sum = SE.getConstant(Constant);
  for (const auto &[Index, Bytes] : Variable) {
    if (Index->getType()->getIntegerBitWidth() > 64)
      return SE.getSCEV(Pointer);
    Sum = SE.getAddExpr(Sum,
                        SE.getMulExpr(index(Index, 0), SE.getConstant(Bytes)));
  }
  return SE.getAddExpr(pointer(Gep->getPointerOperand(), Depth + 1), Sum);
}

std::optional<RowStep> rowStepOf(const Use &Address,
                                 const KernelAnalyses &Analyses) {
  ScalarEvolution &SE = Analyses.SE;
  const auto *User = cast<Instruction>(Address.getUser());
  const Loop *Around = Analyses.LI.getLoopFor(User->getParent());
  while (Around && Around->getParentLoop())
    Around = Around->getParentLoop();
  if (!Around || !Around->getLoopPreheader() || !Around->getLoopLatch())
    return std::nullopt;
  const DataLayout &Layout = User->getModule()->getDataLayout();
  if (Layout.getPointerTypeSizeInBits(Address->getType()) != 64)
    return std::nullopt;
  const auto *Recurrence =
      dyn_cast<SCEVAddRecExpr>(ExactAddress(SE, Layout).pointer(Address.get()));
  if (!Recurrence || Recurrence->getLoop() != Around || !Recurrence->isAffine())
    return std::nullopt;
  const SCEV *Most = SE.getSymbolicMaxBackedgeTakenCount(Around);
  if (isa<SCEVCouldNotCompute>(Most) ||
      SE.getTypeSizeInBits(Most->getType()) > 64)
    return std::nullopt;
  return RowStep{
      Around, Recurrence->getStart(), Recurrence->getStepRecurrence(SE),
      SE.getNoopOrZeroExtend(Most, Type::getInt64Ty(SE.getContext()))};
}

} // namespace gridspan
