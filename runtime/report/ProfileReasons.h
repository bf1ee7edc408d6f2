//===- ProfileReasons.h - Why launches are not recorded ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of ProfileReasons.def.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_REPORT_PROFILEREASONS_H
#define GRIDSPAN_RUNTIME_REPORT_PROFILEREASONS_H

namespace gridspan {

enum class ProfileReason {
#define GRIDSPAN_PROFILE_REASON(Kind, Name) Kind,
#include "runtime/report/ProfileReasons.def"
};

/// Returns the stable name; "" of None.
constexpr const char *nameOf(ProfileReason Reason) {
  switch (Reason) {
#define GRIDSPAN_PROFILE_REASON(Kind, Name)                                    \
  case ProfileReason::Kind:                                                    \
    return Name;
#include "runtime/report/ProfileReasons.def"
  }
  return "";
}

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_REPORT_PROFILEREASONS_H
