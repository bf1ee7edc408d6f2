//===- PrivateReductionsTest.cpp - Private copies of tiles ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that adds into bins, through the entry points on CPU devices.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ForwardingBackend.h"
#include "test/unit/runtime/TestRuntime.h"
#include <functional>

using namespace gridspan;

namespace {

/// A launch that counts into Bins bins, and what comes of it.
class Counting {
public:
  explicit Counting(int Bins, int N = 40000)
      : N(N), Keys(N), Want(Bins), DKeys(nullptr),
        DBins(toDevice(std::vector<int>(Bins))) {
    for (int I = 0; I < N; ++I)
      Keys[I] = static_cast<int>((uint64_t(I) * I + I / 3) % Bins);
    DKeys = toDevice(Keys);
  }
  ~Counting() {
    EXPECT_EQ(__gridspan_cudaFree(DKeys), cudaSuccess);
    EXPECT_EQ(__gridspan_cudaFree(DBins), cudaSuccess);
  }
  Counting(const Counting &) = delete;

  cudaError_t launch(cudaStream_t S = nullptr) {
    for (const int Key : Keys)
      ++Want[Key];
    return gridspan::launch(fake::count(), (N + 63) / 64, 64, 0, S,
                            static_cast<const int *>(DKeys), DBins, N);
  }
  void expectRight() {
    ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(fromDevice(DBins, Want.size()), Want);
  }

private:
  int N;
  std::vector<int> Keys, Want;
  int *DKeys, *DBins;
};

/// CPU devices whose launches reduce into private copies wherever they may.
class ReducingRuntime {
public:
  using Wrapper =
      std::function<std::unique_ptr<Backend>(std::unique_ptr<Backend>)>;

  explicit ReducingRuntime(unsigned Devices, const Wrapper &Wrap = nullptr) {
    fake::module();
    Config C;
    C.Kind = DeviceKind::Cpu;
    C.NumCpuDevices = Devices;
    C.Sched = Schedule::Static;
    C.Privates = PrivateCopyUse::Always;
    std::string Message;
    std::unique_ptr<Backend> B = createBackend(C, Message);
    Runtime::replace(
        std::make_unique<Runtime>(C, Wrap ? Wrap(std::move(B)) : std::move(B)));
    (void)__gridspan_cudaGetLastError();
  }
  ~ReducingRuntime() { Runtime::replace(nullptr); }
  ReducingRuntime(const ReducingRuntime &) = delete;

  Runtime *operator->() { return Runtime::existing(); }

  uint64_t privateLaunches() {
    uint64_t Sum = 0;
    for (const KernelRecord &K : Runtime::existing()->record().Kernels)
      Sum += K.PrivateLaunches;
    return Sum;
  }
};

template <typename T> std::unique_ptr<Backend> in(std::unique_ptr<Backend> B) {
  return std::make_unique<T>(std::move(B));
}

class PrivateReductions : public testing::TestWithParam<unsigned> {
protected:
  unsigned devices() const { return GetParam(); }
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, PrivateReductions,
                         testing::Values(1u, 2u, 3u, 4u, 7u));

TEST_P(PrivateReductions, GiveTheSameSums) {
  ReducingRuntime R(devices());
  for (const int Bins : {1, 7, 1000, 20000}) {
    Counting C(Bins);
    for (int Round = 0; Round < 5; ++Round)
      ASSERT_EQ(C.launch(), cudaSuccess);
    C.expectRight();
  }
  if (devices() > 1) {
    EXPECT_GT(R.privateLaunches(), 0u);
    EXPECT_GT(R->record().Combinations.Bytes, 0u);
  } else {
    EXPECT_EQ(R.privateLaunches(), 0u);
  }
}

TEST_P(PrivateReductions, MayShareBinsBetweenStreams) {
  ReducingRuntime R(devices());
  cudaStream_t S[3] = {};
  for (cudaStream_t &Each : S)
    ASSERT_EQ(
        __gridspan_cudaStreamCreateWithFlags(&Each, cudaStreamNonBlocking),
        cudaSuccess);
  Counting C(500, 5000);
  for (int Round = 0; Round < 30; ++Round)
    ASSERT_EQ(C.launch(S[Round * 7 % 3]), cudaSuccess);
  C.expectRight();
  for (const cudaStream_t Each : S)
    EXPECT_EQ(__gridspan_cudaStreamDestroy(Each), cudaSuccess);
}

TEST_P(PrivateReductions, OfMemoryThatSeveralDevicesAreHomeTo) {
  ReducingRuntime R(devices());
  const auto Bins = static_cast<int>(
      (devices() * 3 + 1) * R->backend().system().PageSize / sizeof(int) + 5);
  Counting C(Bins, 4 * Bins);
  for (int Round = 0; Round < 3; ++Round)
    ASSERT_EQ(C.launch(), cudaSuccess);
  C.expectRight();
}

namespace {

/// Has no room for anything once Full is set.
class FullBackend : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  cudaError_t createPages(Location Where, size_t Bytes,
                          std::unique_ptr<Pages> &Out) override {
    return Full ? cudaErrorMemoryAllocation
                : ForwardingBackend::createPages(Where, Bytes, Out);
  }
  static inline bool Full = false;
};

} // namespace

TEST(PrivateReductionsTest, RunInPlaceWithoutRoom) {
  ReducingRuntime R(3, in<FullBackend>);
  Counting C(100);
  FullBackend::Full = true;
  for (int Round = 0; Round < 2; ++Round)
    ASSERT_EQ(C.launch(), cudaSuccess);
  FullBackend::Full = false;
  C.expectRight();
  EXPECT_EQ(R.privateLaunches(), 0u);
  ASSERT_EQ(C.launch(), cudaSuccess);
  C.expectRight();
  EXPECT_EQ(R.privateLaunches(), 1u);
}

TEST(PrivateReductionsTest, AnErrorOfTheCombinationIsTheLaunchs) {
  class Broken : public ForwardingBackend {
  public:
    using ForwardingBackend::ForwardingBackend;
    cudaError_t combine(Stream &, GridspanReduction, void *,
                        std::span<const void *const>, uint64_t) override {
      return cudaErrorUnknown;
    }
  };
  ReducingRuntime R(2, in<Broken>);
  Counting C(100);
  EXPECT_EQ(C.launch(), cudaErrorUnknown);
}

TEST(PrivateReductionsTest, GiveTheirMemoryBack) {
  ReducingRuntime R(3);
  ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  auto Used = [&] {
    EXPECT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
    const MemoryManager::DeviceBytes Bytes = R->memory().info();
    return Bytes.Total - Bytes.Free;
  };
  for (const int Bins : {100, 300000}) {
    Counting C(Bins);
    ASSERT_EQ(C.launch(), cudaSuccess);
    C.expectRight();
    EXPECT_GT(Used(), 0u);
  }
  EXPECT_LE(Used(), R->backend().system().PageSize);
}
