//===- MachineModelTest.cpp - Which record an architecture gets -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gridspan/Analysis/MachineModel.h"
#include <gtest/gtest.h>

using namespace gridspan;

TEST(MachineModelTest, NearestOlderArchitecture) {
  EXPECT_EQ(machineModelFor("sm_90").Arch, "sm_90");
  EXPECT_EQ(machineModelFor("sm_90a").Arch, "sm_90");
  EXPECT_EQ(machineModelFor("sm_120").Arch, "sm_90");
  EXPECT_EQ(machineModelFor("sm_86").Arch, "sm_80");
  EXPECT_EQ(machineModelFor("sm_70").Arch, "sm_80");
  EXPECT_EQ(machineModelFor("").Arch, "sm_80");
}
