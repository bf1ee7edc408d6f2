//===- OutOfBoundsPointersTest.cpp - Pointers beside what they lead to ----===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that number elements from 1 get x - 1, which leads into no allocation
// or into another one. Results are those of one device that holds everything.
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/TestRuntime.h"
#include <numeric>

using namespace gridspan;

namespace {

std::vector<float> ramp(size_t Count) {
  std::vector<float> Out(Count);
  for (size_t I = 0; I < Count; ++I)
    Out[I] = static_cast<float>(I % 1009);
  return Out;
}

/// Devices, and whether they reach each other's memory.
class OutOfBoundsPointersTest
    : public testing::TestWithParam<std::tuple<unsigned, bool>> {
protected:
  TestRuntime R{std::get<0>(GetParam()), Schedule::Static, 0,
                std::get<1>(GetParam())};
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, OutOfBoundsPointersTest,
                         testing::Combine(testing::Values(1U, 2U, 3U),
                                          testing::Bool()));

TEST_P(OutOfBoundsPointersTest, WritesMakeReplicasStale) {
  // In pages that it shares with others, and in its own.
  for (const int M : {96, 192}) {
    std::vector<float> Unit(M * M);
    for (int I = 0; I < M; ++I)
      Unit[I * M + I] = 1;
    const std::vector<float> Values = ramp(M * M);
    const float *A = toDevice(Unit), *Ramp = toDevice(Values);
    float *B = toDevice(std::vector<float>(M * M, 1)),
          *C = toDevice(std::vector<float>(M * M));
    for (float Times : {1.0f, 2.0f}) {
      ASSERT_EQ(launch(fake::matmul(), M / 4, 4, 0, nullptr, C, A,
                       static_cast<const float *>(B), M),
                cudaSuccess);
      std::vector<float> Expected(M * M, 1);
      if (Times == 2)
        for (int I = 0; I < M * M; ++I)
          Expected[I] = 2 * Values[I];
      EXPECT_TRUE(fromDevice(C, M * M) == Expected);
      ASSERT_EQ(launch(fake::shift(), M * M / 64, 64, 0, nullptr, Ramp, Ramp,
                       B - 1, M * M),
                cudaSuccess);
    }
  }
}

TEST_P(OutOfBoundsPointersTest, WritesFarBehindAnotherAllocationToo) {
  const int M = 96;
  std::vector<float> Unit(M * M);
  for (int I = 0; I < M; ++I)
    Unit[I * M + I] = 1;
  const float *A = toDevice(Unit);
  float *B = toDevice(std::vector<float>(M * M, 1)),
        *C = toDevice(std::vector<float>(M * M)),
        *Other = toDevice(std::vector<float>(M * M));
  for (float Value : {1.0f, 2.0f}) {
    ASSERT_EQ(launch(fake::matmul(), M / 4, 4, 0, nullptr, C, A,
                     static_cast<const float *>(B), M),
              cudaSuccess);
    EXPECT_TRUE(fromDevice(C, M * M) == std::vector<float>(M * M, Value));
    // By a pointer into Other, it writes B = 1 + C.
    ASSERT_EQ(launch(fake::beyond(), M * M / 64, 64, 0, nullptr,
                     static_cast<const float *>(C), Other, M * M,
                     static_cast<int>(B - Other)),
              cudaSuccess);
  }
}

TEST_P(OutOfBoundsPointersTest, UnknownRangesAreNotOfTheNeighbour) {
  const auto Page = R->backend().system().PageSize;
  for (const size_t Count : {size_t(1024), Page / 4, Page}) {
    std::vector<int> FromOne(Count);
    std::iota(FromOne.begin(), FromOne.end(), 1);
    const std::vector<float> Values = ramp(Count);
    // Each is right behind the other, in whatever order addresses come.
    float *Tables[3];
    for (float *&T : Tables)
      T = toDevice(Values);
    const int *Index = toDevice(FromOne);
    float *Out = toDevice(std::vector<float>(Count));
    for (const float *T : Tables)
      for (int Round = 0; Round < 2; ++Round) {
        ASSERT_EQ(__gridspan_cudaMemset(Out, 0, 4 * Count), cudaSuccess);
        ASSERT_EQ(launch(fake::gather(), Count / 64, 64, 0, nullptr, Index,
                         T - 1, Out, static_cast<int>(Count)),
                  cudaSuccess);
        EXPECT_TRUE(fromDevice(Out, Count) == Values);
      }
  }
}

TEST(OutOfBoundsPointersOutOfCore, LeadBesideWhatBecomesPagedMeanwhile) {
  TestRuntime R(1, Schedule::Static, 1 << 20);
  const int Count = 150000;
  float *X = toDevice(ramp(Count));
  const float *Big = toDevice(std::vector<float>(1 << 20, 1));
  ASSERT_EQ(R->memory().find(X)->Paged, nullptr);
  // X[i] += Big[i], which reads X from frames and would write it beside them.
  ASSERT_EQ(launch(fake::shift(), (Count + 255) / 256, 256, 0, nullptr,
                   static_cast<const float *>(X), Big, X - 1, Count),
            cudaSuccess);
  EXPECT_NE(R->memory().find(X)->Paged, nullptr);
  const KernelRecord K = R.kernel("shift");
  ASSERT_EQ(K.InPlace.size(), 1U);
  EXPECT_EQ(K.InPlace[0].Why, LaunchReason::PointerOutside);
  float *Y = toDevice(std::vector<float>(Count));
  ASSERT_EQ(launch(fake::saxpy(), (Count + 255) / 256, 256, 0, nullptr, 1.0f,
                   static_cast<const float *>(X), Y, Count),
            cudaSuccess);
  std::vector<float> Expected = ramp(Count);
  for (float &F : Expected)
    F += 1;
  EXPECT_TRUE(fromDevice(Y, Count) == Expected);
}
