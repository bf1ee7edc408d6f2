//===- Alternatives.h - Offsets that are one of several ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes an offset that threads choose from far ends of an array apart, so that
// the range of each choice is one that a launch can use.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_EXPR_ALTERNATIVES_H
#define GRIDSPAN_ANALYSIS_EXPR_ALTERNATIVES_H

#include "analysis/expr/Expr.h"
#include "llvm/ADT/SmallVector.h"

namespace gridspan {

/// Expressions without choices between threads that together have all values of
/// Id; Id alone if it has no such choice, or too many.
llvm::SmallVector<ExprId, 4> alternativesOf(ExprGraph &Graph, ExprId Id);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_EXPR_ALTERNATIVES_H
