//===- VectorizedCopy.cpp - Kernels with the accesses that execute --------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs LLVM's load-store vectorizer on a copy of the module, as the back end
// does, so that accesses which it joins are counted as one.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/coalescing/VectorizedCopy.h"
#include "analysis/nvptx/GlobalArguments.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/nvptx/SharedMemory.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

using namespace llvm;

namespace gridspan {

VectorizedCopy::VectorizedCopy(const Module &M, FunctionAnalysisManager &FAM)
    : Copy(CloneModule(M)), FAM(FAM) {
  alignSharedVariables(*Copy);
  for (Function *Kernel : kernelsOf(*Copy)) {
    markArgumentsGlobal(*Kernel);
    FAM.invalidate(*Kernel, InferAddressSpacesPass().run(*Kernel, FAM));
    FAM.invalidate(*Kernel, InferAlignmentPass().run(*Kernel, FAM));
    FAM.invalidate(*Kernel, LoadStoreVectorizerPass().run(*Kernel, FAM));
  }
}

VectorizedCopy::~VectorizedCopy() {
  for (Function &F : *Copy)
    FAM.clear(F, F.getName());
}

} // namespace gridspan
