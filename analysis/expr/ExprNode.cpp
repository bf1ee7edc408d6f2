//===- ExprNode.cpp - Names and operands of expressions -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row for each kind, by its number.
//
//===----------------------------------------------------------------------===//

#include "analysis/expr/ExprNode.h"

using namespace llvm;

namespace gridspan {

static constexpr struct {
  StringLiteral Name;
  unsigned NumOperands;
} Kinds[] = {
#define GRIDSPAN_EXPR(Kind, Text, NumOperands) {Text, NumOperands},
#include "analysis/expr/ExprKinds.def"
};

StringRef exprKindName(ExprKind Kind) { return Kinds[unsigned(Kind)].Name; }

unsigned exprNumOperands(ExprKind Kind) {
  return Kinds[unsigned(Kind)].NumOperands;
}

} // namespace gridspan
