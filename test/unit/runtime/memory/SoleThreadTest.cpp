//===- SoleThreadTest.cpp - Whether one thread uses memory ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/SoleThread.h"
#include "gtest/gtest.h"

using namespace gridspan;

static bool isSole(SoleThread &Users) {
  MutexLock Guard(Users.lock());
  return Users.isSole();
}

TEST(SoleThread, OneThreadMayAskAsOftenAsItLikes) {
  SoleThread Users;
  EXPECT_TRUE(isSole(Users));
  Users.note();
  Users.note();
  EXPECT_TRUE(isSole(Users));
}

TEST(SoleThread, AnotherOneIsSeenForGood) {
  SoleThread Users;
  Users.note();
  std::thread([&] { Users.note(); }).join();
  EXPECT_FALSE(isSole(Users));
  Users.note();
  EXPECT_FALSE(isSole(Users));
}

TEST(SoleThread, AnotherOneWaitsForWhoTakesMemory) {
  SoleThread Users;
  Users.note();
  std::atomic<bool> IsNoted{false};
  MutexLock Takes(Users.lock());
  std::thread Other([&] {
    Users.note();
    IsNoted = true;
  });
  EXPECT_TRUE(Users.isSole());
  EXPECT_FALSE(IsNoted);
  Takes.unlock();
  Other.join();
  EXPECT_TRUE(IsNoted);
}
