//===- ExprSymbols.h - The symbols of an expression -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The thread indices, block indices and loop counters that an expression varies
// with, and questions about where its values come from.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_EXPR_EXPRSYMBOLS_H
#define GRIDSPAN_ANALYSIS_EXPR_EXPRSYMBOLS_H

#include "analysis/expr/Expr.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace gridspan {

/// The indices that an expression depends on.
struct Symbols {
  llvm::SmallDenseSet<std::pair<unsigned, int64_t>, 8> Indices;
  bool Other = false; ///< or on something that has no name

  bool isDisjointFrom(const Symbols &S) const {
    return !Other && !S.Other && llvm::none_of(Indices, [&](const auto &Index) {
      return S.Indices.contains(Index);
    });
  }
};

Symbols symbolsOf(const ExprGraph &Graph, ExprId Id);

/// Returns true if every value of Id comes from one of Parts: not where only
/// one side of a choice needs them.
bool dependsOn(const ExprGraph &Graph, ExprId Id, llvm::ArrayRef<ExprId> Parts);

/// Returns true if an offset can be anything, because something unknown is
/// added in; an unknown byte, or an unknown value under a guard, is a bounded
/// one.
bool isUnbounded(const ExprGraph &Graph, ExprId Id);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_EXPR_EXPRSYMBOLS_H
