//===- AccessRangeTest.cpp - From IR to the bytes of a launch -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The access analysis and the evaluation together: what a box of blocks of a
// kernel touches. The expressions in between: test/analysis/access.
//
//===----------------------------------------------------------------------===//

#include "analysis/nvptx/AnalysisManagers.h"
#include "analysis/summary/Access.h"
#include "analysis/summary/Evaluate.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace gridspan;

namespace {

/// Body of a kernel with parameters ptr %p, i32 %n, in which %i is the global
/// index, %t the thread's, and %b the block's.
KernelSummary summarize(const std::string &Body) {
  std::string Text = R"(
    target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
    target triple = "nvptx64-nvidia-cuda"
    declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
    declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
    declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    define void @k(ptr %p, i32 %n) {
    entry:
      %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
      %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
      %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
      %m = mul i32 %b, %d
      %i = add i32 %m, %t
)" + Body + "\n}\n";
  LLVMContext Context;
  SMDiagnostic Error;
  std::unique_ptr<Module> M = parseAssemblyString(Text, Error, Context);
  EXPECT_TRUE(M) << Error.getMessage().str();
  PassBuilder PB;
  AnalysisManagers Managers(PB);
  Function &F = *M->getFunction("k");
  return summarizeKernel(F, KernelAnalyses::get(F, Managers.Function));
}

/// The range of one access for blocks [First, First + Count) of 10 blocks of 32
/// threads, when n is N.
GridspanRange rangeOf(const KernelSummary &Kernel, size_t Access, int N,
                      uint32_t First, uint32_t Count,
                      const GridspanIndices *Indices = nullptr) {
  void *P = nullptr;
  void *Args[] = {&P, &N};
  GridspanBox Box = {
      Args, {10, 1, 1}, {32, 1, 1}, {First, 0, 0}, {Count, 1, 1}};
  Box.Indices = Indices;
  return evaluateRange(Kernel, Kernel.Accesses.at(Access), Box);
}

void expectBytes(const GridspanRange &R, uint32_t State, int64_t Lo,
                 int64_t Bytes) {
  EXPECT_EQ(R.State, State);
  EXPECT_EQ(R.RowsPerPlane, 1);
  EXPECT_EQ(R.Planes, 1);
  EXPECT_EQ(R.Lo, Lo);
  EXPECT_EQ(R.RowBytes, Bytes);
}

} // namespace

TEST(AccessRange, GuardCutsTheLastBlock) {
  KernelSummary K = summarize(R"(
      %c = icmp slt i32 %i, %n
      br i1 %c, label %in, label %out
    in:
      %x = sext i32 %i to i64
      %a = getelementptr float, ptr %p, i64 %x
      store float 0.0, ptr %a
      br label %out
    out:
      ret void)");
  ASSERT_EQ(K.Accesses.size(), 1u);
  expectBytes(rangeOf(K, 0, 100, 0, 2), GridspanRangeExact, 0, 256);
  expectBytes(rangeOf(K, 0, 100, 3, 1), GridspanRangeExact, 384, 16);
  EXPECT_EQ(rangeOf(K, 0, 100, 4, 6).State, GridspanRangeEmpty);
}

TEST(AccessRange, OneThreadOfABlockWrites) {
  KernelSummary K = summarize(R"(
      %c = icmp eq i32 %t, 0
      br i1 %c, label %in, label %out
    in:
      %x = sext i32 %b to i64
      %a = getelementptr float, ptr %p, i64 %x
      store float 0.0, ptr %a
      br label %out
    out:
      ret void)");
  ASSERT_EQ(K.Accesses.size(), 1u);
  expectBytes(rangeOf(K, 0, 0, 2, 5), GridspanRangeExact, 8, 20);
}

TEST(AccessRange, UniformConditionEmptiesTheRange) {
  KernelSummary K = summarize(R"(
      %c = icmp sgt i32 %n, 3
      br i1 %c, label %in, label %out
    in:
      %x = sext i32 %i to i64
      %a = getelementptr i8, ptr %p, i64 %x
      store i8 0, ptr %a
      br label %out
    out:
      ret void)");
  ASSERT_EQ(K.Accesses.size(), 1u);
  expectBytes(rangeOf(K, 0, 4, 1, 1), GridspanRangeExact, 32, 32);
  EXPECT_EQ(rangeOf(K, 0, 3, 1, 1).State, GridspanRangeEmpty);
}

TEST(AccessRange, LoopFromTheThreadStaysBelowItsLimit) {
  KernelSummary K = summarize(R"(
      %g = icmp slt i32 %i, %n
      br i1 %g, label %head, label %out
    head:
      br label %loop
    loop:
      %j = phi i32 [ %i, %head ], [ %next, %loop ]
      %x = sext i32 %j to i64
      %a = getelementptr float, ptr %p, i64 %x
      %v = load float, ptr %a
      %next = add nsw i32 %j, 1
      %more = icmp slt i32 %next, %n
      br i1 %more, label %loop, label %out
    out:
      ret void)");
  ASSERT_EQ(K.Accesses.size(), 1u);
  expectBytes(rangeOf(K, 0, 300, 2, 1), GridspanRangeExact, 256, 944);
}

