//===- PagerTest.cpp - Frames of paged memory -----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On the CPU device, whose memory the test can read and write.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/CpuBackend.h"
#include "runtime/memory/MemoryManager.h"
#include <cstring>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace gridspan;

namespace {

class PagerTest : public testing::Test {
protected:
  /// Devices with room for 31 frames, as the frames are a 32nd of it.
  void make(unsigned Devices, uint64_t FramesOfA) {
    B = std::make_unique<CpuBackend>(
        CpuBackendOptions{Devices, 64 * Page, true, false});
    M = std::make_unique<MemoryManager>(*B, [](uint64_t) { return true; });
    Bytes = FramesOfA * Frame;
    A = allocate(Bytes);
  }
  std::shared_ptr<Allocation> allocate(uint64_t Size) {
    const Expected<void *> Out = M->allocate(Size, AllocationKind::Managed);
    EXPECT_EQ(Out.error(), cudaSuccess);
    std::memset(*Out, 1, Size);
    return M->find(*Out);
  }
  /// Puts the frame on Device, where it is filled with its number.
  void load(uint32_t F, int Device = 0) {
    ASSERT_EQ(M->pager().toDevice(*A, F, Device), cudaSuccess);
    std::memset(Pager::address(*A, F), int(F), A->Paged->Frames[F].Bytes);
  }
  /// Expects frames [Lo, Hi) to be readable through pointers for Device.
  void expectReadable(uint32_t Lo, uint32_t Hi, int Device = 0) {
    const Expected<ptrdiff_t> Distance =
        M->pager().distance(*A, Lo, Hi, Device);
    ASSERT_EQ(Distance.error(), cudaSuccess);
    const std::byte *P = A->base() + *Distance;
    for (uint32_t F = Lo; F < Hi; ++F) {
      EXPECT_EQ(P[F * Frame], std::byte(F));
      EXPECT_EQ(P[F * Frame + A->Paged->Frames[F].Bytes - 1], std::byte(F));
    }
  }
  bool shadowed(uint32_t F) const { return A->Paged->Frames[F].Shadowed; }

  std::unique_ptr<CpuBackend> B;
  std::unique_ptr<MemoryManager> M;
  std::shared_ptr<Allocation> A;
  uint64_t Bytes = 0;
  const uint64_t Page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t Frame = 2 * Page;
};

} // namespace

TEST_F(PagerTest, ARingIsContiguousAcrossItsEnd) {
  make(1, 20);
  ASSERT_EQ(A->Paged->FrameBytes, Frame);
  Pager &P = M->pager();
  ASSERT_EQ(P.setRing(*A, 0, 4), cudaSuccess);
  for (uint32_t F = 0; F < 20; ++F) {
    if (F >= 4) {
      EXPECT_TRUE(Pager::keepsPages(A->Paged->Frames[F - 4]));
      ASSERT_EQ(P.toHost(*A, F - 4), cudaSuccess);
      EXPECT_TRUE(P.hasFreeFrameSlot(*A, F, 0));
    }
    load(F);
    expectReadable(F < 3 ? 0 : F - 3, F + 1);
    EXPECT_FALSE(shadowed(F));
  }
}

TEST_F(PagerTest, FramesOutsideTheRingAreMappedInTheShadow) {
  make(2, 20);
  Pager &P = M->pager();
  load(3); // before there is a ring
  ASSERT_EQ(P.setRing(*A, 0, 4), cudaSuccess);
  ASSERT_EQ(P.setRing(*A, 1, 4), cudaSuccess);
  load(4);
  load(5, 1);
  load(6, 1);
  load(8); // its slot is taken: pages of its own
  EXPECT_EQ(A->Paged->Frames[8].Window, nullptr);
  expectReadable(3, 7);
  EXPECT_TRUE(shadowed(4));
  expectReadable(5, 7, 1);
  expectReadable(8, 9);
  // A frame in the shadow must not be used any more when it leaves.
  EXPECT_FALSE(Pager::keepsPages(A->Paged->Frames[4]));
  for (uint32_t F : {3, 4, 5, 6, 8})
    EXPECT_EQ(P.toHost(*A, F), cudaSuccess);
}

