//===- UnifiedMemoryTest.cpp - Managed memory that devices hold -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ForwardingBackend.h"
#include "runtime/backend/cpu/CpuBackend.h"
#include "runtime/launch/UnifiedPrefetch.h"
#include "test/unit/runtime/TestRuntime.h"
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace gridspan;

namespace {

/// What a backend was told about unified memory, as text.
class ToldBackend : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  cudaError_t preferHome(void *Address, size_t Bytes, Location From,
                         Location To) override {
    Told.push_back(fmt::format("prefer {} {}->{}", Bytes, From, To));
    return inner().preferHome(Address, Bytes, From, To);
  }
  cudaError_t prefetch(Stream &S, void *Address, size_t Bytes,
                       Location To) override {
    Told.push_back(fmt::format("prefetch {} ->{}", Bytes, To));
    return cudaErrorUnknown; // which costs time only
  }
  cudaError_t advise(void *Address, size_t Bytes, cudaMemoryAdvise Advice,
                     Location Where) override {
    Told.push_back(fmt::format("advise {} {} {}", Bytes, int(Advice), Where));
    return inner().advise(Address, Bytes, Advice, Where);
  }
  static inline std::vector<std::string> Told;
  static std::vector<std::string> take() { return std::exchange(Told, {}); }
};

using Texts = std::vector<std::string>;
using Runs = std::vector<PageHomes::Run>;

class UnifiedMemoryTest : public testing::Test {
protected:
  void make(unsigned Devices, uint64_t Pages, bool Peer = true) {
    M.reset();
    auto Cpu = std::make_unique<CpuBackend>(
        CpuBackendOptions{Devices, Pages * Page, Peer});
    B = std::make_unique<ToldBackend>(std::move(Cpu));
    M = std::make_unique<MemoryManager>(*B, [](uint64_t) { return true; });
    ToldBackend::take();
  }
  std::shared_ptr<Allocation> allocate(uint64_t Bytes) {
    const Expected<void *> Out = M->allocate(Bytes, AllocationKind::Managed);
    EXPECT_EQ(Out.error(), cudaSuccess);
    return Out ? M->find(*Out) : nullptr;
  }
  uint64_t freePages(int Device) {
    size_t Free = 0, Total = 0;
    B->memoryInfo(Device, Free, Total);
    return Free / Page;
  }

  const uint64_t Page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  std::unique_ptr<ToldBackend> B;
  std::unique_ptr<MemoryManager> M;
};

template <typename T> T *managed(size_t Count) {
  void *Out = nullptr;
  EXPECT_EQ(__gridspan_cudaMallocManaged(&Out, Count * sizeof(T),
                                         cudaMemAttachGlobal),
            cudaSuccess);
  return static_cast<T *>(Out);
}

} // namespace

TEST_F(UnifiedMemoryTest, HasHomesAndIsTheHosts) {
  make(2, 64);
  auto A = allocate(7 * Page + 1);
  EXPECT_TRUE(A->Unified);
  EXPECT_FALSE(A->Paged);
  EXPECT_TRUE(A->isMovable());
  EXPECT_TRUE(M->anyUnified());
  EXPECT_FALSE(M->hostPagesExist());
  EXPECT_EQ(A->Homes.runs(0, 8 * Page),
            (Runs{{0, 4 * Page, 0}, {4 * Page, 8 * Page, 1}}));
  EXPECT_EQ(ToldBackend::take(),
            (Texts{fmt::format("prefer {} -1->0", 4 * Page),
                   fmt::format("prefer {} -1->1", 3 * Page + 1)}));
  // The host sees zeros, and may write.
  EXPECT_EQ(std::count(A->base(), A->base() + A->bytes(), std::byte(0)),
            static_cast<ptrdiff_t>(A->bytes()));
  std::fill_n(A->base(), A->bytes(), std::byte(1));
  EXPECT_EQ(M->free(A->base()), cudaSuccess);
  EXPECT_FALSE(M->anyUnified());
}

