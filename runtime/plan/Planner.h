//===- Planner.h - Decide how a launch runs ---------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pure function from a kernel, a launch and the homes of its data to a Plan.
// It holds no state and calls nothing but the kernel's own range and work
// functions, so it is tested with no device at all.
//
// The homes of pages decide speed, never results (docs/architecture.md): every
// plan for a kernel that may be split is right. The question is which is fast.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_PLANNER_H
#define GRIDSPAN_RUNTIME_PLAN_PLANNER_H

#include "runtime/backend/SystemInfo.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/PlanInput.h"

namespace gridspan {

/// Plans the launch: split over some devices, or unsplit on device 0.
Plan planLaunch(const PlanInput &Input, const SystemInfo &System,
                Schedule Schedule);

/// The share of a launch's time that splitting it must save.
constexpr double LeastGain = 0.05;

/// Returns true if one way saves that share of the other one's time.
inline bool isClearlyLess(double Seconds, double Other) {
  return Seconds < Other * (1 - LeastGain);
}

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_PLANNER_H
