//===- AbiConstants.cpp - The structures of ABI.def as constants ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ABI.def orders fields so that there is no padding, so a literal struct of the
// fields' types in order has the layout of the C struct on every 64-bit host;
// the unit tests compare the two.
//
//===----------------------------------------------------------------------===//

#include "passes/common/AbiConstants.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace gridspan;

namespace {

/// Fields in order, each as a constant of its kind.
struct FieldList {
  LLVMContext &Context;
  SmallVector<Constant *, 24> Values;

  void addPtr(Constant *Value) {
    Values.push_back(
        Value ? Value : ConstantPointerNull::get(PointerType::get(Context, 0)));
  }
  void addI32(uint32_t Value) {
    Values.push_back(ConstantInt::get(Type::getInt32Ty(Context), Value));
  }
  void addI64(uint64_t Value) {
    Values.push_back(ConstantInt::get(Type::getInt64Ty(Context), Value));
  }
};

} // namespace

#define GRIDSPAN_STRUCT(Name)                                                  \
  Constant *AbiConstants::make(const descriptor::Name &Value) {                \
    FieldList Fields{M.getContext(), {}};
#define GRIDSPAN_FIELD(Kind, CType, Name) Fields.add##Kind(Value.Name);
#define GRIDSPAN_STRUCT_END(Name)                                              \
  return ConstantStruct::getAnon(M.getContext(), Fields.Values);               \
  }
#include "gridspan/ABI.def"

Constant *AbiConstants::string(StringRef Text) {
  Constant *&Known = Strings[Text];
  if (Known)
    return Known;
  auto *Bytes = ConstantDataArray::getString(M.getContext(), Text);
  auto *G =
      new GlobalVariable(M, Bytes->getType(), /*isConstant=*/true,
                         GlobalValue::PrivateLinkage, Bytes, "__gridspan_str");
  G->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  G->setAlignment(Align(1));
  return Known = G;
}

Constant *AbiConstants::stringOrNull(StringRef Text) {
  return Text.empty() ? nullptr : string(Text);
}

GlobalVariable *AbiConstants::global(StringRef Name, Constant *Value) {
  auto *G = new GlobalVariable(M, Value->getType(), /*isConstant=*/true,
                               GlobalValue::InternalLinkage, Value,
                               "__gridspan_" + Name);
  G->setAlignment(Align(8));
  return G;
}

Constant *AbiConstants::arrayOf(StringRef Name, ArrayRef<Constant *> Elements) {
  if (Elements.empty())
    return nullptr;
  auto *Type = ArrayType::get(Elements.front()->getType(), Elements.size());
  return global(Name, ConstantArray::get(Type, Elements));
}
