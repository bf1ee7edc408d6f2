//===- InspectorTest.cpp - Indices that are known ahead of a launch -------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a launch is planned by its indices is seen in the report: ranges are
// no longer unknown, and the bytes that the devices touch are few.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ForwardingBackend.h"
#include "test/unit/runtime/TestRuntime.h"
#include <atomic>
#include <numeric>

using namespace gridspan;

namespace {

constexpr int N = 1 << 18;

/// Counts what is inspected.
class CountingBackend : public ForwardingBackend {
public:
  explicit CountingBackend(std::unique_ptr<Backend> Inner)
      : ForwardingBackend(std::move(Inner)), Info(inner().system()) {
    Info.InspectSeconds = InspectSeconds;
  }
  static inline std::atomic<int> Scans{0};
  static inline std::atomic<bool> Fail{false};
  static inline double InspectSeconds = 0;

  const SystemInfo &system() const override { return Info; }

  cudaError_t indexBounds(Stream &S, const void *From, uint64_t Count,
                          unsigned ElementBytes, uint64_t PerLeaf,
                          IndexBounds *Out) override {
    ++Scans;
    return Fail ? cudaErrorNotSupported
                : ForwardingBackend::indexBounds(S, From, Count, ElementBytes,
                                                 PerLeaf, Out);
  }

private:
  SystemInfo Info;
};

class InspectorTest : public testing::Test {
protected:
  explicit InspectorTest(double InspectSeconds = 0) : R(2) {
    CountingBackend::Scans = 0;
    CountingBackend::Fail = false;
    CountingBackend::InspectSeconds = InspectSeconds;
    R.wrapBackend<CountingBackend>();
    Index.resize(N);
    std::iota(Index.begin(), Index.end(), 0);
    A.resize(N);
    std::iota(A.begin(), A.end(), 0.0f);
    DA = toDevice(A);
    Out = toDevice(std::vector<float>(N));
    I = toDevice(Index);
  }

  /// Launches, and checks the results; the remote bytes of the launches.
  uint64_t run(int Times = 1) {
    const uint64_t Before = remote();
    for (int K = 0; K < Times; ++K) {
      EXPECT_EQ(launch(fake::gather(), N / 256, 256, 0, nullptr,
                       static_cast<const int *>(I),
                       static_cast<const float *>(DA), Out, N),
                cudaSuccess);
      EXPECT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
    }
    std::vector<float> Got = fromDevice(Out, N);
    for (int K = 0; K < N; ++K)
      if (Got[K] != A[Index[K]]) {
        ADD_FAILURE() << "element " << K;
        break;
      }
    return remote() - Before;
  }
  uint64_t remote() {
    for (const KernelRecord &K : R->record().Kernels)
      if (K.Name.starts_with("gather"))
        return K.RemoteBytes;
    return 0;
  }
  void copyIndex() {
    EXPECT_EQ(__gridspan_cudaMemcpy(I, Index.data(), N * sizeof(int),
                                    cudaMemcpyHostToDevice),
              cudaSuccess);
  }
  static int scans() { return CountingBackend::Scans; }

  TestRuntime R;
  std::vector<int> Index;
  std::vector<float> A;
  int *I = nullptr;
  float *DA = nullptr, *Out = nullptr;
};

/// One where an inspection takes longer than launches.
class SlowInspectorTest : public InspectorTest {
protected:
  SlowInspectorTest() : InspectorTest(1) {}
};

} // namespace

TEST_F(SlowInspectorTest, OnlyWhereLaunchesHaveTakenLong) {
  run(20);
  EXPECT_EQ(scans(), 0);
  EXPECT_FALSE(R.kernel("gather").Inspected);
}

TEST_F(InspectorTest, BehindALaunchThatFindsTheSameIndicesAgain) {
  run();
  EXPECT_EQ(scans(), 0);
  EXPECT_FALSE(R.kernel("gather").Inspected);
  run();
  EXPECT_EQ(scans(), 1);
  run(20);
  EXPECT_EQ(scans(), 1);
  EXPECT_TRUE(R.kernel("gather").Inspected);
  EXPECT_EQ(run(4), 0u);
}

TEST_F(InspectorTest, NotWhileTheyChange) {
  for (int K = 0; K < 8; ++K) {
    std::rotate(Index.begin(), Index.begin() + N / 5, Index.end());
    copyIndex();
    run();
  }
  EXPECT_EQ(scans(), 0);
}