TEST_F(UnifiedMemoryTest, CountsAgainstDevices) {
  make(2, 64);
  auto A = allocate(20 * Page);
  EXPECT_EQ(freePages(0), 54U);
  EXPECT_EQ(freePages(1), 54U);
  ASSERT_EQ(M->move(
                *A, 0, 10 * Page, 1,
                *[this] {
                  std::unique_ptr<Stream> S;
                  EXPECT_EQ(B->createStream(0, StreamKind::NonBlocking, 0, S),
                            cudaSuccess);
                  return S;
                }()),
            cudaSuccess);
  EXPECT_EQ(freePages(0), 64U);
  EXPECT_EQ(freePages(1), 44U);
  EXPECT_EQ(A->Homes.runs(0, 20 * Page), (Runs{{0, 20 * Page, 1}}));
  EXPECT_EQ(M->free(A->base()), cudaSuccess);
  EXPECT_EQ(freePages(1), 64U);
}

TEST_F(UnifiedMemoryTest, GoesWhereThereIsRoom) {
  make(2, 64);
  M = std::make_unique<MemoryManager>(*B, [](uint64_t) { return false; });
  ASSERT_EQ(M->allocate(40 * Page, AllocationKind::Device).error(),
            cudaSuccess);
  auto A = allocate(30 * Page); // 24 are left on device 0
  EXPECT_TRUE(A->Unified);
  EXPECT_EQ(A->Homes.runs(0, 30 * Page), (Runs{{0, 30 * Page, 1}}));
  EXPECT_EQ(M->shortage().OtherDevices, 30 * Page);
  // No device has room for all of it.
  EXPECT_TRUE(allocate(36 * Page)->Paged);
}

TEST_F(UnifiedMemoryTest, OtherwiseItIsPaged) {
  make(1, 64);
  EXPECT_TRUE(allocate(57 * Page)->Paged);
  EXPECT_TRUE(allocate(56 * Page)->Unified);
  EXPECT_TRUE(allocate(Page)->Paged);
}

TEST_F(UnifiedMemoryTest, DevicesThatDoNotReachEachOtherHoldItOnTheFirst) {
  make(2, 64, false);
  EXPECT_EQ(allocate(8 * Page)->Homes.runs(0, 8 * Page),
            (Runs{{0, 8 * Page, 0}}));
}

TEST(UnifiedLaunches, TheHostTakesItsTurns) {
  for (unsigned Devices : {1U, 2U, 4U})
    for (bool Peer : {true, false}) {
      TestRuntime R(Devices, Schedule::Static, 0, Peer);
      const int N = 1 << 16;
      auto *X = managed<float>(N), *Y = managed<float>(N);
      std::fill_n(X, N, 1.0f);
      for (int Round = 0; Round < 4; ++Round) {
        for (int I = 0; I < 2; ++I)
          ASSERT_EQ(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 1.0f,
                           static_cast<const float *>(X), Y, N),
                    cudaSuccess);
        ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
        Y[Round * 1000] += 100;
        X[Round] = 0;
      }
      for (int I = 0; I < N; ++I) {
        const bool Marked = I < 4000 && I % 1000 == 0;
        const int Additions = I < 4 ? 2 * (I + 1) : 8;
        ASSERT_EQ(Y[I], static_cast<float>(Additions + (Marked ? 100 : 0)))
            << I << ", " << Devices << " devices";
      }
      const KernelRecord K = R.kernel("saxpy");
      EXPECT_EQ(K.OutOfCoreLaunches, 0U);
      EXPECT_EQ(K.DevicesMax, Devices);
      EXPECT_EQ(__gridspan_cudaFree(X), cudaSuccess);
      EXPECT_EQ(__gridspan_cudaFree(Y), cudaSuccess);
    }
}

