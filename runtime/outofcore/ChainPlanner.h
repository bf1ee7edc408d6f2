//===- ChainPlanner.h - Plan a chain of out-of-core launches ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans several launches that touch paged memory as one: in which order their
// chunks run (ChainOrder.h), and which frames come and go (FrameSchedule.h), so
// that what one launch leaves the next one finds. Pure.
//
// Any order that keeps the order of chunks which touch the same bytes computes
// the same. The question is how many launches go through memory together: as
// many as their frames have room for. Numbers are tried that are the whole
// chain's divided by a power of two, in both directions, until the bytes come
// close to the least possible or grow, and the plan of the least predicted time
// is taken.
//
// Where a library's work is among the launches (OpaqueOperation.h), what is
// brought for it, the work, and what puts its results away are on lanes of
// their own: at the same time, for one piece of the data behind the other.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_CHAINPLANNER_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_CHAINPLANNER_H

#include "runtime/outofcore/ChainOrder.h"
#include "runtime/outofcore/OutOfCoreInput.h"
#include "runtime/outofcore/RingPlanner.h"
#include <deque>
#include <optional>
#include <span>

namespace gridspan {

/// Returns true if the chain of these launches is to be on the first device,
/// since one of them is, and none on another one. Operations that nobody looks
/// into do not count: they touch no frames.
bool isOfFirstDevice(std::span<const PlanInput> Launches);

/// Launches in their order, and what there is to run them with.
struct ChainInput {
  /// Allocations is the same for all.
  std::vector<PlanInput> Launches;
  /// One for each of those Allocations; then other paged allocations that have
  /// frames on devices.
  std::vector<PagedView> Paged;
  /// Bytes that frames may take, by device, with those that do already.
  std::vector<uint64_t> Budget;
  /// What no launch is to have frames of, by those Allocations.
  std::vector<InPlaceArgument> InPlace = {};
  /// Devices besides the first may be used: they are open.
  bool OthersOpen = true;
};

/// A launch as a member of a chain.
struct ChainMember {
  /// The reason that it cannot be one, so that it runs by itself, or None.
  LaunchReason WhyNot = LaunchReason::None;
  /// What it accesses on the host, by its own allocations: what it would by
  /// itself, too.
  std::vector<InPlaceArgument> InPlace = {};
};
/// Looks at each chunk that it would have.
ChainMember asMember(OutOfCoreInput In, const SystemInfo &System,
                     Schedule Sched);

/// The chunks of a chain's launches, for plans with less and less room.
class ChainPlanner {
public:
  /// Divides the launches into chunks that Input's budget has room for.
  ChainPlanner(ChainInput Input, const SystemInfo &System, Schedule Sched);

  /// Returns the best plan with so much room; one without steps if some chunk
  /// needs more, or some launch has no such chunks.
  OutOfCorePlan plan(const std::vector<uint64_t> &Budget);

  /// Returns a plan whose frames stay in rings of fixed sizes (RingSizes.h), if
  /// it is faster than Planned, of plan() with this budget, for which more has
  /// to be mapped. Present has an entry for each of the input's Paged.
  std::optional<RingPlan> planWithin(const std::vector<uint64_t> &Budget,
                                     const RingViews &Present,
                                     const RingPlan &Planned);

private:
  /// The chunks of all launches, each in as many as Parts.
  struct Division {
    unsigned Parts;
    std::vector<ChainLaunch> Launches;
    std::optional<ChainOrder> Order;
  };
  /// What a plan is made from.
  struct Way {
    unsigned Parts;
    ChainWalk Walk;
  };
  void divideOthers();
  unsigned laneOf(const PlanInput &Launch) const;
  const Division &division(unsigned Parts);
  OutOfCorePlan ordered(const Way &W);
  std::optional<OutOfCorePlan> scheduled(const std::vector<uint64_t> &Budget,
                                         const Way &W);
  bool isNearLeast(const OutOfCorePlan &Plan) const;
  double secondsOf(const OutOfCorePlan &Plan) const;
  void complete(OutOfCorePlan &Plan) const;
  void improve(const std::vector<uint64_t> &Budget, unsigned Parts,
               OutOfCorePlan &Best);

  ChainInput In;
  const SystemInfo &System;
  unsigned Devices;
  /// Each launch on paged memory is on a device of its choice, some not on the
  /// first: what two of them use goes from one to the other over the host.
  bool Apart;
  bool HasOpaque; ///< an operation is among the launches that nobody looks into
  /// Chunks by launch and device, in order; empty where a launch has none.
  std::vector<std::vector<std::vector<GridspanBox>>> Boxes;
  std::vector<OverwrittenFrames> Overwritten;
  std::vector<HostSharing> Shared; ///< by allocation
  std::deque<Division> Divisions;  ///< that have been asked for
  std::vector<BusBytes> Direct;    ///< of copies by themselves, by launch
  std::vector<BusBytes> Least;     ///< by launch; empty: not yet known
  std::optional<Way> Chosen;       ///< of the last search
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_CHAINPLANNER_H
