//===- WorkEstimate.h - The work of a thread --------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates the work of a kernel for the planner, which compares it with the
// costs of moving data.
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

/// Returns one term for the code outside all loops, and one for each loop's
/// own, for the GPU of the model. Sets Guessed when the trip count of some loop
/// is not known.
std::vector<WorkTerm> workTermsOf(const llvm::Function &Kernel,
                                  const KernelAnalyses &Analyses,
                                  ExprBuilder &Builder, ExprGraph &Graph,
                                  const MachineModel &Machine, bool &Guessed);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_SUMMARY_WORKESTIMATE_H
