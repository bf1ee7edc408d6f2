//===- SymbolTableTest.cpp - Variables that exist per device --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A variable of four integers on three devices, of which all but the first are
// opened when the test says so.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/SymbolTable.h"
#include "runtime/backend/ForwardingBackend.h"
#include "runtime/backend/Registry.h"
#include "test/unit/runtime/TestRuntime.h"
#include <array>
#include <atomic>
#include <optional>
#include <thread>

using namespace gridspan;

namespace {

using Values = std::array<int, 4>;
char Shadow, Constant;

class LateBackend : public ForwardingBackend {
public:
  explicit LateBackend(std::unique_ptr<Backend> Inner)
      : ForwardingBackend(std::move(Inner)) {
    OnDevices = {};
    IsOpen = false;
    UsedTooEarly = 0;
    Pending.reset();
    AskedFor = 0;
    BeforeReady = nullptr;
  }

  bool isReady() const override { return IsOpen; }
  void setBeforeReady(std::function<cudaError_t()> Work) override {
    BeforeReady = std::move(Work);
  }
  cudaError_t symbol(int Device, const void *Symbol, void *&Address,
                     size_t &Bytes) override {
    UsedTooEarly += Device > 0 && !MayUseOthers;
    Address = &OnDevices[Device];
    Bytes = sizeof(Values);
    return cudaSuccess;
  }
  cudaError_t query(Event &E) override {
    ++AskedFor;
    if (Pending && AskedFor > 3)
      Pending.reset();
    return Pending ? *Pending : ForwardingBackend::query(E);
  }
  /// One at a time, as copies of a variable may meet.
  cudaError_t copy(Stream &S, void *Dst, const void *Src,
                   size_t Bytes) override {
    MutexLock Guard(Copying);
    const cudaError_t Error = ForwardingBackend::copy(S, Dst, Src, Bytes);
    return Error ? Error : ForwardingBackend::synchronize(S);
  }
  cudaError_t wait(Stream &S, Event &E) override {
    ++Waits;
    return ForwardingBackend::wait(S, E);
  }
  bool isCapturing(Stream &S) override { return Captures; }

  /// Opens the others. Returns what comes before that says.
  static cudaError_t open() {
    MayUseOthers = true;
    cudaError_t Error;
    while ((Error = BeforeReady()) == cudaErrorNotReady) {
    }
    IsOpen = !Error;
    return Error;
  }

  static inline std::array<Values, 3> OnDevices;
  static inline std::function<cudaError_t()> BeforeReady;
  static inline std::atomic<bool> IsOpen, MayUseOthers, Captures;
  static inline std::atomic<int> UsedTooEarly, AskedFor, Waits;
  /// What the first three queries answer, if set.
  static inline std::optional<cudaError_t> Pending;

private:
  Mutex Copying;
};

class SymbolTableTest : public testing::Test {
protected:
  SymbolTableTest() : R(3) {
    Registry::get().addVariable(&Binary, &Shadow, "v", sizeof(Values), false);
    Registry::get().addVariable(&Binary, &Constant, "c", sizeof(Values), true);
    LateBackend::MayUseOthers = false;
    LateBackend::Captures = false;
    R.wrapBackend<LateBackend>();
  }
  ~SymbolTableTest() override { Registry::get().removeFatBinary(&Binary); }

  static void set(int Index, int Value) {
    ASSERT_EQ(__gridspan_cudaMemcpyToSymbol(&Shadow, &Value, sizeof(int),
                                            sizeof(int) * Index,
                                            cudaMemcpyHostToDevice),
              cudaSuccess);
  }
  static int get(int Index) {
    int Out = -1;
    EXPECT_EQ(__gridspan_cudaMemcpyFromSymbol(&Out, &Shadow, sizeof(int),
                                              sizeof(int) * Index,
                                              cudaMemcpyDeviceToHost),
              cudaSuccess);
    return Out;
  }
  static const Values &on(int Device) { return LateBackend::OnDevices[Device]; }

  TestRuntime R;
  void *Binary = nullptr; ///< stands for what both variables are in
};

} // namespace

TEST_F(SymbolTableTest, WritesOpenNoDeviceAndReachThemWhenTheyAreOpen) {
  set(0, 5);
  set(2, 7);
  EXPECT_EQ(get(2), 7);
  EXPECT_EQ(LateBackend::UsedTooEarly, 0);
  EXPECT_EQ(on(1), Values{});
  ASSERT_EQ(LateBackend::open(), cudaSuccess);
  for (int D = 0; D != 3; ++D)
    EXPECT_EQ(on(D), (Values{5, 0, 7, 0})) << D;
  set(1, 6);
  for (int D = 0; D != 3; ++D)
    EXPECT_EQ(on(D), (Values{5, 6, 7, 0})) << D;
}

