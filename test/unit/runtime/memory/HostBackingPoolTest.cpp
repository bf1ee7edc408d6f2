//===- HostBackingPoolTest.cpp - Host memory that is kept -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/HostBackingPool.h"
#include "runtime/backend/cpu/CpuBackend.h"
#include "runtime/memory/MemoryManager.h"
#include "runtime/support/HostMemoryOps.h"
#include <cstring>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace gridspan;

namespace {

class HostBackingPoolTest : public testing::Test {
protected:
  HostBackingPoolTest()
      : B(CpuBackendOptions{1, 64 * Page, true, false}), Pool(B) {}

  HostBacking make(uint64_t Frames, uint64_t Pinned) {
    HostBacking S = {static_cast<std::byte *>(reserveHostMemory(Frames * Page)),
                     Frames * Page, Page, std::vector<bool>(Frames)};
    for (uint64_t I = 0; I < Pinned; ++I) {
      EXPECT_EQ(B.hostRegister(S.Base + I * Page, Page, 0), cudaSuccess);
      S.Pinned[I] = true;
    }
    return S;
  }

  const uint64_t Page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  CpuBackend B;
  HostBackingPool Pool;
};

} // namespace

TEST_F(HostBackingPoolTest, KeepsWhatIsPinned) {
  HostBacking S = make(8, 3);
  std::byte *const Base = S.Base;
  Pool.put(std::move(S));
  EXPECT_EQ(Pool.bytes(), 3 * Page);
  EXPECT_FALSE(Pool.take(7 * Page));
  std::optional<HostBacking> Out = Pool.take(8 * Page);
  ASSERT_TRUE(Out);
  EXPECT_EQ(Out->Base, Base);
  EXPECT_TRUE(B.isPinned(Base + 2 * Page, Page));
  EXPECT_TRUE(Out->Pinned[2]);
  EXPECT_FALSE(Out->Pinned[3]);
  EXPECT_EQ(Pool.bytes(), 0u);
  EXPECT_FALSE(Pool.take(8 * Page));
  Pool.put(std::move(*Out));
  Pool.trim();
  EXPECT_EQ(Pool.bytes(), 0u);
  EXPECT_FALSE(B.isPinned(Base, Page));
}

TEST_F(HostBackingPoolTest, WhatWasNeverPinnedGoes) {
  Pool.put(make(8, 0));
  EXPECT_FALSE(Pool.take(8 * Page));
}

TEST_F(HostBackingPoolTest, AllocationsInALoopUseTheSameMemory) {
  MemoryManager M(B, [](uint64_t) { return true; });
  const Expected<void *> First = M.allocate(128 * Page, AllocationKind::Device);
  ASSERT_EQ(First.error(), cudaSuccess);
  std::memset(*First, 5, 128 * Page);
  ASSERT_EQ(M.accessEverything(true), cudaSuccess); // pins it
  ASSERT_EQ(M.free(*First), cudaSuccess);
  EXPECT_EQ(M.pager().backingPool().bytes(), 128 * Page);
  // Programs may rely on managed memory being zero.
  const Expected<void *> Managed =
      M.allocate(128 * Page, AllocationKind::Managed);
  ASSERT_EQ(Managed.error(), cudaSuccess);
  EXPECT_EQ(*static_cast<char *>(*Managed), 0);
  const Expected<void *> Second =
      M.allocate(128 * Page, AllocationKind::Device);
  ASSERT_EQ(Second.error(), cudaSuccess);
  EXPECT_EQ(*Second, *First);
  EXPECT_EQ(M.pager().backingPool().bytes(), 0u);
  EXPECT_EQ(M.pager().promised(), 128 * Page); // the managed one's
  ASSERT_EQ(M.freeAll([](const Allocation &) { return false; }), cudaSuccess);
  EXPECT_EQ(M.pager().promised(), 0u);
}
