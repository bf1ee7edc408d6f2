//===- MemoryManagerTest.cpp - AllocationHome, freeing and moving memory
//---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/MemoryManager.h"
#include "runtime/backend/ForwardingBackend.h"
#include "runtime/backend/cpu/CpuBackend.h"
#include "runtime/support/ChosenDevice.h"
#include <climits>
#include <cstring>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace gridspan;

namespace {

class MemoryManagerTest : public testing::Test {
protected:
  void make(unsigned Devices, uint64_t Memory = 0, bool Stripe = true,
            bool Peer = true, bool Unified = true) {
    M.reset();
    B = std::make_unique<CpuBackend>(
        CpuBackendOptions{Devices, Memory, Peer, Unified});
    M = std::make_unique<MemoryManager>(*B,
                                        [Stripe](uint64_t) { return Stripe; });
  }

  std::byte *allocate(uint64_t Bytes,
                      AllocationKind Kind = AllocationKind::Device) {
    const Expected<void *> Out = M->allocate(Bytes, Kind);
    EXPECT_EQ(Out.error(), cudaSuccess);
    if (!Out)
      return nullptr;
    std::memset(*Out, 1, Bytes); // CPU devices' memory is the host's too
    return static_cast<std::byte *>(*Out);
  }

  size_t freeBytes(Location Where) {
    size_t Free = 0, Total = 0;
    B->memoryInfo(Where, Free, Total);
    return Free;
  }

  std::unique_ptr<CpuBackend> B;
  std::unique_ptr<MemoryManager> M;
  const uint64_t Page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
};

/// A driver that may be unable to map memory of the host.
class HostPagesOrNot : public ForwardingBackend {
public:
  HostPagesOrNot(std::unique_ptr<Backend> Inner, bool HasThem)
      : ForwardingBackend(std::move(Inner)), HasThem(HasThem) {}
  cudaError_t createPages(Location Where, size_t Bytes,
                          std::unique_ptr<Pages> &Out) override {
    return Where == Host && !HasThem
               ? cudaErrorMemoryAllocation
               : ForwardingBackend::createPages(Where, Bytes, Out);
  }

private:
  const bool HasThem;
};

/// A host with so much memory free.
class BackendOfHost : public ForwardingBackend {
public:
  BackendOfHost(std::unique_ptr<Backend> Inner, uint64_t Free)
      : ForwardingBackend(std::move(Inner)), HostFree(Free) {}
  void memoryInfo(Location Where, size_t &Free, size_t &Total) override {
    ForwardingBackend::memoryInfo(Where, Free, Total);
    if (Where == Host)
      Free = HostFree;
  }
  uint64_t HostFree;
};

/// A driver that refuses to map pages of the host, from the given one on.
class BackendWithoutHostMaps : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  cudaError_t map(void *Address, Pages &P, size_t Offset,
                  size_t Bytes) override {
    if (P.location() == Host && Left-- <= 0)
      return cudaErrorMemoryAllocation;
    return ForwardingBackend::map(Address, P, Offset, Bytes);
  }
  std::atomic<int> Left{INT_MAX};
};

using Runs = std::vector<PageHomes::Run>;

} // namespace

TEST_F(MemoryManagerTest, LargeAllocationsAreCutIntoEqualShares) {
  make(4);
  auto A = M->find(allocate(8 * Page));
  EXPECT_EQ(A->Homes.runs(0, 8 * Page), (Runs{{0, 2 * Page, 0},
                                              {2 * Page, 4 * Page, 1},
                                              {4 * Page, 6 * Page, 2},
                                              {6 * Page, 8 * Page, 3}}));
}

TEST_F(MemoryManagerTest, WithoutSplittableKernelsAllIsOnDeviceZero) {
  make(4, 0, false);
  auto A = M->find(allocate(8 * Page));
  EXPECT_EQ(A->Homes.runs(0, 8 * Page), (Runs{{0, 8 * Page, 0}}));
}

