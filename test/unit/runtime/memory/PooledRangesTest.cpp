//===- PooledRangesTest.cpp - Allocations that reuse mapped ranges --------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the calls that a driver takes long for. A loop that allocates and
// frees must make none of them.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/CpuBackend.h"
#include "test/unit/runtime/TestRuntime.h"
#include <atomic>
#include <cstring>
#include <thread>
#include <unistd.h>

using namespace gridspan;

namespace {

/// Counts of the calls that change what is mapped, or ask what is free.
struct MemoryCalls {
  int Changes = 0;
  int Questions = 0;
  bool operator==(const MemoryCalls &) const = default;
};

/// A backend without room for a kernel's code and stacks as long as ranges are
/// mapped that the test has not said to be needed.
class CrowdedBackend final : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  static inline bool IsCrowded = false;
  cudaError_t unmap(void *Address, size_t Bytes) override {
    IsCrowded = false;
    return inner().unmap(Address, Bytes);
  }
  cudaError_t launch(Stream &S, const LaunchTarget &Target,
                     const LaunchShape &Shape, void *const *Args,
                     const GridspanTile *Tile) override {
    return IsCrowded ? cudaErrorMemoryAllocation
                     : inner().launch(S, Target, Shape, Args, Tile);
  }
};

class CountingBackend final : public ForwardingBackend {
public:
  CountingBackend(std::unique_ptr<Backend> Inner, MemoryCalls &Calls)
      : ForwardingBackend(std::move(Inner)), Calls(Calls) {}
  cudaError_t reserve(size_t Bytes, void *&Address) override {
    ++std::atomic_ref(Calls.Changes);
    return inner().reserve(Bytes, Address);
  }
  void release(void *Address, size_t Bytes) override {
    ++std::atomic_ref(Calls.Changes);
    inner().release(Address, Bytes);
  }
  cudaError_t createPages(Location Where, size_t Bytes,
                          std::unique_ptr<Pages> &Out) override {
    ++std::atomic_ref(Calls.Changes);
    return inner().createPages(Where, Bytes, Out);
  }
  cudaError_t map(void *Address, Pages &P, size_t Offset,
                  size_t Bytes) override {
    ++std::atomic_ref(Calls.Changes);
    return inner().map(Address, P, Offset, Bytes);
  }
  cudaError_t unmap(void *Address, size_t Bytes) override {
    ++std::atomic_ref(Calls.Changes);
    return inner().unmap(Address, Bytes);
  }
  void memoryInfo(Location Where, size_t &Free, size_t &Total) override {
    ++std::atomic_ref(Calls.Questions);
    inner().memoryInfo(Where, Free, Total);
  }

private:
  MemoryCalls &Calls;
};

class PooledRangesTest : public testing::Test {
protected:
  void make(unsigned Devices, uint64_t Memory, bool Stripe = true) {
    M.reset();
    this->Stripe = Stripe;
    B = std::make_unique<CountingBackend>(
        std::make_unique<CpuBackend>(
            CpuBackendOptions{Devices, Memory, true, true}),
        Calls);
    M = std::make_unique<MemoryManager>(
        *B, [this](uint64_t) { return this->Stripe; });
    Calls = {};
  }

  std::byte *allocate(uint64_t Bytes,
                      AllocationKind Kind = AllocationKind::Device) {
    const Expected<void *> Out = M->allocate(Bytes, Kind);
    EXPECT_EQ(Out.error(), cudaSuccess);
    if (!Out)
      return nullptr;
    std::memset(*Out, 1, Bytes);
    return static_cast<std::byte *>(*Out);
  }
  void free(void *Address) { EXPECT_EQ(M->free(Address), cudaSuccess); }
  size_t freeBytes(Location Where) {
    size_t Free = 0, Total = 0;
    B->memoryInfo(Where, Free, Total);
    return Free;
  }

  bool Stripe = true;
  MemoryCalls Calls;
  std::unique_ptr<Backend> B;
  std::unique_ptr<MemoryManager> M;
  const uint64_t Page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
};

