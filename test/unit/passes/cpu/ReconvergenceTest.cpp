//===- ReconvergenceTest.cpp - Tests of where threads meet again ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/regions/Reconvergence.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

/// Returns the names of the points of the entry of a function with this Body,
/// whose targets are the blocks with names that begin with "t".
std::string points(const std::string &Body) {
  llvm::LLVMContext Context;
  llvm::SMDiagnostic Error;
  auto M = llvm::parseAssemblyString(
      "define void @f(i1 %c, i1 %d) {\n" + Body + "}\n", Error, Context);
  EXPECT_TRUE(M) << Error.getMessage().str();
  std::string Out;
  for (const llvm::BasicBlock *BB : reconvergencePoints(
           M->getFunction("f")->getEntryBlock(),
           [](const auto &Block) { return Block.getName().starts_with("t"); }))
    Out += BB->getName().str() + " ";
  return Out;
}

TEST(Reconvergence, IsInFrontOfTheTargets) {
  EXPECT_EQ(points("e: br i1 %c, label %a, label %b\n"
                   "a: br label %join\n"
                   "b: br label %join\n"
                   "join: br label %last\n"
                   "last: br i1 %d, label %t1, label %t2\n"
                   "t1: ret void\n"
                   "t2: ret void\n"),
            "join last ");
}

TEST(Reconvergence, IsTheOnlyTarget) {
  EXPECT_EQ(points("e: br i1 %c, label %a, label %t\n"
                   "a: br label %t\n"
                   "t: ret void\n"),
            "t ");
}

TEST(Reconvergence, IsNowhereBetweenTwoTargets) {
  EXPECT_EQ(points("e: br i1 %c, label %t1, label %t2\n"
                   "t1: ret void\n"
                   "t2: ret void\n"),
            "");
}

TEST(Reconvergence, IsNotBehindATarget) {
  EXPECT_EQ(points("e: br i1 %c, label %t1, label %join\n"
                   "t1: br label %join\n"
                   "join: br label %t2\n"
                   "t2: ret void\n"),
            "");
}

TEST(Reconvergence, DoesNotAskWhereItEnds) {
  EXPECT_EQ(points("e: br i1 %c, label %end, label %go\n"
                   "go: br i1 %d, label %t1, label %t2\n"
                   "t1: ret void\n"
                   "t2: ret void\n"
                   "end: ret void\n"),
            "go ");
}

TEST(Reconvergence, IsOnNoWayAround) {
  EXPECT_EQ(points("e: br i1 %c, label %a, label %b\n"
                   "a: br label %mid\n"
                   "mid: br label %join\n"
                   "b: br i1 %d, label %mid, label %join\n"
                   "join: br label %t\n"
                   "t: ret void\n"),
            "join t ");
}

TEST(Reconvergence, IsBehindALoop) {
  EXPECT_EQ(points("e: br label %head\n"
                   "head: br i1 %c, label %body, label %out\n"
                   "body: br label %head\n"
                   "out: br i1 %d, label %t1, label %t2\n"
                   "t1: ret void\n"
                   "t2: ret void\n"),
            "head out ");
}

TEST(Reconvergence, NeedsATarget) { EXPECT_EQ(points("e: ret void\n"), ""); }

} // namespace
