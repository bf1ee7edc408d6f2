//===- ManagedAnnotations.cpp - Variables declared __managed__ ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Annotations are structures of the variable, the text, the file, the line and
// arguments, in the array llvm.global.annotations.
//
//===----------------------------------------------------------------------===//

#include "passes/common/ManagedAnnotations.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace gridspan;

static constexpr StringLiteral ManagedText = "gridspan.managed";
static constexpr StringLiteral ListName = "llvm.global.annotations";

static GlobalVariable *annotated(const Constant &Annotation) {
  return dyn_cast<GlobalVariable>(
      Annotation.getOperand(0)->stripPointerCasts());
}

static bool saysManaged(const Constant &Annotation) {
  const auto *Text =
      dyn_cast<GlobalVariable>(Annotation.getOperand(1)->stripPointerCasts());
  if (!Text || !Text->hasInitializer())
    return false;
  const auto *Bytes = dyn_cast<ConstantDataSequential>(Text->getInitializer());
  return Bytes && Bytes->isCString() && Bytes->getAsCString() == ManagedText;
}

/// Returns the annotations of M; none if there is no list.
static SmallVector<Constant *> annotationsOf(const Module &M) {
  SmallVector<Constant *> Out;
  const GlobalVariable *List = M.getGlobalVariable(ListName);
  if (const auto *Array =
          List ? dyn_cast<ConstantArray>(List->getInitializer()) : nullptr)
    for (const Use &Element : Array->operands())
      Out.push_back(cast<Constant>(Element));
  return Out;
}

SmallVector<GlobalVariable *> gridspan::annotatedAsManaged(const Module &M) {
  SmallVector<GlobalVariable *> Out;
  for (const Constant *Annotation : annotationsOf(M))
    if (GlobalVariable *G = annotated(*Annotation);
        G && saysManaged(*Annotation) && !is_contained(Out, G))
      Out.push_back(G);
  return Out;
}

SmallVector<GlobalVariable *> gridspan::declaredAsManaged(Module &M) {
  SmallVector<GlobalVariable *> Out;
  for (GlobalVariable &G : M.globals())
    if (G.isDeclaration() && G.getSection() == ManagedText)
      Out.push_back(&G);
  return Out;
}

void gridspan::dropAnnotations(
    Module &M, function_ref<bool(const GlobalVariable &)> Drop) {
  SmallVector<Constant *> Kept = annotationsOf(M);
  const size_t Before = Kept.size();
  erase_if(Kept, [&](const Constant *Annotation) {
    const GlobalVariable *G = annotated(*Annotation);
    return G && Drop(*G);
  });
  if (Kept.size() == Before)
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
