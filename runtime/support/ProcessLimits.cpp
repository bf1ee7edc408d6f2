//===- ProcessLimits.cpp - Processors of this process ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads cpu.max of the control group that the process sees as the root, or its
// two counterparts of version 1.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/ProcessLimits.h"
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <sched.h>
#include <string>
#include <thread>

namespace gridspan {

std::optional<unsigned> processorsOfQuota(std::string_view CpuMax) {
  int64_t Quota = 0, Period = 0;
  const char *End = CpuMax.data() + CpuMax.size();
  auto [At, Error] = std::from_chars(CpuMax.data(), End, Quota);
  if (Error != std::errc() || Quota <= 0 || At == End || *At != ' ')
    return std::nullopt;
  if (std::from_chars(At + 1, End, Period).ec != std::errc() || Period <= 0)
    return std::nullopt;
  return static_cast<unsigned>((Quota - 1) / Period + 1);
}

static std::string firstLine(const char *Path) {
  std::ifstream In(Path);
  std::string Line;
  std::getline(In, Line);
  return Line;
}

/// The processors of the affinity mask; all where it does not fit the type.
static unsigned schedulableProcessors() {
  cpu_set_t Set;
  CPU_ZERO(&Set);
  if (sched_getaffinity(0, sizeof(Set), &Set) == 0)
    return static_cast<unsigned>(CPU_COUNT(&Set));
  return std::thread::hardware_concurrency();
}

unsigned allowedProcessors() {
  const unsigned Schedulable = std::max(1U, schedulableProcessors());
  std::string CpuMax = firstLine("/sys/fs/cgroup/cpu.max");
  if (CpuMax.empty())
    CpuMax = firstLine("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") + ' ' +
             firstLine("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  return std::min(Schedulable, processorsOfQuota(CpuMax).value_or(Schedulable));
}

} // namespace gridspan
