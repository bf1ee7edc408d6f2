//===- ConcreteEvalTest.cpp - Expressions in one thread -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kind of node in one thread, with unknown and inactive operands.
//
//===----------------------------------------------------------------------===//

#include "analysis/expr/ConcreteEval.h"
#include "llvm/IR/InstrTypes.h"
#include <functional>
#include <gtest/gtest.h>
#include <random>

using namespace llvm;
using namespace gridspan;

namespace {

constexpr ConcreteValue Unknown = {ConcreteValue::Unknown, 0};
constexpr ConcreteValue Inactive = {ConcreteValue::Inactive, 0};
constexpr ConcreteValue value(int64_t V) { return {ConcreteValue::Known, V}; }

/// The commonest index, `blockIdx.x * blockDim.x + threadIdx.x`.
ExprId globalId(ExprGraph &P) {
  return P.binary(ExprKind::Add,
                  P.binary(ExprKind::Mul, P.special(ExprKind::BlockIdx, 0),
                           P.special(ExprKind::BlockDim, 0)),
                  P.special(ExprKind::ThreadIdx, 0));
}

TEST(ConcreteEval, GuardedRowAndColumn) {
  // (id / N, id % N), signed, under id < N * N.
  ExprGraph P;
  ExprId N = P.param(32, 2, 0);
  ExprId Id =
      P.assume(globalId(P), CmpInst::ICMP_SLT, P.binary(ExprKind::Mul, N, N));
  ExprId Row = P.binary(ExprKind::SDiv, Id, N);
  ExprId Column = P.binary(ExprKind::SRem, Id, N);
  LaunchValues Launch;
  Launch.Block = {64, 1, 1};
  Launch.Grid = {3, 1, 1};
  Launch.Params[{2, 0}] = 11;
  ConcreteEval Eval(P, {Row, Column}, Launch);
  for (uint32_t B = 0; B != 3; ++B) {
    Eval.setBlock({B, 0, 0});
    for (uint32_t T = 0; T != 64; ++T) {
      Eval.setThread({T, 0, 0});
      int I = int(B * 64 + T);
      EXPECT_EQ(Eval.value(Row), I < 121 ? value(I / 11) : Inactive);
      EXPECT_EQ(Eval.value(Column), I < 121 ? value(I % 11) : Inactive);
    }
  }
}

TEST(ConcreteEval, LoopCounterStopsAtItsBound) {
  // for (k = t; k <= t + 3 * 2; k += 2): four iterations.
  ExprGraph P;
  ExprId T = P.special(ExprKind::ThreadIdx, 0);
  ExprId K = P.iter(T, P.constant(32, 2), P.constant(32, 3), IterNSW, 7);
  LaunchValues Launch;
  ConcreteEval Eval(P, {K}, Launch);
  Eval.setThread({5, 0, 0});
  EXPECT_EQ(Eval.value(K), Unknown) << "no iteration was set";
  for (uint64_t I = 0; I != 6; ++I) {
    Eval.setIteration(7, I);
    EXPECT_EQ(Eval.value(K), I <= 3 ? value(5 + 2 * int64_t(I)) : Inactive);
  }
}

TEST(ConcreteEval, BoundIsUnsigned) {
  ExprGraph P;
  ExprId K =
      P.iter(P.constant(64, 0), P.constant(64, 1), P.constant(8, -1), 0, 0);
  LaunchValues Launch;
  ConcreteEval Eval(P, {K}, Launch);
  Eval.setIteration(0, 255);
  EXPECT_EQ(Eval.value(K), value(255));
  Eval.setIteration(0, 256);
  EXPECT_EQ(Eval.value(K), Inactive);
}

TEST(ConcreteEval, UnknownStaysUnlessDecidedByTheRest) {
  ExprGraph P;
  ExprId U = P.unknown(32, "loaded from memory");
  ExprId Tid = P.special(ExprKind::ThreadIdx, 0);
  ExprId Sum = P.binary(ExprKind::Add, U, Tid);
  ExprId Product = P.binary(ExprKind::Mul, U, Tid);
  ExprId Masked = P.binary(ExprKind::And, U, Tid);
  ExprId Chosen = P.select(P.icmp(CmpInst::ICMP_EQ, Tid, P.constant(32, 0)),
                           P.constant(32, 9), U);
  ExprId Either = P.select(P.icmp(CmpInst::ICMP_EQ, U, P.constant(32, 0)), Tid,
                           P.constant(32, 3));
  ExprId Param = P.param(32, 0, 0);
  LaunchValues Launch;
  ConcreteEval Eval(P, {Sum, Product, Masked, Chosen, Either, Param}, Launch);
  EXPECT_EQ(Eval.value(Sum), Unknown);
  EXPECT_EQ(Eval.value(Param), Unknown);
  EXPECT_EQ(Eval.value(Product), value(0));
  EXPECT_EQ(Eval.value(Masked), value(0));
  EXPECT_EQ(Eval.value(Chosen), value(9));
  EXPECT_EQ(Eval.value(Either), Unknown);
  Eval.setThread({3, 0, 0});
  EXPECT_EQ(Eval.value(Product), Unknown);
  EXPECT_EQ(Eval.value(Chosen), Unknown);
  EXPECT_EQ(Eval.value(Either), value(3)) << "both arms are 3";
}

TEST(ConcreteEval, UndefinedArithmeticHasNoValue) {
  ExprGraph P;
  ExprId Tid = P.special(ExprKind::ThreadIdx, 0);
  ExprId Quotient = P.binary(ExprKind::UDiv, P.constant(32, 7), Tid);
  ExprId Shifted = P.binary(ExprKind::Shl, P.constant(32, 1), Tid);
  LaunchValues Launch;
  ConcreteEval Eval(P, {Quotient, Shifted}, Launch);
  EXPECT_EQ(Eval.value(Quotient), Unknown);
  EXPECT_EQ(Eval.value(Shifted), value(1));
  Eval.setThread({32, 0, 0});
  EXPECT_EQ(Eval.value(Quotient), value(0));
  EXPECT_EQ(Eval.value(Shifted), Unknown);
}

TEST(ConcreteEval, AssumeInTheArmNotTakenDoesNotCount) {
  ExprGraph P;
  ExprId Tid = P.special(ExprKind::ThreadIdx, 0);
  ExprId Low = P.assume(Tid, CmpInst::ICMP_ULT, P.constant(32, 4));
  ExprId High = P.assume(Tid, CmpInst::ICMP_UGE, P.constant(32, 4));
  ExprId Clamped = P.select(P.icmp(CmpInst::ICMP_ULT, Tid, P.constant(32, 4)),
                            Low, P.constant(32, 4));
  ExprId Joined =
      P.merge(Low, P.binary(ExprKind::Mul, High, P.constant(32, 10)));
  ExprId Open = P.assume(Tid, CmpInst::ICMP_ULT, P.param(32, 0, 0));
  LaunchValues Launch;
  ConcreteEval Eval(P, {Low, Clamped, Joined, Open}, Launch);
  Eval.setThread({3, 0, 0});
  EXPECT_EQ(Eval.value(Clamped), value(3));
  EXPECT_EQ(Eval.value(Joined), value(3));
  Eval.setThread({6, 0, 0});
  EXPECT_EQ(Eval.value(Low), Inactive);
  EXPECT_EQ(Eval.value(Clamped), value(4));
  EXPECT_EQ(Eval.value(Joined), value(60));
  EXPECT_EQ(Eval.value(Open), value(6)) << "may hold: the bound is unknown";
}

//===----------------------------------------------------------------------===//
// Random expressions against an independent evaluation in 128-bit integers.
//===----------------------------------------------------------------------===//

using Wide = __int128;

struct Position {
  int64_t Tid, Ctaid, K;
};

/// An expression and the value that it must give (nothing: undefined).
struct Pair {
  ExprId Id;
  unsigned Width;
  std::function<std::optional<Wide>(const Position &)> Expected;
};

Wide wrapSigned(unsigned Width, Wide V) {
  Wide Size = Wide(1) << Width;
  V = ((V % Size) + Size) % Size;
  return V >= Size / 2 ? V - Size : V;
}

Wide toUnsigned(unsigned Width, Wide V) {
  return V < 0 ? V + (Wide(1) << Width) : V;
}

std::optional<Wide> apply(ExprKind Kind, unsigned W, Wide L, Wide R) {
  Wide UL = toUnsigned(W, L), UR = toUnsigned(W, R);
  switch (Kind) {
  case ExprKind::Add:
    return wrapSigned(W, L + R);
  case ExprKind::Sub:
    return wrapSigned(W, L - R);
  case ExprKind::Mul:
    return wrapSigned(W, L * R);
  case ExprKind::UDiv:
    if (R == 0)
      return std::nullopt;
    return wrapSigned(W, UL / UR);
  case ExprKind::URem:
    if (R == 0)
      return std::nullopt;
    return wrapSigned(W, UL % UR);
  case ExprKind::SDiv:
    if (R == 0 || (R == -1 && L == -(Wide(1) << (W - 1))))
      return std::nullopt;
    return L / R;
  case ExprKind::SRem:
    if (R == 0 || (R == -1 && L == -(Wide(1) << (W - 1))))
      return std::nullopt;
    return L % R;
  case ExprKind::Shl:
    if (UR >= W)
      return std::nullopt;
    return wrapSigned(W, L * (Wide(1) << UR));
  case ExprKind::LShr:
    if (UR >= W)
      return std::nullopt;
    return wrapSigned(W, UL / (Wide(1) << UR));
  case ExprKind::AShr:
    if (UR >= W)
      return std::nullopt;
    return L >> int(UR);
  case ExprKind::And:
    return L & R;
  case ExprKind::Or:
    return L | R;
  case ExprKind::Xor:
    return L ^ R;
  case ExprKind::UMin:
    return UL < UR ? L : R;
  case ExprKind::UMax:
    return UL > UR ? L : R;
  case ExprKind::SMin:
    return std::min(L, R);
  case ExprKind::SMax:
    return std::max(L, R);
  default:
    return std::nullopt;
  }
}

const ExprKind BinaryKinds[] = {ExprKind::Add,  ExprKind::Sub,  ExprKind::Mul,
                                ExprKind::UDiv, ExprKind::SDiv, ExprKind::URem,
                                ExprKind::SRem, ExprKind::Shl,  ExprKind::LShr,
                                ExprKind::AShr, ExprKind::And,  ExprKind::Or,
                                ExprKind::Xor,  ExprKind::UMin, ExprKind::UMax,
                                ExprKind::SMin, ExprKind::SMax};

/// Grows a list of pairs by random operations on earlier ones.
class RandomExprs {
public:
  RandomExprs(ExprGraph &P, unsigned Seed) : P(P), Random(Seed) {
    leaf(P.special(ExprKind::ThreadIdx, 0), 32,
         [](const Position &At) { return At.Tid; });
    leaf(P.special(ExprKind::BlockIdx, 0), 32,
         [](const Position &At) { return At.Ctaid; });
    leaf(P.param(32, 0, 0), 32, [](const Position &) { return -77; });
    leaf(P.param(64, 1, 8), 64,
         [](const Position &) { return int64_t(1) << 40; });
    leaf(P.iter(P.constant(32, 5), P.constant(32, -3), NoExpr, 0, 1), 32,
         [](const Position &At) { return 5 - 3 * At.K; });
    for (unsigned I = 0; I != 25; ++I)
      grow();
  }

