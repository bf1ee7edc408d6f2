//===- ExprBuilder.h - Index expressions of IR values -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the values of a kernel as expressions of Expr.h, under the facts of a
// context (Guards.h). The walk is over the IR itself, so that signed division,
// shifts and selects survive; ScalarEvolution is asked about loops only:
// induction variables, how often they go round, and what bounds them.
//
// Every expression over-approximates the set of values that the IR value has
// over all threads and iterations that reach the context. Facts of a context
// restrict values wherever they occur below (as Assume); the other side of a
// fact is built under the facts before it, so the recursion ends. Back edges
// are never followed except to a phi that is in progress, which is unknown.
//
// Bounded: one node per (context, value), limited depth and number of nodes.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_SYMBOLIC_EXPRBUILDER_H
#define GRIDSPAN_ANALYSIS_SYMBOLIC_EXPRBUILDER_H

#include "analysis/expr/Expr.h"
#include "analysis/symbolic/Guards.h"
#include "analysis/symbolic/Inspection.h"
#include "analysis/symbolic/PointerTarget.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Intrinsics.h"
#include <functional>

namespace llvm {
class Argument;
class BinaryOperator;
class CallBase;
class CmpInst;
class DataLayout;
class Function;
class GEPOperator;
class IntrinsicInst;
class Loop;
class LoopInfo;
class PHINode;
class SCEV;
class SCEVAddRecExpr;
class SCEVNAryExpr;
class ScalarEvolution;
class SelectInst;
} // namespace llvm

namespace gridspan {

/// Returns the node kind and axis of a special register that an intrinsic
/// reads.
std::optional<std::pair<ExprKind, unsigned>>
specialRegister(llvm::Intrinsic::ID Id);

/// Returns the condition that decides between the two edges into P's block, if
/// it is as simple as that; First receives whether it being true means the
/// first edge.
const llvm::Value *decidingCondition(const llvm::PHINode &P,
                                     const llvm::DominatorTree &DT,
                                     bool &First);

/// Returns true if the instruction is assembly that only gives the number of
/// the lane.
bool readsLaneNumber(const llvm::Instruction &I);

class ExprBuilder {
public:
  /// True if the kernel may write through the pointer that is field ByteOffset
  /// of the parameter Param.
  using IsWrittenFn = std::function<bool(unsigned Param, unsigned ByteOffset)>;

  /// Builds expressions into Graph. If IsWritten is given, integers loaded
  /// through parameters that are not written are Load nodes, and others are
  /// unknown by the name of an InspectionRefusal. Without it all of them are
  /// unknown.
  ExprBuilder(const llvm::Function &F, const llvm::DominatorTree &DT,
              const llvm::LoopInfo &LI, llvm::ScalarEvolution &SE,
              ExprGraph &Graph, IsWrittenFn IsWritten = nullptr);

  /// True if lanes of a warp that use the value have the same one.
  using IsSharedFn = std::function<bool(const llvm::Value *)>;

  /// Makes stand-ins (StandIn.h) of what loops carry and SCEV does not know,
  /// and of the number of the lane.
  void followCarried() { FollowsCarried = true; }
  /// Makes open stand-ins of what is unknown and shared by lanes, and of
  /// unknown conditions.
  void openUnknown(IsSharedFn IsShared) { IsOpenShared = std::move(IsShared); }

  Guards &guards() { return Facts; }

  /// Returns the values of V, an integer of at most 64 bits or a pointer, in
  /// Context.
  ExprId valueAt(const llvm::Value *V, ContextId Context);
  /// Everything that the pointer V may point to in Context, each base once.
  llvm::SmallVector<PointerTarget, 2> pointerAt(const llvm::Value *V,
                                                ContextId Context);
  /// Returns how often L goes back to its header, or NoExpr.
  ExprId backedgeTakenAt(const llvm::Loop *L, ContextId Context);
  /// Returns true if that is how often, not only at most.
  bool hasExactCount(const llvm::Loop *L);
  /// Returns the number that stands for L in Iter nodes.
  unsigned numberOf(const llvm::Loop *L);

  /// Returns the nodes by which the fact Guards[Fact] restricts values.
  llvm::ArrayRef<ExprId> assumesOf(ContextId Fact) const;

  /// Returns the parameter pointer that a load from a by-value struct gives, as
  /// argument index and byte offset.
  std::optional<std::pair<unsigned, unsigned>>
  byValueField(const llvm::Value *Address);

private:
  // ExprBuilder.cpp
  /// Counts a step of the query; false when it has used up its share.
  bool step();
  ExprId unknown(const llvm::Value *V, llvm::StringRef Reason);
  ExprId build(const llvm::Value *V, ContextId Context);
  ExprId buildBinary(const llvm::BinaryOperator &I, ContextId Context);
  ExprId buildCompare(const llvm::CmpInst &I, ContextId Context);
  ExprId buildSelect(const llvm::SelectInst &I, ContextId Context);
  ExprId buildIntrinsic(const llvm::IntrinsicInst &I, ContextId Context);
  ExprId buildLoad(const llvm::Value &Load, ContextId Context);
  ExprId buildElement(const llvm::Value &V, ContextId Context);
  bool isNeverWritten(const llvm::Argument &ByValue);

