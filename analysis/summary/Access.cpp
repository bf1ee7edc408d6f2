//===- Access.cpp - The accesses of a kernel ------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds, for each instruction that touches memory, the parameters that its
// pointer may come from (ExprBuilderPointers.cpp). The byte offset from there
// (ExprBuilder.h) is taken under the facts of its block (Guards.h).
//
// A fact that restricts no value of the offset is a guard of the access itself.
// Where the condition is the same for all threads it is `when(condition,
// offset)`. Where condition and offset depend on different indices (`if
// (threadIdx.x == 0) out[block]`) it is the mere presence of a thread that
// satisfies it.
//
// ExactIfEvaluated. The evaluation finds out whether the sum of an offset is
// exact. It cannot see if every thread that satisfies the facts gets to the
// instruction. It does if two things hold, going up the dominator tree from its
// block. Each block either post-dominates the one above, or is entered from it
// by an edge whose facts are in the expression. That edge dominates the block,
// and the block post-dominates its target. And each loop counter in the
// expression belongs to a loop around the instruction whose trip count is
// exact.
//
//===----------------------------------------------------------------------===//

#include "analysis/summary/Access.h"
#include "analysis/expr/Alternatives.h"
#include "analysis/expr/ExprSymbols.h"
#include "analysis/expr/LinearTerms.h"
#include "analysis/machine/MachineModel.h"
#include "analysis/nvptx/InlineAssembly.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/nvptx/MemoryOps.h"
#include "analysis/nvptx/SourceLocation.h"
#include "analysis/summary/KernelParams.h"
#include "analysis/summary/WorkEstimate.h"
#include "analysis/symbolic/ExprBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gridspan {

namespace {

/// Guards of an access itself that are worth a node each.
constexpr unsigned MaxAccessGuards = 8;
/// Accesses with an expression, about. With the limits of ExprBuilder it bounds
/// the time that ranges take at a launch; real kernels have far fewer.
constexpr unsigned MaxKnown = 512;

class AccessCollector {
public:
  AccessCollector(const Function &Kernel, const KernelAnalyses &A)
      : Kernel(Kernel), A(A), Out(describeKernel(Kernel)),
        Builder(Kernel, A.DT, A.LI, A.SE, Out.Exprs) {}

  KernelSummary run();

private:
  void visit(const Instruction &I, const MemoryOp &Op, uint32_t Site);
  void add(const Instruction &I, const MemoryOp &Op, uint32_t Site,
           const PointerTarget &Target);
  int32_t pointerFor(const PointerTarget &Target);
  ExprId guardAccess(ExprBuilder &Builder, ExprId Offset, const BasicBlock *BB,
                     bool &Exact);
  SmallVector<ContextId, 16> decidingFacts(ExprBuilder &Builder,
                                           const BasicBlock *BB);
  void inspectLoads();
  bool isReachedUnderFacts(const BasicBlock *BB);
  bool hasExactLoops(ExprId Offset, const BasicBlock *BB);

  /// Accesses [First, First + Count) of Out, whose offset something unknown is
  /// part of.
  struct Unclear {
    const Instruction *I;
    const Value *Pointer;
    size_t First;
    size_t Count;
  };

