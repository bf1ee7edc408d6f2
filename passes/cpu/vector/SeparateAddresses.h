//===- SeparateAddresses.h - Indices that are values as well ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads ask their indices, and calculate with them, as in `i <= last`, and
// address memory by them. Where processors have no fast gathers, LLVM's
// vectorizer computes all that leads to an address for each lane apart
// (setCostBasedWideningDecision), and packs it where a vector is wanted. This
// gives addresses instructions of their own, so that what is asked is a vector,
// and of an address of neighbours only the first lane's is left.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_VECTOR_SEPARATEADDRESSES_H
#define GRIDSPAN_PASSES_CPU_VECTOR_SEPARATEADDRESSES_H

#include "llvm/IR/PassManager.h"

namespace gridspan {

/// For functions that run kernels, in front of the vectorizer. Leaves others
/// alone.
class SeparateAddressesPass
    : public llvm::PassInfoMixin<SeparateAddressesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_VECTOR_SEPARATEADDRESSES_H
