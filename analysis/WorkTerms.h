//===- WorkTerms.h - How much a thread of a kernel does ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_WORKTERMS_H
#define GRIDSPAN_ANALYSIS_WORKTERMS_H

#include "gridspan/Analysis/KernelSummary.h"
#include <vector>

namespace llvm {
class Function;
class LoopInfo;
} // namespace llvm

namespace gridspan {

class ExprBuilder;

/// One term for the instructions outside all loops, and one for each loop's
/// own. Sets Guessed when nobody knows how often some loop runs.
std::vector<WorkTerm> workTermsOf(const llvm::Function &Kernel,
                                  const llvm::LoopInfo &LI,
                                  ExprBuilder &Builder, ExprPool &Pool,
                                  bool &Guessed);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_WORKTERMS_H
