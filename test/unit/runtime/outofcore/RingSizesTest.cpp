//===- RingSizesTest.cpp - Room for each ring of a chain ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/RingSizes.h"
#include "gridspan/ABI.h"
#include "test/unit/runtime/outofcore/FramePlans.h"
#include <gtest/gtest.h>
#include <random>

using namespace gridspan;

namespace {

constexpr uint64_t Frame = 10;

/// Two launches, the second one Lag frames behind the first: allocation 0 is
/// read by both, 1 by the first and 2 by the second.
OutOfCorePlan skewed(uint32_t Count, uint32_t Lag) {
  OutOfCorePlan P;
  for (uint32_t I = 0; I < Count + Lag; ++I) {
    if (I < Count)
      P.Steps.push_back(
          step({{0, I, I + 1, GridspanRead}, {1, I, I + 1, GridspanWrite}}));
    if (I >= Lag)
      P.Steps.push_back(step({{0, I - Lag, I - Lag + 1, GridspanRead},
                              {2, I - Lag, I - Lag + 1, GridspanRead}}));
  }
  return P;
}

/// Checks that each frame that a step uses is in its slot and that no two ever
/// are in one. Apart: it is there on the step's own device.
void replay(const RingPlan &P, const std::vector<PagedView> &Paged,
            bool Apart = false) {
  std::map<std::tuple<unsigned, int, uint32_t>, uint32_t> Slots;
  std::vector<std::vector<int>> Where;
  for (const PagedView &V : Paged)
    Where.emplace_back(V.Frames.size(), Host);
  for (const OutOfCoreStep &S : P.Plan.Steps) {
    for (const FrameRef &R : S.Evict) {
      int &At = Where[R.Allocation][R.Frame];
      ASSERT_NE(At, Host);
      Slots.erase(
          {R.Allocation, At, R.Frame % P.Rings.Slots[R.Allocation][At]});
      At = Host;
    }
    for (const FrameLoad &L : S.Load) {
      const uint32_t Count = P.Rings.Slots[L.Ref.Allocation][S.Device];
      ASSERT_GT(Count, 0u);
      ASSERT_TRUE(
          Slots
              .try_emplace({L.Ref.Allocation, S.Device, L.Ref.Frame % Count},
                           L.Ref.Frame)
              .second);
      Where[L.Ref.Allocation][L.Ref.Frame] = S.Device;
    }
    for (const FrameUse &U : S.Uses)
      for (uint32_t F = U.Lo; F < U.Hi; ++F)
        if (Apart)
          ASSERT_EQ(Where[U.Allocation][F], S.Device);
        else
          ASSERT_NE(Where[U.Allocation][F], Host);
  }
}

} // namespace

TEST(RingSizes, RoomGoesWhereFramesAreUsedAgain) {
  const std::vector<PagedView> Paged(3, frames(20));
  const std::optional<RingPlan> P =
      planInRings(skewed(20, 3), Paged, noRings(3), {60}, false, {}, 0);
  ASSERT_TRUE(P);
  // The second launch finds what the first has read.
  EXPECT_EQ(P->Rings.Slots,
            (std::vector<std::vector<uint32_t>>{{4}, {1}, {1}}));
  EXPECT_EQ(P->Rings.Bytes, (std::vector<uint64_t>{60}));
  EXPECT_TRUE(P->HasRings);
  EXPECT_EQ(P->Plan.BytesIn, 600u);
  EXPECT_EQ(P->Plan.BytesOut, 190u); // the last one stays
  replay(*P, Paged);
}

TEST(RingSizes, WithoutThatRoomTheyComeAgain) {
  const std::vector<PagedView> Paged(3, frames(20));
  const std::optional<RingPlan> P =
      planInRings(skewed(20, 3), Paged, noRings(3), {50}, false, {}, 0);
  ASSERT_TRUE(P);
  EXPECT_GT(P->Plan.BytesIn, 750u);
  replay(*P, Paged);
  // A step needs one frame of each of two, and the third has a slot.
  EXPECT_FALSE(
      planInRings(skewed(20, 3), Paged, noRings(3), {20}, false, {}, 0));
}

TEST(RingSizes, AStepsFramesHaveSlotsOfTheirOwn) {
  OutOfCorePlan P;
  for (uint32_t I = 0; I < 10; ++I)
    P.Steps.push_back(step({{0, I, I + 3, GridspanRead}}));
  const std::vector<PagedView> Paged(1, frames(12));
  const std::optional<RingPlan> Rings =
      planInRings(P, Paged, noRings(1), {50}, false, {}, 0);
  ASSERT_TRUE(Rings);
  EXPECT_EQ(Rings->Rings.Slots[0][0], 3u); // more would save nothing
  EXPECT_EQ(Rings->Plan.BytesIn, 120u);
  replay(*Rings, Paged);
  EXPECT_FALSE(planInRings(P, Paged, noRings(1), {20}, false, {}, 0));
}

