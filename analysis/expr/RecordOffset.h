//===- RecordOffset.h - Offsets as records and fields -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An offset as a sum of expressions times constants, and a constant: what is a
// multiple of one number of bytes is the record, the rest the field.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_EXPR_RECORDOFFSET_H
#define GRIDSPAN_ANALYSIS_EXPR_RECORDOFFSET_H

#include "analysis/expr/Expr.h"
#include "llvm/ADT/SmallVector.h"
#include <utility>

namespace gridspan {

/// An expression and its factor. Where the expression is an Iter node with a
/// constant step, it stands for the number of the iteration.
using OffsetTerm = std::pair<ExprId, int64_t>;

/// RecordBytes is the greatest common divisor of the factors; 0: the offset has
/// no such shape.
struct RecordOffset {
  llvm::SmallVector<OffsetTerm, 2> Terms;
  int64_t RecordBytes = 0, Constant = 0;
};
RecordOffset recordOffset(const ExprGraph &Graph, ExprId Offset);

/// Returns true if the term is the number of an iteration times its factor.
bool isCounter(const ExprGraph &Graph, const OffsetTerm &Term);
/// Returns the last iteration's number, if it is a counter with a constant
/// count.
std::optional<int64_t> lastIteration(const ExprGraph &Graph,
                                     const OffsetTerm &Term);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_EXPR_RECORDOFFSET_H
