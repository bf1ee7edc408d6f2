//===- PrivateCopies.h - What tiles reduce into on their own ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the allocations that a launch only reduces into, and gives those of its
// tiles private copies whose devices would have atomics on memory of others.
// Pure.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_PRIVATECOPIES_H
#define GRIDSPAN_RUNTIME_PLAN_PRIVATECOPIES_H

#include "runtime/backend/SystemInfo.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/PlanInput.h"
#include "runtime/plan/SplitCandidate.h"
#include <optional>

namespace gridspan {

/// Returns the operation that the launch reduces into each allocation with;
/// None for those of which there may be no private copies.
std::vector<GridspanReduction> reductionsInto(const PlanInput &In);

/// Adds private copies to the tiles of Out, whose accesses are known.
void addPrivateCopies(const PlanInput &In, SplitCandidate &Out);

/// Returns the tile's private copy of the allocation; null if it has none.
const PrivateCopy *privateCopy(const TilePlan &Tile, unsigned Allocation);

bool hasPrivateCopies(const std::vector<TilePlan> &Tiles);

/// Returns the seconds by which a private copy prolongs its tile.
double privateFillSeconds(const PrivateCopy &Copy, const SystemInfo &System,
                          int Device);

/// Returns the seconds that combining the private copies takes behind the
/// tiles.
double combineSeconds(const PlanInput &In, const SystemInfo &System,
                      const std::vector<TilePlan> &Tiles);

/// Returns the estimated atomics of blocks in Box on one argument: as many on
/// each, since it is not known which is on which. Nothing if the kernel has
/// none that are counted.
std::optional<double> atomicsOfArgument(const GridspanKernel &Kernel,
                                        const GridspanBox &Box);

/// Returns the seconds that so many atomics of a tile on Device, on an
/// allocation that it touches as Touched says, take on links.
double remoteAtomicSeconds(const SystemInfo &System, int Device,
                           const Touch &Touched, double Atomics);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_PRIVATECOPIES_H
