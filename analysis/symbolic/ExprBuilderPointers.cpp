//===- ExprBuilderPointers.cpp - The targets of pointers ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows a pointer through address arithmetic, casts, selects and phis to the
// parameters (or fields of by-value parameters) that it comes from, adding up
// the byte offset. A pointer that reaches itself through a back edge without
// having moved adds no target; one that has moved, and is no induction
// variable, has an unknown offset.
//
//===----------------------------------------------------------------------===//

#include "analysis/nvptx/AddressSpaces.h"
#include "analysis/symbolic/ExprBuilder.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gridspan {

static constexpr unsigned MaxTargets = 8;
static constexpr unsigned MaxPointerDepth = 64;

static SmallVector<PointerTarget, 2> unknownTarget(StringRef Why) {
  PointerTarget T{PointerTarget::Unknown};
  T.Why = Why.str();
  return {T};
}

static SmallVector<PointerTarget, 2> notGlobal() {
  return {PointerTarget{PointerTarget::NotGlobal}};
}

SmallVector<PointerTarget, 2> ExprBuilder::pointerAt(const Value *V,
                                                     ContextId Context) {
  if (!step() || Depth >= MaxPointerDepth)
    return unknownTarget("the pointer is computed too deeply");
  ++Depth;
  Targets T = openedPointer(V, walkPointer(V, Context));
  --Depth;
  if (T.size() > MaxTargets)
    return unknownTarget("the pointer may be one of too many");
  return T;
}

ExprBuilder::Targets ExprBuilder::joinTargets(Targets A, const Targets &B) {
  for (const PointerTarget &T : B) {
    auto Same = find_if(A, [&](const PointerTarget &Other) {
      return Other.Where == T.Where && Other.Param == T.Param &&
             Other.ByteOffset == T.ByteOffset && Other.Why == T.Why;
    });
    if (Same == A.end())
      A.push_back(T);
    else if (T.Where == PointerTarget::Parameter)
      Same->Offset = Graph.merge(Same->Offset, T.Offset);
  }
  if (A.size() > 1)
    for (PointerTarget &T : A)
      T.MayBeOther = true;
  return A;
}

ExprBuilder::Targets ExprBuilder::chooseTargets(const Value *Condition,
                                                ContextId Context, Targets True,
                                                Targets False) {
  ExprId C = valueAt(Condition, Context);
  bool Uniform = Graph.isUniform(C);
  // Offsets from one parameter are alternatives of one target.
  bool InCommon = any_of(True, [&](const PointerTarget &T) {
    return any_of(False, [&](const PointerTarget &Other) {
      return Other.Where == T.Where && Other.Param == T.Param &&
             Other.ByteOffset == T.ByteOffset;
    });
  });
  if (!Uniform && (InCommon || !Graph.unknownReason(C).empty()))
    return joinTargets(std::move(True), False);
  ExprId NotC = Graph.negated(C);
  Targets All;
  for (auto [Side, When] : {std::pair(&True, C), std::pair(&False, NotC)})
    for (PointerTarget &T : *Side) {
      if (T.Where == PointerTarget::Parameter)
        T.Offset = Graph.guarded(When, T.Offset);
      T.MayBeOther |= !Uniform;
      All.push_back(std::move(T));
    }
  return All;
}

ExprId ExprBuilder::gepOffset(const GEPOperator &GEP, ContextId Context) {
  ExprId Sum = Graph.constant(64, 0);
  for (auto It = gep_type_begin(GEP), End = gep_type_end(GEP); It != End;
       ++It) {
    const Value *Index = It.getOperand();
    if (StructType *Struct = It.getStructTypeOrNull()) {
      unsigned Field = cast<ConstantInt>(Index)->getZExtValue();
      Sum = Graph.binary(
          ExprKind::Add, Sum,
          Graph.constant(64,
                         DL.getStructLayout(Struct)->getElementOffset(Field)));
      continue;
    }
    if (!Index->getType()->isIntegerTy() ||
        Index->getType()->getIntegerBitWidth() > 64)
      return Graph.unknown(64, "an address of a vector of indices");
    TypeSize Stride = It.getSequentialElementStride(DL);
    if (Stride.isScalable())
      return Graph.unknown(64, "an address of a vector of indices");
    ExprId E = Graph.cast(ExprKind::SExt, valueAt(Index, Context), 64);
    E = Graph.binary(ExprKind::Mul, E,
                     Graph.constant(64, Stride.getFixedValue()));
    Sum = Graph.binary(ExprKind::Add, Sum, E);
  }
  return Sum;
}

