//===- HostMemory.cpp - Free and total memory of the host -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// /proc/meminfo (proc(5)) and the control group's memory.max, memory.current
// (kernel documentation, "Control Group v2"; the v1 names as well). Virtual
// machines may start small and grow: MemTotal is then below the limit of the
// control group, which decides. The group is charged for files that it has
// read, too; the system drops those that were not used lately (inactive_file of
// memory.stat) as soon as memory is wanted.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/HostMemory.h"
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>

namespace gridspan::cuda {
namespace {

/// Returns the number at the start of a file; none for another text ("max").
std::optional<uint64_t> readNumber(const std::string &Path) {
  std::ifstream In(Path);
  uint64_t N;
  if (In >> N)
    return N;
  return std::nullopt;
}

/// Returns the number behind Key in a file of keys and numbers, or 0.
uint64_t readField(const std::string &Path, const std::string &Key) {
  std::ifstream In(Path);
  std::string Found;
  for (uint64_t N; In >> Found >> N;)
    if (Found == Key)
      return N;
  return 0;
}

} // namespace

void hostMemoryInfo(size_t &Free, size_t &Total, const std::string &Root) {
  uint64_t Physical = 0;
  uint64_t Available = 0;
  std::ifstream In(Root + "/proc/meminfo");
  std::string Key, Unit;
  for (uint64_t KiB; In >> Key >> KiB && std::getline(In, Unit);) {
    if (Key == "MemTotal:")
      Physical = KiB * 1024;
    else if (Key == "MemAvailable:")
      Available = KiB * 1024;
  }
  Total = Physical;
  Free = Available;

  const std::string Group = Root + "/sys/fs/cgroup/memory";
  auto Limit = readNumber(Group + ".max");
  auto Used = readNumber(Group + ".current");
  uint64_t Cache = readField(Group + ".stat", "inactive_file");
  if (!Limit) {
    Limit = readNumber(Group + "/memory.limit_in_bytes");
    Used = readNumber(Group + "/memory.usage_in_bytes");
    Cache = readField(Group + "/memory.stat", "total_inactive_file");
  }
  // "No limit" is a huge number in version 1.
  if (!Limit || !Used || *Limit > (uint64_t(1) << 50))
    return;
  const uint64_t Taken = *Used - std::min(*Used, Cache);
  Total = *Limit;
  Free = Taken < *Limit ? *Limit - Taken : 0;
}

} // namespace gridspan::cuda
