//===- LaneStride.h - How an offset moves with the thread -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_EXPR_LANESTRIDE_H
#define GRIDSPAN_ANALYSIS_EXPR_LANESTRIDE_H

#include "analysis/expr/Expr.h"

namespace gridspan {

/// By how much Id grows when threadIdx along Axis grows by one, as an
/// expression that is the same in all threads of the launch, 64 bits wide; or
/// NoExpr when it is not the same everywhere. Read as integers: extensions of
/// sums are taken apart, so it holds where no addition below wraps, as is so
/// for indices that a program computes on purpose.
ExprId threadStride(ExprPool &Pool, ExprId Id, unsigned Axis);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_EXPR_LANESTRIDE_H
