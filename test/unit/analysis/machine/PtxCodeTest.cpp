//===- PtxCodeTest.cpp - Tests of kernels in PTX --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/machine/PtxCode.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

constexpr char Text[] = R"(
.visible .entry loop(
	.param .u64 loop_param_0
)
{
	.reg .f32 	%f<4>;
// %bb.0:                               // %entry
	ld.param.u64 	%rd1, [loop_param_0];
	mov.u32 	%r1, %tid.x;
	mul.wide.u32 	%rd2, %r1, 4;
	add.s64 	%rd3, %rd1, %rd2;
	ld.global.nc.f32 	%f1, [%rd3];
	ld.shared.f32 	%f4, [%r1];
$L__BB0_1:                              // %body
	ld.global.f32 	%f2, [%rd3+128];
	fma.rn.f32 	%f3, %f1, %f2, %f4;
	st.global.f32 	[%rd3], %f3;
	add.s32 	%r1, %r1, 1;
	setp.lt.s32 	%p1, %r1, 1000;
	@%p1 bra 	$L__BB0_1;
// %bb.2:                               // %exit
	bar.sync 	0;
	ret;
}
)";

double memoryOps(const PtxBlock &Block) {
  double Sum = 0;
  for (const PtxInstruction &I : Block.Instructions)
    Sum += I.Count[unsigned(Pipe::Memory)];
  return Sum;
}

} // namespace

TEST(PtxCode, ParsesBlocksAndTheirOrder) {
  PtxKernel K = parsePtx(Text, "loop");
  ASSERT_EQ(K.Blocks.size(), 3u);
  EXPECT_EQ(K.Blocks[0].Name, "entry");
  EXPECT_EQ(K.Blocks[1].Name, "body");
  EXPECT_EQ(K.Blocks[1].Label, "$L__BB0_1");
  EXPECT_FALSE(K.Blocks[0].IsOwnSuccessor);
  EXPECT_TRUE(K.Blocks[1].IsOwnSuccessor);
  EXPECT_EQ(K.Blocks[0].Successors, (llvm::SmallVector<unsigned, 2>{1}));
  EXPECT_TRUE(K.Blocks[2].Successors.empty());
}

TEST(PtxCode, CountsByPipe) {
  PtxKernel K = parsePtx(Text, "loop");
  EXPECT_EQ(memoryOps(K.Blocks[0]), 2);
  EXPECT_EQ(memoryOps(K.Blocks[1]), 2);
  EXPECT_EQ(memoryOps(K.Blocks[2]), 0);
  double Fp32 = 0, Flops = 0;
  for (const PtxInstruction &I : K.Blocks[1].Instructions) {
    Fp32 += I.Count[unsigned(Pipe::Fp32)];
    Flops += I.Flops32;
  }
  EXPECT_EQ(Fp32, 1);
  EXPECT_EQ(Flops, 2);
}

TEST(PtxCode, KnowsWhatMayBeReordered) {
  PtxKernel K = parsePtx(Text, "loop");
  unsigned ReadOnly = 0, Shared = 0, Barriers = 0;
  for (const PtxBlock &Block : K.Blocks)
    for (const PtxInstruction &I : Block.Instructions) {
      ReadOnly += I.IsReadOnly;
      Shared += I.Space == PtxInstruction::Shared;
      Barriers += I.Kind == PtxInstruction::Barrier;
    }
  EXPECT_EQ(ReadOnly, 1u);
  EXPECT_EQ(Shared, 1u);
  EXPECT_EQ(Barriers, 1u);
}

TEST(PtxCode, ReadsInlineAssemblyAndCallsOverSeveralLines) {
  PtxKernel K = parsePtx(".entry k(\n)\n{\n// %bb.0:\n"
                         "\t// begin inline asm\n"
                         "\t{mov.b64 {%r1, %r2}, %rd1;\n}\n"
                         "\t// end inline asm\n"
                         "\t{ // callseq 0, 0\n"
                         "\tcall.uni (retval0), \n\tvprintf, \n"
                         "\t(\n\tparam0, \n\tparam1\n\t);\n"
                         "\t} // callseq 0\n"
                         "\tst.shared.u32 \t[%r1], %r2;\n\tret;\n}\n",
                         "k");
  ASSERT_EQ(K.Blocks.size(), 1u);
  std::vector<std::string> Opcodes;
  for (const PtxInstruction &I : K.Blocks[0].Instructions)
    Opcodes.push_back(I.Opcode);
  EXPECT_EQ(Opcodes, (std::vector<std::string>{"", "mov.b64", "call.uni",
                                               "st.shared.u32", "ret"}));
  EXPECT_EQ(K.Blocks[0].Instructions[1].Defs.size(), 2u);
}

TEST(PtxCode, EstimatesRegistersByLiveRanges) {
  // An address of two, three floats and a counter live in the loop, at least.
  EXPECT_GE(parsePtx(Text, "loop").Registers, 5u);
  EXPECT_LE(parsePtx(Text, "loop").Registers, 20u);
}

TEST(PtxCode, TakesAlignedFieldsOutWithOneInstruction) {
  auto CountOf = [](const std::string &Operands) {
    const std::string Text = ".entry one()\n{\n\t.reg .b32 %r<4>;\n"
                             "\tbfe.u32 \t%r2, %r1, " +
                             Operands + ";\n\tret;\n}\n";
    // Behind what every kernel begins with.
    return parsePtx(Text, "one")
        .Blocks[0]
        .Instructions[1]
        .Count[unsigned(Pipe::Int)];
  };
  EXPECT_EQ(CountOf("8, 8"), 1);
  EXPECT_EQ(CountOf("16, 16"), 1);
  EXPECT_EQ(CountOf("0, 5"), 1);
  EXPECT_EQ(CountOf("27, 5"), 1);
  EXPECT_EQ(CountOf("3, 5"), 2);
  EXPECT_EQ(CountOf("8, 12"), 2);
  EXPECT_EQ(CountOf("%r3, 8"), 2);
}

TEST(PtxCode, OtherKernelsAreEmpty) {
  EXPECT_TRUE(parsePtx(Text, "loo").Blocks.empty());
  EXPECT_TRUE(parsePtx("", "loop").Blocks.empty());
}
