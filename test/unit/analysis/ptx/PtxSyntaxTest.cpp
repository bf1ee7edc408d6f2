//===- PtxSyntaxTest.cpp - Tests of statements of PTX text ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/ptx/PtxSyntax.h"
#include <gmock/gmock.h>

using namespace gridspan;
using testing::ElementsAre;
using Kind = PtxStatement::Kind;

namespace {

std::vector<PtxStatement> statementsOf(llvm::StringRef Text) {
  std::vector<PtxStatement> Out;
  PtxReader Reader(Text);
  while (std::optional<PtxStatement> S = Reader.next())
    Out.push_back(*S);
  return Out;
}

std::vector<std::string> mnemonicsOf(llvm::StringRef Text) {
  std::vector<std::string> Out;
  for (const PtxStatement &S : statementsOf(Text))
    if (S.isInstruction())
      Out.push_back(S.Mnemonic.str());
  return Out;
}

PtxStatement onlyStatementOf(llvm::StringRef Text) {
  std::vector<PtxStatement> All = statementsOf(Text);
  EXPECT_EQ(All.size(), 1u) << Text.str();
  return All.empty() ? PtxStatement() : All.front();
}

} // namespace

TEST(PtxSyntax, SplitsMnemonicsAndOperands) {
  PtxStatement S = onlyStatementOf("setp.lt.and.s32 p|q, $1, -7, !r;");
  ASSERT_TRUE(S.isInstruction());
  EXPECT_EQ(S.Mnemonic, "setp.lt.and.s32");
  EXPECT_EQ(S.Opcode, "setp");
  EXPECT_EQ(S.type(), "s32");
  EXPECT_TRUE(S.has("and"));
  EXPECT_FALSE(S.has("or"));
  ASSERT_EQ(S.Operands.size(), 4u);
  EXPECT_EQ(S.Operands[0].Name, "p");
  ASSERT_EQ(S.Operands[0].Elements.size(), 1u);
  EXPECT_EQ(S.Operands[0].Elements[0].Name, "q");
  EXPECT_EQ(S.Operands[1].Name, "$1");
  EXPECT_EQ(S.Operands[2].K, PtxOperand::Kind::Integer);
  EXPECT_EQ(int64_t(S.Operands[2].Value), -7);
  EXPECT_TRUE(S.Operands[3].IsNegated);
}

TEST(PtxSyntax, ReadsGuardsAddressesVectorsAndNumbers) {
  PtxStatement S = onlyStatementOf("@!p ld.global.v2.f32 {a, _}, [$1 + -16];");
  ASSERT_TRUE(S.Guard);
  EXPECT_EQ(S.Guard->Name, "p");
  EXPECT_TRUE(S.Guard->IsNegated);
  EXPECT_EQ(S.Operands[0].K, PtxOperand::Kind::Vector);
  EXPECT_EQ(S.Operands[0].Elements.size(), 2u);
  EXPECT_EQ(S.Operands[1].K, PtxOperand::Kind::Address);
  EXPECT_EQ(int64_t(S.Operands[1].Value), -16);

  S = onlyStatementOf("fma.rn.f32 %f1, 0f3F800000, 0d4000000000000000, 0x1f;");
  EXPECT_EQ(S.Operands[0].K, PtxOperand::Kind::Percent);
  EXPECT_EQ(S.Operands[0].Name, "f1");
  EXPECT_EQ(S.Operands[1].K, PtxOperand::Kind::Float);
  EXPECT_EQ(S.Operands[1].Value, 0x3F800000u);
  EXPECT_EQ(S.Operands[2].K, PtxOperand::Kind::Double);
  EXPECT_EQ(S.Operands[2].Value, 0x4000000000000000u);
  EXPECT_EQ(S.Operands[3].Value, 31u);

  S = onlyStatementOf("mov.u32 %r1, %tid.x;");
  EXPECT_EQ(S.Operands[1].Name, "tid.x");
  S = onlyStatementOf("tex.2d.v4.f32.f32 {a,b,c,d}, [t, {x, y}];");
  EXPECT_TRUE(S.AreOperandsKnown);
  EXPECT_EQ(S.Operands[1].Elements.size(), 2u);
  S = onlyStatementOf("call.uni (retval0), \n vprintf, \n (\n a, \n b\n );");
  ASSERT_EQ(S.Operands.size(), 3u);
  EXPECT_EQ(S.Operands[2].K, PtxOperand::Kind::List);
}

