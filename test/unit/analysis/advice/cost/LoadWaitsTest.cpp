//===- LoadWaitsTest.cpp - How long a warp waits for loads ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/cost/LoadWaits.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

class LoadWaitsTest : public testing::Test {
protected:
  PtxInstruction &add(PtxInstruction::KindType Kind,
                      llvm::ArrayRef<unsigned> Uses) {
    PtxInstruction &I = Block.Instructions.emplace_back();
    I.Kind = Kind;
    I.Uses.assign(Uses.begin(), Uses.end());
    return I;
  }
  PtxInstruction &load(unsigned Def, llvm::ArrayRef<unsigned> Address = {}) {
    PtxInstruction &I = add(PtxInstruction::Load, Address);
    I.Space = PtxInstruction::Global;
    I.Latency = LatencyClass::Memory;
    I.Defs = {Def};
    return I;
  }
  void store(unsigned Value) {
    add(PtxInstruction::Store, {Value}).Space = PtxInstruction::Global;
  }

  PtxBlock Block;
};

} // namespace

TEST_F(LoadWaitsTest, IndependentLoadsAreOneTurn) {
  load(0);
  load(1);
  EXPECT_EQ(turnsOf(Block), (std::vector<unsigned>{0, 0}));
}

TEST_F(LoadWaitsTest, AddressesThatAreLoadedComeFirst) {
  load(0);
  add(PtxInstruction::Plain, {0}).Defs = {1};
  load(2, {1});
  load(3);
  EXPECT_EQ(turnsOf(Block), (std::vector<unsigned>{0, 1, 1, 0}));
}

TEST_F(LoadWaitsTest, LoadsDoNotPassStoresOfWhatWasLoaded) {
  load(0);
  store(0);
  load(1);
  store(1);
  load(2).IsReadOnly = true;
  load(3);
  EXPECT_EQ(turnsOf(Block), (std::vector<unsigned>{0, 1, 1, 2, 0, 2}));
}

TEST_F(LoadWaitsTest, StoresOfOtherValuesHoldNobodyUp) {
  load(0);
  store(7);
  load(1);
  EXPECT_EQ(turnsOf(Block), (std::vector<unsigned>{0, 0, 0}));
}
