//===- ApiRedirect.cpp - CUDA runtime calls go to Gridspan ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Renames declarations: a declaration `f` listed in CudaApi.def becomes
// `__gridspan_f`, so that calls and address uses follow without being looked
// for, whatever their form. Only declarations: a program that defines a
// function of such a name (a test double, a shim) means its own. Sound because
// the runtime's functions have the same signatures and results.
//
//===----------------------------------------------------------------------===//

#include "passes/host/ApiRedirect.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static constexpr StringLiteral ApiNames[] = {
#define GRIDSPAN_API(Name) #Name,
#define GRIDSPAN_API_PT(Name, Suffix) #Name #Suffix,
#include "gridspan/CudaApi.def"
};

bool gridspan::redirectCudaApi(Module &M) {
  bool Changed = false;
  for (StringRef Name : ApiNames) {
    Function *Api = M.getFunction(Name);
    if (!Api || !Api->isDeclaration())
      continue;
    std::string NewName = ("__gridspan_" + Name).str();
    if (Function *Existing = M.getFunction(NewName)) {
      Api->replaceAllUsesWith(Existing);
      Api->eraseFromParent();
    } else {
      Api->setName(NewName);
    }
    Changed = true;
  }
  return Changed;
}
