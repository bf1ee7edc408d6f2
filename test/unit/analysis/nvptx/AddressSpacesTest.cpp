//===- AddressSpacesTest.cpp - Tests of kinds of memory -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/nvptx/AddressSpaces.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace gridspan;

namespace {

constexpr char Text[] = R"(
@shared = internal addrspace(3) global [8 x i32] undef
@constant = internal addrspace(4) constant [8 x i32] zeroinitializer
define void @f(ptr %p, ptr addrspace(1) %g, ptr addrspace(5) %l, i32 %i,
               i64 %far) {
  %stack = alloca i32
  %argument = getelementptr i32, ptr %p, i64 1
  %global = addrspacecast ptr addrspace(1) %g to ptr
  %promised = addrspacecast ptr %p to ptr addrspace(3)
  %seen1 = addrspacecast ptr addrspace(3) @shared to ptr
  %seen2 = getelementptr i32, ptr %seen1, i64 1
  %seen3 = getelementptr i32, ptr %seen2, i64 1
  %seen4 = getelementptr i32, ptr %seen3, i64 1
  %seen5 = getelementptr i32, ptr %seen4, i64 1
  %seen6 = getelementptr i32, ptr %seen5, i64 1
  %seen7 = getelementptr i32, ptr %seen6, i64 1
  %local = addrspacecast ptr addrspace(5) %l to ptr
  %table = addrspacecast ptr addrspace(4) @constant to ptr
  %number = ptrtoint ptr %seen2 to i64
  %short = trunc i64 %number to i32
  %there = add i32 %short, %i
  %beyond = add i64 %number, %far
  %other = ptrtoint ptr %stack to i64
  %difference = sub i64 %number, %other
  %offset = shl i32 %i, 2
  ret void
}
)";

class AddressSpaces : public testing::Test {
protected:
  const Value *value(StringRef Name) const {
    for (const Instruction &I : instructions(*M->getFunction("f")))
      if (I.getName() == Name)
        return &I;
    return nullptr;
  }

  LLVMContext Context;
  SMDiagnostic Error;
  std::unique_ptr<Module> M = parseAssemblyString(Text, Error, Context);
};

} // namespace

TEST_F(AddressSpaces, PrivateMemoryIsOfTheBlockOrTheThread) {
  for (const char *Name : {"stack", "promised", "seen1", "seen7", "local"}) {
    EXPECT_TRUE(isPrivateMemory(value(Name))) << Name;
  }
  // All blocks have the same constant memory.
  for (const char *Name : {"argument", "global", "table"})
    EXPECT_FALSE(isPrivateMemory(value(Name))) << Name;
}

TEST_F(AddressSpaces, SharedAndConstantMemoryAreFoundByTypeAndByObject) {
  for (const char *Name : {"promised", "seen1", "seen7"})
    EXPECT_TRUE(isSharedMemory(value(Name))) << Name;
  for (const char *Name : {"stack", "argument", "global", "local", "table"})
    EXPECT_FALSE(isSharedMemory(value(Name))) << Name;
  EXPECT_TRUE(isConstantMemory(value("table")));
  EXPECT_FALSE(isConstantMemory(value("argument")));
}

TEST_F(AddressSpaces, OnlyGenericAndGlobalPointersMayBeGlobal) {
  for (const char *Name : {"argument", "global"})
    EXPECT_TRUE(mayBeGlobal(value(Name))) << Name;
  for (const char *Name : {"promised", "seen1", "seen7", "local", "table"})
    EXPECT_FALSE(mayBeGlobal(value(Name))) << Name;
}

TEST_F(AddressSpaces, ANumberHasTheBaseThatItIsComputedFrom) {
  for (const char *Name : {"number", "short", "there"})
    EXPECT_EQ(baseOfAddress(value(Name)), value("seen2")) << Name;
  // It may have a base that is not seen, two of them, or none.
  for (const char *Name : {"beyond", "difference", "offset"})
    EXPECT_EQ(baseOfAddress(value(Name)), nullptr) << Name;
}
