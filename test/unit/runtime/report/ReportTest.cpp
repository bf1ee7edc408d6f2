//===- ReportTest.cpp - Counting, and the report's two forms --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/Backend.h"
#include "runtime/backend/Registry.h"
#include "runtime/report/ReportPrinter.h"
#include "test/unit/runtime/FakeKernels.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace gridspan;

TEST(Report, CountsPerKernel) {
  Report R;
  GridspanKernel K = fake::saxpy();
  R.kernel(&K).count(1, 10, 0);
  R.kernel(&K).count(4, 100, 7);
  R.kernel(&K).count(2, 0, 0);
  ReportRecord Out = R.record();
  ASSERT_EQ(Out.Kernels.size(), 1u);
  const KernelRecord &Line = Out.Kernels[0];
  EXPECT_EQ(Line.Name, "saxpy(float, float const*, float*, int)");
  EXPECT_EQ(Line.Launches, 3u);
  EXPECT_EQ(Line.SplitLaunches, 2u);
  EXPECT_EQ(Line.DevicesMax, 4u);
  EXPECT_EQ(Line.LocalBytes, 110u);
  EXPECT_EQ(Line.RemoteBytes, 7u);
  EXPECT_TRUE(Line.Refusal.empty());
}

TEST(Report, KernelsOfOneNameAndSourceAreOneLine) {
  Report R;
  GridspanKernel A = fake::saxpy(), B = fake::saxpy();
  R.kernel(&A).count(1, 1, 0);
  R.kernel(&B).count(1, 1, 0);
  ReportRecord Out = R.record();
  ASSERT_EQ(Out.Kernels.size(), 1u);
  EXPECT_EQ(Out.Kernels[0].Launches, 2u);
}

namespace {
/// A file with the kernel, registered as long as it lives.
struct RegisteredFile {
  RegisteredFile(const char *Name, GridspanKernel K) : K(K) {
    M.Name = Name;
    M.Version = GRIDSPAN_ABI_VERSION;
    M.Kernels = &this->K;
    M.NumKernels = 1;
    Registry::get().add(&M);
  }
  ~RegisteredFile() { Registry::get().remove(&M); }

  GridspanKernel K;
  GridspanModule M = {};
};
} // namespace

TEST(Report, TellsStaticKernelsOfOneNameApart) {
  RegisteredFile A("src/one.cu", fake::saxpy()), B("src/two.cu", fake::saxpy()),
      C("other/two.cu", fake::saxpy()), D("src/two.cu", fake::stencil());
  Report R;
  R.kernel(&A.K).count(1, 1, 0);
  R.kernel(&B.K).count(1, 1, 0);
  R.kernel(&D.K).count(1, 1, 0);
  ReportRecord Out = R.record();
  ASSERT_EQ(Out.Kernels.size(), 3u);
  EXPECT_EQ(reportJson(Out)["kernels"][0]["source"], "src/one.cu");
  EXPECT_EQ(reportJson(Out)["kernels"][1]["source"], "src/two.cu");
  std::string Table = reportTable(Out);
  EXPECT_NE(Table.find("  one.cu: saxpy("), std::string::npos) << Table;
  EXPECT_NE(Table.find("  two.cu: saxpy("), std::string::npos) << Table;
  EXPECT_NE(Table.find("  stencil("), std::string::npos) << Table;
  R.kernel(&C.K).count(1, 1, 0);
  Table = reportTable(R.record());
  EXPECT_NE(Table.find("  src/two.cu: saxpy("), std::string::npos) << Table;
  EXPECT_NE(Table.find("  other/two.cu: saxpy("), std::string::npos) << Table;
}

TEST(Report, NamesWhatRefused) {
  Report R;
  GridspanKernel Refused = fake::waitForFlag();
  GridspanKernel Unanalysed = fake::stencil();
  Unanalysed.Flags = GridspanNotAnalysed;
  R.kernel(&Refused).count(1, 0, 0);
  R.kernel(&Unanalysed).count(1, 0, 0);
  R.kernel(nullptr).count(1, 0, 0);
  ReportRecord Out = R.record();
  ASSERT_EQ(Out.Kernels.size(), 3u);
  EXPECT_EQ(Out.Kernels[0].Refusal, "waits-on-other-block");
  EXPECT_NE(Out.Kernels[0].RefusalText.find("flag.cu:3"), std::string::npos);
  EXPECT_EQ(Out.Kernels[1].Refusal, "not-analysed");
  EXPECT_EQ(Out.Kernels[2].Refusal, "no-descriptor");
}

static void launch(Report &R, const GridspanKernel &K, unsigned Grid,
                   unsigned Block, float A, int N) {
  const void *X = &R;
  void *Args[] = {&A, &X, &X, &N};
  LaunchShape Shape;
  Shape.Grid = {Grid, 1, 1};
  Shape.Block = {Block, 1, 1};
  R.kernel(&K).Shapes.count(K, Shape, Args);
}

