//===- ProgressTest.cpp - How far a long launch has come ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/report/Progress.h"
#include <gtest/gtest.h>
#include <vector>

using namespace gridspan;

namespace {
/// A progress line at times that the test tells.
struct Watched {
  explicit Watched(Progress::Style How)
      : P(
            How, [this] { return Time; },
            [this](const std::string &Text) { Lines.push_back(Text); }) {}
  void advanceAt(double Seconds, uint64_t Bytes) {
    Time = Seconds;
    P.advance(Bytes);
  }
  double Time = 100;
  std::vector<std::string> Lines;
  Progress P;
};
using Lines = std::vector<std::string>;
constexpr uint64_t GiB = 1 << 30;
} // namespace

TEST(Progress, ShortWorksAreSilent) {
  Watched W(Progress::Style::Redrawn);
  W.P.begin(10 * GiB);
  W.advanceAt(100.5, 5 * GiB);
  W.advanceAt(101.9, 5 * GiB);
  W.P.end();
  EXPECT_EQ(W.Lines, Lines());
}

TEST(Progress, LongWorksShowRateAndTimeLeft) {
  Watched W(Progress::Style::Redrawn);
  W.P.begin(100 * GiB);
  W.advanceAt(102, 4 * GiB);
  W.advanceAt(102.05, GiB); // too soon
  W.advanceAt(110, 45 * GiB);
  W.Time = 200;
  W.P.end();
  EXPECT_EQ(W.Lines,
            (Lines{"gridspan: 4.0 of 100.0 GiB, 2.1 GB/s, 0:48 left\x1b[K\r",
                   "gridspan: 50.0 of 100.0 GiB, 5.4 GB/s, 0:10 left\x1b[K\r",
                   "\x1b[K"}));
}

TEST(Progress, HoursAndNothingYet) {
  Watched W(Progress::Style::Lines);
  W.P.begin(4000 * GiB);
  W.advanceAt(102, 0);
  W.advanceAt(104, 2 * GiB);
  W.P.end();
  EXPECT_EQ(W.Lines,
            (Lines{"gridspan: 0.0 of 4000.0 GiB, running for 0:02\n",
                   "gridspan: 2.0 of 4000.0 GiB, 0.5 GB/s, 2:13:16 left\n"}));
}

TEST(Progress, FilesGetALineNowAndThen) {
  Watched W(Progress::Style::Lines);
  W.P.begin(10 * GiB);
  for (int I = 0; I <= 100; ++I)
    W.advanceAt(100 + I * 0.1, GiB / 10);
  W.P.end();
  EXPECT_EQ(W.Lines.size(), 5U);
}

TEST(Progress, SeveralWorksAreOne) {
  Watched W(Progress::Style::Redrawn);
  W.P.begin(GiB);
  W.P.begin(3 * GiB);
  W.advanceAt(102, GiB);
  W.P.end();
  EXPECT_EQ(W.Lines.size(), 1U);
  EXPECT_EQ(W.Lines[0].find("gridspan: 1.0 of 4.0 GiB"), 0U);
  W.P.end();
  EXPECT_EQ(W.Lines.size(), 2U);
  // The next one starts from nothing.
  W.P.begin(GiB);
  W.advanceAt(103, GiB / 2);
  W.P.end();
  EXPECT_EQ(W.Lines.size(), 2U);
}

TEST(Progress, NeverMoreThanAll) {
  Watched W(Progress::Style::Lines);
  W.P.begin(GiB);
  W.advanceAt(102, 5 * GiB);
  EXPECT_EQ(W.Lines, Lines{"gridspan: 1.0 of 1.0 GiB, running for 0:02\n"});
}

TEST(Progress, WhoWaitsRedraws) {
  Watched W(Progress::Style::Redrawn);
  W.P.begin(4 * GiB);
  for (double Time : {101.0, 103.0, 103.05}) {
    W.Time = Time;
    W.P.redraw();
  }
  W.advanceAt(104, GiB);
  W.Time = 108;
  W.P.redraw();
  W.P.end();
  EXPECT_EQ(W.Lines,
            (Lines{"gridspan: 0.0 of 4.0 GiB, running for 0:03\x1b[K\r",
                   "gridspan: 1.0 of 4.0 GiB, 0.3 GB/s, 0:12 left\x1b[K\r",
                   "gridspan: 1.0 of 4.0 GiB, 0.1 GB/s, 0:24 left\x1b[K\r",
                   "\x1b[K"}));
}

TEST(Progress, SilentMeansSilent) {
  Watched W(Progress::Style::Silent);
  EXPECT_TRUE(W.P.silent());
  {
    ProgressScope Scope(W.P, GiB);
    W.advanceAt(200, GiB / 2);
  }
  EXPECT_EQ(W.Lines, Lines());
  EXPECT_TRUE(Progress::onStderr(false).silent());
  EXPECT_FALSE(Progress::onStderr(true).silent());
}
