//===- LowMemoryTest.cpp - Memory at addresses of 32 bits -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/support/LowMemory.h"
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

using namespace gridspan;

namespace {

bool isZero(const LowMemory &M) {
  return std::all_of(M.data(), M.data() + M.size(),
                     [](char C) { return C == 0; });
}

TEST(LowMemory, IsBelowFourGigabytes) {
  std::vector<LowMemory> All;
  for (size_t Bytes = 1; Bytes <= 1 << 20; Bytes *= 4) {
    All.emplace_back(Bytes);
    const LowMemory &M = All.back();
    ASSERT_NE(M.data(), nullptr);
    EXPECT_GE(M.size(), Bytes);
    const auto Last = reinterpret_cast<uintptr_t>(M.data()) + M.size() - 1;
    EXPECT_EQ(Last, static_cast<uint32_t>(Last));
    EXPECT_TRUE(isZero(M));
    std::memset(M.data(), 1, M.size());
  }
}

TEST(LowMemory, IsZeroWhenTakenAgain) {
  constexpr size_t Bytes = 12345;
  for (int Turn = 0; Turn != 3; ++Turn) {
    const LowMemory M(Bytes);
    ASSERT_NE(M.data(), nullptr);
    EXPECT_TRUE(isZero(M));
    std::memset(M.data(), 1, M.size());
  }
}

TEST(LowMemory, IsNothingWhereThereIsNoRoom) {
  for (uint64_t Bytes : {uint64_t(4) << 30, uint64_t(1) << 60, ~uint64_t(0)}) {
    const LowMemory M(Bytes);
    EXPECT_EQ(M.data(), nullptr);
    EXPECT_EQ(M.size(), 0U);
  }
}

/// MAP_32BIT finds none beyond 2 GiB; other addresses are tried then.
TEST(LowMemory, FillsWhatIsLeft) {
  constexpr size_t Bytes = 512 << 20;
  std::vector<LowMemory> All;
  while (All.size() < 8) {
    LowMemory M(Bytes);
    if (!M.data())
      break;
    All.push_back(std::move(M));
  }
  EXPECT_GE(All.size(), 2U);
  EXPECT_LT(All.size(), 8U);
}

TEST(LowMemory, Moves) {
  LowMemory A(1);
  char *Begin = A.data();
  LowMemory B = std::move(A);
  EXPECT_EQ(B.data(), Begin);
  LowMemory C;
  C = std::move(B);
  EXPECT_EQ(C.data(), Begin);
}

} // namespace
