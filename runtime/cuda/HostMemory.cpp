//===- HostMemory.cpp - How much memory the host has ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// /proc/meminfo (proc(5)) and the control group's memory.max, memory.current
// (kernel documentation, "Control Group v2"; the v1 names as well). Virtual
// machines may start small and grow: MemTotal is then below the limit of the
// control group, which is what counts.
//
//===----------------------------------------------------------------------===//

#include "HostMemory.h"
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

namespace gridspan::cuda {
namespace {

/// The number at the start of a file; none when it holds no number ("max").
std::optional<uint64_t> readNumber(const char *Path) {
  std::ifstream In(Path);
  uint64_t N;
  if (In >> N)
    return N;
  return std::nullopt;
}

} // namespace

void hostMemoryInfo(size_t &Free, size_t &Total) {
  uint64_t Physical = 0;
  uint64_t Available = 0;
  std::ifstream In("/proc/meminfo");
  std::string Key, Unit;
  for (uint64_t KiB; In >> Key >> KiB && std::getline(In, Unit);) {
    if (Key == "MemTotal:")
      Physical = KiB * 1024;
    else if (Key == "MemAvailable:")
      Available = KiB * 1024;
  }
  Total = Physical;
  Free = Available;

  auto Limit = readNumber("/sys/fs/cgroup/memory.max");
  auto Used = readNumber("/sys/fs/cgroup/memory.current");
  if (!Limit) {
    Limit = readNumber("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    Used = readNumber("/sys/fs/cgroup/memory/memory.usage_in_bytes");
  }
  // "No limit" is a huge number in version 1.
  if (!Limit || !Used || *Limit > (uint64_t(1) << 50))
    return;
  Total = *Limit;
  Free = *Used < *Limit ? *Limit - *Used : 0;
}

} // namespace gridspan::cuda
