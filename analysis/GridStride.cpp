//===- GridStride.cpp - Loops that stride over the whole grid ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When may the iterations of a grid-stride loop be run by other threads than
// those that the program gives them to? If the kernel's effects are the same.
// CUDA orders nothing between blocks, nor between threads that do not
// synchronize, so only what one thread does in order can matter. It is proven
// that:
//
//   1. The threads along the axis run each iteration once: start, step and
//      bound are those of GridStride.h, the bound is invariant, and the loop is
//      left at its end only. Nothing wraps: the clone checks that at the launch
//      (GridStrideRewrite.cpp).
//   2. Either all threads along the axis enter the loop, or the loop's own
//      first test keeps them out: every other condition on the way to it is the
//      same for all of them. It is in no loop but others of this kind.
//   3. An iteration is a function of its index: nothing in it uses threadIdx or
//      blockIdx of the axis, or what is computed from them, except through the
//      index. No value goes from one iteration to the next, or out of the loop.
//      (A sum of floating point numbers by each thread is such a value: other
//      threads would round differently.)
//   4. An iteration has no effects but plain loads and stores, and integer
//      atomics whose results are not used, all of one commutative operation on
//      all that they may reach. No barrier, vote or shuffle; no memory of the
//      block or thread, which would carry values.
//   5. No two iterations that were one thread's touch the same memory if one of
//      them writes it: all accesses through a pointer that is written are to
//      the element that belongs to the iteration, whose address is a polynomial
//      in the indices of which each element has another value (mixed radix: the
//      coefficient of an outer index is that of the inner one times the inner
//      one's bound). Two loops in which an index goes through the same values
//      give it to the same threads, before and after.
//
//      That different pointers lead to different memory is checked at the
//      launch (GridspanRepartitioned in ABI.h); pointers to the very same
//      elements are fine if each iteration accesses its own only (OwnElement).
//
//===----------------------------------------------------------------------===//

#include "gridspan/Analysis/GridStride.h"
#include "ExprBuilder.h"
#include "IndexPolynomial.h"
#include "gridspan/Analysis/Kernels.h"
#include "gridspan/Analysis/MemoryOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gridspan {

StringRef strideRefusalName(StrideRefusalKind Kind) {
  switch (Kind) {
#define GRIDSPAN_STRIDE_REFUSAL(Kind, Name, Text)                              \
  case StrideRefusalKind::Kind:                                                \
    return Name;
#include "gridspan/Analysis/GridStride.def"
  }
  llvm_unreachable("refusal without a name");
}

StringRef strideRefusalText(StrideRefusalKind Kind) {
  switch (Kind) {
#define GRIDSPAN_STRIDE_REFUSAL(Kind, Name, Text)                              \
  case StrideRefusalKind::Kind:                                                \
    return Text;
#include "gridspan/Analysis/GridStride.def"
  }
  llvm_unreachable("refusal without a text");
}

std::string StrideRefusal::message() const {
  std::string Out = formatv("a grid-stride loop keeps its distribution: {0}",
                            strideRefusalText(Kind));
  const Instruction *At = Where ? Where : L->getHeader()->getTerminator();
  if (std::string Place = sourceLocation(*At); !Place.empty())
    Out += " at " + Place;
  return Out;
}

namespace {

/// Factors beyond this would need care with 64 bits.
constexpr int64_t MaxFactor = 1 << 15;
constexpr int64_t MaxConstant = int64_t(1) << 30;
constexpr unsigned MaxBaseTerms = 4;

/// A reason and, if there is one, the instruction to blame.
struct Obstacle {
  StrideRefusalKind Kind;
  const Instruction *Where = nullptr;
};
using Verdict = std::optional<Obstacle>;

/// One access through a pointer of the parameters.
struct ElementAccess {
  const Instruction *I;
  MemoryOp Op;
  std::pair<unsigned, unsigned> Base;
  const Value *Address;
};

class Finder {
public:
  Finder(const Function &F, const KernelAnalyses &A)
      : F(F), A(A), Builder(F, A.DT, A.LI, A.SE, Pool),
        Atoms(F.getDataLayout()) {}

