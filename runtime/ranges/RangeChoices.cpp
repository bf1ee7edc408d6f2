//===- RangeChoices.cpp - Sets of values: choices, guards, loops ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of RangeOps.h that follow control flow: comparisons, selects,
// guards, phis and induction variables.
//
//===----------------------------------------------------------------------===//

#include "gridspan/RangeOps.h"
#include "runtime/ranges/RangeNumbers.h"
#include "runtime/ranges/RangeValue.h"
#include <algorithm>
#include <numeric>

using namespace gridspan;

namespace {

//===----------------------------------------------------------------------===//
// Minimum and comparisons
//===----------------------------------------------------------------------===//

StridedBox minimum(const StridedBox &A, const StridedBox &B) {
  if (A.hi() <= B.Lo)
    return decidedBy(A, B);
  if (B.hi() <= A.Lo)
    return decidedBy(B, A);
  if (isDense(A) && isDense(B)) {
    StridedBox Result =
        StridedBox::interval(std::min(A.Lo, B.Lo), std::min(A.hi(), B.hi()));
    Result.Exact = true;
    return resultOf(Result, A, B);
  }
  // Each result is a value of A that some value of B reaches, or the reverse.
  StridedBox FromA = A, FromB = B;
  bool AnyA = clip(FromA, A.Lo, B.hi()), AnyB = clip(FromB, B.Lo, A.hi());
  if (!AnyA || !AnyB)
    return resultOf(AnyA ? FromA : FromB, A, B);
  return unite(FromA, FromB);
}

void storeMinimum(GridspanValue *Out, const GridspanValue *A,
                  const GridspanValue *B, Sign S) {
  if (!storeIfEmpty(Out, A, B))
    store(Out, A->Width, minimum(readHull(*A, S), readHull(*B, S)));
}

void storeMaximum(GridspanValue *Out, const GridspanValue *A,
                  const GridspanValue *B, Sign S) {
  if (!storeIfEmpty(Out, A, B))
    store(Out, A->Width,
          negate(minimum(negate(readHull(*A, S)), negate(readHull(*B, S)))));
}

Sign signFor(const GridspanValue &A, const GridspanValue &B, uint32_t Pred) {
  if (Pred <= GridspanNE)
    return commonSign(A, B);
  return Pred >= GridspanSGT ? Sign::Signed : Sign::Unsigned;
}

enum class Answer { No, Yes, Either };

Answer isEqual(const StridedBox &A, const StridedBox &B) {
  if (A.hi() < B.Lo || B.hi() < A.Lo)
    return Answer::No;
  if (A.isConstant() && B.isConstant())
    return Answer::Yes;
  uint64_t Stride = std::gcd(A.stride(), B.stride());
  bool MayMeet = Stride <= 1 || (A.Lo - B.Lo) % Stride == 0;
  return MayMeet ? Answer::Either : Answer::No;
}

Answer isLess(const StridedBox &A, const StridedBox &B) {
  if (A.hi() < B.Lo)
    return Answer::Yes;
  return A.Lo >= B.hi() ? Answer::No : Answer::Either;
}

Answer operator!(Answer A) {
  if (A == Answer::Either)
    return A;
  return A == Answer::Yes ? Answer::No : Answer::Yes;
}

Answer compare(const StridedBox &A, const StridedBox &B, uint32_t Pred) {
  switch (Pred) {
  case GridspanEQ:
    return isEqual(A, B);
  case GridspanNE:
    return !isEqual(A, B);
  case GridspanULT:
  case GridspanSLT:
    return isLess(A, B);
  case GridspanUGE:
  case GridspanSGE:
    return !isLess(A, B);
  case GridspanUGT:
  case GridspanSGT:
    return isLess(B, A);
  case GridspanULE:
  case GridspanSLE:
    return !isLess(B, A);
  default:
    return Answer::Either;
  }
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

/// Drops what differs from all of Y or, for NE, equals the only value of Y.
bool restrictToEqual(StridedBox &X, const StridedBox &Y) {
  if (isEqual(X, Y) == Answer::No)
    return false;
  X.Exact &= isDense(Y);
  return clip(X, Y.Lo, Y.hi());
}

bool restrictToUnequal(StridedBox &X, const StridedBox &Y) {
  if (!Y.isConstant() || isEqual(X, Y) == Answer::No)
    return true;
  if (X.isConstant())
    return false;
  if (X.Lo == Y.Lo)
    return clip(X, Y.Lo + 1, X.hi());
  if (X.hi() == Y.Lo)
    return clip(X, X.Lo, Y.Lo - 1);
  // A hole, or a value that X may jump over.
  X.Exact = false;
  return true;
}

/// Drops values of X for which X pred Y holds for no value Y; false: all of
/// them. X stays exact only if just those are dropped.
bool restrict(StridedBox &X, const StridedBox &Y, uint32_t Pred) {
  switch (Pred) {
  case GridspanEQ:
    return restrictToEqual(X, Y);
  case GridspanNE:
    return restrictToUnequal(X, Y);
  case GridspanULT:
  case GridspanSLT:
    return clip(X, X.Lo, Y.hi() - 1);
  case GridspanULE:
  case GridspanSLE:
    return clip(X, X.Lo, Y.hi());
  case GridspanUGT:
  case GridspanSGT:
    return clip(X, Y.Lo + 1, X.hi());
  case GridspanUGE:
  case GridspanSGE:
    return clip(X, Y.Lo, X.hi());
  default:
    X.Exact = false;
    return true;
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// { k * Step : 0 <= k <= Last }.
StridedBox progression(const StridedBox &Step, Wide Last) {
  if (Step.isConstant() && Step.Lo == 0)
    return StridedBox::constant(0);
  StridedBox Counter = StridedBox::constant(0);
  if (Last > Wide(UINT64_MAX))
    Counter.Overflow = true;
  else
    Counter.add(1, uint64_t(Last));
  return mulBoxes(Counter, Step);
}

/// A recurrence that never leaves the limits, so that what lies outside is cut
/// off. Last is negative when there is no bound but the limits.
StridedBox iterateWithin(const StridedBox &Start, const StridedBox &Step,
                         Wide Last, Limits L) {
  bool Upward = Step.Lo > 0, Downward = Step.hi() < 0;
  if (!Upward && !Downward) {
    StridedBox Result = addBoxes(Start, progression(Step, Last));
    return Last >= 0 && !Result.Overflow && fits(Result, L)
               ? Result
               : StridedBox::interval(L.Min, L.Max);
  }
  Wide Least = Upward ? Step.Lo : -Step.hi();
  Wide Most = (Upward ? L.Max - Start.Lo : Start.hi() - L.Min) / Least;
  bool Cut = Last < 0 || Most < Last;
  StridedBox Result = addBoxes(Start, progression(Step, Cut ? Most : Last));
  Result.simplify(StridedBox::Capacity);
  Result.Exact &= !Cut;
  if (!Result.Overflow && fits(Result, L))
    return Result;
  Result.Exact = false;
  if (!Result.Overflow && clip(Result, L.Min, L.Max) && fits(Result, L))
    return Result;
  uint64_t Stride = std::gcd(Start.stride(),
                             Step.isConstant() ? uint64_t(Least) : uint64_t(1));
  return Upward ? StridedBox::interval(Start.Lo, L.Max, Stride)
                : negate(StridedBox::interval(-Start.hi(), -L.Min, Stride));
}

} // namespace

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

void __gridspan_range_UMin(GridspanValue *Out, const GridspanValue *A,
                           const GridspanValue *B) noexcept {
  storeMinimum(Out, A, B, Sign::Unsigned);
}

void __gridspan_range_UMax(GridspanValue *Out, const GridspanValue *A,
                           const GridspanValue *B) noexcept {
  storeMaximum(Out, A, B, Sign::Unsigned);
}

void __gridspan_range_SMin(GridspanValue *Out, const GridspanValue *A,
                           const GridspanValue *B) noexcept {
  storeMinimum(Out, A, B, Sign::Signed);
}

void __gridspan_range_SMax(GridspanValue *Out, const GridspanValue *A,
                           const GridspanValue *B) noexcept {
  storeMaximum(Out, A, B, Sign::Signed);
}

void __gridspan_range_ICmp(GridspanValue *Out, const GridspanValue *A,
                           const GridspanValue *B, uint32_t Pred) noexcept {
  if (isEmpty(A) || isEmpty(B))
    return storeEmpty(Out, 1);
  Sign S = signFor(*A, *B, Pred);
  StridedBox X = readHull(*A, S), Y = readHull(*B, S);
  Answer Holds = compare(X, Y, Pred);
  if (Holds == Answer::Either)
    return store(Out, 1, StridedBox::interval(0, 1));
  StridedBox Decided = StridedBox::constant(Holds == Answer::Yes);
  store(Out, 1, decidedBy(decidedBy(Decided, X), Y));
}

static void storeUnion(GridspanValue *Out, const GridspanValue *A,
                       const GridspanValue *B) {
  if (isEmpty(A) || isEmpty(B)) {
    *Out = isEmpty(A) ? *B : *A;
    Out->Exact = false;
    return;
  }
  Sign S = commonSign(*A, *B);
  store(Out, A->Width, unite(readHull(*A, S), readHull(*B, S)));
}

void __gridspan_range_Select(GridspanValue *Out, const GridspanValue *Cond,
                             const GridspanValue *A,
                             const GridspanValue *B) noexcept {
  if (isNumber(*Cond)) {
    *Out = Cond->Lo != 0 ? *A : *B;
    return;
  }
  if (isEmpty(Cond))
    return storeEmpty(Out, A->Width);
  StridedBox C = readHull(*Cond, Sign::Unsigned);
  if (!C.isConstant()) {
    storeUnion(Out, A, B);
    Out->Exact = false;
    return;
  }
  const GridspanValue *Chosen = C.Lo != 0 ? A : B;
  if (Chosen->State == GridspanValueBox)
    store(Out, A->Width, decidedBy(load(*Chosen), C));
  else
    *Out = *Chosen;
}

void __gridspan_range_Merge(GridspanValue *Out, const GridspanValue *A,
                            const GridspanValue *B) noexcept {
  storeUnion(Out, A, B);
}

void __gridspan_range_Assume(GridspanValue *Out, const GridspanValue *A,
                             const GridspanValue *B, uint32_t Pred) noexcept {
  if (isNumber(*B) && storeIfBeyond(Out, *A, Pred, B->Lo))
    return;
  if (storeIfEmpty(Out, A, B))
    return;
  Sign S = signFor(*A, *B, Pred);
  StridedBox Y = readHull(*B, S);
  Reading R = read(*A, S);
  if (R.NumParts == 1 && compare(R.Parts[0], Y, Pred) == Answer::Yes)
    return store(Out, A->Width, decidedBy(R.Parts[0], Y));
  StridedBox Kept;
  unsigned NumKept = 0;
  for (unsigned I = 0; I != R.NumParts; ++I) {
    StridedBox X = R.Parts[I];
    if (!restrict(X, Y, Pred))
      continue;
    ++NumKept;
    Kept = resultOf(X, X, Y);
    Kept.Guarded = Kept.Symbols;
  }
  if (NumKept == 0)
    return storeEmpty(Out, A->Width);
  if (NumKept == 1)
    return store(Out, A->Width, Kept);
  // Both parts of a set that wraps remain: it spans as much as before.
  *Out = *A;
  Out->Exact = false;
}

void __gridspan_range_Iter(GridspanValue *Out, const GridspanValue *Start,
                           const GridspanValue *Step,
                           const GridspanValue *BackedgeTaken, uint32_t Flags,
                           uint32_t Loop) noexcept {
  unsigned Width = Start->Width;
  if (isEmpty(Start) || isEmpty(Step) ||
      (BackedgeTaken && isEmpty(BackedgeTaken)))
    return storeEmpty(Out, Width);
  StridedBox Count = BackedgeTaken ? readHull(*BackedgeTaken, Sign::Unsigned)
                                   : StridedBox::constant(0);
  Wide Last = BackedgeTaken ? Count.hi() : -1;
  StridedBox First = load(*Start), By = load(*Step), Result;
  if (Flags & (GridspanIterNSW | GridspanIterNUW)) {
    Sign S = Flags & GridspanIterNSW ? Sign::Signed : Sign::Unsigned;
    First = readHull(*Start, S);
    By = readHull(*Step, S);
    Result = iterateWithin(First, By, Last, limitsOf(Width, S));
  } else if (BackedgeTaken) {
    Result = addBoxes(First, progression(By, Last));
  } else {
    return storeTop(Out, Width);
  }
  // Where a limit ends the loop, the Assume around drops what is beyond it. All
  // ones is no count (ExprBuilder::countByLatch).
  bool ToLimit = (Flags & GridspanIterToLimit) && BackedgeTaken &&
                 Last < limitsOf(BackedgeTaken->Width, Sign::Unsigned).Max;
  Result.Exact &= First.Exact && By.Exact && By.isConstant() &&
                  areIndependent(First, By) &&
                  (ToLimit || (Count.Exact && areIndependent(First, Count) &&
                               areIndependent(Count, By)));
  Result.dependOn(First);
  Result.dependOn(By);
  Result.dependOn(Count);
  if (Last != 0)
    Result.Symbols |= uint64_t(1)
                      << (FirstLoopSymbol + Loop % (64 - FirstLoopSymbol));
  store(Out, Width, Result);
}
