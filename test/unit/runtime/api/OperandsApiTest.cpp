//===- OperandsApiTest.cpp - Memory that primitives work on ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels on memory that the program has on the host: where it is, and by copies.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/HostMemoryOps.h"
#include "test/unit/runtime/TestRuntime.h"
#include <algorithm>
#include <numeric>

using namespace gridspan;

namespace {

/// Floats in pages of their own.
class OwnPages {
public:
  OwnPages(size_t Count, float Value)
      : Memory(static_cast<float *>(reserveHostMemory(bytes(Count)))),
        Count(Count) {
    std::fill_n(Memory, Count, Value);
  }
  ~OwnPages() { releaseHostMemory(Memory, bytes(Count)); }
  OwnPages(const OwnPages &) = delete;
  OwnPages &operator=(const OwnPages &) = delete;

  float *data() const { return Memory; }
  float &operator[](size_t I) const { return Memory[I]; }
  /// Returns how many of [Lo, Hi) have the value.
  long count(size_t Lo, size_t Hi, float Value) const {
    return std::count(Memory + Lo, Memory + Hi, Value);
  }

private:
  static size_t bytes(size_t Count) {
    return (Count * sizeof(float) + HostPage - 1) / HostPage * HostPage;
  }
  float *Memory;
  size_t Count;
};

class OperandsApi : public testing::TestWithParam<unsigned> {
protected:
  static constexpr int N = 1 << 16;
  /// Devices that hold half of an array.
  TestRuntime R{GetParam(), Schedule::Static, N * sizeof(float) / 2};

  static GridspanOperand operand(float *At, size_t Count, uint32_t Use) {
    GridspanOperand O = {};
    O.Address = At;
    O.Bytes = Count * sizeof(float);
    O.Use = Use;
    return O;
  }
  /// Adds X to Y, as borrowed.
  static void add(const GridspanOperand &X, const GridspanOperand &Y,
                  int Count) {
    ASSERT_EQ(launch(fake::saxpy(), (Count + 255) / 256, 256, 0, nullptr, 1.0f,
                     static_cast<const float *>(X.OnDevice),
                     static_cast<float *>(Y.OnDevice), Count),
              cudaSuccess);
  }
  uint64_t outOfCoreLaunches() {
    uint64_t Sum = 0;
    for (const KernelRecord &K : R->record().Kernels)
      Sum += K.OutOfCoreLaunches;
    return Sum;
  }
};

INSTANTIATE_TEST_SUITE_P(Devices, OperandsApi, testing::Values(1U, 2U, 3U));

} // namespace

TEST_P(OperandsApi, PageableMemoryIsUsedWhereItIs) {
  // Neither begins nor ends with a page.
  const OwnPages X(N + 10, 1), Y(N + 10, 2);
  GridspanOperand O[] = {operand(X.data() + 3, N, GridspanOperandReads),
                         operand(Y.data() + 5, N, GridspanOperandWrites)};
  ASSERT_EQ(__gridspan_borrow(O, 2, nullptr), cudaSuccess);
  EXPECT_EQ(O[0].OnDevice, O[0].Address);
  EXPECT_EQ(O[0].Kind, uint32_t(GridspanOperandLent));
  EXPECT_EQ(O[1].FrameBytes, R->memory().pager().frameBytes());
  // The first frame begins with the page.
  EXPECT_EQ(O[1].FrameOffset, 5 * sizeof(float));
  // What is beside it is the program's.
  EXPECT_EQ(R->memory().find(X.data() + 2), nullptr);
  EXPECT_NE(R->memory().find(X.data() + 3), nullptr);
  add(O[0], O[1], N);
  Y[4] = 7;
  Y[5 + N] = 8;
  ASSERT_EQ(__gridspan_give_back(O, 2, nullptr), cudaSuccess);
  EXPECT_EQ(Y.count(5, 5 + N, 3), N);
  EXPECT_EQ(Y[4], 7);
  EXPECT_EQ(Y[5 + N], 8);
  EXPECT_GT(outOfCoreLaunches(), 0U);
  EXPECT_EQ(R->memory().find(O[0].Address), nullptr);
  EXPECT_FALSE(R->memory().pager().any());
  EXPECT_FALSE(R->backend().isPinned(X.data() + 3, 1));
}

