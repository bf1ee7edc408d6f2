//===- ExprBuilderStandIns.cpp - Values that only lanes are asked for -----===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes stand-ins (StandIn.h), for advice, which evaluates lanes.
//
// A phi of a loop's header that is no induction variable is a carried value: a
// stride that halves, a place in a ring, a pointer that a loop moves by what
// another one decides. Its start and its next value are built without facts,
// since they are those of all iterations, and are its own values exactly: what
// is unknown in one of them makes no carried value. The next value refers to
// the phi by the stand-in, which is there before it is built.
//
// What is unknown but the same for all lanes is open: it does not decide how
// far the lanes are apart unless it is multiplied by what differs between them,
// which trying several values shows. Lanes that load from one address at one
// time get one value. An unknown condition is an open bit, and which way
// control came to a phi of several is one as well.
//
//===----------------------------------------------------------------------===//

#include "analysis/symbolic/ExprBuilder.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gridspan {

static constexpr StringRef NoInduction =
    "a recurrence that is no induction variable";

/// Returns a stand-in that is to become the carried value of P.
ExprId ExprBuilder::newCarried(const PHINode &P) {
  StandIn Carried;
  Carried.IsShared = IsOpenShared && IsOpenShared(&P);
  return Graph.standIn(widthOf(&P), Carried, NoInduction);
}

/// Returns the carried value, or NoExpr if it is none.
ExprId ExprBuilder::carriedAt(const PHINode &P, const Loop *L) {
  const BasicBlock *Entry = L->getLoopPredecessor();
  const BasicBlock *Latch = L->getLoopLatch();
  if (!Entry || !Latch || !P.getType()->isIntegerTy())
    return NoExpr;
  ExprId Start = valueAt(P.getIncomingValueForBlock(Entry), NoContext);
  ExprId E = newCarried(P);
  // Taken to be carried while its next value is built, so that this is known.
  Graph.setCarried(E, numberOf(L), Start, E);
  Carried[&P] = E;
  ExprId Next = valueAt(P.getIncomingValueForBlock(Latch), NoContext);
  Graph.setCarried(E, numberOf(L), Start, Next);
  for (ExprId Part : {Start, Next})
    if (StringRef Why = Graph.unknownReason(Part); !Why.empty()) {
      Graph.setFailed(E);
      return Carried[&P] = Graph.unknown(widthOf(&P), Why);
    }
  return E;
}

/// Returns the pointer that a loop carries from one iteration to the next in
/// one object, or nothing.
ExprBuilder::Targets ExprBuilder::carriedPointerAt(const PHINode &P,
                                                   const Loop *L) {
  if (auto It = CarriedPointers.find(&P); It != CarriedPointers.end())
    return {It->second};
  const BasicBlock *Entry = L->getLoopPredecessor();
  const BasicBlock *Latch = L->getLoopLatch();
  if (!Entry || !Latch)
    return {};
  auto IsKnown = [&](const Targets &T) {
    return T.size() == 1 && T.front().Where == PointerTarget::Parameter &&
           Graph.isFollowed(T.front().Offset);
  };
  Targets Start = pointerAt(P.getIncomingValueForBlock(Entry), NoContext);
  if (!IsKnown(Start))
    return {};
  PointerTarget T = Start.front();
  T.Offset = newCarried(P);
  CarriedPointers[&P] = T;
  // Taken to be carried while its next value is built, so that this is known.
  Graph.setCarried(T.Offset, numberOf(L), Start.front().Offset, T.Offset);
  Targets Next = pointerAt(P.getIncomingValueForBlock(Latch), NoContext);
  if (IsKnown(Next) && Next.front().Param == T.Param &&
      Next.front().ByteOffset == T.ByteOffset) {
    Graph.setCarried(T.Offset, numberOf(L), Start.front().Offset,
                     Next.front().Offset);
    return {T};
  }
  Graph.setFailed(T.Offset);
  CarriedPointers.erase(&P);
  return {};
}

bool readsLaneNumber(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  const auto *Asm =
      Call ? dyn_cast<InlineAsm>(Call->getCalledOperand()) : nullptr;
  return Asm && StringRef(Asm->getAsmString()).trim() == "mov.u32 $0, %laneid;";
}

ExprId ExprBuilder::laneNumber() {
  if (Lane == NoExpr)
    Lane = Graph.standIn(32, {StandIn::LaneNumber}, "the number of the lane");
  return Lane;
}

/// Returns a number that is the same in lanes whose address is, or NoExpr: the
/// bytes from an object that all of them have.
ExprId ExprBuilder::addressOf(const Value *Pointer) {
  ExprId Sum = Graph.constant(64, 0);
  while (true) {
    Pointer = Pointer->stripPointerCasts();
    const auto *GEP = dyn_cast<GEPOperator>(Pointer);
    if (!GEP)
      break;
    Sum = Graph.binary(ExprKind::Add, Sum, gepOffset(*GEP, NoContext));
    Pointer = GEP->getPointerOperand();
  }
  const auto *A = dyn_cast<Argument>(Pointer);
  if ((!A || A->hasByValAttr()) && !isa<GlobalVariable>(Pointer) &&
      !IsOpenShared(Pointer)) {
    Targets T = pointerAt(Pointer, NoContext);
    if (T.size() != 1 || T.front().Where != PointerTarget::Parameter)
      return NoExpr;
    Sum = Graph.binary(ExprKind::Add, Sum, T.front().Offset);
  }
  return Graph.isFollowed(Sum) ? Sum : NoExpr;
}