TEST(Report, KnowsTheCommonestLaunch) {
  Report R;
  GridspanKernel K = fake::saxpy();
  R.kernel(&K).count(5, 0, 0);
  EXPECT_TRUE(
      reportJson(R.record())["kernels"][0]["commonest_launch"].is_null());
  launch(R, K, 4, 256, 1.0f, 1000);
  launch(R, K, 8, 128, 1.0f, 1024);
  launch(R, K, 8, 128, 1.0f, -5);
  launch(R, K, 8, 128, 1.0f, -5);
  nlohmann::ordered_json J =
      reportJson(R.record())["kernels"][0]["commonest_launch"];
  EXPECT_EQ(J["launches"], 3);
  EXPECT_EQ(J["grid"], nlohmann::json({8, 1, 1}));
  EXPECT_EQ(J["block"], nlohmann::json({128, 1, 1}));
  EXPECT_EQ(J["shared_bytes"], 0);
  // Pointers are none of them.
  ASSERT_EQ(J["arguments"].size(), 2u);
  EXPECT_EQ(J["arguments"][0]["index"], 0);
  EXPECT_EQ(J["arguments"][0]["value"], 0x3f800000);
  EXPECT_EQ(J["arguments"][1]["index"], 3);
  EXPECT_EQ(J["arguments"][1]["value"], -5);
}

TEST(Report, RemembersOnlySomeLaunches) {
  Report R;
  GridspanKernel K = fake::saxpy();
  for (unsigned I = 1; I <= 1000; ++I)
    launch(R, K, I, 32, 1.0f, static_cast<int>(I));
  // None is commoner than another.
  LaunchHistogram Common = R.kernel(&K).Shapes.commonest();
  EXPECT_EQ(Common.Launches, 1u);
  EXPECT_EQ(Common.Grid[0], 64u);
}

TEST(Report, GivesStructsAsBytes) {
  static const GridspanParam Params[] = {{0, 16}, {16, 8}};
  static const GridspanPointer Pointers[] = {{0, 8, GridspanRead, 0},
                                             {1, 0, GridspanRead, 0}};
  GridspanKernel K = fake::saxpy();
  K.Params = Params;
  K.Pointers = Pointers;
  K.NumParams = K.NumPointers = 2;
  struct {
    int N = 258;
    int Pad = 0;
    const void *X = &Params;
  } First;
  const void *Second = &Params;
  void *Args[] = {&First, &Second};
  Report R;
  R.kernel(&K).Shapes.count(K, LaunchShape(), Args);
  nlohmann::ordered_json J =
      reportJson(R.record())["kernels"][0]["commonest_launch"]["arguments"];
  ASSERT_EQ(J.size(), 1u);
  EXPECT_EQ(J[0]["bytes"], "02010000000000000000000000000000");
}

static ReportRecord sample() {
  Report R;
  static GridspanKernel Split = fake::saxpy(), Refused = fake::waitForFlag();
  R.kernel(&Split).count(2, 3 << 20, 1 << 20);
  R.kernel(&Split).count(1, 0, 0);
  R.kernel(&Split).WhyUnsplit = LaunchReason::DoesNotPay;
  R.kernel(&Split).UnknownRanges = true;
  R.kernel(&Refused).count(1, 0, 0);
  R.Copies[static_cast<unsigned>(CopyDirection::HostToDevice)].count(4096);
  R.Replicas.count(77);
  ReportRecord Out = R.record();
  Out.Devices = {{"CPU device 0", 1 << 20}, {"CPU device 1", 1 << 20}};
  return Out;
}

TEST(Report, CountsRangesThatAreReused) {
  ReportRecord R = sample();
  EXPECT_EQ(reportTable(R).find("ranges of"), std::string::npos);
  R.MappedRanges = 3;
  R.ReusedRanges = 97;
  R.UnmappedRanges = 2;
  EXPECT_NE(reportTable(R).find("  ranges of device memory: 3 mapped, 97 "
                                "reused, 2 unmapped for others\n"),
            std::string::npos);
  const nlohmann::ordered_json J = reportJson(R)["ranges"];
  EXPECT_EQ(J["mapped"], 3);
  EXPECT_EQ(J["reused"], 97);
  EXPECT_EQ(J["unmapped"], 2);
}