  std::vector<Pair> Pairs;

private:
  int64_t pick(int64_t Lo, int64_t Hi) {
    return std::uniform_int_distribution<int64_t>(Lo, Hi)(Random);
  }

  void leaf(ExprId Id, unsigned Width,
            std::function<int64_t(const Position &)> F) {
    Pairs.push_back(
        {Id, Width, [=](const Position &At) { return Wide(F(At)); }});
  }

  Pair any() { return Pairs[pick(0, Pairs.size() - 1)]; }

  Pair resized(const Pair &A, unsigned Width) {
    if (A.Width == Width)
      return A;
    ExprKind Kind = Width < A.Width ? ExprKind::Trunc
                    : pick(0, 1)    ? ExprKind::SExt
                                    : ExprKind::ZExt;
    return {P.cast(Kind, A.Id, Width), Width,
            [=](const Position &At) -> std::optional<Wide> {
              std::optional<Wide> V = A.Expected(At);
              if (!V)
                return V;
              return Kind == ExprKind::ZExt ? toUnsigned(A.Width, *V)
                                            : wrapSigned(Width, *V);
            }};
  }

  void grow() {
    const unsigned Widths[] = {8, 16, 32, 32, 64, 64};
    Pair A = resized(any(), Widths[pick(0, 5)]);
    unsigned W = A.Width;
    Pair B = resized(any(), W);
    if (pick(0, 2) == 0) {
      int64_t C = wrapSigned(W, pick(-9, 40));
      B = {P.constant(W, C), W, [=](const Position &) { return Wide(C); }};
    }
    if (pick(0, 5) == 0) {
      Pair C = resized(any(), W);
      ExprId Id = P.select(P.icmp(CmpInst::ICMP_ULT, A.Id, B.Id), B.Id, C.Id);
      Pairs.push_back({Id, W, [=](const Position &At) -> std::optional<Wide> {
                         auto L = A.Expected(At), R = B.Expected(At);
                         if (!L || !R)
                           return std::nullopt;
                         return toUnsigned(W, *L) < toUnsigned(W, *R)
                                    ? R
                                    : C.Expected(At);
                       }});
      return;
    }
    ExprKind Kind = BinaryKinds[pick(0, std::size(BinaryKinds) - 1)];
    Pairs.push_back({P.binary(Kind, A.Id, B.Id), W,
                     [=](const Position &At) -> std::optional<Wide> {
                       auto L = A.Expected(At), R = B.Expected(At);
                       if (!L || !R)
                         return std::nullopt;
                       return apply(Kind, W, *L, *R);
                     }});
  }

