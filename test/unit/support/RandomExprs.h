//===- RandomExprs.h - Random expression DAGs for tests ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TEST_UNIT_SUPPORT_RANDOMEXPRS_H
#define GRIDSPAN_TEST_UNIT_SUPPORT_RANDOMEXPRS_H

#include "analysis/expr/Expr.h"

namespace gridspan::test {

constexpr unsigned NumLoops = 2;

/// A graph of nodes of one width, and for each loop its backedge-taken count.
struct RandomExprs {
  ExprGraph Graph;
  ExprId Counts[NumLoops];
};

/// The same for the same seed. Reads parameter 0.
RandomExprs makeRandomExprs(unsigned Seed, unsigned NumNodes);

} // namespace gridspan::test

#endif // GRIDSPAN_TEST_UNIT_SUPPORT_RANDOMEXPRS_H
