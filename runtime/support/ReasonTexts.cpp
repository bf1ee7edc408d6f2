//===- ReasonTexts.cpp - What reasons of the report mean ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A walk over LaunchReasons.def, as it is needed once for each reason that a
// report shows.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/ReasonTexts.h"

namespace gridspan {

const char *reasonText(std::string_view Name) {
#define GRIDSPAN_REASON(Id, ReasonName, Text)                                  \
  if (Name == ReasonName)                                                      \
    return Text;
#include "runtime/support/LaunchReasons.def"
#define GRIDSPAN_CALL_REASON(Id, ReasonName, Text)                             \
  if (Name == ReasonName)                                                      \
    return Text;
#include "gridspan/calls/CallReasons.def"
  return "";
}

} // namespace gridspan
