//===- RangeOpsTest.cpp - Every operation against brute force -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On small widths every set of a family is run through every operation and
// compared with what the elements really give: a result must contain it all,
// and nothing else when it says that it is exact.
//
//===----------------------------------------------------------------------===//

#include "gridspan/RangeOps.h"
#include <bit>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

namespace {

/// A set of bit patterns of at most 6 bits.
using Patterns = uint64_t;

uint64_t maskOf(unsigned Width) { return (uint64_t(1) << Width) - 1; }

int64_t asSigned(uint64_t Bits, unsigned Width) {
  return int64_t(Bits << (64 - Width)) >> (64 - Width);
}

Patterns allPatterns(unsigned Width) {
  return Width == 6 ? ~uint64_t(0) : (uint64_t(1) << (1u << Width)) - 1;
}

void addPatterns(const GridspanValue &V, unsigned Dim, int64_t At,
                 Patterns &Result) {
  if (Dim == V.NumDims) {
    Result |= uint64_t(1) << (uint64_t(At) & maskOf(V.Width));
    return;
  }
  for (uint64_t K = 0; K <= V.Dims[Dim].Last; ++K)
    addPatterns(V, Dim + 1, At + int64_t(K * V.Dims[Dim].Stride), Result);
}

Patterns patternsOf(const GridspanValue &V) {
  if (V.State == GridspanValueEmpty)
    return 0;
  if (V.State == GridspanValueTop)
    return allPatterns(V.Width);
  Patterns Result = 0;
  addPatterns(V, 0, V.Lo, Result);
  return Result;
}

std::vector<Patterns> patternsOf(const std::vector<GridspanValue> &Sets) {
  std::vector<Patterns> Out;
  for (const GridspanValue &V : Sets)
    Out.push_back(patternsOf(V));
  return Out;
}

template <typename Function> void forEach(Patterns Set, Function Visit) {
  for (; Set != 0; Set &= Set - 1)
    Visit(uint64_t(std::countr_zero(Set)));
}

GridspanValue constant(unsigned Width, int64_t Value) {
  GridspanValue V;
  __gridspan_range_Const(&V, Width, Value);
  return V;
}

GridspanValue box(unsigned Width, int64_t Lo,
                  std::initializer_list<GridspanDim> Dims, uint64_t Symbols) {
  GridspanValue V = constant(Width, 0);
  V.Lo = Lo;
  for (GridspanDim D : Dims)
    V.Dims[V.NumDims++] = D;
  V.Symbols = Symbols;
  return V;
}

int64_t hiOf(const GridspanValue &V) {
  int64_t Hi = V.Lo;
  for (unsigned I = 0; I != V.NumDims; ++I)
    Hi += int64_t(V.Dims[I].Stride * V.Dims[I].Last);
  return Hi;
}

bool isStorable(const GridspanValue &V) {
  int64_t Half = int64_t(1) << (V.Width - 1);
  // One number is in the signed range.
  return (V.Lo >= -Half && hiOf(V) < Half) ||
         (V.NumDims != 0 && V.Lo >= 0 && hiOf(V) < 2 * Half);
}

/// Boxes with up to two dimensions, Top and an inexact one.
std::vector<GridspanValue> family(unsigned Width, unsigned LoStep) {
  std::vector<GridspanValue> Result;
  int64_t Half = int64_t(1) << (Width - 1);
  auto Add = [&](GridspanValue V) {
    if (isStorable(V))
      Result.push_back(V);
  };
  for (int64_t Lo = -Half; Lo < 2 * Half; Lo += LoStep) {
    Add(box(Width, Lo, {}, 0));
    for (uint64_t Stride : {1, 2, 3, 4, 7})
      for (uint64_t Last : {1, 2, 3, 7, 11, 15, 31}) {
        Add(box(Width, Lo, {{Stride, Last}}, 1));
        for (uint64_t Outer : {4, 5, 6, 8})
          if (Outer > Stride * (Last + 1))
            for (uint64_t OuterLast : {1, 3, 5})
              Add(box(Width, Lo, {{Stride, Last}, {Outer, OuterLast}}, 1));
      }
  }
  GridspanValue Top;
  __gridspan_range_Unknown(&Top, Width);
  Result.push_back(Top);
  GridspanValue Some;
  __gridspan_range_Bounded(&Some, Width, -3, 2);
  Result.push_back(Some);
  return Result;
}

std::string text(const GridspanValue &V) {
  if (V.State != GridspanValueBox)
    return V.State == GridspanValueTop ? "top" : "empty";
  std::string Result = std::to_string(V.Lo);
  for (unsigned I = 0; I != V.NumDims; ++I)
    Result += " + " + std::to_string(V.Dims[I].Stride) + "*[0.." +
              std::to_string(V.Dims[I].Last) + "]";
  return Result + (V.Exact ? " exact" : "") + " i" + std::to_string(V.Width);
}

/// True, or a description of what is wrong with Result for the true set Truth.
testing::AssertionResult isRight(const GridspanValue &Result, Patterns Truth,
                                 bool MayBeExact) {
  Patterns Found = patternsOf(Result);
  if ((Truth & ~Found) != 0)
    return testing::AssertionFailure() << text(Result) << " misses values";
  if (!Result.Exact)
    return testing::AssertionSuccess();
  if (!MayBeExact)
    return testing::AssertionFailure()
           << text(Result) << " of inexact operands";
  if (Found != Truth)
    return testing::AssertionFailure() << text(Result) << " is not exact";
  return testing::AssertionSuccess();
}

using Truth =
    std::function<std::optional<uint64_t>(uint64_t, uint64_t, unsigned Width)>;
using Operation = void (*)(GridspanValue *, const GridspanValue *,
                           const GridspanValue *);

struct BinaryCase {
  const char *Name;
  Operation Run;
  Truth Eval;
};

std::optional<uint64_t> divide(uint64_t A, uint64_t B, unsigned W, bool Signed,
                               bool Rem) {
  if (B == 0)
    return std::nullopt;
  if (!Signed)
    return Rem ? A % B : A / B;
  int64_t X = asSigned(A, W), Y = asSigned(B, W);
  if (Y == -1 && X == -(int64_t(1) << (W - 1)))
    return std::nullopt;
  return uint64_t(Rem ? X % Y : X / Y);
}

/// A division of unrelated operands.
template <auto Divide>
void divideApart(GridspanValue *Out, const GridspanValue *A,
                 const GridspanValue *B) {
  Divide(Out, A, B, 0, 1);
}

const BinaryCase BinaryCases[] = {
    {"Add", __gridspan_range_Add,
     [](uint64_t A, uint64_t B, unsigned) { return A + B; }},
    {"Sub", __gridspan_range_Sub,
     [](uint64_t A, uint64_t B, unsigned) { return A - B; }},
    {"Mul", __gridspan_range_Mul,
     [](uint64_t A, uint64_t B, unsigned) { return A * B; }},
    {"UDiv", divideApart<__gridspan_range_UDiv>,
     [](uint64_t A, uint64_t B, unsigned W) {
       return divide(A, B, W, false, false);
     }},
    {"SDiv", divideApart<__gridspan_range_SDiv>,
     [](uint64_t A, uint64_t B, unsigned W) {
       return divide(A, B, W, true, false);
     }},
    {"URem", divideApart<__gridspan_range_URem>,
     [](uint64_t A, uint64_t B, unsigned W) {
       return divide(A, B, W, false, true);
     }},
    {"SRem", divideApart<__gridspan_range_SRem>,
     [](uint64_t A, uint64_t B, unsigned W) {
       return divide(A, B, W, true, true);
     }},
    {"Shl", __gridspan_range_Shl,
     [](uint64_t A, uint64_t B, unsigned W) -> std::optional<uint64_t> {
       if (B >= W)
         return std::nullopt;
       return A << B;
     }},
    {"LShr", divideApart<__gridspan_range_LShr>,
     [](uint64_t A, uint64_t B, unsigned W) -> std::optional<uint64_t> {
       if (B >= W)
         return std::nullopt;
       return A >> B;
     }},
    {"AShr", divideApart<__gridspan_range_AShr>,
     [](uint64_t A, uint64_t B, unsigned W) -> std::optional<uint64_t> {
       if (B >= W)
         return std::nullopt;
       return uint64_t(asSigned(A, W) >> B);
     }},
    {"And", divideApart<__gridspan_range_And>,
     [](uint64_t A, uint64_t B, unsigned) { return A & B; }},
    {"Or", __gridspan_range_Or,
     [](uint64_t A, uint64_t B, unsigned) { return A | B; }},
    {"Xor", __gridspan_range_Xor,
     [](uint64_t A, uint64_t B, unsigned) { return A ^ B; }},
    {"UMin", __gridspan_range_UMin,
     [](uint64_t A, uint64_t B, unsigned) { return std::min(A, B); }},
    {"UMax", __gridspan_range_UMax,
     [](uint64_t A, uint64_t B, unsigned) { return std::max(A, B); }},
    {"SMin", __gridspan_range_SMin,
     [](uint64_t A, uint64_t B, unsigned W) {
       return asSigned(A, W) < asSigned(B, W) ? A : B;
     }},
    {"SMax", __gridspan_range_SMax,
     [](uint64_t A, uint64_t B, unsigned W) {
       return asSigned(A, W) > asSigned(B, W) ? A : B;
     }},
};

class BinaryOps : public testing::TestWithParam<BinaryCase> {};

/// What a case gives for all numbers of a width: the set of the one result, or
/// nothing where it is undefined.
std::vector<std::vector<Patterns>> resultsOf(const BinaryCase &Case,
                                             unsigned Width) {
  const uint64_t Numbers = maskOf(Width) + 1;
  std::vector<std::vector<Patterns>> Out(Numbers,
                                         std::vector<Patterns>(Numbers));
  for (uint64_t X = 0; X != Numbers; ++X)
    for (uint64_t Y = 0; Y != Numbers; ++Y)
      if (std::optional<uint64_t> Z = Case.Eval(X, Y, Width))
        Out[X][Y] = uint64_t(1) << (*Z & maskOf(Width));
  return Out;
}

/// Results is what the case gives for numbers of the width.
void checkPair(const BinaryCase &Case,
               const std::vector<std::vector<Patterns>> &Results,
               const GridspanValue &A, Patterns InA, const GridspanValue &B,
               Patterns InB) {
  Patterns Expected = 0;
  bool IsDefined = true;
  forEach(InA, [&](uint64_t X) {
    const Patterns *Row = Results[X].data();
    forEach(InB, [&](uint64_t Y) {
      Expected |= Row[Y];
      IsDefined &= Row[Y] != 0;
    });
  });
  GridspanValue Result;
  Case.Run(&Result, &A, &B);
  // An operation that would be undefined is one that does not happen.
  Result.Exact &= IsDefined;
  ASSERT_EQ(Result.Width, A.Width);
  ASSERT_TRUE(isRight(Result, Expected, A.Exact && B.Exact))
      << Case.Name << " of " << text(A) << " and " << text(B);
}

TEST_P(BinaryOps, ContainsAllAndExactlyWhenClaimed) {
  for (unsigned Width : {4u, 5u}) {
    std::vector<GridspanValue> Sets = family(Width, Width == 4 ? 1 : 5);
    const std::vector<Patterns> Elements = patternsOf(Sets);
    const auto Results = resultsOf(GetParam(), Width);
    for (size_t I = 0; I != Sets.size(); ++I)
      for (size_t J = 0; J != Sets.size(); ++J) {
        GridspanValue B = Sets[J];
        B.Symbols <<= 1;
        checkPair(GetParam(), Results, Sets[I], Elements[I], B, Elements[J]);
        if (HasFatalFailure())
          return;
      }
  }
}

TEST_P(BinaryOps, IsNotExactOnCorrelatedOperands) {
  for (const GridspanValue &A : family(5, 1)) {
    Patterns Expected = 0;
    forEach(patternsOf(A), [&](uint64_t X) {
      if (std::optional<uint64_t> Z = GetParam().Eval(X, X, A.Width))
        Expected |= uint64_t(1) << (*Z & maskOf(A.Width));
    });
    GridspanValue Result;
    GetParam().Run(&Result, &A, &A);
    ASSERT_TRUE(isRight(Result, Expected, A.Exact)) << text(A);
  }
}

TEST_P(BinaryOps, GivesANumberForNumbers) {
  constexpr unsigned Width = 5;
  for (int64_t A = 0; A != 1 << Width; ++A)
    for (int64_t B = 0; B != 1 << Width; ++B) {
      auto Truth = GetParam().Eval(uint64_t(A), uint64_t(B), Width);
      if (!Truth)
        continue;
      GridspanValue X = constant(Width, asSigned(uint64_t(A), Width)),
                    Y = constant(Width, asSigned(uint64_t(B), Width)), Result;
      GetParam().Run(&Result, &X, &Y);
      ASSERT_EQ(Result.State, GridspanValueBox) << A << ' ' << B;
      ASSERT_EQ(Result.NumDims, 0) << A << ' ' << B;
      ASSERT_TRUE(Result.Exact) << A << ' ' << B;
      ASSERT_EQ(Result.Lo, asSigned(*Truth & maskOf(Width), Width))
          << A << ' ' << B;
    }
}

TEST_P(BinaryOps, GivesNothingForNothing) {
  GridspanValue Some = constant(8, 3), Nothing = Some, Result;
  Nothing.State = GridspanValueEmpty;
  GetParam().Run(&Result, &Nothing, &Some);
  EXPECT_EQ(Result.State, GridspanValueEmpty);
  GetParam().Run(&Result, &Some, &Nothing);
  EXPECT_EQ(Result.State, GridspanValueEmpty);
}

INSTANTIATE_TEST_SUITE_P(All, BinaryOps, testing::ValuesIn(BinaryCases),
                         [](const auto &Info) { return Info.param.Name; });

TEST(RangeOps, Casts) {
  for (unsigned Width : {4u, 5u, 6u})
    for (const GridspanValue &A : family(Width, 1))
      for (unsigned To : {3u, 4u, 5u, 6u}) {
        Patterns Zero = 0, Sign = 0;
        forEach(patternsOf(A), [&](uint64_t X) {
          Zero |= uint64_t(1) << (X & maskOf(To));
          Sign |= uint64_t(1) << (uint64_t(asSigned(X, Width)) & maskOf(To));
        });
        GridspanValue Result;
        if (To <= Width) {
          __gridspan_range_Trunc(&Result, &A, To);
          ASSERT_TRUE(isRight(Result, Zero, A.Exact)) << "trunc " << text(A);
          continue;
        }
        __gridspan_range_ZExt(&Result, &A, To);
        ASSERT_TRUE(isRight(Result, Zero, A.Exact)) << "zext " << text(A);
        __gridspan_range_SExt(&Result, &A, To);
        ASSERT_TRUE(isRight(Result, Sign, A.Exact)) << "sext " << text(A);
      }
}

bool holds(uint64_t A, uint64_t B, unsigned Width, uint32_t Pred) {
  int64_t X = asSigned(A, Width), Y = asSigned(B, Width);
  switch (Pred) {
  case GridspanEQ:
    return A == B;
  case GridspanNE:
    return A != B;
  case GridspanUGT:
    return A > B;
  case GridspanUGE:
    return A >= B;
  case GridspanULT:
    return A < B;
  case GridspanULE:
    return A <= B;
  case GridspanSGT:
    return X > Y;
  case GridspanSGE:
    return X >= Y;
  case GridspanSLT:
    return X < Y;
  default:
    return X <= Y;
  }
}

class Predicates : public testing::TestWithParam<uint32_t> {};

TEST_P(Predicates, CompareAndAssume) {
  uint32_t Pred = GetParam();
  const std::vector<GridspanValue> Sets = family(4, 1);
  const std::vector<Patterns> Elements = patternsOf(Sets);
  for (size_t I = 0; I != Sets.size(); ++I)
    for (size_t J = 0; J != Sets.size(); ++J) {
      const GridspanValue &A = Sets[I];
      GridspanValue B = Sets[J];
      B.Symbols <<= 1;
      Patterns Answers = 0, Kept = 0;
      forEach(Elements[I], [&](uint64_t X) {
        forEach(Elements[J], [&](uint64_t Y) {
          bool Holds = holds(X, Y, 4, Pred);
          Answers |= uint64_t(1) << Holds;
          if (Holds)
            Kept |= uint64_t(1) << X;
        });
      });
      GridspanValue Result;
      __gridspan_range_ICmp(&Result, &A, &B, Pred);
      ASSERT_EQ(Result.Width, 1);
      ASSERT_TRUE(isRight(Result, Answers, A.Exact && B.Exact))
          << "icmp " << Pred << " " << text(A) << " and " << text(B);
      __gridspan_range_Assume(&Result, &A, &B, Pred);
      ASSERT_TRUE(isRight(Result, Kept, A.Exact && B.Exact))
          << "assume " << text(A) << " " << Pred << " " << text(B);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Predicates,
                         testing::Range(uint32_t(GridspanEQ),
                                        uint32_t(GridspanSLE) + 1));

namespace {
/// Knows that integers at bytes [16, 400) of an array are in [-3, 40], and
/// those at bytes [400, 800) in [-1, 0] or [1000, 1009].
struct KnownIndices : GridspanIndices {
  KnownIndices() : GridspanIndices{answer} {}
  static uint32_t answer(const GridspanIndices *Self, const void *Pointer,
                         int64_t Lo, int64_t Last, uint32_t Bytes, int64_t *Min,
                         int64_t *Max) {
    auto *Known = static_cast<const KnownIndices *>(Self);
    EXPECT_EQ(Bytes, 4u);
    if (Pointer != Known->Array || Lo < 16 || Last + 4 > 800)
      return 0;
    const bool One = Last < 400;
    Min[0] = One ? -3 : -1;
    Max[0] = One ? 40 : 0;
    Min[1] = One ? -3 : 1000;
    Max[1] = One ? 40 : 1009;
    return 1;
  }
  const void *Array = reinterpret_cast<const void *>(0x10000);
};
} // namespace

TEST(RangeOps, LoadsAreAskedOfTheLaunch) {
  KnownIndices Known;
  struct {
    int64_t Other;
    const void *Pointer;
  } Parameter = {0, Known.Array};
  void *Args[] = {nullptr, &Parameter};
  GridspanBox Box = {Args, {1, 1, 1}, {32, 1, 1}, {0, 0, 0}, {1, 1, 1}};
  auto Load = [&](GridspanValue At) {
    GridspanValue V;
    __gridspan_range_Load(&V, 32, &Box, 1, 8, &At);
    return V;
  };
  const GridspanValue Inside = box(64, 16, {{4, 31}}, 1);
  EXPECT_EQ(Load(Inside).State, GridspanValueTop);
  Box.Indices = &Known;
  GridspanValue V = Load(Inside);
  EXPECT_EQ(V.State, GridspanValueBox);
  EXPECT_EQ(V.Width, 32);
  EXPECT_FALSE(V.Exact);
  EXPECT_EQ(V.Lo, -3);
  EXPECT_EQ(hiOf(V), 40);
  EXPECT_EQ(Load(constant(64, 396)).State, GridspanValueBox);
  V = Load(constant(64, 400));
  EXPECT_EQ(V.Lo, -1);
  ASSERT_EQ(V.NumDims, 2);
  EXPECT_EQ(V.Dims[0].Stride, 1u);
  EXPECT_EQ(V.Dims[0].Last, 9u);
  EXPECT_EQ(V.Dims[1].Stride, 1001u);
  EXPECT_EQ(V.Dims[1].Last, 1u);
  // Beyond what is known, between two integers, anywhere, and nowhere.
  EXPECT_EQ(Load(constant(64, 800)).State, GridspanValueTop);
  EXPECT_EQ(Load(constant(64, 18)).State, GridspanValueTop);
  EXPECT_EQ(Load(box(64, 16, {{6, 3}}, 1)).State, GridspanValueTop);
  GridspanValue Top;
  __gridspan_range_Unknown(&Top, 64);
  EXPECT_EQ(Load(Top).State, GridspanValueTop);
  GridspanValue Nothing = constant(64, 16);
  Nothing.State = GridspanValueEmpty;
  EXPECT_EQ(Load(Nothing).State, GridspanValueEmpty);
}

TEST(RangeOps, MergeAndSelect) {
  std::vector<GridspanValue> Sets = family(5, 2);
  GridspanValue Undecided;
  __gridspan_range_Bounded(&Undecided, 1, 0, 1);
  GridspanValue True = constant(1, -1), False = constant(1, 0);
  const std::vector<Patterns> Elements = patternsOf(Sets);
  for (size_t I = 0; I != Sets.size(); ++I)
    for (size_t J = 0; J != Sets.size(); ++J) {
      const GridspanValue &A = Sets[I], &B = Sets[J];
      const Patterns Either = Elements[I] | Elements[J];
      bool Exact = A.Exact && B.Exact;
      GridspanValue Result;
      __gridspan_range_Merge(&Result, &A, &B);
      ASSERT_TRUE(isRight(Result, Either, Exact))
          << "merge " << text(A) << " and " << text(B);
      __gridspan_range_Select(&Result, &Undecided, &A, &B);
      ASSERT_TRUE(isRight(Result, Either, Exact));
      __gridspan_range_Select(&Result, &True, &A, &B);
      ASSERT_TRUE(isRight(Result, Elements[I], A.Exact));
      __gridspan_range_Select(&Result, &False, &A, &B);
      ASSERT_TRUE(isRight(Result, Elements[J], B.Exact));
    }
}

TEST(RangeOps, UnionWithNothingIsTheOther) {
  GridspanValue Some = constant(8, 3), Nothing = Some, Result;
  Nothing.State = GridspanValueEmpty;
  __gridspan_range_Merge(&Result, &Nothing, &Some);
  EXPECT_EQ(Result.Lo, 3);
  EXPECT_FALSE(Result.Exact);
}

/// Adds the values of one thread's recurrence up to where it would wrap against
/// its flags; false if it gets there, which the flags say that it does not.
bool addIterations(uint64_t Start, uint64_t Step, uint64_t Times,
                   unsigned Width, uint32_t Flags, Patterns &Result) {
  uint64_t At = Start;
  for (uint64_t K = 0;; ++K) {
    Result |= uint64_t(1) << At;
    if (K == Times)
      return true;
    uint64_t Next = (At + Step) & maskOf(Width);
    if ((Flags & GridspanIterNUW) && At + Step > maskOf(Width))
      return false;
    if ((Flags & GridspanIterNSW) &&
        asSigned(At, Width) + asSigned(Step, Width) != asSigned(Next, Width))
      return false;
    At = Next;
  }
}

TEST(RangeOps, Iterations) {
  std::vector<GridspanValue> Starts = family(5, 3);
  std::vector<GridspanValue> Others;
  for (int64_t Value : {0, 1, 2, 3, 5, 9, 15, -1, -2, -3})
    Others.push_back(constant(5, Value));
  Others.push_back(box(5, 1, {{1, 3}}, 2));
  Others.push_back(box(5, -3, {{2, 2}}, 2));
  for (uint32_t Flags : {0, 1, 2, 3})
    for (const GridspanValue &Start : Starts)
      for (const GridspanValue &Step : Others)
        for (unsigned Bound = 0; Bound <= Others.size(); ++Bound) {
          GridspanValue Count = constant(5, 0);
          bool HasBound = Bound != Others.size();
          if (HasBound)
            Count = Others[Bound];
          Count.Symbols <<= 1;
          Patterns Expected = 0;
          bool IsDefined = true;
          const Patterns InStep = patternsOf(Step), InCount = patternsOf(Count);
          forEach(patternsOf(Start), [&](uint64_t X) {
            forEach(InStep, [&](uint64_t Y) {
              forEach(InCount, [&](uint64_t Z) {
                IsDefined &=
                    addIterations(X, Y, HasBound ? Z : 100, 5, Flags, Expected);
              });
            });
          });
          GridspanValue Result;
          __gridspan_range_Iter(&Result, &Start, &Step,
                                HasBound ? &Count : nullptr, Flags, 0);
          Result.Exact &= IsDefined;
          ASSERT_TRUE(isRight(Result, Expected,
                              Start.Exact && Step.Exact && Count.Exact))
              << "iter " << text(Start) << " by " << text(Step) << " times "
              << (HasBound ? text(Count) : "any") << " flags " << Flags;
        }
}

TEST(RangeOps, FinishGivesTheBytes) {
  for (int64_t Lo : {-5, 0, 3})
    for (uint32_t Element : {1u, 2u, 4u, 12u})
      for (const GridspanValue &A : family(6, 5)) {
        if (A.State != GridspanValueBox)
          continue;
        GridspanValue Offset = A;
        Offset.Width = 64;
        Offset.Lo += Lo;
        std::vector<bool> Truth(1024), Found(1024);
        constexpr int64_t Bias = 256;
        auto Mark = [&](auto &Self, unsigned Dim, int64_t At) -> void {
          if (Dim == Offset.NumDims) {
            for (unsigned I = 0; I != Element; ++I)
              Truth[At + I + Bias] = true;
            return;
          }
          for (uint64_t K = 0; K <= Offset.Dims[Dim].Last; ++K)
            Self(Self, Dim + 1, At + int64_t(K * Offset.Dims[Dim].Stride));
        };
        Mark(Mark, 0, Offset.Lo);
        GridspanRange R;
        __gridspan_range_finish(&R, &Offset, nullptr, Element, 1);
        ASSERT_TRUE(R.State == GridspanRangeMay ||
                    R.State == GridspanRangeExact);
        for (int64_t Plane = 0; Plane != R.Planes; ++Plane)
          for (int64_t Row = 0; Row != R.RowsPerPlane; ++Row)
            for (int64_t I = 0; I != R.RowBytes; ++I)
              Found[R.Lo + Plane * R.PlanePitch + Row * R.Pitch + I + Bias] =
                  true;
        for (unsigned I = 0; I != Truth.size(); ++I)
          ASSERT_TRUE(!Truth[I] || Found[I]) << text(Offset);
        if (R.State == GridspanRangeExact) {
          ASSERT_EQ(Truth, Found) << text(Offset);
        }
        if (R.RowsPerPlane > 1) {
          ASSERT_GT(R.Pitch, R.RowBytes) << text(Offset);
        }
        if (R.Planes > 1) {
          ASSERT_GT(R.PlanePitch, (R.RowsPerPlane - 1) * R.Pitch + R.RowBytes)
              << text(Offset);
        }
        __gridspan_range_finish(&R, &Offset, nullptr, Element, 0);
        ASSERT_EQ(R.State, GridspanRangeMay);
      }
}

TEST(RangeOps, FinishRefusesLengthsThatDoNotFit) {
  // Any value divided by ten, and scaled again by an element of eight bytes.
  GridspanValue Any, Ten = constant(64, 10), Eight = constant(64, 8), Offset;
  __gridspan_range_Unknown(&Any, 64);
  __gridspan_range_SDiv(&Offset, &Any, &Ten, 1, 2);
  __gridspan_range_Mul(&Offset, &Offset, &Eight);
  GridspanRange R;
  __gridspan_range_finish(&R, &Offset, nullptr, 8, 0);
  EXPECT_EQ(R.State, GridspanRangeUnknown);
}

TEST(RangeOps, InteriorOfABoxIsExact) {
  // x = 1 .. 30 of 32, y = 1 .. 14 of 16, z = 1 .. 6 of 8, floats
  GridspanValue Offset = constant(64, ((1 * 16 + 1) * 32 + 1) * 4);
  Offset.NumDims = 3;
  Offset.Dims[0] = {4, 29};
  Offset.Dims[1] = {32 * 4, 13};
  Offset.Dims[2] = {32 * 16 * 4, 5};
  GridspanRange R;
  __gridspan_range_finish(&R, &Offset, nullptr, 4, 1);
  EXPECT_EQ(R.State, GridspanRangeExact);
  EXPECT_EQ(R.Lo, Offset.Lo);
  EXPECT_EQ(R.RowBytes, 30 * 4);
  EXPECT_EQ(R.Pitch, 32 * 4);
  EXPECT_EQ(R.RowsPerPlane, 14);
  EXPECT_EQ(R.PlanePitch, 32 * 16 * 4);
  EXPECT_EQ(R.Planes, 6);
}

TEST(RangeOps, FinishWithLength) {
  GridspanValue Offset = constant(64, 8), Length = constant(64, 40);
  GridspanRange R;
  __gridspan_range_finish(&R, &Offset, &Length, 1, 1);
  EXPECT_EQ(R.State, GridspanRangeExact);
  EXPECT_EQ(R.Lo, 8);
  EXPECT_EQ(R.RowBytes, 40);
  Length = constant(64, 0);
  __gridspan_range_finish(&R, &Offset, &Length, 1, 1);
  EXPECT_EQ(R.State, GridspanRangeEmpty);
  __gridspan_range_Unknown(&Length, 64);
  __gridspan_range_finish(&R, &Offset, &Length, 1, 1);
  EXPECT_EQ(R.State, GridspanRangeUnknown);
  __gridspan_range_Unknown(&Offset, 64);
  __gridspan_range_finish(&R, &Offset, nullptr, 4, 1);
  EXPECT_EQ(R.State, GridspanRangeUnknown);
}

TEST(RangeOps, ShiftByAnAmountOfBothSigns) {
  // As unsigned numbers the amounts are two pieces far apart.
  GridspanValue X = constant(32, -5), Result;
  GridspanValue Amount = box(32, -20, {{1, 2}, {20, 3}}, 1);
  __gridspan_range_AShr(&Result, &X, &Amount, 0, 1);
  EXPECT_EQ(Result.Lo, -5);
  EXPECT_EQ(hiOf(Result), -1);
}

TEST(RangeOps, MeanAndThreads) {
  GridspanValue V = box(32, 3, {{2, 4}}, 1);
  EXPECT_EQ(__gridspan_range_mean(&V), 7);
  // Nearly all numbers of the type: a guess, as if nothing were known.
  const uint64_t Guesses = __gridspan_range_guesses();
  GridspanValue Any = box(64, 1, {{1, uint64_t(1) << 32}}, 1), Top = {};
  Top.State = GridspanValueTop;
  EXPECT_EQ(__gridspan_range_mean(&Any), __gridspan_range_mean(&Top));
  EXPECT_EQ(__gridspan_range_guesses(), Guesses + 2);
  GridspanBox B = {nullptr, {9, 9, 9}, {32, 4, 1}, {0, 1, 2}, {3, 2, 1}};
  EXPECT_EQ(__gridspan_range_threads(&B), 768);
}

} // namespace
