//===- CpuAsmRulesTest.cpp - Tests of the three uses of PTX opcodes -------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legality, the CPU device and the cost model read the same line of
// PtxOpcodes.def for an opcode.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/asm/CpuAsmRules.h"
#include "analysis/machine/PtxCode.h"
#include "analysis/nvptx/InlineAssembly.h"
#include "analysis/ptx/PtxOpcodes.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

struct Row {
  const char *Opcode;
  PtxEffect Effect;
  PipeCounts Count;
  AsmRule Rule;
};

std::vector<Row> rows() {
  using namespace asmrules;
  return {
#define GRIDSPAN_PTX(Opcode, Effect, Fp32, Fp64, Int, Imad, Sfu, Control,      \
                     Latency, Steps, Rule)                                     \
  {Opcode,                                                                     \
   PtxEffect::Effect,                                                          \
   {Fp32, Fp64, Int, Imad, Sfu, Control, 0, 0},                                \
   Rule},
#include "analysis/ptx/PtxOpcodes.def"
  };
}

bool isRequest(PtxEffect Effect) {
  return Effect == PtxEffect::Load || Effect == PtxEffect::Store ||
         Effect == PtxEffect::Atomic || Effect == PtxEffect::Reduction;
}

/// The instruction that the cost model counts for an opcode in a kernel.
PtxInstruction countedAs(const std::string &Opcode) {
  PtxKernel K =
      parsePtx(".entry k(\n)\n{\n\t" + Opcode + " \t%r1;\n\tret;\n}\n", "k");
  EXPECT_EQ(K.Blocks.front().Instructions.size(), 3u) << Opcode;
  return K.Blocks.front().Instructions.at(1);
}

} // namespace

TEST(PtxOpcodeUses, LegalityKnowsTheEffect) {
  for (const Row &R : rows()) {
    SCOPED_TRACE(R.Opcode);
    AssemblyEffects Effects =
        assemblyEffects(std::string(R.Opcode) + " a, b, c;");
    bool IsUnknown = R.Effect == PtxEffect::Unknown ||
                     R.Effect == PtxEffect::Leave ||
                     // Known with the modifier "async".
                     R.Effect == PtxEffect::AsyncCopy;
    EXPECT_EQ(Effects.Known, !IsUnknown);
    EXPECT_EQ(Effects.Loads, R.Effect == PtxEffect::Load);
    EXPECT_EQ(Effects.Stores, R.Effect == PtxEffect::Store);
    EXPECT_EQ(Effects.Atomics, R.Effect == PtxEffect::Atomic ||
                                   R.Effect == PtxEffect::Reduction);
    EXPECT_EQ(Effects.Fences, R.Effect == PtxEffect::Fence);
    EXPECT_EQ(Effects.TextureOrSurface, R.Effect == PtxEffect::Texture);
    EXPECT_EQ(Effects.BlockCluster, R.Effect == PtxEffect::Cluster);
  }
}

TEST(PtxOpcodeUses, TheCpuDeviceHasTheRule) {
  for (const Row &R : rows()) {
    SCOPED_TRACE(R.Opcode);
    const AsmRule *Rule = findAsmRule(R.Opcode);
    bool HasRule = R.Rule.Statement || R.Rule.Float || R.Rule.Integer;
    ASSERT_EQ(Rule != nullptr, HasRule);
    if (!Rule)
      continue;
    EXPECT_EQ(Rule->Statement, R.Rule.Statement);
    EXPECT_EQ(Rule->Float, R.Rule.Float);
    EXPECT_EQ(Rule->Integer, R.Rule.Integer);
    // Numbers are computed from one operand or more.
    EXPECT_EQ(Rule->MinOperands == 0, Rule->Statement != nullptr);
  }
}

TEST(PtxOpcodeUses, TheCostModelCountsIt) {
  for (const Row &R : rows()) {
    SCOPED_TRACE(R.Opcode);
    PipeCounts Count = R.Count;
    Count[unsigned(Pipe::Memory)] = isRequest(R.Effect);
    Count[unsigned(Pipe::Shuffle)] =
        ptxCostOf(R.Opcode).Latency == LatencyClass::Shuffle;
    EXPECT_EQ(ptxCostOf(R.Opcode).Count, Count);
    PtxInstruction I = countedAs(R.Opcode);
    EXPECT_EQ(I.Count, Count);
    bool IsAccess = I.Kind == PtxInstruction::Load ||
                    I.Kind == PtxInstruction::Store ||
                    I.Kind == PtxInstruction::Atomic;
    EXPECT_EQ(IsAccess, isRequest(R.Effect));
    EXPECT_EQ(I.Kind == PtxInstruction::Barrier,
              R.Effect == PtxEffect::Barrier || R.Effect == PtxEffect::Fence);
  }
}

TEST(PtxOpcodeUses, AnOpcodeOutsideOfTheTableIsUnknownToAll) {
  EXPECT_FALSE(assemblyEffects("frobnicate.u32 a, b;").Known);
  EXPECT_EQ(findAsmRule("frobnicate"), nullptr);
  EXPECT_EQ(countedAs("frobnicate.u32").Count[unsigned(Pipe::Int)], 1);
}
