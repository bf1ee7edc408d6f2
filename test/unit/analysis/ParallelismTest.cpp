//===- ParallelismTest.cpp
//-----------------------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gridspan/Analysis/Parallelism.h"
#include "SiteBuilder.h"
#include <gtest/gtest.h>

using namespace gridspan;

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
  KernelParallelism analyze() {
    const MachineModel &Machine = machineModelFor("sm_90");
    return analyzeParallelism(Kernel, traceLaunch(Kernel, Launch, Machine),
                              Launch, Machine);
  }
};

} // namespace

TEST(Parallelism, SumsOfRowsAreSharedByBlocks) {
  KernelParallelism P = Sums(/*AreColumns=*/false).analyze();
  EXPECT_EQ(P.Kind, ReductionKind::Serial);
  EXPECT_TRUE(P.IsRecommended);
  // Of a sample: what the lanes of a warp share of a sector is counted once.
  const double Bytes = 8.0 * Sums::Objects * Sums::Length;
  EXPECT_NEAR(P.Bytes, Bytes, 0.1 * Bytes);
  EXPECT_EQ(P.Warps, Sums::Objects / 32);
  EXPECT_LT(P.UnderWay, P.NeededUnderWay);
  EXPECT_EQ(P.SumsAcross, 0u);
  EXPECT_EQ(P.WantedBlocks, 8 * machineModelFor("sm_90").Multiprocessors);
}

TEST(Parallelism, BlocksTakeNeighbouringSumsOfColumns) {
  KernelParallelism P = Sums(/*AreColumns=*/true).analyze();
  EXPECT_EQ(P.Kind, ReductionKind::Serial);
  EXPECT_TRUE(P.IsRecommended);
  EXPECT_EQ(P.SumsAcross, 64u);
  EXPECT_EQ(P.WantedBlocks, 4 * machineModelFor("sm_90").Multiprocessors);
  EXPECT_NE(parallelismAdvice(P).find("64 neighbouring sums, 2 a thread"),
            std::string::npos);
}

TEST(Parallelism, WithoutAReductionNothingIsAdvised) {
  Sums K(/*AreColumns=*/true);
  K.Kernel.Work[0].HasReduction = false;
  KernelParallelism P = K.analyze();
  EXPECT_EQ(P.Kind, ReductionKind::None);
  EXPECT_FALSE(P.IsRecommended);
}
