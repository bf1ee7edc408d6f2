//===- ParallelForTest.cpp - Work that threads share ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/support/ParallelFor.h"
#include "runtime/support/HostMemoryOps.h"
#include <algorithm>
#include <atomic>
#include <csignal>
#include <gtest/gtest.h>
#include <mutex>
#include <pthread.h>
#include <set>
#include <stdexcept>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace gridspan;

namespace {

constexpr uint64_t Large = uint64_t(1) << 30;

/// While it lives no thread can be made: its stack would be too large.
class NoMoreThreads {
public:
  NoMoreThreads() {
    EXPECT_EQ(pthread_getattr_default_np(&Before), 0);
    pthread_attr_t Huge;
    EXPECT_EQ(pthread_attr_init(&Huge), 0);
    EXPECT_EQ(pthread_attr_setstacksize(&Huge, size_t(1) << 46), 0);
    EXPECT_EQ(pthread_setattr_default_np(&Huge), 0);
    EXPECT_EQ(pthread_attr_destroy(&Huge), 0);
  }
  ~NoMoreThreads() {
    EXPECT_EQ(pthread_setattr_default_np(&Before), 0);
    EXPECT_EQ(pthread_attr_destroy(&Before), 0);
  }
  NoMoreThreads(const NoMoreThreads &) = delete;
  NoMoreThreads &operator=(const NoMoreThreads &) = delete;

private:
  pthread_attr_t Before;
};

/// The threads that had a part in work of so many pieces, each of which waits
/// until Expected threads are there or a while has passed.
size_t threadsOf(size_t Pieces, uint64_t Bytes, size_t Expected) {
  std::mutex Lock;
  std::set<std::thread::id> Seen;
  inParallel(Pieces, Bytes, [&](size_t) {
    for (int Tries = 0; Tries < 300; ++Tries) {
      {
        std::unique_lock Guard(Lock);
        Seen.insert(std::this_thread::get_id());
        if (Seen.size() >= Expected)
          return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  return Seen.size();
}

} // namespace

TEST(ParallelFor, EachPieceIsDoneOnce) {
  for (size_t Count : {0, 1, 2, 17}) {
    std::vector<std::atomic<int>> Done(Count);
    parallelFor(Count, [&](size_t I) { ++Done[I]; });
    EXPECT_TRUE(std::all_of(Done.begin(), Done.end(),
                            [](const auto &N) { return N == 1; }));
  }
}

TEST(ParallelFor, WhatNoThreadDoesTheCallerDoes) {
  NoMoreThreads Scope;
  EXPECT_THROW(std::thread([] {}).join(), std::system_error);
  const std::thread::id Me = std::this_thread::get_id();
  int Done = 0;
  parallelFor(5, [&](size_t) {
    ++Done;
    EXPECT_EQ(std::this_thread::get_id(), Me);
  });
  EXPECT_EQ(Done, 5);
  std::vector<char> From(size_t(16) << 20, 'x'), To(From.size());
  copyHostBytes(To.data(), From.data(), From.size());
  EXPECT_EQ(To, From);
}

TEST(ParallelFor, ExceptionsReachTheCaller) {
  std::atomic<int> Ended{0};
  EXPECT_THROW(parallelFor(4,
                           [&](size_t I) {
                             ++Ended;
                             if (I % 2)
                               throw std::runtime_error("odd");
                           }),
               std::runtime_error);
  EXPECT_EQ(Ended, 4);
  limitHostThreads(3);
  EXPECT_THROW(inParallel(1000, Large,
                          [](size_t I) { throw std::runtime_error("each"); }),
               std::runtime_error);
  limitHostThreads({});
}

TEST(ParallelFor, SignalsAreTheProgramsThreads) {
  sigset_t Before;
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &Before), 0);
  const std::thread::id Me = std::this_thread::get_id();
  parallelFor(3, [&](size_t) {
    sigset_t Mask;
    EXPECT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &Mask), 0);
    for (int Signal : {SIGINT, SIGTERM, SIGALRM, SIGUSR1})
      EXPECT_EQ(sigismember(&Mask, Signal), std::this_thread::get_id() == Me
                                                ? sigismember(&Before, Signal)
                                                : 1);
    EXPECT_EQ(sigismember(&Mask, SIGSEGV), 0);
  });
}

TEST(ParallelFor, AreAsManyAsTheUserAllows) {
  limitHostThreads(3);
  EXPECT_EQ(threadsOf(50, Large, 4), 3U);
  EXPECT_EQ(threadsOf(2, Large, 3), 2U);
  // More than there are processors, if asked for.
  limitHostThreads(40);
  EXPECT_EQ(threadsOf(100, Large, 40), 40U);
  for (unsigned Few : {0U, 1U}) {
    limitHostThreads(Few);
    EXPECT_EQ(threadsOf(3, Large, 2), 1U);
  }
  limitHostThreads({});
  EXPECT_EQ(threadsOf(3, 1000, 2), 1U); // not worth a thread
}

TEST(ParallelFor, FillsAndCopiesAnySize) {
  for (size_t Bytes :
       {size_t(0), size_t(1), size_t(5000), (size_t(9) << 20) + 13}) {
    std::vector<unsigned char> From(Bytes + 1, 1), To(Bytes + 1, 2);
    fillHostBytes(From.data(), 0xab, Bytes);
    copyHostBytes(To.data(), From.data(), Bytes);
    EXPECT_EQ(From[Bytes], 1);
    EXPECT_EQ(To[Bytes], 2);
    EXPECT_TRUE(std::all_of(To.begin(), To.end() - 1,
                            [](unsigned char C) { return C == 0xab; }));
  }
}

TEST(ParallelFor, PagesExistOnceMadeAndKeepWhatTheyHold) {
  const auto Page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t Bytes = 64 * Page;
  auto *At = static_cast<unsigned char *>(reserveHostMemory(Bytes));
  ASSERT_NE(At, nullptr);
  const auto Present = [&] {
    std::vector<unsigned char> Of(64);
    EXPECT_EQ(mincore(At, Bytes, Of.data()), 0);
    return std::count_if(Of.begin(), Of.end(),
                         [](unsigned char C) { return C & 1; });
  };
  At[3 * Page] = 9;
  EXPECT_LT(Present(), 64);
  makeHostPages(At, Bytes);
  EXPECT_EQ(Present(), 64);
  EXPECT_EQ(At[3 * Page], 9);
  EXPECT_EQ(At[4 * Page], 0);
  releaseHostMemory(At, Bytes);
}
