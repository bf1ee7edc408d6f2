//===- FrameSchedule.h - Order of the loads and evictions -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Given the chunks of a launch, or of several, in their order and the frames
// that each touches, decides which frames are loaded before each, which leave
// for them, and when what was written goes to the host. Pure.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_FRAMESCHEDULE_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_FRAMESCHEDULE_H

#include "runtime/memory/PagedView.h"
#include "runtime/outofcore/OutOfCorePlan.h"

namespace gridspan {

/// The frames of which a launch writes all and reads nothing, by allocation and
/// frame; none for an allocation: no frame of it.
using OverwrittenFrames = std::vector<std::vector<bool>>;

/// Fills in what moves around the Steps, whose Launch, Device and Uses are
/// given, and counts the bytes. Budget is what the frames on each device may
/// take together. Apart: a step finds nothing but what is on its own device, so
/// that frames of others come over the host. Overwritten has an entry for each
/// launch; empty: there is one, and Paged says it. False when some step needs
/// more at once than there is.
bool scheduleFrames(const std::vector<PagedView> &Paged,
                    const std::vector<uint64_t> &Budget, OutOfCorePlan &Plan,
                    bool Apart = false,
                    const std::vector<OverwrittenFrames> &Overwritten = {});

/// Returns the bytes that steps as the plan's move at least, in whatever order,
/// by launch: each frame comes once if its contents are wanted, and what is
/// wanted elsewhere, or is more than Budget, goes once. The other arguments are
/// those of scheduleFrames().
std::vector<BusBytes>
leastTraffic(const std::vector<PagedView> &Paged,
             const std::vector<uint64_t> &Budget, const OutOfCorePlan &Plan,
             bool Apart = false,
             const std::vector<OverwrittenFrames> &Overwritten = {});

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_FRAMESCHEDULE_H