TEST_F(SymbolTableTest, DevicesWaitForWritesThatAreNotOver) {
  const int Value = 3;
  ASSERT_EQ(__gridspan_cudaMemcpyToSymbolAsync(&Shadow, &Value, sizeof(int), 0,
                                               cudaMemcpyHostToDevice, nullptr),
            cudaSuccess);
  LateBackend::Pending = cudaErrorNotReady;
  ASSERT_EQ(LateBackend::open(), cudaSuccess);
  EXPECT_GT(LateBackend::AskedFor, 3);
  EXPECT_EQ(on(2)[0], 3);
}

TEST_F(SymbolTableTest, DevicesAreNotReadyIfAWriteHasFailed) {
  set(0, 5);
  LateBackend::Pending = cudaErrorIllegalAddress;
  EXPECT_EQ(LateBackend::open(), cudaErrorIllegalAddress);
  EXPECT_FALSE(LateBackend::IsOpen);
}

TEST_F(SymbolTableTest, WhatIsUnloadedIsNotBrought) {
  set(0, 5);
  R->symbols().forget(&Shadow);
  ASSERT_EQ(LateBackend::open(), cudaSuccess);
  EXPECT_EQ(on(1), Values{});
}

TEST_F(SymbolTableTest, WritesWhileOthersAreBroughtComeBehindThem) {
  set(0, 5);
  LateBackend::Pending = cudaErrorNotReady;
  LateBackend::MayUseOthers = true;
  ASSERT_EQ(LateBackend::BeforeReady(), cudaErrorNotReady);
  const int Before = LateBackend::Waits;
  set(0, 6);
  EXPECT_EQ(LateBackend::Waits, Before + 1);
  for (int D = 0; D != 3; ++D)
    EXPECT_EQ(on(D)[0], 6) << D;
  ASSERT_EQ(LateBackend::open(), cudaSuccess);
  set(0, 7);
  EXPECT_EQ(LateBackend::Waits, Before + 1);
}

TEST_F(SymbolTableTest, CopiesToAnAddressThatTheProgramHasReachAllDevices) {
  void *Address = nullptr;
  ASSERT_EQ(__gridspan_cudaGetSymbolAddress(&Address, &Constant), cudaSuccess);
  EXPECT_EQ(Address, &on(0));
  const auto Store = [&](int Index, int Value) {
    ASSERT_EQ(__gridspan_cudaMemcpy(static_cast<int *>(Address) + Index, &Value,
                                    sizeof(int), cudaMemcpyDefault),
              cudaSuccess);
  };
  Store(1, 8);
  EXPECT_EQ(LateBackend::UsedTooEarly, 0);
  ASSERT_EQ(LateBackend::open(), cudaSuccess);
  EXPECT_EQ(on(2), (Values{0, 8, 0, 0}));
  Store(3, 9);
  for (int D = 0; D != 3; ++D)
    EXPECT_EQ(on(D), (Values{0, 8, 0, 9})) << D;
}

TEST_F(SymbolTableTest, WritesThatAreCapturedAreForAllDevices) {
  LateBackend::Captures = true;
  LateBackend::MayUseOthers = true;
  std::unique_ptr<Stream> S;
  ASSERT_EQ(R->backend().createStream(0, StreamKind::NonBlocking, 0, S),
            cudaSuccess);
  std::vector<std::byte *> Written;
  const auto Write = [&](std::byte *At) {
    Written.push_back(At);
    return cudaSuccess;
  };
  ASSERT_EQ(Write(R->symbols().firstOf(&Shadow)->Addresses[0] + 4),
            cudaSuccess);
  ASSERT_EQ(R->symbols().writeOthers(&Shadow, 4, *S, Write), cudaSuccess);
  ASSERT_EQ(Written.size(), 3u);
  for (int D = 0; D != 3; ++D)
    EXPECT_EQ(static_cast<const void *>(Written[D]), &on(D)[1]);
}

TEST_F(SymbolTableTest, NoWriteIsLostWhileDevicesAreOpened) {
  constexpr int Rounds = 2000;
  std::thread Writer([] {
    for (int I = 1; I <= Rounds; ++I)
      set(0, I);
  });
  while (get(0) < Rounds / 4)
    std::this_thread::yield();
  ASSERT_EQ(LateBackend::open(), cudaSuccess);
  Writer.join();
  EXPECT_EQ(on(1)[0], Rounds);
  EXPECT_EQ(on(2)[0], Rounds);
}
