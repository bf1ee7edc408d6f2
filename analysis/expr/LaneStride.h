//===- LaneStride.h - Steps of offsets between lanes ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The derivative of an expression by threadIdx, from which the coalescing of a
// warp follows without a launch.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_EXPR_LANESTRIDE_H
#define GRIDSPAN_ANALYSIS_EXPR_LANESTRIDE_H

#include "analysis/expr/Expr.h"

namespace gridspan {

/// Returns by how much Id grows when threadIdx along Axis grows by one: an
/// expression of 64 bits that is the same in all threads of the launch. Returns
/// NoExpr when the growth is not the same everywhere. Extensions of sums are
/// taken apart as those of integers. So the stride holds where no addition
/// below wraps, as with indices that a program computes on purpose.
ExprId threadStride(ExprGraph &Graph, ExprId Id, unsigned Axis);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_EXPR_LANESTRIDE_H
