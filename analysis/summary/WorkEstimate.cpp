//===- WorkEstimate.cpp - The work of a thread ----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Issue slots of each loop's own blocks times the trip counts of the loops
// around them. Slots are those that the busiest unit of a multiprocessor takes.
// The schedulers take one for each instruction. A pipe takes its instructions
// times the schedulers' lanes over its own. The load unit is that of
// MemoryIssueCost.h. Throughputs and fitted factors are those of the machine
// model. Where control splits, the longest way counts, for each part on its
// own: of two sides of a branch a warp that stays together takes one. So no way
// through a loop takes more.
//
// Small loops are unrolled later; their steps and their conditions then count
// once for several iterations.
//
// Atomics are counted on all ways, as each may be to other memory.
//
//===----------------------------------------------------------------------===//

#include "analysis/summary/WorkEstimate.h"
#include "analysis/expr/LaunchDefaults.h"
#include "analysis/machine/IrOpcodes.h"
#include "analysis/machine/WarpRequest.h"
#include "analysis/nvptx/KernelAnalyses.h"
#include "analysis/nvptx/MemoryOps.h"
#include "analysis/summary/MemoryIssueCost.h"
#include "analysis/symbolic/ExprBuilder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gridspan {

/// Instructions of a loop that is unrolled, at most.
static constexpr double UnrolledIssue = 32;

/// Instructions that ptxas adds to every kernel.
static constexpr double Prologue = 2;

namespace {

/// Issue slots that the units of a multiprocessor are busy.
struct IssueCosts {
  enum Unit { Issue, Fp32, Fp64, Int, Imad, Sfu, LoadUnit, L2 };
  static constexpr unsigned NumUnits = 8;
  std::array<double, NumUnits> Of = {};

  void add(const IssueCosts &Other, double Factor = 1) {
    for (unsigned P = 0; P != NumUnits; ++P)
      Of[P] += Factor * Other.Of[P];
  }
  void atLeast(const IssueCosts &Other) {
    for (unsigned P = 0; P != NumUnits; ++P)
      Of[P] = std::max(Of[P], Other.Of[P]);
  }
  double busiest() const { return *std::max_element(Of.begin(), Of.end()); }
};

class IssueCostCounter {
public:
  IssueCostCounter(const Function &Kernel, const KernelAnalyses &A,
                   ExprBuilder &Builder, const ExprGraph &Graph,
                   const MachineModel &Machine)
      : Kernel(Kernel), A(A), Machine(Machine),
        Accesses(Kernel, A, Builder, Graph, Machine) {}

  /// Returns the slots of each loop's own blocks that run at all, with null for
  /// blocks in no loop, in the order of the code.
  MapVector<const Loop *, double> run();
  /// Returns the atomics on global memory of a loop's own blocks. Precondition:
  /// run() has been called.
  double atomicsOf(const Loop *L) const { return Atomics.lookup(L); }

private:
  IssueCosts costsOf(const PipeCounts &Counts) const;
  void countBlock(const BasicBlock &BB);
  bool isStep(const Instruction &I, const Loop *L) const;
  bool movesAddressesOnly(const Instruction &I, const Loop *L,
                          unsigned Depth = 0) const;
  double longestWay(const Loop *L, ArrayRef<const BasicBlock *> Order);

  const Function &Kernel;
  const KernelAnalyses &A;
  const MachineModel &Machine;
  AccessCosts Accesses;
  DenseMap<const BasicBlock *, IssueCosts> OfBlock;
  DenseMap<const Loop *, double> Atomics;
  /// IssueCosts that unrolled iterations share.
  DenseMap<const Loop *, IssueCosts> Shared;
};

} // namespace

