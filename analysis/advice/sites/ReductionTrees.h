//===- ReductionTrees.h - Which values threads gather and join --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognizes sums, products, minima and maxima: over the iterations of a loop,
// and over the threads of a block.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_SITES_REDUCTIONTREES_H
#define GRIDSPAN_ANALYSIS_ADVICE_SITES_REDUCTIONTREES_H

#include "analysis/advice/sites/MemorySites.h"

namespace llvm {
class Loop;
class LoopInfo;
class PHINode;
} // namespace llvm

namespace gridspan {

/// Returns true if Phi gathers, over the iterations of L, what is loaded from
/// global memory: a sum, product, minimum or maximum.
bool isReduction(const llvm::PHINode &Phi, const llvm::Loop &L);

/// Returns how the threads of Kernel join what they have gathered or loaded
/// from global memory.
JoinKind joinOf(const llvm::Function &Kernel, const llvm::LoopInfo &LI);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_SITES_REDUCTIONTREES_H
