//===- ExprTest.cpp - The expression pool and its stored form -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folding by the pool's constructors, walks below an expression, and summaries
// written as JSON and read back.
//
//===----------------------------------------------------------------------===//

#include "analysis/expr/Expr.h"
#include "analysis/summary/KernelSummary.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace gridspan;

static std::string text(const ExprPool &Pool, ExprId Id) {
  std::string Out;
  raw_string_ostream OS(Out);
  Pool.print(OS, Id);
  return Out;
}

TEST(Expr, EqualExpressionsAreOneNode) {
  ExprPool Pool;
  ExprId X = Pool.special(ExprKind::ThreadIdx, 0);
  ExprId P = Pool.param(32, 1, 4);
  EXPECT_EQ(Pool.binary(ExprKind::Add, X, P), Pool.binary(ExprKind::Add, P, X));
  EXPECT_NE(Pool.binary(ExprKind::Sub, X, P), Pool.binary(ExprKind::Sub, P, X));
  EXPECT_EQ(text(Pool, Pool.binary(ExprKind::Add, X, P)), "(tid.x + arg1+4)");
}

TEST(Expr, ConstantsFoldAtTheirWidth) {
  ExprPool Pool;
  ExprId A = Pool.constant(8, 200), B = Pool.constant(8, 100);
  EXPECT_EQ(Pool.constantValue(A), -56);
  EXPECT_EQ(Pool.constantValue(Pool.binary(ExprKind::Add, A, B)), 44);
  EXPECT_EQ(Pool.constantValue(Pool.binary(ExprKind::UDiv, A, B)), 2);
  EXPECT_EQ(Pool.constantValue(Pool.binary(ExprKind::SDiv, A, B)), 0);
  EXPECT_EQ(Pool.constantValue(Pool.cast(ExprKind::ZExt, A, 32)), 200);
  EXPECT_EQ(Pool.constantValue(Pool.cast(ExprKind::SExt, A, 32)), -56);
  EXPECT_EQ(Pool.constantValue(Pool.icmp(CmpInst::ICMP_UGT, A, B)), -1);
  EXPECT_EQ(Pool.constantValue(Pool.icmp(CmpInst::ICMP_SGT, A, B)), 0);
}

TEST(Expr, UndefinedConstantOperationsStay) {
  ExprPool Pool;
  ExprId Zero = Pool.constant(32, 0), Min = Pool.constant(32, INT32_MIN);
  ExprId MinusOne = Pool.constant(32, -1);
  EXPECT_FALSE(Pool.constantValue(Pool.binary(ExprKind::UDiv, Min, Zero)));
  EXPECT_FALSE(Pool.constantValue(Pool.binary(ExprKind::SRem, Min, Zero)));
  EXPECT_FALSE(Pool.constantValue(Pool.binary(ExprKind::SDiv, Min, MinusOne)));
  EXPECT_FALSE(Pool.constantValue(
      Pool.binary(ExprKind::Shl, Min, Pool.constant(32, 32))));
}

TEST(Expr, NeutralElementsVanish) {
  ExprPool Pool;
  ExprId X = Pool.special(ExprKind::BlockIdx, 1);
  ExprId Zero = Pool.constant(32, 0), One = Pool.constant(32, 1);
  EXPECT_EQ(Pool.binary(ExprKind::Add, X, Zero), X);
  EXPECT_EQ(Pool.binary(ExprKind::Mul, One, X), X);
  EXPECT_EQ(Pool.binary(ExprKind::SDiv, X, One), X);
  EXPECT_EQ(Pool.binary(ExprKind::And, X, Zero), Zero);
  EXPECT_EQ(Pool.binary(ExprKind::Sub, X, X), Zero);
  ExprId Five = Pool.constant(32, 5);
  ExprId Sum = Pool.binary(ExprKind::Add, X, Five);
  EXPECT_EQ(Pool.binary(ExprKind::Sub, Sum, Five), X);
}

TEST(Expr, QuotientAndRemainderJoin) {
  for (auto [Div, Rem] : {std::pair(ExprKind::SDiv, ExprKind::SRem),
                          std::pair(ExprKind::UDiv, ExprKind::URem)}) {
    ExprPool Pool;
    ExprId X = Pool.special(ExprKind::BlockIdx, 0);
    for (ExprId N : {Pool.param(32, 0, 0), Pool.constant(32, 12)}) {
      ExprId Q = Pool.binary(Div, X, N), R = Pool.binary(Rem, X, N);
      ExprId Down = Pool.binary(ExprKind::Mul, N, Q);
      EXPECT_EQ(Pool.binary(ExprKind::Add, R, Down), X);
      EXPECT_EQ(Pool.binary(ExprKind::Sub, X, R), Down);
      EXPECT_EQ(Pool.binary(ExprKind::Sub, X, Down), R);
    }
    ExprId Q = Pool.binary(Div, X, Pool.constant(32, 12));
    ExprId Negated = Pool.binary(ExprKind::Mul, Q, Pool.constant(32, -12));
    EXPECT_EQ(Pool.binary(ExprKind::Add, X, Negated),
              Pool.binary(Rem, X, Pool.constant(32, 12)));
  }
}

