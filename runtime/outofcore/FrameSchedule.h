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

/// Slots of rings by allocation and device, what is in those that exist, and
/// the allocations that no step uses and whose frames stay where they are.
struct RingLimits {
  const std::vector<std::vector<uint32_t>> &Slots;
  const RingViews &Present;
  const std::vector<bool> &Stays;
};

/// The same where a frame can only come to one slot of its allocation's ring on
/// the device, its number modulo the slots, from which another one has to leave
/// for it. Frames that are elsewhere on devices leave before the first step.
/// Returns by allocation and device whether some step needs two frames that
/// have the same slot, or one where there are no slots: then the plan cannot be
/// carried out so.
std::vector<std::vector<bool>>
scheduleInRings(const std::vector<PagedView> &Paged, const RingLimits &Rings,
                OutOfCorePlan &Plan, bool Apart,
                const std::vector<OverwrittenFrames> &Overwritten);

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