TEST_F(PagerTest, ARingOfAnotherSizeKeepsItsFrames) {
  make(1, 20);
  Pager &P = M->pager();
  ASSERT_EQ(P.setRing(*A, 0, 4), cudaSuccess);
  for (uint32_t F = 0; F < 4; ++F)
    load(F);
  ASSERT_EQ(P.setRing(*A, 0, 6), cudaSuccess);
  expectReadable(0, 4);
  for (uint32_t F = 4; F < 8; ++F)
    load(F);
  expectReadable(4, 8);
  EXPECT_EQ(P.rings(*A)[0].Frames, (std::vector<uint32_t>{4, 5, 6, 7}));
  // Dirty frames in rings are saved as any others.
  A->Paged->Frames[2].Dirty = A->Paged->Frames[6].Dirty = true;
  ASSERT_EQ(P.hostAccess(*A, 0, Bytes, false), cudaSuccess);
  EXPECT_EQ(A->base()[2 * Frame], std::byte(2));
  EXPECT_EQ(A->base()[6 * Frame], std::byte(6));
  EXPECT_EQ(A->base()[7 * Frame], std::byte(1));
}

TEST_F(PagerTest, WhatIsOverwrittenNeedNotBeSaved) {
  make(1, 20);
  Pager &P = M->pager();
  for (uint32_t F = 0; F < 4; ++F) {
    load(F);
    A->Paged->Frames[F].Dirty = true;
  }
  // Frames 1 and 2 are overwritten, 0 and 3 only in part.
  ASSERT_EQ(P.overwrite(*A, Frame / 2, 3 * Frame + 1), cudaSuccess);
  for (uint32_t F = 0; F < 4; ++F) {
    EXPECT_EQ(A->Paged->Frames[F].Device, nullptr);
    EXPECT_EQ(A->base()[F * Frame + Frame - 1],
              std::byte(F == 1 || F == 2 ? 1 : F));
  }
}

TEST_F(PagerTest, WhatWasSavedForAReaderIsWantedBack) {
  make(1, 20);
  // Nothing has filled it but a launch.
  const Expected<void *> Out = M->allocate(40 * Frame, AllocationKind::Device);
  ASSERT_EQ(Out.error(), cudaSuccess);
  A = M->find(*Out);
  ASSERT_TRUE(A->Paged);
  Pager &P = M->pager();
  load(3);
  A->Paged->Frames[3].Dirty = true;
  load(4);
  ASSERT_EQ(P.hostAccess(*A, 0, 40 * Frame, false), cudaSuccess);
  for (uint32_t F : {3, 4})
    ASSERT_EQ(P.toHost(*A, F), cudaSuccess);
  EXPECT_EQ(A->base()[3 * Frame], std::byte(3));
  EXPECT_TRUE(P.view(*A).Frames[3].Filled);
  EXPECT_FALSE(P.view(*A).Frames[4].Filled);
}

TEST_F(PagerTest, SlotsWithoutFramesGiveWay) {
  make(1, 40);
  auto Other = allocate(40 * Frame);
  Pager &P = M->pager();
  const uint64_t Budget = P.budget(0);
  ASSERT_EQ(P.setRing(*A, 0, 20), cudaSuccess);
  for (uint32_t F = 0; F < 20; ++F)
    load(F);
  for (uint32_t F = 0; F < 20; ++F)
    ASSERT_EQ(P.toHost(*A, F), cudaSuccess);
  EXPECT_EQ(P.budget(0), Budget);
  ASSERT_EQ(P.setRing(*Other, 0, 30), cudaSuccess);
  for (uint32_t F = 0; F < 30; ++F) {
    ASSERT_EQ(P.toDevice(*Other, F, 0), cudaSuccess);
    EXPECT_EQ(Other->Paged->Frames[F].Device->location(), 0);
  }
  EXPECT_EQ(P.budget(0), Budget);
  // Nothing of A's is left but its addresses.
  EXPECT_FALSE(P.hasFreeFrameSlot(*A, 0, 0));
  for (uint32_t F = 0; F < 30; ++F)
    ASSERT_EQ(P.toHost(*Other, F), cudaSuccess);
  load(3);
  expectReadable(3, 4);
}

