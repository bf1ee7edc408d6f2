//===- StridedBox.cpp - Arithmetic of sets of integers --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Boxes are kept with their strides in order and neighbouring dimensions joined
// where one continues the other, so that equal sets mostly look alike. Sums
// and products are computed in 128 bits, since those of 64-bit strides and
// counts exceed 64.
//
//===----------------------------------------------------------------------===//

#include "runtime/ranges/StridedBox.h"
#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>

using namespace gridspan;

using UnsignedWide = unsigned __int128;

static Wide floorDiv(Wide A, Wide B) {
  // The quotient of 128-bit numbers is a library call; nearly all fit 64 bits.
  if (A >= 0 && A <= INT64_MAX && B <= INT64_MAX)
    return int64_t(A) / int64_t(B);
  Wide Quotient = A / B;
  return A % B < 0 ? Quotient - 1 : Quotient;
}

static Wide ceilDiv(Wide A, Wide B) { return -floorDiv(-A, B); }

StridedBox StridedBox::constant(Wide Value) {
  StridedBox Result;
  Result.Lo = Value;
  return Result;
}

StridedBox StridedBox::interval(Wide Lo, Wide Hi, uint64_t Stride) {
  StridedBox Result = constant(Lo);
  Result.Exact = false;
  Wide Last = Stride == 0 ? 0 : floorDiv(Hi - Lo, Stride);
  if (Last > Wide(UINT64_MAX))
    Result.Overflow = true;
  else
    Result.add(Stride, Last);
  return Result;
}

uint64_t StridedBox::stride() const {
  uint64_t Result = 0;
  for (unsigned I = 0; I != NumDims; ++I)
    Result = std::gcd(Result, Dims[I].Stride);
  return Result;
}

double StridedBox::size() const {
  double Result = 1;
  for (unsigned I = 0; I != NumDims; ++I)
    Result *= double(Dims[I].Last) + 1;
  return Result;
}

void StridedBox::add(uint64_t Stride, uint64_t Last) {
  if (Stride == 0 || Last == 0)
    return;
  // No value that fits a width spans more; keeps every span far from 2^127.
  if (UnsignedWide(Stride) * Last > UnsignedWide(1) << 65) {
    Overflow = true;
    return;
  }
  Dims[NumDims++] = {Stride, Last};
}

/// Makes dimension I+1 part of dimension I if the two are one progression: the
/// copies of the inner one meet or overlap in step.
static bool mergeWithNext(StridedBox &X, unsigned I) {
  GridspanDim &Inner = X.Dims[I];
  const GridspanDim &Outer = X.Dims[I + 1];
  // The cheap question first.
  if (Outer.Stride > (UnsignedWide(Inner.Last) + 1) * Inner.Stride ||
      Outer.Stride % Inner.Stride != 0)
    return false;
  uint64_t Ratio = Outer.Stride / Inner.Stride;
  Wide Last = Wide(Ratio) * Outer.Last + Inner.Last;
  if (Last > Wide(UINT64_MAX)) {
    X.Overflow = true;
    return false;
  }
  Inner.Last = Last;
  --X.NumDims;
  copyDims(X.Dims + I + 1, X.Dims + I + 2, X.NumDims - I - 1);
  return true;
}

/// Replaces two neighbouring dimensions by one progression that contains them;
/// the pair that adds the fewest elements.
static void dropOneDimension(StridedBox &X) {
  unsigned Best = 0;
  uint64_t BestStride = 0;
  Wide BestLast = 0;
  double BestGrowth = 0;
  for (unsigned I = 0; I + 1 != X.NumDims; ++I) {
    const GridspanDim &A = X.Dims[I], &B = X.Dims[I + 1];
    uint64_t Stride = std::gcd(A.Stride, B.Stride);
    Wide Last = (Wide(A.Stride) * A.Last + Wide(B.Stride) * B.Last) / Stride;
    double Growth =
        double(Last) / ((double(A.Last) + 1) * (double(B.Last) + 1));
    if (I == 0 || Growth < BestGrowth) {
      Best = I;
      BestStride = Stride;
      BestLast = Last;
      BestGrowth = Growth;
    }
  }
  X.Exact = false;
  if (BestLast > Wide(UINT64_MAX)) {
    X.Overflow = true;
    return;
  }
  X.Dims[Best] = {BestStride, uint64_t(BestLast)};
  --X.NumDims;
  copyDims(X.Dims + Best + 1, X.Dims + Best + 2, X.NumDims - Best - 1);
}

