//===- Planner.h - Decide how a launch runs ---------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pure function from what is known of a kernel, a launch and the placement of
// its data to a Plan. It holds no state and calls nothing but the kernel's own
// range and work functions, so it is tested with no device at all.
//
// Placement decides speed, never results (docs/ARCHITECTURE.md): any plan it
// makes for a kernel that may be split is right; the question is which is fast.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_PLANNER_H
#define GRIDSPAN_RUNTIME_PLAN_PLANNER_H

#include "runtime/backend/KernelTraits.h"
#include "runtime/backend/SystemInfo.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/PlanInput.h"

namespace gridspan {

Plan planLaunch(const PlanInput &Input, const SystemInfo &System,
                Schedule Schedule);

/// Fills in what the launch writes, however it runs.
void addWrites(const PlanInput &Input, Plan &Out);

/// Why the launch cannot be split, whatever it would gain; empty: it can. Does
/// not depend on the launch's arguments but for where its pointers lead.
std::string_view whyNotSplit(const PlanInput &Input, const SystemInfo &System,
                             Schedule Schedule);

/// The share of a launch's time that splitting it must save.
constexpr double LeastGain = 0.05;

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_PLANNER_H
