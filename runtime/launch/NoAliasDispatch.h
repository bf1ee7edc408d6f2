//===- NoAliasDispatch.h - Clones for distinct arguments --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some kernels have a clone that was compiled for arguments that do not overlap
// (analysis/legality/NoAlias.h). Decides which launches run it, and gives it up
// for kernels whose launches are so different that finding out costs more than
// the clone can gain.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_NOALIASDISPATCH_H
#define GRIDSPAN_RUNTIME_LAUNCH_NOALIASDISPATCH_H

#include "runtime/launch/LaunchCache.h"
#include "runtime/stream/LaunchRequest.h"
#include <array>
#include <atomic>

namespace gridspan {

/// Thread-safe.
class NoAliasDispatch {
public:
  explicit NoAliasDispatch(Backend &B) : B(B) {}

  /// Returns true if launches of Kernel should be tested for the no-alias
  /// clone.
  bool wants(const GridspanKernel &Kernel) const;

  /// Decides if a launch that In describes runs the clone, and notes it in D.
  /// The launch was checked by the original's registers, which need not be the
  /// clone's. Returns true if that depends on more than which allocations the
  /// pointers lead to.
  bool decide(const LaunchRequest &R, const PlanInput &In, Decision &D);

  /// Returns true if parts of the launch have enough registers, and has D give
  /// up the clone for distinct arguments if those of its parts are too many.
  bool mayRunInParts(const LaunchRequest &R, Decision &D);

private:
  void giveUp(const GridspanKernel &Kernel);

  Backend &B;
  /// Kernels whose arguments change with each launch. Filled from the front.
  std::array<std::atomic<const GridspanKernel *>, 32> GivenUp = {};
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_NOALIASDISPATCH_H