using Runs = std::vector<PageHomes::Run>;

} // namespace

TEST_F(PooledRangesTest, ALoopCallsTheDriverOnce) {
  for (unsigned Devices : {1U, 2U, 4U}) {
    make(Devices, 4096 * Page);
    const uint64_t Sizes[] = {1,    100,           Page / 2, Page - 1,
                              Page, 10 * Page + 3, 64 * Page};
    MemoryCalls After;
    for (int Round = 0; Round != 10; ++Round) {
      std::vector<std::byte *> All;
      for (uint64_t Bytes : Sizes)
        for (int I = 0; I != 3; ++I)
          All.push_back(allocate(Bytes));
      for (std::byte *P : All)
        free(P);
      if (Round == 0)
        After = Calls;
      EXPECT_EQ(Calls, After) << "round " << Round;
    }
    const MemoryManager::RangeCounts Counts = M->ranges();
    EXPECT_EQ(Counts.Unmapped, 0U);
    EXPECT_EQ(Counts.Reused, 81U); // 9 of pages of their own, 9 times
  }
}

TEST_F(PooledRangesTest, AllocatingDoesNotAskWhatTheHostHas) {
  make(2, 4096 * Page);
  allocate(8 * Page);
  EXPECT_EQ(Calls.Questions, 2); // one for each device
}

TEST_F(PooledRangesTest, ToAskWhatAllDevicesHaveLeavesWhatIsKept) {
  make(2, 4096 * Page);
  std::byte *Small = allocate(64), *Large = allocate(8 * Page);
  const size_t Total = M->info().Total;
  free(Small);
  free(Large);
  const uint64_t Epoch = M->epoch();
  EXPECT_EQ(M->totalBytes(), Total);
  const MemoryCalls Before = Calls;
  EXPECT_EQ(M->totalBytes(), Total);
  EXPECT_EQ(allocate(64), Small);
  EXPECT_EQ(allocate(8 * Page), Large);
  EXPECT_EQ(Calls, Before) << "no call of the backend";
  EXPECT_EQ(M->epoch(), Epoch) << "decisions about them hold";
}

TEST_F(PooledRangesTest, AReusedRangeIsLikeANewOne) {
  make(2, 4096 * Page);
  std::byte *P = allocate(8 * Page);
  std::shared_ptr<Allocation> A = M->find(P);
  const uint64_t Version = A->version(), Epoch = M->epoch();
  A->Replicas.resize(2);
  Expected<std::unique_ptr<Replica>> R = M->createReplica(*A, 1);
  ASSERT_EQ(R.error(), cudaSuccess);
  A->Replicas[1] = std::move(*R);
  const LackedBytes All = {0, A->bytes(), Place::home()};
  A->Copies.fetched(Place::replicaOn(1), {&All, 1});
  A->addMisplaced(1);
  A->Moves = 3;
  free(P);
  EXPECT_EQ(M->find(P), nullptr);
  EXPECT_EQ(allocate(8 * Page), P);
  // The same object, so that decisions about it hold, with other contents.
  EXPECT_EQ(M->find(P), A);
  EXPECT_EQ(M->epoch(), Epoch);
  EXPECT_GT(A->version(), Version);
  EXPECT_TRUE(A->Replicas.empty());
  EXPECT_EQ(A->Copies.state(), nullptr);
  EXPECT_EQ(A->misplaced(), 0);
  EXPECT_EQ(A->Moves, 0U);
  EXPECT_EQ(A->Homes.runs(0, 8 * Page),
            (Runs{{0, 4 * Page, 0}, {4 * Page, 8 * Page, 1}}));
}

