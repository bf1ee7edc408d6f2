//===- VectorCopies.h - Copies of one vector as load and store --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `out[i] = in[j]` with elements of 16 bytes, such as float4, is a memcpy in
// IR, which LLVM makes a load and a store of smaller elements only. The backend
// does so in the end. This pass does it before accesses are numbered, so that
// the two have numbers of their own, are recorded, and may be to records in
// another form.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_VECTORCOPIES_H
#define GRIDSPAN_PASSES_DEVICE_VECTORCOPIES_H

#include "llvm/IR/PassManager.h"

namespace gridspan {

/// Changes device code only. Preserves the control flow.
class VectorCopiesPass : public llvm::PassInfoMixin<VectorCopiesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
  static bool isRequired() { return true; }
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_VECTORCOPIES_H
