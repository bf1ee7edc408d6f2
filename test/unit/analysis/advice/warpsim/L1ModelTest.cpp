//===- L1ModelTest.cpp - The L1 cache and load unit of a GPU --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/warpsim/L1Model.h"
#include <gtest/gtest.h>

using namespace gridspan;

TEST(L1Model, FindsWhatWasLoaded) {
  L1Model Cache(16 << 10, machineModelFor("sm_90"));
  EXPECT_EQ(Cache.load(5, 1), L1Model::Miss);
  EXPECT_EQ(Cache.load(5, 1), L1Model::Pending);
  EXPECT_EQ(Cache.load(5, 2), L1Model::Hit);
  // Another sector of the line.
  EXPECT_EQ(Cache.load(6, 2), L1Model::Miss);
}

TEST(L1Model, CountsTheBytesThatAreUsedForWhoFetchedThem) {
  L1Model Cache(16 << 10, machineModelFor("sm_90"));
  L1Model::Use Use = Cache.use(5, 1, 7, 0xff);
  EXPECT_EQ(Use.Found, L1Model::Miss);
  EXPECT_EQ(Use.FetchedBy, 7U);
  EXPECT_EQ(Use.NewBytes, 8U);
  Use = Cache.use(5, 2, 9, 0xff0);
  EXPECT_EQ(Use.Found, L1Model::Hit);
  EXPECT_EQ(Use.FetchedBy, 7U);
  EXPECT_EQ(Use.NewBytes, 4U);
  EXPECT_EQ(Cache.use(5, 3, 9, 0xfff).NewBytes, 0U);
}

TEST(L1Model, TheLineUsedLongestAgoLeaves) {
  MachineModel Machine = machineModelFor("sm_90");
  Machine.L1Ways = 2;
  // One set.
  L1Model Cache(2 * LineBytes, Machine);
  for (uint64_t Line : {0, 1, 0, 2})
    Cache.load(Line * SectorsOfLine, 1);
  EXPECT_EQ(Cache.load(0, 2), L1Model::Hit);
  EXPECT_EQ(Cache.load(SectorsOfLine, 2), L1Model::Miss);
}

TEST(L1Model, CyclesOfARequestAreTheMachines) {
  MachineModel Machine = machineModelFor("sm_90");
  double Before = loadUnitCycles(1, 32, Machine);
  EXPECT_EQ(loadUnitCycles(32, 1, Machine), 32);
  Machine.L1LineCycles *= 2;
  EXPECT_GT(loadUnitCycles(1, 32, Machine), 1.5 * Before);
}
