//===- PrecompiledHeadersTest.cpp - Which sources share headers -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/PrecompiledHeaders.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

std::optional<CommandLine> optionsOf(std::vector<llvm::StringRef> Args) {
  Setting S;
  S.Overlay = "/overlay";
  S.Architectures = {{"sm_90", true}};
  Request R = parseOptions(Args);
  EXPECT_EQ(R.Error, "");
  return headerOptions(R, S);
}

} // namespace

TEST(PrecompiledHeadersTest, OutputsMakeNoDifference) {
  const auto Plain = optionsOf({"-O3", "-DN=5", "-Iown", "a.cu"});
  ASSERT_TRUE(Plain);
  EXPECT_EQ(optionsOf({"-O3", "-DN=5", "-Iown", "-c", "b.cu", "-o", "b.o"}),
            Plain);
  EXPECT_EQ(optionsOf({"-MD", "-MF", "x.d", "-MT", "x", "-O3", "-DN=5", "-Iown",
                       "-c", "-x", "cu", "b.cpp"}),
            Plain);
}

TEST(PrecompiledHeadersTest, WhatLlvmDoesMakesNoDifference) {
  const auto Plain = optionsOf({"-O3", "-DN=5", "a.cu"});
  ASSERT_TRUE(Plain);
  EXPECT_EQ(optionsOf({"-O3", "-mllvm", "-gridspan-layout=auto", "-DN=5",
                       "-mllvm", "-inline-threshold=5", "a.cu"}),
            Plain);
  EXPECT_EQ(optionsOf({"-Rpass=gridspan", "-O3", "-DN=5", "-Xclang", "-mllvm",
                       "-Xclang", "-unroll-count=2", "a.cu"}),
            Plain);
}

TEST(PrecompiledHeadersTest, WhatHeadersDependOnMakesADifference) {
  const auto Plain = optionsOf({"-O3", "a.cu"});
  ASSERT_TRUE(Plain);
  for (llvm::StringRef Option :
       {"-O2", "-DN=5", "-UN", "-Iown", "-std=c++14", "-g", "-G", "-Werror",
        "-use_fast_math", "-fno-gridspan", "-fopenmp"}) {
    const auto Other = optionsOf({"-O3", Option, "a.cu"});
    ASSERT_TRUE(Other) << Option.str();
    EXPECT_NE(Other, Plain) << Option.str();
  }
}

TEST(PrecompiledHeadersTest, SomeSourcesGoWithout) {
  EXPECT_TRUE(optionsOf({"-dc", "a.cu"}));
  EXPECT_FALSE(optionsOf({"-fno-gridspan-pch", "a.cu"}));
  EXPECT_FALSE(optionsOf({"-c", "a.cpp"}));
  EXPECT_FALSE(optionsOf({"a.cu", "b.cpp"}));
  EXPECT_FALSE(optionsOf({"a.cu", "b.c"}));
  EXPECT_FALSE(optionsOf({"a.o"}));
  EXPECT_FALSE(optionsOf({"-E", "a.cu"}));
  EXPECT_FALSE(optionsOf({"-M", "a.cu"}));
  EXPECT_FALSE(optionsOf({"-rdc=true", "a.cu"}));
  EXPECT_FALSE(optionsOf({"-fatbin", "a.cu"}));
  EXPECT_FALSE(optionsOf({"-cuda", "a.cu"}));
  EXPECT_FALSE(optionsOf({"--keep", "a.cu"}));
  EXPECT_FALSE(optionsOf({"-include", "own.h", "a.cu"}));
  // The option behind would go to the device alone.
  EXPECT_FALSE(optionsOf({"-Xarch_device", "-v", "-O3", "a.cu"}));
}