TEST(PtxSyntax, FindsStatementsWhereverTheyStand) {
  EXPECT_THAT(mnemonicsOf("{ .reg .pred p; setp.ne.b32 p, $1, 0;\n"
                          "@p red.global.add.u32 [$0], 1; }"),
              ElementsAre("setp.ne.b32", "red.global.add.u32"));
  // The last semicolon may be missing.
  EXPECT_THAT(mnemonicsOf("{membar.gl}"), ElementsAre("membar.gl"));
  EXPECT_THAT(mnemonicsOf("{add.f16x2 $0,$1,$2;\n}"), ElementsAre("add.f16x2"));
  // Operands on further lines.
  EXPECT_THAT(mnemonicsOf("mma.sync.aligned.m16n8k16.row.col.f32\n\t{$0,$1},"
                          "\n{$2,$3},{$4},{$5};bar.sync 0;"),
              ElementsAre("mma.sync.aligned.m16n8k16.row.col.f32", "bar.sync"));
  EXPECT_THAT(mnemonicsOf("/* add; */ sub.s32 a, b, c; // mul.s32 a, b;\n"
                          "// div.s32 a, b; \n rem.s32 a, b, c"),
              ElementsAre("sub.s32", "rem.s32"));
  EXPECT_THAT(mnemonicsOf("mbarrier.try_wait.shared::cta.b64 p, [$0], $1;"),
              ElementsAre("mbarrier.try_wait.shared::cta.b64"));
}

TEST(PtxSyntax, TellsKindsOfStatementsApart) {
  std::vector<Kind> Kinds;
  for (const PtxStatement &S :
       statementsOf("{\n.reg .b32 a;\nWAIT: @p bra WAIT;\n"
                    "$L_${:uid}: .loc 1 2 3\n // alone\n + 3; }"))
    Kinds.push_back(S.K);
  EXPECT_THAT(Kinds,
              ElementsAre(Kind::ScopeBegin, Kind::Directive, Kind::Label,
                          Kind::Instruction, Kind::Label, Kind::Directive,
                          Kind::Comment, Kind::Unknown, Kind::ScopeEnd));
}

TEST(PtxSyntax, KeepsOpcodesOfOperandsThatItDoesNotKnow) {
  std::vector<PtxStatement> All = statementsOf("foo.b32 {a, <b>}; bar.sync 0;");
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(All[0].Opcode, "foo");
  EXPECT_FALSE(All[0].AreOperandsKnown);
  EXPECT_EQ(All[1].Opcode, "bar");
}

TEST(PtxSyntax, GivesCommentsToTheStatementOfTheirLine) {
  std::vector<PtxStatement> All =
      statementsOf("$L__BB0_1:        // %body\n// %bb.2:   // %exit\nret;");
  ASSERT_EQ(All.size(), 3u);
  EXPECT_EQ(All[0].Mnemonic, "$L__BB0_1");
  EXPECT_EQ(All[0].Comment, "%body");
  EXPECT_EQ(All[1].K, Kind::Comment);
  EXPECT_EQ(All[1].Comment, "%bb.2:   // %exit");
  EXPECT_EQ(All[2].Opcode, "ret");
}

