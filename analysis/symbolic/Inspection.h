//===- Inspection.h - Reasons not to inspect an index -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index that a kernel loads from memory may be looked at when the kernel is
// launched (runtime/launch/Inspector.h). Inspection.def has the reasons why one
// is not.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_SYMBOLIC_INSPECTION_H
#define GRIDSPAN_ANALYSIS_SYMBOLIC_INSPECTION_H

#include "llvm/ADT/StringRef.h"

namespace gridspan {

/// The reason why a loaded index is not inspected.
enum class InspectionRefusal {
#define GRIDSPAN_INSPECTION_REFUSAL(Id, Name, Text) Id,
#include "analysis/symbolic/Inspection.def"
};

/// Returns "index-written", ...
llvm::StringRef inspectionRefusalName(InspectionRefusal Refusal);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_SYMBOLIC_INSPECTION_H
