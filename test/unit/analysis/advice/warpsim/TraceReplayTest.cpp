//===- TraceReplayTest.cpp - Memory traffic of a trace --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/warpsim/TraceReplay.h"
#include "analysis/machine/WarpRequest.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

/// One warp whose lanes read 4 bytes of a record each, Times times.
class TraceReplayTest : public testing::Test {
protected:
  void read(int64_t RecordBytes, unsigned Times = 1,
            SiteKind Kind = SiteKind::Load) {
    MemorySite Site;
    Site.Base = "arg0";
    Site.Size = Site.Piece = 4;
    Site.Kind = Kind;
    Kernel.Sites = {Site};
    Trace.SampledWarps = Trace.ResidentWarps = 1;
    Trace.TotalWarps = 10;
    Trace.IsScattered = {false};
    TraceEvent Event;
    Event.Active = ~0u;
    for (int Lane = 0; Lane != 32; ++Lane)
      Event.Offset[Lane] = Lane * RecordBytes;
    Trace.Events.assign(Times, Event);
  }
  MemoryCounts counts(const SiteAddress &Address) {
    return replayTrace(Kernel, Trace, machineModelFor("sm_90"), {Address});
  }

  KernelSites Kernel;
  WarpTrace Trace;
};

} // namespace

TEST_F(TraceReplayTest, AsItIs) {
  read(32);
  MemoryCounts C = replayTrace(Kernel, Trace, machineModelFor("sm_90"),
                               presentAddresses(Kernel));
  EXPECT_EQ(C.Requests, 10);
  EXPECT_EQ(C.loadBytes(), 10 * 32 * 32);
  // Words 8 apart: eight lanes of each of four banks.
  EXPECT_EQ(C.L1Cycles, 10 * 8);
}

TEST_F(TraceReplayTest, StructOfArraysAndTiles) {
  read(32);
  SiteAddress P;
  P.RecordBytes = 32;
  P.TileBytes = 4;
  EXPECT_EQ(counts(P).loadBytes(), 10 * 4 * 32);
  // Tiles of 8 records: 32 bytes of the field, then those of other fields.
  P.Tile = 8;
  P.TileBytes = 8 * 32;
  P.Stride = 4;
  EXPECT_EQ(counts(P).loadBytes(), 10 * 4 * 32);
  // Of 4: half of each sector is the neighbour field's.
  P.Tile = 4;
  P.TileBytes = 4 * 32;
  EXPECT_EQ(counts(P).loadBytes(), 10 * 8 * 32);
}

TEST_F(TraceReplayTest, FieldsThatALoopSelects) {
  read(32, 2);
  for (int64_t &Offset : Trace.Events[1].Offset)
    Offset += 8;
  SiteAddress P;
  P.RecordBytes = 32;
  // A struct of arrays with fields at 0 and 8, then both in one array.
  P.Selected = {{0, 1 << 20, 4, 0, 0}, {8, 2 << 20, 4, 0, 0}};
  EXPECT_EQ(counts(P).loadBytes(), 10 * 2 * 4 * 32);
  P.Selected[1].Base = 1 << 20;
  EXPECT_EQ(counts(P).loadBytes(), 10 * 4 * 32);
}

TEST_F(TraceReplayTest, CachesLoadsButNotStores) {
  read(4, 3);
  SiteAddress P;
  MemoryCounts C = counts(P);
  EXPECT_EQ(C.loadBytes(), 10 * 4 * 32);
  EXPECT_DOUBLE_EQ(C.HitShare.at(0), 2.0 / 3);
  read(4, 3, SiteKind::Store);
  C = counts(P);
  EXPECT_EQ(C.storeBytes(), 3 * 10 * 4 * 32);
  EXPECT_LT(C.HitShare.at(0), 0);
}

TEST_F(TraceReplayTest, IterationsThatOnlyWarmTheCache) {
  read(4, 2);
  Trace.Events[0].Weight = 0;
  MemoryCounts C = counts({});
  EXPECT_EQ(C.Requests, 10);
  EXPECT_EQ(C.loadBytes(), 0);
}

TEST_F(TraceReplayTest, SideBySideOverTheEndOfALine) {
  read(4);
  EXPECT_LT(counts({}).L1Cycles, 10 * 1.5);
  for (int64_t &Offset : Trace.Events[0].Offset)
    Offset += 4;
  EXPECT_EQ(counts({}).L1Cycles, 10 * 2);
}

TEST_F(TraceReplayTest, RowsAskedForTogether) {
  read(4, 2);
  for (int64_t &Offset : Trace.Events[1].Offset)
    Offset += 1 << 20;
  // Two sites of one iteration, then both again where they were.
  Kernel.Sites.push_back(Kernel.Sites[0]);
  Trace.IsScattered.push_back(false);
  Trace.Events[1].Site = 1;
  Trace.Events.push_back(Trace.Events[0]);
  auto rows = [&] {
    return replayTrace(Kernel, Trace, machineModelFor("sm_90"),
                       presentAddresses(Kernel))
        .Rows;
  };
  EXPECT_EQ(rows(), (std::vector<double>{0.5, 1}));
  // The second one beside the first: no row of its own.
  for (int Lane = 0; Lane != 32; ++Lane)
    Trace.Events[1].Offset[Lane] = 1024 + Lane * 4;
  EXPECT_EQ(rows(), (std::vector<double>{0.5, 0}));
}

TEST_F(TraceReplayTest, MergedAccessesMoveNothing) {
  read(4);
  SiteAddress P;
  P.IsMerged = true;
  EXPECT_EQ(counts(P).Requests, 0);
}

TEST_F(TraceReplayTest, CyclesAndRowsAreTheMachines) {
  read(LineBytes + SharedBankBytes);
  MachineModel Other = machineModelFor("sm_90");
  MemoryCounts Before =
      replayTrace(Kernel, Trace, Other, presentAddresses(Kernel));
  Other.L1LineCycles *= 2;
  Other.DramRowBytes /= 2;
  MemoryCounts After =
      replayTrace(Kernel, Trace, Other, presentAddresses(Kernel));
  EXPECT_GT(After.L1Cycles, 1.5 * Before.L1Cycles);
  EXPECT_GT(After.Rows.at(0), Before.Rows.at(0));
}