IssueCosts IssueCostCounter::costsOf(const PipeCounts &Counts) const {
  auto OfPipe = [&](Pipe P) { return Counts[unsigned(P)]; };
  const double Lanes = double(Machine.Schedulers) * WarpSize;
  IssueCosts Out;
  for (double Count : Counts)
    Out.Of[IssueCosts::Issue] += Count;
  Out.Of[IssueCosts::Fp32] =
      (OfPipe(Pipe::Fp32) + OfPipe(Pipe::Imad)) * Lanes / Machine.Fp32;
  Out.Of[IssueCosts::Fp64] = OfPipe(Pipe::Fp64) * Lanes / Machine.Fp64;
  Out.Of[IssueCosts::Int] = OfPipe(Pipe::Int) * Lanes / Machine.Int32;
  Out.Of[IssueCosts::Imad] = OfPipe(Pipe::Imad) * Lanes / Machine.Imad;
  Out.Of[IssueCosts::Sfu] = OfPipe(Pipe::Sfu) * Lanes / Machine.Sfu;
  for (unsigned P = 0; P != IssueCosts::LoadUnit; ++P)
    Out.Of[P] *= Machine.FitIssue;
  // Shuffles go through the load unit.
  Out.Of[IssueCosts::LoadUnit] =
      Machine.FitLoadUnit * OfPipe(Pipe::Shuffle) * Lanes / Machine.Shuffle;
  return Out;
}

/// Returns true if I is of the way from one iteration to the next: the
/// counter's step, and the condition on it.
bool IssueCostCounter::isStep(const Instruction &I, const Loop *L) const {
  if (!L || !L->isInnermost())
    return false;
  if (const auto *Branch = dyn_cast<BranchInst>(&I))
    return L->isLoopLatch(Branch->getParent());
  auto IsRecurrence = [&](const Value *V) {
    if (!A.SE.isSCEVable(V->getType()))
      return false;
    const auto *Rec =
        dyn_cast<SCEVAddRecExpr>(A.SE.getSCEV(const_cast<Value *>(V)));
    return Rec && Rec->getLoop() == L;
  };
  if (const auto *Compare = dyn_cast<ICmpInst>(&I))
    return any_of(Compare->operands(), IsRecurrence);
  return any_of(I.users(),
                [&](const User *U) {
                  const auto *Phi = dyn_cast<PHINode>(U);
                  return Phi && Phi->getParent() == L->getHeader();
                }) &&
         IsRecurrence(&I);
}

/// Returns true if I is an index that moves evenly with the loop: the back end
/// turns what is computed from it into steps of the pointers.
bool IssueCostCounter::movesAddressesOnly(const Instruction &I, const Loop *L,
                                          unsigned Depth) const {
  constexpr unsigned MaxDepth = 6;
  if (!L || Depth == MaxDepth || !I.getType()->isIntegerTy() ||
      !(isa<BinaryOperator>(I) || isa<CastInst>(I)))
    return false;
  if (Depth == 0) {
    const auto *Rec =
        dyn_cast<SCEVAddRecExpr>(A.SE.getSCEV(const_cast<Instruction *>(&I)));
    if (!Rec || !Rec->isAffine() || Rec->getLoop() != L)
      return false;
  }
  return all_of(I.users(), [&](const User *U) {
    return isa<GetElementPtrInst>(U) ||
           movesAddressesOnly(*cast<Instruction>(U), L, Depth + 1);
  });
}

static bool isGlobalAtomic(const Instruction &I) {
  return any_of(memoryOpsOf(I),
                [](const MemoryOp &Op) { return Op.Mode == GridspanAtomic; });
}

void IssueCostCounter::countBlock(const BasicBlock &BB) {
  const Loop *L = A.LI.getLoopFor(&BB);
  PipeCounts Own = {}, Steps = {};
  for (const Instruction &I : BB) {
    if (movesAddressesOnly(I, L))
      continue;
    PipeCounts Counts = pipeCountsOf(I);
    PipeCounts &Sum = isStep(I, L) ? Steps : Own;
    for (unsigned P = 0; P != NumPipes; ++P)
      Sum[P] += Counts[P];
  }
  MemoryIssueCosts Access = Accesses.of(BB);
  Atomics[L] += Access.Threads * double(count_if(BB, isGlobalAtomic));
  Own[unsigned(Pipe::Memory)] += Access.Requests;
  Own[unsigned(Pipe::Imad)] += Access.Addresses;
  Steps[unsigned(Pipe::Int)] += Access.Steps;
  if (&BB == &Kernel.getEntryBlock())
    Own[unsigned(Pipe::Control)] += Prologue;
  IssueCosts &Block = OfBlock[&BB];
  Block = costsOf(Own);
  Block.Of[IssueCosts::LoadUnit] += Machine.FitLoadUnit * Access.LoadUnit;
  Block.Of[IssueCosts::L2] = Access.L2;
  for (double &Cost : Block.Of)
    Cost *= Access.Warps;
  if (L && L->isInnermost())
    Shared[L].add(costsOf(Steps));
  else
    Block.add(costsOf(Steps), Access.Warps);
}

