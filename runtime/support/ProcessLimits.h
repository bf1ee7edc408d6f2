//===- ProcessLimits.h - Processors of this process -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the processors that the process may keep busy. They are those that it
// may be scheduled on (sched_getaffinity(2)), cut to the bandwidth quota of its
// control group. See the kernel documentation, "Control Group v2", cpu.max; for
// version 1, cpu.cfs_quota_us and cpu.cfs_period_us.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_PROCESSLIMITS_H
#define GRIDSPAN_RUNTIME_SUPPORT_PROCESSLIMITS_H

#include <optional>
#include <string_view>

namespace gridspan {

/// The processors of a quota in the form of cpu.max, "200000 100000", rounded
/// up; none for "max 100000" and for what is no quota.
std::optional<unsigned> processorsOfQuota(std::string_view CpuMax);

/// Returns the number of processors that the process may keep busy; at least 1.
unsigned allowedProcessors();

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_PROCESSLIMITS_H