TEST_P(OperandsApi, PinnedMemoryStaysPinned) {
  void *Memory = nullptr;
  ASSERT_EQ(__gridspan_cudaMallocHost(&Memory, N * sizeof(float)), cudaSuccess);
  auto *const Y = static_cast<float *>(Memory);
  std::fill_n(Y, N, 2.0f);
  // In place: both are the same memory.
  GridspanOperand O[] = {operand(Y, N, GridspanOperandReads),
                         operand(Y, N, GridspanOperandWrites)};
  ASSERT_EQ(__gridspan_borrow(O, 2, nullptr), cudaSuccess);
  EXPECT_EQ(O[0].OnDevice, O[1].OnDevice);
  add(O[0], O[1], N);
  ASSERT_EQ(__gridspan_give_back(O, 2, nullptr), cudaSuccess);
  EXPECT_EQ(std::count(Y, Y + N, 4.0f), N);
  EXPECT_TRUE(R->backend().isPinned(Y, N * sizeof(float)));
  EXPECT_EQ(__gridspan_cudaFreeHost(Y), cudaSuccess);
}

TEST_P(OperandsApi, LittleMemoryIsCopied) {
  std::vector<float> X(100, 1), Y(100, 2);
  GridspanOperand O[] = {operand(X.data(), 100, GridspanOperandReads),
                         operand(Y.data(), 100, GridspanOperandWrites)};
  ASSERT_EQ(__gridspan_borrow(O, 2, nullptr), cudaSuccess);
  EXPECT_EQ(O[0].Kind, uint32_t(GridspanOperandCopied));
  EXPECT_EQ(O[0].FrameBytes, 0U);
  EXPECT_NE(O[0].OnDevice, O[0].Address);
  add(O[0], O[1], 100);
  ASSERT_EQ(__gridspan_give_back(O, 2, nullptr), cudaSuccess);
  EXPECT_EQ(std::count(Y.begin(), Y.end(), 3.0f), 100);
  // What was only read is not written: another thread may have changed it.
  EXPECT_EQ(std::count(X.begin(), X.end(), 1.0f), 100);
}

TEST_P(OperandsApi, OperandsThatOverlapDoSoOnDevices) {
  for (const int Count : {100, N}) {
    std::vector<float> X(2 * Count);
    std::iota(X.begin(), X.end(), 0.0f);
    GridspanOperand O[] = {
        operand(X.data() + Count / 2, Count, GridspanOperandWrites),
        operand(X.data(), Count, GridspanOperandReads)};
    ASSERT_EQ(__gridspan_borrow(O, 2, nullptr), cudaSuccess);
    EXPECT_EQ(static_cast<float *>(O[1].OnDevice) + Count / 2, O[0].OnDevice);
    EXPECT_EQ(O[0].Kind, uint32_t(GridspanOperandOfOther));
    ASSERT_EQ(__gridspan_give_back(O, 2, nullptr), cudaSuccess);
    for (int I = 0; I < 2 * Count; ++I)
      ASSERT_EQ(X[I], float(I));
  }
}