static void mergeDimensions(StridedBox &X) {
  for (unsigned I = X.NumDims; I-- > 1;) {
    // Merging may let the grown dimension swallow more of the outer ones.
    while (I < X.NumDims && mergeWithNext(X, I - 1))
      ;
  }
}

/// Sorts by insertion: there are few, and they mostly come in order.
static void sortByStride(GridspanDim *Dims, unsigned NumDims) {
  for (unsigned I = 1; I < NumDims; ++I) {
    GridspanDim Moving = Dims[I];
    unsigned At = I;
    for (; At != 0 && Dims[At - 1].Stride > Moving.Stride; --At)
      Dims[At] = Dims[At - 1];
    Dims[At] = Moving;
  }
}

void StridedBox::simplify(unsigned Limit) {
  if (NumDims < 2)
    return;
  sortByStride(Dims, NumDims);
  mergeDimensions(*this);
  while (NumDims > Limit && !Overflow) {
    dropOneDimension(*this);
    sortByStride(Dims, NumDims);
    mergeDimensions(*this);
  }
}

static bool overlap(const GridspanDigits &A, const GridspanDigits &B) {
  return A.Lo < B.Hi && B.Lo < A.Hi;
}

bool gridspan::areIndependent(const StridedBox &A, const StridedBox &B) {
  uint64_t Common = A.Symbols & B.Symbols;
  if (Common == 0)
    return true;
  return A.Digits.Origin != 0 && A.Digits.Origin == B.Digits.Origin &&
         (Common & ~A.Digits.Symbols) == 0 && !overlap(A.Digits, B.Digits);
}

/// Returns what can still be said of a value that depends on A and on B.
static GridspanDigits digitsOfBoth(const StridedBox &A, const StridedBox &B) {
  GridspanDigits Result = {0, 0, 0, 0, 0};
  if (A.Digits.Origin != 0 && A.Digits.Origin == B.Digits.Origin) {
    Result = A.Digits;
    Result.Lo = std::min(A.Digits.Lo, B.Digits.Lo);
    Result.Hi = std::max(A.Digits.Hi, B.Digits.Hi);
  } else if (A.Digits.Origin != 0 && (A.Digits.Symbols & B.Symbols) == 0) {
    Result = A.Digits;
  } else if (B.Digits.Origin != 0 && (B.Digits.Symbols & A.Symbols) == 0) {
    Result = B.Digits;
  }
  Result.Pure = false;
  return Result;
}

void StridedBox::dependOn(const StridedBox &Operand) {
  Digits = digitsOfBoth(*this, Operand);
  Symbols |= Operand.Symbols;
  Guarded |= Operand.Guarded;
}

void gridspan::markDigits(StridedBox &Result, const StridedBox &X,
                          uint32_t Node, uint64_t Lo, uint64_t Hi) {
  uint64_t Base = X.Digits.Pure ? X.Digits.Lo : 1;
  bool Fits =
      Lo <= UINT64_MAX / Base && (Hi == UINT64_MAX || Hi <= UINT64_MAX / Base);
  if (!Fits || (X.Digits.Origin != 0 && !X.Digits.Pure))
    return;
  if (!X.Digits.Pure)
    Result.Digits = {X.Symbols, Lo, Hi, Node + 1, true};
  else
    Result.Digits = {X.Digits.Symbols, Lo * Base,
                     Hi == UINT64_MAX ? X.Digits.Hi : Hi * Base,
                     X.Digits.Origin, true};
}

static StridedBox withSymbolsOf(const StridedBox &A, const StridedBox &B) {
  StridedBox Result;
  Result.dependOn(A);
  Result.dependOn(B);
  Result.Overflow = A.Overflow || B.Overflow;
  Result.Exact = A.Exact && B.Exact && areIndependent(A, B);
  return Result;
}

