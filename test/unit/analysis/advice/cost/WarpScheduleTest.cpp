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

TEST_F(WarpScheduleTest, JoinedIterationsWaitTogether) {
  load(0);
  use(0);
  Block.UnrolledBy = 4;
  WarpSchedule S = run();
  // The last of four sums starts when all loads are there.
  EXPECT_EQ(S.Cycles[0], 101.0 / 4);
  EXPECT_EQ(S.LeftOver[0], 101);
  EXPECT_EQ(S.LoadCycles[0], 100);
  EXPECT_EQ(S.WaitCycles[0], 25);
}

TEST_F(WarpScheduleTest, IterationsLeftOverAreAlone) {
  PtxKernel Kernel;
  Kernel.Blocks.resize(3);
  Kernel.Blocks[0].Successors = {1};
  Kernel.Blocks[1].Successors = {1, 2};
  Kernel.Blocks[1].IsOwnSuccessor = true;
  Kernel.Blocks[1].UnrolledBy = 4;
  WarpSchedule S;
  S.Cycles = {10, 30, 7};
  S.LeftOver = {10, 100, 7};
  const std::vector<unsigned> BlockOf = {0, 1, 2};
  auto Of = [&](double Entries, double Iterations) {
    return cyclesOf(Kernel, BlockOf, S,
                    std::vector<double>{Entries, Iterations, Entries});
  };
  EXPECT_EQ(Of(1, 8), 10 + 8 * 30 + 7);
  EXPECT_EQ(Of(1, 10), 10 + 8 * 30 + 2 * 100 + 7);
  EXPECT_EQ(Of(1, 1), 10 + 100 + 7);
  // Five times three iterations.
  EXPECT_EQ(Of(5, 15), 5 * 10 + 15 * 100 + 5 * 7);
}

TEST_F(WarpScheduleTest, AWarpStaysInAnExchangeLoop) {
  PtxInstruction &I = add(PtxInstruction::Atomic, Pipe::Memory);
  I.Space = PtxInstruction::Shared;
  I.Latency = LatencyClass::Memory;
  I.Opcode = "atom.shared.add.u32";
  EXPECT_EQ(run().Cycles[0], 1);
  I.Opcode = "atom.shared.add.f32";
  EXPECT_EQ(run().Cycles[0], 100);
}
