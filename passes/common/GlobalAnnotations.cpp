//===- GlobalAnnotations.cpp - What sources annotate ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Annotations are structures of the variable or function, the text, the file,
// the line and a structure of arguments, in the array llvm.global.annotations.
//
//===----------------------------------------------------------------------===//

#include "passes/common/GlobalAnnotations.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace gridspan;

static constexpr StringLiteral ListName = "llvm.global.annotations";

static const Constant *initializerOf(const Value &Operand) {
  const auto *G = dyn_cast<GlobalVariable>(Operand.stripPointerCasts());
  return G && G->hasInitializer() ? G->getInitializer() : nullptr;
}

StringRef gridspan::annotationText(const Value &Operand) {
  const auto *Bytes =
      dyn_cast_or_null<ConstantDataSequential>(initializerOf(Operand));
  return Bytes && Bytes->isCString() ? Bytes->getAsCString() : "";
}

static GlobalAnnotation read(const Constant &Entry) {
  GlobalAnnotation Out;
  Out.On = dyn_cast<GlobalValue>(Entry.getOperand(0)->stripPointerCasts());
  Out.Text = annotationText(*Entry.getOperand(1));
  if (Entry.getNumOperands() < 5)
    return Out;
  const Constant *Arguments = initializerOf(*Entry.getOperand(4));
  // A structure of zeros has no operands.
  for (unsigned I = 0; Arguments && Arguments->getAggregateElement(I); ++I)
    if (const auto *Number =
            dyn_cast<ConstantInt>(Arguments->getAggregateElement(I)))
      Out.Arguments.push_back(Number->getZExtValue());
  return Out;
}

static const ConstantArray *entriesOf(const Module &M) {
  const GlobalVariable *List = M.getGlobalVariable(ListName);
  return List ? dyn_cast<ConstantArray>(List->getInitializer()) : nullptr;
}

SmallVector<GlobalAnnotation> gridspan::globalAnnotations(const Module &M) {
  SmallVector<GlobalAnnotation> Out;
  if (const ConstantArray *Entries = entriesOf(M))
    for (const Use &Entry : Entries->operands())
      if (GlobalAnnotation A = read(*cast<Constant>(Entry)); A.On)
        Out.push_back(std::move(A));
  return Out;
}

void gridspan::dropGlobalAnnotations(
    Module &M, function_ref<bool(const GlobalAnnotation &)> Drop) {
  const ConstantArray *Entries = entriesOf(M);
  if (!Entries)
    return;
  SmallVector<Constant *> Kept;
  for (const Use &Entry : Entries->operands()) {
    const GlobalAnnotation A = read(*cast<Constant>(Entry));
    if (!A.On || !Drop(A))
      Kept.push_back(cast<Constant>(Entry));
  }
  if (Kept.size() == Entries->getNumOperands())
    return;
  GlobalVariable *Old = M.getGlobalVariable(ListName);
  if (!Kept.empty()) {
    auto *Type = ArrayType::get(Kept.front()->getType(), Kept.size());
    auto *New =
        new GlobalVariable(M, Type, Old->isConstant(), Old->getLinkage(),
                           ConstantArray::get(Type, Kept), "", Old,
                           Old->getThreadLocalMode(), Old->getAddressSpace());
    New->setSection(Old->getSection());
    New->takeName(Old);
  }
  Old->eraseFromParent();
}