/// Returns the value that V is moved or converted from.
static const Value *movedFrom(const Value *V) {
  while (const auto *Op = dyn_cast<Operator>(V)) {
    switch (Op->getOpcode()) {
    case Instruction::GetElementPtr:
    case Instruction::AddrSpaceCast:
    case Instruction::BitCast:
    case Instruction::Freeze:
    case Instruction::IntToPtr:
    case Instruction::PtrToInt:
      V = Op->getOperand(0);
      continue;
    default:
      return V;
    }
  }
  return V;
}

/// Returns the pointer that an intrinsic hands on, or null.
static const Value *forwardedPointer(const IntrinsicInst &I) {
  switch (I.getIntrinsicID()) {
  case Intrinsic::launder_invariant_group:
  case Intrinsic::strip_invariant_group:
  case Intrinsic::ssa_copy:
  case Intrinsic::threadlocal_address:
    return I.getArgOperand(0);
  default:
    break;
  }
  return I.getCalledFunction()->getName().starts_with("llvm.nvvm.ptr.")
             ? I.getArgOperand(0)
             : nullptr;
}

ExprBuilder::Targets ExprBuilder::walkPointer(const Value *V,
                                              ContextId Context) {
  if (!mayBeGlobalSpace(V->getType()->getPointerAddressSpace()))
    return notGlobal();
  if (const auto *A = dyn_cast<Argument>(V)) {
    if (A->hasByValAttr())
      return notGlobal();
    PointerTarget T{PointerTarget::Parameter};
    T.Param = A->getArgNo();
    T.Offset = Graph.constant(64, 0);
    return {T};
  }
  if (isa<AllocaInst, GlobalValue>(V))
    return notGlobal();
  if (isa<ConstantPointerNull>(V))
    return unknownTarget("a pointer made from an integer");
  // No access through it is defined.
  if (isa<UndefValue>(V))
    return notGlobal();

  if (const auto *GEP = dyn_cast<GEPOperator>(V)) {
    Targets T = pointerAt(GEP->getPointerOperand(), Context);
    if (none_of(T, [](const PointerTarget &P) {
          return P.Where == PointerTarget::Parameter;
        }))
      return T;
    ExprId Offset = gepOffset(*GEP, Context);
    for (PointerTarget &P : T)
      if (P.Where == PointerTarget::Parameter)
        P.Offset = Graph.binary(ExprKind::Add, P.Offset, Offset);
    return T;
  }
  if (const auto *Op = dyn_cast<Operator>(V))
    switch (Op->getOpcode()) {
    case Instruction::AddrSpaceCast:
    case Instruction::BitCast:
    case Instruction::Freeze:
      return pointerAt(Op->getOperand(0), Context);
    case Instruction::IntToPtr:
      if (const auto *From = dyn_cast<PtrToIntOperator>(Op->getOperand(0)))
        return pointerAt(From->getPointerOperand(), Context);
      return unknownTarget("a pointer made from an integer");
    default:
      break;
    }
  if (const auto *Select = dyn_cast<SelectInst>(V)) {
    if (!Select->getCondition()->getType()->isIntegerTy(1))
      return unknownTarget("a choice between vectors of pointers");
    const Value *C = Select->getCondition();
    // Nothing is accessed through a null pointer.
    if (isa<ConstantPointerNull>(Select->getTrueValue()))
      return pointerAt(Select->getFalseValue(), Facts.with(Context, C, false));
    if (isa<ConstantPointerNull>(Select->getFalseValue()))
      return pointerAt(Select->getTrueValue(), Facts.with(Context, C, true));
    Targets True =
        pointerAt(Select->getTrueValue(), Facts.with(Context, C, true));
    Targets False =
        pointerAt(Select->getFalseValue(), Facts.with(Context, C, false));
    return chooseTargets(C, Context, std::move(True), std::move(False));
  }
  if (const auto *P = dyn_cast<PHINode>(V))
    return pointerPhiAt(*P, Context);
  const Value *Loaded = nullptr;
  unsigned Element = 0;
  if (const auto *Load = dyn_cast<LoadInst>(V)) {
    Loaded = Load->getPointerOperand();
  } else if (const auto *Extract = dyn_cast<ExtractElementInst>(V)) {
    const auto *Load = dyn_cast<LoadInst>(Extract->getVectorOperand());
    const auto *Index = dyn_cast<ConstantInt>(Extract->getIndexOperand());
    if (Load && Index) {
      Loaded = Load->getPointerOperand();
      Element = Index->getZExtValue() * 8;
    }
  }
  if (Loaded) {
    auto Field = byValueField(Loaded);
    if (!Field)
      return unknownTarget("a pointer loaded from memory");
    PointerTarget T{PointerTarget::Parameter};
    T.Param = Field->first;
    T.ByteOffset = Field->second + Element;
    T.Offset = Graph.constant(64, 0);
    return {T};
  }
  if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(V))
    if (const Value *From = forwardedPointer(*Intrinsic))
      return pointerAt(From, Context);
  if (const auto *Call = dyn_cast<CallBase>(V)) {
    if (const Value *Returned = Call->getReturnedArgOperand())
      return pointerAt(Returned, Context);
    return unknownTarget("a pointer returned by a call");
  }
  return unknownTarget("a pointer of unknown origin");
}

