//===- OutOfCoreInput.h - Input of the planner ------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plain data from which the planner of out-of-core launches decides.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_OUTOFCOREINPUT_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_OUTOFCOREINPUT_H

#include "runtime/memory/PagedView.h"
#include "runtime/plan/PlanInput.h"

namespace gridspan {

/// A launch that touches paged memory, and what there is to run it with.
struct OutOfCoreInput {
  PlanInput Launch;
  /// One for each of Launch.Allocations; then other paged allocations that have
  /// frames on devices.
  std::vector<PagedView> Paged;
  /// Bytes that frames may take, by device, with those that do already.
  std::vector<uint64_t> Budget;
  /// Devices besides the first may be used: they are open.
  bool OthersOpen = true;
  /// The launch may run the clone with packed rows.
  bool MayPack = false;
  /// Indices of Launch.Allocations: no device is to have a replica of these.
  std::vector<unsigned> NotReplicated;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_OUTOFCOREINPUT_H
