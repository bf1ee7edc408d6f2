//===- WarpScheduleTest.cpp - Cycles of a warp that runs alone ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/cost/WarpSchedule.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

/// A block of loads that take 100 cycles, arithmetic and stores.
class WarpScheduleTest : public testing::Test {
protected:
  PtxInstruction &add(PtxInstruction::KindType Kind, Pipe P) {
    PtxInstruction &I = Block.Instructions.emplace_back();
    I.Kind = Kind;
    I.Count[unsigned(P)] = 1;
    return I;
  }
  PtxInstruction &load(unsigned Def) {
    PtxInstruction &I = add(PtxInstruction::Load, Pipe::Memory);
    I.Space = PtxInstruction::Global;
    I.Latency = LatencyClass::Memory;
    I.Defs = {Def};
    return I;
  }
  void use(unsigned Register) {
    add(PtxInstruction::Plain, Pipe::Fp32).Uses = {Register};
  }
  void store(unsigned Register) {
    add(PtxInstruction::Store, Pipe::Memory).Uses = {Register};
  }
  WarpSchedule run() {
    PtxKernel Kernel;
    Kernel.Blocks = {Block};
    return scheduleWarp(Kernel,
                        {std::vector<double>(Block.Instructions.size(), 100)},
                        machineModelFor("sm_90"));
  }

  PtxBlock Block;
};

} // namespace

TEST_F(WarpScheduleTest, WaitsForALoad) {
  load(0);
  use(0);
  WarpSchedule S = run();
  EXPECT_EQ(S.Cycles[0], 101);
  EXPECT_EQ(S.LoadCycles[0], 100);
  EXPECT_EQ(S.WaitCycles[0], 100);
}

TEST_F(WarpScheduleTest, IndependentLoadsWaitTogether) {
  load(0);
  load(1);
  use(0);
  use(1);
  WarpSchedule S = run();
  EXPECT_EQ(S.Cycles[0], 101);
  EXPECT_EQ(S.LoadCycles[0], 200);
  EXPECT_EQ(S.WaitCycles[0], 100);
}

TEST_F(WarpScheduleTest, DependentLoadsWaitInTurn) {
  load(0);
  load(1).Uses = {0};
  use(1);
  EXPECT_EQ(run().Cycles[0], 201);
}

TEST_F(WarpScheduleTest, LoadsStayBehindStores) {
  load(0);
  store(0);
  load(1);
  use(1);
  EXPECT_EQ(run().Cycles[0], 201);
  // But for those of memory that nothing writes.
  Block.Instructions[2].IsReadOnly = true;
  EXPECT_EQ(run().Cycles[0], 101);
}

TEST_F(WarpScheduleTest, IssuesOneAtATime) {
  for (unsigned I = 0; I != 7; ++I)
    add(PtxInstruction::Plain, Pipe::Int);
  EXPECT_EQ(run().Cycles[0], 7);
}

TEST_F(WarpScheduleTest, LaterIterationsWaitForEarlierOnes) {
  // What the last iteration has loaded is used by this one.
  use(0);
  load(0);
  EXPECT_EQ(run().Cycles[0], 2);
  Block.IsOwnSuccessor = true;
  EXPECT_GT(run().Cycles[0], 90);
}