TEST_P(OperandsApi, MemoryOfDevicesIsLeftAlone) {
  float *const D = toDevice(std::vector<float>(100, 1));
  GridspanOperand O[] = {operand(D + 1, 50, GridspanOperandWrites),
                         operand(nullptr, 0, GridspanOperandReads)};
  ASSERT_EQ(__gridspan_borrow(O, 2, nullptr), cudaSuccess);
  EXPECT_EQ(O[0].OnDevice, D + 1);
  EXPECT_EQ(O[0].Kind, uint32_t(GridspanOperandAsIs));
  EXPECT_EQ(O[1].OnDevice, nullptr);
  ASSERT_EQ(__gridspan_give_back(O, 2, nullptr), cudaSuccess);
  // A large one says in what pieces it comes to devices.
  void *Large = nullptr;
  ASSERT_EQ(__gridspan_cudaMalloc(&Large, 16 * N * sizeof(float)), cudaSuccess);
  const size_t FrameBytes = R->memory().pager().frameBytes();
  GridspanOperand P =
      operand(static_cast<float *>(Large) + FrameBytes / sizeof(float) + 3, N,
              GridspanOperandReads);
  ASSERT_EQ(__gridspan_borrow(&P, 1, nullptr), cudaSuccess);
  EXPECT_EQ(P.FrameBytes, FrameBytes);
  EXPECT_EQ(P.FrameOffset, 3 * sizeof(float));
  ASSERT_EQ(__gridspan_give_back(&P, 1, nullptr), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaFree(Large), cudaSuccess);
}

TEST_P(OperandsApi, MemoryMayBeLentSeveralTimes) {
  const OwnPages X(2 * N, 1);
  GridspanOperand All = operand(X.data(), 2 * N, GridspanOperandReads);
  ASSERT_EQ(__gridspan_borrow(&All, 1, nullptr), cudaSuccess);
  GridspanOperand Part = operand(X.data() + N, N, GridspanOperandWrites);
  ASSERT_EQ(__gridspan_borrow(&Part, 1, nullptr), cudaSuccess);
  EXPECT_EQ(Part.Kind, uint32_t(GridspanOperandLent));
  add(Part, Part, N);
  ASSERT_EQ(__gridspan_give_back(&Part, 1, nullptr), cudaSuccess);
  EXPECT_NE(R->memory().find(X.data()), nullptr);
  ASSERT_EQ(__gridspan_give_back(&All, 1, nullptr), cudaSuccess);
  EXPECT_EQ(X.count(0, N, 1), N);
  EXPECT_EQ(X.count(N, 2 * N, 2), N);
}

TEST_P(OperandsApi, MemoryThatSharesAPageIsCopied) {
  // The second begins in the page that the first ends in.
  const OwnPages Memory(2 * N, 1);
  float *const Page = Memory.data();
  const int Count = N - 100;
  GridspanOperand First = operand(Page, Count, GridspanOperandWrites);
  GridspanOperand Second = operand(Page + Count, Count, GridspanOperandWrites);
  ASSERT_EQ(__gridspan_borrow(&First, 1, nullptr), cudaSuccess);
  EXPECT_EQ(First.Kind, uint32_t(GridspanOperandLent));
  ASSERT_EQ(__gridspan_borrow(&Second, 1, nullptr), cudaSuccess);
  EXPECT_EQ(Second.Kind, uint32_t(GridspanOperandCopied));
  add(First, First, Count);
  add(Second, Second, Count);
  add(Second, Second, Count);
  ASSERT_EQ(__gridspan_give_back(&Second, 1, nullptr), cudaSuccess);
  ASSERT_EQ(__gridspan_give_back(&First, 1, nullptr), cudaSuccess);
  EXPECT_EQ(std::count(Page, Page + Count, 2.0f), Count);
  EXPECT_EQ(std::count(Page + Count, Page + 2 * Count, 4.0f), Count);
}

TEST_P(OperandsApi, WhatIsNotLentIsNotGivenBack) {
  std::vector<float> X(N, 1);
  EXPECT_EQ(R->memory().giveBack(reinterpret_cast<std::byte *>(X.data())),
            cudaErrorInvalidValue);
}

TEST(NumDevices, AreThoseThatLaunchesMayBeDividedOver) {
  for (const unsigned Count : {1U, 3U}) {
    TestRuntime R(Count);
    EXPECT_EQ(__gridspan_num_devices(), Count);
  }
}
