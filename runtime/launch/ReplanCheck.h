//===- ReplanCheck.h - Tells when to decide again ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells when a remembered decision is to be made again. It is right as long as
// it can be found and no memory was placed otherwise since; this is about
// whether it is still good. If some was, a decision is right for allocations
// that are like those that it knows: the bytes of all arguments are the same,
// and so are base, size and kind of what they lead to, so that what overlaps
// and what is written is the same; and it uses the first device only, which has
// all of it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_REPLANCHECK_H
#define GRIDSPAN_RUNTIME_LAUNCH_REPLANCHECK_H

#include "runtime/launch/Decision.h"
#include "runtime/launch/DeviceOpening.h"
#include "runtime/launch/Executor.h"
#include "runtime/launch/Inspector.h"
#include "runtime/memory/MemoryManager.h"
#include "runtime/stream/LaunchRequest.h"

namespace gridspan {

/// Thread-safe.
class ReplanCheck {
public:
  ReplanCheck(Backend &B, const Executor &Exec, const Inspector &Indices,
              DeviceOpening &Opening)
      : B(B), Exec(Exec), Indices(Indices), Opening(Opening) {}

  /// Returns true if a decision is to be made again, and counts its use.
  bool needsReplan(const Decision &D) const;

  /// Returns true if D, made of In for the launch's arguments alone, may be
  /// renewed.
  static bool mayRenew(const Decision &D, const PlanInput &In);
  /// Returns D for what the launch's pointers, the same as those that it was
  /// made for, lead to now; null if it is to be made again. Memory that was
  /// freed and allocated again often is as it was, and to look takes a small
  /// part of what a plan does.
  std::shared_ptr<Decision> renewed(const Decision &D, const LaunchRequest &R,
                                    const MemoryManager &Memory) const
      REQUIRES_SHARED(PlacementLock::Held);
  /// Returns true if the decision was made for want of times that launches
  /// which are enqueued already are to bring.
  static bool lacksTimes(const Decision &D);

private:
  bool isOutdated(const Decision &D) const;
  bool isChanged(const Decision &D, unsigned Allocation) const;
  bool haveContentsChanged(const Decision &D) const;
  bool haveIndicesChanged(const Decision &D) const;

  Backend &B;
  const Executor &Exec;
  const Inspector &Indices;
  DeviceOpening &Opening;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_REPLANCHECK_H
