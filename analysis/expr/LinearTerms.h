//===- LinearTerms.h - Sums with each value once ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites sums so that each varying value is used once. The evaluation of sets
// treats two uses of one value as independent, and then gives a set that is too
// large.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_EXPR_LINEARTERMS_H
#define GRIDSPAN_ANALYSIS_EXPR_LINEARTERMS_H

#include "analysis/expr/Expr.h"

namespace gridspan {

/// Returns an expression of the same value as Id in which sums use each varying
/// value once, where that is possible; Id itself where they do. Facts (Assume)
/// of Id may be missing in it: then it has more values than Id.
ExprId collectTerms(ExprGraph &Graph, ExprId Id);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_EXPR_LINEARTERMS_H