TEST_F(PooledRangesTest, AnotherSizeInTheSamePagesIsAnotherAllocation) {
  make(2, 4096 * Page);
  std::byte *P = allocate(8 * Page);
  std::shared_ptr<Allocation> A = M->find(P);
  const uint64_t Epoch = M->epoch();
  const MemoryCalls Before = Calls;
  free(P);
  EXPECT_EQ(allocate(8 * Page - 1), P);
  EXPECT_EQ(Calls, Before);
  EXPECT_NE(M->find(P), A);
  EXPECT_EQ(M->find(P)->bytes(), 8 * Page - 1);
  EXPECT_EQ(M->find(P + 8 * Page - 1), nullptr);
  EXPECT_NE(M->epoch(), Epoch);
}

TEST_F(PooledRangesTest, ARangeThatMovedIsNotKept) {
  make(2, 4096 * Page);
  std::byte *P = allocate(8 * Page);
  std::unique_ptr<Stream> S;
  ASSERT_EQ(B->createStream(0, StreamKind::NonBlocking, 0, S), cudaSuccess);
  {
    PlacementWriter Placement(M->placementLock());
    ASSERT_EQ(M->move(*M->find(P), 0, 8 * Page, 1, *S), cudaSuccess);
  }
  const size_t Before = freeBytes(1);
  const uint64_t Epoch = M->epoch();
  free(P);
  EXPECT_EQ(freeBytes(1), Before + 8 * Page);
  EXPECT_NE(M->epoch(), Epoch);
  EXPECT_EQ(M->find(allocate(8 * Page))->Homes.bytesAt(0, 8 * Page, 0),
            4 * Page);
}

TEST_F(PooledRangesTest, ARangeThatMovedAndCameBackIsKept) {
  make(2, 4096 * Page);
  std::byte *P = allocate(8 * Page);
  std::unique_ptr<Stream> S;
  ASSERT_EQ(B->createStream(0, StreamKind::NonBlocking, 0, S), cudaSuccess);
  {
    PlacementWriter Placement(M->placementLock());
    ASSERT_EQ(M->move(*M->find(P), 0, 2 * Page, 1, *S), cudaSuccess);
    ASSERT_EQ(M->move(*M->find(P), 0, 2 * Page, 0, *S), cudaSuccess);
  }
  free(P);
  EXPECT_EQ(allocate(8 * Page), P);
}

TEST_F(PooledRangesTest, OtherDivisionsGetOtherRanges) {
  make(2, 4096 * Page);
  std::byte *P = allocate(8 * Page);
  free(P);
  Stripe = false; // no kernel may be split any more
  std::byte *Q = allocate(8 * Page);
  EXPECT_EQ(M->find(Q)->Homes.runs(0, 8 * Page), (Runs{{0, 8 * Page, 0}}));
  free(Q);
  Stripe = true;
  EXPECT_EQ(allocate(8 * Page), P);
}

TEST_F(PooledRangesTest, WhatIsKeptCountsAsFree) {
  make(2, 4096 * Page);
  const size_t Before = M->info().Free;
  std::byte *P = allocate(64 * Page);
  EXPECT_EQ(M->info().Free, Before - 64 * Page);
  free(P);
  EXPECT_EQ(M->info().Free, Before);
  EXPECT_EQ(freeBytes(0), Before / 2 - 32 * Page); // the backend's view
  M->releaseKept();
  EXPECT_EQ(freeBytes(0), Before / 2);
  EXPECT_EQ(M->info().Free, Before);
}

TEST_F(PooledRangesTest, AtMostAnEighthIsKept) {
  make(1, 800 * Page);
  std::vector<std::byte *> All;
  for (int I = 0; I != 10; ++I)
    All.push_back(allocate(60 * Page));
  for (std::byte *P : All)
    free(P);
  EXPECT_EQ(freeBytes(0), 740 * Page);
  std::byte *Large = allocate(101 * Page);
  free(Large);
  EXPECT_EQ(freeBytes(0), 740 * Page);
}

