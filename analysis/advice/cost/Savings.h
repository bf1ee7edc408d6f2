//===- Savings.h - What a site without excess would save --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts what a launch gains where one site is changed, from its costs.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_COST_SAVINGS_H
#define GRIDSPAN_ANALYSIS_ADVICE_COST_SAVINGS_H

#include "analysis/advice/cost/Cost.h"

namespace gridspan {

/// Returns the seconds that a launch is predicted to gain, at most, if the site
/// moved Excess fewer sectors, or took as many fewer passes over the banks of
/// shared memory. Precondition: Cost has a prediction.
double savedSeconds(const MemorySite &Site, double Excess,
                    const KernelCost &Cost, const MachineModel &Machine);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_COST_SAVINGS_H
