//===- SpinningConditionTest.cpp - Waits that look before they sleep ------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two threads that hand a number to and fro lose no notice, whether they sleep
// at once, look for less time than it takes, or for longer.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/SpinningCondition.h"
#include <gtest/gtest.h>
#include <thread>

namespace gridspan {
namespace {

class SpinningConditionTest : public testing::TestWithParam<int> {
protected:
  SpinningConditionTest() {
    setSpinning(std::chrono::microseconds(GetParam()), 2);
  }
  ~SpinningConditionTest() override { setSpinning({}, 0); }
};

TEST_P(SpinningConditionTest, LosesNoNotice) {
  constexpr int Rounds = 2000;
  Mutex Lock;
  SpinningCondition Changed;
  int Number = 0;
  const auto Take = [&](int Odd) {
    for (int I = 0; I != Rounds; ++I) {
      MutexLock Guard(Lock);
      Changed.wait(Guard, [&] { return Number % 2 == Odd; });
      ++Number;
      Changed.notifyAll();
    }
  };
  std::thread Other([&] { Take(1); });
  Take(0);
  Other.join();
  EXPECT_EQ(Number, 2 * Rounds);
}

INSTANTIATE_TEST_SUITE_P(All, SpinningConditionTest,
                         testing::Values(0, 1, 50, 2000));

} // namespace
} // namespace gridspan
