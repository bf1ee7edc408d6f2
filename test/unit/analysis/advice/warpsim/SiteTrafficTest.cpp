//===- SiteTrafficTest.cpp - Requests of a site in a launch ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/warpsim/SiteTraffic.h"
#include "analysis/expr/LaneStride.h"
#include "analysis/machine/WarpRequest.h"
#include "llvm/IR/InstrTypes.h"
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace llvm;
using namespace gridspan;

namespace {

/// A kernel with one site, and shorthands for its expressions.
struct OneSite {
  ExprGraph P;
  MemorySite Site;
  LaunchValues Launch;

  explicit OneSite(unsigned Size = 4) {
    Site.Size = Site.Piece = Size;
    Launch.Block = {256, 1, 1};
    Launch.Grid = {4, 1, 1};
  }

  ExprId constant(int64_t V, unsigned Width = 32) {
    return P.constant(Width, V);
  }
  ExprId add(ExprId A, ExprId B) { return P.binary(ExprKind::Add, A, B); }
  ExprId mul(ExprId A, ExprId B) { return P.binary(ExprKind::Mul, A, B); }
  /// blockIdx * blockDim + threadIdx along an axis.
  ExprId id(unsigned Axis) {
    return add(mul(P.special(ExprKind::BlockIdx, Axis),
                   P.special(ExprKind::BlockDim, Axis)),
               P.special(ExprKind::ThreadIdx, Axis));
  }
  void setIndex(ExprId Index) {
    Site.Offset =
        mul(P.cast(ExprKind::SExt, Index, 64), P.constant(64, Site.Size));
  }
  SiteTraffic run(unsigned MaxRequests = 1 << 20) {
    return evaluateTraffic(P, Site, Launch, {MaxRequests, 0});
  }
};

TEST(SiteTraffic, ConsecutiveFloats) {
  OneSite K;
  K.setIndex(K.id(0));
  SiteTraffic T = K.run();
  ASSERT_TRUE(T.Sums);
  EXPECT_TRUE(T.IsExact);
  EXPECT_EQ(T.Sums->Requests, 32);
  EXPECT_EQ(T.Sums->Units, 32 * 4);
  EXPECT_EQ(T.Sums->Ideal, 32 * 4);
  EXPECT_EQ(T.Sums->WorstUnits, 32 * 5);
  EXPECT_EQ(T.LaneStride, 4);
}

TEST(SiteTraffic, LastWarpIsPartial) {
  OneSite K;
  K.setIndex(K.id(0));
  K.Launch.Block = {48, 1, 1};
  K.Launch.Grid = {1, 1, 1};
  K.Site.Guards = {K.P.icmp(CmpInst::ICMP_SLT, K.id(0), K.constant(41))};
  SiteTraffic T = K.run();
  ASSERT_TRUE(T.Sums);
  EXPECT_TRUE(T.IsExact);
  EXPECT_EQ(T.Sums->Requests, 2);
  EXPECT_EQ(T.Sums->Lanes, 41);
  EXPECT_EQ(T.Sums->Units, 4 + 2);
  EXPECT_EQ(T.Sums->MinUnits, 2u);
}

TEST(SiteTraffic, WarpSpansRows) {
  // 16x16 block on rows of 100 floats: two runs of 64 bytes a request.
  OneSite K;
  K.Launch.Block = {16, 16, 1};
  K.Launch.Grid = {1, 1, 1};
  K.setIndex(K.add(K.mul(K.id(1), K.constant(100)), K.id(0)));
  SiteTraffic T = K.run();
  ASSERT_TRUE(T.Sums);
  // Rows start at multiples of 400 bytes, every other one misaligned.
  EXPECT_EQ(T.Sums->Units, 8 * (2 + 3));
  EXPECT_EQ(T.LaneStride, std::nullopt);
}

TEST(SiteTraffic, LoopsThatEndWithTheLane) {
  // for (k = 0; k <= tid; ++k) a[k * 32 + tid]
  OneSite K;
  K.Launch.Block = {32, 1, 1};
  K.Launch.Grid = {1, 1, 1};
  ExprId Tid = K.P.special(ExprKind::ThreadIdx, 0);
  ExprId I = K.P.iter(K.constant(0), K.constant(1), Tid, 0, 3);
  K.setIndex(K.add(K.mul(I, K.constant(32)), Tid));
  K.Site.Loops = {{3, Tid}};
  SiteTraffic T = K.run();
  ASSERT_TRUE(T.Sums);
  EXPECT_TRUE(T.DoLoopsDiverge);
  EXPECT_FALSE(T.IsExact) << "unrolling would change it";
  EXPECT_EQ(T.Sums->Requests, 32);
  EXPECT_EQ(T.Sums->Lanes, 32 * 33 / 2);
  double Sectors = 0;
  for (int Iteration = 0; Iteration != 32; ++Iteration)
    Sectors += 4 - Iteration / 8;
  EXPECT_EQ(T.Sums->Units, Sectors);
}

TEST(SiteTraffic, UniformAddressUnderALoopOfItsOwn) {
  // The address does not depend on the loop, the requests do.
  OneSite K;
  K.setIndex(K.P.special(ExprKind::BlockIdx, 0));
  K.Site.Loops = {{0, K.P.param(32, 5, 0)}};
  K.Launch.Params[{5, 0}] = 9;
  SiteTraffic T = K.run();
  ASSERT_TRUE(T.Sums);
  EXPECT_EQ(T.Sums->Requests, 4 * 8 * 10);
  EXPECT_TRUE(T.IsBroadcast);
  EXPECT_EQ(T.LaneStride, 0);
}

TEST(SiteTraffic, GuardOfLaterIterationsDoesNotStopTheLoop) {
  // for (k = 0; k < 8; ++k) if (k >= 2) a[tid]
  OneSite K;
  K.Launch.Grid = {1, 1, 1};
  ExprId I = K.P.iter(K.constant(0), K.constant(1), K.constant(7), 0, 0);
  K.setIndex(K.P.special(ExprKind::ThreadIdx, 0));
  K.Site.Guards = {K.P.icmp(CmpInst::ICMP_SGE, I, K.constant(2))};
  K.Site.Loops = {{0, K.constant(7)}};
  SiteTraffic T = K.run();
  ASSERT_TRUE(T.Sums);
  EXPECT_EQ(T.Sums->Requests, 8 * 6);
}

TEST(SiteTraffic, WideAccessesAreSplit) {
  OneSite K(32);
  K.Site.Piece = 16;
  K.setIndex(K.id(0));
  SiteTraffic T = K.run();
  ASSERT_TRUE(T.Sums);
  EXPECT_EQ(T.Sums->Requests, 2 * 32);
  EXPECT_EQ(T.Sums->Units, 2 * 32 * 32);
  EXPECT_EQ(T.Sums->Ideal, 2 * 32 * 16);
}

TEST(SiteTraffic, UnknownAddressesHaveAReason) {
  OneSite K;
  K.setIndex(K.P.unknown(32, "a value loaded from memory"));
  EXPECT_EQ(K.run().Why, "a value loaded from memory");
  OneSite L;
  L.setIndex(L.P.param(32, 0, 0));
  EXPECT_EQ(L.run().Why, "it depends on a parameter without a value");
}

TEST(SiteTraffic, UnknownConditionsAndCountsAreSaid) {
  OneSite K;
  K.setIndex(K.id(0));
  K.Site.Guards = {K.P.unknown(1, "a value loaded from memory")};
  SiteTraffic T = K.run();
  EXPECT_FALSE(T.AreGuardsKnown);
  EXPECT_FALSE(T.IsExact);
  ASSERT_TRUE(T.Sums);
  EXPECT_EQ(T.Sums->Units, 32 * 4);
  K.Site.Guards = {};
  K.Site.Loops = {{0, NoExpr}};
  T = K.run();
  EXPECT_FALSE(T.AreTripCountsKnown);
  EXPECT_FALSE(T.IsExact);
}

TEST(SiteTraffic, SampledSumsAreCloseToExactOnes) {
  // Rows of 1001 floats: all alignments in turn.
  OneSite K;
  K.Launch.Block = {32, 8, 1};
  K.Launch.Grid = {31, 97, 1};
  K.setIndex(K.add(K.mul(K.id(1), K.constant(1001)), K.id(0)));
  K.Site.Guards = {K.P.icmp(CmpInst::ICMP_SLT, K.id(0), K.constant(970)),
                   K.P.icmp(CmpInst::ICMP_SLT, K.id(1), K.constant(771))};
  SiteTraffic Exact = K.run(), Sampled = K.run(2000);
  ASSERT_TRUE(Exact.Sums && Sampled.Sums);
  EXPECT_TRUE(Exact.IsExact);
  EXPECT_TRUE(Sampled.IsSampled);
  EXPECT_FALSE(Sampled.IsExact);
  EXPECT_NEAR(Sampled.Sums->Units / Sampled.Sums->Requests,
              Exact.Sums->Units / Exact.Sums->Requests, 0.1);
  EXPECT_NEAR(Sampled.Sums->Requests / Exact.Sums->Requests, 1, 0.05);
}

TEST(SiteTraffic, LongLoopsInSomeBlocksStayWithinTheBudget) {
  // blockIdx.x << 40 iterations: none in the block that the budget is made for.
  OneSite K;
  K.Launch.Block = {32, 1, 1};
  K.Launch.Grid = {1, 3, 1};
  ExprId Trips = K.P.binary(
      ExprKind::Shl,
      K.P.cast(ExprKind::ZExt,
               K.P.binary(ExprKind::And, K.P.special(ExprKind::BlockIdx, 1),
                          K.constant(2)),
               64),
      K.constant(40, 64));
  K.setIndex(K.P.special(ExprKind::ThreadIdx, 0));
  K.Site.Loops = {{0, Trips}};
  for (unsigned MaxRequests : {0u, 100u, 4096u}) {
    SiteTraffic T = K.run(MaxRequests);
    ASSERT_TRUE(T.Sums);
    EXPECT_TRUE(T.IsSampled);
    EXPECT_NEAR(T.Sums->Requests, 2e0 * (uint64_t(1) << 40), 1e9);
  }
}

TEST(SiteTraffic, SharedMemoryCountsPasses) {
  OneSite K;
  K.Site.Space = MemorySpace::Shared;
  K.Launch.Block = {32, 32, 1};
  K.Launch.Grid = {1, 1, 1};
  ExprId X = K.P.special(ExprKind::ThreadIdx, 0);
  ExprId Y = K.P.special(ExprKind::ThreadIdx, 1);
  K.setIndex(K.add(K.mul(X, K.constant(32)), Y));
  EXPECT_EQ(K.run().Sums->Units, 32 * 32);
  K.setIndex(K.add(K.mul(X, K.constant(33)), Y));
  EXPECT_EQ(K.run().Sums->Units, 32);
}

/// Independent of everything in analysis/: integers, sets, nested loops.
TEST(SiteTraffic, AgreesWithBruteForce) {
  std::mt19937 Random(1);
  auto pick = [&](int Lo, int Hi) {
    return std::uniform_int_distribution<int>(Lo, Hi)(Random);
  };
  for (int Round = 0; Round != 150; ++Round) {
    const unsigned Sizes[] = {1, 2, 4, 8, 16};
    OneSite K(Sizes[pick(0, 4)]);
    const std::array<uint32_t, 3> Blocks[] = {
        {32, 4, 1}, {16, 8, 1}, {7, 9, 2}, {100, 1, 1}, {1, 64, 1}, {5, 5, 5}};
    K.Launch.Block = Blocks[pick(0, 5)];
    K.Launch.Grid = {uint32_t(pick(1, 3)), uint32_t(pick(1, 2)), 1};
    int CX = pick(-2, 5), CY = pick(0, 70), CZ = pick(0, 300), CK = pick(0, 9);
    int C0 = pick(0, 9), Bound = pick(10, 200), Trips = pick(1, 5);
    int Divisor = pick(1, 4), Quotient = pick(0, 1);
    // ((x * CX) / Divisor or not) + y * CY + z * CZ + k * CK + C0
    ExprId X = K.mul(K.id(0), K.constant(CX));
    if (Quotient)
      X = K.P.binary(ExprKind::SDiv, X, K.constant(Divisor));
    ExprId I =
        K.P.iter(K.constant(0), K.constant(1), K.constant(Trips - 1), 0, 0);
    ExprId Index = K.add(X, K.mul(K.id(1), K.constant(CY)));
    Index = K.add(Index, K.mul(K.id(2), K.constant(CZ)));
    Index = K.add(K.add(Index, K.mul(I, K.constant(CK))), K.constant(C0));
    K.setIndex(Index);
    K.Site.Loops = {{0, K.constant(Trips - 1)}};
    ExprId Guarded = K.add(K.id(0), K.add(K.id(1), I));
    K.Site.Guards = {K.P.icmp(CmpInst::ICMP_SLT, Guarded, K.constant(Bound))};
    SiteTraffic T = K.run();

    double Requests = 0, Sectors = 0, Ideal = 0, Lanes = 0;
    auto [BX, BY, BZ] = K.Launch.Block;
    int Threads = BX * BY * BZ;
    for (uint32_t GY = 0; GY != K.Launch.Grid[1]; ++GY)
      for (uint32_t GX = 0; GX != K.Launch.Grid[0]; ++GX)
        for (int First = 0; First < Threads; First += 32)
          for (int It = 0; It != Trips; ++It) {
            std::set<int64_t> Touched;
            int Active = 0;
            for (int T = First; T < std::min(First + 32, Threads); ++T) {
              int TX = T % BX, TY = T / BX % BY, TZ = T / BX / BY;
              int GlobalX = GX * BX + TX, GlobalY = GY * BY + TY;
              if (GlobalX + GlobalY + It >= Bound)
                continue;
              int64_t At = GlobalX * CX;
              if (Quotient)
                At /= Divisor;
              At = (At + GlobalY * CY + TZ * CZ + It * CK + C0) *
                   int64_t(K.Site.Size);
              for (unsigned B = 0; B != K.Site.Size; ++B)
                Touched.insert((At + B + (1 << 20)) / 32);
              ++Active;
            }
            if (!Active)
              continue;
            Requests += 1;
            Lanes += Active;
            Sectors += Touched.size();
            Ideal += std::min<size_t>(Touched.size(),
                                      (Active * K.Site.Size + 31) / 32);
          }
    ASSERT_TRUE(T.Sums) << T.Why;
    ASSERT_TRUE(T.IsExact);
    ASSERT_EQ(T.Sums->Requests, Requests) << "round " << Round;
    ASSERT_EQ(T.Sums->Lanes, Lanes) << "round " << Round;
    ASSERT_EQ(T.Sums->Units, Sectors) << "round " << Round;
    ASSERT_EQ(T.Sums->Ideal, Ideal) << "round " << Round;
  }
}

TEST(LaneStride, LinearIndices) {
  ExprGraph P;
  ExprId X = P.special(ExprKind::ThreadIdx, 0);
  ExprId Y = P.special(ExprKind::ThreadIdx, 1);
  ExprId Width = P.param(32, 2, 0);
  ExprId Index = P.binary(ExprKind::Add, P.binary(ExprKind::Mul, Y, Width), X);
  ExprId Offset = P.binary(ExprKind::Shl, P.cast(ExprKind::SExt, Index, 64),
                           P.constant(64, 2));
  EXPECT_EQ(P.constantValue(threadStride(P, Offset, 0)), 4);
  EXPECT_EQ(P.constantValue(threadStride(P, Offset, 2)), 0);
  EXPECT_EQ(threadStride(P, Offset, 1),
            P.binary(ExprKind::Mul, P.cast(ExprKind::SExt, Width, 64),
                     P.constant(64, 4)));
}

TEST(LaneStride, NoneWhereItIsNotTheSameInAllThreads) {
  ExprGraph P;
  ExprId X = P.special(ExprKind::ThreadIdx, 0);
  EXPECT_EQ(threadStride(P, P.binary(ExprKind::Mul, X, X), 0), NoExpr);
  EXPECT_EQ(threadStride(P, P.binary(ExprKind::SDiv, X, P.constant(32, 3)), 0),
            NoExpr);
  EXPECT_EQ(threadStride(P, P.unknown(32, "loaded"), 0), NoExpr);
  EXPECT_EQ(P.constantValue(threadStride(
                P, P.binary(ExprKind::SDiv, X, P.constant(32, 3)), 1)),
            0);
}

TEST(LaneStride, LoopCounters) {
  ExprGraph P;
  ExprId X = P.special(ExprKind::ThreadIdx, 0);
  ExprId Strided = P.iter(X, P.special(ExprKind::BlockDim, 0), NoExpr, 0, 0);
  ExprId Own = P.iter(P.constant(32, 0), X, NoExpr, 0, 1);
  EXPECT_EQ(P.constantValue(threadStride(P, Strided, 0)), 1);
  EXPECT_EQ(threadStride(P, Own, 0), NoExpr);
}

} // namespace
