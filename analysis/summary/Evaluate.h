//===- Evaluate.h - Values of expressions for a launch ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes what a range function does, without compiling one: for tests and
// tools.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_SUMMARY_EVALUATE_H
#define GRIDSPAN_ANALYSIS_SUMMARY_EVALUATE_H

#include "analysis/summary/KernelSummary.h"
#include "gridspan/RangeOps.h"

namespace gridspan {

/// Returns the values that Id takes over the box.
GridspanValue evaluate(const ExprGraph &Graph, ExprId Id,
                       const GridspanBox &Box);

/// Returns the bytes that the access touches, as the range function gives them.
GridspanRange evaluateRange(const KernelSummary &Kernel,
                            const AccessSummary &Access,
                            const GridspanBox &Box);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_SUMMARY_EVALUATE_H