TEST_F(PooledRangesTest, WhatIsKeptMakesRoom) {
  make(2, 800 * Page);
  for (int I = 0; I != 5; ++I)
    free(allocate((30 + 2 * I) * Page));
  EXPECT_LT(freeBytes(0), 800 * Page);
  // Nearly all of both devices, though some of it is kept.
  std::byte *P = allocate(1540 * Page);
  EXPECT_FALSE(M->find(P)->Paged);
  EXPECT_EQ(M->shortage().OtherDevices, 0U);
  EXPECT_EQ(freeBytes(0), 30 * Page);
  EXPECT_EQ(M->ranges().Unmapped, 5U);
}

TEST_F(PooledRangesTest, NoMoreIsGivenBackThanIsNeeded) {
  make(1, 800 * Page, false);
  std::byte *P = allocate(40 * Page), *Q = allocate(50 * Page);
  free(P);
  free(Q);
  allocate(740 * Page);
  EXPECT_EQ(M->ranges().Unmapped, 1U);
  EXPECT_EQ(allocate(50 * Page), Q);
}

TEST_F(PooledRangesTest, WhatIsKeptMakesRoomForReplicas) {
  make(2, 800 * Page);
  std::byte *P = allocate(1400 * Page), *Q = allocate(190 * Page);
  free(Q); // 95 on each device, of which 5 more are free
  Stripe = false;
  Expected<std::unique_ptr<Replica>> R =
      M->createReplica(*M->find(allocate(50 * Page)), 1);
  ASSERT_EQ(R.error(), cudaSuccess);
  M->destroyReplica(**R);
  free(P);
}

TEST_F(PooledRangesTest, WhatIsKeptMakesRoomForUnifiedMemory) {
  make(1, 800 * Page);
  for (int I = 0; I != 2; ++I)
    free(allocate((40 + 8 * I) * Page));
  EXPECT_EQ(freeBytes(0), 712 * Page);
  // An eighth has to be left.
  std::byte *P = allocate(700 * Page, AllocationKind::Managed);
  EXPECT_TRUE(M->find(P)->Unified);
  free(P);
  free(allocate(60 * Page));
  allocate(100 * Page);
  P = allocate(600 * Page, AllocationKind::Managed);
  EXPECT_TRUE(M->find(P)->Unified);
}

TEST_F(PooledRangesTest, NothingIsKeptWhileAnythingIsPaged) {
  make(1, 800 * Page);
  free(allocate(60 * Page));
  std::byte *P = allocate(1000 * Page);
  ASSERT_TRUE(M->find(P)->Paged);
  EXPECT_EQ(freeBytes(0), 800 * Page);
  free(allocate(60 * Page));
  EXPECT_EQ(freeBytes(0), 800 * Page);
  free(P);
  free(allocate(60 * Page));
  EXPECT_EQ(freeBytes(0), 740 * Page);
}

TEST_F(PooledRangesTest, ReplicasReuseRangesAndLeaveThem) {
  make(2, 4096 * Page, false);
  std::byte *P = allocate(40 * Page);
  std::shared_ptr<Allocation> A = M->find(P);
  MemoryCalls After;
  for (int Round = 0; Round != 5; ++Round) {
    Expected<std::unique_ptr<Replica>> R = M->createReplica(*A, 1);
    ASSERT_EQ(R.error(), cudaSuccess);
    std::memset((*R)->Base, 2, (*R)->MappedBytes);
    M->destroyReplica(**R);
    if (Round == 0)
      After = Calls;
  }
  EXPECT_EQ(Calls, After);
}