StridedBox gridspan::addBoxes(const StridedBox &A, const StridedBox &B) {
  StridedBox Result = withSymbolsOf(A, B);
  Result.Lo = A.Lo + B.Lo;
  for (unsigned I = 0; I != A.NumDims; ++I)
    Result.add(A.Dims[I].Stride, A.Dims[I].Last);
  for (unsigned I = 0; I != B.NumDims; ++I)
    Result.add(B.Dims[I].Stride, B.Dims[I].Last);
  return Result;
}

StridedBox gridspan::negate(const StridedBox &A) {
  StridedBox Result = A;
  Result.Lo = -A.hi();
  Result.Digits.Pure = false;
  return Result;
}

/// A * Factor for any box and |Factor| < 2^64.
static StridedBox scale(const StridedBox &A, Wide Factor) {
  uint64_t Size = Factor < 0 ? -Factor : Factor;
  StridedBox Result = A;
  Result.Digits.Pure = false;
  Result.NumDims = 0;
  if (Size == 0) {
    Result.Lo = 0;
    return Result;
  }
  for (unsigned I = 0; I != A.NumDims; ++I) {
    Wide Stride = Wide(A.Dims[I].Stride) * Size;
    if (Stride > Wide(UINT64_MAX)) {
      Result.Overflow = true;
      return Result;
    }
    Result.add(Stride, A.Dims[I].Last);
  }
  Result.Lo = A.Lo * Size;
  return Factor < 0 ? negate(Result) : Result;
}

/// Bits that hold the magnitude of every element.
static unsigned bitsOf(const StridedBox &X) {
  Wide Lo = X.Lo, Hi = X.hi();
  UnsignedWide Bits = (Lo < 0 ? ~Lo : Lo) | (Hi < 0 ? ~Hi : Hi);
  uint64_t High = uint64_t(Bits >> 64);
  return 1 +
         (High ? 64 + std::bit_width(High) : std::bit_width(uint64_t(Bits)));
}

StridedBox gridspan::mulBoxes(const StridedBox &A, const StridedBox &B) {
  StridedBox Result = withSymbolsOf(A, B);
  if (bitsOf(A) + bitsOf(B) > 126) {
    Result.Overflow = true;
    return Result;
  }
  if (A.isConstant() || B.isConstant()) {
    StridedBox Scaled = A.isConstant() ? scale(B, A.Lo) : scale(A, B.Lo);
    Scaled.dependOn(Result);
    Scaled.Exact = Result.Exact;
    return Scaled;
  }
  // With A = a + s*x and B = b + t*y, A*B = ab + at*y + bs*x + st*xy.
  Wide Corners[] = {A.Lo * B.Lo, A.Lo * B.hi(), A.hi() * B.Lo, A.hi() * B.hi()};
  auto [Lo, Hi] = std::minmax_element(std::begin(Corners), std::end(Corners));
  uint64_t S = A.stride(), T = B.stride();
  auto Gcd = [](Wide X, Wide Y) {
    X = X < 0 ? -X : X;
    Y = Y < 0 ? -Y : Y;
    while (Y != 0) {
      Wide Rest = X % Y;
      X = Y;
      Y = Rest;
    }
    return X;
  };
  Wide Stride = Gcd(Gcd(A.Lo * T, B.Lo * S), Wide(S) * T);
  StridedBox Product = StridedBox::interval(
      *Lo, *Hi, Stride > Wide(UINT64_MAX) ? 1 : uint64_t(Stride));
  Product.Overflow |= Result.Overflow;
  return Product;
}

/// Largest distance between neighbours in the box.
static Wide largestGap(const StridedBox &X) {
  Wide Gap = 0, Covered = 0;
  for (unsigned I = 0; I != X.NumDims; ++I) {
    Gap = std::max(Gap, Wide(X.Dims[I].Stride) - Covered);
    Covered += Wide(X.Dims[I].Stride) * X.Dims[I].Last;
  }
  return Gap;
}

