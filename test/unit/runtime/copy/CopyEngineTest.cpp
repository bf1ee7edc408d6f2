//===- CopyEngineTest.cpp - Where copies are cut --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/copy/CopyEngine.h"
#include <gtest/gtest.h>

using namespace gridspan;
using Segments = std::vector<CopySegment>;

static PageHomes striped() {
  PageHomes M;
  M.set(0, 100, 0);
  M.set(100, 200, 1);
  M.set(200, 300, 2);
  return M;
}

TEST(DivideCopy, HostToDevices) {
  PageHomes M = striped();
  EXPECT_EQ(divideCopy(&M, 0, nullptr, 0, 300),
            (Segments{{0, 100, 0}, {100, 200, 1}, {200, 300, 2}}));
  EXPECT_EQ(divideCopy(&M, 50, nullptr, 0, 100),
            (Segments{{0, 50, 0}, {50, 100, 1}}));
}

TEST(DivideCopy, DevicesToHost) {
  PageHomes M = striped();
  EXPECT_EQ(divideCopy(nullptr, 0, &M, 120, 90),
            (Segments{{0, 80, 1}, {80, 90, 2}}));
}

TEST(DivideCopy, BetweenBuffersTheDestinationsDeviceWorks) {
  PageHomes M = striped();
  EXPECT_EQ(divideCopy(&M, 0, &M, 150, 120),
            (Segments{{0, 50, 0}, {50, 100, 0}, {100, 120, 1}}));
}

TEST(DivideCopy, PagesOnTheHostAreTheOtherEndsWork) {
  PageHomes M = striped(), N;
  N.set(0, 300, Host);
  EXPECT_EQ(divideCopy(&N, 0, &M, 0, 150),
            (Segments{{0, 100, 0}, {100, 150, 1}}));
  EXPECT_EQ(divideCopy(&N, 0, nullptr, 0, 150), (Segments{{0, 150, 0, true}}));
}

using Blocks = std::vector<CopyBlock>;

TEST(DivideCopy2D, RowsOfOneDeviceAreOneBlock) {
  PageHomes M = striped();
  EXPECT_EQ(divideCopy2D(&M, 0, 50, nullptr, 0, 40, 40, 6),
            (Blocks{{0, 2, 0, 40, 0}, {2, 2, 0, 40, 1}, {4, 2, 0, 40, 2}}));
}

TEST(DivideCopy2D, RowsAcrossABorderAreCut) {
  PageHomes M = striped();
  EXPECT_EQ(divideCopy2D(nullptr, 0, 60, &M, 0, 60, 60, 4),
            (Blocks{{0, 1, 0, 60, 0},
                    {1, 1, 0, 40, 0},
                    {1, 1, 40, 20, 1},
                    {2, 1, 0, 60, 1},
                    {3, 1, 0, 20, 1},
                    {3, 1, 20, 40, 2}}));
}

TEST(DivideCopy2D, PagesOnTheHostAreApart) {
  PageHomes M = striped();
  M.set(0, 100, Host);
  EXPECT_EQ(divideCopy2D(&M, 0, 50, nullptr, 0, 40, 40, 4),
            (Blocks{{0, 2, 0, 40, 0, true}, {2, 2, 0, 40, 1}}));
}
