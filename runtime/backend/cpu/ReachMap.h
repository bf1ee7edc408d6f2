//===- ReachMap.h - Devices that may access an address ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CPU devices share one address space. When they are to behave as if they could
// not reach each other's memory, every access is looked up here.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_REACHMAP_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_REACHMAP_H

#include "runtime/backend/PageHomes.h"
#include "runtime/support/ThreadSafety.h"
#include <optional>

namespace gridspan {

/// Thread-safe.
class ReachMap {
public:
  void map(const void *Address, size_t Bytes, Location Where);
  void unmap(const void *Address, size_t Bytes);

  /// Returns a device other than Device that is the home of some of the bytes.
  std::optional<int> otherOwner(int Device, const void *Address,
                                size_t Bytes) const;

private:
  mutable SharedMutex Lock;
  boost::icl::interval_map<uint64_t, Location, boost::icl::partial_enricher>
      Owners GUARDED_BY(Lock);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_REACHMAP_H
