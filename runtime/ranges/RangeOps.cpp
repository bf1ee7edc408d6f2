//===- RangeOps.cpp - Sets of values: leaves, arithmetic, bits ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the operations of RangeOps.h that map one or two numbers to one.
// RangeValue.h turns patterns into numbers and back; StridedBox.h describes the
// shapes.
//
//===----------------------------------------------------------------------===//

#include "gridspan/RangeOps.h"
#include "runtime/ranges/RangeNumbers.h"
#include "runtime/ranges/RangeValue.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

using namespace gridspan;

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

void __gridspan_range_Const(GridspanValue *Out, uint32_t Width,
                            int64_t Value) noexcept {
  storeNumber(Out, Width, Value);
}

void __gridspan_range_Param(GridspanValue *Out, uint32_t Width,
                            const GridspanBox *Box, uint32_t Index,
                            uint32_t Offset) noexcept {
  uint64_t Bits = 0;
  std::memcpy(&Bits, static_cast<const char *>(Box->Args[Index]) + Offset,
              (Width + 7) / 8);
  unsigned Unused = 64 - Width;
  storeNumber(Out, Width, int64_t(Bits << Unused) >> Unused);
}

/// Count consecutive values of an index; Symbol is its bit.
static void storeIndex(GridspanValue *Out, uint32_t Lo, uint32_t Count,
                       unsigned Symbol) {
  StridedBox X = StridedBox::constant(Lo);
  if (Count > 1) {
    X.add(1, Count - 1);
    X.Symbols = uint64_t(1) << Symbol;
  }
  store(Out, 32, X);
}

void __gridspan_range_ThreadIdx(GridspanValue *Out, const GridspanBox *Box,
                                uint32_t Axis) noexcept {
  storeIndex(Out, 0, Box->BlockDim[Axis], FirstThreadSymbol + Axis);
}

void __gridspan_range_BlockIdx(GridspanValue *Out, const GridspanBox *Box,
                               uint32_t Axis) noexcept {
  storeIndex(Out, Box->BlockLo[Axis], Box->BlockCount[Axis],
             FirstBlockSymbol + Axis);
}

void __gridspan_range_BlockDim(GridspanValue *Out, const GridspanBox *Box,
                               uint32_t Axis) noexcept {
  storeNumber(Out, 32, int32_t(Box->BlockDim[Axis]));
}

void __gridspan_range_GridDim(GridspanValue *Out, const GridspanBox *Box,
                              uint32_t Axis) noexcept {
  storeNumber(Out, 32, int32_t(Box->GridDim[Axis]));
}

void __gridspan_range_TileOrigin(GridspanValue *Out, const GridspanBox *Box,
                                 uint32_t Axis) noexcept {
  storeNumber(Out, 32, int32_t(Box->BlockLo[Axis]));
}

void __gridspan_range_TileCount(GridspanValue *Out, const GridspanBox *Box,
                                uint32_t Axis) noexcept {
  storeNumber(Out, 32, int32_t(Box->BlockCount[Axis]));
}

void __gridspan_range_Bounded(GridspanValue *Out, uint32_t Width, int64_t Lo,
                              int64_t Hi) noexcept {
  store(Out, Width, StridedBox::interval(Lo, Hi));
}

void __gridspan_range_Load(GridspanValue *Out, uint32_t Width,
                           const GridspanBox *Box, uint32_t Index,
                           uint32_t Offset, const GridspanValue *At) noexcept {
  if (isEmpty(At))
    return storeEmpty(Out, Width);
  const GridspanIndices *Indices = Box->Indices;
  if (!Indices || At->State == GridspanValueTop)
    return storeTop(Out, Width);
  const StridedBox Where = readHull(*At, Sign::Signed);
  const void *Pointer;
  std::memcpy(&Pointer, static_cast<const char *>(Box->Args[Index]) + Offset,
              sizeof(Pointer));
  // All of them where integers of that size lie one after the other.
  const uint64_t Bytes = Width / 8;
  bool Aligned =
      (reinterpret_cast<uintptr_t>(Pointer) + uint64_t(Where.Lo)) % Bytes == 0;
  for (unsigned I = 0; I != Where.NumDims; ++I)
    Aligned &= Where.Dims[I].Stride % Bytes == 0;
  int64_t Min[2], Max[2];
  if (Where.Overflow || !Aligned ||
      !Indices->Bound(Indices, Pointer, int64_t(Where.Lo), int64_t(Where.hi()),
                      uint32_t(Bytes), Min, Max))
    return storeTop(Out, Width);
  const Wide Length = std::max(Wide(Max[0]) - Min[0], Wide(Max[1]) - Min[1]);
  // Both as long as the longer one, at their lower ends or at their upper ones.
  const bool Lower = Min[1] + Length <= limitsOf(Width, Sign::Signed).Max;
  const Wide Lo = Lower ? Wide(Min[0]) : Max[0] - Length;
  const Wide Pitch = Lower ? Wide(Min[1]) - Min[0] : Wide(Max[1]) - Max[0];
  if (Pitch <= Length) // or one interval, twice
    return store(Out, Width, StridedBox::interval(Min[0], Max[1]));
  StridedBox Both = StridedBox::interval(Lo, Lo + Length);
  Both.add(uint64_t(Pitch), 1);
  store(Out, Width, Both);
}

