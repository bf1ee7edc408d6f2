//===- SystemInfoTest.cpp -------------------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/SystemInfo.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

DeviceInfo gpu(unsigned Multiprocessors, unsigned Threads, unsigned Blocks) {
  DeviceInfo Out;
  Out.Multiprocessors = Multiprocessors;
  Out.ThreadsPerMultiprocessor = Threads;
  Out.BlocksPerMultiprocessor = Blocks;
  return Out;
}

// CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability".
const DeviceInfo Rtx2080 = gpu(46, 1024, 16);
const DeviceInfo Rtx3090 = gpu(82, 1536, 16);
const DeviceInfo Rtx4090 = gpu(128, 1536, 24);
const DeviceInfo A100 = gpu(108, 2048, 32);

} // namespace

TEST(SystemInfo, ThreadsThatADeviceHolds) {
  EXPECT_EQ(Rtx2080.residentThreads(), 47104U);
  EXPECT_EQ(Rtx3090.residentThreads(), 125952U);
  EXPECT_EQ(Rtx4090.residentThreads(), 196608U);
  EXPECT_EQ(A100.residentThreads(), 221184U);
}

TEST(SystemInfo, SmallBlocksAreBoundByTheirNumber) {
  EXPECT_EQ(Rtx2080.residentBlocks(32), 46U * 16);
  EXPECT_EQ(Rtx3090.residentBlocks(32), 82U * 16);
  EXPECT_EQ(Rtx4090.residentBlocks(32), 128U * 24);
  EXPECT_EQ(A100.residentBlocks(32), 108U * 32);
}

TEST(SystemInfo, LargeBlocksAreBoundByTheirThreads) {
  EXPECT_EQ(Rtx2080.residentBlocks(256), 46U * 4);
  EXPECT_EQ(Rtx3090.residentBlocks(256), 82U * 6);
  EXPECT_EQ(Rtx4090.residentBlocks(256), 128U * 6);
  EXPECT_EQ(A100.residentBlocks(256), 108U * 8);
  EXPECT_EQ(Rtx3090.residentBlocks(1024), 82U);
  EXPECT_EQ(A100.residentBlocks(1024), 108U * 2);
}
