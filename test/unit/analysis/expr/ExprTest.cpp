//===- ExprTest.cpp - The expression graph and its stored form ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folding by the graph's constructors, walks below an expression, and summaries
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

static std::string text(const ExprGraph &Graph, ExprId Id) {
  std::string Out;
  raw_string_ostream OS(Out);
  Graph.print(OS, Id);
  return Out;
}

TEST(Expr, EqualExpressionsAreOneNode) {
  ExprGraph Graph;
  ExprId X = Graph.special(ExprKind::ThreadIdx, 0);
  ExprId P = Graph.param(32, 1, 4);
  EXPECT_EQ(Graph.binary(ExprKind::Add, X, P),
            Graph.binary(ExprKind::Add, P, X));
  EXPECT_NE(Graph.binary(ExprKind::Sub, X, P),
            Graph.binary(ExprKind::Sub, P, X));
  EXPECT_EQ(text(Graph, Graph.binary(ExprKind::Add, X, P)), "(tid.x + arg1+4)");
}

TEST(Expr, ConstantsFoldAtTheirWidth) {
  ExprGraph Graph;
  ExprId A = Graph.constant(8, 200), B = Graph.constant(8, 100);
  EXPECT_EQ(Graph.constantValue(A), -56);
  EXPECT_EQ(Graph.constantValue(Graph.binary(ExprKind::Add, A, B)), 44);
  EXPECT_EQ(Graph.constantValue(Graph.binary(ExprKind::UDiv, A, B)), 2);
  EXPECT_EQ(Graph.constantValue(Graph.binary(ExprKind::SDiv, A, B)), 0);
  EXPECT_EQ(Graph.constantValue(Graph.cast(ExprKind::ZExt, A, 32)), 200);
  EXPECT_EQ(Graph.constantValue(Graph.cast(ExprKind::SExt, A, 32)), -56);
  EXPECT_EQ(Graph.constantValue(Graph.icmp(CmpInst::ICMP_UGT, A, B)), -1);
  EXPECT_EQ(Graph.constantValue(Graph.icmp(CmpInst::ICMP_SGT, A, B)), 0);
}

TEST(Expr, UndefinedConstantOperationsStay) {
  ExprGraph Graph;
  ExprId Zero = Graph.constant(32, 0), Min = Graph.constant(32, INT32_MIN);
  ExprId MinusOne = Graph.constant(32, -1);
  EXPECT_FALSE(Graph.constantValue(Graph.binary(ExprKind::UDiv, Min, Zero)));
  EXPECT_FALSE(Graph.constantValue(Graph.binary(ExprKind::SRem, Min, Zero)));
  EXPECT_FALSE(
      Graph.constantValue(Graph.binary(ExprKind::SDiv, Min, MinusOne)));
  EXPECT_FALSE(Graph.constantValue(
      Graph.binary(ExprKind::Shl, Min, Graph.constant(32, 32))));
}

TEST(Expr, NeutralElementsVanish) {
  ExprGraph Graph;
  ExprId X = Graph.special(ExprKind::BlockIdx, 1);
  ExprId Zero = Graph.constant(32, 0), One = Graph.constant(32, 1);
  EXPECT_EQ(Graph.binary(ExprKind::Add, X, Zero), X);
  EXPECT_EQ(Graph.binary(ExprKind::Mul, One, X), X);
  EXPECT_EQ(Graph.binary(ExprKind::SDiv, X, One), X);
  EXPECT_EQ(Graph.binary(ExprKind::And, X, Zero), Zero);
  EXPECT_EQ(Graph.binary(ExprKind::Sub, X, X), Zero);
  ExprId Five = Graph.constant(32, 5);
  ExprId Sum = Graph.binary(ExprKind::Add, X, Five);
  EXPECT_EQ(Graph.binary(ExprKind::Sub, Sum, Five), X);
}