void __gridspan_range_Unknown(GridspanValue *Out, uint32_t Width) noexcept {
  storeTop(Out, Width);
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

void __gridspan_range_Add(GridspanValue *Out, const GridspanValue *A,
                          const GridspanValue *B) noexcept {
  if ((isNumber(*B) && storeShifted(Out, *A, B->Lo)) ||
      (isNumber(*A) && storeShifted(Out, *B, A->Lo)))
    return;
  if (!storeIfEmpty(Out, A, B))
    store(Out, A->Width, addBoxes(load(*A), load(*B)));
}

void __gridspan_range_Sub(GridspanValue *Out, const GridspanValue *A,
                          const GridspanValue *B) noexcept {
  if (isNumber(*B) && B->Lo != INT64_MIN && storeShifted(Out, *A, -B->Lo))
    return;
  if (!storeIfEmpty(Out, A, B))
    store(Out, A->Width, addBoxes(load(*A), negate(load(*B))));
}

void __gridspan_range_Mul(GridspanValue *Out, const GridspanValue *A,
                          const GridspanValue *B) noexcept {
  if ((isNumber(*B) && storeScaled(Out, *A, B->Lo)) ||
      (isNumber(*A) && storeScaled(Out, *B, A->Lo)))
    return;
  if (!storeIfEmpty(Out, A, B))
    store(Out, A->Width, mulBoxes(load(*A), load(*B)));
}

//===----------------------------------------------------------------------===//
// Quotients and remainders
//===----------------------------------------------------------------------===//

namespace {

enum class Part { Quotient, Remainder };

/// A stand-in for a value's number if its digits cannot be told from others'.
constexpr uint32_t NoNode = UINT32_MAX;

/// Division of a non-negative set by a positive one.
StridedBox divideNonNegative(const StridedBox &X, const StridedBox &Divisor,
                             Part P, uint32_t Node) {
  if (Divisor.isConstant()) {
    uint64_t Base = uint64_t(Divisor.Lo);
    Division D = floorDivide(X, Base);
    bool Upper = P == Part::Quotient;
    StridedBox Result = resultOf(Upper ? D.Quotient : D.Remainder, X, Divisor);
    if (D.WithoutCarry && Divisor.Symbols == 0)
      markDigits(Result, X, Node, Upper ? Base : 1, Upper ? UINT64_MAX : Base);
    return Result;
  }
  if (P == Part::Quotient)
    return StridedBox::interval(X.Lo / Divisor.hi(), X.hi() / Divisor.Lo);
  if (X.hi() < Divisor.Lo)
    return decidedBy(X, Divisor);
  return StridedBox::interval(0, std::min(X.hi(), Divisor.hi() - 1));
}

/// Truncating division of any set by a positive one.
StridedBox divideTruncating(const StridedBox &X, const StridedBox &Divisor,
                            Part P, uint32_t Node) {
  if (X.Lo >= 0)
    return divideNonNegative(X, Divisor, P, Node);
  // The digits of -X are not those of X.
  if (X.hi() <= 0)
    return negate(divideNonNegative(negate(X), Divisor, P, NoNode));
  // Both signs: no digits, but still monotone.
  if (P == Part::Quotient)
    return StridedBox::interval(X.Lo / Divisor.Lo, X.hi() / Divisor.Lo);
  if (-X.Lo < Divisor.Lo && X.hi() < Divisor.Lo)
    return decidedBy(X, Divisor);
  return StridedBox::interval(std::max(X.Lo, 1 - Divisor.hi()),
                              std::min(X.hi(), Divisor.hi() - 1));
}

void divide(GridspanValue *Out, const GridspanValue *A, const GridspanValue *B,
            Sign S, Part P, uint32_t Node) {
  if (storeIfEmpty(Out, A, B))
    return;
  StridedBox X = readHull(*A, S), Divisor = readHull(*B, S);
  if (Divisor.isConstant() && Divisor.Lo == 0)
    return storeTop(Out, A->Width);
  bool Flip = Divisor.hi() <= 0;
  if (Flip)
    Divisor = negate(Divisor);
  // Division by zero is undefined, so the divisor is not zero.
  if (Divisor.Lo == 0)
    Divisor = StridedBox::interval(1, Divisor.hi());
  if (Divisor.Lo < 0) {
    // Divisors of both signs: no result is larger than the dividend, and no
    // remainder as large as the divisor, or of the other sign.
    Wide Most =
        std::max(X.Lo < 0 ? -X.Lo : X.Lo, X.hi() < 0 ? -X.hi() : X.hi());
    if (P == Part::Remainder)
      Most = std::min(Most, std::max(-Divisor.Lo, Divisor.hi()) - 1);
    bool Positive = P == Part::Remainder && X.Lo >= 0;
    bool Negative = P == Part::Remainder && X.hi() <= 0;
    return store(
        Out, A->Width,
        StridedBox::interval(Positive ? 0 : -Most, Negative ? 0 : Most));
  }
  StridedBox Result = divideTruncating(X, Divisor, P, Node);
  // A remainder has the sign of the dividend alone.
  store(Out, A->Width, Flip && P == Part::Quotient ? negate(Result) : Result);
}

/// The defined amounts of a shift, those less than the width; false: none.
bool readAmount(const GridspanValue &V, StridedBox &Amount) {
  Amount = readHull(V, Sign::Unsigned);
  return clip(Amount, 0, V.Width - 1);
}

void shiftRight(GridspanValue *Out, const GridspanValue *A,
                const GridspanValue *B, Sign S, uint32_t Node) {
  if (storeIfEmpty(Out, A, B))
    return;
  StridedBox X = readHull(*A, S), Amount;
  if (!readAmount(*B, Amount))
    return storeTop(Out, A->Width);
  unsigned Least = unsigned(Amount.Lo);
  if (Amount.isConstant()) {
    uint64_t Base = uint64_t(1) << Least;
    Division D = floorDivide(X, Base);
    StridedBox Result = resultOf(D.Quotient, X, Amount);
    if (D.WithoutCarry && X.Lo >= 0 && Amount.Symbols == 0)
      markDigits(Result, X, Node, Base, UINT64_MAX);
    return store(Out, A->Width, Result);
  }
  unsigned Most = unsigned(std::min<Wide>(Amount.hi(), A->Width - 1));
  store(Out, A->Width,
        StridedBox::interval(X.Lo >> (X.Lo < 0 ? Least : Most),
                             X.hi() >> (X.hi() < 0 ? Most : Least)));
}

} // namespace

void __gridspan_range_UDiv(GridspanValue *Out, const GridspanValue *A,
                           const GridspanValue *B, uint32_t NodeA,
                           uint32_t) noexcept {
  divide(Out, A, B, Sign::Unsigned, Part::Quotient, NodeA);
}

void __gridspan_range_SDiv(GridspanValue *Out, const GridspanValue *A,
                           const GridspanValue *B, uint32_t NodeA,
                           uint32_t) noexcept {
  divide(Out, A, B, Sign::Signed, Part::Quotient, NodeA);
}

void __gridspan_range_URem(GridspanValue *Out, const GridspanValue *A,
                           const GridspanValue *B, uint32_t NodeA,
                           uint32_t) noexcept {
  divide(Out, A, B, Sign::Unsigned, Part::Remainder, NodeA);
}

void __gridspan_range_SRem(GridspanValue *Out, const GridspanValue *A,
                           const GridspanValue *B, uint32_t NodeA,
                           uint32_t) noexcept {
  divide(Out, A, B, Sign::Signed, Part::Remainder, NodeA);
}

void __gridspan_range_Shl(GridspanValue *Out, const GridspanValue *A,
                          const GridspanValue *B) noexcept {
  if (isNumber(*B) && B->Lo >= 0 && B->Lo < A->Width && B->Lo < 63 &&
      storeScaled(Out, *A, int64_t(1) << B->Lo))
    return;
  if (storeIfEmpty(Out, A, B))
    return;
  StridedBox Amount;
  if (!readAmount(*B, Amount))
    return storeTop(Out, A->Width);
  Wide Least = Wide(1) << unsigned(Amount.Lo);
  Wide Most = Wide(1) << unsigned(std::min<Wide>(Amount.hi(), A->Width - 1));
  StridedBox Factor = Amount.isConstant()
                          ? StridedBox::constant(Least)
                          : StridedBox::interval(Least, Most, Least);
  Factor.Exact &= Amount.Exact;
  Factor.dependOn(Amount);
  store(Out, A->Width, mulBoxes(load(*A), Factor));
}

void __gridspan_range_LShr(GridspanValue *Out, const GridspanValue *A,
                           const GridspanValue *B, uint32_t NodeA,
                           uint32_t) noexcept {
  shiftRight(Out, A, B, Sign::Unsigned, NodeA);
}

void __gridspan_range_AShr(GridspanValue *Out, const GridspanValue *A,
                           const GridspanValue *B, uint32_t NodeA,
                           uint32_t) noexcept {
  shiftRight(Out, A, B, Sign::Signed, NodeA);
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

namespace {

/// The largest 2^k, at most 2^63, that divides every element.
uint64_t alignmentOf(const StridedBox &X) {
  uint64_t Bits = uint64_t(X.Lo) | X.stride();
  return Bits == 0 ? uint64_t(1) << 63 : Bits & -Bits;
}

/// The smallest 2^k greater than Value, which is not negative.
Wide powerAbove(Wide Value) {
  Wide Power = 1;
  while (Power <= Value)
    Power <<= 1;
  return Power;
}

/// True if no bit is set both in an element of A and in one of B. Neither has
/// negative elements.
bool haveDisjointBits(const StridedBox &A, const StridedBox &B) {
  return B.hi() < Wide(alignmentOf(A)) || A.hi() < Wide(alignmentOf(B));
}

/// Op of two numbers, which is a number whatever their bits; false if one is a
/// set.
template <typename BitOp>
bool storeIfNumbers(GridspanValue *Out, const GridspanValue *A,
                    const GridspanValue *B, BitOp Op) {
  if (A->State != GridspanValueBox || B->State != GridspanValueBox ||
      A->NumDims != 0 || B->NumDims != 0)
    return false;
  store(Out, A->Width,
        resultOf(StridedBox::constant(Op(A->Lo, B->Lo)), load(*A), load(*B)));
  return true;
}

/// X & Mask for a constant mask whose set bits are one run, on any
/// representation of X; false for another mask.
bool andWithRun(const StridedBox &X, const StridedBox &Mask, unsigned Width,
                uint32_t Node, StridedBox &Result) {
  uint64_t Bits = uint64_t(Mask.Lo);
  if (!Mask.isConstant() || Bits == 0)
    return false;
  unsigned First = std::countr_zero(Bits);
  unsigned End = First + std::countr_one(Bits >> First);
  if (End < 64 && (Bits >> End) != 0)
    return false;
  uint64_t Base = uint64_t(1) << First;
  Division Upper = floorDivide(X, Base);
  Result = Upper.Quotient;
  Result.simplify();
  bool WithoutCarry = Upper.WithoutCarry;
  if (End < Width) {
    Division Lower = floorDivide(Result, uint64_t(1) << (End - First));
    WithoutCarry &= Lower.WithoutCarry;
    Result = Lower.Remainder;
    Result.simplify();
  }
  bool Exact = Result.Exact;
  Result = mulBoxes(Result, StridedBox::constant(Base));
  Result.Exact = Exact;
  Result = resultOf(Result, X, Mask);
  if (!WithoutCarry || X.Lo < 0 || Mask.Symbols != 0)
    return true;
  markDigits(Result, X, Node, Base,
             End < Width ? uint64_t(1) << End : UINT64_MAX);
  Result.Digits.Pure &= First == 0;
  return true;
}

/// Everything that agrees with an element of X above the bits of Power - 1.
StridedBox withAnyLowBits(const StridedBox &X, Wide Power) {
  return StridedBox::interval(X.Lo & -Power, X.hi() | (Power - 1));
}

} // namespace

void __gridspan_range_And(GridspanValue *Out, const GridspanValue *A,
                          const GridspanValue *B, uint32_t NodeA,
                          uint32_t NodeB) noexcept {
  if (storeIfEmpty(Out, A, B) ||
      storeIfNumbers(Out, A, B, std::bit_and<int64_t>()))
    return;
  StridedBox X = readHull(*A, Sign::Unsigned);
  StridedBox Y = readHull(*B, Sign::Unsigned);
  StridedBox Result;
  if (andWithRun(load(*A), Y, A->Width, NodeA, Result) ||
      andWithRun(load(*B), X, A->Width, NodeB, Result))
    return store(Out, A->Width, Result);
  store(Out, A->Width,
        StridedBox::interval(0, std::min(X.hi(), Y.hi()),
                             std::max(alignmentOf(X), alignmentOf(Y))));
}

void __gridspan_range_Or(GridspanValue *Out, const GridspanValue *A,
                         const GridspanValue *B) noexcept {
  if (storeIfEmpty(Out, A, B) ||
      storeIfNumbers(Out, A, B, std::bit_or<int64_t>()))
    return;
  StridedBox X = readHull(*A, Sign::Unsigned);
  StridedBox Y = readHull(*B, Sign::Unsigned);
  if (haveDisjointBits(X, Y))
    return store(Out, A->Width, addBoxes(X, Y));
  if (X.hi() < Y.hi())
    std::swap(X, Y);
  Wide Hi = X.hi() | (powerAbove(Y.hi()) - 1);
  store(Out, A->Width, StridedBox::interval(std::max(X.Lo, Y.Lo), Hi));
}

void __gridspan_range_Xor(GridspanValue *Out, const GridspanValue *A,
                          const GridspanValue *B) noexcept {
  if (storeIfEmpty(Out, A, B) ||
      storeIfNumbers(Out, A, B, std::bit_xor<int64_t>()))
    return;
  StridedBox X = readHull(*A, Sign::Unsigned);
  StridedBox Y = readHull(*B, Sign::Unsigned);
  if (haveDisjointBits(X, Y))
    return store(Out, A->Width, addBoxes(X, Y));
  // Against all ones: the complement, which keeps every shape.
  Wide Ones = limitsOf(A->Width, Sign::Unsigned).Max;
  if (Y.isConstant() && Y.Lo == Ones)
    return store(Out, A->Width, addBoxes(Y, negate(load(*A))));
  if (X.isConstant() && X.Lo == Ones)
    return store(Out, A->Width, addBoxes(X, negate(load(*B))));
  if (X.hi() < Y.hi())
    std::swap(X, Y);
  StridedBox Result = withAnyLowBits(X, powerAbove(Y.hi()));
  // A constant permutes the values of an aligned run.
  Result.Exact = Y.isConstant() && isDense(X) && X.Lo == Result.Lo &&
                 X.hi() == Result.hi();
  store(Out, A->Width, resultOf(Result, X, Y));
}

//===----------------------------------------------------------------------===//
// Width changes
//===----------------------------------------------------------------------===//

static void extend(GridspanValue *Out, const GridspanValue *A, uint32_t Width,
                   Sign S) {
  if (isEmpty(A))
    return storeEmpty(Out, Width);
  store(Out, Width, readHull(*A, S));
}

void __gridspan_range_ZExt(GridspanValue *Out, const GridspanValue *A,
                           uint32_t Width) noexcept {
  if (A->Lo < 0 || !storeResized(Out, *A, Width))
    extend(Out, A, Width, Sign::Unsigned);
}

void __gridspan_range_SExt(GridspanValue *Out, const GridspanValue *A,
                           uint32_t Width) noexcept {
  if (!storeResized(Out, *A, Width))
    extend(Out, A, Width, Sign::Signed);
}

void __gridspan_range_Trunc(GridspanValue *Out, const GridspanValue *A,
                            uint32_t Width) noexcept {
  if (storeResized(Out, *A, Width))
    return;
  if (isEmpty(A))
    return storeEmpty(Out, Width);
  StridedBox X = load(*A);
  if (!moveIntoRange(X, Width) && Width < 64)
    X = floorDivide(X, uint64_t(1) << Width).Remainder;
  store(Out, Width, X);
}
