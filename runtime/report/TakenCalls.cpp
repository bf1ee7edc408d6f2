//===- TakenCalls.cpp - Calls of libraries, counted -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table by function and reason. Only calls on large data come here, so that a
// lock for each costs nothing beside them.
//
//===----------------------------------------------------------------------===//

#include "runtime/report/TakenCalls.h"

namespace gridspan {

const char *nameOf(GridspanCallReason Why) {
  switch (Why) {
  case GridspanCallTaken:
    break;
#define GRIDSPAN_CALL_REASON(Id, Name, Text)                                   \
  case GridspanCall##Id:                                                       \
    return Name;
#include "gridspan/calls/CallReasons.def"
  }
  return "";
}

void TakenCalls::count(const char *Function, GridspanCallReason WhyNot) {
  MutexLock Guard(Lock);
  ++Counts[{Function, WhyNot}];
}

std::vector<TakenCallRecord> TakenCalls::record() const {
  MutexLock Guard(Lock);
  std::vector<TakenCallRecord> Out;
  for (const auto &[Key, Calls] : Counts)
    Out.push_back({Key.first, Calls, nameOf(Key.second)});
  return Out;
}

} // namespace gridspan