TEST(RingSizes, PresentOnesAreKeptWhereTheyDo) {
  std::vector<PagedView> Paged(3, frames(20));
  RingViews Present = noRings(3);
  Present[0][0] = {5, {0, 1, 2, 3, 4}};
  Present[1][0] = {2, {}};
  Present[2][0] = {1, {}};
  for (uint32_t F = 0; F < 5; ++F)
    Paged[0].Frames[F].Where = 0;
  std::optional<RingPlan> P =
      planInRings(skewed(20, 3), Paged, Present, {80}, false, {}, 800);
  ASSERT_TRUE(P);
  EXPECT_EQ(P->Rings.Slots,
            (std::vector<std::vector<uint32_t>>{{5}, {2}, {1}}));
  EXPECT_EQ(P->Plan.BytesIn, 550u); // five are there
  // Where they are too small, others are made, and what is in them leaves.
  Present[0][0] = {2, {0, 1}};
  for (uint32_t F = 2; F < 5; ++F)
    Paged[0].Frames[F].Where = Host;
  Paged[0].Frames[1].Dirty = true;
  P = planInRings(skewed(20, 3), Paged, Present, {80}, false, {}, 800);
  ASSERT_TRUE(P);
  EXPECT_EQ(P->Rings.Slots[0][0], 4u);
  EXPECT_EQ(P->Plan.SaveFirst, (std::vector<FrameRef>{{0, 1}}));
  EXPECT_EQ(P->Plan.Steps[0].Evict, (std::vector<FrameRef>{{0, 0}, {0, 1}}));
  EXPECT_EQ(P->Plan.BytesIn, 600u);
  // But not where to look for them takes too long.
  P = planInRings(skewed(20, 3), Paged, Present, {80}, false, {}, 800, 1e-9);
  ASSERT_TRUE(P);
  EXPECT_EQ(P->Rings.Slots[0][0], 2u);
  EXPECT_FALSE(
      planInRings(skewed(20, 3), Paged, noRings(3), {60}, false, {}, 0, 1e-9));
}

TEST(RingSizes, WhatTheChainDoesNotUseStaysWhereThereIsRoom) {
  std::vector<PagedView> Paged(4, frames(20));
  RingViews Present = noRings(4);
  Present[3][0] = {6, {0}};
  Paged[3].Frames[0].Where = 0;
  std::optional<RingPlan> P =
      planInRings(skewed(20, 3), Paged, Present, {700}, false, {}, 0);
  ASSERT_TRUE(P);
  EXPECT_EQ(P->Rings.Slots[3][0], 6u);
  EXPECT_TRUE(P->Plan.Steps[0].Evict.empty());
  P = planInRings(skewed(20, 3), Paged, Present, {60}, false, {}, 0);
  ASSERT_TRUE(P);
  EXPECT_EQ(P->Rings.Slots[3][0], 0u);
  EXPECT_EQ(P->Plan.Steps[0].Evict, (std::vector<FrameRef>{{3, 0}}));
}

TEST(RingSizes, RandomStepsKeepTheirFrames) {
  for (unsigned Seed = 0; Seed < 200; ++Seed) {
    std::mt19937 Random(Seed);
    const unsigned Devices = 1 + Seed % 2, Allocations = 1 + Random() % 4;
    const bool Apart = Seed % 4 == 3;
    std::vector<PagedView> Paged;
    for (unsigned A = 0; A < Allocations; ++A)
      Paged.push_back(frames(1 + Random() % 12));
    OutOfCorePlan Steps;
    for (unsigned I = 0; I < 40; ++I) {
      OutOfCoreStep S = step({}, static_cast<int>(Random() % Devices));
      for (unsigned A = 0; A < Allocations; ++A) {
        const auto Count = static_cast<uint32_t>(Paged[A].Frames.size());
        const uint32_t Lo = Random() % Count;
        const uint32_t Hi = std::min<uint32_t>(Count, Lo + 1 + Random() % 3);
        if (Random() % 3)
          S.Uses.push_back({A, Lo, Hi,
                            Random() % 2 ? uint32_t(GridspanRead)
                                         : uint32_t(GridspanWrite)});
      }
      Steps.Steps.push_back(std::move(S));
    }
    const std::vector<uint64_t> Budget(Devices, Frame * (8 + Random() % 40));
    const std::optional<RingPlan> P = planInRings(
        Steps, Paged, noRings(Allocations, Devices), Budget, Apart, {}, 0);
    if (!P)
      continue;
    for (unsigned D = 0; D < Devices; ++D)
      EXPECT_LE(P->Rings.Bytes[D], Budget[D]);
    replay(*P, Paged, Apart);
    // No schedule moves less than one that may put frames anywhere.
    OutOfCorePlan Any = Steps;
    ASSERT_TRUE(scheduleFrames(Paged, Budget, Any));
    if (Devices == 1) {
      EXPECT_GE(P->Plan.BytesIn, Any.BytesIn) << Seed;
    }
  }
}