TEST(PtxSyntax, EndsWithAnyText) {
  for (llvm::StringRef Text :
       {"",     ";",      "{",     "}",      "@",       "@!", "add",    "add.",
        ".reg", "add a,", "add [", "add {",  "add {a;", "a:", ":",      "::",
        "$",    "${",     "/*",    "//",     "]",       "!",  "add a|", "0",
        "}}}",  "@p",     "@p }",  "ld [a+", ".loc",    "(",  ")"})
    EXPECT_LE(statementsOf(Text).size(), 4u) << Text.str();
}

TEST(PtxSyntax, StraightLineCodeHasNoLabels) {
  EXPECT_TRUE(straightLinePtx("{ .reg .b32 a; mov.b32 a, $1; }"));
  EXPECT_FALSE(straightLinePtx("L: bra L;"));
  EXPECT_FALSE(straightLinePtx(".local .b32 a;"));
  EXPECT_FALSE(straightLinePtx("add.f32 a, b, 1.5x;"));
}

TEST(PtxSyntax, ReadsDecimalFractions) {
  for (const auto &[Text, Value] :
       {std::pair{"1.5", 1.5}, std::pair{"-0.25", -0.25}, std::pair{"2.", 2.0},
        std::pair{"1.5e-3", 1.5e-3}, std::pair{"1.0E+2", 100.0}}) {
    const std::string Code = "mov.f64 a, " + std::string(Text) + "; ret;";
    std::vector<PtxStatement> All = statementsOf(Code);
    ASSERT_EQ(All.size(), 2u) << Text;
    ASSERT_EQ(All[0].Operands.size(), 2u) << Text;
    EXPECT_EQ(All[0].Operands[1].K, PtxOperand::Kind::Double);
    EXPECT_EQ(llvm::bit_cast<double>(All[0].Operands[1].Value), Value);
  }
}

TEST(PtxSyntax, CodeHasLabelsAndTypesOfRegisters) {
  std::optional<PtxCode> Code =
      readPtxCode("{ .reg .pred %p, q; .reg .b64 r<3>; L: @%p bra L; }"
                  "{ .reg .f32 q; .reg.b16 h; }");
  ASSERT_TRUE(Code);
  EXPECT_TRUE(Code->hasLabels());
  ASSERT_EQ(Code->Statements.size(), 2u);
  EXPECT_EQ(Code->Statements[0].Mnemonic, "L");
  EXPECT_EQ(Code->Statements[1].Opcode, "bra");
  EXPECT_EQ(Code->Registers.lookup("%p"), "pred");
  EXPECT_EQ(Code->Registers.lookup("r2"), "b64");
  EXPECT_EQ(Code->Registers.lookup("h"), "b16");
  EXPECT_EQ(Code->Registers.lookup("q"), "") << "declared in two ways";
  EXPECT_EQ(Code->Registers.size(), 6u);
  EXPECT_FALSE(readPtxCode(".shared .b32 a;"));
}

TEST(PtxSyntax, ReadsNumbersOfAllBases) {
  PtxStatement S = onlyStatementOf("foo 017, 0U, 0b101U, 0x1FU, -010;");
  ASSERT_EQ(S.Operands.size(), 5u);
  const int64_t Expected[] = {15, 0, 5, 31, -8};
  for (unsigned I = 0; I != 5; ++I)
    EXPECT_EQ(int64_t(S.Operands[I].Value), Expected[I]);
  EXPECT_FALSE(onlyStatementOf("foo 08;").AreOperandsKnown);
}

TEST(PtxSyntax, KnowsNoRegistersThatHideOthers) {
  EXPECT_TRUE(straightLinePtx("{.reg .b32 x;} {.reg .b32 x;}"));
  EXPECT_TRUE(straightLinePtx("{.reg .b32 x, %x; {.reg .b32 y<2>;}}"));
  EXPECT_FALSE(straightLinePtx("{.reg .b32 x; {.reg .b32 x;}}"));
  EXPECT_FALSE(straightLinePtx(".reg .b32 x1; {.reg .b32 x<2>;}"));
  EXPECT_FALSE(straightLinePtx(".reg .b32 x, x;"));
  EXPECT_FALSE(straightLinePtx("}"));
}