TEST(UnifiedLaunches, WhatTheHostHadIsPrefetched) {
  TestRuntime R(2);
  R.wrapBackend<ToldBackend>();
  const int N = 6 << 20; // 24 MiB, 12 on each device
  auto *X = managed<float>(N);
  auto *Y = managed<float>(N);
  std::fill_n(X, N, 1.0f);
  std::fill_n(Y, N, 1.0f);
  auto Run = [&](int Count) {
    ToldBackend::take();
    EXPECT_EQ(launch(fake::saxpy(), Count / 256, 256, 0, nullptr, 1.0f,
                     static_cast<const float *>(X), Y, Count),
              cudaSuccess);
    return ToldBackend::take();
  };
  const std::string Half = fmt::format("prefetch {} ->", 12 << 20);
  const Texts All = {Half + "0", Half + "1", Half + "0", Half + "1"};
  EXPECT_EQ(Run(N), All);
  EXPECT_EQ(Run(N), Texts());
  // The program may touch it now, and only a part is wanted.
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  const std::string Part = fmt::format("prefetch {} ->0", 4 << 20);
  EXPECT_EQ(Run(1 << 20), (Texts{Part, Part}));
  cudaEvent_t E = nullptr;
  ASSERT_EQ(__gridspan_cudaEventCreate(&E), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaEventRecord(E, nullptr), cudaSuccess);
  EXPECT_EQ(Run(N), Texts());
  ASSERT_EQ(__gridspan_cudaEventSynchronize(E), cudaSuccess);
  EXPECT_EQ(Run(N), All);
  EXPECT_EQ(fromDevice(Y + N - 1, 1), std::vector<float>{5});
  EXPECT_EQ(__gridspan_cudaEventDestroy(E), cudaSuccess);
}

TEST(UnifiedLaunches, WhatTheProgramSaysIsPassedOn) {
  constexpr size_t Bytes = 4 << 20;
  cudaMemLocation Device = {}, OnHost = {};
  Device.type = cudaMemLocationTypeDevice;
  OnHost.type = cudaMemLocationTypeHost;
  for (unsigned Devices : {1U, 2U}) {
    TestRuntime R(Devices);
    R.wrapBackend<ToldBackend>();
    auto *X = managed<char>(Bytes);
    ToldBackend::take();
    for (cudaMemoryAdvise Advice :
         {cudaMemAdviseSetReadMostly, cudaMemAdviseSetPreferredLocation})
      ASSERT_EQ(__gridspan_cudaMemAdvise(X, 100, Advice, OnHost), cudaSuccess);
    // Where several devices have its pages is not the program's.
    EXPECT_EQ(ToldBackend::take(),
              Devices == 1 ? (Texts{"advise 100 1 -1", "advise 100 3 -1"})
                           : Texts{"advise 100 1 -1"});
    ASSERT_EQ(__gridspan_cudaMemPrefetchAsync(X, Bytes, Device, 0, nullptr),
              cudaSuccess);
    EXPECT_EQ(ToldBackend::take().size(), Devices);
    ASSERT_EQ(__gridspan_cudaMemPrefetchAsync(X, 100, OnHost, 0, nullptr),
              cudaSuccess);
    EXPECT_EQ(ToldBackend::take(), Texts{"prefetch 100 ->-1"});
  }
}

TEST(PartsOnHost, OfSmallRangesAreLookedAtAll) {
  const auto *Base = reinterpret_cast<const std::byte *>(0x1000000);
  unsigned Looks = 0;
  auto Parts = [&](std::vector<uint64_t> There, uint64_t Lo, uint64_t Hi) {
    Looks = 0;
    return partsOnHost(Base, Lo, Hi, 10, [&](const void *P) {
      ++Looks;
      return std::find(There.begin(), There.end(),
                       static_cast<const std::byte *>(P) - Base) != There.end();
    });
  };
  using Spans = std::vector<ByteSpan>;
  EXPECT_EQ(Parts({}, 0, 100), Spans());
  EXPECT_EQ(Parts({20, 30, 90}, 0, 95), (Spans{{20, 40}, {90, 95}}));
  EXPECT_EQ(Parts({5, 15}, 5, 6), (Spans{{5, 6}}));
  EXPECT_EQ(Parts({5, 15}, 7, 7), Spans());
  EXPECT_EQ(Looks, 0U);
  // Of large ones some pages decide.
  EXPECT_EQ(Parts({50}, 0, 1000), Spans());
  EXPECT_EQ(Looks, 16U);
  EXPECT_EQ(Parts({50, 120, 310}, 0, 1000),
            (Spans{{50, 60}, {120, 130}, {310, 320}}));
}
