//===- ReductionAdviceTest.cpp - Advice on reductions ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/reduction/ReductionAdvice.h"
#include "test/unit/analysis/advice/SiteBuilder.h"
#include <gtest/gtest.h>

using namespace gridspan;

static ReductionAdvice reductionsOf(const SiteBuilder &K) {
  const MachineModel &Machine = machineModelFor("sm_90");
  return analyzeReductions(K.Kernel, traceWarps(K.Kernel, K.Launch, Machine),
                           K.Launch, Machine);
}

namespace {

/// A thread for each of Objects sums of Length doubles.
struct Sums : SiteBuilder {
  static constexpr int Objects = 2048, Length = 10000;

  explicit Sums(bool AreColumns) : SiteBuilder(Objects / 256, 256) {
    ExprId Element = AreColumns
                         ? add(mul(counter(Length), number(Objects)), thread())
                         : add(mul(thread(), number(Length)), counter(Length));
    access(SiteKind::Load, "arg0", Element, 8).Loops = {loop(Length)};
    WorkLevel Level;
    Level.Issue = 4;
    Level.Fp64 = 1;
    Level.HasReduction = true;
    Level.Loops = {loop(Length)};
    Kernel.Work = {Level};
  }
};

/// One sum of N doubles, by a loop that strides over the grid.
struct GridSum : SiteBuilder {
  GridSum(uint32_t Blocks, int N) : SiteBuilder(Blocks, 256) {
    ExprId Step =
        mul(P.special(ExprKind::GridDim, 0), P.special(ExprKind::BlockDim, 0));
    ExprId Last = P.binary(
        ExprKind::UDiv, P.binary(ExprKind::Sub, number(N - 1), thread()), Step);
    SiteLoop Loop = {0, Last, true};
    access(SiteKind::Load, "arg0", P.iter(thread(), Step, Last, 0, 0), 8)
        .Loops = {Loop};
    WorkLevel Level;
    Level.Issue = 4;
    Level.Fp64 = 1;
    Level.HasReduction = true;
    Level.Loops = {Loop};
    Kernel.Work = {Level};
  }
};

/// Atomics to places that are loaded, of so many bits.
struct Scatter : SiteBuilder {
  explicit Scatter(unsigned Bits) : SiteBuilder(65536, 256) {
    access(SiteKind::Load, "arg0", thread(), Bits / 8);
    MemorySite &Site = access(SiteKind::Atomic, "arg1", thread(), 4);
    ExprId Place = P.cast(ExprKind::ZExt, P.unknown(Bits, "it is loaded"), 64);
    Site.Offset = mul(Place, number(4, 64));
    Site.IsResultUsed = false;
    WorkLevel Level;
    Level.Issue = 6;
    Kernel.Work = {Level};
  }
};

} // namespace

TEST(ReductionAdvice, SumsOfRowsAreSharedByBlocks) {
  ReductionAdvice P = reductionsOf(Sums(/*AreColumns=*/false));
  EXPECT_EQ(P.Kind, ReductionKind::Serial);
  EXPECT_TRUE(P.IsRecommended);
  EXPECT_EQ(reductionRule(P), "serial-reduction");
  // Of a sample: what the lanes of a warp share of a sector is counted once.
  const double Bytes = 8.0 * Sums::Objects * Sums::Length;
  EXPECT_NEAR(P.Bytes, Bytes, 0.001 * Bytes);
  EXPECT_EQ(P.Warps, Sums::Objects / 32);
  EXPECT_LT(P.UnderWay, P.NeededUnderWay);
  EXPECT_EQ(P.SumsAcross, 0u);
  EXPECT_EQ(P.Blocks, Sums::Objects / 256);
  EXPECT_EQ(P.WantedBlocks, 8 * machineModelFor("sm_90").Multiprocessors);
}

