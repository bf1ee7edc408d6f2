//===- FaultTest.cpp - After a kernel's fault -----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fault makes the contexts of its process unusable, so each test does its
// work in a new process. It is not forked, as CUDA does not survive that.
//
//===----------------------------------------------------------------------===//

#include "test/gpu/GpuTest.h"
#include <cstdio>

namespace gridspan {
namespace {

class GpuFaultDeathTest : public GpuTest {
protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    GpuTest::SetUp();
  }

  /// Writes where nothing is mapped, and returns true if CUDA's error follows.
  /// The address is reserved, as the driver may map any other one.
  bool fault(Stream &S) {
    void *Hole = nullptr;
    if (!is("reserve", cudaSuccess,
            backend().reserve(backend().system().PageSize, Hole)))
      return false;
    auto *P = static_cast<unsigned *>(Hole);
    size_t N = 1;
    unsigned V = 1;
    return is("launch", cudaSuccess,
              launch(S, AddKernel, dim3(1), dim3(1), {&P, &N, &V})) &&
           is("synchronize", cudaErrorIllegalAddress, backend().synchronize(S));
  }

  static bool is(const char *What, cudaError_t Expected, cudaError_t Got) {
    if (Got != Expected)
      std::fprintf(stderr, "%s: %d, expected %d\n", What, Got, Expected);
    return Got == Expected;
  }
};

TEST_F(GpuFaultDeathTest, FaultsStickAndTheProcessEndsCleanly) {
  auto Work = [this] {
    Stream &S = stream(numDevices() - 1);
    return fault(S) && is("next launch", cudaErrorIllegalAddress,
                          launch(S, EmptyKernel, dim3(1), dim3(1), {}));
  };
  EXPECT_EXIT(std::exit(Work() ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST_F(GpuFaultDeathTest, EverythingCanBeDestroyedAfterAFault) {
  auto Work = [this] {
    std::unique_ptr<Stream> S;
    std::unique_ptr<Event> E;
    std::unique_ptr<Pages> P;
    void *Address = nullptr;
    const size_t Page = backend().system().PageSize;
    if (!is("stream", cudaSuccess,
            backend().createStream(0, StreamKind::Blocking, 0, S)) ||
        !is("event", cudaSuccess, backend().createEvent(0, 0, E)) ||
        !is("pages", cudaSuccess, backend().createPages(0, Page, P)) ||
        !is("reserve", cudaSuccess, backend().reserve(Page, Address)) ||
        !is("map", cudaSuccess, backend().map(Address, *P, 0, Page)) ||
        !fault(*S))
      return false;
    (void)backend().record(*E, *S);
    // An error is right, and so is none.
    (void)backend().unmap(Address, Page);
    backend().release(Address, Page);
    return true;
  };
  EXPECT_EXIT(std::exit(Work() ? 0 : 1), testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace gridspan
