//===- LaunchFootprintTest.cpp - Memory that a launch moves ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/cost/LaunchFootprint.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

/// store(int n, float *y): y[i * n] in each thread.
KernelSummary strided() {
  KernelSummary Kernel;
  ExprGraph &P = Kernel.Exprs;
  const ExprId I =
      P.binary(ExprKind::Add,
               P.binary(ExprKind::Mul, P.special(ExprKind::BlockIdx, 0),
                        P.special(ExprKind::BlockDim, 0)),
               P.special(ExprKind::ThreadIdx, 0));
  const ExprId At = P.binary(ExprKind::Mul, P.cast(ExprKind::SExt, I, 64),
                             P.cast(ExprKind::SExt, P.param(32, 0, 0), 64));
  AccessSummary Access;
  Access.Pointer = 0;
  Access.Mode = GridspanWrite;
  Access.ElementSize = 4;
  Access.Offset = P.binary(ExprKind::Mul, At, P.constant(64, 4));
  Access.ExactIfEvaluated = true;
  Kernel.Accesses.push_back(Access);
  Kernel.Pointers.emplace_back();
  Kernel.Pointers.back().Param = 1;
  return Kernel;
}

} // namespace

TEST(LaunchFootprint, NoRangeIsLargerThanItsArray) {
  const KernelSummary Kernel = strided();
  const MachineModel &Machine = machineModelFor("sm_90");
  LaunchValues Launch;
  Launch.Block = {256, 1, 1};
  Launch.Grid = {1 << 14, 1, 1};
  Launch.Params[{0, 0}] = 8;
  const uint64_t Wave = 1000;
  const double Bytes = 4.0 * 8 * 256 * (1 << 14);
  ASSERT_GT(Bytes, double(Machine.L2Bytes));
  const MemoryTraffic All = memoryTraffic(Kernel, Launch, Wave, Machine);
  EXPECT_NEAR(All.Footprint, Bytes, 64);
  EXPECT_GT(All.WriteBytes, Bytes / 2);
  // It is in the cache.
  const MemoryTraffic Small =
      memoryTraffic(Kernel, Launch, Wave, Machine, {{1, 1 << 20}});
  EXPECT_LE(Small.Footprint, 1 << 20);
  EXPECT_EQ(Small.WriteBytes, 0);
  // That of another parameter says nothing.
  EXPECT_EQ(
      memoryTraffic(Kernel, Launch, Wave, Machine, {{0, 1 << 20}}).Footprint,
      All.Footprint);
}