/// Returns the slots of the longest way from the header, or the entry, to
/// wherever the level ends, around the loops within.
double IssueCostCounter::longestWay(const Loop *L,
                                    ArrayRef<const BasicBlock *> Order) {
  // A loop within stands at its header.
  auto NodeOf = [&](const BasicBlock *BB) -> const BasicBlock * {
    const Loop *In = A.LI.getLoopFor(BB);
    if (In == L)
      return BB;
    while (In && In->getParentLoop() != L)
      In = In->getParentLoop();
    return In ? In->getHeader() : nullptr;
  };
  DenseMap<const BasicBlock *, IssueCosts> Before;
  IssueCosts Longest;
  for (const BasicBlock *BB : Order) {
    const Loop *In = A.LI.getLoopFor(BB);
    if (NodeOf(BB) != BB)
      continue;
    IssueCosts Here = Before.lookup(BB);
    SmallVector<BasicBlock *, 8> Next;
    if (In == L) {
      Here.add(OfBlock.lookup(BB));
      llvm::append_range(Next, successors(const_cast<BasicBlock *>(BB)));
    } else {
      while (In->getParentLoop() != L)
        In = In->getParentLoop();
      In->getExitBlocks(Next);
    }
    Longest.atLeast(Here);
    for (const BasicBlock *To : Next)
      if (const BasicBlock *Node = NodeOf(To);
          Node && (!L || (L->contains(To) && To != L->getHeader())))
        Before[Node].atLeast(Here);
  }
  if (auto It = Shared.find(L); It != Shared.end()) {
    IssueCosts All = Longest;
    All.add(It->second);
    bool IsUnrolled =
        All.Of[IssueCosts::Issue] <= UnrolledIssue * Machine.FitIssue;
    Longest.add(It->second, IsUnrolled ? 1.0 / UnrolledIterations : 1);
  }
  return Longest.busiest();
}

MapVector<const Loop *, double> IssueCostCounter::run() {
  MapVector<const Loop *, SmallVector<const BasicBlock *, 8>> Levels;
  ReversePostOrderTraversal<const Function *> Order(&Kernel);
  for (const BasicBlock *BB : Order) {
    countBlock(*BB);
    // Each level sees the headers of the loops right within it.
    const Loop *L = A.LI.getLoopFor(BB);
    Levels[L].push_back(BB);
    if (L && L->getHeader() == BB)
      Levels[L->getParentLoop()].push_back(BB);
  }
  MapVector<const Loop *, double> Out;
  for (const auto &[L, Blocks] : Levels)
    Out[L] = longestWay(L, Blocks);
  return Out;
}

std::vector<WorkTerm> workTermsOf(const Function &Kernel,
                                  const KernelAnalyses &A, ExprBuilder &Builder,
                                  ExprGraph &Graph, const MachineModel &Machine,
                                  bool &Guessed) {
  std::vector<WorkTerm> Terms;
  IssueCostCounter Counter(Kernel, A, Builder, Graph, Machine);
  for (const auto &[Innermost, Count] : Counter.run()) {
    WorkTerm Term;
    Term.IssueCost = Count;
    Term.Atomics = Counter.atomicsOf(Innermost);
    for (const Loop *L = Innermost; L; L = L->getParentLoop()) {
      ContextId Context = Builder.guards().ofBlock(L->getHeader());
      ExprId Taken = Builder.backedgeTakenAt(L, Context);
      Guessed |= Taken == NoExpr;
      ExprId Trips = Taken == NoExpr
                         ? Graph.constant(64, UnknownTrips)
                         : Graph.binary(ExprKind::Add,
                                        Graph.cast(ExprKind::ZExt, Taken, 64),
                                        Graph.constant(64, 1));
      Term.TripCounts.push_back(Trips);
    }
    std::reverse(Term.TripCounts.begin(), Term.TripCounts.end());
    Terms.push_back(std::move(Term));
  }
  return Terms;
}

} // namespace gridspan
