//===- HostMemoryTest.cpp -------------------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda/HostMemory.h"
#include <gtest/gtest.h>

TEST(HostMemory, KnowsWhatThereIs) {
  size_t Free = 0, Total = 0;
  gridspan::cuda::hostMemoryInfo(Free, Total);
  EXPECT_GT(Total, size_t(64) << 20);
  EXPECT_LE(Free, Total);
}
