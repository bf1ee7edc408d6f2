//===- BackgroundPinsTest.cpp - Memory pinned beside other work -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/BackgroundPins.h"
#include "runtime/backend/ForwardingBackend.h"
#include "runtime/backend/cpu/CpuBackend.h"
#include "runtime/memory/MemoryManager.h"
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

using namespace gridspan;

namespace {

/// Knows what is registered; the call with number Failing fails.
class Registering : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;

  cudaError_t hostRegister(void *Address, size_t Bytes,
                           unsigned Flags) override {
    MutexLock Guard(Lock);
    if (Calls++ == Failing)
      return cudaErrorMemoryAllocation;
    EXPECT_TRUE(Registered.insert(Address).second);
    return ForwardingBackend::hostRegister(Address, Bytes, Flags);
  }
  cudaError_t hostUnregister(void *Address) override {
    MutexLock Guard(Lock);
    EXPECT_EQ(Registered.erase(Address), 1U);
    return ForwardingBackend::hostUnregister(Address);
  }

  Mutex Lock;
  std::set<void *> Registered;
  int Calls = 0;
  int Failing = -1;
};

class BackgroundPinsTest : public testing::Test {
protected:
  static constexpr uint32_t Count = 40;

  void SetUp() override {
    const auto Page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    B = std::make_unique<Registering>(std::make_unique<CpuBackend>(
        CpuBackendOptions{1, 64 * Page, true, false}));
    M = std::make_unique<MemoryManager>(*B, [](uint64_t) { return true; });
    const Expected<void *> Out =
        M->allocate(Count * 2 * Page, AllocationKind::Managed);
    ASSERT_EQ(Out.error(), cudaSuccess);
    A = M->find(*Out);
    ASSERT_EQ(A->Paged->Frames.size(), Count);
    // The last come first.
    for (uint32_t F = Count; F-- > 0;)
      Order.push_back({A.get(), F});
  }
  /// Expects that frames are ready if and only if they are registered.
  unsigned readyFrames() {
    unsigned Ready = 0;
    for (const PagedMemory::Frame &F : A->Paged->Frames) {
      EXPECT_EQ(F.Ready, B->Registered.contains(A->base() + F.Lo));
      Ready += F.Ready;
    }
    return Ready;
  }

  std::unique_ptr<Registering> B;
  std::unique_ptr<MemoryManager> M;
  std::shared_ptr<Allocation> A;
  std::vector<Pager::FrameOf> Order;
};

} // namespace

TEST_F(BackgroundPinsTest, FramesAreReadyInTheirOrder) {
  PlacementLock::assumeUnshared();
  BackgroundPins Pins(*B, M->pager(), Order);
  for (uint32_t I = 0; I <= Count; ++I) {
    ASSERT_EQ(Pins.waitFor(I), cudaSuccess);
    for (uint32_t J = 0; J < Count; ++J)
      EXPECT_EQ(A->Paged->Frames[Order[J].Frame].Ready, J < I);
  }
  Pins.finish();
  EXPECT_EQ(readyFrames(), Count);
}

TEST_F(BackgroundPinsTest, FramesAreReadyWhoseTurnNeverCame) {
  PlacementLock::assumeUnshared();
  BackgroundPins Pins(*B, M->pager(), Order);
  Pins.finish();
  readyFrames();
}

TEST_F(BackgroundPinsTest, ARefusalIsToldAndTheRestStaysAsItIs) {
  PlacementLock::assumeUnshared();
  B->Failing = 7;
  BackgroundPins Pins(*B, M->pager(), Order);
  EXPECT_EQ(Pins.waitFor(Count), cudaErrorMemoryAllocation);
  Pins.finish();
  EXPECT_LT(readyFrames(), Count);
  B->Failing = -1;
  EXPECT_EQ(M->pager().ensureReady(*A, 0, A->bytes()), cudaSuccess);
  EXPECT_EQ(readyFrames(), Count);
}