TEST(ReductionAdvice, BlocksTakeNeighbouringSumsOfColumns) {
  ReductionAdvice P = reductionsOf(Sums(/*AreColumns=*/true));
  EXPECT_EQ(P.Kind, ReductionKind::Serial);
  EXPECT_TRUE(P.IsRecommended);
  EXPECT_EQ(P.SumsAcross, 64u);
  EXPECT_EQ(P.WantedBlocks, 4 * machineModelFor("sm_90").Multiprocessors);
  EXPECT_NE(reductionAdvice(P).find("64 neighbouring sums, 2 a thread"),
            std::string::npos);
}

TEST(ReductionAdvice, WithoutAReductionNothingIsAdvised) {
  Sums K(/*AreColumns=*/true);
  K.Kernel.Work[0].HasReduction = false;
  ReductionAdvice P = reductionsOf(K);
  EXPECT_EQ(P.Kind, ReductionKind::None);
  EXPECT_FALSE(P.IsRecommended);
}

TEST(ReductionAdvice, WhatIsJoinedNeedsEnoughBlocks) {
  GridSum K(10, 100000000);
  K.Kernel.Join = JoinKind::Shuffles;
  ReductionAdvice P = reductionsOf(K);
  EXPECT_EQ(P.Kind, ReductionKind::Block);
  EXPECT_TRUE(P.IsOfGrid);
  EXPECT_TRUE(P.IsRecommended);
  EXPECT_EQ(reductionRule(P), "few-blocks");
  EXPECT_GE(P.WantedBlocks, machineModelFor("sm_90").Multiprocessors);
  EXPECT_GT(P.gain(), 5);
  // More blocks reach more, up to what is wanted.
  ASSERT_GT(P.ByBlocks.size(), 3u);
  for (size_t I = 1; I != P.ByBlocks.size(); ++I)
    if (P.ByBlocks[I].Blocks <= P.WantedBlocks)
      EXPECT_GT(P.ByBlocks[I].GBs, P.ByBlocks[I - 1].GBs);
}

TEST(ReductionAdvice, EnoughBlocksAreLeftAlone) {
  GridSum K(2112, 100000000);
  K.Kernel.Join = JoinKind::SharedMemory;
  ReductionAdvice P = reductionsOf(K);
  EXPECT_EQ(P.Kind, ReductionKind::Block);
  EXPECT_FALSE(P.IsRecommended);
  EXPECT_EQ(P.Reason, ReductionAdviceReason::MemoryBusy);
  EXPECT_EQ(P.WantedBlocks, 2112);
}

TEST(ReductionAdvice, ThreadsThatStrideOverTheGridHaveNoSumsOfTheirOwn) {
  ReductionAdvice P = reductionsOf(GridSum(10, 100000000));
  EXPECT_EQ(P.Kind, ReductionKind::Serial);
  EXPECT_EQ(P.SumsAcross, 0u);
  EXPECT_EQ(reductionRule(P), "few-blocks");
}

TEST(ReductionAdvice, TreesOfOneElementAThreadGatherFirst) {
  SiteBuilder K(390625, 256);
  K.access(SiteKind::Load, "arg0", K.thread(), 4);
  WorkLevel Level;
  Level.Issue = 200;
  K.Kernel.Work = {Level};
  K.Kernel.Join = JoinKind::SharedMemory;
  ReductionAdvice P = reductionsOf(K);
  EXPECT_EQ(P.Kind, ReductionKind::Block);
  EXPECT_TRUE(P.IsRecommended);
  EXPECT_EQ(reductionRule(P), "bare-tree");
  // A scan stores as much as it loads.
  K.access(SiteKind::Store, "arg1", K.thread(), 4);
  EXPECT_EQ(reductionsOf(K).Kind, ReductionKind::None);
}

TEST(ReductionAdvice, ScatteredAtomicsMayGoAnywhere) {
  ReductionAdvice P = reductionsOf(Scatter(32));
  EXPECT_EQ(P.Kind, ReductionKind::None);
  EXPECT_EQ(P.Reason, ReductionAdviceReason::ScatteredAtomics);
  EXPECT_FALSE(P.IsRecommended);
}