/// Returns what decides, in one warp at one time, which value lanes have of V:
/// the address of a load, the lane that a shuffle asks. NoExpr: nothing known.
ExprId ExprBuilder::placeOf(const Value *V) {
  if (const auto *Extract = dyn_cast<ExtractElementInst>(V))
    if (isa<ConstantInt>(Extract->getIndexOperand()))
      V = Extract->getVectorOperand();
  if (const auto *Load = dyn_cast<LoadInst>(V))
    return addressOf(Load->getPointerOperand());
  const auto *Call = dyn_cast<IntrinsicInst>(V);
  if (!Call)
    return NoExpr;
  switch (Call->getIntrinsicID()) {
  case Intrinsic::nvvm_ldg_global_i:
  case Intrinsic::nvvm_ldu_global_i:
    return addressOf(Call->getArgOperand(0));
  case Intrinsic::nvvm_shfl_sync_idx_i32: {
    // The last operand groups the lanes: 31 is the whole warp.
    const auto *Group = dyn_cast<ConstantInt>(Call->getArgOperand(3));
    ExprId From = valueAt(Call->getArgOperand(2), NoContext);
    return Group && Group->getZExtValue() == 31 && Graph.isFollowed(From)
               ? From
               : NoExpr;
  }
  default:
    return NoExpr;
  }
}

/// Returns true if all lanes that come to the phi together come the same way:
/// they share every condition between its dominator and it.
bool ExprBuilder::isReachedAlike(const PHINode &P) const {
  const DomTreeNode *Node = DT.getNode(P.getParent());
  const BasicBlock *Head =
      Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
  SmallSetVector<const BasicBlock *, 8> Between;
  for (const BasicBlock *Pred : predecessors(P.getParent()))
    Between.insert(Pred);
  for (unsigned Next = 0; Head && Next != Between.size(); ++Next) {
    const Instruction *End = Between[Next]->getTerminator();
    const auto *Branch = dyn_cast<BranchInst>(End);
    const Value *Condition = nullptr;
    if (Branch && Branch->isConditional())
      Condition = Branch->getCondition();
    else if (const auto *Switch = dyn_cast<SwitchInst>(End))
      Condition = Switch->getCondition();
    else if (!Branch)
      return false;
    if (Condition && !IsOpenShared(Condition))
      return false;
    if (Between[Next] != Head)
      for (const BasicBlock *Pred : predecessors(Between[Next]))
        Between.insert(Pred);
  }
  return Head != nullptr;
}

/// Either of two values of a phi, as an open bit says.
ExprId ExprBuilder::openChoice(const PHINode &P, ExprId A, ExprId B) {
  auto Kind = isReachedAlike(P) ? StandIn::SharedByWarp : StandIn::OfLane;
  ExprId Bit = Graph.standIn(1, {Kind}, "a value that comes in several ways");
  return Graph.select(Bit, A, B);
}

/// Returns E, or an open stand-in for V in its place.
ExprId ExprBuilder::opened(const Value *V, ExprId E) {
  if (!IsOpenShared || Graph.isFollowed(E))
    return E;
  if (auto It = Opened.find(V); It != Opened.end() && It->second != NoExpr)
    return It->second;
  StandIn Open;
  if (IsOpenShared(V))
    Open.Kind = StandIn::SharedByWarp;
  else if (V->getType()->isIntegerTy(1))
    Open.Kind = StandIn::OfLane;
  else if (Open.Start = placeOf(V); Open.Start != NoExpr)
    Open.Kind = StandIn::SharedIfSame;
  else
    return E;
  StringRef Why = Graph.unknownReason(E);
  return Opened[V] = Graph.standIn(widthOf(V), Open,
                                   Why.empty() ? "a count of bits" : Why);
}

/// How far apart objects without a name are taken to begin, at least.
static constexpr int64_t ObjectAlignment = 256;

/// Where it leads to one of several objects, or to an unknown one, but all
/// lanes to the same, the object has no name. Where lanes load it from one
/// place, an open number tells which one it is.
ExprBuilder::Targets ExprBuilder::openedPointer(const Value *V, Targets T) {
  if (!IsOpenShared)
    return T;
  bool IsKnown = T.size() == 1 && T.front().Where != PointerTarget::Unknown &&
                 (T.front().Where == PointerTarget::NotGlobal ||
                  Graph.isFollowed(T.front().Offset));
  if (IsKnown)
    return T;
  PointerTarget Open{PointerTarget::Parameter};
  Open.Param = OpenObject;
  Open.Offset = Graph.constant(64, 0);
  if (IsOpenShared(V))
    return {Open};
  auto [It, IsNew] = Opened.try_emplace(V, NoExpr);
  if (IsNew)
    if (ExprId Place = placeOf(V); Place != NoExpr)
      Opened[V] = Graph.standIn(64, {StandIn::SharedIfSame, 0, Place},
                                "a pointer loaded from memory");
  ExprId Number = Opened.lookup(V);
  if (Number == NoExpr)
    return T;
  Open.Offset =
      Graph.binary(ExprKind::Mul, Number, Graph.constant(64, ObjectAlignment));
  return {Open};
}

} // namespace gridspan
