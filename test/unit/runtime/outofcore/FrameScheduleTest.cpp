//===- FrameScheduleTest.cpp - Frames that come and go --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/FrameSchedule.h"
#include "gridspan/ABI.h"
#include "test/unit/runtime/outofcore/FramePlans.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace gridspan;

namespace {

/// Step I touches frames [I, I + Width).
OutOfCorePlan sweep(uint32_t Steps, uint32_t Width, uint32_t Modes) {
  OutOfCorePlan P;
  for (uint32_t I = 0; I < Steps; ++I)
    P.Steps.push_back(step({{0, I, I + Width, Modes}}));
  return P;
}

} // namespace

TEST(FrameSchedule, SharedFramesStay) {
  OutOfCorePlan P = sweep(10, 3, GridspanRead);
  ASSERT_TRUE(scheduleFrames({frames(12)}, {40}, P));
  EXPECT_EQ(P.BytesIn, 120u); // each frame once
  EXPECT_EQ(P.BytesOut, 0u);
  EXPECT_EQ(P.Steps[0].Load.size(), 3u);
  EXPECT_EQ(P.Steps[5].Load.size(), 1u);
  EXPECT_EQ(P.Steps[5].Evict, (std::vector<FrameRef>{{0, 3}}));
}

TEST(FrameSchedule, WhatIsWrittenIsSavedBehindItsLastWrite) {
  OutOfCorePlan P = sweep(10, 2, GridspanWrite);
  ASSERT_TRUE(scheduleFrames({frames(11)}, {40}, P));
  // Frame 3 is written by steps 2 and 3 and leaves later.
  EXPECT_EQ(P.Steps[2].Save, (std::vector<FrameRef>{{0, 2}}));
  EXPECT_EQ(P.Steps[3].Save, (std::vector<FrameRef>{{0, 3}}));
  // The last ones stay, for whoever comes next.
  EXPECT_EQ(P.BytesOut, 70u);
  EXPECT_TRUE(P.EvictLast.empty());
}

TEST(FrameSchedule, WhatIsFreedNextIsNotSaved) {
  PagedView V = frames(11);
  V.IsFreedNext = true;
  OutOfCorePlan P = sweep(10, 2, GridspanWrite);
  ASSERT_TRUE(scheduleFrames({V}, {40}, P));
  EXPECT_EQ(P.BytesOut, 0u);
  // Also managed memory, and what was written before.
  V.Frames[10].MustWriteBack = true;
  for (uint32_t F = 0; F < 3; ++F) {
    V.Frames[F].Where = 0;
    V.Frames[F].Dirty = true;
  }
  P = sweep(10, 2, GridspanWrite);
  ASSERT_TRUE(scheduleFrames({V}, {40}, P));
  EXPECT_EQ(P.BytesOut, 0u);
  EXPECT_TRUE(P.SaveFirst.empty());
  // Nor beside the chunks.
  V.Saves = true;
  P = sweep(10, 2, GridspanWrite);
  ASSERT_TRUE(scheduleFrames({V}, {40}, P));
  EXPECT_EQ(P.BytesOut, 0u);
  V.Saves = false;
  // But what comes again.
  P = sweep(10, 2, GridspanWrite);
  P.Steps.push_back(step({{0, 0, 1, GridspanRead}}));
  for (PagedView::Frame &F : V.Frames)
    F = {10, Host, false, true, false};
  ASSERT_TRUE(scheduleFrames({V}, {20}, P));
  EXPECT_EQ(P.BytesOut, 10u);
}

