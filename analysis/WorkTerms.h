//===- WorkTerms.h - How much a thread of a kernel does ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_WORKTERMS_H
#define GRIDSPAN_ANALYSIS_WORKTERMS_H

#include "gridspan/Analysis/KernelSummary.h"
#include "gridspan/Analysis/MachineModel.h"
#include <vector>

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

class ExprBuilder;
struct KernelAnalyses;

/// One term for the code outside all loops, and one for each loop's own, for
/// the GPU of the model. Sets Guessed when nobody knows how often some loop
/// runs.
std::vector<WorkTerm> workTermsOf(const llvm::Function &Kernel,
                                  const KernelAnalyses &Analyses,
                                  ExprBuilder &Builder, ExprPool &Pool,
                                  const MachineModel &Machine, bool &Guessed);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_WORKTERMS_H
