//===- FormTimerTest.cpp - Times launches on arrays of records ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a backend whose events happen when the test says so.
//
//===----------------------------------------------------------------------===//

#include "runtime/forms/FormTimer.h"
#include "test/unit/runtime/backend/RecordingBackend.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

const GridspanKernel Kernel = {};
const FormTimes::Key Of = {&Kernel, 4};

class FormTimerTest : public testing::Test {
protected:
  FormTimerTest() {
    EXPECT_EQ(B.createStream(0, StreamKind::NonBlocking, 0, S), cudaSuccess);
    B.Records = true;
    B.ElapsedMs = 2;
  }

  /// Returns true if the launch is timed.
  bool launch(RecordOrder In = RecordOrder::AsMade, bool Failed = false) {
    if (!Timer.begin({Of, In, {Times}}, *S))
      return false;
    Timer.end(*S, Failed);
    return true;
  }

  RecordingBackend B{1};
  std::unique_ptr<Stream> S;
  std::shared_ptr<FormTimes> Times = std::make_shared<FormTimes>();
  FormTimer Timer{B};
};

} // namespace

TEST_F(FormTimerTest, AddsTimesOfLaunchesThatAreDone) {
  for (int I = 0; I != 3; ++I)
    EXPECT_TRUE(launch());
  EXPECT_FALSE(Times->isKnown(Of)) << "nobody has looked";
  Timer.collect();
  EXPECT_TRUE(Times->isKnown(Of));
  B.ElapsedMs = 3;
  for (int I = 0; I != 3; ++I)
    EXPECT_TRUE(launch(RecordOrder::ByFields));
  Timer.collect();
  EXPECT_TRUE(Times->isSlower());
}

TEST_F(FormTimerTest, TimesNothingForNobody) {
  EXPECT_FALSE(Timer.begin({Of, RecordOrder::AsMade, {}}, *S));
  EXPECT_TRUE(B.take().empty());
}

TEST_F(FormTimerTest, LaunchesThatFailHaveNoTime) {
  for (int I = 0; I != 3; ++I)
    EXPECT_TRUE(launch(RecordOrder::AsMade, /*Failed=*/true));
  Timer.collect();
  EXPECT_TRUE(Times->wants(Of, RecordOrder::AsMade));
  EXPECT_EQ(Times.use_count(), 1) << "nothing holds on to it";
}

TEST_F(FormTimerTest, WaitsForAFewOnly) {
  int Timed = 0;
  while (launch() && Timed < 1000)
    ++Timed;
  EXPECT_GT(Timed, 3);
  EXPECT_LT(Timed, 1000);
  Timer.collect();
  EXPECT_TRUE(launch());
}