TEST_F(PagerTest, OnlyWhatIsWantedGivesWay) {
  make(1, 20);
  Pager &P = M->pager();
  ASSERT_EQ(P.setRing(*A, 0, 6), cudaSuccess);
  for (uint32_t F = 0; F < 8; ++F)
    load(F); // the last two beside the ring
  for (uint32_t F = 1; F < 8; ++F)
    ASSERT_EQ(P.toHost(*A, F), cudaSuccess);
  EXPECT_EQ(P.idle(0), 7 * Frame);
  EXPECT_TRUE(P.trim(0, Frame + 1)); // those that are not mapped
  EXPECT_EQ(P.idle(0), 5 * Frame);
  for (uint32_t F = 1; F < 6; ++F)
    EXPECT_TRUE(P.hasFreeFrameSlot(*A, F, 0));
  EXPECT_TRUE(P.trim(0, 2 * Frame));
  EXPECT_EQ(P.idle(0), 3 * Frame);
  EXPECT_TRUE(P.trim(0, UINT64_MAX));
  EXPECT_EQ(P.idle(0), 0u);
  EXPECT_FALSE(P.trim(0, 1));
  expectReadable(0, 1);
}

TEST_F(PagerTest, MemoryForSomethingElseTakesNoMoreOfRings) {
  make(1, 40);
  Pager &P = M->pager();
  ASSERT_EQ(P.setRing(*A, 0, 24), cudaSuccess);
  for (uint32_t F = 0; F < 24; ++F)
    load(F);
  for (uint32_t F = 0; F < 24; ++F)
    ASSERT_EQ(P.toHost(*A, F), cudaSuccess);
  size_t Free = 0, Total = 0;
  B->memoryInfo(0, Free, Total);
  const Expected<void *> Other =
      M->allocate(Free + Page, AllocationKind::Device);
  ASSERT_EQ(Other.error(), cudaSuccess);
  ASSERT_EQ(M->find(*Other)->Homes.bytesAt(0, Free + Page, 0), Free + Page);
  EXPECT_GE(P.idle(0), 8 * Frame);
}

TEST_F(PagerTest, TheLastFrameMayBeShort) {
  make(1, 8);
  auto Odd = allocate(7 * Frame + Page);
  std::swap(A, Odd);
  Pager &P = M->pager();
  ASSERT_EQ(A->Paged->Frames.size(), 8u);
  ASSERT_EQ(P.setRing(*A, 0, 3), cudaSuccess);
  load(6);
  load(7);
  expectReadable(6, 8);
  // The ring goes: the frame keeps its slot's pages.
  ASSERT_EQ(P.setRing(*A, 0, 0), cudaSuccess);
  expectReadable(6, 8);
  ASSERT_EQ(M->free(A->base()), cudaSuccess);
  size_t Free = 0, Total = 0;
  ASSERT_EQ(M->free(Odd->base()), cudaSuccess);
  B->memoryInfo(0, Free, Total);
  EXPECT_EQ(Free, Total);
}

TEST_F(PagerTest, FramesStayOfWhichAllIsMarked) {
  make(1, 8);
  A = allocate(7 * Frame + Page + 100);
  Pager &P = M->pager();
  using Bytes = boost::icl::interval<uint64_t>;
  auto GoHome = [&] {
    std::string Out;
    for (const PagedView::Frame &F : P.view(*A).Frames)
      Out += F.MustWriteBack ? '1' : '0';
    return Out;
  };
  auto Mark = [&](uint64_t Lo, uint64_t Hi) {
    boost::icl::interval_set<uint64_t> Set;
    Set.add(Bytes::right_open(Lo, Hi));
    P.markAccessed(*A, Set);
  };
  EXPECT_EQ(GoHome(), "11111111");
  Mark(1, 3 * Frame - 1);
  EXPECT_EQ(GoHome(), "10111111");
  Mark(0, 1);
  Mark(3 * Frame - 1, 3 * Frame);
  EXPECT_EQ(GoHome(), "00011111");
  // What is behind the end is nobody's.
  Mark(7 * Frame, 7 * Frame + Page + 100);
  EXPECT_EQ(GoHome(), "00011110");
  // Of very many pieces those that make up frames are remembered.
  boost::icl::interval_set<uint64_t> Many;
  for (uint64_t I = 0; I < 20000; ++I)
    Many.add(Bytes::right_open(100 * Frame + 2 * I, 100 * Frame + 2 * I + 1));
  P.markAccessed(*A, Many);
  EXPECT_EQ(GoHome(), "00011110");
  P.forgetAccessed(*A);
  EXPECT_EQ(GoHome(), "11111111");
}
