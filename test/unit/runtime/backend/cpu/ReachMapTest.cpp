//===- ReachMapTest.cpp - Devices that may access an address --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/ReachMap.h"
#include <gtest/gtest.h>

using namespace gridspan;

static const void *at(uintptr_t Address) {
  return reinterpret_cast<const void *>(Address);
}

TEST(ReachMap, KnowsTheOwnersOfPages) {
  ReachMap M;
  M.map(at(0x1000), 0x1000, 0);
  M.map(at(0x2000), 0x1000, 1);
  M.map(at(0x3000), 0x1000, Host);
  EXPECT_EQ(M.otherOwner(0, at(0x1ffc), 4), std::nullopt);
  EXPECT_EQ(M.otherOwner(1, at(0x1ffc), 4), 0);
  EXPECT_EQ(M.otherOwner(0, at(0x2000), 4), 1);
  // An access across the border.
  EXPECT_EQ(M.otherOwner(0, at(0x1ffe), 4), 1);
  // All devices reach the host's pages and unmapped addresses.
  EXPECT_EQ(M.otherOwner(0, at(0x3000), 0x2000), std::nullopt);
  M.unmap(at(0x2000), 0x1000);
  EXPECT_EQ(M.otherOwner(0, at(0x2000), 4), std::nullopt);
  M.map(at(0x1000), 0x1000, 1); // moved
  EXPECT_EQ(M.otherOwner(0, at(0x1000), 4), 1);
}

TEST(ReachMap, NoBytesAreNobodys) {
  ReachMap M;
  M.map(at(0x1000), 0x1000, 0);
  EXPECT_EQ(M.otherOwner(1, at(0x1800), 0), std::nullopt);
  EXPECT_EQ(M.otherOwner(1, at(0x1800), 1), 0);
}