/// The digits of X above and below the divisor, if no sum of lower digits ever
/// carries into the higher ones.
static bool divideWithoutCarry(const StridedBox &X, uint64_t Divisor,
                               Division &Result) {
  StridedBox &Q = Result.Quotient, &R = Result.Remainder;
  for (unsigned I = 0; I != X.NumDims; ++I) {
    auto [Stride, Last] = X.Dims[I];
    if (Stride % Divisor == 0) {
      Q.add(Stride / Divisor, Last);
      continue;
    }
    uint64_t Period = Divisor % Stride == 0 ? Divisor / Stride : 0;
    if (Period != 0 && Last >= Period && Last != UINT64_MAX &&
        (Last + 1) % Period == 0) {
      R.add(Stride, Period - 1);
      Q.add(1, (Last + 1) / Period - 1);
      continue;
    }
    R.add(Stride, Last);
  }
  return R.hi() < Wide(Divisor);
}

/// Remainders of numbers that pass one multiple of the divisor, and are fewer
/// than half of it: an end and a beginning, as in `(i + 1) % n`. One box for
/// both takes them as equally long, which is far less than all remainders.
static bool wrapOnce(const StridedBox &Low, uint64_t Divisor,
                     StridedBox &Remainder) {
  uint64_t Stride = Low.stride();
  if (Low.hi() >= Wide(Divisor) * 2 || Divisor % Stride != 0)
    return false;
  // In steps of the stride.
  Wide Offset = Low.Lo % Stride, End = Divisor / Stride;
  Wide Before = End - (Low.Lo - Offset) / Stride;
  Wide Behind = (Low.hi() - Offset) / Stride + 1 - End;
  Wide Longer = std::max(Before, Behind);
  if (Longer * 2 >= End)
    return false;
  Remainder.Lo = Offset;
  Remainder.Exact = false;
  Remainder.add(Stride, uint64_t(Longer - 1));
  Remainder.add(uint64_t((End - Longer) * Stride), 1);
  return true;
}

Division gridspan::floorDivide(const StridedBox &X, uint64_t Divisor) {
  Division Start;
  Start.Quotient.dependOn(X);
  Start.Remainder.dependOn(X);
  Start.Quotient.Overflow = Start.Remainder.Overflow = X.Overflow;
  Start.Quotient.Exact = Start.Remainder.Exact = X.Exact;
  Start.Quotient.Lo = floorDiv(X.Lo, Divisor);
  Start.Remainder.Lo = X.Lo - Start.Quotient.Lo * Divisor;

  Division Result = Start;
  if (divideWithoutCarry(X, Divisor, Result)) {
    Result.WithoutCarry = true;
    return Result;
  }

  // Lower digits carry. Take them as one number: its quotients are all of an
  // interval when no gap jumps over a multiple; its remainders are all of a
  // residue class when some dimension runs through the whole class.
  Result = Start;
  StridedBox Low = StridedBox::constant(Start.Remainder.Lo);
  for (unsigned I = 0; I != X.NumDims; ++I) {
    if (X.Dims[I].Stride % Divisor == 0)
      Result.Quotient.add(X.Dims[I].Stride / Divisor, X.Dims[I].Last);
    else
      Low.add(X.Dims[I].Stride, X.Dims[I].Last);
  }
  Result.Quotient.Exact = X.Exact && largestGap(Low) <= Wide(Divisor);
  Result.Quotient.add(1, floorDiv(Low.hi(), Divisor));

  if (wrapOnce(Low, Divisor, Result.Remainder))
    return Result;
  uint64_t Class = std::gcd(Low.stride(), Divisor);
  bool Complete = false;
  for (unsigned I = 0; I != Low.NumDims; ++I) {
    uint64_t Own = std::gcd(Low.Dims[I].Stride, Divisor);
    Complete |= Own == Class && Low.Dims[I].Last >= Divisor / Own - 1;
  }
  Result.Remainder.Lo = Start.Remainder.Lo % Class;
  Result.Remainder.add(Class, Divisor / Class - 1);
  Result.Remainder.Exact = X.Exact && Complete;
  return Result;
}

/// True if X goes across zero but the interval does not. What lies below zero
/// is large to the unsigned, so that the sign is worth more than the shape.
static bool losesSign(const StridedBox &X, Wide Min, Wide Max) {
  return (X.Lo < 0 && Min >= 0) || (X.hi() > 0 && Max <= 0);
}

