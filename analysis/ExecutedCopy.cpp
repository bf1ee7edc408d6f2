//===- ExecutedCopy.cpp - Kernels with the accesses that execute ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gridspan/Analysis/ExecutedCopy.h"
#include "GlobalArguments.h"
#include "gridspan/Analysis/Kernels.h"
#include "gridspan/Analysis/SharedMemory.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

using namespace llvm;

namespace gridspan {

ExecutedCopy::ExecutedCopy(const Module &M, FunctionAnalysisManager &FAM)
    : Copy(CloneModule(M)), FAM(FAM) {
  alignSharedVariables(*Copy);
  for (Function *Kernel : kernelsOf(*Copy)) {
    markArgumentsGlobal(*Kernel);
    FAM.invalidate(*Kernel, InferAddressSpacesPass().run(*Kernel, FAM));
    FAM.invalidate(*Kernel, InferAlignmentPass().run(*Kernel, FAM));
    FAM.invalidate(*Kernel, LoadStoreVectorizerPass().run(*Kernel, FAM));
  }
}

ExecutedCopy::~ExecutedCopy() {
  for (Function &F : *Copy)
    FAM.clear(F, F.getName());
}

} // namespace gridspan