TEST(Expr, QuotientAndRemainderJoin) {
  for (auto [Div, Rem] : {std::pair(ExprKind::SDiv, ExprKind::SRem),
                          std::pair(ExprKind::UDiv, ExprKind::URem)}) {
    ExprGraph Graph;
    ExprId X = Graph.special(ExprKind::BlockIdx, 0);
    for (ExprId N : {Graph.param(32, 0, 0), Graph.constant(32, 12)}) {
      ExprId Q = Graph.binary(Div, X, N), R = Graph.binary(Rem, X, N);
      ExprId Down = Graph.binary(ExprKind::Mul, N, Q);
      EXPECT_EQ(Graph.binary(ExprKind::Add, R, Down), X);
      EXPECT_EQ(Graph.binary(ExprKind::Sub, X, R), Down);
      EXPECT_EQ(Graph.binary(ExprKind::Sub, X, Down), R);
    }
    ExprId Q = Graph.binary(Div, X, Graph.constant(32, 12));
    ExprId Negated = Graph.binary(ExprKind::Mul, Q, Graph.constant(32, -12));
    EXPECT_EQ(Graph.binary(ExprKind::Add, X, Negated),
              Graph.binary(Rem, X, Graph.constant(32, 12)));
  }
}

TEST(Expr, OtherQuotientsStay) {
  ExprGraph Graph;
  ExprId X = Graph.special(ExprKind::BlockIdx, 0), N = Graph.param(32, 0, 0);
  ExprId Y = Graph.special(ExprKind::ThreadIdx, 0), M = Graph.param(32, 1, 0);
  auto Sum = [&](ExprKind Rem, ExprId A, ExprId B) {
    ExprId Q = Graph.binary(ExprKind::SDiv, X, N);
    return Graph.binary(ExprKind::Add, Graph.binary(ExprKind::Mul, N, Q),
                        Graph.binary(Rem, A, B));
  };
  EXPECT_NE(Sum(ExprKind::SRem, Y, N), X);
  EXPECT_NE(Sum(ExprKind::SRem, X, M), X);
  EXPECT_NE(Sum(ExprKind::URem, X, N), X);
  // Loaded twice, the "same" unknown is two values.
  ExprId U = Graph.unknown(32, "loaded");
  ExprId Rest = Graph.binary(ExprKind::SRem, U, N);
  EXPECT_EQ(Graph[Graph.binary(ExprKind::Sub, U, Rest)].Kind, ExprKind::Sub);
}

TEST(Expr, CastsOfCastsJoin) {
  ExprGraph Graph;
  ExprId X = Graph.special(ExprKind::ThreadIdx, 2);
  ExprId Wide = Graph.cast(ExprKind::ZExt, X, 48);
  EXPECT_EQ(Graph.cast(ExprKind::ZExt, Wide, 64),
            Graph.cast(ExprKind::ZExt, X, 64));
  EXPECT_EQ(Graph.cast(ExprKind::SExt, Wide, 64),
            Graph.cast(ExprKind::ZExt, X, 64));
  EXPECT_EQ(Graph.cast(ExprKind::Trunc, Wide, 32), X);
  EXPECT_EQ(Graph.cast(ExprKind::Trunc, Wide, 16),
            Graph.cast(ExprKind::Trunc, X, 16));
  EXPECT_EQ(Graph.cast(ExprKind::Trunc, Graph.cast(ExprKind::SExt, X, 64), 48),
            Graph.cast(ExprKind::SExt, X, 48));
}

TEST(Expr, UniformMeansNoThreadAndNoLoop) {
  ExprGraph Graph;
  ExprId N = Graph.param(32, 0, 0);
  ExprId Size =
      Graph.binary(ExprKind::Mul, N, Graph.special(ExprKind::BlockDim, 0));
  EXPECT_TRUE(Graph.isUniform(Size));
  EXPECT_FALSE(Graph.isUniform(
      Graph.binary(ExprKind::Add, Size, Graph.special(ExprKind::BlockIdx, 0))));
  EXPECT_FALSE(
      Graph.isUniform(Graph.iter(N, Graph.constant(32, 1), Size, IterNSW, 0)));
}

TEST(Expr, ReasonIsFoundBelow) {
  ExprGraph Graph;
  ExprId U = Graph.unknown(32, "loaded from memory");
  ExprId X =
      Graph.binary(ExprKind::Mul, Graph.special(ExprKind::ThreadIdx, 0), U);
  EXPECT_EQ(Graph.unknownReason(X), "loaded from memory");
  EXPECT_EQ(Graph.unknownReason(Graph.constant(32, 1)), "");
}