  GridStrideResult run();

private:
  // The form.
  std::optional<GridStrideLoop> matchLoop(const Loop *L);
  Verdict matchIndex(GridStrideLoop &G);
  Verdict matchBase(GridStrideLoop &G);
  Verdict matchExit(GridStrideLoop &G);
  void number();
  const GridStrideLoop *accepted(const Loop *L) const;
  const Loop *outermostAround(const Instruction &I) const;

  // What an iteration depends on, and does.
  Verdict checkNesting(const GridStrideLoop &G);
  Verdict checkEntry(const GridStrideLoop &G);
  bool isOwnTest(const Value *Condition, bool Holds, const GridStrideLoop &G);
  bool isImplied(CmpInst::Predicate Pred, const Value *X, const Value *Y,
                 const GridStrideLoop &G);
  SmallVector<const BasicBlock *, 8> decidersOf(const BasicBlock *BB,
                                                const Loop *L) const;
  Verdict checkIteration(const GridStrideLoop &G);
  void findDependent(unsigned Axis, bool PerBlock);

  // Memory.
  Verdict collectAccesses();
  Verdict checkBase(ArrayRef<const ElementAccess *> Accesses);
  std::optional<int64_t> elementSize(const ElementAccess &X);
  bool isBelow(const PHINode &Index, Polynomial &Bound);
  Polynomial placeOf(const ElementAccess &X);
  void findOwnElements();

  void refuse(const Loop *L, Obstacle O) {
    Out.Refusals.push_back({O.Kind, L, O.Where});
  }
  /// Gives up loops that Check objects to; true if there were some.
  bool filter(function_ref<Verdict(const GridStrideLoop &)> Check);

  const Function &F;
  const KernelAnalyses &A;
  ExprPool Pool;
  ExprBuilder Builder;
  AtomTable Atoms;
  GridStrideResult Out;
  std::vector<ElementAccess> Accesses;
  std::map<std::pair<unsigned, unsigned>, std::vector<const ElementAccess *>>
      ByBase;
  /// Values that differ between threads along the axis in question.
  SmallPtrSet<const Value *, 32> Dependent;
};

} // namespace

//===----------------------------------------------------------------------===//
// The form
//===----------------------------------------------------------------------===//

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

/// Whether the loop has an index that moves with the size of the grid.
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

Verdict Finder::matchIndex(GridStrideLoop &G) {
  for (const PHINode &P : G.L->getHeader()->phis())
    if (&P != G.Index)
      return Obstacle{StrideRefusalKind::CarriedValue, &P};
  const auto *Step = dyn_cast<Instruction>(G.Next->getOperand(G.StepOperand));
  if (Step && G.L->contains(Step))
    return Obstacle{StrideRefusalKind::ExitForm, Step};
  return std::nullopt;
}

