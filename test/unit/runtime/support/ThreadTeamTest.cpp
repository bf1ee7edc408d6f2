//===- ThreadTeamTest.cpp - Threads that wait awake -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/support/ThreadTeam.h"
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

using namespace gridspan;

TEST(ThreadTeam, OneThreadIsTheCaller) {
  ThreadTeam Team(1);
  std::vector<size_t> Calls;
  Team.run(3, [&](size_t I) { Calls.push_back(I); });
  EXPECT_EQ(Calls, (std::vector<size_t>{0, 1, 2}));
  Team.run(0, [&](size_t) { ADD_FAILURE(); });
}

TEST(ThreadTeam, AllCallsAreMadeOnceAndBeforeItReturns) {
  ThreadTeam Team(4);
  for (size_t Round = 0; Round < 2000; ++Round) {
    const size_t Count = Round % 9;
    // Not atomic: a call that is late or made twice is a race.
    std::vector<int> Calls(Count);
    Team.run(Count, [&](size_t I) { ++Calls[I]; });
    EXPECT_EQ(Calls, std::vector<int>(Count, 1));
  }
}

TEST(ThreadTeam, ThreadsWorkAtOneTime) {
  ThreadTeam Team(3);
  for (int Round = 0; Round < 20; ++Round) {
    std::atomic<unsigned> Arrived = 0;
    std::mutex Lock;
    std::set<std::thread::id> Seen;
    Team.run(3, [&](size_t) {
      {
        const std::lock_guard Guard(Lock);
        Seen.insert(std::this_thread::get_id());
      }
      ++Arrived;
      while (Arrived < 3)
        std::this_thread::yield();
    });
    EXPECT_EQ(Seen.size(), 3U);
    // In some rounds they have gone to sleep.
    if (Round % 5 == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
}

TEST(ThreadTeam, SeveralMayBringWork) {
  ThreadTeam Team(3);
  std::atomic<unsigned> Sum = 0;
  std::vector<std::thread> Others;
  for (int T = 0; T < 3; ++T)
    Others.emplace_back([&] {
      for (int Round = 0; Round < 300; ++Round)
        Team.run(5, [&](size_t I) { Sum += static_cast<unsigned>(I); });
    });
  for (std::thread &T : Others)
    T.join();
  EXPECT_EQ(Sum, 3U * 300 * 10);
}