TEST_F(MemoryManagerTest, WithoutPeersAllIsOnDeviceZero) {
  make(4, 16 * Page, true, false);
  auto A = M->find(allocate(8 * Page));
  EXPECT_EQ(A->Homes.runs(0, 8 * Page), (Runs{{0, 8 * Page, 0}}));
  // What does not fit there is on the host, where every device reaches it.
  auto C = M->find(allocate(16 * Page));
  EXPECT_EQ(C->Homes.runs(0, 16 * Page), (Runs{{0, 16 * Page, Host}}));
}

TEST_F(MemoryManagerTest, SmallAllocationsShareAPage) {
  make(4);
  const size_t Before = freeBytes(0);
  std::vector<std::byte *> All;
  for (int I = 0; I < 8; ++I)
    All.push_back(allocate(100));
  EXPECT_EQ(freeBytes(0), Before - Page);
  for (std::byte *P : All) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(P) % 256, 0u);
    EXPECT_EQ(M->find(P + 99)->base(), P);
    EXPECT_EQ(M->find(P + 100), nullptr);
    EXPECT_EQ(M->find(P)->kind(), AllocationKind::SubPage);
  }
  for (std::byte *P : All)
    EXPECT_EQ(M->free(P), cudaSuccess);
  // The place is used again.
  EXPECT_EQ(allocate(100), All[0]);
}

TEST_F(MemoryManagerTest, FreeGivesEverythingBack) {
  make(2, 0, true, true, false);
  const size_t Before[] = {freeBytes(0), freeBytes(1), freeBytes(Host)};
  std::byte *P = allocate(100 * Page);
  std::byte *Q = allocate(Page, AllocationKind::Managed);
  EXPECT_LT(freeBytes(1), Before[1]);
  EXPECT_TRUE(M->hostPagesExist());
  EXPECT_EQ(M->free(P), cudaSuccess);
  EXPECT_EQ(M->free(Q), cudaSuccess);
  EXPECT_EQ(freeBytes(0), Before[0]);
  EXPECT_EQ(freeBytes(1), Before[1]);
  EXPECT_EQ(freeBytes(Host), Before[2]);
  EXPECT_FALSE(M->hostPagesExist());
  EXPECT_EQ(M->free(P), cudaErrorInvalidValue);
}

TEST_F(MemoryManagerTest, FreeWantsTheFirstByte) {
  make(2);
  std::byte *P = allocate(100 * Page);
  int OnTheStack = 0;
  EXPECT_EQ(M->free(P + 1), cudaErrorInvalidValue);
  EXPECT_EQ(M->free(&OnTheStack), cudaErrorInvalidValue);
  EXPECT_EQ(M->free(P), cudaSuccess);
}

TEST_F(MemoryManagerTest, FullDevicesSpillToOthers) {
  make(2, 64 * Page, false);
  auto A = M->find(allocate(96 * Page));
  EXPECT_EQ(A->Homes.bytesAt(0, 96 * Page, 0), 64 * Page);
  EXPECT_EQ(A->Homes.bytesAt(0, 96 * Page, 1), 32 * Page);
  EXPECT_FALSE(A->Paged);
  EXPECT_FALSE(M->hostPagesExist());
  EXPECT_EQ(M->shortage().OtherDevices, 32 * Page);
  EXPECT_EQ(M->shortage().OnHost, 0u);
}

TEST_F(MemoryManagerTest, WhatDevicesCannotHoldIsPaged) {
  make(2, 64 * Page);
  std::byte *First = allocate(32 * Page); // 16 on each
  const size_t Before = freeBytes(0);
  std::byte *Second = allocate(112 * Page);
  auto A = M->find(Second);
  ASSERT_TRUE(A->Paged);
  EXPECT_EQ(A->Homes.bytesAt(0, 112 * Page, Host), 112 * Page);
  EXPECT_TRUE(M->hostPagesExist());
  EXPECT_EQ(freeBytes(0), Before);
  EXPECT_EQ(M->shortage().OtherDevices, 0u);
  EXPECT_EQ(M->shortage().OnHost, 112 * Page);
  // Nothing is pinned before it is needed, and then only that.
  Pager &Frames = M->pager();
  EXPECT_EQ(Frames.promised(), 112 * Page);
  const uint64_t Frame = A->Paged->FrameBytes;
  EXPECT_EQ(Frames.deviceAccess(*A, 3 * Frame, 4 * Frame, true), cudaSuccess);
  EXPECT_EQ(Frames.promised(), 112 * Page - Frame);
  EXPECT_TRUE(B->isPinned(Second + 3 * Frame, Frame));
  EXPECT_FALSE(B->isPinned(Second, Frame));
  EXPECT_EQ(M->accessEverything(true), cudaSuccess);
  EXPECT_EQ(Frames.promised(), 0u);
  A.reset();
  EXPECT_EQ(M->free(First), cudaSuccess);
  EXPECT_EQ(M->free(Second), cudaSuccess);
  EXPECT_FALSE(M->hostPagesExist());
}

