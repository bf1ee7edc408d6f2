//===- MessageMemoryTest.cpp - Memory for the bytes of messages -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory that was added is used first, again and again, and for what fits into
// its blocks.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/MessageMemory.h"
#include <gtest/gtest.h>

namespace gridspan::ranks {
namespace {

constexpr size_t Piece = (size_t(1) << 20) + 60;
constexpr size_t Block = (size_t(1) << 20) + (size_t(64) << 10);

bool isIn(const std::vector<std::byte> &Memory, const MessageBytes &Message) {
  return Message.data() >= Memory.data() &&
         Message.data() + Message.size() <= Memory.data() + Memory.size();
}

TEST(MessageMemory, UsesWhatWasAddedFirst) {
  // Messages of other tests may have it until the process ends.
  static auto &Added = *new std::vector<std::byte>(2 * Block + 100);
  if (wantedMessageMemory() == 0)
    GTEST_SKIP() << "devices of this process have added some";
  EXPECT_EQ(wantedMessageMemory(), 0U);
  addMessageMemory(Added.data(), Added.size());
  const MessageBytes Little(100), Large(2 * Block);
  EXPECT_FALSE(isIn(Added, Little));
  EXPECT_FALSE(isIn(Added, Large));
  for (int Round = 0; Round != 3; ++Round) {
    const MessageBytes First(Piece), Second(size_t(128) << 10), Third(Piece);
    EXPECT_TRUE(isIn(Added, First));
    EXPECT_TRUE(isIn(Added, Second));
    EXPECT_NE(First.data(), Second.data());
    EXPECT_FALSE(isIn(Added, Third));
  }
}

} // namespace
} // namespace gridspan::ranks