  const Function &Kernel;
  const KernelAnalyses &A;
  KernelSummary Out;
  ExprBuilder Builder;
  std::vector<Unclear> Unclears;
  unsigned NumKnown = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Guards of the access itself
//===----------------------------------------------------------------------===//

ExprId AccessCollector::guardAccess(ExprBuilder &Builder, ExprId Offset,
                                    const BasicBlock *BB, bool &Exact) {
  ExprGraph &Graph = Out.Exprs;
  Symbols Used = symbolsOf(Graph, Offset);
  unsigned NumAdded = 0;
  // Constants stay outside, and what says that threads are present is a sum of
  // its own: neighbouring elements share all the rest.
  ExprId Constant = NoExpr, Presence = NoExpr;
  if (const ExprNode Sum = Graph[Offset];
      Sum.Kind == ExprKind::Add && Graph.constantValue(Sum.Ops[1])) {
    Offset = Sum.Ops[0];
    Constant = Sum.Ops[1];
  }
  auto Plus = [&](ExprId A, ExprId B) {
    return A == NoExpr   ? B
           : B == NoExpr ? A
                         : Graph.binary(ExprKind::Add, A, B);
  };
  for (ContextId Fact : decidingFacts(Builder, BB)) {
    ArrayRef<ExprId> Assumes = Builder.assumesOf(Fact);
    if (dependsOn(Graph, Offset, Assumes) ||
        (Presence != NoExpr && dependsOn(Graph, Presence, Assumes)))
      continue;
    const Guard G = Builder.guards()[Fact];
    bool HasExprs = G.X->getType()->isPointerTy() ||
                    (G.X->getType()->isIntegerTy() &&
                     G.X->getType()->getIntegerBitWidth() <= 64);
    if (!HasExprs || ++NumAdded > MaxAccessGuards) {
      Exact = false;
      continue;
    }
    ExprId X = Builder.valueAt(G.X, G.Parent);
    ExprId Y = Builder.valueAt(G.Y, G.Parent);
    ExprId Condition = Graph.icmp(G.Pred, X, Y);
    if (Graph.isUniform(Condition)) {
      Offset = Graph.guarded(Condition, Offset);
      continue;
    }
    Symbols Needed = symbolsOf(Graph, Condition);
    if (!Needed.Other && Needed.isDisjointFrom(Used)) {
      // Zero if there is such a thread, else no value.
      ExprId Present = Graph.binary(ExprKind::URem, Graph.assume(X, G.Pred, Y),
                                    Graph.constant(Graph[X].Width, 1));
      Present = Graph.cast(ExprKind::ZExt, Present, 64);
      Presence = Plus(Presence, Present);
      Used.Indices.insert(Needed.Indices.begin(), Needed.Indices.end());
      continue;
    }
    Exact = false;
    // A box of blocks may still have none that gets here.
    bool DependsOnBlock = any_of(Needed.Indices, [](const auto &Index) {
      return Index.first == unsigned(ExprKind::BlockIdx);
    });
    if (DependsOnBlock && !Needed.Other)
      Offset = Graph.guarded(Condition, Offset);
  }
  return Plus(Plus(Offset, Presence), Constant);
}

/// Returns the facts of BB that not all threads get to satisfy. Those of an
/// edge out of a block that BB post-dominates are of the other kind: the end of
/// a loop.
SmallVector<ContextId, 16>
AccessCollector::decidingFacts(ExprBuilder &Builder, const BasicBlock *BB) {
  Guards &Facts = Builder.guards();
  SmallVector<ContextId, 16> Out;
  const DomTreeNode *Node = A.DT.getNode(BB);
  for (const DomTreeNode *Up = Node->getIDom(); Up;
       Node = Up, Up = Up->getIDom()) {
    if (A.PDT.dominates(Node->getBlock(), Up->getBlock()))
      continue;
    ContextId Above = Facts.ofBlock(Up->getBlock());
    for (ContextId C = Facts.ofBlock(Node->getBlock()); C != Above;
         C = Facts[C].Parent)
      Out.push_back(C);
  }
  std::reverse(Out.begin(), Out.end());
  return Out;
}

bool AccessCollector::isReachedUnderFacts(const BasicBlock *BB) {
  const DomTreeNode *Node = A.DT.getNode(BB);
  if (!Node)
    return false;
  for (const DomTreeNode *Up = Node->getIDom(); Up;
       Node = Up, Up = Up->getIDom()) {
    const BasicBlock *Here = Node->getBlock(), *Above = Up->getBlock();
    if (A.PDT.dominates(Here, Above))
      continue;
    bool ByEdge = any_of(successors(Above), [&](const BasicBlock *S) {
      return A.DT.dominates(BasicBlockEdge(Above, S), Here) &&
             A.PDT.dominates(Here, S);
    });
    if (!ByEdge)
      return false;
  }
  return true;
}

bool AccessCollector::hasExactLoops(ExprId Offset, const BasicBlock *BB) {
  SmallDenseSet<int64_t, 4> Around;
  for (const Loop *L = A.LI.getLoopFor(BB); L; L = L->getParentLoop())
    if (Builder.hasExactCount(L))
      Around.insert(Builder.numberOf(L));
  return all_of(Out.Exprs.below(Offset), [&](ExprId Id) {
    const ExprNode &N = Out.Exprs[Id];
    return N.Kind != ExprKind::Iter || Around.contains(N.B);
  });
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

int32_t AccessCollector::pointerFor(const PointerTarget &Target) {
  auto It = find_if(Out.Pointers, [&](const PointerSummary &P) {
    return P.Param == Target.Param && P.ByteOffset == Target.ByteOffset;
  });
  int32_t Number = It - Out.Pointers.begin();
  if (It == Out.Pointers.end()) {
    // A pointer in a field of another type.
    PointerSummary P;
    P.Param = Target.Param;
    P.ByteOffset = Target.ByteOffset;
    Out.Pointers.push_back(P);
  }
  return Number;
}

void AccessCollector::add(const Instruction &I, const MemoryOp &Op,
                          uint32_t Site, const PointerTarget &Target) {
  if (Target.Where == PointerTarget::NotGlobal)
    return;
  ExprGraph &Graph = Out.Exprs;
  AccessSummary Access;
  Access.Mode = Op.Mode;
  Access.ElementSize = Op.Size;
  Access.Site = Site;
  Access.Where = sourceLocation(I);
  if (Op.Mode == GridspanAtomic)
    Out.Flags |= GridspanHasAtomics;
  if (Target.Where == PointerTarget::Unknown) {
    Out.Flags |=
        Op.Mode == GridspanRead ? GridspanUnknownRead : GridspanUnknownWrite;
    Access.Why = Target.Why;
    Access.Offset = Graph.unknown(64, Target.Why);
    Out.Accesses.push_back(std::move(Access));
    return;
  }
  Access.Pointer = pointerFor(Target);
  Out.Pointers[Access.Pointer].Modes |= Op.Mode;
  if (NumKnown >= MaxKnown) {
    Access.Why = "there are too many accesses";
    Access.Offset = Graph.unknown(64, Access.Why);
    Out.Accesses.push_back(std::move(Access));
    return;
  }
  ContextId Context = Builder.guards().ofBlock(I.getParent());
  bool HasExtent = Op.Size != 0 || Op.Length;
  Access.Offset = HasExtent ? collectTerms(Graph, Target.Offset)
                            : Graph.unknown(64, Op.Why);
  if (Op.Length)
    Access.Length =
        Graph.cast(ExprKind::ZExt, Builder.valueAt(Op.Length, Context), 64);
  if (isUnbounded(Out.Exprs, Access.Offset)) {
    Access.Why = Graph.unknownReason(Access.Offset).str();
    Access.Offset = Graph.unknown(64, Access.Why);
    if (HasExtent)
      Unclears.push_back({&I, Op.Pointer, Out.Accesses.size(), 1});
    Out.Accesses.push_back(std::move(Access));
    return;
  }
  const size_t First = Out.Accesses.size();
  bool Exact = !Target.MayBeOther && Graph.isFunctional(Access.Offset) &&
               isReachedUnderFacts(I.getParent());
  ExprId Offset = guardAccess(Builder, Access.Offset, I.getParent(), Exact);
  // The counters of conditions as well: an iteration that would satisfy one may
  // be prevented by another exit.
  Exact = Exact && hasExactLoops(Offset, I.getParent());
  Access.ExactIfEvaluated = Exact;
  for (ExprId Alternative : alternativesOf(Graph, Offset)) {
    Access.Offset = Alternative;
    Out.Accesses.push_back(Access);
    ++NumKnown;
  }
  if (!Graph.unknownReason(Offset).empty())
    Unclears.push_back({&I, Op.Pointer, First, Out.Accesses.size() - First});
}

//===----------------------------------------------------------------------===//
// Loaded indices
//===----------------------------------------------------------------------===//

static bool isInspectionRefusal(StringRef Reason) {
  return is_contained(
      {
#define GRIDSPAN_INSPECTION_REFUSAL(Id, Name, Text) StringRef(Name),
#include "analysis/symbolic/Inspection.def"
      },
      Reason);
}

/// Second offsets, with Load nodes, for accesses that are unknown without. When
/// all accesses are known, so that it is known what is written.
void AccessCollector::inspectLoads() {
  if (Unclears.empty())
    return;
  ExprGraph &Graph = Out.Exprs;
  auto IsWritten = [&](unsigned Param, unsigned ByteOffset) {
    return (Out.Flags & GridspanUnknownWrite) ||
           any_of(Out.Pointers, [&](const PointerSummary &P) {
             return P.Param == Param && P.ByteOffset == ByteOffset &&
                    (P.Modes & (GridspanWrite | GridspanAtomic));
           });
  };
  ExprBuilder Inspecting(Kernel, A.DT, A.LI, A.SE, Graph, IsWritten);
  for (const Unclear &U : Unclears) {
    AccessSummary &First = Out.Accesses[U.First];
    const PointerSummary &Base = Out.Pointers[First.Pointer];
    const BasicBlock *BB = U.I->getParent();
    auto Refuse = [&](StringRef Why) {
      for (size_t K = 0; K != U.Count; ++K)
        Out.Accesses[U.First + K].WhyNotInspected = Why.str();
    };
    ContextId Context = Inspecting.guards().ofBlock(BB);
    auto Loads = [&](const PointerTarget &T) {
      return Graph.containsKind(T.Offset, ExprKind::Load);
    };
    SmallVector<PointerTarget, 4> Targets;
    for (const PointerTarget &T : Inspecting.pointerAt(U.Pointer, Context))
      if (T.Where == PointerTarget::Parameter && T.Param == Base.Param &&
          T.ByteOffset == Base.ByteOffset &&
          (Loads(T) || !Graph.unknownReason(T.Offset).empty()))
        Targets.push_back(T);
    // What bounds one of them does not hold what another one touches.
    if (Targets.size() > 1) {
      Refuse(inspectionRefusalName(InspectionRefusal::SeveralForms));
      continue;
    }
    for (const PointerTarget &T : Targets) {
      StringRef Reason = Graph.unknownReason(T.Offset);
      if (isInspectionRefusal(Reason)) {
        Refuse(Reason);
      } else if (!Loads(T)) {
        continue;
      } else if (isUnbounded(Out.Exprs, T.Offset)) {
        bool IsAddress = any_of(Graph.loadsBelow(T.Offset), [&](ExprId Load) {
          return isUnbounded(Graph, Graph[Load].Ops[0]);
        });
        Refuse(inspectionRefusalName(IsAddress
                                         ? InspectionRefusal::UnknownAddress
                                         : InspectionRefusal::NotAlone));
      } else if (U.Count != 1) {
        Refuse(inspectionRefusalName(InspectionRefusal::SeveralForms));
      } else {
        bool Exact = false;
        First.Inspected = guardAccess(Inspecting, T.Offset, BB, Exact);
        Out.Flags |= GridspanInspectable;
      }
    }
  }
}

void AccessCollector::visit(const Instruction &I, const MemoryOp &Op,
                            uint32_t Site) {
  if (!Op.Pointer) {
    PointerTarget Anything{PointerTarget::Unknown};
    Anything.Why = Op.Why;
    return add(I, Op, Site, Anything);
  }
  ContextId Context = Builder.guards().ofBlock(I.getParent());
  for (const PointerTarget &Target : Builder.pointerAt(Op.Pointer, Context))
    add(I, Op, Site, Target);
}

/// Returns true if a thread may end elsewhere than at a return: in assembly
/// that is not known.
static bool mayEndThread(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return false;
  if (const auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand()))
    return Asm->hasSideEffects() && !assemblyEffects(Asm->getAsmString()).Known;
  const Function *Callee = Call->getCalledFunction();
  return Callee && Callee->getName() == "llvm.nvvm.exit";
}

KernelSummary AccessCollector::run() {
  Out.Pointers = pointersOf(Kernel);
  uint32_t Next = 0;
  for (const Instruction &I : instructions(Kernel)) {
    SmallVector<MemoryOp, 2> Ops = memoryOpsOf(I);
    if (Ops.empty() || !A.DT.isReachableFromEntry(I.getParent()))
      continue;
    uint32_t Site = siteOf(I).value_or(Next++);
    for (const MemoryOp &Op : Ops)
      visit(I, Op, Site);
  }
  // A thread that ends has not done what is behind, in whatever block.
  if (any_of(instructions(Kernel), mayEndThread))
    for (AccessSummary &Access : Out.Accesses)
      Access.ExactIfEvaluated = false;
  bool Guessed = any_of(Out.Accesses, [](const AccessSummary &Access) {
    return Access.Length != NoExpr || Access.ElementSize == 0;
  });
  inspectLoads();
  Out.Work = workTermsOf(Kernel, A, Builder, Out.Exprs,
                         machineModelFor(architectureOf(Kernel)), Guessed);
  if (Guessed)
    Out.Flags |= GridspanWorkIsGuess;
  if (any_of(Out.Work, [&](const WorkTerm &Term) {
        return any_of(Term.TripCounts, [&](ExprId Trips) {
          return Out.Exprs.containsKind(Trips, ExprKind::Unknown);
        });
      }))
    Out.Flags |= GridspanWorkIsUnknown;
  // Only reads can go to a copy.
  for (PointerSummary &P : Out.Pointers)
    P.Replicable &= P.Modes == GridspanRead;
  return std::move(Out);
}

KernelSummary summarizeKernel(const Function &Kernel, const KernelAnalyses &A) {
  return AccessCollector(Kernel, A).run();
}

AnalysisKey KernelSummaryAnalysis::Key;

KernelSummary KernelSummaryAnalysis::run(Function &Kernel,
                                         FunctionAnalysisManager &FAM) {
  return summarizeKernel(Kernel, KernelAnalyses::get(Kernel, FAM));
}

} // namespace gridspan
