//===- AccessTraceTest.cpp - Traces are read as they were written ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/AccessTrace.h"
#include "gridspan/ABI.h"
#include "tools/access-trace/AccessTraceReader.h"
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace gridspan;
using testing::ElementsAre;

namespace {
class AccessTrace : public testing::Test {
protected:
  AccessTrace()
      : Path(testing::TempDir() +
             testing::UnitTest::GetInstance()->current_test_info()->name()) {}
  ~AccessTrace() override { std::filesystem::remove(Path); }

  std::string Path;
};
} // namespace

static TracedLaunch someLaunch() {
  TracedLaunch L;
  L.Device = 2;
  L.GridDim = {8, 4, 1};
  L.BlockDim = {32, 2, 1};
  L.BlockLo = {0, 2, 0};
  L.BlockCount = {8, 2, 1};
  L.Kernel = "_Z1kPf";
  L.Parameters = {std::byte(1), std::byte(2), std::byte(3)};
  return L;
}

TEST_F(AccessTrace, LaunchesComeBack) {
  auto File = AccessTraceFile::create(Path);
  ASSERT_TRUE(File);
  EXPECT_EQ(File->beginLaunch(someLaunch()), 0u);
  EXPECT_EQ(File->beginLaunch(someLaunch()), 1u);
  EXPECT_TRUE(File->good());
  File.reset();

  AccessTraceReader Reader(Path);
  for (uint32_t Id = 0; Id != 2; ++Id) {
    auto Record = Reader.next();
    const auto *L = std::get_if<TracedLaunch>(&Record);
    ASSERT_TRUE(L);
    EXPECT_EQ(L->Id, Id);
    EXPECT_EQ(L->Device, 2u);
    EXPECT_THAT(L->GridDim, ElementsAre(8, 4, 1));
    EXPECT_THAT(L->BlockDim, ElementsAre(32, 2, 1));
    EXPECT_THAT(L->BlockLo, ElementsAre(0, 2, 0));
    EXPECT_THAT(L->BlockCount, ElementsAre(8, 2, 1));
    EXPECT_EQ(L->Kernel, "_Z1kPf");
    EXPECT_EQ(L->Parameters, someLaunch().Parameters);
  }
  EXPECT_TRUE(std::holds_alternative<std::monostate>(Reader.next()));
  EXPECT_EQ(Reader.error(), "");
}

TEST_F(AccessTrace, LanesFormRequestsByOccurrence) {
  auto File = AccessTraceFile::create(Path);
  uint32_t Launch = File->beginLaunch(someLaunch());
  BlockTrace Block(*File, Launch, {3, 2, 0});
  // Lane 0 goes round twice, lane 1 of the second warp once, one after the
  // other as the CPU device runs them.
  Block.record(0, 7, GridspanRead, 0x1000, 4, 0);
  Block.record(0, 7, GridspanRead, 0x1100, 4, 0);
  Block.record(5, 7, GridspanRead, 0x1014, 4, 0);
  Block.record(33, 7, GridspanRead, 0x2000, 4, 0);
  Block.record(33, 9, GridspanWrite, 0x3000, 8, 0);
  Block.finish();
  File.reset();

  AccessTraceReader Reader(Path);
  ASSERT_TRUE(std::holds_alternative<TracedLaunch>(Reader.next()));
  std::vector<TracedRequest> Requests;
  while (true) {
    auto Record = Reader.next();
    if (!std::holds_alternative<TracedRequest>(Record))
      break;
    Requests.push_back(std::get<TracedRequest>(Record));
  }
  EXPECT_EQ(Reader.error(), "");
  ASSERT_EQ(Requests.size(), 4u);
  EXPECT_EQ(Requests[0].Site, 7u);
  EXPECT_EQ(Requests[0].Warp, 0u);
  EXPECT_EQ(Requests[0].LaneMask, 0x21u);
  EXPECT_THAT(Requests[0].Block, ElementsAre(3, 2, 0));
  EXPECT_THAT(Requests[0].Addresses, ElementsAre(0x1000, 0x1014));
  EXPECT_EQ(Requests[1].Occurrence, 1u);
  EXPECT_THAT(Requests[1].Addresses, ElementsAre(0x1100));
  EXPECT_EQ(Requests[2].Warp, 1u);
  EXPECT_EQ(Requests[2].LaneMask, 2u);
  EXPECT_EQ(Requests[3].Site, 9u);
  EXPECT_EQ(Requests[3].Mode, uint32_t(GridspanWrite));
  EXPECT_EQ(Requests[3].Bytes, 8u);
}