/// The threads of a block share out the iterations: all are done, but with
/// fewer iterations than threads some threads do none.
TEST(AccessRange, SharedOutIterationsAreExact) {
  const char *Body = R"(
      %g = icmp slt i32 %t, %n
      br i1 %g, label %head, label %out
    head:
      br label %loop
    loop:
      %j = phi i32 [ %t, %head ], [ %next, %latch ]
      %x = sext i32 %j to i64
      %a = getelementptr float, ptr %p, i64 %x
      store float 0.0, ptr %a
      LEAVE
    latch:
      %next = add nsw i32 %j, 32
      %more = icmp slt i32 %next, %n
      br i1 %more, label %loop, label %out
    out:
      ret void)";
  auto WithLeave = [&](std::string Leave) {
    std::string Text = Body;
    return summarize(Text.replace(Text.find("LEAVE"), 5, Leave));
  };
  KernelSummary K = WithLeave("br label %latch");
  ASSERT_EQ(K.Accesses.size(), 1u);
  expectBytes(rangeOf(K, 0, 100, 0, 1), GridspanRangeExact, 0, 400);
  expectBytes(rangeOf(K, 0, 20, 0, 1), GridspanRangeExact, 0, 80);
  EXPECT_EQ(rangeOf(K, 0, 0, 0, 1).State, GridspanRangeEmpty);
  // A loop that is left in the middle does not go on to its limit.
  K = WithLeave("%c = icmp sgt i32 %j, 40\n"
                "      br i1 %c, label %out, label %latch");
  ASSERT_EQ(K.Accesses.size(), 1u);
  EXPECT_EQ(rangeOf(K, 0, 100, 0, 1).State, GridspanRangeMay);
}

/// A window around the thread, cut at the ends of the data.
TEST(AccessRange, LoopOverAWindow) {
  KernelSummary K = summarize(R"(
      %before = add nsw i32 %i, -2
      %first = call i32 @llvm.smax.i32(i32 %before, i32 0)
      %behind = add nsw i32 %i, 2
      %end = add nsw i32 %n, -1
      %last = call i32 @llvm.smin.i32(i32 %behind, i32 %end)
      %g = icmp sgt i32 %first, %last
      br i1 %g, label %out, label %head
    head:
      br label %loop
    loop:
      %j = phi i32 [ %first, %head ], [ %next, %loop ]
      %x = sext i32 %j to i64
      %a = getelementptr float, ptr %p, i64 %x
      %v = load float, ptr %a
      %next = add nsw i32 %j, 1
      %more = icmp slt i32 %j, %last
      br i1 %more, label %loop, label %out
    out:
      ret void)");
  ASSERT_EQ(K.Accesses.size(), 1u);
  expectBytes(rangeOf(K, 0, 300, 0, 1), GridspanRangeMay, 0, 34 * 4);
  expectBytes(rangeOf(K, 0, 300, 2, 1), GridspanRangeMay, 62 * 4, 36 * 4);
  expectBytes(rangeOf(K, 0, 300, 9, 1), GridspanRangeMay, 286 * 4, 14 * 4);
}

/// Periodic boundaries: far ends are ranges of their own.
TEST(AccessRange, SidesOfAChoiceAreApart) {
  KernelSummary K = summarize(R"(
      %c = icmp eq i32 %i, 0
      %last = add i32 %n, -1
      %before = add i32 %i, -1
      %j = select i1 %c, i32 %last, i32 %before
      %x = sext i32 %j to i64
      %a = getelementptr float, ptr %p, i64 %x
      %v = load float, ptr %a
      ret void)");
  ASSERT_EQ(K.Accesses.size(), 2u);
  expectBytes(rangeOf(K, 0, 320, 0, 1), GridspanRangeMay, 1276, 4);
  expectBytes(rangeOf(K, 1, 320, 0, 1), GridspanRangeMay, 0, 124);
  EXPECT_EQ(rangeOf(K, 0, 320, 5, 1).State, GridspanRangeEmpty);
  expectBytes(rangeOf(K, 1, 320, 5, 1), GridspanRangeExact, 636, 128);
}

/// The same boundary by a remainder.
TEST(AccessRange, SidesOfAWrapAreApart) {
  KernelSummary K = summarize(R"(
      %last = add i32 %n, -1
      %s = add i32 %i, %last
      %j = urem i32 %s, %n
      %x = zext i32 %j to i64
      %a = getelementptr float, ptr %p, i64 %x
      %v = load float, ptr %a
      ret void)");
  ASSERT_EQ(K.Accesses.size(), 2u);
  expectBytes(rangeOf(K, 0, 320, 0, 1), GridspanRangeExact, 1276, 4);
  expectBytes(rangeOf(K, 1, 320, 0, 1), GridspanRangeExact, 0, 124);
  EXPECT_EQ(rangeOf(K, 0, 320, 5, 1).State, GridspanRangeEmpty);
  expectBytes(rangeOf(K, 1, 320, 5, 1), GridspanRangeExact, 636, 128);
}

