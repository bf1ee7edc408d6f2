//===- ArgumentOverlap.h - Arguments that share written memory --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the accesses of a launch through different pointers. Two questions
// depend on it: if a repartitioned kernel may be split, and if the clone that
// was compiled for distinct arguments may run.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_ARGUMENTOVERLAP_H
#define GRIDSPAN_RUNTIME_PLAN_ARGUMENTOVERLAP_H

#include "runtime/plan/PlanInput.h"
#include "runtime/support/LaunchReasons.h"

namespace gridspan {

/// Returns true if the launch may write through one pointer what it accesses
/// through another, other than the same element in the same iteration: the
/// condition of GridspanRepartitioned.
bool writesMayOverlap(const PlanInput &In);

struct DistinctArguments {
  /// The reason why some may overlap; None if they do not.
  LaunchReason WhyNot = LaunchReason::None;
  /// True if more was looked at than the allocations that the pointers lead to,
  /// and if it is their first byte.
  bool DependsOnArguments = false;

  bool operator==(const DistinctArguments &) const = default;
};

/// Finds out if no memory that the launch writes through one pointer is
/// accessed through another: the condition of GridspanKernel::NoAliasStub.
DistinctArguments areArgumentsDistinct(const PlanInput &In);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_ARGUMENTOVERLAP_H
