//===- ReuseTest.cpp
//-----------------------------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gridspan/Analysis/Reuse.h"
#include "SiteBuilder.h"
#include <gtest/gtest.h>

using namespace gridspan;

static KernelReuse reuseOf(SiteBuilder &K) {
  const MachineModel &Machine = machineModelFor("sm_90");
  return analyzeReuse(K.Kernel, traceLaunch(K.Kernel, K.Launch, Machine),
                      Machine);
}

TEST(Reuse, CountsWhatABlockReadsAgain) {
  // A moving average of 64.
  constexpr int Threads = 256, Window = 64;
  SiteBuilder K(1000, Threads);
  K.access(SiteKind::Load, "arg0", K.add(K.thread(), K.counter(Window)), 4)
      .Loops = {K.loop(Window)};
  KernelReuse R = reuseOf(K);
  ASSERT_EQ(R.Arrays.size(), 1u);
  const ArrayReuse &A = R.Arrays[0];
  EXPECT_EQ(A.Base, "arg0");
  EXPECT_NEAR(A.LoadedBytes, 4.0 * Threads * Window, 0.5);
  EXPECT_EQ(A.DistinctBytes, 4.0 * (Threads + Window - 1));
  EXPECT_EQ(A.FirstBytes, 4.0 * Threads);
  EXPECT_EQ(A.StepBytes, 4);
  EXPECT_EQ(A.Trips, Window);
  EXPECT_NEAR(A.factor(), 51.4, 0.1);
}

TEST(Reuse, WhatIsReadOnceHasNone) {
  SiteBuilder K(1000, 256);
  K.access(SiteKind::Load, "arg0", K.thread(), 4);
  for (const ArrayReuse &A : reuseOf(K).Arrays) {
    EXPECT_EQ(A.factor(), 1);
    EXPECT_FALSE(A.IsRecommended);
  }
}
