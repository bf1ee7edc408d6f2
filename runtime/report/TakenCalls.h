//===- TakenCalls.h - Calls of libraries, counted ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts calls of CUB and Thrust whose data are larger than the devices or on
// several of them: those that became primitives of Gridspan, and those that did
// not, by reason.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_REPORT_TAKENCALLS_H
#define GRIDSPAN_RUNTIME_REPORT_TAKENCALLS_H

#include "gridspan/calls/TakenCalls.h"
#include "runtime/support/ThreadSafety.h"
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gridspan {

/// Returns the name of a reason; "" for GridspanCallTaken.
const char *nameOf(GridspanCallReason Why);

/// Calls of one function that ended alike.
struct TakenCallRecord {
  std::string Function;
  uint64_t Calls = 0;
  std::string WhyNot; ///< empty: they became primitives
};

/// Thread-safe.
class TakenCalls {
public:
  void count(const char *Function, GridspanCallReason WhyNot);
  /// Returns the counts so far, by function and reason.
  std::vector<TakenCallRecord> record() const;

private:
  mutable Mutex Lock;
  std::map<std::pair<std::string, GridspanCallReason>, uint64_t>
      Counts GUARDED_BY(Lock);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_REPORT_TAKENCALLS_H
