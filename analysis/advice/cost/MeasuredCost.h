//===- MeasuredCost.h - Predictions from what a run showed ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts recorded numbers in the place of those that the cost model assumes where
// branches, trip counts and addresses follow from data.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_COST_MEASUREDCOST_H
#define GRIDSPAN_ANALYSIS_ADVICE_COST_MEASUREDCOST_H

#include "analysis/advice/cost/LaunchFootprint.h"
#include "analysis/advice/sites/MeasuredSites.h"
#include "analysis/advice/warpsim/KernelWalk.h"
#include "analysis/advice/warpsim/L1Traffic.h"

namespace gridspan {

/// Corrects how often blocks are executed, if any of that is not known and some
/// of their accesses were measured. Returns true if it did.
bool useMeasuredCounts(const KernelSites &Kernel, const MeasuredSites &Of,
                       LaunchCounts &Counts);

/// Corrects the rates of accesses whose addresses are not known. L1Bytes: what
/// is left of the cache beside shared memory.
void useMeasuredRates(const KernelSites &Kernel, const MeasuredSites &Of,
                      uint64_t L1Bytes, const MachineModel &Machine,
                      std::vector<L1Rates> &Rates);

/// Returns the sizes of the arrays that measured accesses by parameters touch.
ArraySizes measuredSizes(const KernelSites &Kernel, const MeasuredSites &Of);

/// Returns how many of the bytes that L1 lacks come from memory, if they are
/// spread over an array of ArrayBytes, 0: one that is far larger than L2.
double bytesFromMemory(double Bytes, double ArrayBytes,
                       const MachineModel &Machine);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_COST_MEASUREDCOST_H