TEST_F(MemoryManagerTest, SmallAllocationsGoToTheHostWhenDevicesAreFull) {
  for (bool HostPages : {true, false}) {
    M.reset();
    CpuBackendOptions Options = {2, 4 * Page, true};
    HostPagesOrNot Devices(std::make_unique<CpuBackend>(Options), HostPages);
    MemoryManager Memory(Devices, [](uint64_t) { return true; });
    std::vector<char *> All;
    // Two to a page.
    for (int I = 0; I < 24; ++I) {
      const Expected<void *> Out =
          Memory.allocate(Page / 2, AllocationKind::Device);
      ASSERT_EQ(Out.error(), cudaSuccess);
      std::memset(*Out, I, Page / 2);
      All.push_back(static_cast<char *>(*Out));
    }
    EXPECT_EQ(Memory.shortage().OtherDevices, 4 * Page);
    EXPECT_EQ(Memory.shortage().OnHost, 4 * Page);
    for (int I = 0; I < 24; ++I) {
      EXPECT_EQ(All[I][0], I);
      EXPECT_EQ(All[I][Page / 2 - 1], I);
      EXPECT_EQ(Memory.find(All[I])->Paged != nullptr, !HostPages && I >= 16);
      EXPECT_EQ(Memory.free(All[I]), cudaSuccess);
    }
  }
}

TEST_F(MemoryManagerTest, FramesAreSavedBeforeTheHostIsTouched) {
  make(2, 64 * Page);
  std::byte *P = allocate(200 * Page); // filled with 1
  auto A = M->find(P);
  ASSERT_TRUE(A->Paged);
  const uint64_t Frame = A->Paged->FrameBytes;
  Pager &Frames = M->pager();
  const uint64_t Budget = Frames.budget(1);
  ASSERT_EQ(Frames.toDevice(*A, 3, 1), cudaSuccess);
  EXPECT_EQ(Frames.budget(1), Budget);
  EXPECT_EQ(Frames.view(*A).Frames[3].Where, 1);
  const Expected<ptrdiff_t> Distance = Frames.distance(*A, 3, 4, 1);
  ASSERT_EQ(Distance.error(), cudaSuccess);
  std::memset(P + *Distance + 3 * Frame, 9, Frame);
  A->Paged->Frames[3].Dirty = true;
  // Other frames are nobody's business.
  ASSERT_EQ(Frames.hostAccess(*A, 0, 3 * Frame, true), cudaSuccess);
  EXPECT_EQ(P[3 * Frame], std::byte(1));
  ASSERT_EQ(Frames.hostAccess(*A, 3 * Frame, 3 * Frame + 1, false),
            cudaSuccess);
  EXPECT_EQ(P[3 * Frame], std::byte(9));
  EXPECT_EQ(P[4 * Frame - 1], std::byte(9));
  EXPECT_EQ(Frames.view(*A).Frames[3].Where, 1); // a copy that is good
  ASSERT_EQ(Frames.hostAccess(*A, 3 * Frame, 3 * Frame + 1, true), cudaSuccess);
  EXPECT_EQ(Frames.view(*A).Frames[3].Where, Host);
}

TEST_F(MemoryManagerTest, AllocationsBecomePagedToMakeRoomForFrames) {
  make(1, 64 * Page);
  std::byte *P = allocate(48 * Page), *Q = allocate(32 * Page);
  std::memset(P, 5, 48 * Page);
  EXPECT_FALSE(M->find(P)->Paged);
  EXPECT_TRUE(M->find(Q)->Paged);
  std::unique_ptr<Stream> S;
  ASSERT_EQ(B->createStream(0, StreamKind::NonBlocking, 0, S), cudaSuccess);
  ASSERT_EQ(M->makeRoomForFrames(*S), cudaSuccess);
  ASSERT_TRUE(M->find(P)->Paged);
  EXPECT_GT(M->pager().budget(0), 60 * Page);
  EXPECT_EQ(P[0], std::byte(5));
  EXPECT_EQ(P[48 * Page - 1], std::byte(5));
  EXPECT_EQ(M->free(P), cudaSuccess);
}