TEST_F(InspectorTest, AgainWhenTheyHaveChanged) {
  run(16);
  ASSERT_EQ(scans(), 1);
  std::reverse(Index.begin(), Index.end());
  copyIndex();
  run(16);
  EXPECT_EQ(scans(), 2);
  EXPECT_EQ(__gridspan_cudaMemset(I, 0, N * sizeof(int)), cudaSuccess);
  std::fill(Index.begin(), Index.end(), 0);
  run(32);
  EXPECT_EQ(scans(), 3);
  EXPECT_TRUE(R.kernel("gather").WhyNotInspected.empty());
}

TEST_F(InspectorTest, LessOftenWhenItWasInVain) {
  // Each time just when the table is there.
  for (int K = 0; K < 24; ++K) {
    std::rotate(Index.begin(), Index.begin() + N / 5, Index.end());
    copyIndex();
    run(2);
  }
  EXPECT_GE(scans(), 1);
  EXPECT_LE(scans(), 4);
}

TEST_F(InspectorTest, AllOfThemWhereLaunchesReadDifferentParts) {
  constexpr int Parts = 8, Each = N / Parts;
  for (int Round = 0; Round != 4; ++Round)
    for (int P = 0; P != Parts; ++P) {
      EXPECT_EQ(launch(fake::gather(), Each / 256, 256, 0, nullptr,
                       static_cast<const int *>(I + P * Each),
                       static_cast<const float *>(DA), Out + P * Each, Each),
                cudaSuccess);
      EXPECT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
    }
  EXPECT_EQ(scans(), 2);
  EXPECT_EQ(fromDevice(Out, N), A);
}

TEST_F(InspectorTest, NotOfAnotherAllocationAtTheSameAddress) {
  run(16);
  ASSERT_EQ(scans(), 1);
  EXPECT_EQ(__gridspan_cudaFree(I), cudaSuccess);
  std::reverse(Index.begin(), Index.end());
  I = toDevice(Index);
  run(16);
  EXPECT_EQ(scans(), 2);
}

TEST_F(InspectorTest, NotWhatTheLaunchWrites) {
  // Indices and results in one buffer.
  std::vector<int> Both(2 * N);
  std::copy(Index.begin(), Index.end(), Both.begin());
  I = toDevice(Both);
  Out = reinterpret_cast<float *>(I + N);
  run(8);
  EXPECT_EQ(scans(), 0);
  EXPECT_EQ(R.kernel("gather").WhyNotInspected, "index-written");
}

TEST_F(InspectorTest, NotWhatTheHostMayWrite) {
  void *Managed = nullptr;
  ASSERT_EQ(__gridspan_cudaHostAlloc(&Managed, N * sizeof(int), 0),
            cudaSuccess);
  I = static_cast<int *>(Managed);
  std::copy(Index.begin(), Index.end(), I);
  run(8);
  EXPECT_EQ(scans(), 0);
  EXPECT_EQ(R.kernel("gather").WhyNotInspected, "index-not-ours");
  EXPECT_EQ(__gridspan_cudaFreeHost(Managed), cudaSuccess);
}

TEST_F(InspectorTest, NoWorseWhenItFails) {
  CountingBackend::Fail = true;
  run(8);
  EXPECT_GE(scans(), 1);
  EXPECT_FALSE(R.kernel("gather").Inspected);
}

TEST(InspectorOutOfCore, AtOnceWhenStreamed) {
  TestRuntime R(1, Schedule::Static, 1 << 20);
  std::vector<int> Index(N);
  for (int K = 0; K < N; ++K)
    Index[K] = K ^ 31;
  std::vector<float> A(N);
  std::iota(A.begin(), A.end(), 0.0f);
  int *I = toDevice(Index);
  float *DA = toDevice(A), *Out = toDevice(std::vector<float>(N));
  for (int Time = 0; Time < 4; ++Time) {
    // Values that are far from where they were.
    std::rotate(Index.begin(), Index.begin() + N / 3, Index.end());
    ASSERT_EQ(__gridspan_cudaMemcpy(I, Index.data(), N * sizeof(int),
                                    cudaMemcpyHostToDevice),
              cudaSuccess);
    ASSERT_EQ(launch(fake::gather(), N / 256, 256, 0, nullptr,
                     static_cast<const int *>(I),
                     static_cast<const float *>(DA), Out, N),
              cudaSuccess);
    std::vector<float> Got = fromDevice(Out, N);
    for (int K = 0; K < N; ++K)
      ASSERT_EQ(Got[K], A[Index[K]]);
  }
  const KernelRecord K = R.kernel("gather");
  EXPECT_EQ(K.OutOfCoreLaunches, 4u);
  EXPECT_TRUE(K.Inspected);
  EXPECT_TRUE(K.InPlace.empty()) << nameOf(K.InPlace.front().Why);
}
