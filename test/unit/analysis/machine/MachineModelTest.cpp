//===- MachineModelTest.cpp - Numbers of GPUs -----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/machine/MachineModel.h"
#include <gtest/gtest.h>

using namespace gridspan;
using namespace llvm;

TEST(MachineModelTest, NearestOlderArchitecture) {
  EXPECT_EQ(machineModelFor("sm_90").Arch, "sm_90");
  EXPECT_EQ(machineModelFor("sm_90a").Arch, "sm_90");
  EXPECT_EQ(machineModelFor("sm_120").Arch, "sm_90");
  EXPECT_EQ(machineModelFor("sm_86").Arch, "sm_80");
  EXPECT_EQ(machineModelFor("sm_70").Arch, "sm_80");
  EXPECT_EQ(machineModelFor("").Arch, "sm_80");
}

TEST(MachineModelTest, EveryFieldMustBeThere) {
  Expected<MachineModel> None = machineModelFromJSON("{\"fields\": {}}");
  ASSERT_FALSE(bool(None));
  EXPECT_EQ(toString(None.takeError()), "machine model: no multiprocessors");
  Expected<MachineModel> Zero = machineModelFromJSON(
      "{\"fields\": {\"multiprocessors\": {\"value\": 0}}}");
  ASSERT_FALSE(bool(Zero));
  EXPECT_EQ(toString(Zero.takeError()), "machine model: no multiprocessors");
  Expected<MachineModel> Text = machineModelFromJSON("sm_90");
  ASSERT_FALSE(bool(Text));
  consumeError(Text.takeError());
}
