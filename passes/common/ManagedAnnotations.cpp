//===- ManagedAnnotations.cpp - Variables declared __managed__ ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A variable that several annotations name is listed once.
//
//===----------------------------------------------------------------------===//

#include "passes/common/ManagedAnnotations.h"
#include "passes/common/GlobalAnnotations.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace gridspan;

static constexpr StringLiteral ManagedText = "gridspan.managed";

SmallVector<GlobalVariable *> gridspan::annotatedAsManaged(const Module &M) {
  SmallVector<GlobalVariable *> Out;
  for (const GlobalAnnotation &A : globalAnnotations(M))
    if (auto *G = dyn_cast<GlobalVariable>(A.On);
        G && A.Text == ManagedText && !is_contained(Out, G))
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
  dropGlobalAnnotations(M, [&](const GlobalAnnotation &A) {
    const auto *G = dyn_cast<GlobalVariable>(A.On);
    return G && Drop(*G);
  });
}
