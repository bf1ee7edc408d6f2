//===- PageMigration.h - Pages that are worth moving ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides which pages should have another home and whether it is time to move
// them: when the launches so far would have saved by it what it costs, so that
// it is never much worse than the best choice in hindsight (the ski rental
// problem). Each move of a buffer doubles what the next one takes, so that
// kernels that want it in different places come to rest.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_PAGEMIGRATION_H
#define GRIDSPAN_RUNTIME_PLAN_PAGEMIGRATION_H

#include "runtime/plan/SplitCandidate.h"
#include <optional>

namespace gridspan {

/// The seconds that a launch loses by running another way than the wanted one,
/// and that one loses which finds its replicas filled.
struct WayLoss {
  double Seconds;
  double Again;
};

/// Adds to Out the moves that the Wanted candidate needs, if it is time, and
/// what misplaced pages of each buffer cost the launch. That is the candidate's
/// own remote accesses if it is the one that runs, else Loss in all. Nothing is
/// moved if all moves take longer than Budget, in seconds.
void planMigration(const PlanInput &In, const SystemInfo &System,
                   const SplitCandidate &Wanted, std::optional<WayLoss> Loss,
                   double Budget, Plan &Out);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_PAGEMIGRATION_H
