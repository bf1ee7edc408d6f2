//===- WorkEstimate.h - How much a thread of a kernel does ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_SUMMARY_WORKESTIMATE_H
#define GRIDSPAN_ANALYSIS_SUMMARY_WORKESTIMATE_H

#include "analysis/machine/MachineModel.h"
#include "analysis/summary/KernelSummary.h"
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

#endif // GRIDSPAN_ANALYSIS_SUMMARY_WORKESTIMATE_H