TEST_F(PooledRangesTest, InStreamOrderWithoutWaiting) {
  make(2, 4096 * Page);
  std::unique_ptr<Stream> S, T;
  ASSERT_EQ(B->createStream(0, StreamKind::NonBlocking, 0, S), cudaSuccess);
  ASSERT_EQ(B->createStream(0, StreamKind::NonBlocking, 0, T), cudaSuccess);
  std::atomic<bool> Go{false};
  auto Hold = [&](Stream &Held) {
    ASSERT_EQ(B->hostFunction(Held,
                              [&] {
                                while (!Go)
                                  std::this_thread::yield();
                              }),
              cudaSuccess);
  };
  Hold(*S);
  // The stream never comes to the frees, and nothing waits for it.
  MemoryCalls After;
  for (int Round = 0; Round != 5; ++Round) {
    std::vector<void *> All;
    for (uint64_t Bytes : {Page / 4, 4 * Page, 16 * Page}) {
      const Expected<void *> P = M->allocateAsync(Bytes, *S);
      ASSERT_EQ(P.error(), cudaSuccess);
      All.push_back(*P);
    }
    for (void *P : All)
      EXPECT_EQ(M->freeAsync(P, *S), cudaSuccess);
    if (Round == 0)
      After = Calls;
  }
  EXPECT_EQ(Calls, After);
  // What another stream is given is no memory that S may still use.
  const Expected<void *> Q = M->allocateAsync(16 * Page, *T);
  ASSERT_EQ(Q.error(), cudaSuccess);
  EXPECT_TRUE(M->findFreed(*Q) == nullptr);
  Go = true;
  ASSERT_EQ(B->synchronize(*S), cudaSuccess);
  // Now it is anybody's, without a call.
  After = Calls;
  const Expected<void *> R = M->allocateAsync(4 * Page, *T);
  ASSERT_EQ(R.error(), cudaSuccess);
  EXPECT_EQ(Calls, After);
}

TEST_F(PooledRangesTest, ThousandsOfAnySize) {
  make(2, 0);
  constexpr int Count = 4000;
  std::vector<std::byte *> All;
  auto BytesOf = [&](int I) { return 1 + I * 7919ULL % (3 * Page); };
  MemoryCalls After;
  for (int Round = 0; Round != 3; ++Round) {
    All.clear();
    for (int I = 0; I != Count; ++I)
      All.push_back(allocate(BytesOf(I)));
    for (int I = 0; I != Count; ++I)
      All[I][BytesOf(I) - 1] = static_cast<std::byte>(I);
    for (int I = 0; I != Count; ++I)
      ASSERT_EQ(All[I][BytesOf(I) - 1], static_cast<std::byte>(I));
    // In another order than they came.
    for (int I = 0; I != Count; ++I)
      free(All[I * 1237LL % Count]);
    if (Round == 0)
      After = Calls;
  }
  EXPECT_EQ(Calls, After);
}

TEST_F(PooledRangesTest, ThreadsShareThePool) {
  make(2, 4096 * Page);
  std::atomic<int> Wrong{0};
  auto Work = [&](int Thread) {
    std::unique_ptr<Stream> S;
    if (B->createStream(0, StreamKind::NonBlocking, 0, S))
      ++Wrong;
    for (int Round = 0; Round != 200; ++Round) {
      // Sizes that other threads use too, and small ones.
      const uint64_t Bytes = (Round + Thread) % 3 == 0
                                 ? 100 + Round % 4
                                 : (4 + (Round + Thread) % 5) * Page;
      const bool InOrder = Round % 2;
      const Expected<void *> P =
          InOrder ? M->allocateAsync(Bytes, *S)
                  : M->allocate(Bytes, AllocationKind::Device);
      if (!P) {
        ++Wrong;
        continue;
      }
      std::memset(*P, Thread, Bytes);
      if (Round % 50 == 0)
        M->releaseKept();
      (void)M->info();
      const auto *Data = static_cast<const unsigned char *>(*P);
      for (uint64_t I = 0; I < Bytes; I += 97)
        Wrong += Data[I] != Thread;
      Wrong += (InOrder ? M->freeAsync(*P, *S) : M->free(*P)) != cudaSuccess;
    }
    Wrong += B->synchronize(*S) != cudaSuccess;
    M->forget(*S);
  };
  std::vector<std::thread> Threads;
  for (int I = 1; I != 5; ++I)
    Threads.emplace_back(Work, I);
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Wrong, 0);
  const MemoryManager::DeviceBytes Bytes = M->info();
  EXPECT_LE(Bytes.Total - Bytes.Free, Page);
}

