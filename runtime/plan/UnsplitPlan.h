//===- UnsplitPlan.h - Launches that cannot gain ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That a launch runs unsplit can often be said without evaluating its ranges,
// and for all launches of the kernel with this shape and these pointers. Either
// the kernel may not be split, or the launch is so little work that it cannot
// pay. Such launches are planned once, however their other arguments change.
//
// Where launches are short and their buffers are new each time, looking for a
// better way costs more than one could save: they go on as the last one did.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_PLAN_UNSPLITPLAN_H
#define GRIDSPAN_RUNTIME_PLAN_UNSPLITPLAN_H

#include "runtime/backend/SystemInfo.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/PlanInput.h"
#include <optional>

namespace gridspan {

/// The most work a launch may do for a cached decision to apply to it.
struct WorkLimit {
  double Work = 0; ///< as Kernel->Work; infinite: any
  /// True if it applies only where nothing in the work was guessed.
  bool OnlySure = false;
  double Blocks = 0; ///< at most so many start in the time
  double Least = 0;  ///< the least work, where there is a most
};

/// Returns the most bytes that the launch may move: all of what its pointers
/// lead to.
double bytesOfAllocations(const PlanInput &Input);

/// Returns the most work for which planLaunch leaves the launch unsplit,
/// whatever its arguments are that are no pointers; nothing if that cannot be
/// said.
std::optional<WorkLimit> runsUnsplitUpTo(const PlanInput &Input,
                                         const SystemInfo &System,
                                         Schedule Schedule);

/// What is not planned at first, and for how long.
struct FirstLaunches {
  WorkLimit Limit;
  uint64_t Count; ///< so many launches of the kernel
};

/// Returns how many of the first launches of a kernel that may be split are run
/// unsplit without a plan: many that cannot pay as predicted, and a few whose
/// plan takes as long as it could gain. Launches: of the kernel so far.
std::optional<FirstLaunches> runsUnsplitAtFirst(const PlanInput &Input,
                                                const SystemInfo &System,
                                                Schedule Schedule,
                                                uint64_t Launches);

/// Returns true if the launch writes memory that is not ours, or that is
/// perhaps not what a pointer leads to. One such pointer is like another to who
/// looks for a plan (LaunchKey), but not to what the plan says that is written.
bool writesOthersMemory(const PlanInput &Input);

/// Returns the limit of launches of the kernel that are like the one over Box:
/// of the same shape, and of the same work within a factor of two.
WorkLimit likeThatOf(const GridspanKernel &Kernel, const GridspanBox &Box);

/// Returns true if a launch of the kernel over Box is within the limit.
bool isWithin(const WorkLimit &Limit, const GridspanKernel &Kernel,
              const GridspanBox &Box);

/// Returns true if it is only by a guess of the work that the launch is within
/// the limit. Precondition: it is.
bool isByGuess(WorkLimit Limit, const GridspanKernel &Kernel,
               const GridspanBox &Box);

/// Returns the plan of a launch within the limit, without its bytes; nothing if
/// pages may be worth moving for it, which ranges must say.
std::optional<Plan> planUnsplit(const PlanInput &Input,
                                const SystemInfo &System, Schedule Schedule);

/// Returns the plan of a launch that runs unsplit as the last one of its
/// history did, which is measured if NeedsTimes, without its bytes and without
/// a time that it could be compared with; nothing if that one ran otherwise, or
/// pages may be worth moving.
std::optional<Plan> planUnsplitAgain(const PlanInput &Input,
                                     const LaunchHistory &History,
                                     const SystemInfo &System,
                                     Schedule Schedule, bool NeedsTimes = true);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_PLAN_UNSPLITPLAN_H