TEST(FrameSchedule, TheLeastIsEachFrameOnce) {
  // There and back, with room for a third.
  OutOfCorePlan P = sweep(10, 2, GridspanRead | GridspanWrite);
  for (uint32_t I = 10; I-- > 0;)
    P.Steps.push_back(step({{0, I, I + 2, GridspanRead | GridspanWrite}}));
  PagedView V = frames(11);
  ASSERT_TRUE(scheduleFrames({V}, {40}, P));
  EXPECT_GT(P.BytesIn, 110u);
  EXPECT_GT(P.BytesOut, 110u);
  std::vector<BusBytes> Least = leastTraffic({V}, {40}, P);
  ASSERT_EQ(Least.size(), 1u);
  EXPECT_EQ(Least[0].In, 110u);
  EXPECT_EQ(Least[0].Out, 70u); // the rest may stay
  // What is there, is overwritten, or has to go.
  V.Frames[0].Where = V.Frames[1].Where = 0;
  V.Frames[5].Overwritten = true;
  for (PagedView::Frame &F : V.Frames)
    F.MustWriteBack = true;
  Least = leastTraffic({V}, {40}, P);
  EXPECT_EQ(Least[0].In, 80u);
  EXPECT_EQ(Least[0].Out, 110u);
  // By launch: the first one that wants a frame has it come.
  for (size_t I = 10; I < 20; ++I)
    P.Steps[I].Launch = 1;
  Least = leastTraffic({V}, {40}, P, false, {{{}}, {{}}});
  ASSERT_EQ(Least.size(), 2u);
  EXPECT_EQ(Least[0].In, 90u);
  EXPECT_EQ(Least[1].In, 0u);
  EXPECT_EQ(Least[0].Out + Least[1].Out, 110u);
}

/// Random launches whose steps take turns as they like, on frames that are
/// anywhere: no schedule moves less than the least.
TEST(FrameSchedule, NothingMovesLessThanTheLeast) {
  std::mt19937 Random(5);
  const auto Below = [&](uint32_t N) { return uint32_t(Random() % N); };
  unsigned Scheduled = 0, Reached = 0;
  for (int Case = 0; Case < 500; ++Case) {
    const unsigned Allocations = 1 + Below(3), Launches = 1 + Below(4);
    const unsigned Devices = 1 + Below(2);
    const std::vector<uint64_t> Budget(Devices, 10 * (4 + Below(20)));
    std::vector<PagedView> Views;
    std::vector<uint64_t> Used(Devices);
    for (unsigned A = 0; A < Allocations; ++A) {
      PagedView &V = Views.emplace_back(frames(1 + Below(16)));
      V.IsFreedNext = Below(6) == 0;
      V.Saves = Below(6) == 0;
      for (PagedView::Frame &F : V.Frames) {
        F.Filled = Below(8);
        F.MustWriteBack = Below(3) == 0;
        const unsigned D = Below(Devices);
        if (Below(3) == 0 && Used[D] + 10 <= Budget[D]) {
          Used[D] += 10;
          F.Where = static_cast<Location>(D);
          F.Filled = true;
          F.Dirty = Below(2);
        }
      }
    }
    OutOfCorePlan P;
    std::vector<OverwrittenFrames> Overwritten(Launches);
    for (OverwrittenFrames &O : Overwritten)
      for (const PagedView &V : Views) {
        O.emplace_back(V.Frames.size());
        for (size_t F = 0; F < V.Frames.size(); ++F)
          O.back()[F] = Below(4) == 0;
      }
    for (unsigned S = 0, E = 1 + Below(30); S < E; ++S) {
      const unsigned A = Below(Allocations), L = Below(Launches);
      const auto Count = static_cast<uint32_t>(Views[A].Frames.size());
      const uint32_t Lo = Below(Count), Hi = std::min(Count, Lo + 1 + Below(3));
      // What a launch overwrites it does not read.
      const std::vector<bool> &O = Overwritten[L][A];
      const uint32_t Modes =
          std::find(O.begin() + Lo, O.begin() + Hi, true) != O.begin() + Hi
              ? GridspanWrite
          : Below(2) ? GridspanRead
                     : GridspanRead | GridspanWrite;
      P.Steps.push_back(
          step({{A, Lo, Hi, Modes}}, static_cast<int>(Below(Devices))));
      P.Steps.back().Launch = L;
    }
    const std::vector<BusBytes> Least =
        leastTraffic(Views, Budget, P, false, Overwritten);
    if (!scheduleFrames(Views, Budget, P, false, Overwritten))
      continue;
    ++Scheduled;
    BusBytes Sum;
    for (const BusBytes &B : Least) {
      Sum.In += B.In;
      Sum.Out += B.Out;
    }
    EXPECT_LE(Sum.In, P.BytesIn) << "case " << Case;
    EXPECT_LE(Sum.Out, P.BytesOut) << "case " << Case;
    Reached += Sum.In == P.BytesIn && Sum.Out == P.BytesOut;
  }
  EXPECT_GT(Scheduled, 400U);
  EXPECT_GT(Reached, 50U);
  EXPECT_LT(Reached, Scheduled);
}

