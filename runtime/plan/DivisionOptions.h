//===- DivisionOptions.h - Candidates as ways to choose from ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the ways that times decide about (DivisionChoice.h) of the candidates
// that predictions were made for.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_DIVISIONOPTIONS_H
#define GRIDSPAN_RUNTIME_PLAN_DIVISIONOPTIONS_H

#include "runtime/plan/DivisionChoice.h"
#include "runtime/plan/SplitCandidate.h"
#include <vector>

namespace gridspan {

/// The seconds that every launch takes besides, so that ratios of measured to
/// predicted times say something of short ones.
constexpr double LaunchSeconds = 4e-6;

/// Returns the candidate as its pages are. IsSure: DivisionOption::IsSure.
DivisionOption optionAsIs(const SplitCandidate &C, bool IsSure);

/// Returns the candidate with its pages where it wants them.
DivisionOption optionInPlace(const SplitCandidate &C, bool IsSure);

/// Returns true if the split accesses nothing from afar but what predictions
/// know: unknown ranges lead to replicas only, and atomics to its own memory.
/// So what its tiles take is what the kernel takes.
bool isSureOf(const PlanInput &In, const SplitCandidate &C);

/// Returns the shares of the work that the tiles have; by blocks where the work
/// is not known.
std::vector<double> workShares(const PlanInput &In, const SplitCandidate &C);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_DIVISIONOPTIONS_H