/// Launches of a chain bring frames for each other.
TEST(ReportTable, WhatCrossedTheBusIsComparedInAll) {
  ReportRecord R;
  R.Kernels.resize(3);
  R.Kernels[0].OutOfCoreLaunches = R.Kernels[1].OutOfCoreLaunches = 1;
  R.Kernels[0].OutOfCoreBytesIn = 3 << 20;
  R.Kernels[0].LeastBytesOut = 2 << 20;
  R.Kernels[1].OutOfCoreBytesIn = 1 << 20;
  R.Kernels[1].OutOfCoreBytesOut = 5 << 20;
  R.Kernels[1].LeastBytesIn = 3 << 20;
  EXPECT_NE(reportTable(R).find("  streamed in all: 4.0 MiB in, 5.0 MiB out; "
                                "at least 3.0 MiB and 2.0 MiB had to cross"),
            std::string::npos);
  const nlohmann::ordered_json Bus = reportJson(R)["bus"];
  EXPECT_EQ(Bus["in_bytes"], 4 << 20);
  EXPECT_EQ(Bus["out_bytes"], 5 << 20);
  EXPECT_EQ(Bus["in_least_bytes"], 3 << 20);
  EXPECT_EQ(Bus["out_least_bytes"], 2 << 20);
  // One kernel has a line that says it all.
  R.Kernels.erase(R.Kernels.begin());
  EXPECT_EQ(reportTable(R).find("streamed in all"), std::string::npos);
}

TEST(ReportTable, CallsOfLibraries) {
  Report Counted;
  Counted.calls().count("scan", GridspanCallTaken);
  Counted.calls().count("scan", GridspanCallTaken);
  Counted.calls().count("radix_sort", GridspanCallKeyType);
  ReportRecord R = Counted.record();
  R.Kernels.resize(1);
  const std::string Table = reportTable(R);
  for (const char *Line :
       {"  scan: 2 calls ran as Gridspan's primitive\n",
        "  radix_sort: 1 calls on large data ran as the library's: key-type\n",
        "  key-type: keys are not of one type"})
    EXPECT_NE(Table.find(Line), std::string::npos) << Line;
  const nlohmann::ordered_json Calls = reportJson(R)["calls"];
  ASSERT_EQ(Calls.size(), 2u);
  EXPECT_EQ(Calls[0]["function"], "radix_sort");
  EXPECT_EQ(Calls[0]["calls"], 1);
  EXPECT_EQ(Calls[0]["taken"], false);
  EXPECT_EQ(Calls[0]["why_not"], "key-type");
  EXPECT_EQ(Calls[1]["taken"], true);
  EXPECT_TRUE(Calls[1]["why_not"].is_null());
}

TEST(Report, Json) {
  nlohmann::ordered_json J = reportJson(sample());
  EXPECT_EQ(J["version"], 1);
  ASSERT_EQ(J["devices"].size(), 2u);
  EXPECT_EQ(J["devices"][1]["name"], "CPU device 1");
  EXPECT_EQ(J["devices"][1]["memory_bytes"], 1 << 20);
  ASSERT_EQ(J["kernels"].size(), 2u);
  const auto &K = J["kernels"][0];
  EXPECT_EQ(K["name"], "saxpy(float, float const*, float*, int)");
  EXPECT_EQ(K["launches"], 2);
  EXPECT_EQ(K["split_launches"], 1);
  EXPECT_EQ(K["devices_max"], 2);
  EXPECT_TRUE(K["refusal"].is_null());
  EXPECT_EQ(K["why_whole"], "does-not-pay");
  EXPECT_EQ(K["local_bytes"], 3 << 20);
  EXPECT_EQ(K["remote_bytes"], 1 << 20);
  EXPECT_EQ(K["unknown_ranges"], true);
  EXPECT_EQ(J["kernels"][1]["refusal"], "waits-on-other-block");
  EXPECT_EQ(J["copies"]["host_to_device"]["bytes"], 4096);
  EXPECT_EQ(J["copies"]["host_to_device"]["count"], 1);
  EXPECT_EQ(J["copies"]["replica"]["bytes"], 77);
}

TEST(Report, JsonOfNothing) {
  nlohmann::ordered_json J = reportJson({});
  EXPECT_TRUE(J["devices"].is_array());
  EXPECT_TRUE(J["kernels"].is_array());
  EXPECT_TRUE(J["copies"].is_object());
}

TEST(Report, Table) {
  const std::string Text = reportTable(sample());
  EXPECT_NE(Text.find("2 devices"), std::string::npos) << Text;
  EXPECT_NE(Text.find("saxpy"), std::string::npos);
  EXPECT_NE(Text.find("75.0%?"), std::string::npos) << Text;
  EXPECT_NE(Text.find("does-not-pay"), std::string::npos);
  EXPECT_NE(Text.find("waits-on-other-block"), std::string::npos);
  EXPECT_NE(Text.find("flag.cu:3"), std::string::npos);
  EXPECT_NE(Text.find("host to device 4.0 KiB in 1"), std::string::npos)
      << Text;
}
