//===- TimelineWriterTest.cpp - A timeline as a file ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/report/TimelineWriter.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace gridspan;
using nlohmann::json;

static json written(const Timeline &T) {
  std::ostringstream Out;
  writeTimeline(Out, T);
  return json::parse(Out.str());
}

TEST(TimelineWriter, NothingIsStillAFile) {
  json J = written({});
  EXPECT_EQ(J["traceEvents"].size(), 1U); // the host's name
  EXPECT_EQ(J["otherData"]["lost"], 0);
}

TEST(TimelineWriter, DevicesAreProcessesAndStreamsAreThreads) {
  Timeline T;
  T.Devices = {"NVIDIA \"X\"\n", "B\xff"};
  T.Tracks = {{-1, "thread 1"}, {1, "stream 0"}};
  json J = written(T)["traceEvents"];
  ASSERT_EQ(J.size(), 5U);
  EXPECT_EQ(J[1]["args"]["name"], "device 0: NVIDIA \"X\"\n");
  EXPECT_EQ(J[1]["pid"], 1);
  EXPECT_EQ(J[2]["pid"], 2);
  EXPECT_EQ(J[3], json::parse(R"({"ph": "M", "name": "thread_name", "pid": 0,
      "tid": 0, "args": {"name": "thread 1"}})"));
  EXPECT_EQ(J[4]["pid"], 2);
  EXPECT_EQ(J[4]["tid"], 1);
}

TEST(TimelineWriter, SpansAreSortedAndNamed) {
  Timeline T;
  T.Devices = {"A"};
  T.Tracks = {{0, "stream 0"}};
  T.Spans = {{Activity::Kernel, 0, "_Z5saxpyif", 10.5, 30, 0, 64, 3},
             {Activity::Copy, 0, "host to device", 1, 2.25, 4096, 0, 0},
             {Activity::Replica, 0, nullptr, 4, 3, 17, 0, 3}};
  T.Lost = 2;
  json J = written(T);
  EXPECT_EQ(J["otherData"]["lost"], 2);
  json E = J["traceEvents"];
  ASSERT_EQ(E.size(), 6U);
  EXPECT_EQ(E[3], json::parse(R"({"ph": "X", "name": "host to device",
      "cat": "copy", "pid": 1, "tid": 0, "ts": 1.0, "dur": 1.25,
      "args": {"bytes": 4096}})"));
  EXPECT_EQ(E[4]["name"], "replica");
  EXPECT_EQ(E[4]["dur"], 0); // clocks disagreed
  EXPECT_EQ(E[5], json::parse(R"J({"ph": "X", "name": "saxpy(int, float)",
      "cat": "kernel", "pid": 1, "tid": 0, "ts": 10.5, "dur": 19.5,
      "args": {"blocks": 64, "launch": 3}})J"));
}
