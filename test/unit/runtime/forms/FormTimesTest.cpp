//===- FormTimesTest.cpp - Whether launches gain by another order ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/forms/FormTimes.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

const GridspanKernel One = {}, Other = {};

void add(FormTimes &To, const FormTimes::Key &Of, RecordOrder In,
         std::initializer_list<double> Seconds) {
  for (const double S : Seconds)
    To.add(Of, In, S);
}

} // namespace

TEST(FormTimes, WantsAFewOfEachOrder) {
  FormTimes T;
  EXPECT_TRUE(T.wants({&One, 8}, RecordOrder::AsMade));
  add(T, {&One, 8}, RecordOrder::AsMade, {1, 1, 1});
  EXPECT_FALSE(T.wants({&One, 8}, RecordOrder::AsMade));
  EXPECT_TRUE(T.wants({&One, 8}, RecordOrder::ByFields));
  EXPECT_TRUE(T.wants({&One, 9}, RecordOrder::AsMade)) << "other blocks";
  EXPECT_TRUE(T.wants({&Other, 8}, RecordOrder::AsMade)) << "another kernel";
}

TEST(FormTimes, KnowsLaunchesAsTheProgramMadeThem) {
  FormTimes T;
  add(T, {&One, 8}, RecordOrder::AsMade, {1, 1});
  EXPECT_FALSE(T.isKnown({&One, 8}));
  T.add({&One, 8}, RecordOrder::AsMade, 1);
  EXPECT_TRUE(T.isKnown({&One, 8}));
  EXPECT_FALSE(T.isKnown({&Other, 8}));
}

TEST(FormTimes, ComparesTheQuickestButTheFirst) {
  FormTimes T;
  add(T, {&One, 8}, RecordOrder::AsMade, {0.1, 5, 4});
  add(T, {&One, 8}, RecordOrder::ByFields, {9, 9});
  EXPECT_FALSE(T.isSlower()) << "one is missing";
  T.add({&One, 8}, RecordOrder::ByFields, 3);
  EXPECT_FALSE(T.isSlower());

  FormTimes Slower;
  add(Slower, {&One, 8}, RecordOrder::AsMade, {9, 3, 4});
  add(Slower, {&One, 8}, RecordOrder::ByFields, {0.1, 4, 5});
  EXPECT_TRUE(Slower.isSlower());
}

TEST(FormTimes, AddsKernelsUpThatAreKnownInBoth) {
  FormTimes T;
  add(T, {&One, 8}, RecordOrder::AsMade, {1, 1, 1});
  add(T, {&One, 8}, RecordOrder::ByFields, {2, 2, 2});
  EXPECT_TRUE(T.isSlower());
  add(T, {&Other, 8}, RecordOrder::AsMade, {5, 5, 5});
  EXPECT_TRUE(T.isSlower()) << "the other does not run there";
  T.add({&Other, 8}, RecordOrder::ByFields, 9);
  EXPECT_FALSE(T.isSlower()) << "it does, and is not known yet";
  add(T, {&Other, 8}, RecordOrder::ByFields, {3, 3});
  EXPECT_FALSE(T.isSlower()) << "6 against 5";
  EXPECT_FALSE(T.isSlower());
  FormTimes Slower = T;
  add(Slower, {&Other, 9}, RecordOrder::AsMade, {1, 1, 1});
  add(Slower, {&Other, 9}, RecordOrder::ByFields, {3, 3, 3});
  EXPECT_TRUE(Slower.isSlower()) << "7 against 8";
}

TEST(FormTimes, WaitsForNoLaunchThatNeverComes) {
  FormTimes T;
  add(T, {&One, 8}, RecordOrder::AsMade, {1, 1, 1});
  add(T, {&One, 8}, RecordOrder::ByFields, {2, 2, 2});
  add(T, {&Other, 8}, RecordOrder::AsMade, {1, 1, 1});
  T.add({&Other, 8}, RecordOrder::ByFields, 1);
  unsigned Questions = 0;
  while (!T.isSlower() && Questions < 1000)
    ++Questions;
  EXPECT_GT(Questions, 3U);
  EXPECT_LT(Questions, 1000U);
}

TEST(FormTimes, ToleratesALittle) {
  FormTimes T;
  add(T, {&One, 8}, RecordOrder::AsMade, {1, 1, 1});
  add(T, {&One, 8}, RecordOrder::ByFields, {1.02, 1.02, 1.02});
  EXPECT_FALSE(T.isSlower());
}

TEST(FormTimes, GivesGridsThatAreAlwaysNewUp) {
  FormTimes T;
  uint64_t Blocks = 1;
  for (; !T.isKnown({&One, Blocks}) && Blocks < 1000; ++Blocks)
    T.add({&One, Blocks}, RecordOrder::AsMade, 1);
  EXPECT_LT(Blocks, 1000U);
  EXPECT_FALSE(T.wants({&One, Blocks}, RecordOrder::AsMade));
  T.add({&One, Blocks}, RecordOrder::AsMade, 1);
  EXPECT_TRUE(T.wants({&One, 1}, RecordOrder::AsMade)) << "of the first ones";
}