TEST(Expr, BelowGivesOperandsBeforeUsersOnce) {
  ExprGraph Graph;
  ExprId N = Graph.param(32, 0, 0);
  ExprId X = Graph.special(ExprKind::ThreadIdx, 0);
  ExprId Product = Graph.binary(ExprKind::Mul, N, X);
  ExprId Sum = Graph.binary(ExprKind::Add, Product, N);
  Graph.special(ExprKind::BlockIdx, 0);
  EXPECT_EQ(Graph.below(Sum), (SmallVector<ExprId, 16>{N, X, Product, Sum}));
  EXPECT_EQ(Graph.below({X, NoExpr, N}), (SmallVector<ExprId, 16>{N, X}));
  EXPECT_EQ(Graph.below(NoExpr), (SmallVector<ExprId, 16>()));
}

TEST(Expr, BelowFollowsGivenOperandsOnly) {
  ExprGraph Graph;
  ExprId N = Graph.param(32, 0, 0);
  ExprId X = Graph.special(ExprKind::ThreadIdx, 0);
  ExprId Less = Graph.assume(X, CmpInst::ICMP_SLT, N);
  auto First = [](const ExprNode &Node) {
    return ArrayRef<ExprId>(Node.Ops).take_front();
  };
  EXPECT_EQ(Graph.below(Less, First), (SmallVector<ExprId, 16>{X, Less}));
}

TEST(Expr, FindBelowGoesFromLeftToRight) {
  ExprGraph Graph;
  ExprId Right = Graph.unknown(32, "right");
  ExprId Left = Graph.unknown(32, "left");
  ExprId Quotient = Graph.binary(ExprKind::UDiv, Left, Right);
  auto IsUnknown = [](const ExprNode &Node) {
    return Node.Kind == ExprKind::Unknown;
  };
  EXPECT_EQ(Graph.findBelow(Quotient, IsUnknown), Left);
  EXPECT_EQ(Graph.findBelow(Graph.constant(32, 1), IsUnknown), NoExpr);
  EXPECT_TRUE(Graph.containsKind(Quotient, ExprKind::UDiv));
  EXPECT_FALSE(Graph.containsKind(Quotient, ExprKind::SDiv));
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
  K.FormedName = "_Z1kPf__formed";
  K.FormedNoAliasName = "_Z1kPf__formed__noalias";
  PointerSummary &P = K.Pointers.emplace_back();
  P.Modes = GridspanRead | GridspanWrite;
  P.Replicable = true;
  P.Form = {12, GridspanFormGains, 4, {0, 4, 8}};
  K.Pointers.back().Reduction = GridspanReduction::AddF64;
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
  K.Work.push_back({5.5, 0.25, {N}});
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

TEST(KernelSummary, KeepsForms) {
  Expected<ModuleSummary> Read = moduleSummaryFromJSON(toJSON(sample()));
  ASSERT_TRUE(static_cast<bool>(Read)) << toString(Read.takeError());
  const ModuleSummary First = sample();
  EXPECT_EQ(Read->Kernels[0].FormedName, First.Kernels[0].FormedName);
  EXPECT_EQ(Read->Kernels[0].FormedNoAliasName,
            First.Kernels[0].FormedNoAliasName);
  EXPECT_EQ(Read->Kernels[0].Pointers[0].Form,
            First.Kernels[0].Pointers[0].Form);
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
  json::Array &Pointers =
      *V.getAsObject()->getArray("kernels")->front().getAsObject()->getArray(
          "pointers");
  (*Pointers.front().getAsObject())["reduction"] = 200; // there is none
  EXPECT_EQ(errorOf(V), "kernel summary is damaged at kernel 0");

  V = toJSON(sample());
  V.getAsObject()->getArray("kernels")->front().getAsObject()->erase("work");
  EXPECT_EQ(errorOf(V), "kernel summary is damaged at kernel 0");
  EXPECT_EQ(errorOf(json::Value(3)), "kernel summary is not a JSON object");
}