  // ExprBuilderBits.cpp
  ExprId bitsAt(const llvm::IntrinsicInst &I, ContextId Context);

  // ExprBuilderLoads.cpp
  ExprId inspected(const llvm::Value &Load, const llvm::Value *Address,
                   uint64_t ByteOffset, unsigned Width, ContextId Context);
  unsigned widthOf(const llvm::Value *V) const;

  // ExprBuilderGuards.cpp
  ExprId regroupSum(const llvm::BinaryOperator &I, ContextId Context);
  ExprId applyFacts(const llvm::Value *V, ExprId E, ContextId Context);
  ExprId applyRestriction(ExprId E, const Restriction &R, ExprId Other,
                          ContextId Fact);

  // ExprBuilderLoops.cpp
  ExprId phiAt(const llvm::PHINode &P, ContextId Context);
  ExprId leftBehind(const llvm::Value *V, const llvm::Loop *L,
                    ContextId Context);
  ExprId mergeAt(const llvm::PHINode &P, ContextId Context);
  ExprId inductionAt(const llvm::PHINode &P, const llvm::Loop *L,
                     ContextId Context);
  ExprId recurrenceAt(const llvm::PHINode &P, const llvm::Loop *L,
                      ContextId Context);
  ExprId scevAt(const llvm::SCEV *S, ContextId Context);
  ExprId regroupScev(const llvm::SCEVNAryExpr &S, ContextId Context);
  ExprId scevSumAt(const llvm::SCEVNAryExpr &S, ContextId Context);
  ExprId addRecAt(const llvm::SCEVAddRecExpr &S, ContextId Context);

  // ExprBuilderStandIns.cpp
  ExprId carriedAt(const llvm::PHINode &P, const llvm::Loop *L);
  ExprId newCarried(const llvm::PHINode &P);
  ExprId opened(const llvm::Value *V, ExprId E);
  bool isReachedAlike(const llvm::PHINode &P) const;
  ExprId openChoice(const llvm::PHINode &P, ExprId A, ExprId B);
  ExprId placeOf(const llvm::Value *V);
  ExprId addressOf(const llvm::Value *Pointer);
  ExprId laneNumber();

  // ExprBuilderTripCounts.cpp
  struct StayCondition;
  llvm::SmallVector<StayCondition, 4> stayConditions(const llvm::PHINode &P,
                                                     const llvm::Value *Next,
                                                     const llvm::Loop *L);
  bool isEndedBy(const StayCondition &C, const llvm::PHINode &P,
                 const llvm::Loop *L, ContextId Context);
  ExprId boundByExits(ExprId E, const llvm::PHINode &P, const llvm::Loop *L,
                      ContextId Context);
  ExprId distance(ExprId Low, ExprId High, bool Signed);
  ExprId countByLatch(const llvm::Loop *L, ContextId Context);

  // ExprBuilderPointers.cpp
  using Targets = llvm::SmallVector<PointerTarget, 2>;
  Targets walkPointer(const llvm::Value *V, ContextId Context);
  Targets pointerPhiAt(const llvm::PHINode &P, ContextId Context);
  Targets carriedPointerAt(const llvm::PHINode &P, const llvm::Loop *L);
  Targets openedPointer(const llvm::Value *V, Targets T);
  Targets joinTargets(Targets A, const Targets &B);
  Targets chooseTargets(const llvm::Value *Condition, ContextId Context,
                        Targets True, Targets False);
  ExprId gepOffset(const llvm::GEPOperator &GEP, ContextId Context);

  const llvm::Function &F;
  const llvm::DominatorTree &DT;
  const llvm::LoopInfo &LI;
  llvm::ScalarEvolution &SE;
  const llvm::DataLayout &DL;
  ExprGraph &Graph;
  Guards Facts;
  const IsWrittenFn IsWritten;

  llvm::DenseMap<std::pair<ContextId, const llvm::Value *>, ExprId> Memo;
  llvm::DenseMap<std::pair<ContextId, const llvm::SCEV *>, ExprId> ScevMemo;
  llvm::DenseMap<ContextId, llvm::SmallVector<ExprId, 2>> AssumesOf;
  llvm::DenseMap<const llvm::Loop *, unsigned> LoopNumbers;
  llvm::DenseMap<const llvm::Argument *, bool> NeverWritten;
  llvm::DenseSet<const llvm::Value *> InProgress;
  bool FollowsCarried = false;
  ExprId Lane = NoExpr; ///< the stand-in for its number, once there is one
  IsSharedFn IsOpenShared;
  llvm::DenseMap<const llvm::PHINode *, ExprId> Carried;
  llvm::DenseMap<const llvm::PHINode *, PointerTarget> CarriedPointers;
  llvm::DenseMap<const llvm::Value *, ExprId> Opened;
  unsigned Depth = 0;
  unsigned Steps = 0; ///< of the query that is being answered
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_SYMBOLIC_EXPRBUILDER_H