ExprBuilder::Targets ExprBuilder::pointerPhiAt(const PHINode &P,
                                               ContextId Context) {
  const Loop *L = LI.getLoopFor(P.getParent());
  bool IsHeader = L && L->getHeader() == P.getParent();
  if (IsHeader) {
    const auto *S =
        dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<PHINode *>(&P)));
    const BasicBlock *Entry = L->getLoopPredecessor();
    if (S && S->getLoop() == L && S->isAffine() && Entry) {
      Targets T = pointerAt(P.getIncomingValueForBlock(Entry), Context);
      ExprId Step = scevAt(S->getStepRecurrence(SE), Context);
      // Offsets are relative: nothing is known of wrapping.
      ExprId Moved = Graph.iter(Graph.constant(64, 0), Step,
                                backedgeTakenAt(L, Context), 0, numberOf(L));
      for (PointerTarget &Target : T)
        if (Target.Where == PointerTarget::Parameter)
          Target.Offset = Graph.binary(ExprKind::Add, Target.Offset, Moved);
      return T;
    }
    if (FollowsCarried)
      if (Targets T = carriedPointerAt(P, L); !T.empty())
        return T;
  }
  // Everything that phis and selects hand around without moving it, and the
  // pointers that enter this web from outside.
  SmallSetVector<const Value *, 8> Web, Sources;
  Web.insert(&P);
  bool Moves = false;
  for (unsigned Next = 0; Next != Web.size(); ++Next) {
    if (Web.size() > 32)
      return unknownTarget("the pointer may be one of too many");
    SmallVector<const Value *, 4> From;
    if (const auto *Phi = dyn_cast<PHINode>(Web[Next]))
      From.assign(Phi->op_begin(), Phi->op_end());
    else if (const auto *Select = dyn_cast<SelectInst>(Web[Next]))
      From = {Select->getTrueValue(), Select->getFalseValue()};
    for (const Value *V : From) {
      if (isa<PHINode, SelectInst>(V))
        Web.insert(V);
      else if (!isa<ConstantPointerNull>(V))
        Sources.insert(V);
    }
  }
  for (const Value *V : Sources) {
    // A source that is computed from the web is one that moves.
    if (Web.contains(movedFrom(V)))
      Moves = true;
  }
  if (!IsHeader && !Moves && Web.size() == 1) {
    // A plain merge: each pointer under the facts of its edge.
    SmallVector<Targets, 2> Incoming;
    for (unsigned I = 0, E = P.getNumIncomingValues(); I != E; ++I) {
      ContextId Edge = Facts.ofEdge(P.getIncomingBlock(I), P.getParent());
      Incoming.push_back(
          pointerAt(P.getIncomingValue(I), Facts.join(Context, Edge)));
    }
    bool First = false;
    if (const Value *Condition = decidingCondition(P, DT, First))
      return chooseTargets(Condition, Context,
                           std::move(Incoming[First ? 0 : 1]),
                           std::move(Incoming[First ? 1 : 0]));
    Targets T = std::move(Incoming[0]);
    for (const Targets &Other : drop_begin(Incoming))
      T = joinTargets(std::move(T), Other);
    return T;
  }
  Targets T;
  for (const Value *V : Sources) {
    if (Web.contains(movedFrom(V)))
      continue;
    const auto *I = dyn_cast<Instruction>(V);
    T = joinTargets(std::move(T), pointerAt(V, I ? Facts.ofBlock(I->getParent())
                                                 : NoContext));
  }
  if (Moves || T.empty())
    for (PointerTarget &Target : T)
      if (Target.Where == PointerTarget::Parameter)
        Target.Offset =
            Graph.unknown(64, "a pointer that moves in a loop irregularly");
  return T.empty() ? unknownTarget("a pointer of unknown origin") : T;
}

} // namespace gridspan
