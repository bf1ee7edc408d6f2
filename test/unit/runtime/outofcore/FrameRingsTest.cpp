//===- FrameRingsTest.cpp - Slots for frames ------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/FrameRings.h"
#include "gridspan/ABI.h"
#include "test/unit/runtime/outofcore/FramePlans.h"
#include <gtest/gtest.h>
#include <set>

using namespace gridspan;

namespace {

/// Replays the plan and expects every frame's slot to be free when it comes.
void expectDisjoint(const OutOfCorePlan &P, const RingSizes &R) {
  std::set<std::array<uint32_t, 3>> Taken; // allocation, device, slot
  auto At = [&](const FrameRef &F, int Device) {
    return std::array<uint32_t, 3>{F.Allocation, uint32_t(Device),
                                   F.Frame % R.Slots[F.Allocation][Device]};
  };
  for (const OutOfCoreStep &S : P.Steps) {
    for (const FrameRef &F : S.Evict)
      for (int D = 0; D < int(R.Bytes.size()); ++D)
        if (R.Slots[F.Allocation][D])
          Taken.erase(At(F, D));
    for (const FrameLoad &L : S.Load)
      if (R.Slots[L.Ref.Allocation][S.Device]) {
        EXPECT_TRUE(Taken.insert(At(L.Ref, S.Device)).second);
      }
  }
}

} // namespace

TEST(FrameRings, ASweepOfSeveralBuffers) {
  OutOfCorePlan P;
  for (uint32_t I = 0; I < 40; ++I)
    P.Steps.push_back(
        step({{0, I, I + 1, GridspanRead}, {1, I, I + 1, GridspanWrite}}));
  const std::vector<PagedView> Paged = {frames(40), frames(40)};
  ASSERT_TRUE(scheduleFrames(Paged, {80}, P));
  const RingSizes R = chooseRings(P, Paged, noRings(2, 1), 1);
  EXPECT_EQ(R.Slots[0][0], 4u);
  EXPECT_EQ(R.Slots[1][0], 4u);
  EXPECT_EQ(R.Bytes[0], 80u);
  expectDisjoint(P, R);
}

TEST(FrameRings, FramesLeaveBeforeTheStepsOthersCome) {
  OutOfCorePlan P;
  for (uint32_t I = 0; I < 40; ++I)
    P.Steps.push_back(
        step({{0, I, I + 1, GridspanRead}, {1, I, I + 1, GridspanWrite}}));
  const std::vector<PagedView> Paged = {frames(40), frames(40)};
  ASSERT_TRUE(scheduleFrames(Paged, {70}, P));
  const RingSizes R = chooseRings(P, Paged, noRings(2, 1), 1);
  EXPECT_EQ(R.Bytes[0], 70u);
  expectDisjoint(P, R);
}

TEST(FrameRings, HalosAreContiguous) {
  OutOfCorePlan P;
  for (uint32_t I = 0; I < 20; ++I)
    P.Steps.push_back(step({{0, I, I + 3, GridspanRead}}));
  const std::vector<PagedView> Paged = {frames(22)};
  ASSERT_TRUE(scheduleFrames(Paged, {50}, P));
  const RingSizes R = chooseRings(P, Paged, noRings(1, 1), 1);
  EXPECT_EQ(R.Slots[0][0], 5u);
  expectDisjoint(P, R);
}

TEST(FrameRings, FramesFarApartAreMapped) {
  OutOfCorePlan P;
  for (uint32_t I = 0; I < 8; ++I)
    P.Steps.push_back(step({{0, I, I + 1, GridspanRead},
                            {0, I + 10, I + 11, GridspanRead},
                            {1, I, I + 1, GridspanWrite}}));
  const std::vector<PagedView> Paged = {frames(20), frames(8)};
  ASSERT_TRUE(scheduleFrames(Paged, {90}, P));
  const RingSizes R = chooseRings(P, Paged, noRings(2, 1), 1);
  EXPECT_EQ(R.Slots[0][0], 0u);
  EXPECT_NE(R.Slots[1][0], 0u);
}

TEST(FrameRings, ARingThatWillDoIsKept) {
  OutOfCorePlan P;
  for (uint32_t I = 0; I < 20; ++I) // backward, from what is there
    P.Steps.push_back(step({{0, 19 - I, 20 - I, GridspanRead}}));
  PagedView V = frames(20);
  RingViews Present = noRings(1, 1);
  Present[0][0].Slots = 7;
  for (uint32_t F = 13; F < 20; ++F) {
    V.Frames[F].Where = 0;
    Present[0][0].Frames.push_back(F);
  }
  ASSERT_TRUE(scheduleFrames({V}, {70}, P));
  EXPECT_EQ(chooseRings(P, {V}, Present, 1).Slots[0][0], 7u);
  // One whose slots would be shared is not.
  Present[0][0].Slots = 5;
  Present[0][0].Frames = {13, 14, 15, 16, 17};
  EXPECT_EQ(chooseRings(P, {V}, Present, 1).Slots[0][0], 7u);
}

