//===- RangeCheckTest.cpp - What contradicts a range is seen --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-check-ranges/RangeCheck.h"
#include "tools/gridspan-check-ranges/ArgumentTightness.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

/// y[4 * (ctaid.x * ntid.x + tid.x) + Shift], with 32 threads a block; one
/// pointer parameter at 0x10000.
struct Case {
  explicit Case(int64_t Shift = 0, bool Exact = true) {
    Kernel.Name = "k";
    Kernel.Params = {{0, 8}};
    Kernel.Pointers.emplace_back().Modes = GridspanWrite;
    ExprGraph &P = Kernel.Exprs;
    ExprId Index =
        P.binary(ExprKind::Add,
                 P.binary(ExprKind::Mul, P.special(ExprKind::BlockIdx, 0),
                          P.special(ExprKind::BlockDim, 0)),
                 P.special(ExprKind::ThreadIdx, 0));
    AccessSummary &A = Kernel.Accesses.emplace_back();
    A.Pointer = 0;
    A.Mode = GridspanWrite;
    A.ElementSize = 4;
    A.Site = 1;
    A.ExactIfEvaluated = Exact;
    A.Offset =
        P.binary(ExprKind::Add,
                 P.binary(ExprKind::Mul, P.cast(ExprKind::ZExt, Index, 64),
                          P.constant(64, 4)),
                 P.constant(64, Shift));

    Launch.Kernel = "k";
    Launch.GridDim = Launch.BlockCount = {Blocks, 1, 1};
    Launch.BlockDim = {32, 1, 1};
    Launch.Parameters.resize(8);
    uint64_t Base = 0x10000;
    std::memcpy(Launch.Parameters.data(), &Base, 8);
    for (uint32_t Block = 0; Block != Blocks; ++Block) {
      TracedRequest &R = Requests.emplace_back();
      R.Block = {Block, 0, 0};
      R.Site = 1;
      R.Mode = GridspanWrite;
      R.Bytes = 4;
      R.LaneMask = ~0U;
      for (unsigned Lane = 0; Lane != 32; ++Lane)
        R.Addresses.push_back(Base + 4 * (Block * 32 + Lane));
    }
  }

  RangeStatistics check() const {
    RangeStatistics Out;
    checkLaunch(Kernel, Launch, Requests, Out);
    return Out;
  }

  static constexpr uint32_t Blocks = 8;
  KernelSummary Kernel;
  TracedLaunch Launch;
  std::vector<TracedRequest> Requests;
};

} // namespace

TEST(RangeCheck, RightRangesPass) {
  RangeStatistics S = Case().check();
  EXPECT_TRUE(S.Violations.empty());
  // The launch, four quarters, two blocks.
  EXPECT_EQ(S.Checks, 7u);
  EXPECT_EQ(S.Exact, 7u);
  for (double T : S.Tightness)
    EXPECT_EQ(T, 1.0);
}

TEST(RangeCheck, AddressOutsideIsAViolation) {
  RangeStatistics S = Case(/*Shift=*/4).check();
  ASSERT_FALSE(S.Violations.empty());
  EXPECT_EQ(S.Violations[0].Text,
            "block (0, 0, 0) touches 0x10000, which is in "
            "no range of the site");
}

TEST(RangeCheck, UntouchedByteOfAnExactRangeIsAViolation) {
  Case C;
  C.Requests[5].LaneMask &= ~1U;
  C.Requests[5].Addresses.erase(C.Requests[5].Addresses.begin());
  RangeStatistics S = C.check();
  ASSERT_FALSE(S.Violations.empty());
  EXPECT_EQ(S.Violations[0].Text,
            "the range is said to be exact, but 0x10280 is not touched");
  C.Kernel.Accesses[0].ExactIfEvaluated = false;
  EXPECT_TRUE(C.check().Violations.empty());
}

TEST(RangeCheck, ModeAndSiteMustBeKnown) {
  Case C;
  C.Requests[0].Mode = GridspanRead;
  EXPECT_FALSE(C.check().Violations.empty());
  C = Case();
  C.Requests[0].Site = 2;
  ASSERT_FALSE(C.check().Violations.empty());
  EXPECT_EQ(C.check().Violations[0].Text, "the site is not in the summary");
}

TEST(ArgumentTightness, CutsAWholeLaunchIntoFour) {
  Case C;
  KernelTightness T;
  addTightness(C.Kernel, C.Launch, C.Requests, T);
  ASSERT_EQ(T.Arguments.size(), 1u);
  EXPECT_EQ(T.Arguments[0].Tiles, 4u);
  EXPECT_EQ(T.Arguments[0].PredictedBytes, 1024);
  EXPECT_EQ(T.Arguments[0].TouchedBytes, 1024);
  EXPECT_TRUE(T.Arguments[0].IsExact);
  EXPECT_TRUE(T.Arguments[0].SaysExact);
}

TEST(ArgumentTightness, TakesTheTileOfADevice) {
  Case C;
  C.Launch.GridDim = {Case::Blocks + 3, 1, 1};
  C.Requests.pop_back();
  C.Kernel.Accesses[0].ExactIfEvaluated = false;
  KernelTightness T;
  addTightness(C.Kernel, C.Launch, C.Requests, T);
  EXPECT_EQ(T.Arguments[0].Tiles, 1u);
  EXPECT_EQ(T.Arguments[0].PredictedBytes, 1024);
  EXPECT_EQ(T.Arguments[0].TouchedBytes, 896);
  EXPECT_FALSE(T.Arguments[0].IsExact);
  EXPECT_FALSE(T.Arguments[0].SaysExact);
}

TEST(ArgumentTightness, CountsSharedBytesOnce) {
  Case C;
  C.Kernel.Accesses.push_back(C.Kernel.Accesses[0]);
  KernelTightness T;
  addTightness(C.Kernel, C.Launch, C.Requests, T);
  EXPECT_EQ(T.Arguments[0].PredictedBytes, 1024);
  EXPECT_EQ(T.Arguments[0].TouchedBytes, 1024);
}

TEST(ArgumentTightness, NamesWhyThereIsNoRange) {
  Case C;
  C.Kernel.Accesses[0].Offset = C.Kernel.Exprs.unknown(64, "a loaded value");
  C.Kernel.Accesses[0].Why = "a loaded value";
  KernelTightness T;
  addTightness(C.Kernel, C.Launch, C.Requests, T);
  EXPECT_EQ(T.Arguments[0].Unknown, "a loaded value");
  EXPECT_EQ(T.Arguments[0].TouchedBytes, 1024);
  EXPECT_EQ(T.AnyMemory, "");
  C.Kernel.Accesses[0].Pointer = -1;
  addTightness(C.Kernel, C.Launch, C.Requests, T);
  EXPECT_EQ(T.AnyMemory, "a loaded value");
}