TEST_F(MemoryManagerTest, NoMoreAllocationsBecomePagedThanAreInTheWay) {
  make(2, 64 * Page);
  std::vector<std::byte *> All;
  for (int I = 0; I < 4; ++I)
    All.push_back(allocate(28 * Page)); // 14 on each
  std::unique_ptr<Stream> S;
  ASSERT_EQ(B->createStream(0, StreamKind::NonBlocking, 0, S), cudaSuccess);
  ASSERT_EQ(M->makeRoomForFrames(*S), cudaSuccess);
  int Paged = 0;
  for (std::byte *P : All) {
    Paged += M->find(P)->Paged != nullptr;
    EXPECT_EQ(P[28 * Page - 1], std::byte(1));
  }
  // Half of 64 is free for frames when 28 are in use, but for what is spared.
  EXPECT_EQ(Paged, 2);
  const uint64_t Epoch = M->epoch();
  ASSERT_EQ(M->makeRoomForFrames(*S), cudaSuccess);
  EXPECT_EQ(M->epoch(), Epoch);
}

TEST_F(MemoryManagerTest, WhatWasUsedLastIsTheLastToBecomePaged) {
  make(1, 64 * Page);
  std::vector<std::byte *> All;
  for (int I = 0; I < 4; ++I)
    All.push_back(allocate(14 * Page));
  M->noteUse({M->find(All[0]), nullptr, M->find(All[2])});
  std::unique_ptr<Stream> S;
  ASSERT_EQ(B->createStream(0, StreamKind::NonBlocking, 0, S), cudaSuccess);
  ASSERT_EQ(M->makeRoomForFrames(*S), cudaSuccess);
  for (int I = 0; I < 4; ++I)
    EXPECT_EQ(M->find(All[I])->Paged != nullptr, I % 2 == 1) << I;
}

TEST_F(MemoryManagerTest, WhatWasMovedInPartIsNotKept) {
  make(2, 64 * Page);
  const uint64_t Free = M->info().Free;
  chosenDevice() = 1;
  std::byte *P = allocate(8 * Page);
  chosenDevice() = NoChosenDevice;
  std::unique_ptr<Stream> S;
  ASSERT_EQ(B->createStream(0, StreamKind::NonBlocking, 0, S), cudaSuccess);
  {
    PlacementWriter Guard(M->placementLock());
    ASSERT_EQ(M->move(*M->find(P), 0, 4 * Page, 0, *S), cudaSuccess);
  }
  EXPECT_EQ(P[8 * Page - 1], std::byte(1));
  EXPECT_EQ(M->free(P), cudaSuccess);
  EXPECT_EQ(M->info().Free, Free);
}

TEST_F(MemoryManagerTest, WhatCannotBePagedStaysWhereItIs) {
  for (int Maps : {0, 1, 5}) {
    auto Owned = std::make_unique<BackendWithoutHostMaps>(
        std::make_unique<CpuBackend>(CpuBackendOptions{2, 64 * Page, true}));
    BackendWithoutHostMaps &Devices = *Owned;
    MemoryManager Memory(Devices, [](uint64_t) { return true; });
    const Expected<void *> Out =
        Memory.allocate(96 * Page, AllocationKind::Device);
    ASSERT_EQ(Out.error(), cudaSuccess);
    std::memset(*Out, 7, 96 * Page);
    std::shared_ptr<Allocation> A = Memory.find(*Out);
    const Runs Before = A->Homes.runs(0, 96 * Page);
    std::unique_ptr<Stream> S;
    ASSERT_EQ(Devices.createStream(0, StreamKind::NonBlocking, 0, S),
              cudaSuccess);
    Devices.Left = Maps;
    EXPECT_EQ(Memory.makeRoomForFrames(*S), cudaSuccess);
    EXPECT_FALSE(A->Paged);
    EXPECT_EQ(A->Homes.runs(0, 96 * Page), Before);
    EXPECT_FALSE(Memory.hostPagesExist());
    for (uint64_t I = 0; I < 96 * Page; I += Page)
      ASSERT_EQ(A->base()[I], std::byte(7));
    // It can be paged when there is a way.
    Devices.Left = INT_MAX;
    EXPECT_EQ(Memory.makeRoomForFrames(*S), cudaSuccess);
    EXPECT_TRUE(A->Paged);
    for (uint64_t I = 0; I < 96 * Page; I += Page)
      ASSERT_EQ(A->base()[I], std::byte(7));
    EXPECT_EQ(Memory.pager().promised(), 0U);
    EXPECT_EQ(Memory.free(*Out), cudaSuccess);
  }
}

