//===- ArgumentOverlap.h - Arguments that share written memory --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_ARGUMENTOVERLAP_H
#define GRIDSPAN_RUNTIME_PLAN_ARGUMENTOVERLAP_H

#include "runtime/plan/PlanInput.h"
#include "runtime/support/LaunchReasons.h"

namespace gridspan {

/// Whether what the launch writes through one pointer may be what it accesses
/// through another, other than the same element in the same iteration: the
/// condition of GridspanRepartitioned.
bool writesMayOverlap(const PlanInput &In);

struct DistinctArguments {
  /// Why some may overlap; None if they do not.
  LaunchReason WhyNot = LaunchReason::None;
  /// Whether more was looked at than the allocations that the pointers lead to
  /// and whether it is their first byte.
  bool DependsOnArguments = false;

  bool operator==(const DistinctArguments &) const = default;
};

/// Whether no memory that the launch writes through one pointer is accessed
/// through another: the condition of GridspanKernel::NoAliasStub.
DistinctArguments areArgumentsDistinct(const PlanInput &In);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_ARGUMENTOVERLAP_H
