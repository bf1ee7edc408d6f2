//===- RingPlannerTest.cpp - Plans whose frames fit rings -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sweeps of several buffers have rings in any budget that has room for them.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/RingPlanner.h"
#include "gridspan/ABI.h"
#include "runtime/outofcore/FrameSchedule.h"
#include "test/unit/runtime/outofcore/FramePlans.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

/// Plans a sweep of all buffers together, of which each step touches Width
/// frames.
RingPlan planSweep(const std::vector<PagedView> &Paged, uint32_t Width,
                   uint64_t Budget) {
  return planWithRings(
      [&](const std::vector<uint64_t> &Room) {
        OutOfCorePlan P;
        const auto Frames = static_cast<uint32_t>(Paged.front().Frames.size());
        for (uint32_t F = 0; F + Width <= Frames; ++F) {
          P.Steps.push_back(step({}));
          for (unsigned A = 0; A < Paged.size(); ++A)
            P.Steps.back().Uses.push_back({A, F, F + Width, GridspanRead});
        }
        if (!scheduleFrames(Paged, Room, P))
          P.Steps.clear();
        return P;
      },
      Paged, noRings(Paged.size()), {Budget});
}

/// Buffers whose last frame has one byte.
std::vector<PagedView> endingSoon(size_t Count, uint32_t Frames) {
  std::vector<PagedView> Out(Count, frames(Frames));
  for (PagedView &V : Out)
    V.Frames.back().Bytes = 1;
  return Out;
}

} // namespace

TEST(RingPlanner, FramesThatFitHaveRings) {
  const RingPlan P = planSweep({frames(40), frames(40)}, 1, 80);
  EXPECT_TRUE(P.HasRings);
  EXPECT_EQ(P.Rings.Bytes, std::vector<uint64_t>{80});
}

// The last frames have room where no slot has, in any budget.
TEST(RingPlanner, ALastFrameOfAByteIsNoReasonToMap) {
  for (size_t Buffers : {1, 2, 3})
    for (uint32_t Width : {1, 2})
      for (uint64_t Budget = 120; Budget != 140; ++Budget) {
        const RingPlan P = planSweep(endingSoon(Buffers, 41), Width, Budget);
        EXPECT_TRUE(P.HasRings) << Buffers << " " << Width << " " << Budget;
        EXPECT_LE(P.Rings.Bytes.front(), Budget);
        EXPECT_EQ(P.Plan.BytesIn, 401 * Buffers);
      }
}