TEST_F(MemoryManagerTest, WhatTheProgramFilledIsNotPromisedAnyMore) {
  BackendOfHost Machine(std::make_unique<CpuBackend>(
                            CpuBackendOptions{1, 64 * Page, true, false}),
                        100 * Page);
  MemoryManager Memory(Machine, [](uint64_t) { return true; });
  const Expected<void *> First =
      Memory.allocate(80 * Page, AllocationKind::Managed);
  ASSERT_EQ(First.error(), cudaSuccess);
  // Nothing is there, but it may be wanted.
  EXPECT_EQ(Memory.allocate(21 * Page, AllocationKind::Managed).error(),
            cudaErrorMemoryAllocation);
  std::memset(*First, 1, 80 * Page);
  Machine.HostFree = 20 * Page;
  EXPECT_EQ(Memory.pager().promised(), 80 * Page);
  EXPECT_EQ(Memory.pager().untouched(*Memory.find(*First)), 0U);
  EXPECT_EQ(Memory.allocate(20 * Page, AllocationKind::Managed).error(),
            cudaSuccess);
  // Free devices are no room for it.
  EXPECT_EQ(Memory.allocate(Page, AllocationKind::Managed).error(),
            cudaErrorMemoryAllocation);
  EXPECT_EQ(Memory.allocate(65 * Page, AllocationKind::Device).error(),
            cudaErrorMemoryAllocation);
  // But what has room on devices only goes there.
  const Expected<void *> Last =
      Memory.allocate(64 * Page, AllocationKind::Device);
  ASSERT_EQ(Last.error(), cudaSuccess);
  EXPECT_FALSE(Memory.find(*Last)->Paged);
}

TEST_F(MemoryManagerTest, TooMuchIsAnErrorAndCostsNothing) {
  make(2);
  const size_t Before = freeBytes(0);
  EXPECT_EQ(M->allocate(uint64_t(1) << 60, AllocationKind::Device).error(),
            cudaErrorMemoryAllocation);
  EXPECT_EQ(M->allocate(uint64_t(1) << 60, AllocationKind::Managed).error(),
            cudaErrorMemoryAllocation);
  EXPECT_EQ(M->allocate(UINT64_MAX, AllocationKind::Device).error(),
            cudaErrorMemoryAllocation);
  EXPECT_EQ(freeBytes(0), Before);
}

TEST_F(MemoryManagerTest, InfoIsOfAllDevicesTogether) {
  make(3, 64 * Page);
  const MemoryManager::DeviceBytes Before = M->info();
  EXPECT_EQ(Before.Total, 3 * 64 * Page);
  EXPECT_EQ(Before.Free, Before.Total);
  allocate(30 * Page);
  EXPECT_EQ(M->info().Total, Before.Total);
  EXPECT_EQ(M->info().Free, Before.Total - 30 * Page);
}