TEST_F(AccessTrace, LanesOfDifferentIterationsAreApart) {
  auto File = AccessTraceFile::create(Path);
  uint32_t Launch = File->beginLaunch(someLaunch());
  BlockTrace Block(*File, Launch, {0, 0, 0});
  // Lane 0 gets there in the first and the third iteration, twice in the third;
  // lane 1 in the second and the third.
  Block.record(0, 7, GridspanRead, 0x1000, 4, 0);
  Block.record(0, 7, GridspanRead, 0x1200, 4, 2);
  Block.record(0, 7, GridspanRead, 0x1300, 4, 2);
  Block.record(1, 7, GridspanRead, 0x2100, 4, 1);
  Block.record(1, 7, GridspanRead, 0x2200, 4, 2);
  Block.finish();
  File.reset();

  AccessTraceReader Reader(Path);
  Reader.next();
  std::vector<std::vector<uint64_t>> Requests;
  while (true) {
    auto Record = Reader.next();
    const auto *R = std::get_if<TracedRequest>(&Record);
    if (!R)
      break;
    EXPECT_EQ(R->Occurrence, Requests.size());
    Requests.push_back(R->Addresses);
  }
  EXPECT_THAT(Requests,
              ElementsAre(ElementsAre(0x1000), ElementsAre(0x2100),
                          ElementsAre(0x1200, 0x2200), ElementsAre(0x1300)));
}

TEST_F(AccessTrace, BlockCopyReadsAndWritesAtOnce) {
  auto File = AccessTraceFile::create(Path);
  uint32_t Launch = File->beginLaunch(someLaunch());
  BlockTrace Block(*File, Launch, {0, 0, 0});
  Block.record(0, 7, GridspanRead, 0x1000, 16, 0);
  Block.record(0, 7, GridspanWrite, 0x2000, 16, 0);
  Block.finish();
  File.reset();

  AccessTraceReader Reader(Path);
  Reader.next();
  for (int I = 0; I < 2; ++I) {
    auto Record = Reader.next();
    const auto *R = std::get_if<TracedRequest>(&Record);
    ASSERT_TRUE(R);
    EXPECT_EQ(R->Occurrence, 0u);
  }
}

TEST_F(AccessTrace, BlockCopyOfNothingIsNoAccess) {
  auto File = AccessTraceFile::create(Path);
  uint32_t Launch = File->beginLaunch(someLaunch());
  BlockTrace Block(*File, Launch, {0, 0, 0});
  Block.record(0, 7, GridspanWrite, 0x2000, 0, 0);
  Block.finish();
  File.reset();

  AccessTraceReader Reader(Path);
  Reader.next();
  auto Record = Reader.next();
  EXPECT_FALSE(std::holds_alternative<TracedRequest>(Record));
  EXPECT_EQ(Reader.error(), "");
}

TEST_F(AccessTrace, DamageIsAnError) {
  EXPECT_EQ(AccessTraceReader("/nonexistent/x").error(),
            "cannot open /nonexistent/x");
  {
    AccessTraceFile::create(Path)->beginLaunch(someLaunch());
  }
  std::filesystem::resize_file(Path, std::filesystem::file_size(Path) - 1);
  AccessTraceReader Reader(Path);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(Reader.next()));
  EXPECT_EQ(Reader.error(), "the trace is cut off");

  std::filesystem::resize_file(Path, 5);
  EXPECT_EQ(AccessTraceReader(Path).error(), Path + " is not an access trace");
}
