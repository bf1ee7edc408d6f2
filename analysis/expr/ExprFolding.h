//===- ExprFolding.h - Operations on constants ------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results of expressions over constants alone; foldBinary() is in Expr.h.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_EXPR_EXPRFOLDING_H
#define GRIDSPAN_ANALYSIS_EXPR_EXPRFOLDING_H

#include "analysis/expr/Expr.h"

namespace gridspan {

/// Returns the bits of Value in Width, sign-extended: the canonical form of
/// constants.
int64_t canonical(unsigned Width, int64_t Value);

bool isCommutative(ExprKind Kind);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_EXPR_EXPRFOLDING_H
