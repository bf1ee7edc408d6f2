//===- GridExtensionTest.cpp ----------------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/GridExtension.h"
#include <climits>
#include <cstring>
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

/// A kernel with a 4-byte and an 8-byte parameter, on devices that hold 8192
/// threads each.
class GridExtension : public testing::Test {
protected:
  GridExtension() {
    Kernel.Flags = GridspanRepartitioned | GridspanElasticX;
    Kernel.Params = Params;
    Kernel.NumParams = 2;
    System.Devices.resize(1);
    System.Devices[0].Multiprocessors = 4;
  }

  bool isElasticWith(int32_t Int, int64_t Long) {
    Narrow = Int;
    Large = Long;
    return isExtensible(Kernel, 0, Args);
  }
  uint32_t lengthFor(uint32_t Blocks, unsigned Devices) {
    const GridspanBox Unsplit = {
        Args, {Blocks, 1, 1}, {256, 1, 1}, {}, {Blocks, 1, 1}};
    const GridspanBox Box = boxFor(Kernel, Unsplit, 0, Devices, System);
    EXPECT_EQ(Box.GridDim[0], Box.BlockCount[0]);
    return Box.GridDim[0];
  }

  int32_t Narrow = 1000;
  int64_t Large = 1000;
  void *Args[2] = {&Narrow, &Large};
  GridspanParam Params[2] = {{0, 4}, {8, 8}};
  GridspanKernel Kernel = {};
  SystemInfo System;
};

} // namespace

TEST_F(GridExtension, GivesEachDeviceWhatTheProgramGaveOne) {
  EXPECT_EQ(lengthFor(32, 2), 64U);
  EXPECT_EQ(lengthFor(32, 4), 128U);
}

TEST_F(GridExtension, LeavesGridsThatFillAllDevices) {
  EXPECT_EQ(lengthFor(64, 2), 64U);
  EXPECT_EQ(lengthFor(63, 2), 126U);
}

TEST_F(GridExtension, FollowsWhatAMultiprocessorHolds) {
  struct Gpu {
    unsigned Multiprocessors, Threads;
  };
  // RTX 2080, RTX 3090, RTX 4090, A100.
  for (const Gpu &G :
       {Gpu{46, 1024}, Gpu{82, 1536}, Gpu{128, 1536}, Gpu{108, 2048}}) {
    System.Devices[0].Multiprocessors = G.Multiprocessors;
    System.Devices[0].ThreadsPerMultiprocessor = G.Threads;
    // Two devices are full with this many blocks of 256 threads.
    const uint32_t Full = 2 * G.Multiprocessors * G.Threads / 256;
    EXPECT_EQ(lengthFor(Full, 2), Full);
    EXPECT_EQ(lengthFor(Full - 1, 2), 2 * (Full - 1));
  }
}

TEST_F(GridExtension, LeavesOtherKernelsAndAxes) {
  EXPECT_FALSE(isExtensible(Kernel, 1, Args));
  Kernel.Flags = GridspanRepartitioned;
  EXPECT_EQ(lengthFor(32, 2), 32U);
}

TEST_F(GridExtension, LeavesLaunchesWhoseIndexMightWrap) {
  EXPECT_TRUE(isElasticWith(1 << 30, int64_t(1) << 40));
  EXPECT_FALSE(isElasticWith(INT_MAX - (1 << 26), 1000));
  EXPECT_FALSE(isElasticWith(INT_MIN + (1 << 26), 1000));
  EXPECT_FALSE(isElasticWith(-1, 1000)); // as unsigned
  EXPECT_FALSE(isElasticWith(1000, INT64_MAX));
}

TEST_F(GridExtension, IsBoundedByTheLongestGrid) {
  System.Devices[0].Multiprocessors = 1 << 20;
  EXPECT_EQ(lengthFor(1 << 17, 2), 1U << 18);
  EXPECT_EQ(lengthFor((1 << 17) + 1, 2), (1U << 17) + 1);
}
