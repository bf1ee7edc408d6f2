//===- TaskThreadsTest.cpp - Threads for tasks that may wait --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tasks that wait for each other.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/TaskThreads.h"
#include <atomic>
#include <gtest/gtest.h>
#include <latch>

using namespace gridspan;

TEST(TaskThreads, TasksMayWaitForLaterOnes) {
  constexpr int Tasks = 20;
  std::latch All(Tasks);
  TaskThreads Threads;
  for (int I = 0; I != Tasks; ++I)
    EXPECT_TRUE(Threads.run([&] { All.arrive_and_wait(); }));
  All.wait();
}

TEST(TaskThreads, TheEndWaitsForAllTasks) {
  std::atomic<int> Done{0};
  {
    TaskThreads Threads;
    for (int I = 0; I != 100; ++I)
      EXPECT_TRUE(Threads.run([&] { Done.fetch_add(1); }));
  }
  EXPECT_EQ(Done, 100);
}
