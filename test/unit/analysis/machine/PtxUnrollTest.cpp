//===- PtxUnrollTest.cpp - Tests of loops that ptxas unrolls --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected are the loads in disassemblies of such loops (ptxas 13.0, sm_90).
//
//===----------------------------------------------------------------------===//

#include "analysis/machine/PtxUnroll.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

constexpr char Sum[] = "\tld.global.nc.f32 \t%f1, [%rd1];\n"
                       "\tadd.rn.f32 \t%f2, %f2, %f1;\n";

/// The iterations that are joined of a loop that steps so.
unsigned unrolled(const std::string &Body, const std::string &Step = "256") {
  const std::string Text =
      ".visible .entry k(\n)\n{\n// %bb.0:\n"
      "\tld.param.u64 \t%rd1, [k_param_0];\n"
      "\tld.param.u32 \t%r4, [k_param_1];\n"
      "\tld.param.u32 \t%r5, [k_param_2];\n"
      "$L__BB0_1:                             // %loop\n" +
      Body + "\tadd.s32 \t%r1, %r1, " + Step +
      ";\n\tadd.s64 \t%rd1, %rd1, 1024;\n"
      "\tsetp.lt.s32 \t%p1, %r1, %r4;\n\t@%p1 bra \t$L__BB0_1;\n"
      "// %bb.2:                              // %exit\n\tret;\n}\n";
  const PtxKernel K = parsePtx(Text, "k");
  EXPECT_EQ(K.Blocks.size(), 3u);
  EXPECT_EQ(K.Blocks[0].UnrolledBy, 1u);
  return K.Blocks[1].UnrolledBy;
}

std::string times(unsigned Count, const std::string &Text) {
  std::string Out;
  for (unsigned I = 0; I != Count; ++I)
    Out += Text;
  return Out;
}

} // namespace

TEST(PtxUnroll, SmallLoopsThatStepByAConstant) {
  EXPECT_EQ(unrolled(Sum), 4u);
  EXPECT_EQ(unrolled(times(8, Sum)), 4u);
  EXPECT_EQ(unrolled(std::string(Sum) + "\tst.global.f32 \t[%rd2], %f2;\n"),
            4u);
}

TEST(PtxUnroll, NotWithAStepInARegister) {
  EXPECT_EQ(unrolled(Sum, "%r5"), 1u);
}

TEST(PtxUnroll, NotLargeOnes) {
  const std::string Product = "\tfma.rn.f32 \t%f2, %f2, %f2, %f3;\n";
  const std::string Power = "\tex2.approx.f32 \t%f2, %f2;\n";
  EXPECT_EQ(unrolled(times(16, Sum)), 1u);
  EXPECT_EQ(unrolled(Sum + times(32, Product)), 4u);
  EXPECT_EQ(unrolled(Sum + times(64, Product)), 1u);
  EXPECT_EQ(unrolled(Sum + times(4, Power)), 4u);
  EXPECT_EQ(unrolled(Sum + times(16, Power)), 1u);
}

TEST(PtxUnroll, NotWithWhatKeepsIterationsApart) {
  for (const char *Line : {".pragma \"nounroll\";\n", "\tbar.sync \t0;\n",
                           "\tred.global.add.f32 \t[%rd2], %f2;\n",
                           "\tdiv.rn.f32 \t%f3, %f2, %f1;\n"})
    EXPECT_EQ(unrolled(Line + std::string(Sum)), 1u) << Line;
  EXPECT_EQ(unrolled(std::string(Sum) + "\tdiv.approx.f32 \t%f3, %f2, %f1;\n"),
            4u);
}

TEST(PtxUnroll, LocalArraysAreCounted) {
  const PtxKernel K = parsePtx(".entry k(\n)\n{\n"
                               "\t.local .align 8 .b8 \t__local_depot0[264];\n"
                               "// %bb.0:\n\tret;\n}\n",
                               "k");
  EXPECT_EQ(K.LocalBytes, 264u);
}