TEST_F(MemoryManagerTest, MovingKeepsTheContents) {
  make(2);
  std::byte *P = allocate(100 * Page);
  for (uint64_t I = 0; I < 100; ++I)
    P[I * Page] = static_cast<std::byte>(I);
  auto A = M->find(P);
  std::unique_ptr<Stream> S;
  ASSERT_EQ(B->createStream(0, StreamKind::NonBlocking, 0, S), cudaSuccess);
  const size_t Free[] = {freeBytes(0), freeBytes(1)};
  const uint64_t Epoch = M->epoch();
  PlacementWriter Placement(M->placementLock());
  ASSERT_EQ(M->move(*A, 10 * Page, 70 * Page, 1, *S), cudaSuccess);
  EXPECT_NE(M->epoch(), Epoch);
  EXPECT_EQ(A->Homes.runs(0, 100 * Page),
            (Runs{{0, 10 * Page, 0}, {10 * Page, 100 * Page, 1}}));
  for (uint64_t I = 0; I < 100; ++I)
    EXPECT_EQ(P[I * Page], static_cast<std::byte>(I));
  ASSERT_EQ(M->move(*A, 0, 100 * Page, 0, *S), cudaSuccess);
  for (uint64_t I = 0; I < 100; ++I)
    EXPECT_EQ(P[I * Page], static_cast<std::byte>(I));
  EXPECT_EQ(freeBytes(0), Free[0] - 50 * Page);
  EXPECT_EQ(freeBytes(1), Free[1] + 50 * Page);
}

TEST_F(MemoryManagerTest, AMoveWithoutRoomChangesNothing) {
  make(2, 64 * Page);
  std::byte *P = allocate(64 * Page);
  allocate(64 * Page);
  auto A = M->find(P);
  std::unique_ptr<Stream> S;
  ASSERT_EQ(B->createStream(0, StreamKind::NonBlocking, 0, S), cudaSuccess);
  const Runs Before = A->Homes.runs(0, 64 * Page);
  PlacementWriter Placement(M->placementLock());
  EXPECT_EQ(M->move(*A, 0, 64 * Page, 1, *S), cudaErrorMemoryAllocation);
  EXPECT_EQ(A->Homes.runs(0, 64 * Page), Before);
  EXPECT_EQ(P[0], std::byte(1));
}

TEST_F(MemoryManagerTest, FreedInStreamOrder) {
  make(1);
  std::unique_ptr<Stream> S, T;
  ASSERT_EQ(B->createStream(0, StreamKind::NonBlocking, 0, S), cudaSuccess);
  ASSERT_EQ(B->createStream(0, StreamKind::NonBlocking, 0, T), cudaSuccess);
  std::atomic<bool> Go{false};
  ASSERT_EQ(B->hostFunction(*S,
                            [&] {
                              while (!Go)
                                std::this_thread::yield();
                            }),
            cudaSuccess);
  const Expected<void *> P = M->allocateAsync(10 * Page, *S);
  ASSERT_EQ(P.error(), cudaSuccess);
  const size_t Before = freeBytes(0);
  EXPECT_EQ(M->freeAsync(*P, *S), cudaSuccess);
  EXPECT_EQ(M->freeAsync(*P, *S), cudaErrorInvalidValue);
  // Another stream may not have it yet, the same stream may.
  const Expected<void *> Q = M->allocateAsync(10 * Page, *T);
  ASSERT_EQ(Q.error(), cudaSuccess);
  EXPECT_NE(*Q, *P);
  const Expected<void *> R = M->allocateAsync(10 * Page, *S);
  ASSERT_EQ(R.error(), cudaSuccess);
  EXPECT_EQ(*R, *P);
  EXPECT_EQ(M->freeAsync(*R, *S), cudaSuccess);
  EXPECT_EQ(M->freeAsync(*Q, *T), cudaSuccess);
  Go = true;
  ASSERT_EQ(B->synchronizeDevice(0), cudaSuccess);
  EXPECT_EQ(M->info().Free, Before + 10 * Page);
}

TEST_F(MemoryManagerTest, ReplicasGoBeforeAnAllocationFails) {
  make(2, 64 * Page);
  std::byte *P = allocate(32 * Page);
  auto A = M->find(P);
  A->Replicas.resize(2);
  for (int Device : {1, 0}) {
    Expected<std::unique_ptr<Replica>> New = M->createReplica(*A, Device);
    ASSERT_EQ(New.error(), cudaSuccess);
    A->Replicas[Device] = std::move(*New);
  }
  // Fits only if the replicas' 64 pages are given back.
  std::byte *Q = allocate(90 * Page);
  EXPECT_FALSE(M->find(Q)->Paged);
  EXPECT_TRUE(A->Replicas.empty());
}