TEST(FrameRings, EachDeviceHasItsOwn) {
  OutOfCorePlan P;
  for (uint32_t I = 0; I < 10; ++I)
    for (int D = 0; D < 2; ++D)
      P.Steps.push_back(
          step({{0, I + 10 * D, I + 10 * D + 1, GridspanRead}}, D));
  const std::vector<PagedView> Paged = {frames(20)};
  ASSERT_TRUE(scheduleFrames(Paged, {30, 40}, P));
  const RingSizes R = chooseRings(P, Paged, noRings(1, 2), 2);
  EXPECT_EQ(R.Slots[0][0], 3u);
  EXPECT_EQ(R.Slots[0][1], 4u);
  expectDisjoint(P, R);
}

TEST(FrameRings, AFrameThatStaysIsLeftOutside) {
  OutOfCorePlan P;
  for (uint32_t I = 0; I < 30; ++I)
    P.Steps.push_back(step({{0, I, I + 2, GridspanRead}}));
  P.Steps.push_back(step({{0, 0, 1, GridspanRead}})); // another device's end
  const std::vector<PagedView> Paged = {frames(31)};
  ASSERT_TRUE(scheduleFrames(Paged, {60}, P));
  const RingSizes R = chooseRings(P, Paged, noRings(1, 1), 1);
  EXPECT_NE(R.Slots[0][0], 0u);
  EXPECT_EQ(R.Outside[0][0], (std::vector<uint32_t>{0}));
  EXPECT_EQ(R.Bytes[0], (R.Slots[0][0] + 1) * 10);
}

TEST(FrameRings, AFewFramesOutsideAreBetterThanManySlots) {
  // The part of a device in the middle: its first frame is needed once more at
  // the end, by the device before, so all its frames would want slots of their
  // own.
  OutOfCorePlan P;
  for (uint32_t I = 0; I < 17; ++I)
    P.Steps.push_back(step({{0, I, I + 1, GridspanRead}}));
  P.Steps.push_back(step({{0, 0, 1, GridspanRead}}));
  const std::vector<PagedView> Paged = {frames(17)};
  ASSERT_TRUE(scheduleFrames(Paged, {90}, P));
  const RingSizes R = chooseRings(P, Paged, noRings(1, 1), 1);
  EXPECT_LE(R.Bytes[0], 90u);
  EXPECT_EQ(R.Outside[0][0], (std::vector<uint32_t>{0}));
}

TEST(FrameRings, NothingThatComesNeedsNone) {
  OutOfCorePlan P;
  P.Steps.push_back(step({{0, 0, 1, GridspanRead}}));
  PagedView V = frames(4);
  V.Frames[0].Where = 0;
  ASSERT_TRUE(scheduleFrames({V}, {40}, P));
  EXPECT_EQ(chooseRings(P, {V}, noRings(1, 1), 1).Slots[0][0], 0u);
}

/// A sweep over buffers of which the first Early[A] frames are there already,
/// in a ring of as many slots; the one behind is only written.
static void expectRingsKept(std::vector<uint32_t> Early, uint32_t Budget) {
  constexpr uint32_t Frames = 64;
  std::vector<PagedView> Paged;
  RingViews Present;
  for (uint32_t Count : Early) {
    Paged.push_back(frames(Frames));
    RingView Ring = {Count, {}};
    for (uint32_t F = 0; F < Count; ++F) {
      Paged.back().Frames[F].Where = 0;
      Ring.Frames.push_back(F);
    }
    Present.push_back({Ring});
  }
  Paged.push_back(frames(Frames));
  for (PagedView::Frame &F : Paged.back().Frames)
    F.Overwritten = true;
  Present.emplace_back(1);
  OutOfCorePlan P;
  for (uint32_t I = 0; I < Frames; ++I) {
    OutOfCoreStep S = step({});
    for (unsigned A = 0; A < Paged.size(); ++A)
      S.Uses.push_back(
          {A, I, I + 1, A < Early.size() ? GridspanRead : GridspanWrite});
    P.Steps.push_back(std::move(S));
  }
  ASSERT_TRUE(scheduleFrames(Paged, {Budget * 10}, P));
  const RingSizes R = chooseRings(P, Paged, Present, 1);
  for (unsigned A = 0; A < Early.size(); ++A)
    EXPECT_EQ(R.Slots[A][0], Early[A]) << A;
  EXPECT_GE(R.Slots.back()[0], 4u);
  EXPECT_LE(R.Bytes[0], Budget * 10u);
  for (const auto &Outside : R.Outside)
    EXPECT_TRUE(Outside[0].empty());
}

TEST(FrameRings, WhatCameEarlyStaysInItsRing) {
  expectRingsKept({15}, 30);
  expectRingsKept({16}, 31);
  expectRingsKept({10, 10}, 30);
  expectRingsKept({16, 8}, 31);
  expectRingsKept({15, 8, 4}, 31);
}
