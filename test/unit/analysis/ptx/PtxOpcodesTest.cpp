//===- PtxOpcodesTest.cpp - Tests of the table of PTX opcodes -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/ptx/PtxOpcodes.h"
#include <gtest/gtest.h>
#include <numeric>
#include <set>

using namespace gridspan;

static double totalOf(llvm::StringRef Mnemonic) {
  PipeCounts Counts = ptxCostOf(Mnemonic).Count;
  return std::accumulate(Counts.begin(), Counts.end(), 0.0);
}

TEST(PtxOpcodes, EffectsAreOfWholeOpcodes) {
  EXPECT_EQ(ptxEffectOf("red"), PtxEffect::Reduction);
  EXPECT_EQ(ptxEffectOf("redux"), PtxEffect::Register);
  EXPECT_EQ(ptxEffectOf("ld"), PtxEffect::Load);
  EXPECT_EQ(ptxEffectOf("ldmatrix"), PtxEffect::Register);
  EXPECT_EQ(ptxEffectOf("ldnothing"), PtxEffect::Unknown);
  EXPECT_EQ(ptxEffectOf("add.s32"), PtxEffect::Unknown);
}

TEST(PtxOpcodes, CostsAreThoseOfTheLongestPrefix) {
  EXPECT_EQ(totalOf("add.s32"), 1);
  EXPECT_EQ(totalOf("add.s64"), 2);
  EXPECT_EQ(ptxCostOf("add.sat.s32").Latency, LatencyClass::Int);
  EXPECT_EQ(ptxCostOf("add.rn.f32").Latency, LatencyClass::Fp32);
  EXPECT_EQ(ptxCostOf("div.rn.f64").Count[unsigned(Pipe::Fp64)], 10);
  EXPECT_EQ(totalOf("cvt.u64.u32"), 0);
  // Signed bytes are taken apart; unsigned halves that wrap are not.
  EXPECT_EQ(totalOf("vabsdiff4.s32.s32.s32.sat"), 53);
  EXPECT_EQ(totalOf("vabsdiff4.u32.u32.u32.add"), 1);
  EXPECT_EQ(totalOf("vadd2.u32.u32.u32"), 4);
  EXPECT_EQ(totalOf("vset4.s32.s32.ge"), 41);
  // One integer instruction where nothing is known.
  EXPECT_EQ(totalOf("frobnicate.u32"), 1);
  EXPECT_EQ(ptxCostOf("frobnicate.u32").Count[unsigned(Pipe::Int)], 1);
}

TEST(PtxOpcodes, RoundingsAndFlushingCostNothing) {
  for (auto [Mnemonic, Plain] : {std::pair("add.rn.ftz.f32", "add.rn.f32"),
                                 std::pair("add.ftz.f32", "add.f32"),
                                 std::pair("fma.rn.ftz.sat.f32", "fma.rn.f32"),
                                 std::pair("add.rp.f64", "add.rn.f64"),
                                 std::pair("mul.rm.f64", "mul.rn.f64"),
                                 std::pair("div.rn.ftz.f32", "div.rn.f32"),
                                 std::pair("div.rz.f64", "div.rn.f64"),
                                 std::pair("sqrt.rn.ftz.f32", "sqrt.rn.f32")}) {
    EXPECT_EQ(ptxCostOf(Mnemonic).Count, ptxCostOf(Plain).Count) << Mnemonic;
    EXPECT_EQ(ptxCostOf(Mnemonic).Latency, ptxCostOf(Plain).Latency)
        << Mnemonic;
  }
  // Without subnormal numbers this is one instruction.
  EXPECT_EQ(totalOf("rsqrt.approx.ftz.f32"), 1);
  EXPECT_EQ(totalOf("rsqrt.approx.f32"), 4);
}

TEST(PtxOpcodes, AccessesAreRequestsToMemory) {
  auto RequestsOf = [](llvm::StringRef Mnemonic) {
    return ptxCostOf(Mnemonic).Count[unsigned(Pipe::Memory)];
  };
  for (const char *Access : {"ld.global.f32", "ld.shared.u32", "st.local.u32",
                             "atom.global.add.u32", "red.shared.add.u32"})
    EXPECT_EQ(RequestsOf(Access), 1) << Access;
  for (const char *Other : {"ld.param.u64", "ld.const.u64", "st.param.u64",
                            "redux.sync.add.u32", "stmatrix", "mov.u32"})
    EXPECT_EQ(RequestsOf(Other), 0) << Other;
  EXPECT_EQ(ptxCostOf("shfl.sync.b32").Count[unsigned(Pipe::Shuffle)], 1);
}

TEST(PtxOpcodes, FormsStandBelowTheirOpcode) {
  std::set<std::string> Names;
  std::string Opcode;
#define GRIDSPAN_PTX(Name, Effect, Fp32, Fp64, Int, Imad, Sfu, Control,        \
                     Latency, Steps, Rule)                                     \
  Opcode = Name;                                                               \
  EXPECT_TRUE(Names.insert(Opcode).second) << Opcode;                          \
  EXPECT_EQ(Opcode.find('.'), std::string::npos) << Opcode;
#define GRIDSPAN_PTX_FORM(Prefix, Fp32, Fp64, Int, Imad, Sfu, Control,         \
                          Latency, Steps)                                      \
  EXPECT_TRUE(Names.insert(Prefix).second) << Prefix;                          \
  EXPECT_EQ(std::string(Prefix).find(Opcode + "."), 0u) << Prefix;
#include "analysis/ptx/PtxOpcodes.def"
}
