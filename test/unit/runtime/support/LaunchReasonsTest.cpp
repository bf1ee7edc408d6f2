//===- LaunchReasonsTest.cpp ----------------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/support/LaunchReasons.h"
#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace gridspan;

TEST(LaunchReasons, HaveNamesOfTheirOwn) {
  std::set<std::string> Seen;
#define GRIDSPAN_REASON(Id, Name, Text)                                        \
  EXPECT_STREQ(nameOf(LaunchReason::Id), Name);                                \
  EXPECT_TRUE(Seen.insert(Name).second) << Name;
#include "runtime/support/LaunchReasons.def"
  EXPECT_STREQ(nameOf(LaunchReason::None), "");
}

TEST(LaunchReasons, RefusalsAreFoundByTheirText) {
  GridspanKernel K = {};
  EXPECT_EQ(refusalOf(K), LaunchReason::None);
  K.Refusal = "waits-on-other-block";
  EXPECT_EQ(refusalOf(K), LaunchReason::WaitsOnOtherBlock);
  K.Refusal = "grid-barrier";
  EXPECT_EQ(refusalOf(K), LaunchReason::KernelRefused);
}
