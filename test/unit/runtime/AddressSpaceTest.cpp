//===- AddressSpaceTest.cpp - From an address to its allocation -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "AddressSpace.h"
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