  ExprGraph &P;
  std::mt19937 Random;
};

TEST(ConcreteEval, AgreesWithBruteForceOnRandomExpressions) {
  unsigned Compared = 0;
  for (unsigned Seed = 0; Seed != 300; ++Seed) {
    ExprGraph P;
    RandomExprs Exprs(P, Seed);
    LaunchValues Launch;
    Launch.Params[{0, 0}] = -77;
    Launch.Params[{1, 8}] = int64_t(1) << 40;
    std::vector<ExprId> Roots;
    for (const Pair &E : Exprs.Pairs)
      Roots.push_back(E.Id);
    ConcreteEval Eval(P, Roots, Launch);
    for (uint32_t Ctaid : {0u, 1u, 65534u})
      for (uint32_t K : {0u, 7u})
        for (uint32_t Tid : {0u, 31u, 33u, 1023u}) {
          Eval.setBlock({Ctaid, 0, 0});
          Eval.setIteration(1, K);
          Eval.setThread({Tid, 0, 0});
          for (const Pair &E : Exprs.Pairs) {
            std::optional<Wide> Expected = E.Expected({Tid, Ctaid, K});
            // Folding may give a value where the operands have none.
            if (!Expected)
              continue;
            ++Compared;
            ASSERT_EQ(Eval.value(E.Id), value(int64_t(*Expected)))
                << "seed " << Seed << " node " << E.Id << " tid " << Tid;
          }
        }
  }
  EXPECT_GT(Compared, 100000u);
}

} // namespace
