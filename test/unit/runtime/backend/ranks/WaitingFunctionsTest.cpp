//===- WaitingFunctionsTest.cpp - Host functions that may wait ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that wait for ones that are started later, words that are set
// behind them and used again, and memory that is given back.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/WaitingFunctions.h"
#include <atomic>
#include <future>
#include <gtest/gtest.h>
#include <set>

namespace gridspan::ranks {
namespace {

class WaitingFunctionsTest : public ::testing::Test {
protected:
  WaitingFunctionsTest() {
    All.emplace(WaitingFunctions::WordMemory{
        [this](void *&Out) {
          if (++Allocated == 2)
            return cudaErrorMemoryAllocation;
          Out = std::calloc(WaitingFunctions::WordMemory::Bytes, 1);
          return cudaSuccess;
        },
        [this](void *Block) {
          ++Freed;
          std::free(Block);
        }});
  }
  WaitingFunctions::Place take() {
    WaitingFunctions::Place At;
    EXPECT_EQ(All->take(At), cudaSuccess);
    return At;
  }
  static uint64_t valueOf(const WaitingFunctions::Place &At) {
    return std::atomic_ref(*At.Word).load();
  }
  static void await(const WaitingFunctions::Place &At) {
    while (valueOf(At) < At.Value)
      std::this_thread::yield();
  }

  int Allocated = 0, Freed = 0;
  std::optional<WaitingFunctions> All;
};

TEST_F(WaitingFunctionsTest, OneMayWaitForALaterOne) {
  std::promise<void> Go;
  const WaitingFunctions::Place First = take(), Second = take();
  EXPECT_NE(First.Word, Second.Word);
  All->start(First, [&] { Go.get_future().wait(); });
  EXPECT_LT(valueOf(First), First.Value);
  EXPECT_TRUE(All->areAnyTaken());
  All->start(Second, [&] { Go.set_value(); });
  await(First);
  await(Second);
  while (All->areAnyTaken())
    std::this_thread::yield();
}

TEST_F(WaitingFunctionsTest, WordsGrow) {
  uint64_t *Word = nullptr;
  for (uint64_t I = 1; I != 100; ++I) {
    const WaitingFunctions::Place At = take();
    std::promise<void> Done;
    All->start(At, [&] { Done.set_value(); });
    Done.get_future().wait();
    await(At);
    if (At.Word == Word) {
      EXPECT_GT(At.Value, 1U);
    }
    Word = At.Word;
  }
}

TEST_F(WaitingFunctionsTest, MemoryIsGivenBackAndMayLack) {
  constexpr size_t Words =
      WaitingFunctions::WordMemory::Bytes / sizeof(uint64_t);
  std::set<uint64_t *> Different;
  WaitingFunctions::Place Last;
  for (size_t I = 0; I != Words; ++I)
    Different.insert((Last = take()).Word);
  EXPECT_EQ(Different.size(), Words);
  WaitingFunctions::Place None;
  EXPECT_EQ(All->take(None), cudaErrorMemoryAllocation);
  All->giveBack(Last);
  EXPECT_EQ(take().Word, Last.Word);
  All.reset();
  EXPECT_EQ(Freed, 1);
}

} // namespace
} // namespace gridspan::ranks
