//===- PtxJoinTest.cpp - Tests of instructions that ptxas joins -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected counts are those of disassemblies (ptxas 13.0, sm_90).
//
//===----------------------------------------------------------------------===//

#include "analysis/machine/PtxCode.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace gridspan;

namespace {

/// Machine instructions of a loop with this body.
double countOf(const std::string &Body) {
  std::string Text = ".visible .entry k(\n)\n{\n// %bb.0:\n"
                     "\tmov.u32 \t%r1, %tid.x;\n"
                     "\tld.param.u64 \t%rd1, [k_param_0];\n"
                     "\tld.param.u64 \t%rd90, [k_param_1];\n"
                     "$L__BB0_1:                             // %loop\n" +
                     Body + "$L__BB0_2:                 // %exit\n\tret;\n}\n";
  PtxKernel K = parsePtx(Text, "k");
  double Sum = 0;
  for (const PtxInstruction &I : K.Blocks[1].Instructions)
    Sum = std::accumulate(I.Count.begin(), I.Count.end(), Sum);
  return Sum;
}

} // namespace

TEST(PtxJoin, UpperHalvesOfUnsignedIndicesAreZero) {
  // I / 8 * 40 + I % 8 with an unsigned I: SHF, IMAD.WIDE.U32, LOP3, and a sum
  // for the upper half; LEA and LEA.HI.X.
  EXPECT_EQ(countOf("\tcvt.u64.u32 \t%rd3, %r1;\n"
                    "\tshr.u64 \t%rd4, %rd3, 3;\n"
                    "\tmul.lo.s64 \t%rd5, %rd4, 40;\n"
                    "\tand.b64  \t%rd6, %rd3, 7;\n"
                    "\tor.b64  \t%rd7, %rd5, %rd6;\n"
                    "\tshl.b64 \t%rd8, %rd7, 2;\n"
                    "\tadd.s64 \t%rd9, %rd1, %rd8;\n"),
            6);
  // With a signed one both halves are computed.
  EXPECT_GT(countOf("\tcvt.s64.s32 \t%rd3, %r1;\n"
                    "\tshr.u64 \t%rd4, %rd3, 3;\n"
                    "\tmul.lo.s64 \t%rd5, %rd4, 40;\n"
                    "\tand.b64  \t%rd6, %rd3, 7;\n"
                    "\tor.b64  \t%rd7, %rd5, %rd6;\n"
                    "\tshl.b64 \t%rd8, %rd7, 2;\n"
                    "\tadd.s64 \t%rd9, %rd1, %rd8;\n"),
            8);
}

TEST(PtxJoin, ProductsJoinSums) {
  EXPECT_EQ(countOf("\tmul.wide.s32 \t%rd2, %r1, 4;\n"
                    "\tadd.s64 \t%rd3, %rd1, %rd2;\n"
                    "\tadd.s64 \t%rd4, %rd90, %rd2;\n"),
            2);
  EXPECT_EQ(countOf("\tshl.b32 \t%r2, %r1, 2;\n"
                    "\tadd.s32 \t%r3, %r2, %r1;\n"),
            1);
  // What something else reads, too, is computed.
  EXPECT_EQ(countOf("\tmul.wide.s32 \t%rd2, %r1, 4;\n"
                    "\tadd.s64 \t%rd3, %rd1, %rd2;\n"
                    "\tst.global.u64 \t[%rd3], %rd2;\n"),
            3);
}

TEST(PtxJoin, SumsAndLogicOfThree) {
  EXPECT_EQ(countOf("\tadd.s32 \t%r2, %r1, %r9;\n"
                    "\tadd.s32 \t%r3, %r2, %r8;\n"),
            1);
  // A fourth term is another instruction.
  EXPECT_EQ(countOf("\tadd.s32 \t%r2, %r1, %r9;\n"
                    "\tadd.s32 \t%r3, %r2, %r8;\n"
                    "\tadd.s32 \t%r4, %r3, %r7;\n"),
            2);
  EXPECT_EQ(countOf("\tand.b32  \t%r2, %r1, %r9;\n"
                    "\txor.b32  \t%r3, %r2, %r8;\n"),
            1);
  EXPECT_EQ(countOf("\tand.b32  \t%r2, %r1, 5;\n"
                    "\txor.b32  \t%r3, %r2, 6;\n"),
            2);
  EXPECT_EQ(countOf("\tsetp.lt.s32 \t%p1, %r1, %r9;\n"
                    "\tsetp.gt.s32 \t%p2, %r1, %r8;\n"
                    "\tand.pred  \t%p3, %p1, %p2;\n"),
            2);
}

TEST(PtxJoin, MovesAddressesOutOfUniformRegisters) {
  constexpr char Sum[] = "\tadd.s64 \t%rd3, %rd1, %rd90;\n"
                         "\tld.global.f32 \t%f1, [%rd3];\n"
                         "\t@%p1 bra \t$L__BB0_1;\n";
  constexpr char OfThread[] = "\tadd.s64 \t%rd3, %rd1, %rd2;\n"
                              "\tld.global.f32 \t%f1, [%rd3];\n"
                              "\t@%p1 bra \t$L__BB0_1;\n";
  EXPECT_EQ(countOf(Sum), 6);
  EXPECT_EQ(countOf(std::string("\tmul.wide.u32 \t%rd2, %r1, 4;\n") + OfThread),
            3);
}

TEST(PtxJoin, ConstantsOfTwoRegistersOnceInABlock) {
  EXPECT_EQ(countOf("\tfma.rn.f64 \t%fd1, %fd2, %fd3, 0d3FB999999999999A;\n"
                    "\tfma.rn.f64 \t%fd4, %fd2, %fd3, 0d3FB999999999999A;\n"),
            4);
}
