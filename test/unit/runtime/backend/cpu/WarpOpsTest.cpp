//===- WarpOpsTest.cpp - Exchanges between lanes --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/WarpOps.h"
#include <functional>
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

/// Returns requests of the lanes in Mask, filled in by Set.
struct Warp {
  std::array<LaneRequest, WarpSize> Lanes;
  LaneRequests Requests = {};

  Warp(uint32_t Mask, std::function<void(LaneRequest &, unsigned)> Set) {
    for (unsigned I = 0; I < WarpSize; ++I)
      if (Mask >> I & 1) {
        Lanes[I].Mask = Mask;
        Set(Lanes[I], I);
        Requests[I] = &Lanes[I];
      }
  }
};

constexpr uint32_t Full = ~0u;
constexpr uint64_t Predicate = uint64_t(1) << 32;

LaneResults shuffle(uint32_t Mask, WarpShuffle Mode, uint32_t Operand,
                    uint32_t Clamp) {
  Warp W(Mask, [&](LaneRequest &R, unsigned I) {
    R.Op = WarpOp::Shuffle;
    R.Code = uint32_t(Mode);
    R.Value = 100 + I;
    R.Lane = Operand;
    R.Clamp = Clamp;
  });
  return evaluateWarpOp(W.Requests);
}

/// Returns operand c of a shuffle as the CUDA headers make it from a width.
uint32_t clampFor(uint32_t Width, bool Up) {
  return (32 - Width) << 8 | (Up ? 0 : 31);
}

TEST(WarpOpsTest, ShuffleDownStopsAtTheSegment) {
  const LaneResults R = shuffle(Full, WarpShuffle::Down, 3, clampFor(8, false));
  EXPECT_EQ(R[0], (100 + 3) | Predicate);
  EXPECT_EQ(R[4], (100 + 7) | Predicate);
  EXPECT_EQ(R[5], 105u); // out of range: its own value, no predicate
  EXPECT_EQ(R[28], (100 + 31) | Predicate);
  EXPECT_EQ(R[31], 131u);
}

TEST(WarpOpsTest, ShuffleUpStopsAtTheSegment) {
  const LaneResults R = shuffle(Full, WarpShuffle::Up, 2, clampFor(16, true));
  EXPECT_EQ(R[2], 100 | Predicate);
  EXPECT_EQ(R[1], 101u);
  EXPECT_EQ(R[16], 116u);
  EXPECT_EQ(R[18], 116 | Predicate);
}

TEST(WarpOpsTest, ShuffleButterflyAndIndex) {
  const LaneResults X =
      shuffle(Full, WarpShuffle::Butterfly, 5, clampFor(32, false));
  const LaneResults I =
      shuffle(Full, WarpShuffle::Index, 6, clampFor(4, false));
  for (unsigned Lane = 0; Lane < WarpSize; ++Lane) {
    EXPECT_EQ(X[Lane], (100 + (Lane ^ 5)) | Predicate);
    EXPECT_EQ(I[Lane], (100 + Lane / 4 * 4 + 2) | Predicate);
  }
}

TEST(WarpOpsTest, ShuffleFromAnAbsentLaneGivesTheOwnValue) {
  const LaneResults R =
      shuffle(0x0000000f, WarpShuffle::Down, 1, clampFor(32, false));
  EXPECT_EQ(R[2] & Full, 103u);
  EXPECT_EQ(R[3] & Full, 103u);
}

TEST(WarpOpsTest, Votes) {
  auto Vote = [](WarpVote Code, uint32_t Yes) {
    Warp W(0xff, [&](LaneRequest &R, unsigned I) {
      R.Op = WarpOp::Vote;
      R.Code = uint32_t(Code);
      R.Value = Yes >> I & 1;
    });
    return evaluateWarpOp(W.Requests)[3];
  };
  EXPECT_EQ(Vote(WarpVote::Ballot, 0x1a5), 0xa5u);
  EXPECT_EQ(Vote(WarpVote::All, 0xff), 1u);
  EXPECT_EQ(Vote(WarpVote::All, 0x7f), 0u);
  EXPECT_EQ(Vote(WarpVote::Any, 0x100), 0u);
  EXPECT_EQ(Vote(WarpVote::Any, 0x80), 1u);
  EXPECT_EQ(Vote(WarpVote::Uniform, 0), 1u);
  EXPECT_EQ(Vote(WarpVote::Uniform, 0x0f), 0u);
}

TEST(WarpOpsTest, Matches) {
  Warp Any(0x3f, [](LaneRequest &R, unsigned I) {
    R.Op = WarpOp::MatchAny;
    R.Value = uint64_t(I % 3) << 40;
  });
  EXPECT_EQ(evaluateWarpOp(Any.Requests)[4], 0b010010u);
  Warp All(0x3f, [](LaneRequest &R, unsigned) {
    R.Op = WarpOp::MatchAll;
    R.Value = 7;
  });
  EXPECT_EQ(evaluateWarpOp(All.Requests)[0], 0x3f | Predicate);
  All.Lanes[5].Value = 8;
  EXPECT_EQ(evaluateWarpOp(All.Requests)[0], 0u);
}

TEST(WarpOpsTest, Reductions) {
  auto Reduce = [](WarpReduction Code) {
    Warp W(0xf, [&](LaneRequest &R, unsigned I) {
      R.Op = WarpOp::Reduce;
      R.Code = uint32_t(Code);
      R.Value = uint32_t(int32_t(I) - 2); // -2 -1 0 1
    });
    return uint32_t(evaluateWarpOp(W.Requests)[1]);
  };
  EXPECT_EQ(Reduce(WarpReduction::Add), uint32_t(-2));
  EXPECT_EQ(Reduce(WarpReduction::Min), uint32_t(-2));
  EXPECT_EQ(Reduce(WarpReduction::Max), 1u);
  EXPECT_EQ(Reduce(WarpReduction::UnsignedMin), 0u);
  EXPECT_EQ(Reduce(WarpReduction::UnsignedMax), ~0u);
  EXPECT_EQ(Reduce(WarpReduction::And), 0u);
  EXPECT_EQ(Reduce(WarpReduction::Or), ~0u);
  EXPECT_EQ(Reduce(WarpReduction::Xor), uint32_t(-2) ^ uint32_t(-1) ^ 1u);
}

} // namespace