TEST(Expr, OtherQuotientsStay) {
  ExprPool Pool;
  ExprId X = Pool.special(ExprKind::BlockIdx, 0), N = Pool.param(32, 0, 0);
  ExprId Y = Pool.special(ExprKind::ThreadIdx, 0), M = Pool.param(32, 1, 0);
  auto Sum = [&](ExprKind Rem, ExprId A, ExprId B) {
    ExprId Q = Pool.binary(ExprKind::SDiv, X, N);
    return Pool.binary(ExprKind::Add, Pool.binary(ExprKind::Mul, N, Q),
                       Pool.binary(Rem, A, B));
  };
  EXPECT_NE(Sum(ExprKind::SRem, Y, N), X);
  EXPECT_NE(Sum(ExprKind::SRem, X, M), X);
  EXPECT_NE(Sum(ExprKind::URem, X, N), X);
  // Loaded twice, the "same" unknown is two values.
  ExprId U = Pool.unknown(32, "loaded");
  ExprId Rest = Pool.binary(ExprKind::SRem, U, N);
  EXPECT_EQ(Pool[Pool.binary(ExprKind::Sub, U, Rest)].Kind, ExprKind::Sub);
}

TEST(Expr, CastsOfCastsJoin) {
  ExprPool Pool;
  ExprId X = Pool.special(ExprKind::ThreadIdx, 2);
  ExprId Wide = Pool.cast(ExprKind::ZExt, X, 48);
  EXPECT_EQ(Pool.cast(ExprKind::ZExt, Wide, 64),
            Pool.cast(ExprKind::ZExt, X, 64));
  EXPECT_EQ(Pool.cast(ExprKind::SExt, Wide, 64),
            Pool.cast(ExprKind::ZExt, X, 64));
  EXPECT_EQ(Pool.cast(ExprKind::Trunc, Wide, 32), X);
  EXPECT_EQ(Pool.cast(ExprKind::Trunc, Wide, 16),
            Pool.cast(ExprKind::Trunc, X, 16));
  EXPECT_EQ(Pool.cast(ExprKind::Trunc, Pool.cast(ExprKind::SExt, X, 64), 48),
            Pool.cast(ExprKind::SExt, X, 48));
}

TEST(Expr, UniformMeansNoThreadAndNoLoop) {
  ExprPool Pool;
  ExprId N = Pool.param(32, 0, 0);
  ExprId Size =
      Pool.binary(ExprKind::Mul, N, Pool.special(ExprKind::BlockDim, 0));
  EXPECT_TRUE(Pool.isUniform(Size));
  EXPECT_FALSE(Pool.isUniform(
      Pool.binary(ExprKind::Add, Size, Pool.special(ExprKind::BlockIdx, 0))));
  EXPECT_FALSE(
      Pool.isUniform(Pool.iter(N, Pool.constant(32, 1), Size, IterNSW, 0)));
}

TEST(Expr, ReasonIsFoundBelow) {
  ExprPool Pool;
  ExprId U = Pool.unknown(32, "loaded from memory");
  ExprId X =
      Pool.binary(ExprKind::Mul, Pool.special(ExprKind::ThreadIdx, 0), U);
  EXPECT_EQ(Pool.unknownReason(X), "loaded from memory");
  EXPECT_EQ(Pool.unknownReason(Pool.constant(32, 1)), "");
}

TEST(Expr, BelowGivesOperandsBeforeUsersOnce) {
  ExprPool Pool;
  ExprId N = Pool.param(32, 0, 0);
  ExprId X = Pool.special(ExprKind::ThreadIdx, 0);
  ExprId Product = Pool.binary(ExprKind::Mul, N, X);
  ExprId Sum = Pool.binary(ExprKind::Add, Product, N);
  Pool.special(ExprKind::BlockIdx, 0);
  EXPECT_EQ(Pool.below(Sum), (SmallVector<ExprId, 16>{N, X, Product, Sum}));
  EXPECT_EQ(Pool.below({X, NoExpr, N}), (SmallVector<ExprId, 16>{N, X}));
  EXPECT_EQ(Pool.below(NoExpr), (SmallVector<ExprId, 16>()));
}