TEST(FrameSchedule, ManagedMemoryGoesHome) {
  PagedView V = frames(11);
  for (PagedView::Frame &F : V.Frames)
    F.MustWriteBack = true;
  OutOfCorePlan P = sweep(10, 2, GridspanWrite);
  ASSERT_TRUE(scheduleFrames({V}, {40}, P));
  EXPECT_EQ(P.BytesOut, 110u);
  EXPECT_EQ(P.EvictLast.size(), 4u);
}

TEST(FrameSchedule, ManagedMemoryThatTheHostLeavesAloneStays) {
  PagedView V = frames(11);
  V.Frames[0].MustWriteBack = V.Frames[10].MustWriteBack = true;
  OutOfCorePlan P = sweep(10, 2, GridspanWrite);
  ASSERT_TRUE(scheduleFrames({V}, {200}, P));
  EXPECT_EQ(P.BytesIn, 110u);
  EXPECT_EQ(P.BytesOut, 20u);
  EXPECT_EQ(P.EvictLast, (std::vector<FrameRef>{{0, 0}, {0, 10}}));
  // The next launch finds the others, which are dirty.
  for (uint32_t F = 1; F < 10; ++F) {
    V.Frames[F].Where = 0;
    V.Frames[F].Dirty = true;
  }
  OutOfCorePlan Next = sweep(10, 2, GridspanRead);
  ASSERT_TRUE(scheduleFrames({V}, {200}, Next));
  EXPECT_EQ(Next.BytesIn, 20u);
  EXPECT_EQ(Next.BytesOut, 0u);
}

TEST(FrameSchedule, WhatStaysMayBeSavedBesideTheChunks) {
  PagedView V = frames(11);
  V.Saves = true;
  V.Frames[0].MustWriteBack = true;
  OutOfCorePlan P = sweep(10, 2, GridspanWrite);
  ASSERT_TRUE(scheduleFrames({V}, {200}, P));
  EXPECT_EQ(P.BytesOut, 110u);
  EXPECT_EQ(P.EvictLast, (std::vector<FrameRef>{{0, 0}}));
  EXPECT_EQ(P.Steps[3].Save, (std::vector<FrameRef>{{0, 3}}));
}

TEST(FrameSchedule, WhatWasLeftGoesHomeWhereItMustNotStay) {
  // Of an allocation that the launch does not use.
  PagedView Left = frames(4);
  for (PagedView::Frame &F : Left.Frames) {
    F.Where = 0;
    F.Dirty = F.MustWriteBack = true;
  }
  OutOfCorePlan P = sweep(2, 1, GridspanRead);
  ASSERT_TRUE(scheduleFrames({frames(2), Left}, {200}, P));
  EXPECT_EQ(P.SaveFirst.size(), 4u);
  EXPECT_EQ(P.EvictLast.size(), 4u);
  EXPECT_EQ(P.BytesOut, 40u);
}

TEST(FrameSchedule, OverwrittenAndUndefinedFramesAreNotCopied) {
  PagedView V = frames(4);
  for (PagedView::Frame &F : V.Frames)
    F.Overwritten = true;
  OutOfCorePlan P = sweep(4, 1, GridspanWrite);
  ASSERT_TRUE(scheduleFrames({V}, {20}, P));
  EXPECT_EQ(P.BytesIn, 0u);
  OutOfCorePlan Q = sweep(4, 1, GridspanRead);
  ASSERT_TRUE(scheduleFrames({frames(4, false)}, {20}, Q));
  EXPECT_EQ(Q.BytesIn, 0u);
}