TEST(PooledRanges, ResetEmptiesThePool) {
  TestRuntime R(2, Schedule::Static, 64 << 20);
  auto FreeBytes = [&] {
    size_t Free = 0, Total = 0;
    R->backend().memoryInfo(0, Free, Total);
    return Free;
  };
  const size_t Before = FreeBytes();
  void *P = nullptr, *Q = nullptr;
  ASSERT_EQ(__gridspan_cudaMalloc(&P, 1 << 20), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMalloc(&Q, 1 << 20), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaFree(P), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaFreeAsync(Q, nullptr), cudaSuccess);
  EXPECT_LT(FreeBytes(), Before);
  ASSERT_EQ(__gridspan_cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(FreeBytes(), Before);
  EXPECT_EQ(__gridspan_cudaFree(P), cudaErrorInvalidValue);
}

TEST(PooledRanges, LaunchesInALoopAreDecidedOnceAndComputeRight) {
  for (unsigned Devices : {1U, 2U, 3U}) {
    TestRuntime R(Devices, Schedule::Static);
    constexpr int N = 1 << 16;
    for (int Round = 0; Round != 6; ++Round) {
      std::vector<float> X(N, static_cast<float>(Round)), Y(N, 2);
      float *DX = toDevice(X), *DY = toDevice(Y);
      ASSERT_EQ(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 3.0f,
                       static_cast<const float *>(DX), DY, N),
                cudaSuccess);
      EXPECT_EQ(fromDevice(DY, N),
                std::vector<float>(N, 2 + 3 * static_cast<float>(Round)));
      EXPECT_EQ(__gridspan_cudaFree(DX), cudaSuccess);
      EXPECT_EQ(__gridspan_cudaFree(DY), cudaSuccess);
    }
    const MemoryManager::RangeCounts Counts = R->memory().ranges();
    EXPECT_EQ(Counts.Unmapped, 0U);
    EXPECT_EQ(Counts.Mapped, 2U);
    EXPECT_EQ(Counts.Reused, 10U);
  }
}

TEST(PooledRanges, NoReplicaOutlivesTheContents) {
  TestRuntime R(3, Schedule::Static);
  constexpr int N = 96;
  for (int Round = 1; Round != 5; ++Round) {
    const auto Value = static_cast<float>(Round);
    const std::vector<float> A(N * N, 1), B(N * N, Value), C(N * N);
    float *DA = toDevice(A), *DB = toDevice(B), *DC = toDevice(C);
    for (int I = 0; I != 2; ++I)
      ASSERT_EQ(launch(fake::matmul(), (N + 3) / 4, 4, 0, nullptr, DC,
                       static_cast<const float *>(DA),
                       static_cast<const float *>(DB), N),
                cudaSuccess);
    EXPECT_EQ(fromDevice(DC, N * N), std::vector<float>(N * N, N * Value));
    for (float *P : {DA, DB, DC})
      EXPECT_EQ(__gridspan_cudaFree(P), cudaSuccess);
  }
  EXPECT_GT(R->record().Replicas.Bytes, 0U);
  EXPECT_EQ(R->memory().ranges().Unmapped, 0U);
}

TEST(PooledRanges, WhatIsKeptMakesRoomForLaunches) {
  TestRuntime R(1);
  R.wrapBackend<CrowdedBackend>();
  constexpr int N = 1 << 16;
  float *X = toDevice(std::vector<float>(N, 1)),
        *Y = toDevice(std::vector<float>(N, 2));
  auto Add = [&] {
    return launch(fake::saxpy(), N / 256, 256, 0, nullptr, 3.0f,
                  static_cast<const float *>(X), Y, N);
  };
  CrowdedBackend::IsCrowded = true;
  EXPECT_EQ(Add(), cudaErrorMemoryAllocation) << "nothing is kept";
  EXPECT_EQ(__gridspan_cudaFree(toDevice(std::vector<float>(N))), cudaSuccess);
  CrowdedBackend::IsCrowded = true;
  EXPECT_EQ(Add(), cudaSuccess);
  EXPECT_FALSE(CrowdedBackend::IsCrowded);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 5));
}
