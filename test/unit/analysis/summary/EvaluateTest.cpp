//===- EvaluateTest.cpp - Expressions evaluated for a launch --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets of values over boxes of blocks, by hand-made expressions whose values
// are known.
//
//===----------------------------------------------------------------------===//

#include "analysis/summary/Evaluate.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace gridspan;

namespace {

/// saxpy(int n, float a, const float *x, float *y): y[i] where i < n.
struct Saxpy {
  KernelSummary Kernel;
  int N = 1000;
  void *Args[4] = {&N, nullptr, nullptr, nullptr};
  GridspanBox Box = {Args, {8, 1, 1}, {128, 1, 1}, {6, 0, 0}, {2, 1, 1}};

  Saxpy() {
    ExprGraph &P = Kernel.Exprs;
    ExprId I =
        P.binary(ExprKind::Add,
                 P.binary(ExprKind::Mul, P.special(ExprKind::BlockIdx, 0),
                          P.special(ExprKind::BlockDim, 0)),
                 P.special(ExprKind::ThreadIdx, 0));
    I = P.assume(I, CmpInst::ICMP_SLT, P.param(32, 0, 0));
    AccessSummary Access;
    Access.Pointer = 0;
    Access.Mode = GridspanWrite;
    Access.ElementSize = 4;
    Access.Offset = P.binary(ExprKind::Mul, P.cast(ExprKind::SExt, I, 64),
                             P.constant(64, 4));
    Access.ExactIfEvaluated = true;
    Kernel.Accesses.push_back(Access);
  }
};

TEST(Evaluate, RangeOfAnAccess) {
  Saxpy S;
  GridspanRange R = evaluateRange(S.Kernel, S.Kernel.Accesses[0], S.Box);
  EXPECT_EQ(R.State, GridspanRangeExact);
  EXPECT_EQ(R.Lo, 768 * 4);
  EXPECT_EQ(R.RowBytes, (1000 - 768) * 4);
  EXPECT_EQ(R.RowsPerPlane, 1);
}

TEST(Evaluate, GuardThatExcludesTheBox) {
  Saxpy S;
  S.N = 768;
  GridspanRange R = evaluateRange(S.Kernel, S.Kernel.Accesses[0], S.Box);
  EXPECT_EQ(R.State, GridspanRangeEmpty);
}

TEST(Evaluate, AccessWithoutBaseIsUnknown) {
  Saxpy S;
  S.Kernel.Accesses[0].Pointer = -1;
  GridspanRange R = evaluateRange(S.Kernel, S.Kernel.Accesses[0], S.Box);
  EXPECT_EQ(R.State, GridspanRangeUnknown);
}

TEST(Evaluate, LoopOfUnknownLength) {
  ExprGraph P;
  ExprId K = P.iter(P.constant(64, 0), P.constant(64, 8), NoExpr, 0, 0);
  GridspanBox Box = {nullptr, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}};
  EXPECT_EQ(evaluate(P, K, Box).State, GridspanValueTop);
}

} // namespace
