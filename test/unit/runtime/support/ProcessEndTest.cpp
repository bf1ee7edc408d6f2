//===- ProcessEndTest.cpp - When the process is about to end --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/support/ProcessEnd.h"
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace gridspan;

TEST(ProcessEnd, TheProgramIsToldFromLibraries) {
  static int Variable = 0;
  int Local = 0;
  EXPECT_TRUE(isOfProgram(&Variable));
  EXPECT_TRUE(isOfProgram(reinterpret_cast<const void *>(&isOfProgram)));
  EXPECT_FALSE(isOfProgram(dlsym(RTLD_DEFAULT, "getenv")));
  EXPECT_FALSE(isOfProgram(&Local));
  EXPECT_FALSE(isOfProgram(nullptr));
}

TEST(ProcessEnd, ComesBeforeWhatWasToRunAtExit) {
  EXPECT_FALSE(isProcessEnding());
  EXPECT_EXIT(
      {
        std::atexit([] { _Exit(isProcessEnding() ? 7 : 8); });
        noteProcessEnd();
        std::exit(0);
      },
      testing::ExitedWithCode(7), "");
  EXPECT_EXIT(
      {
        noteProcessEnd();
        std::atexit([] { _Exit(isProcessEnding() ? 7 : 8); });
        std::exit(0);
      },
      testing::ExitedWithCode(8), "");
}