bool gridspan::clip(StridedBox &X, Wide Min, Wide Max) {
  // From the outermost dimension: keep the copies of the inner part that meet
  // the interval; go on inside when only one is left.
  for (unsigned I = X.NumDims; I-- > 0;) {
    Wide Hi = X.hi();
    if (X.Lo >= Min && Hi <= Max)
      return true;
    Wide Stride = X.Dims[I].Stride;
    Wide Inner = Hi - X.Lo - Stride * X.Dims[I].Last;
    Wide First = 0, Final = X.Dims[I].Last;
    if (X.Lo + Inner < Min)
      First = ceilDiv(Min - X.Lo - Inner, Stride);
    if (X.Lo + Stride * Final > Max)
      Final = X.Lo > Max ? -1 : floorDiv(Max - X.Lo, Stride);
    if (First > Final)
      return false;
    X.Lo += Stride * First;
    if (First != Final) {
      X.Dims[I].Last = Final - First;
      X.Exact &= X.Lo >= Min && X.hi() <= Max;
      if (losesSign(X, Min, Max)) {
        StridedBox ByteInterval =
            StridedBox::interval(std::max(X.Lo, Min), std::min(X.hi(), Max));
        ByteInterval.dependOn(X);
        X = ByteInterval;
      }
      return true;
    }
    X.NumDims = I;
  }
  return X.Lo >= Min && X.Lo <= Max;
}

/// Nearest multiple of Stride to Distance.
static Wide nearestFactor(Wide Distance, uint64_t Stride) {
  return floorDiv(Distance + Stride / 2, Stride);
}

/// The box over the strides of both that contains both, if B's start is reached
/// from A's by whole strides.
static bool uniteByDimensions(const StridedBox &A, const StridedBox &B,
                              StridedBox &Result) {
  StridedBox Shape = A;
  for (unsigned I = 0; I != B.NumDims; ++I)
    Shape.Dims[Shape.NumDims++] = {B.Dims[I].Stride, 0};
  sortByStride(Shape.Dims, Shape.NumDims);
  auto LastOf = [](const StridedBox &X, uint64_t Stride) -> uint64_t {
    for (unsigned I = 0; I != X.NumDims; ++I)
      if (X.Dims[I].Stride == Stride)
        return X.Dims[I].Last;
    return 0;
  };
  Wide Distance = B.Lo - A.Lo;
  Result.Lo = A.Lo;
  for (unsigned I = Shape.NumDims; I-- > 0;) {
    uint64_t Stride = Shape.Dims[I].Stride;
    if (I + 1 != Shape.NumDims && Stride == Shape.Dims[I + 1].Stride)
      continue;
    Wide Shift = nearestFactor(Distance, Stride);
    Distance -= Shift * Stride;
    Wide First = std::min(Wide(0), Shift);
    Wide Final = std::max(Wide(LastOf(A, Stride)), Shift + LastOf(B, Stride));
    if (Final - First > Wide(UINT64_MAX))
      return false;
    Result.Lo += First * Stride;
    Result.add(Stride, Final - First);
  }
  return Distance == 0 && !Result.Overflow;
}

StridedBox gridspan::unite(const StridedBox &A, const StridedBox &B) {
  if (A.isConstant() && B.isConstant() && A.Lo == B.Lo) {
    StridedBox Same = A;
    Same.dependOn(B);
    Same.Exact &= B.Exact;
    return Same;
  }
  Wide Lo = std::min(A.Lo, B.Lo), Hi = std::max(A.hi(), B.hi());
  uint64_t Stride = std::gcd(A.stride(), B.stride());
  Wide Distance = A.Lo < B.Lo ? B.Lo - A.Lo : A.Lo - B.Lo;
  if (Distance > Wide(UINT64_MAX))
    Stride = 1;
  else
    Stride = std::gcd(Stride, uint64_t(Distance));
  StridedBox ByteInterval = StridedBox::interval(Lo, Hi, Stride);
  StridedBox Shaped;
  bool UseShaped = A.NumDims <= GridspanMaxDims &&
                   B.NumDims <= GridspanMaxDims &&
                   uniteByDimensions(A, B, Shaped);
  StridedBox Result = UseShaped && (ByteInterval.Overflow ||
                                    Shaped.size() < ByteInterval.size())
                          ? Shaped
                          : ByteInterval;
  Result.Overflow |= A.Overflow || B.Overflow;
  Result.Exact = false;
  Result.simplify();
  return Result;
}
