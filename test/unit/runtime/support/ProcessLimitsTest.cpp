//===- ProcessLimitsTest.cpp - What the system lets this process use ------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/support/ProcessLimits.h"
#include <gtest/gtest.h>
#include <sched.h>

using namespace gridspan;

TEST(ProcessLimits, Quota) {
  EXPECT_EQ(processorsOfQuota("200000 100000"), 2U);
  EXPECT_EQ(processorsOfQuota("150000 100000"), 2U);
  EXPECT_EQ(processorsOfQuota("1000 100000"), 1U);
  for (const char *None : {"max 100000", "-1 100000", "", " ", "100", "5 0"})
    EXPECT_EQ(processorsOfQuota(None), std::nullopt) << None;
}

TEST(ProcessLimits, Affinity) {
  cpu_set_t Before, One;
  ASSERT_EQ(sched_getaffinity(0, sizeof(Before), &Before), 0);
  CPU_ZERO(&One);
  for (int I = 0; I < CPU_SETSIZE && CPU_COUNT(&One) == 0; ++I)
    if (CPU_ISSET(I, &Before))
      CPU_SET(I, &One);
  ASSERT_EQ(sched_setaffinity(0, sizeof(One), &One), 0);
  EXPECT_EQ(allowedProcessors(), 1U);
  sched_setaffinity(0, sizeof(Before), &Before);
  EXPECT_GE(allowedProcessors(), 1U);
}
