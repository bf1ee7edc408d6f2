//===- SplitLegality.h - Reasons against a split ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler says of a kernel whether its grids may be split at all. This is
// the rest: what depends on the machine, the shape of the launch, and where its
// pointers lead. Pure.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_SPLITLEGALITY_H
#define GRIDSPAN_RUNTIME_PLAN_SPLITLEGALITY_H

#include "runtime/backend/SystemInfo.h"
#include "runtime/plan/PlanInput.h"
#include "runtime/support/LaunchReasons.h"

namespace gridspan {

/// Returns why the launch cannot be split, whatever it would gain; None if it
/// can. Does not depend on the launch's arguments but for where its pointers
/// lead.
LaunchReason whyNotSplit(const PlanInput &Input, const SystemInfo &System,
                         Schedule Schedule);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_SPLITLEGALITY_H
