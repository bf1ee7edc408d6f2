//===- AbiConstantsTest.cpp - Constants have the layout of the C structs --===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits each structure of ABI.def, and compares the layout of the constant with
// that of the C struct.
//
//===----------------------------------------------------------------------===//

#include "passes/common/AbiConstants.h"
#include "gridspan/ABI.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Module.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace gridspan;

namespace {

struct AbiConstantsTest : testing::Test {
  LLVMContext Context;
  Module M{"test", Context};
  DataLayout Layout{"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-"
                    "f80:128-n8:16:32:64-S128"};
  AbiConstants Abi{M};
};

TEST_F(AbiConstantsTest, OffsetsAreThoseOfC) {
#define GRIDSPAN_STRUCT(Name)                                                  \
  {                                                                            \
    using Struct = ::Name;                                                     \
    auto *Type = cast<StructType>(Abi.make(descriptor::Name())->getType());    \
    const StructLayout *Offsets = Layout.getStructLayout(Type);                \
    EXPECT_EQ(Offsets->getSizeInBytes(), sizeof(Struct));                      \
    unsigned Field = 0;
#define GRIDSPAN_FIELD(Kind, CType, Name)                                      \
  EXPECT_EQ(Offsets->getElementOffset(Field++), offsetof(Struct, Name));
#define GRIDSPAN_STRUCT_END(Name) }
#include "gridspan/ABI.def"
}

TEST_F(AbiConstantsTest, FieldsKeepTheirValues) {
  descriptor::GridspanCpuVariable Variable;
  Variable.Name = Abi.string("x");
  Variable.Offset = uint64_t(1) << 40;
  Variable.Size = 12;
  Constant *Made = Abi.make(Variable);
  EXPECT_EQ(Made->getAggregateElement(0u), Abi.string("x"));
  EXPECT_EQ(cast<ConstantInt>(Made->getAggregateElement(1))->getZExtValue(),
            uint64_t(1) << 40);
  EXPECT_EQ(cast<ConstantInt>(Made->getAggregateElement(2))->getZExtValue(),
            12u);
}

TEST_F(AbiConstantsTest, StringsAreShared) {
  EXPECT_EQ(Abi.string("a"), Abi.string("a"));
  EXPECT_NE(Abi.string("a"), Abi.string("b"));
  EXPECT_EQ(Abi.stringOrNull(""), nullptr);
}

TEST_F(AbiConstantsTest, EmptyArrayIsNull) {
  EXPECT_EQ(Abi.array<descriptor::GridspanParam>("none", {}), nullptr);
}

} // namespace