TEST(Expr, BelowFollowsGivenOperandsOnly) {
  ExprPool Pool;
  ExprId N = Pool.param(32, 0, 0);
  ExprId X = Pool.special(ExprKind::ThreadIdx, 0);
  ExprId Less = Pool.assume(X, CmpInst::ICMP_SLT, N);
  auto First = [](const ExprNode &Node) {
    return ArrayRef<ExprId>(Node.Ops).take_front();
  };
  EXPECT_EQ(Pool.below(Less, First), (SmallVector<ExprId, 16>{X, Less}));
}

TEST(Expr, FindBelowGoesFromLeftToRight) {
  ExprPool Pool;
  ExprId Right = Pool.unknown(32, "right");
  ExprId Left = Pool.unknown(32, "left");
  ExprId Quotient = Pool.binary(ExprKind::UDiv, Left, Right);
  auto IsUnknown = [](const ExprNode &Node) {
    return Node.Kind == ExprKind::Unknown;
  };
  EXPECT_EQ(Pool.findBelow(Quotient, IsUnknown), Left);
  EXPECT_EQ(Pool.findBelow(Pool.constant(32, 1), IsUnknown), NoExpr);
  EXPECT_TRUE(Pool.containsKind(Quotient, ExprKind::UDiv));
  EXPECT_FALSE(Pool.containsKind(Quotient, ExprKind::SDiv));
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static ModuleSummary sample() {
  ModuleSummary Module;
  Module.Id = "m1";
  KernelSummary &K = Module.Kernels.emplace_back();
  K.Name = "_Z1kPf";
  K.CloneName = "_Z1kPf__gridspan";
  K.NoAliasName = "_Z1kPf__noalias";
  K.TiledNoAliasName = "_Z1kPf__gridspan__noalias";
  K.Params = {{0, 8}, {8, 4}};
  K.Pointers.push_back({0, 0, GridspanRead | GridspanWrite, true});
  ExprId N = K.Exprs.param(32, 1, 0);
  ExprId I = K.Exprs.iter(K.Exprs.special(ExprKind::ThreadIdx, 0),
                          K.Exprs.constant(32, 3), NoExpr, IterNUW, 7);
  ExprId Guarded = K.Exprs.assume(I, CmpInst::ICMP_SLT, N);
  ExprId Bad = K.Exprs.unknown(64, "because");
  AccessSummary &A = K.Accesses.emplace_back();
  A.Pointer = 0;
  A.Mode = GridspanWrite;
  A.ElementSize = 4;
  A.Offset = K.Exprs.binary(ExprKind::Add,
                            K.Exprs.cast(ExprKind::SExt, Guarded, 64), Bad);
  A.ExactIfEvaluated = true;
  A.Site = 12;
  A.Where = "a.cu:3:4";
  K.Work.push_back({5.5, {N}});
  K.Refusals.push_back({"inline-assembly", "inline assembly at a.cu:1:1"});
  K.Flags = GridspanHasAtomics;
  K.MaxThreads = 256;
  return Module;
}

TEST(KernelSummary, JSONRoundTrip) {
  json::Value First = toJSON(sample());
  Expected<json::Value> Parsed = json::parse(formatv("{0}", First).str());
  ASSERT_TRUE(static_cast<bool>(Parsed));
  Expected<ModuleSummary> Read = moduleSummaryFromJSON(*Parsed);
  ASSERT_TRUE(static_cast<bool>(Read)) << toString(Read.takeError());
  EXPECT_EQ(First, toJSON(*Read));
}

static std::string errorOf(json::Value V) {
  Expected<ModuleSummary> Read = moduleSummaryFromJSON(V);
  return Read ? "" : toString(Read.takeError());
}

TEST(KernelSummary, RefusesOtherVersionsAndDamage) {
  json::Value V = toJSON(sample());
  (*V.getAsObject())["version"] = SummaryVersion + 1;
  EXPECT_EQ(errorOf(V), "kernel summary has version " +
                            std::to_string(SummaryVersion + 1) + ", expected " +
                            std::to_string(SummaryVersion));

  V = toJSON(sample());
  json::Object &Kernel =
      *V.getAsObject()->getArray("kernels")->front().getAsObject();
  json::Array &Node = *Kernel.getArray("exprs")->back().getAsArray();
  Node.back() = 1000; // an operand after its user
  EXPECT_EQ(errorOf(V), "kernel summary is damaged at kernel 0");

  V = toJSON(sample());
  V.getAsObject()->getArray("kernels")->front().getAsObject()->erase("work");
  EXPECT_EQ(errorOf(V), "kernel summary is damaged at kernel 0");
  EXPECT_EQ(errorOf(json::Value(3)), "kernel summary is not a JSON object");
}
