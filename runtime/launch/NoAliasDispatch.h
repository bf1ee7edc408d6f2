//===- NoAliasDispatch.h - Clones for distinct arguments --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some kernels have a clone that was compiled for arguments that do not overlap
// (analysis/NoAlias.h). Decides which launches run it, and gives it up for
// kernels whose launches are so different that finding out costs more than the
// clone can gain.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_NOALIASDISPATCH_H
#define GRIDSPAN_RUNTIME_LAUNCH_NOALIASDISPATCH_H

#include "runtime/launch/LaunchCache.h"
#include "runtime/plan/Planner.h"
#include <array>
#include <atomic>

namespace gridspan {

/// Thread-safe.
class NoAliasDispatch {
public:
  explicit NoAliasDispatch(Backend &B) : B(B) {}

  /// Whether it is looked for launches of the kernel that may run its clone.
  bool wants(const GridspanKernel &Kernel) const;

  /// Whether a launch that In describes does. Its registers need not be the
  /// original's, by which the launch was checked.
  void decide(LaunchTarget Target, const LaunchShape &Shape,
              const PlanInput &In, Decision &D);

private:
  void giveUp(const GridspanKernel &Kernel);

  Backend &B;
  /// Kernels whose arguments are others at each launch. Filled from the front.
  std::array<std::atomic<const GridspanKernel *>, 32> GivenUp = {};
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_NOALIASDISPATCH_H