TEST(FrameSchedule, AFrameThatComesBackIsCopied) {
  PagedView V = frames(3);
  V.Frames[0].Overwritten = true;
  OutOfCorePlan P;
  for (uint32_t F : {0, 1, 2, 0})
    P.Steps.push_back(step({{0, F, F + 1, GridspanWrite}}));
  ASSERT_TRUE(scheduleFrames({V}, {10}, P));
  EXPECT_FALSE(P.Steps[0].Load[0].Copy);
  EXPECT_TRUE(P.Steps[3].Load[0].Copy);
}

TEST(FrameSchedule, AFrameThatWasThereIsCopiedWhenItComesBack) {
  // What an earlier launch left; the first step overwrites a part of it.
  PagedView V = frames(2);
  V.Frames[0].Overwritten = true;
  V.Frames[0].Where = 0;
  OutOfCorePlan P;
  for (uint32_t F : {0, 1, 0})
    P.Steps.push_back(step({{0, F, F + 1, GridspanWrite}}));
  ASSERT_TRUE(scheduleFrames({V}, {10}, P));
  ASSERT_EQ(P.Steps[2].Load.size(), 1u);
  EXPECT_TRUE(P.Steps[2].Load[0].Copy);
  EXPECT_EQ(P.Steps[0].Save, (std::vector<FrameRef>{{0, 0}}));
}

TEST(FrameSchedule, WhatALaterLaunchOverwritesIsNotSaved) {
  // Frame 0 is written by launches 0 and 1, and leaves in between.
  const auto Plan = [] {
    OutOfCorePlan P;
    for (uint32_t F : {0, 1, 0, 1})
      P.Steps.push_back(step({{0, F, F + 1, GridspanWrite}}));
    P.Steps[2].Launch = P.Steps[3].Launch = 1;
    return P;
  };
  const OverwrittenFrames None = {{false, false}}, All = {{true, true}};
  OutOfCorePlan P = Plan();
  ASSERT_TRUE(scheduleFrames({frames(2)}, {10}, P, false, {None, All}));
  EXPECT_TRUE(P.Steps[0].Save.empty());
  EXPECT_FALSE(P.Steps[2].Load[0].Copy);
  EXPECT_EQ(P.BytesIn, 20u);
  // What it does not overwrite is.
  OutOfCorePlan Q = Plan();
  ASSERT_TRUE(scheduleFrames({frames(2)}, {10}, Q, false, {All, None}));
  EXPECT_EQ(Q.Steps[0].Save, (std::vector<FrameRef>{{0, 0}}));
  EXPECT_FALSE(Q.Steps[0].Load[0].Copy);
  EXPECT_TRUE(Q.Steps[2].Load[0].Copy);
  // Nor may an earlier launch want it afterwards.
  OutOfCorePlan S;
  for (uint32_t F : {0, 1, 0, 1, 0})
    S.Steps.push_back(step({{0, F, F + 1, GridspanWrite}}));
  S.Steps[2].Launch = 1;
  ASSERT_TRUE(scheduleFrames({frames(2)}, {10}, S, false, {None, All}));
  EXPECT_EQ(S.Steps[0].Save, (std::vector<FrameRef>{{0, 0}}));
  EXPECT_TRUE(S.Steps[2].Load[0].Copy);
}

TEST(FrameSchedule, MoreThanThereIsRoomForLeavesFirst) {
  PagedView Old = frames(3);
  for (PagedView::Frame &F : Old.Frames)
    F.Where = 0;
  OutOfCorePlan P;
  P.Steps.push_back(step({{1, 2, 3, GridspanRead}}));
  ASSERT_TRUE(scheduleFrames({frames(1), Old}, {10}, P));
  EXPECT_EQ(P.Steps[0].Evict, (std::vector<FrameRef>{{1, 0}, {1, 1}}));
}

TEST(FrameSchedule, ACyclicSweepKeepsAPart) {
  // Two rounds over 10 frames with room for 5: plain LRU loads 20.
  OutOfCorePlan P;
  for (uint32_t I = 0; I < 20; ++I)
    P.Steps.push_back(step({{0, I % 10, I % 10 + 1, GridspanRead}}));
  ASSERT_TRUE(scheduleFrames({frames(10)}, {50}, P));
  EXPECT_EQ(P.BytesIn, 150u); // five of them stay
}