TEST(ReductionAdvice, FewPlacesAreCountersOfABlock) {
  ReductionAdvice P = reductionsOf(Scatter(8));
  EXPECT_EQ(P.Kind, ReductionKind::Counters);
  EXPECT_EQ(P.CounterBytes, 1024);
  EXPECT_TRUE(P.IsRecommended);
  EXPECT_EQ(reductionRule(P), "global-counters");
}

TEST(ReductionAdvice, ComparisonsBoundPlaces) {
  Scatter K(32);
  MemorySite &Site = K.Kernel.Sites[1];
  ExprId Place = K.P.unknown(32, "it is loaded");
  Site.Guards.push_back(
      K.P.icmp(llvm::CmpInst::ICMP_ULT, Place, K.number(100)));
  Site.Offset = K.mul(K.P.cast(ExprKind::ZExt, Place, 64), K.number(4, 64));
  ReductionAdvice P = reductionsOf(K);
  EXPECT_EQ(P.Kind, ReductionKind::Counters);
  EXPECT_EQ(P.CounterBytes, 400);
  // An old value that is used is another's too.
  Site.IsResultUsed = true;
  EXPECT_EQ(reductionsOf(K).Reason, ReductionAdviceReason::ScatteredAtomics);
}

TEST(ReductionAdvice, AVectorMayBeReadByEachRow) {
  Sums K(/*AreColumns=*/false);
  K.access(SiteKind::Load, "arg1", K.counter(Sums::Length), 8).Loops = {
      K.loop(Sums::Length)};
  EXPECT_TRUE(reductionsOf(K).IsRecommended);
}

TEST(ReductionAdvice, WhatReadsEverythingAgainIsNoReduction) {
  Sums K(/*AreColumns=*/false);
  K.Kernel.Sites.clear();
  K.access(SiteKind::Load, "arg1", K.counter(Sums::Length), 8).Loops = {
      K.loop(Sums::Length)};
  ReductionAdvice P = reductionsOf(K);
  EXPECT_EQ(P.Reason, ReductionAdviceReason::ReadsAgain);
  EXPECT_FALSE(P.IsRecommended);
}

TEST(ReductionAdvice, UnknownLengthsAreNotPredicted) {
  Sums K(/*AreColumns=*/false);
  K.Kernel.Sites[0].Loops[0].BackedgeTaken = NoExpr;
  EXPECT_EQ(reductionsOf(K).Reason, ReductionAdviceReason::UnknownTripCounts);
}

TEST(ReductionAdvice, ArithmeticIsNoReasonForMoreBlocks) {
  GridSum K(2112, 100000000);
  K.Kernel.Work[0].Issue = K.Kernel.Work[0].Fp64 = 4000;
  EXPECT_EQ(reductionsOf(K).Reason, ReductionAdviceReason::ComputeBound);
}

TEST(ReductionAdvice, SaysFromWhatSizeTheGpuPays) {
  Sums K(/*AreColumns=*/false);
  MachineModel Machine = machineModelFor("sm_90");
  WarpTrace Trace = traceWarps(K.Kernel, K.Launch, Machine);
  Machine.HostCores = 10;
  Machine.HostCoreGBs = 10;
  Machine.HostGBs = 200;
  Machine.HostLinkGBs = 50;
  Machine.HostCallMicroseconds = 2;
  HostComparison H = analyzeReductions(K.Kernel, Trace, K.Launch, Machine).Host;
  EXPECT_EQ(H.Cores, 10u);
  EXPECT_EQ(H.GBs, 100);
  EXPECT_NEAR(H.PaysFromBytes, 7.4e-6 * 100e9, 0.1 * 7.4e-6 * 100e9);
  // The link is slower than the cores, so one pass never pays.
  EXPECT_EQ(H.CopiedPaysFromBytes, 0);
  EXPECT_EQ(H.PassesForCopy, 3);
  Machine.HostLinkGBs = 400;
  H = analyzeReductions(K.Kernel, Trace, K.Launch, Machine).Host;
  EXPECT_GT(H.CopiedPaysFromBytes, H.PaysFromBytes);
}
