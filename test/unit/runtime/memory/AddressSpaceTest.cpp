//===- AddressSpaceTest.cpp - From an address to its allocation -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/AddressSpace.h"
#include <gtest/gtest.h>
#include <thread>

using namespace gridspan;

static std::byte *at(uintptr_t Address) {
  return reinterpret_cast<std::byte *>(Address);
}

static std::shared_ptr<Allocation> make(uintptr_t Base, uint64_t Bytes) {
  return std::make_shared<Allocation>(at(Base), Bytes, AllocationKind::Device);
}

TEST(AddressSpace, FindsFromEveryInteriorPointer) {
  AddressSpace S;
  auto A = make(0x10000, 100), B = make(0x20000, 1);
  S.insert(A);
  S.insert(B);
  EXPECT_EQ(S.find(at(0x10000)), A);
  EXPECT_EQ(S.find(at(0x10000 + 99)), A);
  EXPECT_EQ(S.find(at(0x20000)), B);
}

TEST(AddressSpace, MissesOutside) {
  AddressSpace S;
  EXPECT_EQ(S.find(at(0x10000)), nullptr);
  S.insert(make(0x10000, 100));
  EXPECT_EQ(S.find(at(0xffff)), nullptr);
  EXPECT_EQ(S.find(at(0x10000 + 100)), nullptr);
  EXPECT_EQ(S.find(nullptr), nullptr);
}

TEST(AddressSpace, BytesBeforeItsFirstAreOfOthers) {
  AddressSpace S;
  PlacementLock::assumeUnshared();
  auto A = std::make_shared<Allocation>(at(0x10000), 100,
                                        AllocationKind::Device, 40);
  S.insert(A);
  EXPECT_EQ(S.find(at(0x10000 + 39)), nullptr);
  EXPECT_EQ(S.find(at(0x10000 + 40)), A);
  // Also when the thread remembers it.
  EXPECT_EQ(S.peek(at(0x10000 + 40)), A.get());
  EXPECT_EQ(S.peek(at(0x10000 + 39)), nullptr);
  EXPECT_EQ(S.peek(at(0x10000 + 99)), A.get());
  EXPECT_EQ(S.peek(at(0x10000 + 100)), nullptr);
}

TEST(AddressSpace, InsertsOnlyWhatIsApart) {
  AddressSpace S;
  auto A = make(0x10000, 100);
  EXPECT_TRUE(S.insertApart(A));
  EXPECT_FALSE(S.insertApart(make(0x10000, 1)));
  EXPECT_FALSE(S.insertApart(make(0x10000 + 99, 10)));
  EXPECT_FALSE(S.insertApart(make(0x10000 - 10, 11)));
  EXPECT_TRUE(S.insertApart(make(0x10000 - 10, 10)));
  EXPECT_TRUE(S.insertApart(make(0x10000 + 100, 1)));
  EXPECT_EQ(S.all().size(), 3U);
  EXPECT_EQ(S.find(at(0x10000 + 99)), A);
}

TEST(AddressSpace, WhatAThreadRemembersIsForgottenOnChanges) {
  AddressSpace S, Other;
  auto A = make(0x10000, 100), B = make(0x10000, 50);
  S.insert(A);
  EXPECT_EQ(S.peek(at(0x10010)), A.get());
  EXPECT_EQ(S.peek(at(0x10000 + 99)), A.get());
  EXPECT_EQ(Other.peek(at(0x10010)), nullptr);
  EXPECT_EQ(S.peek(at(0x10000 + 100)), nullptr);
  S.remove(at(0x10000));
  EXPECT_EQ(S.peek(at(0x10010)), nullptr);
  S.insert(B);
  EXPECT_EQ(S.peek(at(0x10010)), B.get());
  EXPECT_EQ(S.peek(at(0x10000 + 60)), nullptr);
  // More than a thread remembers.
  std::vector<std::shared_ptr<Allocation>> Many;
  for (uintptr_t I = 1; I < 40; ++I)
    S.insert(Many.emplace_back(make(0x10000 * (I + 1), 10)));
  for (unsigned Round = 0; Round < 2; ++Round)
    for (const auto &M : Many)
      EXPECT_EQ(S.peek(M->base() + 5), M.get());
}

TEST(AddressSpace, AnswersForManyAddressesHoldUntilTheListChanges) {
  AddressSpace S;
  std::vector<std::shared_ptr<Allocation>> Many;
  for (uintptr_t I = 0; I < 1000; ++I)
    S.insert(Many.emplace_back(make(0x10000 * (I + 1), 0x1000)));
  const auto Ask = [&](const Allocation *FirstOne) {
    for (unsigned Round = 0; Round < 2; ++Round)
      for (uintptr_t I = 0; I < 1000; ++I) {
        const uintptr_t Base = 0x10000 * (I + 1);
        EXPECT_EQ(S.peek(at(Base + I)), I ? Many[I].get() : FirstOne);
        EXPECT_EQ(S.peek(at(Base + 0x1000 + I)), nullptr);
      }
  };
  Ask(Many[0].get());
  S.remove(at(0x10000));
  Ask(nullptr);
  auto Again = make(0x10000, 0x10);
  S.insert(Again);
  Ask(Again.get());
}

TEST(AddressSpace, RemovesOnlyByTheBase) {
  AddressSpace S;
  auto A = make(0x10000, 100);
  S.insert(A);
  EXPECT_EQ(S.remove(at(0x10001)), nullptr);
  EXPECT_EQ(S.remove(at(0x10000)), A);
  EXPECT_EQ(S.remove(at(0x10000)), nullptr);
  EXPECT_EQ(S.find(at(0x10000)), nullptr);
}

TEST(AddressSpace, ListsInOrder) {
  AddressSpace S;
  auto A = make(0x10000, 1), B = make(0x20000, 1);
  S.insert(B);
  S.insert(A);
  EXPECT_EQ(S.all(), (std::vector<std::shared_ptr<Allocation>>{A, B}));
}

TEST(AddressSpace, ThreadsMayFindWhileOthersChange) {
  AddressSpace S;
  auto Fixed = make(0x10000, 0x1000);
  S.insert(Fixed);
  std::vector<std::thread> Threads;
  for (int T = 0; T < 4; ++T)
    Threads.emplace_back([&, T] {
      for (int I = 0; I < 1000; ++I) {
        uintptr_t Base = 0x100000 + T * 0x10000;
        S.insert(make(Base, 16));
        EXPECT_NE(S.find(at(Base + 15)), nullptr);
        EXPECT_EQ(S.find(at(0x10800)), Fixed);
        EXPECT_NE(S.remove(at(Base)), nullptr);
      }
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(S.all().size(), 1u);
}