Verdict Finder::matchBase(GridStrideLoop &G) {
  Obstacle TooComplex{StrideRefusalKind::BaseForm};
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

Verdict Finder::matchExit(GridStrideLoop &G) {
  const BasicBlock *Latch = G.L->getLoopLatch();
  Obstacle Other{StrideRefusalKind::ExitForm, Latch->getTerminator()};
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
          return Obstacle{StrideRefusalKind::UsedAfter, &I};
  return std::nullopt;
}

std::optional<GridStrideLoop> Finder::matchLoop(const Loop *L) {
  GridStrideLoop G;
  if (!stridesOverGrid(L, Atoms, G))
    return std::nullopt;
  Verdict V = matchIndex(G);
  if (!V)
    V = matchBase(G);
  if (!V)
    V = matchExit(G);
  if (!V)
    return G;
  refuse(L, *V);
  return std::nullopt;
}

/// Gives loops whose indices go through the same values one atom.
void Finder::number() {
  Atoms.forgetIndices();
  std::vector<unsigned> Signatures;
  for (unsigned I = 0; I != Out.Loops.size(); ++I) {
    const GridStrideLoop &G = Out.Loops[I];
    auto LimitOf = [&](const GridStrideLoop &Loop) {
      return A.SE.getSCEV(Loop.Test->getOperand(Loop.LimitOperand));
    };
    unsigned Same = 0;
    for (; Same != I; ++Same) {
      const GridStrideLoop &Other = Out.Loops[Same];
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

const GridStrideLoop *Finder::accepted(const Loop *L) const {
  auto It =
      find_if(Out.Loops, [&](const GridStrideLoop &G) { return G.L == L; });
  return It == Out.Loops.end() ? nullptr : &*It;
}

const Loop *Finder::outermostAround(const Instruction &I) const {
  const Loop *Outermost = nullptr;
  for (const Loop *L = A.LI.getLoopFor(I.getParent()); L;
       L = L->getParentLoop())
    if (accepted(L))
      Outermost = L;
  return Outermost;
}

//===----------------------------------------------------------------------===//
// What an iteration depends on
//===----------------------------------------------------------------------===//

/// Whether Pointer leads to memory of the block or the thread.
static bool isPrivate(const Value *Pointer) {
  constexpr unsigned Shared = 3, Local = 5;
  const Value *Base = getUnderlyingObject(Pointer, /*MaxLookup=*/0);
  unsigned Space = Pointer->getType()->getPointerAddressSpace();
  unsigned BaseSpace = Base->getType()->getPointerAddressSpace();
  return Space == Shared || Space == Local || BaseSpace == Shared ||
         BaseSpace == Local || isa<AllocaInst>(Base);
}

/// Whether the value is another one in different threads, by itself.
static bool isThreadSource(const Instruction &I, unsigned Axis, bool PerBlock) {
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
    return true;
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isVolatile() || isPrivate(Load->getPointerOperand());
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

/// Fills Dependent with all values that are not known to be the same in all
/// threads along Axis. A phi outside the loops may be decided by anything.
void Finder::findDependent(unsigned Axis, bool PerBlock) {
  Dependent.clear();
  SmallVector<const Instruction *, 32> Work;
  auto IsIndex = [&](const Instruction &I) {
    return any_of(Out.Loops,
                  [&](const GridStrideLoop &G) { return G.Index == &I; });
  };
  auto Add = [&](const Instruction &I) {
    if (!IsIndex(I) && Dependent.insert(&I).second)
      Work.push_back(&I);
  };
  for (const Instruction &I : instructions(F))
    if (isThreadSource(I, Axis, PerBlock) ||
        (isa<PHINode>(I) && !outermostAround(I)))
      Add(I);
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users())
      Add(*cast<Instruction>(U));
}

Verdict Finder::checkNesting(const GridStrideLoop &G) {
  for (const Loop *L = G.L->getParentLoop(); L; L = L->getParentLoop())
    if (!accepted(L))
      return Obstacle{StrideRefusalKind::WithinLoop};
  return std::nullopt;
}

/// What V is extended from.
static const Value *withoutExtension(const Value *V) {
  return isa<ZExtInst, SExtInst>(V) ? cast<CastInst>(V)->getOperand(0) : V;
}

/// Whether Condition being Holds is implied for all threads by the loop's first
/// test, together with what is the same in all of them.
bool Finder::isOwnTest(const Value *Condition, bool Holds,
                       const GridStrideLoop &G) {
  if (!Dependent.contains(Condition))
    return true;
  const Value *X, *Y;
  if ((Holds && match(Condition, m_LogicalAnd(m_Value(X), m_Value(Y)))) ||
      (!Holds && match(Condition, m_LogicalOr(m_Value(X), m_Value(Y)))))
    return isOwnTest(X, Holds, G) && isOwnTest(Y, Holds, G);
  if (match(Condition, m_Not(m_Value(X))))
    return isOwnTest(X, !Holds, G);
  const auto *Test = dyn_cast<ICmpInst>(Condition);
  if (!Test || !Test->getOperand(0)->getType()->isIntegerTy())
    return false;
  CmpInst::Predicate Pred =
      Holds ? Test->getPredicate() : Test->getInversePredicate();
  return isImplied(Pred, Test->getOperand(0), Test->getOperand(1), G) ||
         isImplied(CmpInst::getSwappedPredicate(Pred), Test->getOperand(1),
                   Test->getOperand(0), G);
}

/// Whether the loop's own test of its first index implies X Pred Y: the same
/// test, or one that is off by one in the direction that lets more threads in.
/// With numbers so close none wraps if index and bound do not.
bool Finder::isImplied(CmpInst::Predicate Pred, const Value *X, const Value *Y,
                       const GridStrideLoop &G) {
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

/// The blocks outside of L whose branches decide whether BB runs, directly or
/// through others.
SmallVector<const BasicBlock *, 8> Finder::decidersOf(const BasicBlock *BB,
                                                      const Loop *L) const {
  SmallSetVector<const BasicBlock *, 8> Decided;
  Decided.insert(BB);
  for (unsigned Next = 0; Next != Decided.size(); ++Next)
    for (const BasicBlock &X : F) {
      if (L->contains(&X) || X.getTerminator()->getNumSuccessors() < 2 ||
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

Verdict Finder::checkEntry(const GridStrideLoop &G) {
  const BasicBlock *Header = G.L->getHeader();
  for (const BasicBlock *BB : decidersOf(Header, G.L)) {
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
    if ((First || LeadsThere(1)) && isOwnTest(Condition, First, G))
      continue;
    return Obstacle{StrideRefusalKind::EntryDepends, End};
  }
  return std::nullopt;
}

/// The operation of an atomic that gives the same memory in any order and whose
/// result nobody sees, or nothing.
static std::optional<AtomicRMWInst::BinOp> commutative(const Instruction &I) {
  const auto *RMW = dyn_cast<AtomicRMWInst>(&I);
  if (!RMW || !RMW->use_empty() || RMW->isVolatile() ||
      !RMW->getType()->isIntegerTy())
    return std::nullopt;
  switch (RMW->getOperation()) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::And:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
  case AtomicRMWInst::Max:
  case AtomicRMWInst::Min:
  case AtomicRMWInst::UMax:
  case AtomicRMWInst::UMin:
    return RMW->getOperation();
  case AtomicRMWInst::Sub:
    return AtomicRMWInst::Add;
  default:
    return std::nullopt;
  }
}

/// Why an iteration may not contain I, whatever its operands are.
static std::optional<StrideRefusalKind> effectObstacle(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I)) {
    if (!Load->isSimple())
      return StrideRefusalKind::SideEffect;
    return isPrivate(Load->getPointerOperand())
               ? std::optional(StrideRefusalKind::PrivateMemory)
               : std::nullopt;
  }
  if (const auto *Store = dyn_cast<StoreInst>(&I)) {
    if (!Store->isSimple())
      return StrideRefusalKind::SideEffect;
    return isPrivate(Store->getPointerOperand())
               ? std::optional(StrideRefusalKind::PrivateMemory)
               : std::nullopt;
  }
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
    return commutative(I) ? std::nullopt
                          : std::optional(StrideRefusalKind::OrderedAtomic);
  if (const auto *Call = dyn_cast<CallBase>(&I)) {
    if (const auto *Block = dyn_cast<MemIntrinsic>(&I)) {
      if (Block->isVolatile())
        return StrideRefusalKind::SideEffect;
      const auto *Transfer = dyn_cast<MemTransferInst>(Block);
      return isPrivate(Block->getRawDest()) ||
                     (Transfer && isPrivate(Transfer->getRawSource()))
                 ? std::optional(StrideRefusalKind::PrivateMemory)
                 : std::nullopt;
    }
    if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(Call)) {
      StringRef Name = Intrinsic->getCalledFunction()->getName();
      if (Intrinsic->isAssumeLikeIntrinsic() ||
          Name.starts_with("llvm.nvvm.ldg.global.") ||
          Name.starts_with("llvm.nvvm.ldu.global."))
        return std::nullopt;
      if (specialRegister(Intrinsic->getIntrinsicID()))
        return std::nullopt; // looked at as values
    }
    if (Call->isConvergent() || !Call->doesNotAccessMemory())
      return StrideRefusalKind::SideEffect;
    return std::nullopt;
  }
  return I.mayHaveSideEffects() || I.mayReadOrWriteMemory() ||
                 isa<AllocaInst>(I)
             ? std::optional(StrideRefusalKind::SideEffect)
             : std::nullopt;
}

Verdict Finder::checkIteration(const GridStrideLoop &G) {
  for (const auto &[Factor, Term] : G.Terms)
    if (Dependent.contains(Term))
      return Obstacle{StrideRefusalKind::BaseForm, G.Index};
  for (const BasicBlock *BB : G.L->blocks())
    for (const Instruction &I : *BB) {
      if (auto Kind = effectObstacle(I))
        return Obstacle{*Kind, &I};
      bool IsIndex = any_of(Out.Loops, [&](const GridStrideLoop &Other) {
        return Other.Index == &I;
      });
      if (!IsIndex && any_of(I.operands(), [&](const Use &Op) {
            return Dependent.contains(Op.get());
          }))
        return Obstacle{StrideRefusalKind::ThreadDependence, &I};
    }
  return std::nullopt;
}

bool Finder::filter(function_ref<Verdict(const GridStrideLoop &)> Check) {
  std::vector<std::pair<const Loop *, Obstacle>> Given;
  for (const GridStrideLoop &G : Out.Loops)
    if (Verdict V = Check(G))
      Given.push_back({G.L, *V});
  for (const auto &[L, Why] : Given) {
    refuse(L, Why);
    erase_if(Out.Loops, [L = L](const GridStrideLoop &G) { return G.L == L; });
  }
  return !Given.empty();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Why not every access of the kernel is through a known pointer.
Verdict Finder::collectAccesses() {
  for (const Instruction &I : instructions(F)) {
    if (!A.DT.isReachableFromEntry(I.getParent()))
      continue;
    for (MemoryOp &Op : memoryOpsOf(I)) {
      Obstacle Unknown{StrideRefusalKind::UnknownMemory, &I};
      if (!Op.Pointer)
        return Unknown;
      for (const PointerTarget &T : Builder.pointerAt(Op.Pointer, NoContext)) {
        if (T.Where == PointerTarget::NotGlobal)
          continue;
        if (T.Where == PointerTarget::Unknown)
          return Unknown;
        Accesses.push_back({&I, Op, {T.Param, T.ByteOffset}, Op.Pointer});
      }
    }
  }
  for (const ElementAccess &X : Accesses)
    ByBase[X.Base].push_back(&X);
  return std::nullopt;
}

/// Whether 0 <= Index < Bound in all iterations of its loop, which is none of
/// those that are repartitioned.
bool Finder::isBelow(const PHINode &Index, Polynomial &Bound) {
  const Loop *L = A.LI.getLoopFor(Index.getParent());
  const BasicBlock *Latch = L ? L->getLoopLatch() : nullptr;
  if (!Latch || L->getHeader() != Index.getParent() ||
      L->getExitingBlock() != Latch)
    return false;
  auto &Phi = const_cast<PHINode &>(Index);
  const auto *S = dyn_cast<SCEVAddRecExpr>(A.SE.getSCEV(&Phi));
  const auto *Branch = dyn_cast<BranchInst>(Latch->getTerminator());
  const auto *Test = Branch && Branch->isConditional()
                         ? dyn_cast<ICmpInst>(Branch->getCondition())
                         : nullptr;
  if (!S || !S->isAffine() || S->getLoop() != L || !Test ||
      !A.SE.isKnownNonNegative(S->getStart()) ||
      !A.SE.isKnownPositive(S->getStepRecurrence(A.SE)))
    return false;
  CmpInst::Predicate Pred = L->contains(Branch->getSuccessor(0))
                                ? Test->getPredicate()
                                : Test->getInversePredicate();
  const Value *Limit = Test->getOperand(1);
  if (Test->getOperand(0) != Index.getIncomingValueForBlock(Latch) ||
      !L->isLoopInvariant(Limit))
    return false;
  bool IsLess = Pred == CmpInst::ICMP_SLT || Pred == CmpInst::ICMP_ULT;
  bool MeetsLimit =
      Pred == CmpInst::ICMP_NE && S->getStepRecurrence(A.SE)->isOne();
  if (MeetsLimit)
    Pred = CmpInst::ICMP_SLT;
  const SCEV *LimitS = A.SE.getSCEV(const_cast<Value *>(Limit));
  if ((!IsLess && !MeetsLimit) ||
      !A.SE.isLoopEntryGuardedByCond(L, Pred, S->getStart(), LimitS))
    return false;
  Bound = Atoms.of(withoutExtension(Limit));
  return true;
}

/// The bytes that belong to one iteration of the loops around X, if the
/// iterations' addresses are that far apart.
std::optional<int64_t> Finder::elementSize(const ElementAccess &X) {
  const Loop *Outermost = outermostAround(*X.I);
  /// An index with its coefficient, how far apart its values are, and what it
  /// is less than, if that is known.
  struct Digit {
    Polynomial Place;
    int64_t Step;
    std::optional<Polynomial> Bound;
  };
  SmallVector<Digit, 3> Digits;
  const Polynomial Address = Atoms.of(X.Address);
  if (Address.overflowed())
    return std::nullopt;

  std::map<AtomId, Polynomial> Places;
  for (const auto &[Product, Factor] : Address.terms()) {
    std::optional<AtomId> Varying;
    Polynomial::Product Rest;
    for (AtomId Id : Product) {
      const Atom &Atom = Atoms[Id];
      bool Varies =
          Atom.Kind == Atom::Index ||
          (Atom.Kind == Atom::Other && !Outermost->isLoopInvariant(Atom.V));
      if (!Varies)
        Rest.push_back(Id);
      else if (Varying)
        return std::nullopt;
      else
        Varying = Id;
    }
    if (Varying)
      Places[*Varying].add(Rest, Factor);
  }
  // All indices of the loops around it have to be there.
  unsigned NumIndices = 0;
  for (const Loop *L = A.LI.getLoopFor(X.I->getParent()); L;
       L = L->getParentLoop()) {
    const GridStrideLoop *G = accepted(L);
    if (!G)
      continue;
    ++NumIndices;
    Polynomial Index = Atoms.of(G->Index);
    auto It = Places.find(Index.terms().begin()->first[0]);
    if (It == Places.end())
      return std::nullopt;
    Digit D = {It->second, std::abs(G->Scale), std::nullopt};
    bool Strict = CmpInst::isStrictPredicate(G->Pred);
    if (G->Scale > 0 && Strict && G->Terms.empty() && G->Constant >= 0)
      D.Bound =
          Atoms.of(withoutExtension(G->Test->getOperand(G->LimitOperand)));
    Digits.push_back(std::move(D));
    Places.erase(It);
  }
  for (const auto &[Id, Place] : Places) {
    const Atom &Atom = Atoms[Id];
    const auto *Inner = Atom.Kind == Atom::Other
                            ? dyn_cast<PHINode>(withoutExtension(Atom.V))
                            : nullptr;
    Polynomial Bound;
    if (!Inner || !isBelow(*Inner, Bound))
      return std::nullopt;
    Digits.push_back({Place, 1, Bound});
  }
  sort(Digits, [](const Digit &L, const Digit &R) {
    auto Degree = [](const Polynomial &P) {
      size_t Most = 0;
      for (const auto &[Product, Factor] : P.terms())
        Most = std::max(Most, Product.size());
      return std::pair(Most, P.constant().value_or(0));
    };
    return Degree(L.Place) < Degree(R.Place);
  });
  if (Digits.empty() || NumIndices == 0)
    return std::nullopt;
  std::optional<int64_t> Lowest = Digits[0].Place.constant();
  if (!Lowest)
    return std::nullopt;
  for (size_t I = 1; I != Digits.size(); ++I) {
    const Digit &Below = Digits[I - 1];
    // What an index is less than is positive, so that how it is extended does
    // not matter.
    if (!Below.Bound || !(Atoms.withoutExtensions(Digits[I].Place) ==
                          Atoms.withoutExtensions(Below.Place * *Below.Bound)))
      return std::nullopt;
  }
  return std::abs(*Lowest) * Digits[0].Step;
}

/// The address without its pointer and constants: the same for accesses to one
/// element of different buffers.
Polynomial Finder::placeOf(const ElementAccess &X) {
  Polynomial Address = Atoms.of(X.Address), Place;
  for (const auto &[Product, Factor] : Address.terms()) {
    bool IsPointer = Product.size() == 1 && Factor == 1 &&
                     Atoms[Product[0]].Kind == Atom::Other &&
                     !isa<PHINode>(Atoms[Product[0]].V) &&
                     Atoms[Product[0]].V->getType()->isPointerTy();
    if (!IsPointer && !Product.empty())
      Place.add(Product, Factor);
  }
  return Place;
}

/// What is wrong with the accesses through one pointer; some are in loops.
Verdict Finder::checkBase(ArrayRef<const ElementAccess *> Through) {
  const ElementAccess &First = *Through.front();
  auto IsAtomic = [](const ElementAccess *X) {
    return X->Op.Mode == GridspanAtomic;
  };
  if (all_of(Through, IsAtomic) && commutative(*First.I) &&
      all_of(Through, [&](const ElementAccess *X) {
        return commutative(*X->I) == commutative(*First.I) &&
               X->Op.Size == First.Op.Size;
      }))
    return std::nullopt;
  if (auto It = find_if(Through, IsAtomic); It != Through.end())
    return Obstacle{StrideRefusalKind::OrderedAtomic, (*It)->I};

  Polynomial Place = Atoms.of(First.Address);
  int64_t Lo = INT64_MAX, Hi = INT64_MIN;
  for (const ElementAccess *X : Through) {
    std::optional<int64_t> Distance = (Atoms.of(X->Address) - Place).constant();
    if (!outermostAround(*X->I) || !Distance || X->Op.Size == 0)
      return Obstacle{StrideRefusalKind::OtherElement, X->I};
    Lo = std::min(Lo, *Distance);
    Hi = std::max<int64_t>(Hi, *Distance + X->Op.Size);
  }
  for (const ElementAccess *X : Through) {
    std::optional<int64_t> Size = elementSize(*X);
    if (!Size)
      return Obstacle{StrideRefusalKind::SharedElement, X->I};
    if (Hi - Lo > *Size)
      return Obstacle{StrideRefusalKind::OtherElement, X->I};
  }
  return std::nullopt;
}

/// Those that access the same place of their buffers as one that is written.
void Finder::findOwnElements() {
  const ElementAccess *Reference = nullptr;
  for (const ElementAccess &X : Accesses)
    if (X.Op.Mode == GridspanWrite && outermostAround(*X.I) && !Reference)
      Reference = &X;
  if (!Reference)
    return;
  const Polynomial Place = placeOf(*Reference);
  std::optional<int64_t> Size = elementSize(*Reference);
  if (!Size)
    return;
  /// Bytes of the element that are accessed.
  struct Extent {
    int64_t Lo = INT64_MAX, Hi = INT64_MIN;
  };
  auto ExtentOf = [&](ArrayRef<const ElementAccess *> Through,
                      Extent E) -> std::optional<Extent> {
    for (const ElementAccess *X : Through) {
      if (X->Op.Mode == GridspanAtomic || X->Op.Size == 0 ||
          !outermostAround(*X->I) || !(placeOf(*X) == Place))
        return std::nullopt;
      int64_t At = Atoms.of(X->Address).constantTerm();
      E.Lo = std::min(E.Lo, At);
      E.Hi = std::max<int64_t>(E.Hi, At + X->Op.Size);
    }
    return E.Hi - E.Lo <= *Size ? std::optional(E) : std::nullopt;
  };
  // What is written is so by checkBase.
  std::optional<Extent> All = ExtentOf(ByBase[Reference->Base], {});
  if (!All)
    return;
  for (const auto &[Base, Through] : ByBase)
    if (std::optional<Extent> Wider = ExtentOf(Through, *All)) {
      All = Wider;
      Out.OwnElement.push_back(Base);
    }
}

GridStrideResult Finder::run() {
  for (const Loop *L : A.LI.getLoopsInPreorder())
    if (std::optional<GridStrideLoop> G = matchLoop(L))
      Out.Loops.push_back(std::move(*G));
  if (Out.Loops.empty())
    return std::move(Out);
  if (Verdict V = collectAccesses()) {
    filter([&](const GridStrideLoop &) { return V; });
    return std::move(Out);
  }
  // A loop that is given up may be in the way of others.
  bool Changed = true;
  while (Changed && !Out.Loops.empty()) {
    number();
    Changed = filter([&](const GridStrideLoop &G) { return checkNesting(G); });
    if (Changed)
      continue;
    Changed = filter([&](const GridStrideLoop &G) -> Verdict {
      findDependent(G.Axis, G.PerBlock);
      if (Verdict V = checkEntry(G))
        return V;
      return checkIteration(G);
    });
    if (Changed)
      continue;
    std::map<const Loop *, Obstacle> Bad;
    for (const auto &[Base, Through] : ByBase) {
      bool Written = any_of(Through, [](const ElementAccess *X) {
        return X->Op.Mode != GridspanRead;
      });
      bool Inside = any_of(Through, [&](const ElementAccess *X) {
        return outermostAround(*X->I) != nullptr;
      });
      if (!Written || !Inside)
        continue;
      if (Verdict V = checkBase(Through))
        for (const ElementAccess *X : Through)
          for (const Loop *L = A.LI.getLoopFor(X->I->getParent()); L;
               L = L->getParentLoop())
            Bad.try_emplace(L, *V);
    }
    Changed = filter([&](const GridStrideLoop &G) -> Verdict {
      auto It = Bad.find(G.L);
      return It == Bad.end() ? Verdict() : It->second;
    });
  }
  if (!Out.Loops.empty())
    findOwnElements();
  return std::move(Out);
}

GridStrideResult findGridStrideLoops(const Function &Kernel,
                                     const KernelAnalyses &Analyses) {
  return Finder(Kernel, Analyses).run();
}

PreservedAnalyses GridStridePrinterPass::run(Module &M,
                                             ModuleAnalysisManager &MAM) {
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (Function *Kernel : kernelsOf(M)) {
    GridStrideResult Found =
        findGridStrideLoops(*Kernel, KernelAnalyses::get(*Kernel, FAM));
    OS << "kernel " << Kernel->getName() << '\n';
    for (const GridStrideLoop &G : Found.Loops) {
      OS << "  repartitioned: axis " << "xyz"[G.Axis] << ", by "
         << (G.PerBlock ? "blocks" : "threads") << ", scale " << G.Scale
         << ", from " << G.Constant;
      for (const auto &[Factor, Term] : G.Terms)
        OS << " + " << Factor << " * " << *Term;
      OS << '\n';
    }
    for (const StrideRefusal &R : Found.Refusals)
      OS << "  " << strideRefusalName(R.Kind) << ": " << R.message() << '\n';
    if (!Found.OwnElement.empty())
      OS << "  own element:";
    for (const auto &[Param, Offset] : Found.OwnElement) {
      OS << " arg" << Param;
      if (Offset)
        OS << '+' << Offset;
    }
    if (!Found.OwnElement.empty())
      OS << '\n';
  }
  return PreservedAnalyses::all();
}

} // namespace gridspan
