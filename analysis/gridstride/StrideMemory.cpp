//===- StrideMemory.cpp - Memory of iterations ----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Obligation 5 of GridStride.cpp. An address is a polynomial in the loops'
// indices and those of loops within them. Indices are read as the digits of a
// number of mixed radix, lowest first: each coefficient is the one below times
// what the index below is less than. Then each iteration has its own lowest
// coefficient's worth of bytes, and all accesses through a pointer that is
// written must be within those.
//
//===----------------------------------------------------------------------===//

#include "analysis/gridstride/StrideMemory.h"
#include "analysis/gridstride/StrideEffects.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace gridspan {

StrideMemory::StrideMemory(const Function &F, const KernelAnalyses &A,
                           AtomTable &Atoms)
    : F(F), A(A), Atoms(Atoms), Builder(F, A.DT, A.LI, A.SE, Graph) {}

StrideVerdict StrideMemory::collect() {
  for (const Instruction &I : instructions(F)) {
    if (!A.DT.isReachableFromEntry(I.getParent()))
      continue;
    for (MemoryOp &Op : memoryOpsOf(I)) {
      const StrideObstacle Unknown{StrideRefusalKind::UnknownMemory, &I};
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
  for (const Access &X : Accesses)
    ByBase[X.Base].push_back(&X);
  IsComplete = true;
  return std::nullopt;
}

/// Returns true if 0 <= Index < Bound in all iterations of its loop, which is
/// none of those that are repartitioned.
bool StrideMemory::isBelow(const PHINode &Index, Polynomial &Bound) {
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

/// Returns the bytes that belong to one iteration of the loops around X, if the
/// iterations' addresses are that far apart.
std::optional<int64_t> StrideMemory::elementSize(const Access &X) {
  const Loop *Outermost = outermostStrideLoop(Loops, A.LI, *X.I);
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
    const GridStrideLoop *G = findStrideLoop(Loops, L);
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
  for (size_t I = 1, E = Digits.size(); I != E; ++I) {
    const Digit &Below = Digits[I - 1];
    // What an index is less than is positive, so that how it is extended does
    // not matter.
    if (!Below.Bound || !(Atoms.withoutExtensions(Digits[I].Place) ==
                          Atoms.withoutExtensions(Below.Place * *Below.Bound)))
      return std::nullopt;
  }
  return std::abs(*Lowest) * Digits[0].Step;
}

/// Returns the address without its pointer and constants: the same for accesses
/// to one element of different buffers.
Polynomial StrideMemory::placeOf(const Access &X) {
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

/// Returns the obstacle in the accesses through one pointer, some of which are
/// in loops.
StrideVerdict StrideMemory::checkBase(ArrayRef<const Access *> Through) {
  const Access &First = *Through.front();
  auto IsAtomic = [](const Access *X) { return X->Op.Mode == GridspanAtomic; };
  if (all_of(Through, IsAtomic) && commutativeOperation(*First.I) &&
      all_of(Through, [&](const Access *X) {
        return commutativeOperation(*X->I) == commutativeOperation(*First.I) &&
               X->Op.Size == First.Op.Size;
      }))
    return std::nullopt;
  if (auto It = find_if(Through, IsAtomic); It != Through.end())
    return StrideObstacle{StrideRefusalKind::OrderedAtomic, (*It)->I};

  Polynomial Place = Atoms.of(First.Address);
  int64_t Lo = INT64_MAX, Hi = INT64_MIN;
  for (const Access *X : Through) {
    std::optional<int64_t> Distance = (Atoms.of(X->Address) - Place).constant();
    if (!outermostStrideLoop(Loops, A.LI, *X->I) || !Distance ||
        X->Op.Size == 0)
      return StrideObstacle{StrideRefusalKind::OtherElement, X->I};
    Lo = std::min(Lo, *Distance);
    Hi = std::max<int64_t>(Hi, *Distance + X->Op.Size);
  }
  for (const Access *X : Through) {
    std::optional<int64_t> Size = elementSize(*X);
    if (!Size)
      return StrideObstacle{StrideRefusalKind::SharedElement, X->I};
    if (Hi - Lo > *Size)
      return StrideObstacle{StrideRefusalKind::OtherElement, X->I};
  }
  return std::nullopt;
}

std::map<const Loop *, StrideObstacle>
StrideMemory::conflicts(ArrayRef<GridStrideLoop> Moving) {
  assert(IsComplete && "some access is not known");
  Loops = Moving;
  std::map<const Loop *, StrideObstacle> Bad;
  for (const auto &[Base, Through] : ByBase) {
    bool Written = any_of(
        Through, [](const Access *X) { return X->Op.Mode != GridspanRead; });
    bool Inside = any_of(Through, [&](const Access *X) {
      return outermostStrideLoop(Loops, A.LI, *X->I) != nullptr;
    });
    if (!Written || !Inside)
      continue;
    if (StrideVerdict V = checkBase(Through))
      for (const Access *X : Through)
        for (const Loop *L = A.LI.getLoopFor(X->I->getParent()); L;
             L = L->getParentLoop())
          Bad.try_emplace(L, *V);
  }
  return Bad;
}

std::vector<StrideMemory::Base>
StrideMemory::ownElements(ArrayRef<GridStrideLoop> Moving) {
  assert(IsComplete && "some access is not known");
  Loops = Moving;
  std::vector<Base> Own;
  const Access *Reference = nullptr;
  for (const Access &X : Accesses)
    if (X.Op.Mode == GridspanWrite && outermostStrideLoop(Loops, A.LI, *X.I) &&
        !Reference)
      Reference = &X;
  if (!Reference)
    return Own;
  const Polynomial Place = placeOf(*Reference);
  std::optional<int64_t> Size = elementSize(*Reference);
  if (!Size)
    return Own;
  /// Bytes of the element that are accessed.
  struct Extent {
    int64_t Lo = INT64_MAX, Hi = INT64_MIN;
  };
  auto ExtentOf = [&](ArrayRef<const Access *> Through,
                      Extent E) -> std::optional<Extent> {
    for (const Access *X : Through) {
      if (X->Op.Mode == GridspanAtomic || X->Op.Size == 0 ||
          !outermostStrideLoop(Loops, A.LI, *X->I) || !(placeOf(*X) == Place))
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
    return Own;
  for (const auto &[Base, Through] : ByBase)
    if (std::optional<Extent> Wider = ExtentOf(Through, *All)) {
      All = Wider;
      Own.push_back(Base);
    }
  return Own;
}

} // namespace gridspan
