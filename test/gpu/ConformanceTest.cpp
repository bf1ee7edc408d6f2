//===- ConformanceTest.cpp - GPUs as a backend ----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/GpuTest.h"
#include "test/unit/runtime/backend/BackendConformance.h"

using namespace gridspan;

static std::unique_ptr<Backend> make(bool Peers) {
  std::string Message;
  // Keeps the contexts between the tests.
  static Backend *First =
      createCudaBackend({gpusUnderTest()}, Message).release();
  return First ? createCudaBackend({gpusUnderTest(), 0, Peers}, Message)
               : nullptr;
}

INSTANTIATE_TEST_SUITE_P(
    Cuda, BackendConformance,
    testing::Values(
        BackendUnderTest{"cuda", [] { return make(true); }, gpusUnderTest()},
        BackendUnderTest{"cuda_no_peers", [] { return make(false); },
                         gpusUnderTest()}),
    [](const auto &Info) { return Info.param.Name; });
