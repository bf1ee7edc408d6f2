//===- ReplanCheck.h - Tells when to decide again ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells when a remembered decision is to be made again. It is right as long as
// it can be found; this is about whether it is still good.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_REPLANCHECK_H
#define GRIDSPAN_RUNTIME_LAUNCH_REPLANCHECK_H

#include "runtime/launch/Decision.h"
#include "runtime/launch/DeviceOpening.h"
#include "runtime/launch/Executor.h"
#include "runtime/launch/Inspector.h"

namespace gridspan {

/// Thread-safe.
class ReplanCheck {
public:
  ReplanCheck(Backend &B, const Executor &Exec, const Inspector &Indices,
              DeviceOpening &Opening)
      : B(B), Exec(Exec), Indices(Indices), Opening(Opening) {}

  /// Returns true if a decision is to be made again, and counts its use.
  bool needsReplan(const Decision &D) const;
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