TEST(FrameSchedule, WhatEarlierLaunchesWroteIsSavedFirst) {
  PagedView Old = frames(2);
  for (PagedView::Frame &F : Old.Frames) {
    F.Where = 0;
    F.Dirty = true;
  }
  OutOfCorePlan P;
  P.Steps.push_back(step({{0, 0, 1, GridspanRead}}));
  ASSERT_TRUE(scheduleFrames({frames(1), Old}, {20}, P));
  EXPECT_EQ(P.SaveFirst, (std::vector<FrameRef>{{1, 0}}));
  EXPECT_EQ(P.Steps[0].Evict, (std::vector<FrameRef>{{1, 0}}));
}

TEST(FrameSchedule, AStepThatNeedsTooMuchIsRefused) {
  PagedView Old = frames(1);
  Old.Frames[0].Where = 0;
  OutOfCorePlan P = sweep(1, 2, GridspanRead);
  EXPECT_FALSE(scheduleFrames({frames(2), Old}, {19}, P));
  OutOfCorePlan Q = sweep(1, 2, GridspanRead);
  EXPECT_TRUE(scheduleFrames({frames(2), Old}, {20}, Q));
  EXPECT_EQ(Q.Steps[0].Evict, (std::vector<FrameRef>{{1, 0}}));
}

TEST(FrameSchedule, AFrameLivesOnOneDevice) {
  OutOfCorePlan P;
  P.Steps.push_back(step({{0, 0, 2, GridspanRead}}, 0));
  P.Steps.push_back(step({{0, 1, 3, GridspanRead}}, 1));
  ASSERT_TRUE(scheduleFrames({frames(3)}, {20, 20}, P));
  EXPECT_EQ(P.Steps[1].Load, (std::vector<FrameLoad>{{{0, 2}, true}}));
}

TEST(FrameSchedule, DevicesApartHandFramesOver) {
  // Frame 1 is written by device 0, then read by 1 and written by 0 again.
  OutOfCorePlan P;
  P.Steps.push_back(step({{0, 0, 2, GridspanWrite}}, 0));
  P.Steps.push_back(step({{0, 1, 3, GridspanRead}}, 1));
  P.Steps.push_back(step({{0, 1, 2, GridspanWrite}}, 0));
  PagedView V = frames(3);
  V.Frames[1].Overwritten = true;
  OutOfCorePlan Q = P;
  ASSERT_TRUE(scheduleFrames({V}, {20, 20}, P, true));
  EXPECT_FALSE(P.Steps[0].Load[1].Copy);
  EXPECT_EQ(P.Steps[0].Save, (std::vector<FrameRef>{{0, 1}}));
  EXPECT_EQ(P.Steps[1].Evict, (std::vector<FrameRef>{{0, 1}}));
  EXPECT_EQ(P.Steps[1].Load,
            (std::vector<FrameLoad>{{{0, 1}, true}, {{0, 2}, true}}));
  // It is clean then, and need not be saved to go.
  EXPECT_TRUE(P.Steps[1].Save.empty());
  EXPECT_EQ(P.Steps[2].Evict, (std::vector<FrameRef>{{0, 1}}));
  EXPECT_EQ(P.Steps[2].Load, (std::vector<FrameLoad>{{{0, 1}, true}}));
  // Otherwise it stays.
  ASSERT_TRUE(scheduleFrames({V}, {20, 20}, Q));
  EXPECT_TRUE(Q.Steps[1].Evict.empty());
  EXPECT_TRUE(Q.Steps[2].Load.empty());
}

TEST(FrameSchedule, DevicesApartHandOverWhatEarlierLaunchesLeft) {
  PagedView V = frames(2);
  V.Frames[0].Where = 1;
  V.Frames[0].Dirty = true;
  OutOfCorePlan P;
  P.Steps.push_back(step({{0, 0, 2, GridspanRead}}, 0));
  ASSERT_TRUE(scheduleFrames({V}, {20, 20}, P, true));
  EXPECT_EQ(P.SaveFirst, (std::vector<FrameRef>{{0, 0}}));
  EXPECT_EQ(P.Steps[0].Evict, (std::vector<FrameRef>{{0, 0}}));
  EXPECT_EQ(P.Steps[0].Load.size(), 2u);
}
