//===- Inspection.cpp - Reasons not to inspect an index -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names by the number of the reason.
//
//===----------------------------------------------------------------------===//

#include "analysis/symbolic/Inspection.h"

using namespace llvm;

namespace gridspan {

StringRef inspectionRefusalName(InspectionRefusal Refusal) {
  static constexpr StringLiteral Names[] = {
#define GRIDSPAN_INSPECTION_REFUSAL(Id, Name, Text) Name,
#include "analysis/symbolic/Inspection.def"
  };
  return Names[unsigned(Refusal)];
}

} // namespace gridspan
