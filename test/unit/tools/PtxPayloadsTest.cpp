//===- PtxPayloadsTest.cpp - What device code carries ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "tools/toolkit/PtxPayloads.h"
#include "gtest/gtest.h"

using gridspan::takePayloads;

static std::string payload(const std::string &Rest) {
  return ".visible .global .align 8 .b8 __gridspan_payload_" + Rest;
}

TEST(PtxPayloads, AreTakenOutAndLinesKeepTheirNumbers) {
  std::string Ptx = ".version 7.8\n" +
                    payload("summary_1[3] = {147, 0, 255};\n") +
                    ".visible .entry k() { ret; }\n" +
                    payload("bitcode_1[1] = {65};\n") + "// end\n";
  EXPECT_EQ(takePayloads(Ptx), std::string("\x93\0\xff"
                                           "A",
                                           4));
  EXPECT_EQ(Ptx, ".version 7.8\n\n.visible .entry k() { ret; }\n\n// end\n");
}

TEST(PtxPayloads, ZerosAtTheEndAreLeftOut) {
  std::string Ptx = payload("a[4] = {1, 0};\n");
  EXPECT_EQ(takePayloads(Ptx), std::string("\1\0\0\0", 4));
  EXPECT_EQ(Ptx, "\n");
}

TEST(PtxPayloads, OtherPtxStaysAsItIs) {
  const std::string Global = ".visible .global .align 8 .b8 ";
  for (const std::string &Text :
       {std::string(), std::string("// __gridspan_payload_\n"),
        Global + "table[2] = {1, 2};\n", payload("a[2] = {};\n"),
        payload("a[1] = {1, 2};\n"), payload("a[1] = {256};\n"),
        payload("a[1] = {x};\n"), payload("a[x] = {1};\n"), payload("a[1];\n"),
        payload("a[1] = {1}"),
        payload("a[1] = {1};\n") + payload("b[2] = {1, };\n")}) {
    std::string Ptx = Text;
    EXPECT_EQ(takePayloads(Ptx), "") << Text;
    EXPECT_EQ(Ptx, Text);
  }
}