/// A guard in one side of a choice only must not make the other side exact.
TEST(AccessRange, GuardOfOneSideIsNotExact) {
  KernelSummary K = summarize(R"(
      %g = icmp slt i32 %i, %n
      br i1 %g, label %in, label %out
    in:
      %c = icmp sgt i32 %t, 100
      %j = select i1 %c, i32 %i, i32 14
      %x = sext i32 %j to i64
      %a = getelementptr i8, ptr %p, i64 %x
      store i8 0, ptr %a
      br label %out
    out:
      ret void)");
  for (size_t A = 0; A != K.Accesses.size(); ++A)
    EXPECT_NE(rangeOf(K, A, 0, 0, 1).State, GridspanRangeExact);
}

TEST(AccessRange, CountThatWouldWrapHasNoBound) {
  KernelSummary K = summarize(R"(
      %g = icmp slt i32 %t, %n
      br i1 %g, label %head, label %out
    head:
      br label %loop
    loop:
      %j = phi i32 [ %t, %head ], [ %next, %loop ]
      %x = sext i32 %j to i64
      %a = getelementptr i8, ptr %p, i64 %x
      %v = load i8, ptr %a
      %next = add i32 %j, %d
      %more = icmp slt i32 %next, %n
      br i1 %more, label %loop, label %out
    out:
      ret void)");
  ASSERT_EQ(K.Accesses.size(), 1u);
  GridspanRange R = rangeOf(K, 0, 500, 0, 1);
  EXPECT_EQ(R.Lo, 0);
  EXPECT_EQ(R.Lo + R.RowBytes, 500);
  // 2^31 - 1 - 5 + 32 does not fit: the counter may start again from below.
  GridspanRange Wrapping = rangeOf(K, 0, INT32_MAX - 5, 0, 1);
  EXPECT_TRUE(Wrapping.State == GridspanRangeUnknown || Wrapping.Lo < 0);
}

namespace {
/// An array whose element i is 8 * i.
struct Eights : GridspanIndices {
  Eights() : GridspanIndices{answer} {}
  static uint32_t answer(const GridspanIndices *, const void *, int64_t Lo,
                         int64_t Last, uint32_t Bytes, int64_t *Min,
                         int64_t *Max) {
    EXPECT_EQ(Bytes, 4u);
    Min[0] = Min[1] = 8 * (Lo / 4);
    Max[0] = Max[1] = 8 * (Last / 4);
    return 1;
  }
};
} // namespace

TEST(AccessRange, LoadedIndicesOfALaunchThatKnowsThem) {
  KernelSummary K = summarize(R"(
      %c = icmp slt i32 %i, %n
      br i1 %c, label %in, label %out
    in:
      %x = sext i32 %i to i64
      %a = getelementptr i32, ptr %p, i64 %x
      %j = load i32, ptr %a
      %y = sext i32 %j to i64
      %q = getelementptr float, ptr %p, i64 %y
      %v = load float, ptr %q
      br label %out
    out:
      ret void)");
  ASSERT_EQ(K.Accesses.size(), 2u);
  EXPECT_TRUE(K.Flags & GridspanInspectable);
  EXPECT_EQ(rangeOf(K, 1, 100, 1, 2).State, GridspanRangeUnknown);
  Eights Known;
  // Threads 32 to 95, and up to 99.
  expectBytes(rangeOf(K, 1, 100, 1, 2, &Known), GridspanRangeMay, 4 * 8 * 32,
              4 * 8 * 63 + 4);
  expectBytes(rangeOf(K, 1, 100, 3, 1, &Known), GridspanRangeMay, 4 * 8 * 96,
              4 * 8 * 3 + 4);
  EXPECT_EQ(rangeOf(K, 1, 100, 4, 1, &Known).State, GridspanRangeEmpty);
}

TEST(AccessRange, LoopsBetweenLoadedBounds) {
  KernelSummary K = summarize(R"(
      %x = sext i32 %i to i64
      %a = getelementptr i32, ptr %p, i64 %x
      %first = load i32, ptr %a
      %a1 = getelementptr i32, ptr %a, i64 1
      %last = load i32, ptr %a1
      %c = icmp slt i32 %first, %last
      br i1 %c, label %head, label %out
    head:
      br label %loop
    loop:
      %j = phi i32 [ %first, %head ], [ %next, %loop ]
      %y = sext i32 %j to i64
      %q = getelementptr float, ptr %p, i64 %y
      %v = load float, ptr %q
      %next = add nsw i32 %j, 1
      %more = icmp slt i32 %next, %last
      br i1 %more, label %loop, label %out
    out:
      ret void)");
  ASSERT_EQ(K.Accesses.size(), 3u);
  EXPECT_EQ(rangeOf(K, 2, 0, 1, 2).State, GridspanRangeUnknown);
  Eights Known;
  // From element 8 * 32 up to that before 8 * 96.
  expectBytes(rangeOf(K, 2, 0, 1, 2, &Known), GridspanRangeMay, 4 * 8 * 32,
              4 * 8 * 64);
}
