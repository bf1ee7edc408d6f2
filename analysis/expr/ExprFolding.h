//===- ExprFolding.h - Operations on constants ------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results of expressions over constants alone.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_EXPR_EXPRFOLDING_H
#define GRIDSPAN_ANALYSIS_EXPR_EXPRFOLDING_H

#include "analysis/expr/ExprNode.h"
#include <optional>

namespace gridspan {

/// Returns the bits of Value in Width, sign-extended: the canonical form of
/// constants.
int64_t canonical(unsigned Width, int64_t Value);

/// LHS op RHS of a two-operand arithmetic Kind, all sign-extended from Width,
/// or nothing where LLVM has no defined result.
std::optional<int64_t> foldBinary(ExprKind Kind, unsigned Width, int64_t LHS,
                                  int64_t RHS);

bool isCommutative(ExprKind Kind);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_EXPR_EXPRFOLDING_H
