//===- ReachMap.cpp - Devices that may access an address ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Homes of mapped addresses as intervals. Memory of the host is open to all.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/ReachMap.h"

namespace gridspan {

static boost::icl::interval<uint64_t>::interval_type
intervalOf(const void *Address, size_t Bytes) {
  const auto Lo = reinterpret_cast<uintptr_t>(Address);
  return boost::icl::interval<uint64_t>::right_open(Lo, Lo + Bytes);
}

void ReachMap::map(const void *Address, size_t Bytes, Location Where) {
  WriterLock Guard(Lock);
  Owners.set({intervalOf(Address, Bytes), Where});
}

void ReachMap::unmap(const void *Address, size_t Bytes) {
  WriterLock Guard(Lock);
  Owners.erase(intervalOf(Address, Bytes));
}

std::optional<int> ReachMap::otherOwner(int Device, const void *Address,
                                        size_t Bytes) const {
  if (Bytes == 0) // a fill of nothing touches nothing
    return std::nullopt;
  ReaderLock Guard(Lock);
  const auto Touched = intervalOf(Address, Bytes);
  for (auto It = Owners.lower_bound(Touched);
       It != Owners.end() && It->first.lower() < Touched.upper(); ++It)
    if (It->second != Host && It->second != Device)
      return It->second;
  return std::nullopt;
}

} // namespace gridspan
