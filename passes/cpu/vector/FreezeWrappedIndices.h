//===- FreezeWrappedIndices.h - Indices that wrap in vectors ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM 19's vectorizer takes the loads of `x[(i * 5) & 63]` for loads that are
// five elements apart, and loads them from one address on, also where the index
// wraps within a vector (llvm/llvm-project#156849). A freeze of the index,
// which no analysis looks through, keeps it from that: each lane has its own
// address.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_VECTOR_FREEZEWRAPPEDINDICES_H
#define GRIDSPAN_PASSES_CPU_VECTOR_FREEZEWRAPPEDINDICES_H

#include "llvm/IR/PassManager.h"

namespace gridspan {

/// For functions of the host, kernels or not, in front of the vectorizer.
/// Leaves indices alone that are consecutive until they wrap, which the
/// vectorizer checks.
class FreezeWrappedIndicesPass
    : public llvm::PassInfoMixin<FreezeWrappedIndicesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
  static bool isRequired() { return true; }
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_VECTOR_FREEZEWRAPPEDINDICES_H
