//===- WorkerPoolTest.cpp - Threads that help with work -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/support/WorkerPool.h"
#include <atomic>
#include <csignal>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <thread>

using namespace gridspan;

namespace {

TEST(WorkerPool, OneThreadIsTheCaller) {
  WorkerPool Pool(1);
  EXPECT_EQ(Pool.size(), 1U);
  int Calls = 0;
  Pool.run(8, [&] { ++Calls; });
  EXPECT_EQ(Calls, 1);
}

/// Work that ends when Threads threads are at it.
void meet(WorkerPool &Pool, unsigned Threads) {
  std::atomic<unsigned> Arrived = 0;
  std::mutex Lock;
  std::set<std::thread::id> Seen;
  Pool.run(Threads, [&] {
    {
      const std::lock_guard Guard(Lock);
      Seen.insert(std::this_thread::get_id());
    }
    ++Arrived;
    while (Arrived < Threads)
      std::this_thread::yield();
  });
  EXPECT_EQ(Seen.size(), Threads);
  EXPECT_TRUE(Seen.contains(std::this_thread::get_id()));
}

TEST(WorkerPool, ThreadsWorkAtOneTimeAndAgain) {
  WorkerPool Pool(4);
  for (int Turn = 0; Turn != 50; ++Turn)
    meet(Pool, 2 + Turn % 3);
}

TEST(WorkerPool, TakesNoMoreThanAsked) {
  WorkerPool Pool(4);
  meet(Pool, 4); // all have been started
  for (int Turn = 0; Turn != 20; ++Turn) {
    std::atomic<int> Calls = 0;
    Pool.run(2, [&] { ++Calls; });
    EXPECT_GE(Calls, 1);
    EXPECT_LE(Calls, 2);
  }
}

TEST(WorkerPool, SeveralThreadsBringWork) {
  WorkerPool Pool(3);
  std::vector<std::thread> Bringers;
  std::atomic<uint64_t> Sum = 0;
  for (int I = 0; I != 4; ++I)
    Bringers.emplace_back([&] {
      for (int Turn = 0; Turn != 200; ++Turn) {
        std::atomic<unsigned> Next = 0;
        Pool.run(3, [&] {
          while (Next++ < 10)
            ++Sum;
        });
      }
    });
  for (std::thread &T : Bringers)
    T.join();
  EXPECT_EQ(Sum, 4U * 200 * 10);
}

TEST(WorkerPool, HelpersTakeNoSignals) {
  WorkerPool Pool(2);
  const std::thread::id Caller = std::this_thread::get_id();
  std::atomic<int> Arrived = 0;
  Pool.run(2, [&] {
    if (std::this_thread::get_id() != Caller) {
      sigset_t Blocked;
      EXPECT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &Blocked), 0);
      EXPECT_TRUE(sigismember(&Blocked, SIGINT));
      EXPECT_FALSE(sigismember(&Blocked, SIGSEGV));
    }
    ++Arrived;
    while (Arrived < 2)
      std::this_thread::yield();
  });
}

} // namespace
