//===- RankBackendTest.cpp - Devices of ranks in one process --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contract of every backend, over a transport in memory.
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/backend/BackendConformance.h"
#include "test/unit/runtime/backend/ranks/LoopNetwork.h"

namespace gridspan {

static std::unique_ptr<Backend> makeLoop(int NumRanks, unsigned DevicesEach) {
  return ranks::LoopBackend::create(NumRanks, DevicesEach, uint64_t(1) << 30);
}

INSTANTIATE_TEST_SUITE_P(
    Ranks, BackendConformance,
    testing::Values(BackendUnderTest{"ranks2", [] { return makeLoop(2, 1); }},
                    BackendUnderTest{"ranks3x2",
                                     [] { return makeLoop(3, 2); }}),
    [](const auto &Info) { return Info.param.Name; });

} // namespace gridspan
