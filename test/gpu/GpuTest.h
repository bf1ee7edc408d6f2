//===- GpuTest.h - Common parts of the GPU tests ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The CUDA backend over all GPUs, memory with homes that a test chooses, and
// shorthands. Without a GPU every test is skipped.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TEST_GPU_GPUTEST_H
#define GRIDSPAN_TEST_GPU_GPUTEST_H

#include "runtime/Config.h"
#include "runtime/backend/CreateBackend.h"
#include "test/gpu/TestKernels.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <vector>

#define ASSERT_OK(Call) ASSERT_EQ(Call, cudaSuccess)
#define EXPECT_OK(Call) EXPECT_EQ(Call, cudaSuccess)

namespace gridspan {

/// Returns the GPUs that GRIDSPAN_DEVICES names; none: all. With gpu:0*2 one GPU
/// stands for two devices.
inline std::vector<int> gpusUnderTest() {
  std::string Message;
  std::optional<Config> C = parseConfig(getenv, Message);
  EXPECT_TRUE(C) << Message;
  return C ? C->Gpus : std::vector<int>();
}

/// A reserved range whose pages have several homes.
class SpreadRange {
public:
  explicit SpreadRange(Backend &B) : B(B) {}
  ~SpreadRange() {
    if (!Base)
      return;
    size_t At = 0;
    for (auto &P : Held) {
      EXPECT_OK(B.unmap(bytes() + At, P->bytes()));
      At += P->bytes();
    }
    B.release(Base, Total);
  }
  SpreadRange(const SpreadRange &) = delete;
  SpreadRange &operator=(const SpreadRange &) = delete;

  /// Gives Pages pages to each of the homes, one after the other.
  void create(const std::vector<Location> &Places, size_t PagesEach) {
    size_t Each = PagesEach * B.system().PageSize;
    Total = Each * Places.size();
    ASSERT_OK(B.reserve(Total, Base));
    for (size_t I = 0; I < Places.size(); ++I) {
      std::unique_ptr<Pages> P;
      ASSERT_OK(B.createPages(Places[I], Each, P)) << "place " << Places[I];
      ASSERT_OK(B.map(bytes() + I * Each, *P, 0, Each));
      Held.push_back(std::move(P));
    }
  }

  std::byte *bytes() const { return static_cast<std::byte *>(Base); }
  unsigned *words() const { return static_cast<unsigned *>(Base); }
  size_t size() const { return Total; }
  Pages &pages(size_t I) { return *Held[I]; }

private:
  Backend &B;
  void *Base = nullptr;
  size_t Total = 0;
  std::vector<std::unique_ptr<Pages>> Held;
};

class GpuTest : public testing::Test {
protected:
  static void SetUpTestSuite() {
    if (!Shared)
      Shared = createCudaBackend({gpusUnderTest()}, Message).release();
  }
  void SetUp() override {
    if (!Shared)
      GTEST_SKIP() << Message;
    for (unsigned I = 0; I < numDevices(); ++I)
      ASSERT_OK(backend().createStream(I, StreamKind::NonBlocking, 0,
                                       Streams.emplace_back()));
  }

  Backend &backend() { return *Shared; }
  unsigned numDevices() { return Shared->system().numDevices(); }
  Stream &stream(int Device) { return *Streams[Device]; }

  /// Returns device 0, device 1, ..., and the host.
  std::vector<Location> everywhere() {
    std::vector<Location> Places;
    for (unsigned I = 0; I < numDevices(); ++I)
      Places.push_back(I);
    Places.push_back(Host);
    return Places;
  }

  cudaError_t launch(Stream &S, const GridspanKernel &K, dim3 Grid, dim3 Block,
                     std::vector<void *> Args,
                     const GridspanTile *Tile = nullptr,
                     size_t SharedBytes = 0) {
    LaunchShape Shape;
    Shape.Grid = Grid;
    Shape.Block = Block;
    Shape.DynamicSharedBytes = SharedBytes;
    return backend().launch(S, {&K, K.HostStub}, Shape, Args.data(), Tile);
  }

  std::vector<unsigned> fetch(const void *From, size_t Words, int Device = 0) {
    std::vector<unsigned> Out(Words);
    EXPECT_OK(backend().copy(stream(Device), Out.data(), From, Words * 4));
    EXPECT_OK(backend().synchronize(stream(Device)));
    return Out;
  }
  void store(void *To, const std::vector<unsigned> &Words) {
    EXPECT_OK(backend().copy(stream(0), To, Words.data(), Words.size() * 4));
    EXPECT_OK(backend().synchronize(stream(0)));
  }

  /// Returns 0, 3, 6, ...
  static std::vector<unsigned> pattern(size_t Words) {
    std::vector<unsigned> Out(Words);
    for (size_t I = 0; I < Words; ++I)
      Out[I] = unsigned(3 * I);
    return Out;
  }

private:
  // Never destroyed: it keeps the contexts, which other suites use too.
  inline static Backend *Shared = nullptr;
  inline static std::string Message;
  std::vector<std::unique_ptr<Stream>> Streams;
};

} // namespace gridspan

#endif // GRIDSPAN_TEST_GPU_GPUTEST_H
